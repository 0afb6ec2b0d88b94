/* SPDX-License-Identifier: BSD-3-Clause */
/* post.h - passes an operation from the program to the NIC, in the timed engine. The function is in
 * a header, so that each caller that knows the kind has an inlined copy: every operation passes
 * it. For ops_table.c and post.c. */
#ifndef EYOT_FABRIC_SIM_ENGINE_POST_H
#define EYOT_FABRIC_SIM_ENGINE_POST_H

#include "fabric_sim/engine/away.h"
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/timed.h"

/* post.c. Blocks until the unit may have one more in flight. */
void sim_post_await_cap(struct sim_unit *u);
/* The general case of post_overhead_ps: by memory, or with a signal. Before a long copy within a
 * node it waits until the unit's clock is the world's. */
uint64_t sim_post_overhead_ps(struct sim_unit *u, struct sim_op *op);

/* Through a NIC, further words of an array cost less, and a signal that the target's NIC adds as an
 * atomic is posted as one, besides the bytes. */
static inline __attribute__((always_inline)) uint64_t post_overhead_ps(struct sim_unit *u,
                                                                       struct sim_op *op,
                                                                       enum sim_op_kind kind) {
  const struct sim_net *net = u->world->net;
  if (op->by_memory || kind == SIM_OP_SIGNAL) return sim_post_overhead_ps(u, op);
  return kind == SIM_OP_AMO && op->follows ? sim_net_word_ps(net)
                                           : sim_net_overhead_nic_ps(net, sim_msg_of_kind(kind));
}

/* The rest of a post whose time is known: it waits for nothing, and what it calls goes deep if the
 * operation enters the network at once or the records of the unit's targets grow. */
static inline __attribute__((always_inline)) void sim_post_enter(struct sim_unit *u,
                                                                 struct sim_op *op, bool at_once) {
  sim_inflight_add(u, op);
  if (sim_observed(u->world)) sim_observe_posted(u, op);
  if (at_once) {
    sim_inject(u, op);
  } else {
    if (u->inject == NULL) u->inject = op;
    if (!u->inject_armed) sim_inject_arm(u);
  }
}
/* post.c. The same on the stack that units share. */
void sim_post_enter_deep(struct sim_unit *u, struct sim_op *op, bool at_once);

/* sim_timed_post (timed.h) of an operation of that kind. */
static inline __attribute__((always_inline)) void sim_post_as(struct sim_unit *u, struct sim_op *op,
                                                              enum sim_op_kind kind) {
  struct sim_world *w = u->world;
  if (__builtin_expect(u->listed >= w->opt.max_outstanding, 0)) sim_post_await_cap(u);
  op->origin = u->fab.me;
  op->err = 0;
  if (sim_net_by_memory(w->net, op->origin, op->target)) op->by_memory = true;
  uint64_t overhead_ps = post_overhead_ps(u, op, kind);
  if (__builtin_expect(w->away != NULL, 0)) overhead_ps += sim_away_first_ps(w, op);
  /* Network reservations must be made roughly in order of time: an operation far ahead of now waits
   * for its time. */
  bool at_once = u->inject == NULL && u->local_ps - w->now_ps <= w->lookahead_ps;
  u->local_ps += sim_fault_own(u, overhead_ps);
  op->post_at = u->local_ps;
  bool grows = !u->loose && sim_inflight_grows(u, op);
  if (grows) sim_reap_over(u);
  if (__builtin_expect(w->fab_ops.deep != NULL, 0) && (at_once || grows))
    sim_post_enter_deep(u, op, at_once);
  else
    sim_post_enter(u, op, at_once);
  if (__builtin_expect(w->faults != NULL, 0)) w->fault_ops->posted(u);
}
#endif
