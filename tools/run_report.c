/* SPDX-License-Identifier: BSD-3-Clause */
/* run_report.c - see run_report.h. A process publishes its wait in its record (base/run.h); what it
 * has called last is read from its memory, where the system permits that. */
#include "run_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/object.h"
#include "base/symbol.h"
#include "base/wording.h"
#include "clock.h"
#include "rt/rt.h"
#include "rt/said.h"
#include "run_sites.h"

#define READS_MAX 1000u /* of a record that its process writes again and again */
#define PHASE_BYTES 64u
#define NAME_BYTES 192u
#define PROGRAM_BYTES 32u
#define NOT_CALLED "has not called it yet\n"
#define TEXT_BYTES (EYOTI_WORDS + 192u)

/* Which places a line names: of the call, and where the objects that it names were made. */
enum site { SITE_CALL, SITE_WORD, SITE_ABOUT, SITES };

/* What is known of one process. */
struct line {
  uint32_t member;
  struct eyoti_run_wait wait; /* a copy */
  char call[EYOTI_RUN_CALL];  /* the public function called last; empty: unknown */
  char phase[PHASE_BYTES];
  const struct run_site *site; /* SITES of them */
};

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
static void read_last(pid_t pid, uint64_t current, struct line *l, uint64_t *at) {
  uint64_t rt = 0, fab = 0;
  struct fab_note note;
  const void *site, *outer;
  const char *what = NULL;
  if (pid == 0 || !read_memory(pid, current, &rt, sizeof rt) ||
      !read_memory(pid, rt + offsetof(struct eyot_rt, fab), &fab, sizeof fab) ||
      !read_memory(pid, fab + offsetof(struct fab, note), &note, sizeof note))
    return;
  struct eyoti_caller marked = {0};
  (void)read_memory(pid, rt + offsetof(struct eyot_rt, fast.caller), &marked, sizeof marked);
  (void)read_memory(pid, rt + offsetof(struct eyot_rt, outer_what), &what, sizeof what);
  if (what == NULL) what = note.what;
  if (marked.call != NULL) what = marked.call;
  read_text(pid, (uint64_t)(uintptr_t)what, l->call, sizeof l->call);
  read_text(pid, (uint64_t)(uintptr_t)note.phase, l->phase, sizeof l->phase);
  if (!read_memory(pid, rt + offsetof(struct eyot_rt, site), &site, sizeof site) ||
      !read_memory(pid, rt + offsetof(struct eyot_rt, outer_site), &outer, sizeof outer))
    return;
  /* of an interface's function that has returned the line is not known */
  *at = (uint64_t)(uintptr_t)(marked.call != NULL ? marked.site : outer != NULL ? outer : site);
}

/* The object as its process has described it, with the place that was looked up. */
static struct eyoti_object object_of(const struct eyoti_run_object *o, const struct run_site *s) {
  return (struct eyoti_object){o->noun, o->name, o->what,
                               s->place[0] != '\0' ? s->place : "an unknown line", o->len_bytes};
}

/* Names the word of a wait. Above a segment's slot its id has a generation. */
static void word_text(const struct line *l, bool brief, char text[EYOTI_WORDS]) {
  char program[PROGRAM_BYTES];
  const struct eyoti_run_wait *w = &l->wait;
  uint32_t seg = w->seg == FAB_SEG_ATTACHED ? w->seg : w->seg % FAB_SEG_MAX;
  struct eyoti_object o = object_of(&w->word, &l->site[SITE_WORD]);
  snprintf(program, sizeof program, "/proc/%d/exe", (int)l->site[SITE_CALL].pid);
  if (w->word.known != 0 && w->word.at == EYOTI_AT_DATA)
    (void)eyoti_symbol_words(program, w->word.data, w->word.in, brief, text);
  else if (w->word.known != 0)
    (void)eyoti_object_at_words((enum eyoti_object_at)w->word.at, &o, w->word.in, seg, w->off,
                                brief, text);
  else if (seg == FAB_SEG_ATTACHED)
    snprintf(text, EYOTI_WORDS, "attached memory, %#" PRIx64, w->off);
  else
    snprintf(text, EYOTI_WORDS, "segment %u, offset %" PRIu64, seg, w->off);
}

/* "eyot_lock_acquire of the lock (64 bytes, eyot_lock_create at a.c:12 (main))" */
static void call_text(const struct line *l, char *t, size_t size) {
  const char *call = l->call[0] != '\0' ? l->call : "a call of eyot";
  char words[EYOTI_WORDS];
  struct eyoti_object o = object_of(&l->wait.about, &l->site[SITE_ABOUT]);
  if (l->wait.about.known != 0)
    snprintf(t, size, "%s of %s", call, eyoti_object_words(&o, false, words));
  else
    snprintf(t, size, "%s", call);
}

static void wait_text(const struct line *l, char *t, size_t size) {
  const struct eyoti_run_wait *w = &l->wait;
  const enum fab_word type = (enum fab_word)(w->type % 4);
  const char *width = fab_word_bytes(type) == 4 ? "4-byte " : "";
  char name[EYOTI_WORDS], cond[EYOTI_COND_WORDS], now[EYOTI_COND_WORDS];
  (void)eyoti_cond_words(w->cmp, fab_word_signed(type), w->value, cond);
  switch ((enum eyoti_run_wait_kind)w->kind) {
    case EYOTI_RUN_WAIT_WORD:
      word_text(l, false, name);
      snprintf(t, size, "waits for its %sword at %s to be %s; it is %s", width, name, cond,
               eyoti_value_words(fab_word_signed(type), w->now, now));
      return;
    case EYOTI_RUN_WAIT_ANY:
      word_text(l, true, name);
      snprintf(t, size, "waits for any of %u words of its own: %s to be %s%s", w->words, name, cond,
               w->words > 1 ? " | and more" : "");
      return;
    case EYOTI_RUN_WAIT_MPI:
    case EYOTI_RUN_WAIT_FLUSH:
      snprintf(t, size, "waits for an operation of its own");
      return;
    case EYOTI_RUN_WAIT_UNITS:
      eyoti_snprintf(t, size, "waits for the other units to arrive");
      return;
    case EYOTI_RUN_WAIT_LEAVE:
      eyoti_snprintf(t, size, "waits for the other units to leave");
      return;
    case EYOTI_RUN_WAIT_TURN:
      snprintf(t, size, "waits for its turn");
      return;
    case EYOTI_RUN_WAIT_TRIES:
      snprintf(t, size, "tries again and again, with pauses");
      return;
    case EYOTI_RUN_NO_WAIT:
      break;
  }
  snprintf(t, size, "does not wait: it computes, or runs in that call");
}

/* The line of a process after its name. */
static void print_line(const struct members *m, const struct line *l, FILE *to) {
  char wait[TEXT_BYTES], call[TEXT_BYTES];
  const struct eyoti_run_record *r = &m->run->record[l->member];
  if (m->member[l->member].stopped) fputs("is stopped (SIGSTOP); ", to);
  if (members_early(m, l->member)) {
    fputs(NOT_CALLED, to);
    return;
  }
  if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == EYOTI_RUN_LEFT) {
    fputs("has finalized eyot\n", to);
    return;
  }
  wait_text(l, wait, sizeof wait);
  call_text(l, call, sizeof call);
  bool waits = l->wait.kind != EYOTI_RUN_NO_WAIT, timed = waits && l->wait.timed != 0;
  if (r->server != 0) {
    eyoti_fprintf(to, "serves the units of its node\n");
    return;
  }
  if (waits)
    fprintf(to, "in %s, phase %s: %s%s", call, l->phase[0] != '\0' ? l->phase : "none", wait,
            timed ? " (with a timeout)" : "");
  else
    fputs(l->call[0] != '\0' ? "computes, or runs in its last operation" : "starts, or computes",
          to);
  if (waits && l->wait.since_ns != 0)
    fprintf(to, "; for %.3f s", (double)(clock_now_ns() - l->wait.since_ns) * 1e-9);
  if (!waits && l->call[0] != '\0') fprintf(to, "; last operation: %s", l->call);
  if (l->site[SITE_CALL].place[0] != '\0') fprintf(to, "; called at %s", l->site[SITE_CALL].place);
  fputc('\n', to);
}

/* Progress processes and processes whose unit is not known yet come last. */
static int by_unit(const void *a, const void *b, void *run) {
  const struct eyoti_run_record *r = ((struct eyoti_run_memory *)run)->record;
  const struct eyoti_run_record *x = &r[((const struct line *)a)->member],
                                *y = &r[((const struct line *)b)->member];
  if ((x->server != 0) != (y->server != 0)) return x->server != 0 ? 1 : -1;
  return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Collects what is known of one process, and the sites to look up. */
static void line_read(const struct members *m, uint32_t i, struct line *to, struct run_site *s) {
  const struct eyoti_run_record *r = &m->run->record[i];
  pid_t pid = m->member[i].pid;
  to->member = i;
  to->site = s;
  copy_wait(r, &to->wait);
  const struct eyoti_run_wait *w = &to->wait;
  for (uint32_t k = 0; k < SITES; k++) s[k].pid = pid;
  read_last(pid, r->current, to, &s[SITE_CALL].address);
  if (w->kind == EYOTI_RUN_NO_WAIT || w->kind == EYOTI_RUN_WAIT_FLUSH) {
    to->wait.word.known = to->wait.about.known = 0; /* of an earlier wait */
    return;
  }
  memcpy(to->call, w->call, sizeof to->call);
  s[SITE_CALL].address = w->site;
  if (w->word.known != 0) s[SITE_WORD].address = w->word.site;
  if (w->about.known != 0) s[SITE_ABOUT].address = w->about.site;
}

void run_report_line(const struct members *m, uint32_t i, FILE *to) {
  struct line l = {0};
  struct run_site *sites = calloc(SITES, sizeof *sites);
  if (i >= m->n) {
    fputs(NOT_CALLED, to);
  } else if (sites != NULL) {
    line_read(m, i, &l, sites);
    run_sites_find(sites, SITES);
    print_line(m, &l, to);
  }
  free(sites);
}

/* The line of a process of another host, as its agent has told it. */
static void print_remote(const struct members *m, uint32_t i) {
  const struct remote *r = m->member[i].remote;
  fputs(r->report != NULL ? r->report : "its host does not answer\n", stderr);
}

void run_report_print(const struct members *m) {
  struct line *l = calloc(m->n != 0 ? m->n : 1, sizeof *l);
  struct run_site *sites = calloc(m->n != 0 ? m->n : 1, SITES * sizeof *sites);
  uint32_t n = 0, far = 0;
  char name[NAME_BYTES];
  for (uint32_t i = 0; l != NULL && sites != NULL && i < m->n; i++) {
    if (m->member[i].gone || members_is_script(m, i)) continue;
    l[n].member = i;
    if (m->member[i].remote == NULL)
      line_read(m, i, &l[n], &sites[(size_t)n * SITES]);
    else
      far++;
    n++;
  }
  fprintf(stderr, "eyotrun: who waits for what, of %u processes of the run %s:\n", n,
          far > 0 ? "that can be reached" : "here");
  if (n > 0) run_sites_find(sites, n * SITES);
  if (l != NULL) qsort_r(l, n, sizeof *l, by_unit, m->run);
  for (uint32_t i = 0; i < n; i++) {
    members_name(m, l[i].member, name, sizeof name);
    fprintf(stderr, "  %s: ", name);
    if (m->member[l[i].member].remote != NULL)
      print_remote(m, l[i].member);
    else
      print_line(m, &l[i], stderr);
  }
  free(sites);
  free(l);
}

/* The time of the process's wait without timeout; 0: it does not wait so. */
static uint64_t waited_ns(const struct members *m, uint32_t i, uint64_t now) {
  struct eyoti_run_wait w;
  if (m->member[i].remote != NULL) return m->member[i].remote->waited_ns;
  copy_wait(&m->run->record[i], &w);
  bool counts = w.kind != EYOTI_RUN_NO_WAIT && w.kind != EYOTI_RUN_WAIT_FLUSH;
  return counts && w.timed == 0 && w.since_ns != 0 && w.since_ns < now ? now - w.since_ns : 0;
}

static bool is_unit(const struct members *m, uint32_t i) {
  return !m->member[i].gone && m->run->record[i].server == 0 && members_unfinished(m, i);
}

uint64_t run_report_standstill_ns(const struct members *m) {
  uint64_t now = clock_now_ns(), least = UINT64_MAX;
  for (uint32_t i = 0; i < m->n; i++) {
    if (!is_unit(m, i)) continue;
    uint64_t ns = waited_ns(m, i, now);
    if (ns < least) least = ns;
  }
  return least == UINT64_MAX ? 0 : least;
}

uint64_t run_report_longest_ns(const struct members *m) {
  uint64_t now = clock_now_ns(), most = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    uint64_t ns = is_unit(m, i) ? waited_ns(m, i, now) : 0;
    if (ns > most) most = ns;
  }
  return most;
}

void run_report_said(const struct members *m) {
  for (uint32_t i = 0; i < EYOTI_RUN_SAYINGS; i++) {
    const struct eyoti_run_saying *x = &m->run->saying[i];
    /* pairs with the process's release */
    if (__atomic_load_n(&x->ready, __ATOMIC_ACQUIRE) == 0 || x->times == x->printed) continue;
    char level[sizeof x->level], first[sizeof x->first];
    snprintf(level, sizeof level, "%.7s", x->level);
    snprintf(first, sizeof first, "%.*s", (int)sizeof first - 1, x->first);
    eyoti_said_print(&(struct eyoti_said_sum){.level = level,
                                              .first = first,
                                              .bits = x->units,
                                              .n_bits = EYOTI_RUN_RECORDS,
                                              .unit = x->unit,
                                              .times = x->times});
  }
}
