/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c - translates operations of the simulator into those of the race detector. See race.h. */
#include "fabric_sim/explore/race.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/race/race.h"
#include "check/snapshot/mem.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/explore/race_op.h"
#include "fabric_sim/explore/untimed_proc.h"

#define NONE UINT32_MAX
#define FIRST_CAP 256u
#define TEXT_BYTES (EYOTI_WORDS + 400u)

/* An operation that its unit does not know to be complete, or whose signal has not acted. */
struct race_note {
  struct chk_race_op *op;
  uint32_t unit, target;
  uint32_t index;      /* of the engine's operation, unless it has been reused for another */
  uint32_t next, prev; /* the unit's list; next also links free notes */
  /* of the bucket by unit and target; prev_there: the note that points to this one, or NONE for the
   * bucket itself */
  uint32_t next_there;
  uint32_t prev_there;
  bool due;     /* its signal, or a put that a waiter may see, has not acted */
  bool known;   /* the unit knows; it is in no list */
  bool get;     /* complete when its result has landed */
  uint8_t here; /* enum here */
};

/* The flush by which the unit knows of its local completion. Lists are newest first, so all notes
 * after one that a flush has completed are completed too. */
enum here { HERE_NOT = 0, HERE_TARGET /* a flush of the target */, HERE_ALL /* a flush of all */ };

struct sim_race {
  struct sim_observer observer;
  struct chk_race *race;
  struct sim_world *w;
  const char *base; /* start of the first unit's copy of the program */
  struct race_note *note;
  uint32_t n_notes, notes_cap, free;
  uint32_t *of_op; /* the note of the engine's operation with that index */
  uint32_t ops_cap;
  uint32_t *head; /* the head of each unit's list */
  /* The same notes by unit and target: a flush of one target among thousands must not visit all. */
  uint32_t *there;
  uint32_t n_there; /* a power of 2 */
  /* the memory of each report, in words as they were when it was found; timed runs only */
  char (*where)[EYOTI_WORDS];
};

static void *note_must(void *p) {
  if (p == NULL) eyoti_no_memory(0, "finding races; leave out --races or --detect race");
  return p;
}

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

/* -- notes ------------------------------------------------------------------------------------- */

static void note_free(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  if (n->index != NONE && x->of_op[n->index] == i) x->of_op[n->index] = NONE;
  n->next = x->free;
  x->free = i;
}

static uint32_t *race_bucket(const struct sim_race *x, uint32_t unit, uint32_t target) {
  return &x->there[eyoti_hash_mix(eyoti_hash_mix(0, unit), target) & (x->n_there - 1)];
}

static void list_there(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  uint32_t *head = race_bucket(x, n->unit, n->target);
  n->prev_there = NONE;
  n->next_there = *head;
  if (*head != NONE) x->note[*head].prev_there = i;
  *head = i;
}

static void unlist_there(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  if (n->prev_there != NONE)
    x->note[n->prev_there].next_there = n->next_there;
  else
    *race_bucket(x, n->unit, n->target) = n->next_there;
  if (n->next_there != NONE) x->note[n->next_there].prev_there = n->prev_there;
}

/* The array of notes has grown: makes as many buckets. The oldest notes are listed first. */
static void race_rehash(struct sim_race *x) {
  x->n_there = x->notes_cap;
  x->there = note_must(chk_resize(x->there, x->n_there * sizeof *x->there));
  memset(x->there, 0xff, x->n_there * sizeof *x->there);
  for (uint32_t u = 0; u < x->w->n; u++) {
    uint32_t oldest = x->head[u];
    while (oldest != NONE && x->note[oldest].next != NONE) oldest = x->note[oldest].next;
    for (uint32_t i = oldest; i != NONE; i = x->note[i].prev) list_there(x, i);
  }
}

static void race_unlist(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  if (n->prev != NONE)
    x->note[n->prev].next = n->next;
  else
    x->head[n->unit] = n->next;
  if (n->next != NONE) x->note[n->next].prev = n->prev;
  unlist_there(x, i);
}

/* The unit knows of the completion. A note with a signal remains until that has acted. */
static void race_know(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  race_unlist(x, i);
  if (n->due) {
    chk_race_completed(x->race, n->op, CHK_RACE_BUFFERED);
    n->known = true;
    return;
  }
  chk_race_completed(x->race, n->op, CHK_RACE_REMOTE);
  note_free(x, i);
}

static uint32_t *op_slot(struct sim_race *x, uint32_t index) {
  if (index < x->ops_cap) return &x->of_op[index];
  uint32_t cap = x->ops_cap == 0 ? FIRST_CAP : x->ops_cap;
  while (cap <= index) cap *= 2;
  x->of_op = note_must(chk_resize(x->of_op, cap * sizeof *x->of_op));
  memset(x->of_op + x->ops_cap, 0xff, (cap - x->ops_cap) * sizeof *x->of_op);
  x->ops_cap = cap;
  return &x->of_op[index];
}

static uint32_t race_note_of(const struct sim_race *x, const struct sim_op *op) {
  return op->index < x->ops_cap ? x->of_op[op->index] : NONE;
}

/* Frees the entry of the engine's operation. If it has a note, the engine has reused the operation:
 * effects that are missing will never happen. */
static uint32_t *op_slot_anew(struct sim_race *x, const struct sim_op *op) {
  uint32_t *slot = op_slot(x, op->index);
  if (*slot == NONE) return slot;
  struct race_note *old = &x->note[*slot];
  old->index = NONE;
  old->due = false;
  if (old->known) {
    chk_race_completed(x->race, old->op, CHK_RACE_REMOTE);
    note_free(x, *slot);
  }
  *slot = NONE;
  return slot;
}

static uint32_t note_new(struct sim_race *x, const struct sim_op *op) {
  uint32_t i = x->free;
  if (i != NONE) {
    x->free = x->note[i].next;
  } else {
    if (x->n_notes == x->notes_cap) {
      x->notes_cap = x->notes_cap == 0 ? FIRST_CAP : x->notes_cap * 2;
      x->note = note_must(chk_resize(x->note, x->notes_cap * sizeof *x->note));
      race_rehash(x);
    }
    i = x->n_notes++;
  }
  uint32_t *slot = op_slot_anew(x, op);
  *slot = i;
  x->note[i] = (struct race_note){.unit = op->origin,
                                  .target = op->target,
                                  .index = op->index,
                                  .next = x->head[op->origin],
                                  .prev = NONE,
                                  .due = op->kind == SIM_OP_SIGNAL || sim_op_is_word_put(op),
                                  .get = op->kind == SIM_OP_GET};
  if (x->note[i].next != NONE) x->note[x->note[i].next].prev = i;
  x->head[op->origin] = i;
  list_there(x, i);
  return i;
}

/* -- operations -------------------------------------------------------------------------------- */

/* Words are read whole (memory-model.md, rules 8 and 9): a word that a signal or atomic changes
 * meanwhile is read as before or as after. */
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

static void race_posted(void *state, struct sim_unit *u, const struct sim_op *op) {
  struct sim_race *x = state;
  if (u->in_exchange) {
    (void)op_slot_anew(x, op);
    return;
  }
  uint32_t i = note_new(x, op);
  struct chk_race_op *r = x->note[i].op = chk_race_posted(
      x->race, here(x, u), race_kind_of(op), op->target, op->kind == SIM_OP_AMO ? 0 : op->len);
  if (op->kind == SIM_OP_AMO || op->len == 0) return;
  applied(x, r, (struct chk_race_range){op->target, seg_of(op->seg), op->off, op->len},
          op->kind == SIM_OP_GET);
  struct chk_race_range own;
  if (sim_seg_find(u->world, u->fab.me, op->local, op->len, &own.unit, &own.seg, &own.off)) {
    own.seg = seg_of(own.seg);
    own.len = op->len;
    chk_race_local(x->race, r, own);
  }
}

/* The operation has taken effect. If the unit knows of its completion, or will learn nothing from
 * it, the note is freed. */
static void acted(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  n->due = false;
  if (!n->known && chk_race_matters(n->op)) return;
  if (!n->known) race_unlist(x, i);
  chk_race_completed(x->race, n->op, CHK_RACE_REMOTE);
  note_free(x, i);
}

static void race_signaled(void *state, const struct sim_op *op) {
  struct sim_race *x = state;
  uint32_t i = race_note_of(x, op);
  if (i == NONE) return;
  chk_race_signaled(x->race, x->note[i].op, chk_word(op->target, seg_of(op->sig_seg), op->value2),
                    op->sig_op == FAB_SIG_ADD);
  acted(x, i);
}

static void race_arrived(void *state, const struct sim_op *op) {
  struct sim_race *x = state;
  uint32_t i = race_note_of(x, op);
  if (i == NONE) return;
  chk_race_arrived(x->race, x->note[i].op,
                   (struct chk_race_range){op->target, seg_of(op->seg), op->off, op->len});
  if (op->kind == SIM_OP_PUT) acted(x, i);
}

static void race_updated(void *state, const struct sim_op *op) {
  struct sim_race *x = state;
  uint32_t i = race_note_of(x, op);
  if (i == NONE) return;
  uint64_t mask = op->width == 8 ? UINT64_MAX : UINT32_MAX;
  /* value: the value before */
  bool failed = op->amo_op == FAB_AMO_CAS && ((op->value ^ op->value2) & mask) != 0;
  struct chk_race_range bytes = {op->target, seg_of(op->seg), op->off, op->width};
  chk_race_atomic(x->race, x->note[i].op, bytes, op->local != NULL,
                  op->amo_op != FAB_AMO_READ && !failed);
  acted(x, i);
}

static void race_complete(struct sim_race *x, uint32_t i, enum fab_level level) {
  if (level == FAB_LOCAL && !x->note[i].get)
    chk_race_completed(x->race, x->note[i].op, CHK_RACE_LOCAL);
  else
    race_know(x, i);
}

static void race_completed(void *state, struct sim_unit *u, const struct sim_op *op,
                           enum fab_level level) {
  struct sim_race *x = state;
  uint32_t i = race_note_of(x, op);
  if (i != NONE && !x->note[i].known && x->note[i].unit == u->fab.me) race_complete(x, i, level);
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

static void race_flushed(void *state, struct sim_unit *u, fab_unit_t unit, enum fab_level level) {
  struct sim_race *x = state;
  uint32_t me = u->fab.me, next;
  if (unit == FAB_ALL) {
    for (uint32_t i = x->head[me]; i != NONE; i = next) {
      next = x->note[i].next;
      if (!flush_one(x, i, level, HERE_ALL)) break;
    }
  } else if (x->n_there > 0) {
    for (uint32_t i = *race_bucket(x, me, unit); i != NONE; i = next) {
      next = x->note[i].next_there;
      if (x->note[i].unit == me && x->note[i].target == unit &&
          !flush_one(x, i, level, HERE_TARGET))
        break;
    }
  }
  if (level == FAB_REMOTE) chk_race_fenced(x->race, me);
}

static void race_ordered(void *state, struct sim_unit *u, fab_unit_t unit) {
  struct sim_race *x = state;
  chk_race_ordered(x->race, u->fab.me, unit == FAB_ALL ? CHK_RACE_ALL : unit);
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
  chk_race_atomic(x->race, r, at, op != FAB_CPU_STORE, wrote);
  chk_race_completed(x->race, r, CHK_RACE_REMOTE);
}

static void race_touched(void *state, struct sim_unit *u, const void *p, uint64_t len,
                         bool writes) {
  struct sim_race *x = state;
  struct chk_race_range at = {.len = len};
  if (!sim_seg_find(u->world, u->fab.me, p, len, &at.unit, &at.seg, &at.off)) return;
  at.seg = seg_of(at.seg);
  if (writes)
    chk_race_store(x->race, here(x, u), at);
  else
    chk_race_load(x->race, here(x, u), at);
}

static void race_reused(void *state, struct sim_unit *u, fab_seg_t seg, uint64_t off,
                        uint64_t len) {
  struct sim_race *x = state;
  chk_race_forget(x->race, (struct chk_race_range){u->fab.me, seg_of(seg), off, len});
}

/* An exchange counts as one operation: its own posts and waits are ignored. */
static void race_exchange(void *state, struct sim_unit *u, const struct fab_exchange *e,
                          enum fab_exchange_step step) {
  struct chk_race *r = ((struct sim_race *)state)->race;
  u->in_exchange = step == FAB_EXCHANGE_INSIDE;
  if (e == NULL) return;
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

static const char *race_words(const struct sim_world *w, const struct chk_race_report *r,
                              char words[EYOTI_WORDS]) {
  fab_seg_t seg = r->bytes.seg == CHK_WORD_SEG_ATTACHED ? FAB_SEG_ATTACHED : r->bytes.seg;
  return eyoti_words(&w->units[r->bytes.unit].rt, seg, r->bytes.off, false, words);
}

/* In a timed run reports are printed at the end, when the memory may have been freed. */
static void race_keep_words(struct sim_race *x, const struct chk_race_report *r) {
  const struct chk_race_report *all;
  uint32_t n = chk_race_reports(x->race, &all), i = (uint32_t)(r - all);
  if (x->where == NULL) x->where = note_must(chk_alloc(SIM_RACE_WORDS * sizeof *x->where));
  if (i == n && i < SIM_RACE_WORDS) (void)race_words(x->w, r, x->where[i]); /* else an old one */
}

const char *sim_race_where(const struct sim_race *x, uint32_t report) {
  return report < SIM_RACE_WORDS && x->where != NULL ? x->where[report] : NULL;
}

/* The detector has found a race. It ends an explored run. */
static void race_found(void *ctx, const struct chk_race_report *r) {
  struct sim_race *x = ctx;
  struct sim_world *w = x->w;
  if (w->untimed == NULL) race_keep_words(x, r);
  if (w->untimed == NULL || w->untimed->failed) return;
  char text[TEXT_BYTES], first[SIM_DETECT_WHERE], second[SIM_DETECT_WHERE], words[EYOTI_WORDS];
  (void)chk_race_text(r, race_words(w, r, words), text, sizeof text);
  const struct sim_detect_call a = sim_detect_recorded(r->first.at.when, r->first.at.site),
                               b = sim_detect_recorded(r->second.at.when, r->second.at.site);
  sim_untimed_failed(w, "race: unit %u in %s, unit %u in %s: %s", r->first.at.unit,
                     sim_detect_where(w, &a, first), r->second.at.unit,
                     sim_detect_where(w, &b, second), text);
}

static const struct sim_observer_ops race_observer = {.name = "races",
                                                      .posted = race_posted,
                                                      .signaled = race_signaled,
                                                      .arrived = race_arrived,
                                                      .updated = race_updated,
                                                      .completed = race_completed,
                                                      .flushed = race_flushed,
                                                      .ordered = race_ordered,
                                                      .saw = race_saw,
                                                      .saw_word = race_saw_word,
                                                      .cpu = race_cpu,
                                                      .touched = race_touched,
                                                      .reused = race_reused,
                                                      .exchange = race_exchange,
                                                      .barrier = race_barrier};

struct sim_race *sim_race_new(struct sim_world *w) {
  union {
    sim_prog_main_fn function;
    const char *object;
  } main_at = {.function = sim_prog_main(w->prog, 0)};
  uint64_t off = 0;
  (void)sim_prog_offset(w->prog, 0, main_at.object, &off);
  struct sim_race *x = note_must(chk_alloc(sizeof *x));
  *x = (struct sim_race){
      .race = chk_race_new(w->n, true), .w = w, .base = main_at.object - off, .free = NONE};
  x->head = note_must(chk_alloc(w->n * sizeof *x->head));
  memset(x->head, 0xff, w->n * sizeof *x->head);
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
  chk_free(x->note);
  chk_free(x->of_op);
  chk_free(x->head);
  chk_free(x->there);
  chk_free(x->where);
  chk_free(x);
}

void sim_race_restart(struct sim_race *x) {
  chk_race_restart(x->race);
  memset(x->head, 0xff, x->w->n * sizeof *x->head);
  if (x->n_there > 0) memset(x->there, 0xff, x->n_there * sizeof *x->there);
  if (x->ops_cap > 0) memset(x->of_op, 0xff, x->ops_cap * sizeof *x->of_op);
  x->n_notes = 0;
  x->free = NONE;
}

uint32_t sim_race_reports(const struct sim_race *x, const struct chk_race_report **reports) {
  return chk_race_reports(x->race, reports);
}
