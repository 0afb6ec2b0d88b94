/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c - prints the collective calls of a team's members. See calls.h.
 *
 * Why it exists: a member that finds a difference knows a hash of the others' arguments, and names
 * its own; in the simulator the run ends there, before the others can name theirs. */
#include "fabric_sim/report/calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/wording.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/report/ranges.h"
#include "rt/place.h"

#define CALLS_SHOWN 12u
#define PIECES_SHOWN 12u

struct member_call {
  const struct eyoti_call_note *note;
  struct eyoti_place place;
  uint32_t unit;
};

/* Of the team's calls that the unit has noted that of this number; or, unless `exactly`, the last
 * one. NULL: there is none. */
static const struct eyoti_call_note *call_of(const struct eyot_rt *rt,
                                             const struct eyoti_call_note *mine, uint32_t number,
                                             bool exactly) {
  const struct eyoti_call_note *last = NULL;
  for (uint32_t i = 0; i < EYOTI_CALLS_NOTED; i++) {
    const struct eyoti_call_note *n = &rt->calls.call[i];
    if (n->team != mine->team || n->set != mine->set) continue;
    if (n->number == number) return n;
    if (!exactly && (last == NULL || n->number > last->number)) last = n;
  }
  return last;
}

static int order_of(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* 0: the same call, made at the same place. */
static int compare_calls(const struct member_call *x, const struct member_call *y) {
  const struct eyoti_call_note *a = x->note, *b = y->note;
  const uint64_t of_a[] = {a->number,    a->function, a->form,       a->root,  a->type,
                           a->op,        a->sync,     a->radix,      a->count, x->place.off,
                           a->algorithm, a->width,    a->commutative},
                 of_b[] = {b->number,    b->function, b->form,       b->root,  b->type,
                           b->op,        b->sync,     b->radix,      b->count, y->place.off,
                           b->algorithm, b->width,    b->commutative};
  int c = strcmp(a->name != NULL ? a->name : "", b->name != NULL ? b->name : "");
  for (size_t i = 0; c == 0 && i < sizeof of_a / sizeof of_a[0]; i++)
    c = order_of(of_a[i], of_b[i]);
  return c;
}

static int by_call(const void *a, const void *b) {
  const struct member_call *x = a, *y = b;
  int c = compare_calls(x, y);
  return c != 0 ? c : order_of(x->unit, y->unit);
}

/* `ids`: space for the units of [from, to). */
static void print_call(const struct sim_world *w, const struct member_call *from, uint32_t n,
                       uint32_t *ids) {
  const struct eyot_rt *rt = &w->units[from->unit].rt;
  const struct eyoti_call_note *note = from->note;
  char args[EYOTI_ARGS_WORDS] = "", line[EYOTI_CODE_LINE];
  for (uint32_t i = 0; i < n; i++) ids[i] = from[i].unit;
  eyoti_fprintf(stderr, n == 1 ? "    unit " : "    units ");
  sim_ranges_print(ids, n, PIECES_SHOWN, stderr);
  eyoti_fprintf(stderr, ": call %" PRIu32 ", %s%s, called at %s\n", note->number,
                note->name != NULL ? note->name : "a function of eyot",
                note->words != NULL ? note->words(note, args) : "",
                eyoti_place_text(rt, from->place, line));
}

/* The members' calls of that number, sorted. */
static uint32_t collect(const struct sim_world *w, const struct eyoti_call_note *mine,
                        uint32_t number, bool exactly, struct member_call *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    const struct eyot_rt *rt = &w->units[i].rt;
    const struct eyoti_call_note *note = call_of(rt, mine, number, exactly);
    if (note != NULL) out[n++] = (struct member_call){note, eyoti_place_of(rt, note->site), i};
  }
  qsort(out, n, sizeof *out, by_call);
  return n;
}

/* The call that u runs; or the one before it, where members differ in that already. */
static uint32_t collect_different(const struct sim_world *w, const struct eyoti_call_note *mine,
                                  struct member_call *out) {
  uint32_t n = collect(w, mine, mine->number - 1, true, out);
  if (n > 0 && compare_calls(&out[0], &out[n - 1]) != 0) return n;
  return collect(w, mine, mine->number, false, out);
}

void sim_report_calls(const struct sim_unit *u) {
  const struct sim_world *w = u->world;
  if (u->rt.calls.n == 0) return;
  const struct eyoti_call_note *mine = &u->rt.calls.call[(u->rt.calls.n - 1) % EYOTI_CALLS_NOTED];
  struct member_call *calls = malloc(w->n * sizeof *calls);
  uint32_t *ids = malloc(w->n * sizeof *ids);
  if (calls != NULL && ids != NULL) {
    char words[EYOTI_WORDS];
    uint32_t n = collect_different(w, mine, calls), shown = 0;
    eyoti_fprintf(stderr, "  the members' calls of %s:\n",
                  eyoti_made_words(&u->rt, EYOTI_MADE_TEAM, mine->team, words));
    for (uint32_t i = 0, j; i < n && shown < CALLS_SHOWN; i = j, shown++) {
      for (j = i + 1; j < n && compare_calls(&calls[i], &calls[j]) == 0;) j++;
      print_call(w, &calls[i], j - i, ids);
      if (shown + 1 == CALLS_SHOWN && j < n)
        eyoti_fprintf(stderr, "    and other calls of %" PRIu32 " units\n", n - j);
    }
  }
  free(calls);
  free(ids);
}
