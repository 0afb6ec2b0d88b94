/* SPDX-License-Identifier: BSD-3-Clause */
/* post.c - passes an operation from the program to the NIC, in the timed engine. See timed.h. */
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/timed.h"

/* Blocks until fewer than the allowed number are in flight. Meanwhile entries are freed in the
 * order of posting, as on a hardware queue, so only the oldest operation is checked, however many
 * there are. In each round at least one completes or enters the network. */
static void post_await_cap(struct sim_unit *u) {
  for (;;) {
    sim_reap_head(u);
    if (u->listed < u->world->opt.max_outstanding) return;
    const struct sim_op *oldest = u->head;
    if (sim_flow_is_open(oldest) && oldest != u->inject) sim_flow_await(u, oldest);
    uint64_t until_ps = sim_flow_is_open(oldest) ? oldest->post_at : oldest->done_at;
    if (u->local_ps <= until_ps) u->local_ps = until_ps + 1;
    sim_unit_yield(u);
  }
}

/* Through a NIC, further words of an array cost less, and a signal that the target's NIC adds as an
 * atomic is posted as one, besides the bytes. */
static uint64_t post_overhead_ps(const struct sim_unit *u, const struct sim_op *op) {
  struct sim_net *net = u->world->net;
  uint32_t from = u->fab.me, to = op->target;
  enum sim_msg msg = sim_msg_of(op);
  if (!op->by_memory && op->kind != SIM_OP_SIGNAL)
    return op->kind == SIM_OP_AMO && op->follows ? sim_net_word_ps(net)
                                                 : sim_net_overhead_nic_ps(net, msg);
  bool adds =
      op->kind == SIM_OP_SIGNAL && op->sig_op == FAB_SIG_ADD && sim_net_adds_by_nic(net, from, to);
  uint64_t ps = adds ? sim_net_overhead_ps(net, SIM_MSG_AMO, from, to, sizeof(uint64_t)) : 0;
  if (adds && op->len == 0) return ps;
  ps += sim_net_overhead_ps(net, msg, from, to, op->len) +
        sim_net_line_ps(net, msg, from, to, op->seg, op->off, op->len) +
        sim_net_page_ps(net, from, to, op->seg, op->off, op->len);
  return op->kind == SIM_OP_SIGNAL ? ps + sim_net_signal_ps(net, from, to) : ps;
}

void sim_timed_post(struct sim_unit *u, struct sim_op *op) {
  struct sim_world *w = u->world;
  if (u->listed >= w->opt.max_outstanding) post_await_cap(u);
  op->origin = u->fab.me;
  op->err = 0;
  op->by_memory = sim_net_by_memory(w->net, op->origin, op->target);
  uint64_t overhead_ps = post_overhead_ps(u, op);
  /* Network reservations must be made roughly in order of time: an operation far ahead of now waits
   * for its time. */
  bool at_once = u->inject == NULL && u->local_ps - w->now_ps <= w->lookahead_ps;
  u->local_ps += sim_fault_own(u, overhead_ps);
  op->post_at = u->local_ps;
  if (sim_inflight_grows(u, op)) sim_reap_over(u);
  sim_inflight_add(u, op);
  if (sim_observed(w)) sim_observe_posted(u, op);
  if (at_once) {
    sim_inject(u, op);
  } else {
    if (u->inject == NULL) u->inject = op;
    sim_inject_arm(u);
  }
  if (__builtin_expect(w->faults != NULL, 0)) w->fault_ops->posted(u);
}
