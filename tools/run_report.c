/* SPDX-License-Identifier: BSD-3-Clause */
/* run_report.c - see run_report.h. A process publishes its wait in its record (base/run.h); what it
 * has called last is read from its memory, where the system permits that. Return addresses become
 * lines by the files that the process has mapped, and addr2line. */
#include "run_report.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "base/code_line.h"
#include "rt/rt.h"

#define READS_MAX 1000u /* of a record that its process writes again and again */
#define PATH_BYTES 512u
#define PHASE_BYTES 64u
#define TEXT_BYTES 512u

static const char *const CMP[] = {"==", "!=", "<", "<=", ">", ">="};

/* What is known of one process. */
struct line {
  uint32_t member;
  struct eyoti_run_wait wait; /* a copy */
  char call[EYOTI_RUN_CALL];  /* the public function called last; empty: unknown */
  char phase[PHASE_BYTES];
  uint64_t site;
  char file[PATH_BYTES]; /* which holds the site; empty: unknown */
  uint64_t address;      /* of the site in that file, as addr2line counts */
  char place[EYOTI_CODE_LINE];
};

static uint64_t now_ns(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A copy that its process did not change meanwhile; kind EYOTI_RUN_NO_WAIT if there was none. */
static void copy_wait(const struct eyoti_run_record *r, struct eyoti_run_wait *to) {
  for (uint32_t i = 0; i < READS_MAX; i++) {
    uint32_t before = __atomic_load_n(&r->wait.turn, __ATOMIC_ACQUIRE);
    memcpy(to, &r->wait, sizeof *to);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* pairs with fmpi_wait_published's */
    if (before % 2 == 0 && __atomic_load_n(&r->wait.turn, __ATOMIC_RELAXED) == before) return;
  }
  to->kind = EYOTI_RUN_NO_WAIT;
}

static bool read_memory(pid_t pid, uint64_t at, void *to, size_t len) {
  const struct iovec here = {to, len}, there = {(void *)(uintptr_t)at, len};
  return at != 0 && process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

/* A string of the process; its end may be the end of mapped memory. */
static void read_text(pid_t pid, uint64_t at, char *to, size_t size) {
  size_t n = 0;
  while (n + 1 < size && read_memory(pid, at + n, to + n, 1) && to[n] != '\0') n++;
  to[n] = '\0';
}

/* The call that the process is in, or has made last. */
static void read_last(pid_t pid, uint64_t current, struct line *l) {
  uint64_t rt = 0, fab = 0;
  struct fab_note note;
  const void *site, *outer;
  const char *what = NULL;
  if (pid == 0 || !read_memory(pid, current, &rt, sizeof rt) ||
      !read_memory(pid, rt + offsetof(struct eyot_rt, fab), &fab, sizeof fab) ||
      !read_memory(pid, fab + offsetof(struct fab, note), &note, sizeof note))
    return;
  (void)read_memory(pid, rt + offsetof(struct eyot_rt, outer_what), &what, sizeof what);
  if (what == NULL) what = note.what;
  read_text(pid, (uint64_t)(uintptr_t)what, l->call, sizeof l->call);
  read_text(pid, (uint64_t)(uintptr_t)note.phase, l->phase, sizeof l->phase);
  if (!read_memory(pid, rt + offsetof(struct eyot_rt, site), &site, sizeof site) ||
      !read_memory(pid, rt + offsetof(struct eyot_rt, outer_site), &outer, sizeof outer))
    return;
  l->site = (uint64_t)(uintptr_t)(outer != NULL ? outer : site);
}

/* Turns an offset in an ELF file into the address that the file gives it. */
static bool address_of(const char *file, uint64_t offset, uint64_t *address) {
  FILE *f = fopen(file, "re");
  Elf64_Ehdr head;
  bool found = false;
  if (f == NULL) return false;
  if (fread(&head, sizeof head, 1, f) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
      head.e_phentsize == sizeof(Elf64_Phdr) && fseek(f, (long)head.e_phoff, SEEK_SET) == 0) {
    Elf64_Phdr p;
    for (uint32_t i = 0; i < head.e_phnum && !found && fread(&p, sizeof p, 1, f) == 1; i++) {
      found = p.p_type == PT_LOAD && offset >= p.p_offset && offset - p.p_offset < p.p_filesz;
      if (found) *address = offset - p.p_offset + p.p_vaddr;
    }
  }
  fclose(f);
  return found;
}

/* Finds the file that holds the site, and the site's address in it. */
static void find_file(pid_t pid, struct line *l) {
  char path[64], text[PATH_BYTES + 128], file[PATH_BYTES];
  uint64_t from, to, offset, at = l->site - 1; /* within the call that returns there */
  if (l->site == 0) return;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(path, "re");
  if (maps == NULL) return;
  while (fgets(text, sizeof text, maps) != NULL) {
    file[0] = '\0';
    if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %511[^\n]", &from, &to,
               &offset, file) < 3 ||
        at < from || at >= to)
      continue;
    if (file[0] == '/' && address_of(file, at - from + offset, &l->address))
      snprintf(l->file, sizeof l->file, "%s", file);
    break;
  }
  fclose(maps);
}

/* Asks for the lines of all sites of one file at once. */
static void find_places(struct line *l, uint32_t n) {
  uint64_t *at = calloc(n, sizeof *at);
  char(*text)[EYOTI_CODE_LINE] = calloc(n, sizeof *text);
  uint32_t *of = calloc(n, sizeof *of);
  for (uint32_t i = 0; at != NULL && text != NULL && of != NULL && i < n; i++) {
    uint32_t k = 0;
    if (l[i].file[0] == '\0' || l[i].place[0] != '\0') continue;
    for (uint32_t j = i; j < n; j++)
      if (strcmp(l[j].file, l[i].file) == 0) {
        of[k] = j;
        at[k++] = l[j].address;
      }
    bool asked = eyoti_code_lines(l[i].file, at, k, text);
    const char *slash = strrchr(l[i].file, '/');
    for (uint32_t j = 0; j < k; j++)
      if (asked && text[j][0] != '\0')
        memcpy(l[of[j]].place, text[j], sizeof text[j]);
      else
        snprintf(l[of[j]].place, sizeof l[of[j]].place, "%.64s+%#" PRIx64, slash + 1,
                 l[of[j]].address);
  }
  free(at);
  free(text);
  free(of);
}

/* The words for an offset of a segment; the one place that names it. Above a segment's slot its id
 * has a generation. */
static int word_name(char *t, size_t size, uint32_t seg, uint64_t off) {
  return snprintf(t, size, "segment %u, offset %" PRIu64, seg % FAB_SEG_MAX, off);
}

static void wait_text(const struct eyoti_run_wait *w, char *t, size_t size) {
  char name[128];
  switch ((enum eyoti_run_wait_kind)w->kind) {
    case EYOTI_RUN_WAIT_WORD:
    case EYOTI_RUN_WAIT_ANY:
      word_name(name, sizeof name, w->seg, w->off);
      if (w->kind == EYOTI_RUN_WAIT_WORD)
        snprintf(t, size, "waits for its word at %s to be %s %" PRIu64 "; it is %" PRIu64, name,
                 CMP[w->cmp % 6], w->value, w->now);
      else
        snprintf(t, size, "waits for any of %u words of its own: %s to be %s %" PRIu64 "%s",
                 w->words, name, CMP[w->cmp % 6], w->value, w->words > 1 ? " | and more" : "");
      return;
    case EYOTI_RUN_WAIT_MPI:
    case EYOTI_RUN_WAIT_FLUSH:
      snprintf(t, size, "waits for an operation of its own");
      return;
    case EYOTI_RUN_WAIT_UNITS:
      snprintf(t, size, "waits for the other units to arrive");
      return;
    case EYOTI_RUN_WAIT_LEAVE:
      snprintf(t, size, "waits for the other units to leave");
      return;
    case EYOTI_RUN_NO_WAIT:
      break;
  }
  snprintf(t, size, "does not wait: it computes, or runs in that call");
}

static void print_line(const struct members *m, const struct line *l) {
  char name[128], wait[TEXT_BYTES];
  const struct eyoti_run_record *r = &m->run->record[l->member];
  members_name(m, l->member, name, sizeof name);
  fprintf(stderr, "  %s: ", name);
  if (m->member[l->member].stopped) fputs("is stopped (SIGSTOP); ", stderr);
  if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == EYOTI_RUN_LEFT) {
    fputs("has finalized eyot\n", stderr);
    return;
  }
  wait_text(&l->wait, wait, sizeof wait);
  bool waits = l->wait.kind != EYOTI_RUN_NO_WAIT, timed = waits && l->wait.timed != 0;
  if (r->server != 0) {
    fputs("serves the units of its node\n", stderr);
    return;
  }
  if (waits)
    fprintf(stderr, "in %s, phase %s: %s%s", l->call[0] != '\0' ? l->call : "a call of eyot",
            l->phase[0] != '\0' ? l->phase : "none", wait, timed ? " (with a timeout)" : "");
  else
    fputs(l->call[0] != '\0' ? "computes, or runs in its last operation" : "starts, or computes",
          stderr);
  if (waits && l->wait.since_ns != 0)
    fprintf(stderr, "; for %.3f s", (double)(now_ns() - l->wait.since_ns) * 1e-9);
  if (!waits && l->call[0] != '\0') fprintf(stderr, "; last operation: %s", l->call);
  if (l->place[0] != '\0') fprintf(stderr, "; called at %s", l->place);
  fputc('\n', stderr);
}

/* Progress processes and processes whose unit is not known yet come last. */
static int by_unit(const void *a, const void *b, void *run) {
  const struct eyoti_run_record *r = ((struct eyoti_run_memory *)run)->record;
  const struct eyoti_run_record *x = &r[((const struct line *)a)->member],
                                *y = &r[((const struct line *)b)->member];
  if ((x->server != 0) != (y->server != 0)) return x->server != 0 ? 1 : -1;
  return (x->unit > y->unit) - (x->unit < y->unit);
}

void run_report_print(const struct members *m) {
  struct line *l = calloc(m->n != 0 ? m->n : 1, sizeof *l);
  uint32_t n = 0;
  for (uint32_t i = 0; l != NULL && i < m->n; i++) {
    const struct eyoti_run_record *r = &m->run->record[i];
    pid_t pid = m->member[i].pid;
    if (m->member[i].gone) continue;
    struct line *to = &l[n++];
    to->member = i;
    copy_wait(r, &to->wait);
    read_last(pid, r->current, to);
    if (to->wait.kind != EYOTI_RUN_NO_WAIT && to->wait.kind != EYOTI_RUN_WAIT_FLUSH) {
      memcpy(to->call, to->wait.call, sizeof to->call);
      to->site = to->wait.site;
    }
    find_file(pid, to);
  }
  fprintf(stderr, "eyotrun: who waits for what, of %u processes that initialized eyot here:\n", n);
  if (l != NULL) find_places(l, n);
  if (l != NULL) qsort_r(l, n, sizeof *l, by_unit, m->run);
  for (uint32_t i = 0; i < n; i++) print_line(m, &l[i]);
  free(l);
}

/* The time of the process's wait without timeout; 0: it does not wait so. */
static uint64_t waited_ns(const struct eyoti_run_record *r, uint64_t now) {
  struct eyoti_run_wait w;
  copy_wait(r, &w);
  bool counts = w.kind == EYOTI_RUN_WAIT_WORD || w.kind == EYOTI_RUN_WAIT_ANY ||
                w.kind == EYOTI_RUN_WAIT_MPI || w.kind == EYOTI_RUN_WAIT_UNITS ||
                w.kind == EYOTI_RUN_WAIT_LEAVE;
  return counts && w.timed == 0 && w.since_ns != 0 && w.since_ns < now ? now - w.since_ns : 0;
}

static bool is_unit(const struct members *m, uint32_t i) {
  return !m->member[i].gone && m->run->record[i].server == 0 && members_unfinished(m, i);
}

uint64_t run_report_standstill_ns(const struct members *m) {
  uint64_t now = now_ns(), least = UINT64_MAX;
  for (uint32_t i = 0; i < m->n; i++) {
    if (!is_unit(m, i)) continue;
    uint64_t ns = waited_ns(&m->run->record[i], now);
    if (ns < least) least = ns;
  }
  return least == UINT64_MAX ? 0 : least;
}

uint64_t run_report_longest_ns(const struct members *m) {
  uint64_t now = now_ns(), most = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    uint64_t ns = is_unit(m, i) ? waited_ns(&m->run->record[i], now) : 0;
    if (ns > most) most = ns;
  }
  return most;
}
