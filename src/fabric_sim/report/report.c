/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - prints the report of a deadlock or of a reached bound. See report.h. */
#include "fabric_sim/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wording.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/fault/fault.h"
#include "fabric_sim/host/clock.h"
#include "fabric_sim/report/graph.h"
#include "fabric_sim/report/ranges.h"
#include "rt/place.h"

#define ONE_BY_ONE_MAX 64u
#define WORD_BYTES (EYOTI_WORDS + 96u)
#define TEXT_BYTES 1024u
#define ANY_BYTES 400u
#define GROUP_BYTES 2048u

static const char *text_or(const char *s, const char *otherwise) {
  return s != NULL ? s : otherwise;
}

/* "offset 64 of "grid" (4096 bytes, eyot_team_alloc at a.c:12 (main)) to be >= 3; it is 2" */
static int word_text(char *t, size_t size, const struct sim_unit *u, const struct fab_cond *c,
                     bool brief, uint64_t now) {
  char words[EYOTI_WORDS], cond[EYOTI_COND_WORDS], value[EYOTI_COND_WORDS];
  const bool has_sign = fab_word_signed(c->type);
  return snprintf(t, size, "%s to be %s; it is %s",
                  eyoti_words(&u->rt, c->seg, c->off, brief, words),
                  eyoti_cond_words(c->cmp, has_sign, fab_word_value(c->type, c->value), cond),
                  eyoti_value_words(has_sign, now, value));
}

static int any_word_text(char *t, size_t size, const struct sim_unit *u, uint32_t i, bool brief) {
  return word_text(t, size, u, &u->wait_any.conds[i], brief, sim_wait_any_value(u, i));
}

/* names false: prints only the number of words. Words that do not fit into the line are counted. */
static void any_text(const struct sim_unit *u, bool names, char *t, size_t size) {
  uint32_t n = u->wait_any.n, i = 0;
  size_t at = (size_t)snprintf(t, size, "waits for any of %u words of its own", n);
  if (!names) return;
  for (char word[WORD_BYTES]; i < n; i++) {
    int len = any_word_text(word, sizeof word, u, i, true);
    if (at + (size_t)len + sizeof " | and 4294967295 more" > size) break;
    at += (size_t)snprintf(t + at, size - at, "%s%s", i == 0 ? ": " : " | ", word);
  }
  if (i < n) snprintf(t + at, size - at, " | and %u more", n - i);
}

/* "eyot_lock_acquire of the lock (64 bytes, eyot_lock_create at a.c:12 (main))", "eyot_coll_wait of
 * eyot_gather_nb at a.c:12 (main)" */
static const char *call_text(const struct sim_unit *u, char text[WORD_BYTES]) {
  char call[EYOTI_CALL_WORDS];
  const char *what =
      eyoti_made_call_words(&u->rt, u->fab.note.what, sim_unit_shown(u, "a fabric call"), call);
  const struct eyoti_about *a = &u->rt.about;
  char words[EYOTI_WORDS], place[EYOTI_CODE_LINE];
  if (eyoti_made_about_lock(&u->rt, u->fab.note.what) && a->unit < u->world->n)
    snprintf(text, WORD_BYTES, "%s of %s", what,
             eyoti_made_words(&u->world->units[a->unit].rt, a->kind, a->id, words));
  else if (eyoti_made_about_coll(&u->rt, u->fab.note.what))
    snprintf(text, WORD_BYTES, "%s at %s", what,
             eyoti_place_text(&u->rt, eyoti_place_of(&u->rt, u->rt.about_coll.site), place));
  else
    snprintf(text, WORD_BYTES, "%s", what);
  return text;
}

/* Describes the unit's wait, without its last writer, which naturally differs from unit to unit.
 * any_names: includes the words of a wait for any. */
static void wait_text(const struct sim_unit *u, bool any_names, char *t, size_t size) {
  char call[WORD_BYTES];
  const char *what = call_text(u, call), *phase = text_or(u->phase, "none");
  if (u->end == SIM_END_CRASHED) {
    snprintf(t, size, "crashed (EYOT_FAULT)");
  } else if (u->state == SIM_ENDED) {
    eyoti_snprintf(
        t, size, "ended (%s) with code %d%s",
        u->end == SIM_END_RETURNED ? "returned from main" : "exit", u->exit_code,
        EYOTI_WORDED(u->rt.state == EYOTI_IDLE ? " without eyot_init" : " after eyot_finalize"));
  } else if (u->state == SIM_WAIT_WORD) {
    const struct fab_cond c = sim_wait_cond(u);
    char word[WORD_BYTES];
    word_text(word, sizeof word, u, &c, false, sim_wait_value(u));
    snprintf(t, size, "in %s, phase %s: waits for its %sword at %s", what, phase,
             fab_word_bytes(c.type) == 4 ? "4-byte " : "", word);
  } else if (u->state == SIM_WAIT_ANY) {
    char any[ANY_BYTES];
    any_text(u, any_names, any, sizeof any);
    snprintf(t, size, "in %s, phase %s: %s", what, phase, any);
  } else if (u->state == SIM_WAIT_SEGMENT) {
    eyoti_snprintf(t, size, "in %s, phase %s: waits for other units to destroy a segment", what,
                   phase);
  } else if (u->state == SIM_WAIT_BEGIN) {
    eyoti_snprintf(t, size, "in %s, phase %s: waits for the other units to arrive", what, phase);
  } else if (u->state == SIM_WAIT_OP) {
    snprintf(t, size, "in %s, phase %s: waits for an operation of its own", what, phase);
  } else {
    snprintf(t, size, "in %s, phase %s: continues", what, phase);
  }
}

#define KNOCKED_BYTES 128u
/* Names the unit whose first message the wait cannot get past (struct eyoti_about_message). */
static const char *knocked_text(const struct sim_unit *u, char text[KNOCKED_BYTES]) {
  const struct sim_world *w = u->world;
  struct eyot_rt *rt = &w->units[u->fab.me].rt;
  const struct eyoti_about_message *a = &rt->about_message;
  const bool waits = u->state == SIM_WAIT_WORD || u->state == SIM_WAIT_ANY;
  uint32_t by = waits && a->knocked != NULL && a->call != NULL && a->call == u->fab.note.what
                    ? a->knocked(rt)
                    : UINT32_MAX;
  text[0] = '\0';
  if (by < w->n)
    eyoti_snprintf(text, KNOCKED_BYTES,
                   "; unit %u has knocked, and has not completed its message%s", by,
                   sim_fault_is_crashed(&w->units[by]) ? ": it crashed" : "");
  return text;
}

/* Describes the unit's most frequent access since counting began: "unit 0, offset 64 of "grid",
 * which is 7". */
static void spot_text(const struct sim_unit *u, const struct sim_spot *s, char *t, size_t size) {
  const uint64_t *word = sim_seg_at(u->world, s->unit, s->seg, s->off & ~UINT64_C(7), 8);
  char words[EYOTI_WORDS];
  int n = eyoti_snprintf(t, size, "unit %u, %s", s->unit,
                         eyoti_words(&u->world->units[s->unit].rt, s->seg, s->off, true, words));
  if (word != NULL && n > 0 && (size_t)n < size)
    snprintf(t + n, size - (size_t)n, ", which is %" PRIu64, *word);
}

static void print_calls(const struct sim_unit *u, const struct sim_cause *cause) {
  const struct sim_bound *b = &u->world->bound;
  if (b->tally == NULL || u->state == SIM_ENDED) return;
  const struct sim_tally *t = &b->tally[u->fab.me];
  fprintf(stderr, "; %" PRIu64 " calls since virtual %.3f us", sim_bound_calls(t),
          (double)b->since_ps * 1e-6);
  const char *before = ": ";
  for (uint32_t c = 0; c < SIM_CALLS; c++) {
    if (t->calls[c] == 0) continue;
    fprintf(stderr, "%s%s %" PRIu64, before, sim_unit_call_name((enum sim_call)c), t->calls[c]);
    before = ", ";
  }
  const struct sim_spot *s = sim_bound_spot(t);
  if (s == NULL) return;
  char spot[WORD_BYTES];
  spot_text(u, s, spot, sizeof spot);
  fprintf(stderr, "; %" PRIu64 " times at %s", s->count, spot);
  if (u->state != SIM_WAIT_WORD && u->state != SIM_WAIT_ANY) sim_cause_print(u, cause, stderr);
}

static void report_print_one(const struct sim_graph *g, const struct sim_unit *u) {
  const struct sim_node *x = &g->node[u->fab.me];
  char wait[TEXT_BYTES], last[SIM_LAST_BYTES], knocked[KNOCKED_BYTES];
  wait_text(u, false, wait, sizeof wait);
  sim_unit_last(u, last, sizeof last);
  eyoti_fprintf(stderr, "  unit %u: %s", u->fab.me, wait);
  if (u->state == SIM_WAIT_WORD) sim_cause_print(u, &x->cause, stderr);
  fprintf(stderr, "%s", knocked_text(u, knocked));
  if (u->state != SIM_ENDED) fprintf(stderr, "; called at %s", sim_sites_text(g->sites, x->site));
  print_calls(u, &x->cause);
  fprintf(stderr, "; last operation: %s\n", last);
  if (u->state != SIM_WAIT_ANY) return;
  for (uint32_t i = 0; i < u->wait_any.n; i++) {
    char word[WORD_BYTES];
    struct sim_cause c = sim_cause_of_any(u, i);
    any_word_text(word, sizeof word, u, i, false);
    fprintf(stderr, "    %s", word);
    sim_cause_print(u, &c, stderr);
    fprintf(stderr, "\n");
  }
}

struct status_line {
  char text[GROUP_BYTES];
  uint32_t unit;
};

static int by_text_then_unit(const void *a, const void *b) {
  const struct status_line *x = a, *y = b;
  int c = strcmp(x->text, y->text);
  return c != 0 ? c : (x->unit > y->unit) - (x->unit < y->unit);
}

/* Describes the state that the units of a group share. */
static void group_text(const struct sim_graph *g, const struct sim_unit *u, char *t, size_t size) {
  const struct sim_node *x = &g->node[u->fab.me];
  const struct sim_bound *b = &u->world->bound;
  char wait[TEXT_BYTES], spot[WORD_BYTES] = "", knocked[KNOCKED_BYTES];
  wait_text(u, true, wait, sizeof wait);
  const struct sim_spot *s =
      b->tally != NULL && u->state != SIM_ENDED ? sim_bound_spot(&b->tally[u->fab.me]) : NULL;
  if (s != NULL) spot_text(u, s, spot, sizeof spot);
  const char *known =
      x->cause.kind == SIM_CAUSE_LOST
          ? "; lost wake-up: it was as wanted, and was changed before the unit looked"
      : x->cause.kind == SIM_CAUSE_NOBODY && u->state == SIM_WAIT_WORD
          ? ", no unit has written it so far"
          : "";
  int n = snprintf(t, size, "%s%s%s%s%s", wait, s != NULL ? "; mostly at " : "", spot,
                   EYOTI_WORDED(known), knocked_text(u, knocked));
  if (u->state != SIM_ENDED && n > 0 && (size_t)n < size)
    snprintf(t + n, size - (size_t)n, "; called at %s", sim_sites_text(g->sites, x->site));
}

static void print_group(const struct sim_graph *g, const struct status_line *l, uint32_t n) {
  const struct sim_bound *b = &g->world->bound;
  uint64_t least = UINT64_MAX, most = 0;
  for (uint32_t i = 0; i < n; i++) {
    g->order[i] = l[i].unit;
    uint64_t calls = b->tally != NULL ? sim_bound_calls(&b->tally[l[i].unit]) : 0;
    if (calls < least) least = calls;
    if (calls > most) most = calls;
  }
  eyoti_fprintf(stderr, n == 1 ? "  unit " : "  units ");
  sim_ranges_print(g->order, n, 0, stderr);
  fprintf(stderr, ": %s", l->text);
  if (b->tally != NULL && most > 0) {
    fprintf(stderr, "; %" PRIu64, least);
    if (most > least) fprintf(stderr, " to %" PRIu64, most);
    fprintf(stderr, " calls%s since virtual %.3f us", n > 1 ? " each" : "",
            (double)b->since_ps * 1e-6);
  }
  fputc('\n', stderr);
}

static void print_groups(const struct sim_graph *g) {
  const struct sim_world *w = g->world;
  struct status_line *l = malloc(w->n * sizeof *l);
  if (l == NULL) { /* long, but complete */
    for (uint32_t i = 0; i < w->n; i++) report_print_one(g, &w->units[i]);
    return;
  }
  for (uint32_t i = 0; i < w->n; i++) {
    l[i].unit = i;
    group_text(g, &w->units[i], l[i].text, sizeof l[i].text);
  }
  qsort(l, w->n, sizeof *l, by_text_then_unit);
  for (uint32_t i = 0; i < w->n;) {
    uint32_t j = i + 1;
    while (j < w->n && strcmp(l[j].text, l[i].text) == 0) j++;
    print_group(g, &l[i], j - i);
    i = j;
  }
  free(l);
}

static void report(const struct sim_world *w) {
  uint64_t from_ns = sim_clock_ns();
  struct sim_graph *g;
  if (sim_graph_new(w, &g) != 0) return; /* the report says so */
  if (w->n > ONE_BY_ONE_MAX)
    print_groups(g);
  else
    for (uint32_t i = 0; i < w->n; i++) report_print_one(g, &w->units[i]);
  if (w->n > ONE_BY_ONE_MAX) sim_graph_print_places(g, stderr);
  sim_graph_print(g, stderr);
  sim_fault_print(w, stderr);
  if (w->ended > (w->faults != NULL ? w->faults->n_crashed : 0))
    eyoti_fprintf(
        stderr,
        "  units that have ended: %u; did every unit of the team call every collective, and in "
        "the same order?\n",
        w->ended);
  sim_sites_explain(g->sites, stderr);
  if (w->opt.deadlock_dot != NULL && sim_graph_write_dot(g, w->opt.deadlock_dot) == 0)
    fprintf(stderr, "  drawn in %s\n", w->opt.deadlock_dot);
  if (w->opt.stats)
    fprintf(stderr, "  this report took %.3f s of wall time\n",
            (double)(sim_clock_ns() - from_ns) * 1e-9);
  sim_graph_free(g);
}

void sim_report_deadlock(const struct sim_world *w) {
  eyoti_fprintf(
      stderr,
      "eyot: deadlock at virtual %.3f us: %u of %u units are blocked and nothing is in flight\n",
      (double)w->now_ps * 1e-6, w->n - w->ended, w->n);
  report(w);
}

void sim_report_livelock(const struct sim_world *w, const char *bound, uint64_t steps) {
  eyoti_fprintf(stderr,
                "eyot: livelock at virtual %.3f us, after %" PRIu64
                " steps: %s is reached and %u of %u units have not ended\n",
                (double)w->now_ps * 1e-6, steps, bound, w->n - w->ended, w->n);
  report(w);
}
