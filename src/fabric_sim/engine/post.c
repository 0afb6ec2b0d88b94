/* SPDX-License-Identifier: BSD-3-Clause */
/* post.c - passes an operation from the program to the NIC, in the timed engine: what is not inline
 * in post.h. */
#include "fabric_sim/engine/post.h"

/* Blocks until fewer than the allowed number are in flight. Meanwhile entries are freed in the
 * order of posting, as on a hardware queue, so only the oldest operation is checked, however many
 * there are. In each round at least one completes or enters the network. */
void sim_post_await_cap(struct sim_unit *u) {
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

/* Of the general case, one of more bytes than a piece. A long copy takes memory from the time on at
 * which it begins, so it is injected then: the network has accepted all that comes before it. */
static __attribute__((noinline)) void post_begins(struct sim_unit *u, struct sim_op *op) {
  if (!sim_net_is_long(u->world->net, sim_msg_of(op), op->by_memory, op->len)) return;
  if (u->inject != NULL || u->local_ps - u->world->now_ps > u->world->lookahead_ps)
    sim_unit_yield(u);
  op->u.begin_ps = u->local_ps;
}

uint64_t sim_post_overhead_ps(struct sim_unit *u, struct sim_op *op) {
  struct sim_net *net = u->world->net;
  uint32_t from = u->fab.me, to = op->target;
  enum sim_msg msg = sim_msg_of(op);
  if (__builtin_expect(op->len > SIM_NET_PIECE_BYTES, 0) && op->by_memory) post_begins(u, op);
  bool adds =
      op->kind == SIM_OP_SIGNAL && op->sig_op == FAB_SIG_ADD && sim_net_adds_by_nic(net, from, to);
  uint64_t ps = adds ? sim_net_overhead_nic_ps(net, SIM_MSG_AMO) : 0;
  if (adds && op->len == 0) return ps;
  ps += sim_net_overhead_ps(net, msg, op->by_memory, op->len) +
        sim_net_line_ps(net, msg, from, to, op->seg, op->off, op->len) +
        sim_net_page_ps(net, from, to, op->seg, op->off, op->len);
  return op->kind == SIM_OP_SIGNAL ? ps + sim_net_signal_ps(net, from, to, sim_op_is_message(op))
                                   : ps;
}

struct deep_post {
  struct sim_unit *u;
  struct sim_op *op;
  bool at_once;
};

static void post_enter(void *arg) {
  const struct deep_post *p = arg;
  sim_post_enter(p->u, p->op, p->at_once);
}

void sim_post_enter_deep(struct sim_unit *u, struct sim_op *op, bool at_once) {
  struct sim_world *w = u->world;
  w->exec_ops->deep(w->exec, u->fab.me, post_enter, &(struct deep_post){u, op, at_once});
}

void sim_timed_post(struct sim_unit *u, struct sim_op *op) {
  sim_post_as(u, op, (enum sim_op_kind)op->kind);
}
