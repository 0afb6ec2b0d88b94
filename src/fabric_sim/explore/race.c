/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c - translates operations of the simulator into those of the race detector. See race.h. */
#include "fabric_sim/explore/race.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/owners.h"
#include "fabric_sim/explore/race_note.h"
#include "fabric_sim/explore/race_op.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/suppress.h"
#include "fabric_sim/explore/untimed_proc.h"

#define TEXT_BYTES (EYOTI_WORDS + 400u)

/* Whether a suppression hides a report. */
enum race_hidden { RACE_UNKNOWN = 0, RACE_SHOWN, RACE_HIDDEN };

/* All copies of the program have their code at the same offsets: a place is given as its address in
 * the first unit's copy. */
static const void *race_site_of(const struct sim_race *x, uint32_t unit, const void *address) {
  uint64_t off;
  if (address == NULL || !sim_prog_offset(x->w->prog, unit, address, &off)) return address;
  return x->base + off;
}

/* Returns the unit's current place. `what`, a literal, names the function that it is in. */
static struct chk_at here(const struct sim_race *x, const struct sim_unit *u) {
  struct sim_detect_call call = sim_detect_here(u);
  return (struct chk_at){.unit = u->fab.me,
                         .site = race_site_of(x, u->fab.me, call.site),
                         .when = (uintptr_t)call.what};
}

/* -- operations -------------------------------------------------------------------------------- */

/* Words are read whole (memory-model.md, rules 8 and 9): a word that a signal changes meanwhile is
 * read as before or as after. */
static void applied(struct sim_race *x, struct chk_race_op *r, struct chk_race_range all,
                    bool get) {
  struct chk_race_range words = all, edge = all;
  words.off = (all.off + 3) / 4 * 4;
  uint64_t end = (all.off + all.len) / 4 * 4;
  if (!get || end <= words.off) {
    chk_race_applied(x->race, r, all);
    return;
  }
  words.len = end - words.off;
  chk_race_applied_words(x->race, r, words);
  edge.len = words.off - all.off;
  chk_race_applied(x->race, r, edge);
  edge.off = end;
  edge.len = all.off + all.len - end;
  chk_race_applied(x->race, r, edge);
}

/* Memory of the unit that the operation reads as its source, or writes as its result. */
static void race_own(struct sim_race *x, struct sim_unit *u, struct chk_race_op *r, const void *p,
                     uint64_t len) {
  struct chk_race_range own = {.len = len};
  if (!sim_seg_find(u->world, u->fab.me, p, len, &own.unit, &own.seg, &own.off)) {
    chk_race_private(x->race, r, (uintptr_t)p, len);
    return;
  }
  own.seg = seg_of(own.seg);
  chk_race_local(x->race, r, own);
}

static void race_posted(void *state, struct sim_unit *u, const struct sim_op *op) {
  struct sim_race *x = state;
  if (u->in_exchange) {
    sim_race_note_none(x, op);
    return;
  }
  uint32_t i = sim_race_note_new(x, op);
  bool amo = op->kind == SIM_OP_AMO, nbi = amo && (op->flags & SIM_F_REQ) == 0;
  struct chk_race_op *r = x->note[i].op =
      nbi ? chk_race_posted_nbi(x->race, here(x, u), op->set, op->target)
          : chk_race_posted_in(x->race, here(x, u), race_kind_of(op), op->set, op->target,
                               amo ? 0 : op->len);
  if (amo) {
    if (op->local != NULL) race_own(x, u, r, op->local, sim_op_result_bytes(op));
    return;
  }
  if (op->len == 0) return;
  applied(x, r, (struct chk_race_range){op->target, seg_of(op->seg), op->off, op->len},
          op->kind == SIM_OP_GET);
  race_own(x, u, r, op->local, op->len);
}

static void race_signaled(void *state, const struct sim_op *op) {
  struct sim_race *x = state;
  uint32_t i = sim_race_note_of(x, op);
  if (i == SIM_RACE_NONE) return;
  chk_race_signaled(x->race, x->note[i].op, chk_word(op->target, seg_of(op->sig_seg), op->value2),
                    op->sig_op == FAB_SIG_ADD);
  sim_race_note_acted(x, i);
}

static void race_arrived(void *state, const struct sim_op *op) {
  struct sim_race *x = state;
  uint32_t i = sim_race_note_of(x, op);
  if (i == SIM_RACE_NONE) return;
  chk_race_arrived(x->race, x->note[i].op,
                   (struct chk_race_range){op->target, seg_of(op->seg), op->off, op->len});
  if (op->kind == SIM_OP_PUT) sim_race_note_acted(x, i);
}

static void race_updated(void *state, const struct sim_op *op) {
  struct sim_race *x = state;
  uint32_t i = sim_race_note_of(x, op);
  if (i == SIM_RACE_NONE) return;
  uint64_t mask = op->width == 8 ? UINT64_MAX : UINT32_MAX;
  /* value: the value before */
  bool failed = op->amo_op == FAB_AMO_CAS && ((op->value ^ op->value2) & mask) != 0;
  struct chk_race_range bytes = {op->target, seg_of(op->seg), op->off, op->width};
  struct chk_race_amo how = {.fetched = op->local != NULL,
                             .wrote = op->amo_op != FAB_AMO_READ && !failed,
                             .floats = op->floats};
  chk_race_atomic(x->race, x->note[i].op, bytes, how);
  sim_race_note_acted(x, i);
}

static void race_complete(struct sim_race *x, uint32_t i, enum fab_level level) {
  if (level == FAB_LOCAL && !x->note[i].get)
    chk_race_completed(x->race, x->note[i].op, CHK_RACE_LOCAL);
  else
    sim_race_note_known(x, i);
}

static void race_completed(void *state, struct sim_unit *u, const struct sim_op *op,
                           enum fab_level level) {
  struct sim_race *x = state;
  uint32_t i = sim_race_note_of(x, op);
  if (i != SIM_RACE_NONE && !x->note[i].known && x->note[i].unit == u->fab.me)
    race_complete(x, i, level);
}

/* A flush covers the note. False: an earlier flush has covered it, and all notes after it. */
static bool flush_one(struct sim_race *x, uint32_t i, enum fab_level level, enum here by) {
  struct race_note *n = &x->note[i];
  if (level == FAB_LOCAL && n->here >= by) return false;
  bool again = level == FAB_LOCAL && n->here != HERE_NOT;
  n->here = (uint8_t)by;
  if (!again) race_complete(x, i, level);
  return true;
}

/* Of a set alone: all notes of the list are looked at, since notes of other sets lie between. */
static void flush_note(struct sim_race *x, uint32_t i, fab_set_t set, fab_unit_t unit,
                       enum fab_level level) {
  const struct race_note *n = &x->note[i];
  if (n->set != set || (unit != FAB_ALL && n->target != unit)) return;
  if (level != FAB_LOCAL || n->here < HERE_SET) (void)flush_one(x, i, level, HERE_SET);
}

static void race_flushed(void *state, struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                         enum fab_level level) {
  struct sim_race *x = state;
  uint32_t me = u->fab.me, next;
  if (unit == FAB_ALL) {
    for (uint32_t i = x->head[me]; i != SIM_RACE_NONE; i = next) {
      next = x->note[i].next;
      if (set != FAB_SET_ALL)
        flush_note(x, i, set, unit, level);
      else if (!flush_one(x, i, level, HERE_ALL))
        break;
    }
  } else {
    for (uint32_t i = sim_race_note_there(x, me, unit); i != SIM_RACE_NONE; i = next) {
      next = x->note[i].next_there;
      if (x->note[i].unit != me) continue;
      if (set != FAB_SET_ALL)
        flush_note(x, i, set, unit, level);
      else if (x->note[i].target == unit && !flush_one(x, i, level, HERE_TARGET))
        break;
    }
  }
  chk_race_flushed(x->race, me, set, unit == FAB_ALL ? CHK_RACE_ALL : unit,
                   level == FAB_REMOTE ? CHK_RACE_REMOTE : CHK_RACE_LOCAL);
  if (level == FAB_REMOTE) chk_race_fenced(x->race, me);
}

static void race_ordered(void *state, struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  struct sim_race *x = state;
  chk_race_ordered_in(x->race, u->fab.me, set, unit == FAB_ALL ? CHK_RACE_ALL : unit);
}

/* -- units by themselves ----------------------------------------------------------------------- */

static void race_saw(void *state, struct sim_unit *u, uint32_t seg, uint64_t off, uint32_t len) {
  struct sim_race *x = state;
  if (u->in_exchange) return;
  chk_race_waited(x->race, here(x, u), (struct chk_race_range){u->fab.me, seg_of(seg), off, len});
}

static void race_saw_word(void *state, struct sim_unit *u, const void *word) {
  struct sim_race *x = state;
  struct chk_race_range at;
  if (sim_seg_find(u->world, u->fab.me, word, 8, &at.unit, &at.seg, &at.off))
    chk_race_saw(x->race, here(x, u), chk_word(at.unit, seg_of(at.seg), at.off));
}

static void race_cpu(void *state, struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word,
                     bool wrote) {
  struct sim_race *x = state;
  if (op == FAB_CPU_FENCE) {
    chk_race_fenced(x->race, u->fab.me);
    return;
  }
  if (op == FAB_CPU_LOAD) {
    race_saw_word(state, u, word);
    return;
  }
  struct chk_race_range at = {.len = 8};
  if (!sim_seg_find(u->world, u->fab.me, word, 8, &at.unit, &at.seg, &at.off)) return;
  at.seg = seg_of(at.seg);
  struct chk_race_op *r = chk_race_posted(x->race, here(x, u), CHK_RACE_AMO, at.unit, 0);
  chk_race_atomic(x->race, r, at,
                  (struct chk_race_amo){.fetched = op != FAB_CPU_STORE, .wrote = wrote});
  chk_race_completed(x->race, r, CHK_RACE_REMOTE);
}

/* Memory that the unit's last operation uses besides the one that the engine knows. Without a note
 * there is none in flight. */
static void race_lends(struct sim_race *x, struct sim_unit *u, const void *p, uint64_t len) {
  uint32_t i = x->head[u->fab.me];
  if (i != SIM_RACE_NONE) race_own(x, u, x->note[i].op, p, len);
}

void sim_race_racy(struct sim_race *x, struct sim_unit *u, const void *p, uint64_t len) {
  struct chk_race_range at = {.len = len};
  if (sim_seg_find(u->world, u->fab.me, p, len, &at.unit, &at.seg, &at.off))
    at.seg = seg_of(at.seg);
  else
    at = (struct chk_race_range){u->fab.me, CHK_RACE_SEG_PRIVATE, (uintptr_t)p, len};
  chk_race_racy(x->race, at);
}

static void race_touched(void *state, struct sim_unit *u, const void *p, uint64_t len,
                         enum fab_touch how) {
  struct sim_race *x = state;
  if (how == FAB_TOUCH_RACY) sim_race_racy(x, u, p, len);
  if (u->in_exchange || how == FAB_TOUCH_RACY) return;
  if (how == FAB_TOUCH_LENT) {
    race_lends(x, u, p, len);
    return;
  }
  struct chk_race_range at = {.len = len};
  bool writes = how == FAB_TOUCH_STORE || how == FAB_TOUCH_WRITE;
  if (!sim_seg_find(u->world, u->fab.me, p, len, &at.unit, &at.seg, &at.off)) {
    chk_race_private_access(x->race, here(x, u), (uintptr_t)p, len, writes);
    return;
  }
  at.seg = seg_of(at.seg);
  if (!writes)
    chk_race_load(x->race, here(x, u), at);
  else
    chk_race_store(x->race, here(x, u), at, how == FAB_TOUCH_STORE);
}

static bool race_lent(void *state, const struct sim_unit *u, const void *p, uint64_t len,
                      bool writes) {
  const struct sim_race *x = state;
  return chk_race_lent(x->race, u->fab.me, (uintptr_t)p, len, writes);
}

static void race_reused(void *state, struct sim_unit *u, fab_seg_t seg, uint64_t off,
                        uint64_t len) {
  struct sim_race *x = state;
  chk_race_forget(x->race, (struct chk_race_range){u->fab.me, seg_of(seg), off, len});
}

/* An exchange counts as one operation: its own posts and waits (u->in_exchange) are ignored. */
static void race_exchange(void *state, struct sim_unit *u, const struct fab_exchange *e,
                          enum fab_exchange_step step) {
  struct chk_race *r = ((struct sim_race *)state)->race;
  struct chk_race_exchange x = {
      .key = {(uint64_t)e->first << 32 | seg_of(e->seg), e->off ^ (e->seq >> 32 << 32)},
      .seq = e->seq,
      .members = e->members};
  if (step == FAB_EXCHANGE_ENTERS)
    chk_race_enters(r, u->fab.me, &x);
  else
    chk_race_leaves(r, u->fab.me, &x);
}

static void race_barrier(void *state) {
  chk_race_barrier(((struct sim_race *)state)->race);
}

/* -- the detector's life ----------------------------------------------------------------------- */

static void race_owned(void *state, struct sim_unit *u, const void *p, uint64_t len,
                       enum fab_owned how) {
  struct sim_race *x = state;
  if (x->owners == NULL && (x->owners = sim_owners_new()) == NULL)
    eyoti_no_memory(sizeof *x->owners, "notes on who owns buffers");
  sim_owners_note(x->owners, u, p, len, how);
}

const char *sim_race_words(const struct sim_race *x, const struct chk_race_report *r,
                           char words[EYOTI_WORDS]) {
  const struct sim_world *w = x->w;
  if (r->bytes.seg == CHK_RACE_SEG_PRIVATE) return NULL;
  fab_seg_t seg = r->bytes.seg == CHK_WORD_SEG_ATTACHED ? FAB_SEG_ATTACHED : r->bytes.seg;
  const struct sim_owners *owners =
      w->untimed != NULL ? w->untimed->run->detect->owners : x->owners;
  const char *owned =
      owners != NULL
          ? sim_owners_words(owners, w, fab_at(r->bytes.unit, seg, r->bytes.off), false, words)
          : NULL;
  if (owned != NULL) return owned;
  return eyoti_words(&w->units[r->bytes.unit].rt, seg, r->bytes.off, false, words);
}

/* In a timed run reports are printed at the end, when the memory may have been freed. */
static void race_keep_words(struct sim_race *x, const struct chk_race_report *r) {
  const struct chk_race_report *all;
  uint32_t n = chk_race_reports(x->race, &all), i = (uint32_t)(r - all);
  if (x->where == NULL) x->where = sim_race_must(chk_alloc(SIM_RACE_WORDS * sizeof *x->where));
  if (i != n || i >= SIM_RACE_WORDS) return; /* an old one, or one too many */
  if (sim_race_words(x, r, x->where[i]) == NULL) x->where[i][0] = '\0';
}

const char *sim_race_where(const struct sim_race *x, uint32_t report) {
  return report < SIM_RACE_WORDS && x->where != NULL && x->where[report][0] != '\0'
             ? x->where[report]
             : NULL;
}

static struct sim_suppress_access race_access(struct sim_world *w,
                                              const struct chk_race_access *a) {
  return (struct sim_suppress_access){(const char *)(uintptr_t)a->at.when,
                                      sim_detect_line_of(w, 0, a->at.site)};
}

/* Each pair of lines is looked up once. */
static bool race_is_hidden(struct sim_race *x, const struct chk_race_report *r) {
  const struct chk_race_report *all;
  (void)chk_race_reports(x->race, &all);
  uint32_t i = (uint32_t)(r - all);
  if (x->suppress == NULL) return false;
  if (i >= x->hidden_cap) {
    uint32_t cap = i + 64;
    x->hidden = sim_race_must(chk_resize(x->hidden, cap));
    memset(x->hidden + x->hidden_cap, RACE_UNKNOWN, cap - x->hidden_cap);
    x->hidden_cap = cap;
  }
  if (x->hidden[i] == RACE_UNKNOWN) {
    /* the text of a place is valid until the next one */
    char place[SIM_DETECT_WHERE];
    struct sim_suppress_access first = race_access(x->w, &r->first);
    snprintf(place, sizeof place, "%s", first.place);
    first.place = place;
    bool hides = sim_suppress_hides(x->suppress, first, race_access(x->w, &r->second));
    x->hidden[i] = hides ? RACE_HIDDEN : RACE_SHOWN;
  }
  return x->hidden[i] == RACE_HIDDEN;
}

/* The detector has found a race. It ends an explored run. */
static void race_found(void *ctx, const struct chk_race_report *r) {
  struct sim_race *x = ctx;
  struct sim_world *w = x->w;
  if (w->untimed == NULL) race_keep_words(x, r);
  if (w->untimed == NULL || w->untimed->failed || race_is_hidden(x, r)) return;
  if (w->untimed->exact) r = chk_race_latest(x->race);
  if (w->untimed->step_report != NULL) sim_step_report_race(w, r);
  char text[TEXT_BYTES], first[SIM_DETECT_WHERE], second[SIM_DETECT_WHERE], words[EYOTI_WORDS];
  (void)chk_race_text(r, sim_race_words(x, r, words), text, sizeof text);
  const struct sim_detect_call a = sim_detect_recorded(r->first.at.when, r->first.at.site),
                               b = sim_detect_recorded(r->second.at.when, r->second.at.site);
  sim_untimed_failed(w, "race: unit %u in %s, unit %u in %s: %s", r->first.at.unit,
                     sim_detect_where(w, &a, first), r->second.at.unit,
                     sim_detect_where(w, &b, second), text);
}

static const struct sim_observer_ops race_observer = {.name = "races",
                                                      .posted = race_posted,
                                                      .arrived = race_arrived,
                                                      .signaled = race_signaled,
                                                      .updated = race_updated,
                                                      .completed = race_completed,
                                                      .flushed = race_flushed,
                                                      .ordered = race_ordered,
                                                      .saw = race_saw,
                                                      .saw_word = race_saw_word,
                                                      .cpu = race_cpu,
                                                      .touched = race_touched,
                                                      .lent = race_lent,
                                                      .reused = race_reused,
                                                      .owned = race_owned,
                                                      .exchange = race_exchange,
                                                      .barrier = race_barrier};

struct sim_race *sim_race_new(struct sim_world *w, struct sim_suppress *suppress) {
  union {
    sim_prog_main_fn function;
    const char *object;
  } main_at = {.function = sim_prog_main(w->prog, 0)};
  uint64_t off = 0;
  (void)sim_prog_offset(w->prog, 0, main_at.object, &off);
  struct sim_race *x = sim_race_must(chk_alloc(sizeof *x));
  *x = (struct sim_race){
      .race = chk_race_new(w->n, true), .w = w, .base = main_at.object - off, .suppress = suppress};
  if (w->opt.explore) chk_race_precise(x->race);
  sim_race_notes_init(x);
  x->observer = (struct sim_observer){.ops = &race_observer, .state = x};
  chk_race_listen(x->race, race_found, x);
  return x;
}

void sim_race_attach(struct sim_race *x) {
  sim_observer_add(x->w, &x->observer);
}

void sim_race_delete(struct sim_race *x) {
  if (x == NULL) return;
  chk_race_destroy(x->race);
  sim_race_notes_fini(x);
  chk_free(x->where);
  sim_owners_delete(x->owners);
  chk_free(x->hidden);
  chk_free(x);
}

void sim_race_restart(struct sim_race *x) {
  chk_race_restart(x->race);
  sim_race_notes_restart(x);
}

uint32_t sim_race_events(const struct sim_race *x, uint32_t unit) {
  return chk_race_events(x->race, unit);
}

uint32_t sim_race_reports(const struct sim_race *x, const struct chk_race_report **reports) {
  return chk_race_reports(x->race, reports);
}
