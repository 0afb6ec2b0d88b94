/* SPDX-License-Identifier: BSD-3-Clause */
/* reap.c - takes finished operations off their origin's list. Lazily: nothing in the engine
 * needs them gone at once, and a list's head is nearly always what has finished. But one operation
 * to a crowded target would keep all that its origin posts after it; so a list that has become long
 * is swept whole, and again when it is twice as long as what was left. */
#include "base/check.h"
#include "fabric_sim/engine/op_stages.h"

#define SWEEP_LOG 4u /* shorter lists are left to the head */

/* Over for everybody: strictly before now, so that no event of the same instant still refers to
 * it. */
static bool is_over(const struct fs_unit *u, const struct fs_op *op) {
  return (op->flags & FS_F_INJECTED) != 0 && op->done_ps < u->world->now_ps;
}

static void unlist(struct fs_unit *u, struct fs_op *op) {
  if (op->prev != NULL)
    op->prev->next = op->next;
  else
    u->head = op->next;
  if (op->next != NULL)
    op->next->prev = op->prev;
  else
    u->tail = op->prev;
  u->listed--;
  op->flags &= (uint16_t)~FS_F_LISTED;
  if ((op->flags & FS_F_REQ) == 0) fs_pool_put(&u->world->pool, op);
}

/* An error that nobody has seen stays for the next flush. */
static bool has_news(const struct fs_op *op) {
  return op->err != 0 && (op->flags & FS_F_REQ) == 0;
}

void fs_reap_one(struct fs_unit *u, struct fs_op *op) {
  if (has_news(op)) {
    u->lost_unit = u->lost_err == 0 || u->lost_unit == op->target ? op->target : FAB_ALL;
    if (u->lost_err == 0) u->lost_err = op->err;
  }
  unlist(u, op);
}

void fs_reap_head(struct fs_unit *u) {
  while (u->head != NULL && is_over(u, u->head)) fs_reap_one(u, u->head);
}

void fs_reap_all(struct fs_unit *u) {
  struct fs_op *next;
  for (struct fs_op *op = u->head; op != NULL && op != u->inject; op = next) {
    next = op->next;
    if (is_over(u, op)) fs_reap_one(u, op);
  }
  /* So that of sweeps for length an operation meets two at most. */
  u->sweep_log = SWEEP_LOG;
  while (u->listed >= 1u << (u->sweep_log - 1)) u->sweep_log++;
}

void fs_reap_retire(struct fs_unit *u, struct fs_op *op) {
  EYOTI_ASSERT((op->flags & FS_F_REQ) != 0);
  op->flags &= (uint16_t)~FS_F_REQ;
  op->err = 0; /* told */
  if ((op->flags & FS_F_LISTED) == 0) fs_pool_put(&u->world->pool, op);
}
