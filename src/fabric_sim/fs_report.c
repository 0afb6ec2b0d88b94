/* fs_report.c - see fs_report.h. SPDX-License-Identifier: BSD-3-Clause */
#include "fs_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs_wait.h"

#define ONE_BY_ONE_MAX 64u
#define TEXT_BYTES 512u

static const char *const CMP[] = {"==", "!=", "<", "<=", ">", ">="};

static const char *text_or(const char *s, const char *otherwise) { return s != NULL ? s : otherwise; }

/* The last one; NULL: not known. */
static const struct fs_write *write_of(const struct fs_unit *u, const uint64_t *word) {
  for (uint32_t i = 1; i <= u->words.mask + 1; i++) { /* the youngest first */
    const struct fs_write *x = &u->words.ring[(u->words.n - i) & u->words.mask];
    if (x->by != 0 && x->word == (uint32_t)((uintptr_t)word / 8)) return x;
  }
  return NULL;
}

/* "segment 0, offset 64 to be >= 3; it is 2" */
static int word_text(char *t, size_t size, uint32_t seg, uint64_t off, uint32_t cmp, uint64_t value, uint64_t now) {
  char name[16] = "attached";
  if (seg != FAB_SEG_ATTACHED) snprintf(name, sizeof name, "%u", seg);
  return snprintf(t, size, "segment %s, offset %llu to be %s %llu; it is %llu", name, (unsigned long long)off, CMP[cmp],
                  (unsigned long long)value, (unsigned long long)now);
}

static int any_word_text(char *t, size_t size, const struct fs_unit *u, uint32_t i) {
  const struct fab_cond *c = &u->wait_any.conds[i];
  return word_text(t, size, c->seg, c->off, (uint32_t)c->cmp, c->value, *fs_wait_any_word(u, i));
}

/* Without `names` only how many. Words that the line has no place for are counted. */
static void any_text(const struct fs_unit *u, bool names, char *t, size_t size) {
  uint32_t n = u->wait_any.n, i = 0;
  size_t at = (size_t)snprintf(t, size, "waits for any of %u words of its own", n);
  if (!names) return;
  for (char word[160]; i < n; i++) {
    int len = any_word_text(word, sizeof word, u, i);
    if (at + (size_t)len + sizeof " | and 4294967295 more" > size) break;
    at += (size_t)snprintf(t + at, size - at, "%s%s", i == 0 ? ": " : " | ", word);
  }
  if (i < n) snprintf(t + at, size - at, " | and %u more", n - i);
}

/* What the unit waits for, without what differs from unit to unit by nature (its last writer). any_names: the words of a
 * wait for any, too. */
static void wait_text(const struct fs_unit *u, bool any_names, char *t, size_t size) {
  const char *what = text_or(u->fab.note.what, "a fabric call");
  const char *phase = text_or(u->phase, "none");
  if (u->state == FS_ENDED) {
    snprintf(t, size, "ended (%s) with code %d%s", u->end == FS_END_RETURNED ? "returned from main" : "exit", u->exit_code,
             u->rt.state == EYOTI_IDLE ? " without eyot_init" : " after eyot_finalize");
  } else if (u->state == FS_WAIT_WORD) {
    const struct fs_wait *w = &u->wait;
    char word[160];
    word_text(word, sizeof word, w->seg, w->off, w->cmp, w->value, *w->word);
    snprintf(t, size, "in %s, phase %s: waits for its word at %s", what, phase, word);
  } else if (u->state == FS_WAIT_ANY) {
    char any[TEXT_BYTES - 128];
    any_text(u, any_names, any, sizeof any);
    snprintf(t, size, "in %s, phase %s: %s", what, phase, any);
  } else if (u->state == FS_WAIT_SEGMENT) {
    snprintf(t, size, "in %s, phase %s: waits for other units to destroy a segment", what, phase);
  } else {
    snprintf(t, size, "in %s, phase %s: waits for an operation of its own", what, phase);
  }
}

static void print_writer(const struct fs_unit *u, const uint64_t *word) {
  const struct fs_write *x = write_of(u, word);
  if (x != NULL)
    fprintf(stderr, ", last written by unit %u", (x->by & ~FS_WRITE_SEEN) - 1);
  else
    fprintf(stderr, ", last writer unknown");
}

static void print_one(const struct fs_unit *u) {
  char wait[TEXT_BYTES], last[256];
  wait_text(u, false, wait, sizeof wait);
  fs_unit_last(u, last, sizeof last);
  fprintf(stderr, "  unit %u: %s", u->fab.me, wait);
  if (u->state == FS_WAIT_WORD) print_writer(u, u->wait.word);
  fprintf(stderr, "; last operation: %s\n", last);
  if (u->state != FS_WAIT_ANY) return;
  for (uint32_t i = 0; i < u->wait_any.n; i++) {
    char word[160];
    any_word_text(word, sizeof word, u, i);
    fprintf(stderr, "    %s", word);
    print_writer(u, fs_wait_any_word(u, i));
    fprintf(stderr, "\n");
  }
}

struct line {
  char text[TEXT_BYTES];
  uint32_t unit;
};

static int by_text_then_unit(const void *a, const void *b) {
  const struct line *x = a, *y = b;
  int c = strcmp(x->text, y->text);
  return c != 0 ? c : (x->unit > y->unit) - (x->unit < y->unit);
}

static void print_ranges(const struct line *l, size_t n) {
  fprintf(stderr, "  %s", n == 1 ? "unit " : "units ");
  for (size_t i = 0; i < n;) {
    size_t j = i;
    while (j + 1 < n && l[j + 1].unit == l[j].unit + 1) j++;
    if (j == i)
      fprintf(stderr, "%s%u", i == 0 ? "" : ",", l[i].unit);
    else
      fprintf(stderr, "%s%u-%u", i == 0 ? "" : ",", l[i].unit, l[j].unit);
    i = j + 1;
  }
}

static void print_groups(const struct fs_world *w) {
  struct line *l = malloc(w->n * sizeof *l);
  if (l == NULL) { /* long, but nothing is lost */
    for (uint32_t i = 0; i < w->n; i++) print_one(&w->units[i]);
    return;
  }
  for (uint32_t i = 0; i < w->n; i++) {
    l[i].unit = i;
    wait_text(&w->units[i], true, l[i].text, sizeof l[i].text);
  }
  qsort(l, w->n, sizeof *l, by_text_then_unit);
  for (size_t i = 0; i < w->n;) {
    size_t j = i + 1;
    while (j < w->n && strcmp(l[j].text, l[i].text) == 0) j++;
    print_ranges(&l[i], j - i);
    fprintf(stderr, ": %s\n", l[i].text);
    i = j;
  }
  free(l);
}

void fs_report_deadlock(const struct fs_world *w) {
  fprintf(stderr, "eyot: deadlock at virtual %.3f us: %u of %u units are blocked and nothing is in flight\n", (double)w->now_ps * 1e-6,
          w->n - w->ended, w->n);
  if (w->n > ONE_BY_ONE_MAX)
    print_groups(w);
  else
    for (uint32_t i = 0; i < w->n; i++) print_one(&w->units[i]);
  if (w->ended > 0)
    fprintf(stderr, "  units that have ended: %u; did every unit of the team call every collective, and in the same order?\n", w->ended);
}
