/* SPDX-License-Identifier: BSD-3-Clause */
/* step_report.c - records the steps of a run (check/steps/steps.h), and has them written. See
 * step_report.h. */
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
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/owners.h"
#include "fabric_sim/explore/step_state.h"
#include "fabric_sim/explore/untimed.h"

#define WORDS_SHOWN 4u
#define PART_BYTES 160u

/* -- events ------------------------------------------------------------------------------------ */

struct chk_event sim_steps_event(const struct sim_world *w, enum chk_event_kind kind,
                                 uint32_t unit) {
  const struct sim_step_report *t = w->untimed->step_report;
  bool numbered = t->pictured && w->untimed->race != NULL && unit != CHK_STEPS_NONE;
  return (struct chk_event){.step = w->untimed->run->steps,
                            .kind = (uint8_t)kind,
                            .unit = unit,
                            .target = CHK_STEPS_NONE,
                            .op = CHK_STEPS_NONE,
                            .number = numbered ? sim_race_events(w->untimed->race, unit) : 0};
}

static void report_add(struct sim_step_report *t, struct chk_event e) {
  uint32_t at = chk_steps_add(&t->steps, e);
  if (at != CHK_STEPS_NONE && !chk_steps_only_pictured(&e)) t->last = at;
}

void sim_steps_site(struct sim_step_report *t, const struct sim_unit *u, struct chk_event *e) {
  const void *site = eyoti_rt_site(&u->rt);
  uint64_t off;
  if (t->sites != NULL) e->site = sim_sites_add(t->sites, u->fab.me, site);
  if (site != NULL && sim_prog_offset(u->world->prog, u->fab.me, site, &off)) e->place = off + 1;
}

static chk_steps_text_t report_words(struct sim_step_report *t, const struct sim_world *w,
                                     uint32_t unit, uint32_t seg, uint64_t off) {
  char words[EYOTI_WORDS];
  const char *owned = sim_owners_words(w->untimed->run->detect->owners, w,
                                       fab_at(unit, (fab_seg_t)seg, off), true, words);
  if (owned == NULL) owned = eyoti_words(&w->units[unit].rt, seg, off, true, words);
  return chk_steps_keep(&t->steps, owned);
}

/* A word of shared memory by its address, as unit `by` knows it. */
static void report_word(struct sim_step_report *t, const struct sim_world *w, uint32_t by,
                        const uint64_t *word, struct chk_event *e) {
  struct chk_steps_bytes b = {.len = sizeof *word};
  if (!sim_seg_find(w, by, word, b.len, &b.unit, &b.seg, &b.off)) return;
  e->target = b.unit;
  e->where = report_words(t, w, b.unit, b.seg, b.off);
  e->bytes = b;
}

/* -- operations -------------------------------------------------------------------------------- */

static const char *report_kind_of(const struct sim_op *op) {
  static const char *const ATOMIC[] = {
      "read", "add", "and", "or", "xor", "swap", "compare-and-swap"};
  static const char *const OTHER[SIM_OP_KINDS] = {"put", "get", "atomic", "put with signal"};
  if (op->kind == SIM_OP_AMO && op->amo_op < sizeof ATOMIC / sizeof *ATOMIC)
    return ATOMIC[op->amo_op];
  return op->kind == SIM_OP_SIGNAL && op->len == 0 ? "signal" : OTHER[op->kind];
}

static uint8_t report_operands(const struct sim_op *op) {
  if (op->kind != SIM_OP_AMO || op->amo_op == FAB_AMO_READ) return 0;
  return op->amo_op == FAB_AMO_CAS ? 2 : 1;
}

/* Where it takes effect; a pure signal: at its word. */
static struct chk_steps_bytes report_bytes(const struct sim_op *op) {
  if (op->kind == SIM_OP_SIGNAL && op->len == 0)
    return (struct chk_steps_bytes){op->target, op->sig_seg, op->value2, sizeof(uint64_t)};
  return (struct chk_steps_bytes){op->target, op->seg, op->off,
                                  op->kind == SIM_OP_AMO ? op->width : op->len};
}

static uint32_t report_add_op(struct sim_step_report *t, const struct sim_world *w,
                              const struct sim_op *op) {
  static const uint8_t KINDS[SIM_OP_KINDS] = {[SIM_OP_PUT] = CHK_STEPS_PUT,
                                              [SIM_OP_GET] = CHK_STEPS_GET,
                                              [SIM_OP_AMO] = CHK_STEPS_ATOMIC,
                                              [SIM_OP_SIGNAL] = CHK_STEPS_SIGNAL};
  struct chk_steps_bytes bytes = report_bytes(op);
  bool with_signal = op->kind == SIM_OP_SIGNAL && op->len > 0;
  struct chk_steps_op now = {
      .kind = KINDS[op->kind],
      .reads = op->kind == SIM_OP_GET || (op->kind == SIM_OP_AMO && op->amo_op == FAB_AMO_READ),
      .alone = op->kind == SIM_OP_SIGNAL && op->len == 0,
      .operands = report_operands(op),
      .name = report_kind_of(op),
      .operand = op->value,
      .compare = op->value2,
      .len = op->len,
      .unit = op->origin,
      .target = op->target,
      .set = op->set,
      .where = report_words(t, w, op->target, bytes.seg, bytes.off),
      .signal_where = with_signal ? report_words(t, w, op->target, op->sig_seg, op->value2) : 0,
      .bytes = bytes,
      .parts = op->parts,
      .posted = CHK_STEPS_NONE};
  return chk_steps_add_op(&t->steps, now);
}

uint32_t sim_steps_op(const struct sim_step_report *t, const struct sim_op *op) {
  return op->first_proc < t->op_of_cap && t->op_of[op->first_proc] != 0
             ? t->op_of[op->first_proc] - 1
             : CHK_STEPS_NONE;
}

static bool report_note_op(struct sim_step_report *t, const struct sim_op *op, uint32_t index) {
  if (index == CHK_STEPS_NONE) return false;
  if (op->first_proc >= t->op_of_cap) {
    uint32_t cap = 2 * (op->first_proc + 1);
    uint32_t *op_of = realloc(t->op_of, cap * sizeof *op_of);
    if (op_of == NULL) return false;
    memset(op_of + t->op_of_cap, 0, (cap - t->op_of_cap) * sizeof *op_of);
    t->op_of = op_of;
    t->op_of_cap = cap;
  }
  t->op_of[op->first_proc] = index + 1;
  return true;
}

__attribute__((format(printf, 3, 4))) static size_t part_append(char *text, size_t used,
                                                                const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  int n = used < PART_BYTES ? vsnprintf(text + used, PART_BYTES - used, format, ap) : 0;
  va_end(ap);
  return used + (n > 0 ? (size_t)n : 0);
}

/* Names the words of one part of an operation. */
static void part_words(const struct sim_op *op, uint32_t part, char text[PART_BYTES]) {
  text[0] = '\0';
  if (op->parts < 2) return;
  if (op->kind == SIM_OP_AMO) {
    (void)part_append(text, 0, part == 0 ? ", its read" : ", its write");
    return;
  }
  uint64_t words = op->len == 0 ? 0 : (op->off + op->len + 7) / 8 - op->off / 8, shown = 0,
           of_part = 0;
  for (uint64_t i = 0; i < words; i++) of_part += sim_deliver_part_of(op, i) == part;
  if (of_part == 0) {
    (void)part_append(text, 0, ", its signal");
    return;
  }
  size_t used = part_append(text, 0, ", word%s ", of_part == 1 ? "" : "s");
  for (uint64_t i = 0; i < words && shown < WORDS_SHOWN; i++)
    if (sim_deliver_part_of(op, i) == part)
      used = part_append(text, used, "%s%" PRIu64, shown++ == 0 ? "" : ", ", i);
  (void)part_append(text, used, "%s of %" PRIu64, of_part > shown ? ", ..." : "", words);
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

/* -- steps ------------------------------------------------------------------------------------- */

/* Order tso: a store leaves the buffer. */
static void step_of_store(struct sim_step_report *t, const struct sim_world *w, uint32_t unit) {
  const struct sim_store *s = &w->untimed->run->units[unit].stores[0];
  struct chk_event e = sim_steps_event(w, CHK_EVENT_DRAIN, unit);
  report_word(t, w, unit, s->word, &e);
  e.data = (struct chk_change){true, *s->word, s->value};
  report_add(t, e);
}

static void step_of_operation(struct sim_step_report *t, struct sim_world *w, uint32_t proc) {
  const struct sim_proc *p = &w->untimed->run->procs[proc];
  const struct sim_op *op = sim_pool_at(&w->pool, p->index);
  bool source = p->part == SIM_UNTIMED_SOURCE, lost = w->faults != NULL && sim_fault_is_lost(w, op);
  struct chk_event e = sim_steps_event(w,
                                       source ? CHK_EVENT_SOURCE
                                       : lost ? CHK_EVENT_LOST
                                              : CHK_EVENT_ARRIVAL,
                                       op->origin);
  char words[PART_BYTES];
  e.op = sim_steps_op(t, op);
  if (e.op == CHK_STEPS_NONE) {
    e.op = report_add_op(t, w, op);
    if (!report_note_op(t, op, e.op)) return;
  }
  struct chk_steps_bytes at = report_bytes(op);
  e.where = report_words(t, w, op->target, at.seg, at.off);
  if (!source) {
    part_words(op, p->part, words);
    e.words = chk_steps_keep(&t->steps, words);
  }
  report_add(t, e);
  if (e.kind == CHK_EVENT_ARRIVAL) watch_values(t, w, op, p->part);
}

/* Returns the reason why the unit runs now. */
static enum chk_unit_how why(const struct sim_unit *u, const struct sim_proc *p) {
  bool timed = u->state == SIM_WAIT_WORD && u->world->untimed->run->units[p->index].timed;
  if (timed && !sim_wait_holds(u)) return CHK_UNIT_TIMES_OUT;
  return p->yields ? CHK_UNIT_READS_AGAIN : CHK_UNIT_CONTINUES;
}

static void step_of_unit(struct sim_step_report *t, const struct sim_world *w, uint32_t proc) {
  const struct sim_proc *p = &w->untimed->run->procs[proc];
  const struct sim_unit *u = &w->units[p->index];
  struct chk_event e = sim_steps_event(w, CHK_EVENT_UNIT, p->index);
  e.how = (uint8_t)why(u, p);
  e.words = chk_steps_keep(&t->steps, sim_unit_shown(u, "main"));
  sim_steps_site(t, u, &e);
  e.waited = u->state != SIM_RUNNING && u->state != SIM_ASLEEP;
  if (t->pictured) sim_steps_wait(t, u, &e);
  report_add(t, e);
}

void sim_step_report_before(struct sim_world *w, uint32_t proc) {
  struct sim_step_report *t = w->untimed->step_report;
  if (!sim_steps_recorded(t, w)) return;
  t->data.at = t->signal.at = NULL;
  t->last = CHK_STEPS_NONE;
  if (w->untimed->run->procs[proc].unit)
    step_of_unit(t, w, proc);
  else if (w->untimed->run->procs[proc].store)
    step_of_store(t, w, w->untimed->run->procs[proc].index);
  else
    step_of_operation(t, w, proc);
}

void sim_step_report_strike(struct sim_world *w, uint32_t unit, const char *what) {
  struct sim_step_report *t = w->untimed->step_report;
  if (!sim_steps_recorded(t, w)) return;
  t->data.at = t->signal.at = NULL;
  struct chk_event e = sim_steps_event(w, CHK_EVENT_FAULT, unit);
  e.words = chk_steps_keep(&t->steps, what);
  report_add(t, e);
}

void sim_step_report_post(struct sim_unit *u, const struct sim_op *op) {
  struct sim_world *w = u->world;
  struct sim_step_report *t = w->untimed->step_report;
  if (!sim_steps_recorded(t, w)) return;
  struct chk_event e = sim_steps_event(w, CHK_EVENT_POST, u->fab.me);
  e.op = report_add_op(t, w, op);
  if (!report_note_op(t, op, e.op)) return;
  t->steps.op[e.op].step = e.step;
  t->steps.op[e.op].posted = t->steps.n;
  if (t->pictured) {
    e.words = chk_steps_keep(&t->steps, sim_unit_shown(u, "main"));
    sim_steps_site(t, u, &e);
  }
  report_add(t, e);
}

void sim_step_report_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, uint64_t old,
                         uint64_t operand, uint64_t desired) {
  static const uint8_t HOW[] = {[FAB_CPU_LOAD] = CHK_CPU_LOAD, [FAB_CPU_STORE] = CHK_CPU_STORE,
                                [FAB_CPU_ADD] = CHK_CPU_ADD,   [FAB_CPU_SWAP] = CHK_CPU_SWAP,
                                [FAB_CPU_CAS] = CHK_CPU_CAS,   [FAB_CPU_FENCE] = CHK_CPU_FENCE};
  struct sim_step_report *t = u->world->untimed->step_report;
  if (!sim_steps_recorded(t, u->world)) return;
  struct chk_event e = sim_steps_event(u->world, CHK_EVENT_CPU, u->fab.me);
  e.how = HOW[op];
  e.wrote = op != FAB_CPU_LOAD && !(op == FAB_CPU_CAS && old != operand);
  if (t->pictured) sim_steps_site(t, u, &e);
  if (op != FAB_CPU_FENCE) {
    report_word(t, u->world, u->fab.me, word, &e);
    uint64_t now = op == FAB_CPU_ADD              ? old + operand
                   : op == FAB_CPU_CAS && e.wrote ? desired
                   : e.wrote                      ? operand
                                                  : old;
    e.data = (struct chk_change){true, old, now};
  }
  report_add(t, e);
}

static void report_change(const struct watched *x, struct chk_change *c) {
  if (x->at != NULL) *c = (struct chk_change){true, x->old, report_value_of(x)};
}

void sim_step_report_after(struct sim_world *w) {
  struct sim_step_report *t = w->untimed->step_report;
  const struct sim_untimed_run *r = w->untimed->run;
  if (!sim_steps_recorded(t, w) || t->last == CHK_STEPS_NONE) return;
  struct chk_event *e = &t->steps.event[t->last];
  report_change(&t->data, &e->data);
  report_change(&t->signal, &e->signal);
  for (uint32_t i = 0; i < r->n_woke; i++)
    if (r->procs[r->woke[i]].unit && r->woke[i] != r->stepping)
      chk_steps_woke(&t->steps, t->last, r->woke[i]);
}

/* -- the whole --------------------------------------------------------------------------------- */

void sim_step_report_open(struct sim_world *w, uint64_t most, bool pictured) {
  struct sim_step_report *t = calloc(1, sizeof *t);
  if (t == NULL) return;
  chk_steps_init(&t->steps);
  t->steps.noun = eyoti_wording(t->steps.noun, t->noun, sizeof t->noun);
  t->most = most;
  t->race.first = t->race.second = CHK_STEPS_NONE;
  if (sim_sites_new(w->prog, &t->sites) != 0) t->sites = NULL; /* the report says so */
  w->untimed->step_report = t;
  if (pictured) sim_steps_picture_open(t, w);
}

/* Finds the source lines of all events at once. */
static void report_lines(struct sim_step_report *t) {
  if (t->sites == NULL) return;
  sim_sites_resolve(t->sites);
  for (uint32_t i = 0; i < t->steps.n; i++)
    if (t->steps.event[i].site != 0)
      t->steps.event[i].line =
          chk_steps_keep(&t->steps, sim_sites_text(t->sites, t->steps.event[i].site));
}

bool sim_step_report_close(struct sim_world *w, const struct sim_step_pictures *pictures) {
  struct sim_step_report *t = w->untimed->step_report;
  if (t == NULL) return false;
  uint64_t steps = w->untimed->run->steps;
  bool drawn = false;
  if (t->steps.n > 0) report_lines(t);
  if (steps > t->most) {
    printf("eyotcheck: the run has %" PRIu64 " steps; --steps prints them\n", steps);
  } else if (t->steps.n > 0) {
    printf("eyotcheck: its steps (%" PRIu64 "):\n", steps);
    chk_steps_print(&t->steps, stdout);
    if (t->sites != NULL) sim_sites_explain(t->sites, stdout);
  }
  if (pictures != NULL) drawn = sim_steps_picture_write(t, w, pictures);
  sim_sites_free(t->sites);
  chk_steps_fini(&t->steps);
  free(t->op_of);
  free(t->open);
  free(t);
  w->untimed->step_report = NULL;
  return drawn;
}
