/* SPDX-License-Identifier: BSD-3-Clause */
/* step_report.c - records the steps of a run as lines and prints them. See step_report.h. */
#include "fabric_sim/explore/step_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wording.h"
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/program/site.h"

#define LINE_BYTES 400u
#define WHO_BYTES 24u
#define FIRST_LINES 256u
#define WORDS_SHOWN 4u

struct report_line {
  uint64_t step; /* 0: belongs to the step above */
  uint32_t site; /* of sim_sites; 0: no place is shown */
  char who[WHO_BYTES], text[LINE_BYTES];
};

/* An aligned word, or half of one, that the step may change. */
struct watched {
  unsigned char *at; /* NULL: none */
  uint32_t width;
  uint64_t old;
};

struct sim_step_report {
  struct sim_sites *sites;
  struct report_line *lines;
  uint32_t n, cap;
  uint64_t most;
  uint32_t *posted; /* by process: the step that created it */
  uint32_t posted_cap;
  bool arrival;
  struct watched data, signal;
};

static bool is_reported(const struct sim_step_report *t, const struct sim_world *w) {
  return t != NULL && w->untimed->run->steps <= t->most;
}

/* Appends a line; NULL: out of memory, and the run continues without report. */
static struct report_line *report_add(struct sim_step_report *t, uint64_t step) {
  if (t->n == t->cap) {
    uint32_t cap = t->cap == 0 ? FIRST_LINES : 2 * t->cap;
    struct report_line *lines = realloc(t->lines, cap * sizeof *lines);
    if (lines == NULL) return NULL;
    t->lines = lines;
    t->cap = cap;
  }
  t->lines[t->n] = (struct report_line){.step = step};
  return &t->lines[t->n++];
}

__attribute__((format(printf, 2, 3))) static void report_append(struct report_line *l,
                                                                const char *format, ...) {
  size_t n = strlen(l->text);
  va_list ap;
  va_start(ap, format);
  eyoti_vsnprintf(l->text + n, sizeof l->text - n, format, ap);
  va_end(ap);
}

static const char *report_kind_of(const struct sim_op *op) {
  static const char *const ATOMIC[] = {
      "read", "add", "and", "or", "xor", "swap", "compare-and-swap"};
  static const char *const OTHER[SIM_OP_KINDS] = {"put", "get", "atomic", "put with signal"};
  if (op->kind == SIM_OP_AMO && op->amo_op < sizeof ATOMIC / sizeof *ATOMIC)
    return ATOMIC[op->amo_op];
  return op->kind == SIM_OP_SIGNAL && op->len == 0 ? "signal" : OTHER[op->kind];
}

static void append_site(struct report_line *l, const struct sim_world *w, uint32_t unit,
                        uint32_t seg, uint64_t off) {
  char words[EYOTI_WORDS];
  report_append(l, "unit %u, %s", unit, eyoti_words(&w->units[unit].rt, seg, off, true, words));
}

/* "put of 8 bytes to unit 0, offset 64 of "grid""; a pure signal is at its word. */
static void append_op(struct report_line *l, const struct sim_world *w, const struct sim_op *op) {
  bool alone = op->kind == SIM_OP_SIGNAL && op->len == 0;
  report_append(l, "%s", report_kind_of(op));
  if (op->kind == SIM_OP_AMO && op->amo_op == FAB_AMO_CAS)
    report_append(l, " (%" PRIu64 " to %" PRIu64 ")", op->value2, op->value);
  else if (op->kind == SIM_OP_AMO && op->amo_op != FAB_AMO_READ)
    report_append(l, " (%" PRIu64 ")", op->value);
  else if (op->kind != SIM_OP_AMO && !alone)
    report_append(l, " of %" PRIu64 " bytes", op->len);
  report_append(l, op->kind == SIM_OP_GET || (op->kind == SIM_OP_AMO && op->amo_op == FAB_AMO_READ)
                       ? " from "
                       : " to ");
  append_site(l, w, op->target, alone ? op->sig_seg : op->seg, alone ? op->value2 : op->off);
}

/* Describes a word of shared memory by its address, as unit `by` knows it. */
static void append_word(struct report_line *l, const struct sim_world *w, uint32_t by,
                        const uint64_t *word) {
  uint32_t unit, seg;
  uint64_t off;
  if (sim_seg_find(w, by, word, sizeof *word, &unit, &seg, &off))
    append_site(l, w, unit, seg, off);
  else
    report_append(l, "memory outside of all segments");
}

/* Names the words of one part of an operation. */
static void append_words(struct report_line *l, const struct sim_op *op, uint32_t part) {
  if (op->parts < 2) return;
  if (op->kind == SIM_OP_AMO) {
    report_append(l, part == 0 ? ", its read" : ", its write");
    return;
  }
  uint64_t words = op->len == 0 ? 0 : (op->off + op->len + 7) / 8 - op->off / 8, shown = 0,
           of_part = 0;
  for (uint64_t i = 0; i < words; i++) of_part += sim_deliver_part_of(op, i) == part;
  if (of_part == 0) {
    report_append(l, ", its signal");
    return;
  }
  report_append(l, ", word%s ", of_part == 1 ? "" : "s");
  for (uint64_t i = 0; i < words && shown < WORDS_SHOWN; i++)
    if (sim_deliver_part_of(op, i) == part)
      report_append(l, "%s%" PRIu64, shown++ == 0 ? "" : ", ", i);
  report_append(l, "%s of %" PRIu64, of_part > shown ? ", ..." : "", words);
}

static uint64_t report_value_of(const struct watched *x) {
  uint64_t value = 0;
  memcpy(&value, x->at, x->width);
  return value;
}

static void report_watch(struct watched *x, struct sim_world *w, uint32_t unit, uint32_t seg,
                         uint64_t off, uint64_t width) {
  x->at = sim_seg_at(w, unit, seg, off, width);
  x->width = (uint32_t)width;
  if (x->at != NULL) x->old = report_value_of(x);
}

/* The report shows the values of one-word transfers only; longer ones have too many. */
static void watch_values(struct sim_step_report *t, struct sim_world *w, const struct sim_op *op,
                         uint32_t part) {
  t->data.at = t->signal.at = NULL;
  bool bytes = op->kind != SIM_OP_AMO && (op->len == 8 || op->len == 4) && op->off % op->len == 0 &&
               (op->parts < 2 || sim_deliver_part_of(op, 0) == part);
  if (op->kind == SIM_OP_AMO || bytes)
    report_watch(&t->data, w, op->target, op->seg, op->off,
                 op->kind == SIM_OP_AMO ? op->width : op->len);
  if (op->kind == SIM_OP_SIGNAL && op->left == 1u << part)
    report_watch(&t->signal, w, op->target, op->sig_seg, op->value2, 8);
}

/* Order tso: a store leaves the buffer. */
static void step_of_store(const struct sim_world *w, uint32_t unit, struct report_line *l) {
  const struct sim_store *s = &w->untimed->run->units[unit].stores[0];
  eyoti_snprintf(l->who, sizeof l->who, "  of unit %u", unit);
  report_append(l, "leaves the store buffer: store to ");
  append_word(l, w, unit, s->word);
  report_append(l, ": %" PRIu64 " -> %" PRIu64, *s->word, s->value);
}

static void step_of_operation(struct sim_step_report *t, struct sim_world *w, uint32_t proc,
                              struct report_line *l) {
  const struct sim_proc *p = &w->untimed->run->procs[proc];
  const struct sim_op *op = sim_pool_at(&w->pool, p->index);
  eyoti_snprintf(l->who, sizeof l->who, "  of unit %u", op->origin);
  bool lost = w->faults != NULL && sim_fault_is_lost(w, op);
  report_append(l, p->part == SIM_UNTIMED_SOURCE ? "its source is read: "
                   : lost                        ? "is given up: "
                                                 : "arrives: ");
  append_op(l, w, op);
  if (p->part == SIM_UNTIMED_SOURCE) return;
  append_words(l, op, p->part);
  uint32_t since = proc < t->posted_cap ? t->posted[proc] : 0;
  if (since != 0) report_append(l, " (posted in step %u)", since);
  if (lost) return;
  t->arrival = true;
  watch_values(t, w, op, p->part);
}

/* Returns the reason why the unit runs now. */
static const char *why(const struct sim_unit *u, const struct sim_proc *p) {
  bool timed = u->state == SIM_WAIT_WORD && u->world->untimed->run->units[p->index].timed;
  if (timed && !sim_wait_holds(u)) return "times out in ";
  return p->yields ? "reads its word again in " : "continues in ";
}

static void step_of_unit(struct sim_step_report *t, const struct sim_world *w, uint32_t proc,
                         struct report_line *l) {
  const struct sim_proc *p = &w->untimed->run->procs[proc];
  const struct sim_unit *u = &w->units[p->index];
  eyoti_snprintf(l->who, sizeof l->who, "unit %u", p->index);
  report_append(l, "%s%s", why(u, p), sim_unit_shown(u, "main"));
  if (t->sites != NULL) l->site = sim_sites_add(t->sites, p->index, eyoti_rt_site(&u->rt));
}

void sim_step_report_open(struct sim_world *w, uint64_t most) {
  struct sim_step_report *t = calloc(1, sizeof *t);
  if (t == NULL) return;
  t->most = most;
  if (sim_sites_new(w->prog, &t->sites) != 0) t->sites = NULL; /* the report says so */
  w->untimed->step_report = t;
}

void sim_step_report_before(struct sim_world *w, uint32_t proc) {
  struct sim_step_report *t = w->untimed->step_report;
  if (!is_reported(t, w)) return;
  t->arrival = false;
  struct report_line *l = report_add(t, w->untimed->run->steps);
  if (l == NULL) return;
  if (w->untimed->run->procs[proc].unit)
    step_of_unit(t, w, proc, l);
  else if (w->untimed->run->procs[proc].store)
    step_of_store(w, w->untimed->run->procs[proc].index, l);
  else
    step_of_operation(t, w, proc, l);
}

void sim_step_report_strike(struct sim_world *w, const char *who, const char *what) {
  struct sim_step_report *t = w->untimed->step_report;
  if (!is_reported(t, w)) return;
  t->arrival = false;
  struct report_line *l = report_add(t, w->untimed->run->steps);
  if (l == NULL) return;
  snprintf(l->who, sizeof l->who, "%s", who);
  report_append(l, "%s", what);
}

/* Records the step that created the operation's processes. */
static void note_posted(struct sim_step_report *t, const struct sim_op *op, uint32_t step) {
  uint32_t last = op->first_proc + op->parts;
  if (last > t->posted_cap) {
    uint32_t cap = 2 * last;
    uint32_t *posted = realloc(t->posted, cap * sizeof *posted);
    if (posted == NULL) return;
    memset(posted + t->posted_cap, 0, (cap - t->posted_cap) * sizeof *posted);
    t->posted = posted;
    t->posted_cap = cap;
  }
  for (uint32_t i = op->first_proc; i < last; i++) t->posted[i] = step;
}

void sim_step_report_post(struct sim_unit *u, const struct sim_op *op) {
  struct sim_world *w = u->world;
  struct sim_step_report *t = w->untimed->step_report;
  struct report_line *l = is_reported(t, w) ? report_add(t, 0) : NULL;
  if (l == NULL) return;
  note_posted(t, op, (uint32_t)w->untimed->run->steps);
  report_append(l, "posts ");
  append_op(l, w, op);
  if (op->parts > 1) report_append(l, ", which arrives in %u parts", op->parts);
}

void sim_step_report_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, uint64_t old,
                         uint64_t operand, uint64_t desired) {
  struct sim_step_report *t = u->world->untimed->step_report;
  struct report_line *l = is_reported(t, u->world) ? report_add(t, 0) : NULL;
  if (l == NULL) return;
  static const char *const DOES[] = {
      [FAB_CPU_LOAD] = "loads", [FAB_CPU_STORE] = "stores",           [FAB_CPU_ADD] = "adds",
      [FAB_CPU_SWAP] = "swaps", [FAB_CPU_CAS] = "compares and swaps", [FAB_CPU_FENCE] = "fence"};
  report_append(l, "%s", DOES[op]);
  if (op == FAB_CPU_FENCE) return;
  report_append(l, op == FAB_CPU_LOAD ? " from " : " to ");
  append_word(l, u->world, u->fab.me, word);
  bool swapped = op == FAB_CPU_CAS && old == operand;
  if (op == FAB_CPU_STORE)
    report_append(l, ": %" PRIu64, operand);
  else if (op == FAB_CPU_LOAD || (op == FAB_CPU_CAS && !swapped))
    report_append(l, ": %" PRIu64, old);
  else
    report_append(l, ": %" PRIu64 " -> %" PRIu64, old,
                  op == FAB_CPU_ADD ? old + operand
                  : swapped         ? desired
                                    : operand);
}

static void append_change(struct report_line *l, const char *name, const struct watched *x) {
  if (x->at == NULL) return;
  uint64_t now = report_value_of(x);
  report_append(l, now == x->old ? "%s%" PRIu64 : "%s%" PRIu64 " -> %" PRIu64, name, x->old, now);
}

/* Names the units that could not continue before the step. */
static void append_woken(struct report_line *l, const struct sim_untimed_run *r) {
  const char *before = EYOTI_WORDED("; wakes unit ");
  for (uint32_t i = 0; i < r->n_woke; i++) {
    if (!r->procs[r->woke[i]].unit || r->woke[i] == r->stepping) continue;
    report_append(l, "%s%u", before, r->woke[i]);
    before = ", ";
  }
}

void sim_step_report_after(struct sim_world *w) {
  struct sim_step_report *t = w->untimed->step_report;
  if (!is_reported(t, w) || t->n == 0) return;
  struct report_line *l = &t->lines[t->n - 1];
  if (t->arrival) {
    append_change(l, ": ", &t->data);
    append_change(l, "; its signal: ", &t->signal);
  }
  append_woken(l, w->untimed->run);
}

static void print(const struct sim_step_report *t) {
  uint32_t width = 0;
  for (uint32_t i = 0; i < t->n; i++)
    if (strlen(t->lines[i].who) > width) width = (uint32_t)strlen(t->lines[i].who);
  for (uint32_t i = 0; i < t->n; i++) {
    const struct report_line *l = &t->lines[i];
    if (l->step != 0)
      printf("%6" PRIu64 "  ", l->step);
    else
      printf("%8s", "");
    printf("%-*s  %s", (int)width, l->who, l->text);
    if (l->site != 0) printf(", called at %s", sim_sites_text(t->sites, l->site));
    printf("%s\n", i == t->n - 1 ? "   <-- and the run has failed" : "");
  }
  if (t->sites != NULL) sim_sites_explain(t->sites, stdout);
}

void sim_step_report_close(struct sim_world *w) {
  struct sim_step_report *t = w->untimed->step_report;
  if (t == NULL) return;
  uint64_t steps = w->untimed->run->steps;
  if (steps > t->most) {
    printf("eyotcheck: the run has %" PRIu64 " steps; --steps prints them\n", steps);
  } else if (t->n > 0) {
    if (t->sites != NULL) sim_sites_resolve(t->sites);
    printf("eyotcheck: its steps (%" PRIu64 "):\n", steps);
    print(t);
  }
  sim_sites_free(t->sites);
  free(t->posted);
  free(t->lines);
  free(t);
  w->untimed->step_report = NULL;
}
