/* SPDX-License-Identifier: BSD-3-Clause */
/* deliver.c - the effects of operations in the fake fabric: piece by piece, in any order that the
 * contract allows. */

/* Two rules restrict it. An *epoch* (fab_order) to a target holds back later operations to that
 * target. A *released* put (one to the same node that is reported as remotely complete while it
 * sits in the origin's store buffer) must be visible before anything that the origin posts
 * afterwards; it is drained when that takes effect, and not before: this is what store buffers of
 * CPUs do. */
#include <stdlib.h>
#include <string.h>

#include "fake/state.h"

#define WORD 8u
#define SLOW 2u /* slow operations of each 8 */
/* of 8 times that a slow operation, or a put in the store buffer, is picked, it stays unchanged so
 * often */
#define SKIPS 7u

uint32_t fake_node_units(const struct fake_world *w) {
  return w->o.units_per_node;
}
bool fake_same_node(const struct fake_world *w, uint32_t a, uint32_t b) {
  return a / fake_node_units(w) == b / fake_node_units(w);
}

char *fake_resolve(struct fake_world *w, uint32_t unit, fab_seg_t seg, uint64_t off, uint64_t len) {
  if (seg != FAB_SEG_ATTACHED) {
    const struct fake_seg *s = &w->segs[seg];
    return s->base == NULL ? NULL : s->base + unit * s->stride + off;
  }
  const struct fake_unit *u = &w->units[unit];
  for (uint32_t i = 0; i < u->n_ranges; i++) {
    const struct fake_range *r = &u->ranges[i];
    if (!r->live && w->o.fault != FAKE_DETACH_OPEN) continue;
    if (off >= r->key && len <= r->len && off - r->key <= r->len - len)
      return r->addr + (off - r->key);
  }
  return NULL;
}

void fake_op_free(struct fake_op *op) {
  free(op->buf);
  free(op);
}

/* The number of words of [off, +len) at the target; the first and last may be partial. */
static uint64_t words_of(const struct fake_op *op) {
  return op->len == 0 ? 0 : (op->off + op->len - 1) / WORD - op->off / WORD + 1;
}

void fake_post(struct fake_world *w, struct fake_op *op) {
  if (w->n_pending == w->cap_pending) {
    w->cap_pending = w->cap_pending == 0 ? 64 : w->cap_pending * 2;
    w->pending = fake_grow(w->pending, w->cap_pending * sizeof *w->pending);
  }
  uint64_t words = words_of(op);
  op->mask = words == 0 ? 0 : words >= FAKE_MASK_WORDS ? UINT64_MAX : (1ull << words) - 1;
  op->seq = w->next_seq++;
  op->slow = fake_chance(w, SLOW);
  w->pending[w->n_pending++] = op;
  w->units[op->origin].inflight++;
}

static void finish(struct fake_world *w, struct fake_op *op) {
  op->done = op->acted = op->sourced = true;
  uint32_t i = 0;
  while (w->pending[i] != op) i++;
  memmove(&w->pending[i], &w->pending[i + 1], (w->n_pending - i - 1) * sizeof *w->pending);
  w->n_pending--;
  struct fake_unit *u = &w->units[op->origin];
  u->inflight--;
  if (op->has_req) return; /* freed when its request is retired */
  fake_keep_error(u, op);
  fake_op_free(op);
}

static bool must_precede(const struct fake_world *w, const struct fake_op *a,
                         const struct fake_op *b) {
  if (a->origin != b->origin || a->seq >= b->seq) return false;
  if (a->released && a->rel_seq <= b->seq && w->o.fault != FAKE_NO_RELEASE)
    if (!(w->o.fault == FAKE_AMO_NO_BARRIER && b->kind == FAKE_AMO)) return b->kind != FAKE_GET;
  if (b->kind == FAKE_GET || a->kind == FAKE_GET || a->target != b->target) return false;
  if (w->o.mode == FAKE_DELAY && b->kind != FAKE_GET) return true;
  if (w->o.fault == FAKE_NO_ORDER) return false;
  return a->epoch < b->epoch ||
         (a->set == b->set && a->seq < b->after && w->o.fault != FAKE_SET_NO_ORDER);
}

static bool overlap(const struct fake_op *a, const struct fake_op *b) {
  if (a->target != b->target) return false;
  if (a->seg == b->seg && a->off < b->off + b->len && b->off < a->off + a->len) return true;
  return a->kind == FAKE_SIG && a->sig.at.seg == b->seg && a->sig.at.off < b->off + b->len &&
         b->off < a->sig.at.off + WORD;
}

/* True if op may move now without passing operations that must precede it. Released puts do not
 * hold it back: they are drained. */
static bool free_to_move(const struct fake_world *w, const struct fake_op *op) {
  for (uint32_t i = 0; i < w->n_pending && w->pending[i] != op; i++)
    if (!w->pending[i]->released && must_precede(w, w->pending[i], op)) return false;
  return true;
}

/* Completes all operations that must precede op, oldest first: each finds its own predecessors
 * complete. */
static void precede(struct fake_world *w, const struct fake_op *op) {
  for (uint32_t i = 0; i < w->n_pending && w->pending[i] != op;) {
    struct fake_op *a = w->pending[i];
    /* A unit sees its own stores, in the buffer or not. */
    bool own = op->kind == FAKE_GET && a->released && a->origin == op->origin && overlap(a, op);
    if (own || must_precede(w, a, op)) {
      fake_complete(w, a);
      i = 0;
    } else {
      i++;
    }
  }
}

void fake_drain(struct fake_unit *u) {
  struct fake_world *w = u->w;
  for (uint32_t i = 0; i < w->n_pending;) {
    struct fake_op *a = w->pending[i];
    if (a->origin == u->fab.me && a->released) {
      fake_complete(w, a);
      i = 0;
    } else {
      i++;
    }
  }
}

/* Moves bytes [from, to) of the operation between the buffer and the target. */
static void move(struct fake_op *op, char *at, uint64_t from, uint64_t to) {
  if (op->kind == FAKE_GET)
    memcpy(op->buf + from, at + from, to - from);
  else
    memcpy(at + from, op->buf + from, to - from);
}

/* Byte range of target word k, as bytes of the operation. */
static void word_range(const struct fake_op *op, uint64_t k, uint64_t *from, uint64_t *to) {
  uint64_t base = op->off - op->off % WORD;
  *from = k == 0 ? 0 : base + k * WORD - op->off;
  *to = base + (k + 1) * WORD - op->off < op->len ? base + (k + 1) * WORD - op->off : op->len;
}

static void move_masked(struct fake_world *w, struct fake_op *op, char *at, bool all) {
  uint64_t pick = all || fake_chance(w, 4) ? UINT64_MAX : fake_random(w);
  uint64_t words = words_of(op);
  for (uint64_t k = 0; k < words; k++) {
    if ((op->mask & pick & (1ull << k)) == 0) continue;
    uint64_t from, to;
    word_range(op, k, &from, &to);
    if (w->o.fault == FAKE_TORN_PUT && op->kind != FAKE_GET && to - from == WORD && !all &&
        fake_chance(w, 2)) {
      move(op, at, from, from + WORD / 2); /* the other half moves at a later pick */
      continue;
    }
    move(op, at, from, to);
    op->mask &= ~(1ull << k);
  }
  op->acted = op->mask == 0;
}

static void move_long(struct fake_world *w, struct fake_op *op, char *at, bool all) {
  uint64_t left = op->len - op->head - op->tail;
  uint64_t part = all || fake_chance(w, 1) ? left : fake_random(w) % left;
  bool front = fake_chance(w, 4);
  /* The cut is at a word boundary of the target. */
  if (part < left) {
    uint64_t cut = front ? op->off + op->head + part : op->off + op->len - op->tail - part;
    uint64_t down = cut % WORD;
    if (front)
      part = part > down ? part - down : 0;
    else
      part = part + down < left ? part + down : left;
  }
  if (front) {
    move(op, at, op->head, op->head + part);
    op->head += part;
  } else {
    move(op, at, op->len - op->tail - part, op->len - op->tail);
    op->tail += part;
  }
  op->acted = op->head + op->tail == op->len;
}

static void move_bytes(struct fake_world *w, struct fake_op *op, bool all) {
  char *at = op->len == 0 ? NULL : fake_resolve(w, op->target, op->seg, op->off, op->len);
  if (op->len > 0 && at == NULL) {
    op->err = EYOTI_FAIL(
        EYOT_ERANGE,
        "unit %u has no memory attached at %#llx (+%llu); it was detached, or never attached",
        op->target, (unsigned long long)op->off, (unsigned long long)op->len);
    op->acted = true;
    return;
  }
  if (w->o.fault == FAKE_SHORT_PUT && op->kind != FAKE_GET && op->len > 1 && op->len % 2 == 1)
    memcpy(op->buf + op->len - 1, at + op->len - 1, 1);
  if (op->len == 0)
    op->acted = true;
  else if (words_of(op) <= FAKE_MASK_WORDS)
    move_masked(w, op, at, all);
  else
    move_long(w, op, at, all);
  if (op->len > 0 && op->kind != FAKE_GET) fake_wrote(&w->units[op->target], at, op->len);
}

static void signal_now(struct fake_world *w, struct fake_op *op) {
  uint64_t *word =
      (uint64_t *)(void *)fake_resolve(w, op->target, op->sig.at.seg, op->sig.at.off, WORD);
  if (word == NULL) {
    op->err = EYOTI_FAIL(EYOT_ERANGE, "unit %u has no memory attached for a signal at %#llx",
                         op->target, (unsigned long long)op->sig.at.off);
    return;
  }
  *word = op->sig.op == FAB_SIG_SET || w->o.fault == FAKE_SIG_ADD_SETS ? op->sig.value
                                                                       : *word + op->sig.value;
}

/* Reads or writes the word of an atomic. */
static bool amo_word(struct fake_world *w, struct fake_op *op, uint64_t *value, bool write) {
  char *at = fake_resolve(w, op->target, op->seg, op->off, op->amo.width);
  if (at == NULL) {
    op->err = EYOTI_FAIL(EYOT_ERANGE, "unit %u has no memory attached for an atomic at %#llx",
                         op->target, (unsigned long long)op->off);
    return false;
  }
  uint64_t width = write && w->o.fault == FAKE_WIDE_AMO ? WORD : op->amo.width;
  if (write) {
    memcpy(at, value, width);
  } else {
    *value = 0;
    memcpy(value, at, op->amo.width);
  }
  return true;
}

static void amo_act(struct fake_world *w, struct fake_op *op, bool all) {
  struct fab_amo amo = op->amo;
  uint64_t low = amo.width == 4 ? UINT32_MAX : UINT64_MAX;
  amo.operand &= low;
  amo.compare &= low;
  /* reads now, writes at the next step */
  if (w->o.fault == FAKE_LOST_AMO && !op->sourced && !all) {
    op->sourced = amo_word(w, op, &op->old, false);
    op->acted = !op->sourced;
    return;
  }
  op->acted = true;
  if (!op->sourced && !amo_word(w, op, &op->old, false)) return;
  uint64_t value = fab_amo_apply(&amo, op->old) & low;
  if (amo.op != FAB_AMO_READ) (void)amo_word(w, op, &value, true);
  if (w->o.fault == FAKE_OLD_IS_NEW) op->old = value;
}

/* Writes the result at the origin. */
static void land(const struct fake_world *w, struct fake_op *op) {
  if (op->err != 0) return;
  if (op->kind == FAKE_GET && op->len > 0) memcpy(op->local, op->buf, op->len);
  if (op->kind != FAKE_AMO || op->old_to == NULL) return;
  if (w->o.fault == FAKE_WIDE_RESULT)
    memcpy(op->old_to, &op->old, sizeof op->old); /* at any alignment */
  else
    fab_amo_store(op->old_to, op->amo.narrow, op->old);
}

/* Names the memory of the origin that the operation still uses, or NULL. */
static const char *still_used(const struct fake_op *op) {
  if (op->kind == FAKE_AMO) return (const char *)op->old_to;
  if (op->len == 0 || (op->kind != FAKE_GET && op->sourced)) return NULL;
  return (const char *)op->local;
}

/* The caller's frame is live; frames beyond this one are not. */
__attribute__((noinline)) bool fake_stack_in_use(const struct fab *f, bool dead) {
  const struct fake_unit *u = (const struct fake_unit *)(const void *)f;
  const struct fake_world *w = u->w;
  const char *end = dead ? (const char *)__builtin_frame_address(0) : u->stack + FAKE_STACK_BYTES;
  for (uint32_t i = 0; i < w->n_pending && !w->down; i++) {
    const char *p = w->pending[i]->origin == f->me ? still_used(w->pending[i]) : NULL;
    if (p != NULL && p >= u->stack && p < end) return true;
  }
  return false;
}

/* Makes one step of an operation; `all`: all steps. */
static void advance(struct fake_world *w, struct fake_op *op, bool all) {
  bool put = op->kind == FAKE_PUT || op->kind == FAKE_SIG;
  if (put && !op->sourced) {
    if (op->len > 0) memcpy(op->buf, op->local, op->len);
    op->sourced = true;
    if (!all && fake_chance(w, 4)) return;
  }
  precede(w, op);
  if (w->o.fault == FAKE_SIGNAL_FIRST && op->kind == FAKE_SIG && !op->acted &&
      op->sig.at.seg != UINT32_MAX - 1) {
    signal_now(w, op);
    op->sig.at.seg = UINT32_MAX - 1; /* signaled */
    if (!all) return;
  }
  if (!op->acted) {
    if (op->kind == FAKE_AMO)
      amo_act(w, op, all);
    else
      move_bytes(w, op, all);
    if (!op->acted || (!all && op->kind != FAKE_PUT && fake_chance(w, 4))) return;
  }
  if (op->kind == FAKE_SIG && op->err == 0 && op->sig.at.seg != UINT32_MAX - 1) signal_now(w, op);
  land(w, op);
  finish(w, op);
}

void fake_complete(struct fake_world *w, struct fake_op *op) {
  precede(w, op);
  advance(w, op, true);
}

bool fake_deliver_any(struct fake_world *w, bool must) {
  /* units that clean up after a failure have left their buffers */
  if (w->n_pending == 0 || w->down) return false;
  uint32_t from = (uint32_t)(fake_random(w) % w->n_pending);
  for (uint32_t k = 0; k < w->n_pending; k++) {
    struct fake_op *op = w->pending[(from + k) % w->n_pending];
    if (!free_to_move(w, op)) continue;
    if (!must && (op->slow || op->released) && fake_chance(w, SKIPS)) continue;
    advance(w, op, false);
    return true;
  }
  return false;
}
