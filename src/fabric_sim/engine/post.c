/* SPDX-License-Identifier: BSD-3-Clause */
/* post.c - from the program to the NIC. See op_stages.h. */
#include "base/check.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/fault/fault.h"

enum fs_msg fs_msg_of(const struct fs_op *op) {
  return op->kind == FS_OP_GET ? FS_MSG_GET : op->kind == FS_OP_AMO ? FS_MSG_AMO : FS_MSG_PUT;
}

void fs_post_list(struct fs_unit *u, struct fs_op *op) {
  op->next = NULL;
  op->prev = u->tail;
  if (u->tail != NULL)
    u->tail->next = op;
  else
    u->head = op;
  u->tail = op;
  u->listed++;
  op->flags |= FS_F_LISTED;
}

static void arm(struct fs_unit *u) {
  if (u->inject == NULL || u->inject_armed) return;
  u->inject_armed = true;
  fs_world_push(u->world, u->inject->post_ps, FS_EV_INJECT, u->fab.me);
}

void fs_post_due(struct fs_unit *u) {
  while (u->inject != NULL && u->inject->post_ps <= u->world->now_ps) {
    struct fs_op *op = u->inject;
    u->inject = op->next;
    fs_inject(u, op);
  }
  arm(u);
}

/* Blocks until fewer than the allowed number are in flight. While it blocks, places are freed in
 * the order of posting, as on a hardware queue, so this looks at the oldest operation only, however
 * many there are. Each round at least one ends or enters the network. */
static void make_room(struct fs_unit *u) {
  for (;;) {
    fs_reap_head(u);
    if (u->listed < u->world->opt.max_outstanding) return;
    const struct fs_op *oldest = u->head;
    uint64_t until_ps = (oldest->flags & FS_F_INJECTED) != 0 ? oldest->done_ps : oldest->post_ps;
    if (u->local_ps <= until_ps) u->local_ps = until_ps + 1;
    fs_unit_yield(u);
  }
}

void fs_post(struct fs_unit *u, struct fs_op *op) {
  const struct fs_world *w = u->world;
  if (__builtin_expect(w->check != NULL, 0)) {
    fs_check_post(u, op);
    if (w->race != NULL) fs_race_posted(u, op);
    if (w->faults != NULL) fs_fault_posted(u);
    return;
  }
  if (u->listed >= w->opt.max_outstanding) make_room(u);
  op->origin = u->fab.me;
  op->err = 0;
  uint64_t overhead_ps = fs_net_overhead_ps(w->net, fs_msg_of(op), u->fab.me, op->target, op->len);
  /* Reservations of the network are made about in the order of time: one that is far ahead waits
   * until its time has come. */
  bool at_once = u->inject == NULL && u->local_ps - w->now_ps <= w->lead_ps;
  u->local_ps += fs_fault_own(u, overhead_ps);
  op->post_ps = u->local_ps;
  fs_post_list(u, op);
  if (__builtin_expect(w->race != NULL, 0)) fs_race_posted(u, op);
  if (at_once) {
    fs_inject(u, op);
  } else {
    if (u->inject == NULL) u->inject = op;
    arm(u);
  }
  if (__builtin_expect(w->faults != NULL, 0)) fs_fault_posted(u);
}
