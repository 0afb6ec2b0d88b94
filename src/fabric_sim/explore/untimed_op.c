/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_op.c - operations in the untimed engine: divides them into parts, decides when each part
 * may arrive, and executes its arrival. See untimed.h.
 *
 * The fields of an operation that hold times in the timed engine (engine/op.h) here hold numbers of
 * the origin's own sequence of posts, orders and releases: post_at when it was posted, target_at
 * when it was released (the origin knows that it is complete though it is still in the store
 * buffer; 0 until then), ordered_at the last order of all sets that concerned its target before it,
 * set_ordered_at the last of its set alone (0: none). */
#include "fabric_sim/explore/untimed_op.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/untimed_fault.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"
#include "fabric_sim/explore/untimed_tso.h"
#include "fabric_sim/explore/untimed_unit.h"
#include "fabric_sim/explore/untimed_wait.h"

#define FINE_PARTS 4u /* groups of words that arrive one by one */
#define SPLIT_ONE_IN 4u

static uint64_t untimed_words_of(const struct sim_op *op) {
  return op->len == 0 ? 0 : (op->off + op->len + 7) / 8 - op->off / 8;
}

/* Chooses the number of processes of the operation, and the words of each. */
static uint32_t choose_parts(struct sim_world *w, struct sim_op *op) {
  uint64_t words = untimed_words_of(op);
  op->split = SIM_SPLIT_EACH;
  op->cut = 1;
  if (op->kind == SIM_OP_AMO) return sim_untimed_is_tso(w) && op->amo_op != FAB_AMO_READ ? 2 : 1;
  bool signal = op->kind == SIM_OP_SIGNAL;
  if (w->opt.order == EYOTI_ORDER_STRICT) return 1;
  if (w->untimed->fine) {
    op->cut = (uint32_t)(words < FINE_PARTS ? words : FINE_PARTS);
    if (op->cut == 0) op->cut = 1;
    return op->cut + (signal && words > 0 ? 1 : 0);
  }
  if (words < 2 && !(signal && words > 0)) return 1;
  if (sim_untimed_draw(w, SPLIT_ONE_IN) == 0) return 1;
  if (words < 2) {
    op->split = SIM_SPLIT_ALL;
  } else {
    op->split = (uint8_t)sim_untimed_draw(w, signal ? SIM_SPLITS : SIM_SPLITS - 1);
    if (op->split == SIM_SPLIT_HEAD || op->split == SIM_SPLIT_TAIL)
      op->cut = 1 + sim_untimed_draw(
                        w, words - 1 < UINT32_MAX - 1 ? (uint32_t)(words - 1) : UINT32_MAX - 1);
  }
  return 2;
}

static bool untimed_overlap(const struct sim_op *a, const struct sim_op *get) {
  bool bytes = a->seg == get->seg && a->off < get->off + get->len &&
               get->off < a->off + (a->kind == SIM_OP_AMO ? a->width : a->len);
  bool sig = a->kind == SIM_OP_SIGNAL && a->sig_seg == get->seg &&
             a->value2 < get->off + get->len && get->off < a->value2 + 8;
  return bytes || sig;
}

/* Whether `op` must wait for the completion of `o`, which the same unit posted before it and which
 * is not complete. */
static bool held_by(const struct sim_world *w, const struct sim_op *op, const struct sim_op *o) {
  bool released = o->target_at != 0 && o->target_at < op->post_at;
  if (w->opt.order == EYOTI_ORDER_STRICT)
    return o->target == op->target || (released && op->kind != SIM_OP_GET);
  if (op->kind == SIM_OP_GET) return released && o->target == op->target && untimed_overlap(o, op);
  uint32_t ordered_at = op->ordered_at;
  if (o->set == op->set && op->set_ordered_at > ordered_at) ordered_at = op->set_ordered_at;
  return released || (o->target == op->target && o->kind != SIM_OP_GET && o->post_at < ordered_at);
}

/* Whether a released operation holds `op` back. */
static bool held_by_released(struct sim_unit *u, const struct sim_op *op) {
  uint32_t left = sim_untimed_unit_of(u)->n_released;
  for (const struct sim_op *o = u->head; left > 0 && o != op; o = sim_inflight_next(u, NULL, o)) {
    if (o->target_at == 0) continue;
    if (held_by(u->world, op, o)) return true;
    left--;
  }
  return false;
}

/* Whether an earlier operation to the same target holds `op` back, released ones left aside: of
 * those that could, only the first need be compared. */
static bool held_by_target(struct sim_unit *u, const struct sim_op *op) {
  bool strict = u->world->opt.order == EYOTI_ORDER_STRICT;
  if (!strict && (op->kind == SIM_OP_GET || (op->ordered_at | op->set_ordered_at) == 0))
    return false;
  const struct sim_target *t; /* one for each set */
  for (uint32_t i = 0; (t = sim_inflight_record(u, FAB_SET_ALL, op->target, &i)) != NULL;) {
    const struct sim_op *o = sim_inflight_first(u, t);
    while (o != NULL && o != op && !strict && o->kind == SIM_OP_GET) o = sim_inflight_next(u, t, o);
    if (o != NULL && o->post_at < op->post_at && held_by(u->world, op, o)) return true;
  }
  return false;
}

static bool may_arrive(struct sim_unit *u, const struct sim_op *op) {
  return !op->unread && !held_by_target(u, op) && !held_by_released(u, op);
}

/* The signal of an operation of several parts is the last of them, and waits for the others. */
static bool is_last_signal(const struct sim_op *op, uint32_t part) {
  return op->kind == SIM_OP_SIGNAL && op->parts > 1 && part == op->parts - 1u &&
         (op->split == SIM_SPLIT_EACH || op->split == SIM_SPLIT_ALL);
}

/* The second part of an atomic is its write. */
static bool comes_last(const struct sim_op *op, uint32_t part) {
  return is_last_signal(op, part) || (op->kind == SIM_OP_AMO && part > 0);
}

/* again: they were offered or withdrawn before, and this step changes nothing but that. */
static void offer_those(struct sim_world *w, struct sim_op *op, bool again) {
  bool tso = sim_untimed_is_tso(w);
  for (uint32_t k = 0; k < op->parts; k++) {
    if ((op->left & 1u << k) == 0 || (comes_last(op, k) && op->left != 1u << k)) continue;
    if (tso && !again) sim_untimed_tso_look(w, op, k);
    if (tso && sim_untimed_tso_held(w, op, k))
      sim_untimed_withdraw(w, op->first_proc + k);
    else
      sim_untimed_offer(w, op->first_proc + k, false);
  }
}

static void offer_parts(struct sim_world *w, struct sim_op *op) {
  if ((op->flags & SIM_F_OFFERED) == 0) w->untimed->run->units[op->origin].n_held--;
  op->flags |= SIM_F_OFFERED;
  offer_those(w, op, false);
}

/* Offers the parts that had to wait for an atomic's write, and need not any more. */
static void offer_again(struct sim_world *w) {
  for (uint32_t i = 0; i < w->n; i++)
    for (struct sim_op *op = w->units[i].head; op != NULL;
         op = sim_inflight_next(&w->units[i], NULL, op))
      if ((op->flags & (SIM_F_OFFERED | SIM_F_LOST)) == SIM_F_OFFERED) offer_those(w, op, true);
}

/* Stores the numbers of the last orders that concern the operation. */
static void note_orders(struct sim_unit *u, struct sim_op *op) {
  const struct sim_target *t;
  uint64_t last = sim_untimed_unit_of(u)->ordered_at;
  for (uint32_t i = 0; (t = sim_inflight_record(u, FAB_SET_ALL, op->target, &i)) != NULL;)
    if (t->ordered_at > last) last = t->ordered_at;
  EYOTI_ASSERT(sim_untimed_unit_of(u)->sequence <= UINT32_MAX);
  op->ordered_at = (uint32_t)last;
  op->set_ordered_at = (uint32_t)sim_inflight_of(u, op)->set_ordered_at;
}

void sim_untimed_post(struct sim_unit *u, struct sim_op *op) {
  struct sim_world *w = u->world;
  struct sim_untimed_unit *cu = &w->untimed->run->units[u->fab.me];
  while (u->listed >= w->opt.max_outstanding) sim_untimed_wait_cap(u);
  op->origin = u->fab.me;
  op->err = 0;
  op->post_at = ++cu->sequence;
  op->sent_ps = op->target_at = 0;
  op->unread = 0;
  op->parts = (uint8_t)choose_parts(w, op);
  op->left = (uint8_t)((1u << op->parts) - 1);
  sim_inflight_add(u, op);
  struct sim_target *t = sim_inflight_of(u, op);
  note_orders(u, op);
  cu->n_held++;
  if (__builtin_expect(w->faults != NULL, 0)) {
    sim_untimed_touch_way(w, op);
    if (w->faults->cut && sim_fault_between(w, w->faults->ends, op)) op->flags |= SIM_F_CUT;
  }
  if (sim_untimed_carries_bytes(op)) {
    /* On any path: the contract promises no store-to-load order between nodes either. Not for a
     * unit's own memory, since its plain loads would miss a store that is held back, and not for
     * attached memory, since only its delivery knows whether it is still attached. */
    bool late = op->origin != op->target && op->seg != FAB_SEG_ATTACHED;
    if (late && w->opt.order != EYOTI_ORDER_STRICT &&
        (w->faults == NULL || !sim_fault_is_lost(w, op)))
      op->flags |= SIM_F_BUFFERED;
    if (op->len > SIM_INLINE_BYTES) op->u.heap = sim_deliver_alloc(op->len);
    op->unread = sim_untimed_is_tso(w) && op->len > 0;
    if (op->len > 0 && !op->unread) memcpy(sim_op_payload(op), op->local, op->len);
  } else if (op->kind == SIM_OP_GET && op->len > SIM_INLINE_BYTES) {
    op->u.heap = sim_deliver_alloc(op->len);
  }
  if (!sim_untimed_is_done(op, FAB_LOCAL)) {
    op->flags |= SIM_F_PENDING;
    sim_untimed_pending(u, t, 1);
  }
  sim_detect_post(u, op);
  op->first_proc = sim_untimed_new_proc(w, false, op->index, 0);
  for (uint32_t k = 1; k < op->parts; k++) (void)sim_untimed_new_proc(w, false, op->index, k);
  if (w->untimed->step_report != NULL) sim_step_report_post(u, op);
  if (op->unread)
    sim_untimed_offer(w, sim_untimed_new_proc(w, false, op->index, SIM_UNTIMED_SOURCE), false);
  if (may_arrive(u, op)) offer_parts(w, op);
}

/* Offers the operations of a record, or (t NULL) all, that nothing holds back any more. */
static void offer_held_of(struct sim_unit *u, const struct sim_target *t) {
  for (struct sim_op *o = sim_inflight_first(u, t); o != NULL; o = sim_inflight_next(u, t, o)) {
    if ((o->flags & SIM_F_OFFERED) != 0) continue;
    if (may_arrive(u, o))
      offer_parts(u->world, o);
    else if (t != NULL && !o->unread && o->kind != SIM_OP_GET && held_by_target(u, o))
      break; /* and so are all later ones of the record */
  }
}

/* Of those to `unit`, or FAB_ALL. */
static void offer_held(struct sim_unit *u, fab_unit_t unit) {
  const struct sim_target *t;
  if (unit == FAB_ALL)
    offer_held_of(u, NULL);
  else
    for (uint32_t i = 0; (t = sim_inflight_record(u, FAB_SET_ALL, unit, &i)) != NULL;)
      offer_held_of(u, t);
}

/* All parts have arrived: the operation is complete, and its waiters can continue. */
static void untimed_complete(struct sim_world *w, struct sim_op *op) {
  struct sim_unit *u = &w->units[op->origin];
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  bool released = op->target_at != 0;
  uint32_t target = op->target;
  sim_untimed_completed(u, op);
  sim_untimed_locally_complete(w, op);
  op->flags |= SIM_F_DELIVERED;
  /* its result has landed */
  if (sim_op_has_result(op)) sim_untimed_touch_own(w, op->origin, false);
  sim_deliver_drop(op);
  sim_reap_one(u, op); /* may free it: not to be used any more */
  if (released) cu->n_released--;
  if (cu->n_held > 0) offer_held(u, released ? FAB_ALL : target);
  sim_untimed_unit_look(u);
}

/* Reports the words of the part as accesses of the step; t: and as written to its unit. */
static void touch_part(struct sim_world *w, const struct sim_op *op, const unsigned char *memory,
                       uint32_t part, struct sim_unit *t) {
  bool waits = t != NULL && (t->state == SIM_WAIT_WORD || t->state == SIM_WAIT_ANY);
  if (!w->untimed->record && !waits) return;
  uint64_t i = 0;
  for (uint64_t at = 0; at < op->len; i++) {
    uint64_t n = 8 - (op->off + at) % 8;
    if (n > op->len - at) n = op->len - at;
    if (sim_deliver_part_of(op, i) == part) {
      sim_untimed_touch(w, memory + at, n, t != NULL);
      if (waits) sim_untimed_written(t, memory + at, n);
    }
    at += n;
  }
}

static void put_part(struct sim_world *w, struct sim_op *op, uint32_t part, bool last) {
  struct sim_unit *t = &w->units[op->target];
  bool signal = op->kind == SIM_OP_SIGNAL && last, bytes = op->len > 0 && !is_last_signal(op, part);
  unsigned char *to = bytes ? sim_deliver_target(w, op, op->seg, op->off, op->len) : NULL;
  uint64_t *word =
      signal && op->err == 0 ? sim_deliver_target(w, op, op->sig_seg, op->value2, 8) : NULL;
  if (to != NULL) {
    sim_deliver_copy(op, to, sim_op_payload(op), part);
    sim_deliver_wrote(t, to, op->len, op->origin);
    if (sim_observed(w) && sim_op_is_word_put(op)) sim_observe_arrived(w, op);
    touch_part(w, op, to, part, t);
  }
  if (word != NULL) {
    sim_deliver_signal(t, word, op);
    sim_untimed_touch(w, word, 8, true);
    sim_untimed_tso_signal(w, word);
    sim_untimed_written(t, word, 8);
  }
}

/* A result has landed: in memory that others address, or that the unit waits for, it is a write. */
static void landed(struct sim_world *w, const struct sim_op *op, uint64_t len) {
  struct sim_unit *u = &w->units[op->origin];
  uint64_t off;
  uint32_t unit, seg;
  if (w->untimed->record && sim_seg_find(w, op->origin, op->local, len, &unit, &seg, &off))
    sim_untimed_touch(w, op->local, len, true);
  sim_untimed_written(u, op->local, len);
}

static void get_part(struct sim_world *w, struct sim_op *op, uint32_t part, bool last) {
  unsigned char *from = sim_deliver_target(w, op, op->seg, op->off, op->len);
  if (from != NULL) {
    sim_deliver_copy(op, sim_op_payload(op), from, part);
    touch_part(w, op, from, part, NULL);
  }
  if (last) sim_detect_land(w, op);
  if (!last || op->err != 0) return;
  memcpy(op->local, sim_op_payload(op), op->len);
  landed(w, op, op->len);
}

static void untimed_amo(struct sim_world *w, struct sim_op *op) {
  sim_deliver_amo(w, op);
  sim_detect_land(w, op);
  if (op->err != 0) return;
  if (op->local != NULL) {
    fab_amo_store(op->local, op->narrow, op->value);
    landed(w, op, sim_op_result_bytes(op));
  }
  unsigned char *word = sim_seg_at(w, op->target, op->seg, op->off, op->width);
  bool write = op->amo_op != FAB_AMO_READ;
  sim_untimed_touch(w, word, op->width, write);
  if (write) sim_untimed_written(&w->units[op->target], word, op->width);
}

/* True: the part is lost, and the origin gets the error. */
static bool arrives_lost(struct sim_world *w, struct sim_op *op) {
  sim_untimed_touch_alive(w, op->origin, false);
  sim_untimed_touch_way(w, op);
  if (!sim_fault_is_lost(w, op)) return false;
  op->err = EYOT_EPEERDOWN;
  w->units[op->origin].failed = true;
  return true;
}

/* Whether an operation that its origin knows complete waits for `op`, so that `op` must arrive. */
static bool is_needed(const struct sim_world *w, const struct sim_op *op) {
  const struct sim_unit *u = &w->units[op->origin];
  if (op->target_at != 0) return true;
  if (sim_untimed_unit_of(u)->n_released == 0) return false;
  for (const struct sim_op *o = sim_inflight_next(u, NULL, op); o != NULL;
       o = sim_inflight_next(u, NULL, o))
    if (o->target_at != 0 && held_by(w, o, op)) return true;
  return false;
}

void sim_untimed_drop(struct sim_unit *u) {
  struct sim_world *w = u->world;
  for (struct sim_op *op = u->head; op != NULL; op = sim_inflight_next(u, NULL, op)) {
    if (is_needed(w, op)) continue;
    /* of a get, no unit can see the difference */
    bool lost = op->kind == SIM_OP_GET && w->opt.order != EYOTI_ORDER_STRICT;
    for (const struct sim_op *o = u->head; o != op && !lost; o = sim_inflight_next(u, NULL, o))
      lost = (o->flags & SIM_F_LOST) != 0 && held_by(w, op, o);
    if (!lost && sim_untimed_draw(w, 2) == 0) continue;
    op->flags |= SIM_F_LOST;
    for (uint32_t k = 0; k < op->parts + op->unread; k++)
      sim_untimed_withdraw(w, op->first_proc + k);
  }
}

/* An atomic that has read must write: none is executed by half. */
static bool has_begun(const struct sim_op *op) {
  return op->kind == SIM_OP_AMO && op->left != (1u << op->parts) - 1;
}

void sim_untimed_cut(struct sim_world *w) {
  for (uint32_t i = 0; i < w->n; i++) {
    const struct sim_unit *u = &w->units[i];
    for (struct sim_op *op = u->head; op != NULL; op = sim_inflight_next(u, NULL, op)) {
      if (!sim_fault_between(w, w->faults->ends, op) || is_needed(w, op) || has_begun(op)) continue;
      op->flags |= SIM_F_CUT;
      op->flags &= (uint16_t)~SIM_F_BUFFERED; /* its waiters get the error */
      w->faults->n_given_up++;
    }
    uint8_t go = w->untimed->run->units[i].go;
    if (go == SIM_GO_OP || go == SIM_GO_FLUSH) sim_untimed_unit_look(&w->units[i]);
  }
}

static void untimed_read_source(struct sim_world *w, struct sim_op *op) {
  struct sim_unit *u = &w->units[op->origin];
  sim_detect_read(w, op);
  sim_untimed_tso_source(w, op);
  if (may_arrive(u, op)) offer_parts(w, op);
  sim_untimed_unit_look(u);
}

void sim_untimed_arrive(struct sim_world *w, uint32_t proc) {
  const struct sim_proc *p = &w->untimed->run->procs[proc];
  struct sim_op *op = sim_pool_at(&w->pool, p->index);
  uint32_t part = p->part;
  if (part == SIM_UNTIMED_SOURCE) {
    untimed_read_source(w, op);
    return;
  }
  op->left &= (uint8_t) ~(1u << part);
  bool last = op->left == 0;
  if (__builtin_expect(w->faults != NULL, 0) && arrives_lost(w, op)) {
    if (last) sim_detect_land(w, op);
    if (last)
      untimed_complete(w, op);
    else if (comes_last(op, op->parts - 1u) && op->left == 1u << (op->parts - 1u))
      offer_parts(w, op);
    if (sim_untimed_is_tso(w)) offer_again(w);
    return;
  }
  sim_detect_arrive(w, op, part);
  if (op->kind == SIM_OP_AMO && op->parts > 1)
    sim_untimed_tso_amo(w, op, part);
  else if (op->kind == SIM_OP_AMO)
    untimed_amo(w, op);
  else if (op->kind == SIM_OP_GET)
    get_part(w, op, part, last);
  else
    put_part(w, op, part, last);
  if (last)
    untimed_complete(w, op);
  else if (comes_last(op, op->parts - 1u) && op->left == 1u << (op->parts - 1u))
    offer_parts(w, op);
  if (sim_untimed_is_tso(w)) offer_again(w);
}
