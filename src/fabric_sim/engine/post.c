/* SPDX-License-Identifier: BSD-3-Clause */
/* post.c - from the program to the NIC. See op_stages.h. */
#include "base/check.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/fault/fault.h"

enum sim_msg sim_msg_of(const struct sim_op *op) {
  return op->kind == SIM_OP_GET ? SIM_MSG_GET : op->kind == SIM_OP_AMO ? SIM_MSG_AMO : SIM_MSG_PUT;
}

void sim_post_list(struct sim_unit *u, struct sim_op *op) {
  op->next = NULL;
  op->prev = u->tail;
  if (u->tail != NULL)
    u->tail->next = op;
  else
    u->head = op;
  u->tail = op;
  u->listed++;
  op->flags |= SIM_F_LISTED;
}

static void arm(struct sim_unit *u) {
  if (u->inject == NULL || u->inject_armed) return;
  u->inject_armed = true;
  sim_world_push(u->world, u->inject->post_at, SIM_EV_INJECT, u->fab.me);
}

void sim_post_due(struct sim_unit *u) {
  while (u->inject != NULL && u->inject->post_at <= u->world->now_ps) {
    struct sim_op *op = u->inject;
    u->inject = op->next;
    sim_inject(u, op);
  }
  arm(u);
}

/* Blocks until fewer than the allowed number are in flight. While it blocks, places are freed in
 * the order of posting, as on a hardware queue, so this looks at the oldest operation only, however
 * many there are. Each round at least one ends or enters the network. */
static void post_await_cap(struct sim_unit *u) {
  for (;;) {
    sim_reap_head(u);
    if (u->listed < u->world->opt.max_outstanding) return;
    const struct sim_op *oldest = u->head;
    uint64_t until_ps = (oldest->flags & SIM_F_INJECTED) != 0 ? oldest->done_at : oldest->post_at;
    if (u->local_ps <= until_ps) u->local_ps = until_ps + 1;
    sim_unit_yield(u);
  }
}

void sim_post(struct sim_unit *u, struct sim_op *op) {
  const struct sim_world *w = u->world;
  if (__builtin_expect(w->check != NULL, 0)) {
    sim_untimed_post(u, op);
    if (w->race != NULL) sim_race_posted(u, op);
    if (w->faults != NULL) sim_fault_posted(u);
    return;
  }
  if (u->listed >= w->opt.max_outstanding) post_await_cap(u);
  op->origin = u->fab.me;
  op->err = 0;
  uint64_t overhead_ps =
      sim_net_overhead_ps(w->net, sim_msg_of(op), u->fab.me, op->target, op->len);
  /* Reservations of the network are made about in the order of time: one that is far ahead waits
   * until its time has come. */
  bool at_once = u->inject == NULL && u->local_ps - w->now_ps <= w->lookahead_ps;
  u->local_ps += sim_fault_own(u, overhead_ps);
  op->post_at = u->local_ps;
  sim_post_list(u, op);
  if (__builtin_expect(w->race != NULL, 0)) sim_race_posted(u, op);
  if (at_once) {
    sim_inject(u, op);
  } else {
    if (u->inject == NULL) u->inject = op;
    arm(u);
  }
  if (__builtin_expect(w->faults != NULL, 0)) sim_fault_posted(u);
}
