/* SPDX-License-Identifier: BSD-3-Clause */
/* deliver.c - the events at which an operation touches memory: its source is read, its parts
 * arrive, its result lands. Declared in op_stages.h, for the main loop (world_run.c) and the
 * untimed engine. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/engine/away.h"
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/wait.h"

unsigned char *sim_deliver_alloc(uint64_t len) {
  unsigned char *p = malloc(len);
  if (p == NULL)
    eyoti_no_memory(len,
                    "the bytes of a transfer; lower EYOT_MAX_OUTSTANDING or transfer less at once");
  return p;
}

void sim_deliver_drop(struct sim_op *op) {
  if (op->len <= SIM_INLINE_BYTES || op->kind == SIM_OP_AMO) return;
  free(op->u.heap);
  op->u.heap = NULL;
}

/* Returns the target memory, or NULL after it has stored the error in the operation: an error that
 * the posting call could not detect. */
static __attribute__((noinline)) void *target_by_call(struct sim_world *w, struct sim_op *op,
                                                      uint32_t seg, uint64_t off, uint64_t len) {
  void *p = sim_seg_at(w, op->target, seg, off, len);
  if (p == NULL && op->err == 0) {
    w->units[op->origin].failed = true;
    op->err = EYOTI_FAIL(EYOT_ESEG,
                         "unit %u: bytes [%" PRIu64 ", +%" PRIu64
                         ") of unit %u, %s %u, are not there when the operation arrives",
                         op->origin, off, len, op->target,
                         seg == FAB_SEG_ATTACHED ? "attached memory" : "segment", seg);
  }
  return p;
}

static inline void *deliver_target(struct sim_world *w, struct sim_op *op, uint32_t seg,
                                   uint64_t off, uint64_t len) {
  void *p = seg < FAB_SEG_MAX ? sim_segs_at(&w->segs, op->target, seg, off, len) : NULL;
  return __builtin_expect(p != NULL, 1) ? p : target_by_call(w, op, seg, off, len);
}

void *sim_deliver_target(struct sim_world *w, struct sim_op *op, uint32_t seg, uint64_t off,
                         uint64_t len) {
  return deliver_target(w, op, seg, off, len);
}

/* Called after the write. */
void sim_deliver_note(struct sim_unit *t, const void *p, uint64_t len, uint32_t origin) {
  sim_unit_wrote(t, p, len, origin);
}

/* Puts of other lengths are recorded only while the unit waits. */
static bool is_word(const void *p, uint64_t len) {
  return (len == 8 || len == 4) && ((uintptr_t)p & (len - 1)) == 0; /* a division is slow */
}

/* Records a put: of a word its bytes, of others, which may be many, only where they lie. */
static inline __attribute__((always_inline)) void deliver_wrote(struct sim_unit *t, const void *p,
                                                                uint64_t len, uint32_t origin) {
  uintptr_t from = (uintptr_t)p;
  if (is_word(p, len)) {
    sim_unit_wrote(t, p, len, origin);
    return;
  }
  if (t->long_to == 0 || from < t->long_from) t->long_from = from;
  if (from + len > t->long_to) t->long_to = from + len;
}

void sim_deliver_wrote(struct sim_unit *t, const void *p, uint64_t len, uint32_t origin) {
  deliver_wrote(t, p, len, origin);
}

/* For wake_waiter: the unit waits for one word, of which [p, p+len) has a byte. */
static __attribute__((noinline)) void wake_waiter_of(struct sim_unit *t, const void *p,
                                                     uint64_t len, uint32_t origin) {
  if (!is_word(p, len)) sim_deliver_note(t, t->wait.word, sim_wait_bytes(t), origin);
  if (!sim_wait_holds(t)) return;
  sim_unit_held(t, sim_wait_value(t));
  sim_unit_ready(t);
}

/* Wakes the unit if it waits for a word with a byte in [p, p+len), which unit `origin` has written,
 * and if the wait's condition now holds. */
static inline void wake_waiter(struct sim_unit *t, const void *p, uint64_t len, uint32_t origin) {
  if (t->state == SIM_WAIT_WORD) {
    if (sim_wait_overlaps(t->wait.word, sim_wait_bytes(t), p, len))
      wake_waiter_of(t, p, len, origin);
  } else if (t->state == SIM_WAIT_ANY) {
    sim_wait_any_wake(t, p, len);
  }
}

/* Returns the part that contains word i of the payload (counted in aligned words of the target). */
uint64_t sim_deliver_part_of(const struct sim_op *op, uint64_t i) {
  switch ((enum sim_split)op->split) {
    case SIM_SPLIT_HEAD:
      return i >= op->cut;
    case SIM_SPLIT_TAIL:
      return i < op->cut;
    case SIM_SPLIT_EVEN:
      return i % 2;
    case SIM_SPLIT_ODD:
      return (i + 1) % 2;
    case SIM_SPLIT_ALL:
      return 0;
    case SIM_SPLIT_EACH:
      return i % op->cut;
  }
  return 0;
}

void sim_deliver_copy(const struct sim_op *op, unsigned char *to, const unsigned char *from,
                      uint32_t part) {
  uint64_t i = 0;
  for (uint64_t at = 0; at < op->len; i++) {
    uint64_t n = 8 - (op->off + at) % 8;
    if (n > op->len - at) n = op->len - at;
    if (sim_deliver_part_of(op, i) == part) memcpy(to + at, from + at, n);
    at += n;
  }
}

void sim_deliver_snap(struct sim_world *w, struct sim_op *op) {
  (void)w;
  op->u.heap = sim_deliver_alloc(op->len);
  memcpy(op->u.heap, op->local, op->len);
}

void sim_deliver_part(struct sim_world *w, struct sim_op *op) {
  if (__builtin_expect(w->faults != NULL, 0) && sim_fault_is_lost(w, op)) return;
  if (__builtin_expect(w->away != NULL, 0) && sim_away_holds_part(w, op)) {
    op->flags &= (uint16_t)~SIM_F_SPLIT;
    return;
  }
  unsigned char *to = sim_deliver_target(w, op, op->seg, op->off, op->len);
  if (to == NULL) return;
  sim_deliver_copy(op, to, sim_op_payload(op), 0);
  wake_waiter(&w->units[op->target], to, op->len, op->origin);
}

static inline __attribute__((always_inline)) void deliver_signal(struct sim_unit *t, uint64_t *word,
                                                                 const struct sim_op *op) {
  *word = op->sig_op == FAB_SIG_ADD ? *word + op->value : op->value;
  sim_deliver_note(t, word, 8, op->origin);
  if (sim_observed(t->world)) sim_observe_signaled(t->world, op);
}

void sim_deliver_signal(struct sim_unit *t, uint64_t *word, const struct sim_op *op) {
  deliver_signal(t, word, op);
}

/* `kind` and `len` are the operation's: constants for the usual put, of a word. */
static inline __attribute__((always_inline)) void deliver_bytes(struct sim_world *w,
                                                                struct sim_op *op,
                                                                enum sim_op_kind kind,
                                                                uint64_t len) {
  struct sim_unit *t = &w->units[op->target];
  const uint32_t origin = op->origin;
  unsigned char *to = NULL;
  if (len > 0 && (to = deliver_target(w, op, op->seg, op->off, len)) != NULL) {
    if ((op->flags & SIM_F_SPLIT) != 0)
      sim_deliver_copy(op, to, sim_op_payload(op), 1);
    else
      sim_op_copy(to, sim_op_payload(op), len);
    deliver_wrote(t, to, len, origin);
    if (sim_observed(w) && sim_op_is_word_put(op)) sim_observe_arrived(w, op);
  }
  uint64_t *word = NULL;
  if (kind == SIM_OP_SIGNAL && op->err == 0 &&
      (word = deliver_target(w, op, op->sig_seg, op->value2, 8)) != NULL)
    deliver_signal(t, word, op);
  if (len > SIM_INLINE_BYTES) sim_deliver_drop(op);
  op->flags |= SIM_F_DELIVERED;
  /* From here on the woken unit may do anything. The second call checks the unit's wait as it is by
   * then. */
  if (word != NULL) wake_waiter(t, word, 8, origin);
  if (to != NULL) wake_waiter(t, to, len, origin);
}

static void deliver_get(struct sim_world *w, struct sim_op *op) {
  if (op->len > SIM_INLINE_BYTES) op->u.heap = sim_deliver_alloc(op->len);
  const void *from = deliver_target(w, op, op->seg, op->off, op->len);
  if (from != NULL) sim_op_copy(sim_op_payload(op), from, op->len);
  op->flags |= SIM_F_DELIVERED;
}

/* Returns the word, or NULL: it is not there. */
static inline __attribute__((always_inline)) void *deliver_amo(struct sim_world *w,
                                                               struct sim_op *op) {
  struct sim_unit *t = &w->units[op->target];
  op->flags |= SIM_F_DELIVERED;
  void *word = deliver_target(w, op, op->seg, op->off, op->width);
  if (word == NULL) return NULL;
  struct fab_amo amo = {.op = (enum fab_amo_op)op->amo_op,
                        .width = op->width,
                        .operand = op->value,
                        .compare = op->value2};
  if (op->width == 8) {
    uint64_t old = *(uint64_t *)word;
    op->value = old;
    *(uint64_t *)word = fab_amo_apply(&amo, old);
  } else {
    amo.compare = (uint32_t)amo.compare;
    uint32_t old = *(uint32_t *)word;
    op->value = old;
    *(uint32_t *)word = (uint32_t)fab_amo_apply(&amo, old);
  }
  if (amo.op != FAB_AMO_READ) sim_unit_wrote(t, word, op->width, op->origin);
  if (sim_observed(w)) sim_observe_updated(w, op);
  return word;
}

void sim_deliver_amo(struct sim_world *w, struct sim_op *op) {
  (void)deliver_amo(w, op);
}

/* Whether a fault or its target keeps the operation from taking effect now. */
static __attribute__((noinline)) bool deliver_later(struct sim_world *w, struct sim_op *op) {
  if (w->faults != NULL && w->fault_ops->arrives(w, op)) return true;
  return w->away != NULL && sim_away_arrives(w, op);
}

void sim_deliver(struct sim_world *w, struct sim_op *op) {
  w->ops++;
  if (__builtin_expect(w->slips, 0) && deliver_later(w, op)) return;
  if (op->kind == SIM_OP_PUT && op->len == sizeof(uint64_t)) {
    deliver_bytes(w, op, SIM_OP_PUT, sizeof(uint64_t));
    return;
  }
  if (op->kind == SIM_OP_PUT || op->kind == SIM_OP_SIGNAL) {
    deliver_bytes(w, op, (enum sim_op_kind)op->kind, op->len);
    return;
  }
  const void *word = NULL; /* of an atomic */
  if (op->kind == SIM_OP_GET)
    deliver_get(w, op);
  else
    word = deliver_amo(w, op);
  if (sim_flow_is_open(op))
    sim_flow_respond(w, op);
  else if ((op->flags & SIM_F_LANDS) != 0)
    sim_world_push(w, op->done_at, SIM_EV_LAND, op->index);
  if (word != NULL && op->amo_op != FAB_AMO_READ && op->err == 0)
    wake_waiter(&w->units[op->target], word, op->width, op->origin);
}

void sim_deliver_land(struct sim_world *w, struct sim_op *op) {
  struct sim_unit *u = &w->units[op->origin];
  uint64_t len = sim_op_result_bytes(op);
  if (op->err == 0 && op->kind == SIM_OP_GET) sim_op_copy(op->local, sim_op_payload(op), len);
  if (op->err == 0 && op->kind == SIM_OP_AMO) fab_amo_store(op->local, op->narrow, op->value);
  sim_deliver_drop(op);
  op->flags |= SIM_F_LANDED;
  /* a result may be the word that the unit waits for */
  if (op->err == 0 && (u->state == SIM_WAIT_WORD || u->state == SIM_WAIT_ANY))
    wake_waiter(u, op->local, len, op->origin);
  if (u->state == SIM_WAIT_OP && u->wait_op == op) sim_unit_ready(u);
}
