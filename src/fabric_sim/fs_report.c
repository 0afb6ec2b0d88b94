/* fs_report.c - see fs_report.h. SPDX-License-Identifier: BSD-3-Clause */
#include "fs_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs_world.h"

#define ONE_BY_ONE_MAX 64u
#define TEXT_BYTES 512u

static const char *const CMP[] = {"==", "!=", "<", "<=", ">", ">="};

static const char *text_or(const char *s, const char *otherwise) { return s != NULL ? s : otherwise; }

static const struct fs_writer *writer_of(const struct fs_unit *u) {
  for (uint32_t i = 0; i < FS_WRITERS; i++) { /* the youngest first */
    const struct fs_writer *x = &u->writers[(u->last.next_writer - 1u - i) % FS_WRITERS];
    if (x->unit != 0 && x->word == (uint32_t)((uintptr_t)u->wait.word / 8)) return x;
  }
  return NULL;
}

/* What the unit waits for, without what differs from unit to unit by nature (its last writer). */
static void wait_text(const struct fs_unit *u, char *t, size_t size) {
  const char *what = text_or(u->fab.note.what, "a fabric call");
  const char *phase = text_or(u->phase, "none");
  if (u->state == FS_ENDED) {
    snprintf(t, size, "ended (%s) with code %d%s", u->end == FS_END_RETURNED ? "returned from main" : "exit", u->exit_code,
             u->rt.state == EYOTI_IDLE ? " without eyot_init" : " after eyot_finalize");
  } else if (u->state == FS_WAIT_WORD) {
    const struct fs_wait *w = &u->wait;
    char seg[16];
    if (w->seg == FAB_SEG_ATTACHED)
      snprintf(seg, sizeof seg, "attached");
    else
      snprintf(seg, sizeof seg, "%u", w->seg);
    snprintf(t, size, "in %s, phase %s: waits for its word at segment %s, offset %llu to be %s %llu; it is %llu", what, phase, seg,
             (unsigned long long)w->off, CMP[w->cmp], (unsigned long long)w->value, (unsigned long long)*w->word);
  } else if (u->state == FS_WAIT_SEGMENT) {
    snprintf(t, size, "in %s, phase %s: waits for other units to destroy a segment", what, phase);
  } else {
    snprintf(t, size, "in %s, phase %s: waits for an operation of its own", what, phase);
  }
}

static void print_one(const struct fs_unit *u) {
  char wait[TEXT_BYTES], last[256];
  wait_text(u, wait, sizeof wait);
  fs_unit_last(u, last, sizeof last);
  fprintf(stderr, "  unit %u: %s", u->fab.me, wait);
  if (u->state == FS_WAIT_WORD) {
    const struct fs_writer *x = writer_of(u);
    if (x != NULL)
      fprintf(stderr, ", last written by unit %u", x->unit - 1);
    else
      fprintf(stderr, ", last writer unknown");
  }
  fprintf(stderr, "; last operation: %s\n", last);
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
    wait_text(&w->units[i], l[i].text, sizeof l[i].text);
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
