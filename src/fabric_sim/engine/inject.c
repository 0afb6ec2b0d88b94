/* SPDX-License-Identifier: BSD-3-Clause */
/* inject.c - decides when an operation takes effect: the network model's times, the order that the
 * contract requires, and random delays. Declared in op_stages.h, for the timed engine.
 *
 * Draws of the choice stream decide here all that hardware may legally do to a put: it arrives
 * late, after a later put, or in two parts; a store to a unit of the same node stays in the store
 * buffer while its origin continues. */
#include <string.h>

#include "base/check.h"
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"

/* Of the delays of rdma (the platform's `late`) one in this many is this many times as long: longer
 * than a get's round trip on the slowest modeled machine. */
#define RDMA_TAIL 8u
/* Delays of chaos, in ns. */
#define CHAOS_SHORT_NS 1000u
#define CHAOS_LONG_NS 20000u

static bool inject_carries_bytes(const struct sim_op *op) {
  return op->kind == SIM_OP_PUT || op->kind == SIM_OP_SIGNAL;
}

static bool overlaps(uint32_t seg_a, uint64_t off_a, uint64_t len_a, uint32_t seg_b, uint64_t off_b,
                     uint64_t len_b) {
  return seg_a == seg_b && off_a < off_b + len_b && off_b < off_a + len_a;
}

/* The earliest time at which the get may read: it must see bytes that its own unit has put and
 * waited for, even if they are still in the store buffer. */
static __attribute__((noinline)) uint64_t get_floor_of(const struct sim_unit *u,
                                                       const struct sim_target *t,
                                                       const struct sim_op *get) {
  uint64_t floor_ps = 0;
  for (const struct sim_op *op = sim_inflight_first(u, t); op != NULL && op != get;
       op = sim_inflight_next(u, t, op)) {
    if ((op->flags & SIM_F_RELEASED) == 0 || op->target_at <= floor_ps) continue;
    bool sig = op->kind == SIM_OP_SIGNAL &&
               overlaps(op->sig_seg, op->value2, 8, get->seg, get->off, get->len);
    if (sig || overlaps(op->seg, op->off, op->len, get->seg, get->off, get->len))
      floor_ps = op->target_at;
  }
  return floor_ps;
}

/* Of the operation's record, or (of others) of one of another set to the same target. */
static inline uint64_t floor_by(const struct sim_unit *u, const struct sim_target *t, bool others,
                                const struct sim_op *op) {
  if (op->kind == SIM_OP_GET && u->world->opt.order != EYOTI_ORDER_STRICT)
    return t->released_at < u->world->now_ps ? 0 : get_floor_of(u, t, op);
  uint64_t floor_ps = others || t->ordered_at < t->before_at ? t->before_at : t->ordered_at;
  return floor_ps > u->release_ps ? floor_ps : u->release_ps;
}

/* The same of records of other sets too. */
static __attribute__((noinline)) uint64_t floor_of_all(struct sim_unit *u,
                                                       const struct sim_target *t,
                                                       const struct sim_op *op, uint64_t floor_ps) {
  const struct sim_target *o;
  for (uint32_t i = 0; (o = sim_inflight_record(u, FAB_SET_ALL, op->target, &i)) != NULL;) {
    uint64_t by_ps = o != t ? floor_by(u, o, true, op) : 0;
    if (by_ps > floor_ps) floor_ps = by_ps;
  }
  return floor_ps;
}

/* Returns the time after which the operation may be visible. 0: any. Earlier operations to the same
 * target restrict it only if an order stands between (in strict mode: always); puts that the unit
 * has waited for always do. */
static inline __attribute__((always_inline)) uint64_t floor_of(struct sim_unit *u,
                                                               const struct sim_target *t,
                                                               const struct sim_op *op) {
  uint64_t floor_ps = floor_by(u, t, false, op);
  return __builtin_expect(sim_inflight_holds(u), 0) ? floor_of_all(u, t, op, floor_ps) : floor_ps;
}
static uint64_t draw_ns(struct sim_world *w, uint32_t bound) {
  return (sim_choice(w, bound) + 1ull) * SIM_PS_PER_NS;
}

/* Returns the number of words of the target that the payload touches. */
static uint64_t inject_words_of(const struct sim_op *op) {
  return op->len == 0 ? 0 : (op->off + op->len + 7) / 8 - op->off / 8;
}

/* Chooses how the put is split; returns the time between its parts. */
static uint64_t draw_split(struct sim_world *w, struct sim_op *op, uint32_t gap_ns) {
  uint64_t words = inject_words_of(op);
  op->flags |= SIM_F_SPLIT;
  if (words < 2)
    op->split = SIM_SPLIT_ALL;
  else
    op->split = (uint8_t)sim_choice(w, op->kind == SIM_OP_SIGNAL ? SIM_SPLITS : SIM_SPLITS - 1);
  if (op->split == SIM_SPLIT_HEAD || op->split == SIM_SPLIT_TAIL)
    op->cut =
        1 + sim_choice(w, words - 1 < UINT32_MAX - 1 ? (uint32_t)(words - 1) : UINT32_MAX - 1);
  return draw_ns(w, gap_ns);
}

static bool can_split(const struct sim_op *op) {
  return inject_carries_bytes(op) &&
         (op->kind == SIM_OP_SIGNAL ? op->len > 0 : inject_words_of(op) >= 2);
}

/* Draws the random part of the operation's times: a delay of its arrival, and the gap between its
 * parts if it is split. In rdma mode three of four draw no delay, so that median times are the
 * model's. */
static __attribute__((noinline)) void inject_delay(struct sim_world *w, struct sim_op *op,
                                                   uint32_t r, uint64_t *delay_ps,
                                                   uint64_t *gap_ps) {
  if (w->opt.order == EYOTI_ORDER_RDMA) {
    uint32_t late_ns = (uint32_t)sim_net_late_ns(w->net, op->by_memory);
    if (late_ns == 0) return;
    if (r == 1 && can_split(op))
      *gap_ps = draw_split(w, op, late_ns);
    else
      *delay_ps = draw_ns(w, late_ns) * (sim_choice(w, RDMA_TAIL) == 0 ? RDMA_TAIL : 1);
  } else {
    if (r == 1) *delay_ps = draw_ns(w, CHAOS_SHORT_NS);
    if (r >= 2) *delay_ps = draw_ns(w, CHAOS_LONG_NS);
    if (r != 1 && can_split(op) && sim_choice(w, 2) == 0)
      *gap_ps = draw_split(w, op, CHAOS_LONG_NS);
  }
}

/* Whether the operation is delayed or split; sets *r for inject_delay. */
static inline bool inject_draw(struct sim_world *w, uint32_t *r) {
  enum eyoti_order order = w->opt.order;
  if (order != EYOTI_ORDER_RDMA && order != EYOTI_ORDER_CHAOS) return false;
  *r = sim_choice(w, order == EYOTI_ORDER_RDMA ? 8 : 4);
  return order != EYOTI_ORDER_RDMA || *r <= 1;
}

static inline void inject_keep(struct sim_op *op) {
  if (inject_carries_bytes(op) && op->len > 0 && op->len <= SIM_INLINE_BYTES)
    sim_op_copy(sim_op_payload(op), op->local, op->len);
}

void sim_inject_keep(struct sim_op *op) {
  inject_keep(op);
}

static __attribute__((noinline)) void inject_read_long(struct sim_world *w, struct sim_op *op) {
  op->u.heap = NULL;
  sim_world_push(w, op->sent_ps, SIM_EV_SNAP, op->index);
}

/* Reads the source of a put: a small one now, if it has not been, a larger one when the NIC has all
 * of it. */
static inline __attribute__((always_inline)) void inject_read_source(struct sim_world *w,
                                                                     struct sim_op *op) {
  if (__builtin_expect(op->len > SIM_INLINE_BYTES, 0))
    inject_read_long(w, op);
  else if ((op->flags & SIM_F_HELD) == 0)
    inject_keep(op);
}

/* Draws delays, and fixes sent_ps and target_at; returns when the first part of it arrives. */
static inline __attribute__((always_inline)) uint64_t inject_arrival(struct sim_unit *u,
                                                                     const struct sim_target *t,
                                                                     struct sim_op *op,
                                                                     struct sim_timing *times) {
  struct sim_world *w = u->world;
  if (__builtin_expect(w->faults != NULL, 0)) w->fault_ops->times(w, op, times);
  EYOTI_ASSERT(times->sent_ps >= op->post_at && times->target_at >= times->sent_ps);
  uint64_t delay_ps = 0, gap_ps = 0;
  uint32_t r;
  op->split = 0;
  if (inject_draw(w, &r)) inject_delay(w, op, r, &delay_ps, &gap_ps);
  uint64_t floor_ps = floor_of(u, t, op);
  uint64_t at_ps = times->target_at + delay_ps;
  if (at_ps <= times->sent_ps) at_ps = times->sent_ps + 1;
  if (floor_ps != 0 && at_ps <= floor_ps) at_ps = floor_ps + 1;
  op->sent_ps = times->sent_ps;
  op->target_at = at_ps + gap_ps;
  return at_ps;
}

/* A signal that does not come when a put of its bytes would. */
static __attribute__((noinline)) void inject_signal(struct sim_world *w, const struct sim_op *op,
                                                    struct sim_timing *times) {
  sim_net_signal(w->net, op->origin, op->target, op->len, sim_op_is_message(op), times);
  if (op->sig_op == FAB_SIG_ADD) sim_net_add(w->net, op->origin, op->target, w->now_ps, times);
}

static inline __attribute__((always_inline)) void inject_timed(struct sim_unit *u,
                                                               struct sim_op *op,
                                                               struct sim_timing *times) {
  struct sim_world *w = u->world;
  struct sim_target *t = sim_inflight_held(u, op);
  if (op->kind == SIM_OP_SIGNAL && (op->sig_op == FAB_SIG_ADD || sim_net_signals_apart(w->net)))
    inject_signal(w, op, times);
  uint64_t at_ps = inject_arrival(u, t, op, times);
  op->done_at = times->done_at + (op->target_at - times->target_at);
  if (op->done_at <= op->target_at) op->done_at = op->target_at + 1;
  op->flags |= SIM_F_INJECTED;
  if (inject_carries_bytes(op)) {
    bool shared = op->by_memory && op->origin != op->target && op->seg != FAB_SEG_ATTACHED;
    if (shared && w->opt.order != EYOTI_ORDER_STRICT && (op->flags & SIM_F_LOST) == 0)
      op->flags |= SIM_F_BUFFERED;
    inject_read_source(w, op);
  } else if (op->kind == SIM_OP_GET || op->local != NULL) {
    op->flags |= SIM_F_LANDS;
  }
  sim_inflight_timed(u, t, op);
  if ((op->flags & SIM_F_SPLIT) != 0) sim_world_push(w, at_ps, SIM_EV_PART, op->index);
  sim_world_push(w, op->target_at, SIM_EV_DELIVER, op->index);
  if (sim_observed(w)) sim_observe_injected(w, op, sim_bytes_of(op));
}

void sim_inject_timed(struct sim_unit *u, struct sim_op *op, struct sim_timing *times) {
  inject_timed(u, op, times);
}

void sim_inject_request(struct sim_unit *u, struct sim_op *op, struct sim_timing *times) {
  struct sim_world *w = u->world;
  struct sim_target *t = sim_inflight_held(u, op);
  (void)inject_arrival(u, t, op, times);
  op->done_at = SIM_TIME_END_PS;
  op->flags |= SIM_F_LANDS;
  if (w->opt.order == EYOTI_ORDER_STRICT) sim_inflight_before(u, t, op->target_at);
  sim_world_push(w, op->target_at, SIM_EV_DELIVER, op->index);
  if (sim_observed(w)) sim_observe_injected(w, op, sim_bytes_of(op));
}

static inline __attribute__((always_inline)) void inject_whole(struct sim_unit *u,
                                                               struct sim_op *op) {
  struct sim_world *w = u->world;
  struct sim_timing times;
  uint64_t at_ps =
      (op->flags & SIM_F_HELD) != 0 && op->post_at < w->now_ps ? w->now_ps : op->post_at;
  sim_net_reserve(w->net, sim_msg_of(op), op->origin, op->target, sim_bytes_of(op), at_ps, &times);
  inject_timed(u, op, &times);
}

void sim_inject_whole(struct sim_unit *u, struct sim_op *op) {
  inject_whole(u, op);
}

static __attribute__((noinline)) void inject_long(struct sim_unit *u, struct sim_op *op) {
  if (!sim_flow_takes(u, op)) inject_whole(u, op);
}

static inline __attribute__((always_inline)) void inject(struct sim_unit *u, struct sim_op *op) {
  if (__builtin_expect(!u->open && (op->len <= SIM_NET_LINE_BYTES || !u->world->shared), 1))
    inject_whole(u, op);
  else
    inject_long(u, op);
}

void sim_inject(struct sim_unit *u, struct sim_op *op) {
  inject(u, op);
}

static inline __attribute__((always_inline)) void inject_arm(struct sim_unit *u) {
  if (u->inject == NULL || u->inject_armed) return;
  u->inject_armed = true;
  sim_world_push(u->world, u->inject->post_at, SIM_EV_INJECT, u->fab.me);
}

void sim_inject_arm(struct sim_unit *u) {
  inject_arm(u);
}

void sim_inject_due(struct sim_unit *u) {
  while (u->inject != NULL && u->inject->post_at <= u->world->now_ps) {
    struct sim_op *op = u->inject;
    u->inject = op->next == SIM_OP_NONE ? NULL : sim_pool_at(&u->world->pool, op->next);
    inject(u, op);
  }
  inject_arm(u);
}
