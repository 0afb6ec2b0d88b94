/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c - operations of the simulator as operations of the race detector. See race.h. */
#include "fabric_sim/explore/race.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/race/race.h"
#include "check/snapshot/mem.h"
#include "fabric_sim/explore/untimed.h"

#define NONE UINT32_MAX
#define FIRST_CAP 256u
#define TEXT_BYTES 400u

/* An operation that its unit has not been told of, or whose signal has not acted. */
struct note {
  struct ec_race_op *op;
  uint32_t unit, target;
  uint32_t index;      /* of the engine's operation, unless that one is of somebody else by now */
  uint32_t next, prev; /* the unit's; next also links free notes */
  /* of the same bucket by unit and target, and who points to it: a note, or NONE for the bucket
   * itself */
  uint32_t next_there;
  uint32_t prev_there;
  bool due;     /* the signal has not acted */
  bool told;    /* the unit knows; it is in no list */
  bool get;     /* over when its result is there */
  uint8_t here; /* enum here */
};

/* Who has told the unit of its local completion. Lists are newest first, so behind a note that a
 * flush has told there are only such. */
enum here { HERE_NOT = 0, HERE_TARGET /* a flush of the target */, HERE_ALL /* a flush of all */ };

struct fs_race {
  struct ec_race *race;
  struct fs_world *w;
  const char *base; /* of the first unit's copy of the program */
  struct note *note;
  uint32_t n_notes, notes_cap, free;
  uint32_t *of_op; /* the note of the engine's operation with that index */
  uint32_t ops_cap;
  uint32_t *head; /* of each unit's list */
  /* The same notes by unit and target: a flush of one target among thousands must not look at
   * all. */
  uint32_t *there;
  uint32_t n_there; /* a power of 2 */
};

static void *must(void *p) {
  if (p == NULL) EYOTI_PANIC("no memory for finding races");
  return p;
}

/* All copies of the program have their code at the same offsets: a place is that in the first
 * unit's copy. */
static const void *place_of(const struct fs_race *x, uint32_t unit, const void *address) {
  uint64_t off;
  if (address == NULL || !fs_prog_offset(x->w->prog, unit, address, &off)) return address;
  return x->base + off;
}

/* Where the unit is now. What names the function that it is in: a literal. */
static struct ec_at here(const struct fs_race *x, const struct fs_unit *u) {
  struct fs_detect_call call = fs_detect_here(u);
  return (struct ec_at){
      .unit = u->fab.me, .site = place_of(x, u->fab.me, call.site), .when = (uintptr_t)call.what};
}

static uint32_t seg_of(uint32_t seg) {
  return seg == FAB_SEG_ATTACHED ? EC_WORD_SEG_ATTACHED : seg;
}

/* -- notes ------------------------------------------------------------------------------------- */

static void note_free(struct fs_race *x, uint32_t i) {
  struct note *n = &x->note[i];
  if (n->index != NONE && x->of_op[n->index] == i) x->of_op[n->index] = NONE;
  n->next = x->free;
  x->free = i;
}

static uint32_t *bucket(const struct fs_race *x, uint32_t unit, uint32_t target) {
  return &x->there[eyoti_hash_mix(eyoti_hash_mix(0, unit), target) & (x->n_there - 1)];
}

static void list_there(struct fs_race *x, uint32_t i) {
  struct note *n = &x->note[i];
  uint32_t *head = bucket(x, n->unit, n->target);
  n->prev_there = NONE;
  n->next_there = *head;
  if (*head != NONE) x->note[*head].prev_there = i;
  *head = i;
}

static void unlist_there(struct fs_race *x, uint32_t i) {
  struct note *n = &x->note[i];
  if (n->prev_there != NONE)
    x->note[n->prev_there].next_there = n->next_there;
  else
    *bucket(x, n->unit, n->target) = n->next_there;
  if (n->next_there != NONE) x->note[n->next_there].prev_there = n->prev_there;
}

/* There is room for more notes: as many buckets. The oldest notes are listed first. */
static void rehash(struct fs_race *x) {
  x->n_there = x->notes_cap;
  x->there = must(ec_resize(x->there, x->n_there * sizeof *x->there));
  memset(x->there, 0xff, x->n_there * sizeof *x->there);
  for (uint32_t u = 0; u < x->w->n; u++) {
    uint32_t oldest = x->head[u];
    while (oldest != NONE && x->note[oldest].next != NONE) oldest = x->note[oldest].next;
    for (uint32_t i = oldest; i != NONE; i = x->note[i].prev) list_there(x, i);
  }
}

static void unlist(struct fs_race *x, uint32_t i) {
  struct note *n = &x->note[i];
  if (n->prev != NONE)
    x->note[n->prev].next = n->next;
  else
    x->head[n->unit] = n->next;
  if (n->next != NONE) x->note[n->next].prev = n->prev;
  unlist_there(x, i);
}

/* The unit has been told. What has a signal to come stays until that has acted. */
static void tell(struct fs_race *x, uint32_t i) {
  struct note *n = &x->note[i];
  unlist(x, i);
  if (n->due) {
    ec_race_completed(x->race, n->op, EC_RACE_BUFFERED);
    n->told = true;
    return;
  }
  ec_race_completed(x->race, n->op, EC_RACE_REMOTE);
  note_free(x, i);
}

static uint32_t *op_slot(struct fs_race *x, uint32_t index) {
  if (index < x->ops_cap) return &x->of_op[index];
  uint32_t cap = x->ops_cap == 0 ? FIRST_CAP : x->ops_cap;
  while (cap <= index) cap *= 2;
  x->of_op = must(ec_resize(x->of_op, cap * sizeof *x->of_op));
  memset(x->of_op + x->ops_cap, 0xff, (cap - x->ops_cap) * sizeof *x->of_op);
  x->ops_cap = cap;
  return &x->of_op[index];
}

static uint32_t note_of(const struct fs_race *x, const struct fs_op *op) {
  return op->index < x->ops_cap ? x->of_op[op->index] : NONE;
}

/* Makes the place of the engine's operation free. If it has a note, the engine has given that one
 * back: whatever it did not do it never will. */
static uint32_t *op_slot_anew(struct fs_race *x, const struct fs_op *op) {
  uint32_t *slot = op_slot(x, op->index);
  if (*slot == NONE) return slot;
  struct note *old = &x->note[*slot];
  old->index = NONE;
  old->due = false;
  if (old->told) {
    ec_race_completed(x->race, old->op, EC_RACE_REMOTE);
    note_free(x, *slot);
  }
  *slot = NONE;
  return slot;
}

static uint32_t note_new(struct fs_race *x, const struct fs_op *op) {
  uint32_t i = x->free;
  if (i != NONE) {
    x->free = x->note[i].next;
  } else {
    if (x->n_notes == x->notes_cap) {
      x->notes_cap = x->notes_cap == 0 ? FIRST_CAP : x->notes_cap * 2;
      x->note = must(ec_resize(x->note, x->notes_cap * sizeof *x->note));
      rehash(x);
    }
    i = x->n_notes++;
  }
  uint32_t *slot = op_slot_anew(x, op);
  *slot = i;
  x->note[i] = (struct note){.unit = op->origin,
                             .target = op->target,
                             .index = op->index,
                             .next = x->head[op->origin],
                             .prev = NONE,
                             .due = op->kind == FS_OP_SIGNAL,
                             .get = op->kind == FS_OP_GET};
  if (x->note[i].next != NONE) x->note[x->note[i].next].prev = i;
  x->head[op->origin] = i;
  list_there(x, i);
  return i;
}

/* -- operations -------------------------------------------------------------------------------- */

static enum ec_race_kind kind_of(const struct fs_op *op) {
  static const enum ec_race_kind KINDS[FS_OP_KINDS] = {[FS_OP_PUT] = EC_RACE_PUT,
                                                       [FS_OP_GET] = EC_RACE_GET,
                                                       [FS_OP_AMO] = EC_RACE_AMO,
                                                       [FS_OP_SIGNAL] = EC_RACE_SIGNAL};
  return KINDS[op->kind];
}

/* Words are read whole (memory-model.md, rules 8 and 9): what a signal or atomic changes meanwhile
 * is read as it was or as it is. */
static void applied(struct fs_race *x, struct ec_race_op *r, struct ec_range all, bool get) {
  struct ec_range words = all, edge = all;
  words.off = (all.off + 3) / 4 * 4;
  uint64_t end = (all.off + all.len) / 4 * 4;
  if (!get || end <= words.off) {
    ec_race_applied(x->race, r, all);
    return;
  }
  words.len = end - words.off;
  ec_race_applied_words(x->race, r, words);
  edge.len = words.off - all.off;
  ec_race_applied(x->race, r, edge);
  edge.off = end;
  edge.len = all.off + all.len - end;
  ec_race_applied(x->race, r, edge);
}

void fs_race_posted(struct fs_unit *u, const struct fs_op *op) {
  struct fs_race *x = u->world->race;
  if (u->in_exchange) {
    (void)op_slot_anew(x, op);
    return;
  }
  uint32_t i = note_new(x, op);
  struct ec_race_op *r = x->note[i].op = ec_race_posted(
      x->race, here(x, u), kind_of(op), op->target, op->kind == FS_OP_AMO ? 0 : op->len);
  if (op->kind == FS_OP_AMO || op->len == 0) return;
  applied(x, r, (struct ec_range){op->target, seg_of(op->seg), op->off, op->len},
          op->kind == FS_OP_GET);
  struct ec_range own;
  if (fs_seg_find(u->world, u->fab.me, op->local, op->len, &own.unit, &own.seg, &own.off)) {
    own.seg = seg_of(own.seg);
    own.len = op->len;
    ec_race_local(x->race, r, own);
  }
}

/* Its effect is past. If the unit will learn nothing from its completion either, or knows of it,
 * that was all. */
static void acted(struct fs_race *x, uint32_t i) {
  struct note *n = &x->note[i];
  n->due = false;
  if (!n->told && ec_race_matters(n->op)) return;
  if (!n->told) unlist(x, i);
  ec_race_completed(x->race, n->op, EC_RACE_REMOTE);
  note_free(x, i);
}

void fs_race_signalled(struct fs_world *w, const struct fs_op *op) {
  struct fs_race *x = w->race;
  uint32_t i = note_of(x, op);
  if (i == NONE) return;
  ec_race_signalled(x->race, x->note[i].op, ec_word(op->target, seg_of(op->sig_seg), op->value2),
                    op->sig_op == FAB_SIG_ADD);
  acted(x, i);
}

void fs_race_atomic(struct fs_world *w, const struct fs_op *op) {
  struct fs_race *x = w->race;
  uint32_t i = note_of(x, op);
  if (i == NONE) return;
  uint64_t mask = op->width == 8 ? UINT64_MAX : UINT32_MAX;
  /* value: that before */
  bool failed = op->amo_op == FAB_AMO_CAS && ((op->value ^ op->value2) & mask) != 0;
  struct ec_range bytes = {op->target, seg_of(op->seg), op->off, op->width};
  ec_race_atomic(x->race, x->note[i].op, bytes, op->local != NULL,
                 op->amo_op != FAB_AMO_READ && !failed);
  acted(x, i);
}

static void complete(struct fs_race *x, uint32_t i, enum fab_level level) {
  if (level == FAB_LOCAL && !x->note[i].get)
    ec_race_completed(x->race, x->note[i].op, EC_RACE_LOCAL);
  else
    tell(x, i);
}

void fs_race_told(struct fs_unit *u, const struct fs_op *op, enum fab_level level) {
  struct fs_race *x = u->world->race;
  uint32_t i = note_of(x, op);
  if (i != NONE && !x->note[i].told && x->note[i].unit == u->fab.me) complete(x, i, level);
}

/* The note, by a flush. False: a flush has told of it before, and of those behind it. */
static bool flush_one(struct fs_race *x, uint32_t i, enum fab_level level, enum here by) {
  struct note *n = &x->note[i];
  if (level == FAB_LOCAL && n->here >= by) return false;
  bool again = level == FAB_LOCAL && n->here != HERE_NOT;
  n->here = (uint8_t)by;
  if (!again) complete(x, i, level);
  return true;
}

void fs_race_flushed(struct fs_unit *u, fab_unit_t unit, enum fab_level level) {
  struct fs_race *x = u->world->race;
  uint32_t me = u->fab.me, next;
  if (unit == FAB_ALL) {
    for (uint32_t i = x->head[me]; i != NONE; i = next) {
      next = x->note[i].next;
      if (!flush_one(x, i, level, HERE_ALL)) break;
    }
  } else if (x->n_there > 0) {
    for (uint32_t i = *bucket(x, me, unit); i != NONE; i = next) {
      next = x->note[i].next_there;
      if (x->note[i].unit == me && x->note[i].target == unit &&
          !flush_one(x, i, level, HERE_TARGET))
        break;
    }
  }
  if (level == FAB_REMOTE) ec_race_fenced(x->race, me);
}

void fs_race_ordered(struct fs_unit *u, fab_unit_t unit) {
  ec_race_ordered(u->world->race->race, u->fab.me, unit == FAB_ALL ? EC_RACE_ALL : unit);
}

/* -- units by themselves ----------------------------------------------------------------------- */

void fs_race_saw(struct fs_unit *u, uint32_t seg, uint64_t off) {
  struct fs_race *x = u->world->race;
  if (u->in_exchange) return;
  ec_race_saw(x->race, here(x, u), ec_word(u->fab.me, seg_of(seg), off));
}

void fs_race_saw_word(struct fs_unit *u, const void *word) {
  struct fs_race *x = u->world->race;
  struct ec_range at;
  if (fs_seg_find(u->world, u->fab.me, word, 8, &at.unit, &at.seg, &at.off))
    ec_race_saw(x->race, here(x, u), ec_word(at.unit, seg_of(at.seg), at.off));
}

void fs_race_cpu(struct fs_unit *u, enum fab_cpu_op op, const uint64_t *word, bool wrote) {
  struct fs_race *x = u->world->race;
  if (op == FAB_CPU_FENCE) {
    ec_race_fenced(x->race, u->fab.me);
    return;
  }
  if (op == FAB_CPU_LOAD) {
    fs_race_saw_word(u, word);
    return;
  }
  struct ec_range at = {.len = 8};
  if (!fs_seg_find(u->world, u->fab.me, word, 8, &at.unit, &at.seg, &at.off)) return;
  at.seg = seg_of(at.seg);
  struct ec_race_op *r = ec_race_posted(x->race, here(x, u), EC_RACE_AMO, at.unit, 0);
  ec_race_atomic(x->race, r, at, op != FAB_CPU_STORE, wrote);
  ec_race_completed(x->race, r, EC_RACE_REMOTE);
}

void fs_race_touches(struct fs_unit *u, const void *p, uint64_t len, bool writes) {
  struct fs_race *x = u->world->race;
  struct ec_range at = {.len = len};
  if (!fs_seg_find(u->world, u->fab.me, p, len, &at.unit, &at.seg, &at.off)) return;
  at.seg = seg_of(at.seg);
  if (writes)
    ec_race_store(x->race, here(x, u), at);
  else
    ec_race_load(x->race, here(x, u), at);
}

void fs_race_memory(struct fs_unit *u, fab_seg_t seg, uint64_t off, uint64_t len) {
  ec_race_forget(u->world->race->race, (struct ec_range){u->fab.me, seg_of(seg), off, len});
}

void fs_race_exchange(struct fs_unit *u, const struct fab_exchange *e,
                      enum fab_exchange_step step) {
  struct ec_race *r = u->world->race->race;
  u->in_exchange = step == FAB_EXCHANGE_INSIDE;
  if (e == NULL) return;
  struct ec_race_exchange x = {.key = {(uint64_t)e->first << 32 | seg_of(e->seg), e->off},
                               .seq = e->seq,
                               .members = e->members};
  if (step == FAB_EXCHANGE_ENTERS)
    ec_race_enters(r, u->fab.me, &x);
  else
    ec_race_leaves(r, u->fab.me, &x);
}

void fs_race_barrier(struct fs_world *w) {
  ec_race_barrier(w->race->race);
}

/* -- the detector's life ----------------------------------------------------------------------- */

/* A race of an explored run. */
static void found(void *ctx, const struct ec_race_report *r) {
  struct fs_world *w = ((struct fs_race *)ctx)->w;
  if (w->check == NULL || w->check->failed) return;
  char text[TEXT_BYTES], first[FS_DETECT_WHERE], second[FS_DETECT_WHERE];
  (void)ec_race_text(r, text, sizeof text);
  const struct fs_detect_call a = {(const char *)(uintptr_t)r->first.at.when, r->first.at.site, 0};
  const struct fs_detect_call b = {(const char *)(uintptr_t)r->second.at.when, r->second.at.site,
                                   0};
  fs_check_failed(w, "race: unit %u in %s, unit %u in %s: %s", r->first.at.unit,
                  fs_detect_where(w, &a, first), r->second.at.unit, fs_detect_where(w, &b, second),
                  text);
}

struct fs_race *fs_race_new(struct fs_world *w) {
  union {
    fs_prog_main_fn function;
    const char *object;
  } main_at = {.function = fs_prog_main(w->prog, 0)};
  uint64_t off = 0;
  (void)fs_prog_offset(w->prog, 0, main_at.object, &off);
  struct fs_race *x = must(ec_alloc(sizeof *x));
  *x = (struct fs_race){
      .race = ec_race_new(w->n, true), .w = w, .base = main_at.object - off, .free = NONE};
  x->head = must(ec_alloc(w->n * sizeof *x->head));
  memset(x->head, 0xff, w->n * sizeof *x->head);
  ec_race_listen(x->race, found, x);
  return x;
}

void fs_race_delete(struct fs_race *x) {
  if (x == NULL) return;
  ec_race_destroy(x->race);
  ec_free(x->note);
  ec_free(x->of_op);
  ec_free(x->head);
  ec_free(x->there);
  ec_free(x);
}

void fs_race_restart(struct fs_race *x) {
  ec_race_restart(x->race);
  memset(x->head, 0xff, x->w->n * sizeof *x->head);
  if (x->n_there > 0) memset(x->there, 0xff, x->n_there * sizeof *x->there);
  if (x->ops_cap > 0) memset(x->of_op, 0xff, x->ops_cap * sizeof *x->of_op);
  x->n_notes = 0;
  x->free = NONE;
}

uint32_t fs_race_reports(const struct fs_race *x, const struct ec_race_report **reports) {
  return ec_race_reports(x->race, reports);
}
