/* fs_wait.c - see fs_wait.h. SPDX-License-Identifier: BSD-3-Clause */
#include "fs_wait.h"

#include "../base/check.h"
#include "fs_wire.h"

void fs_wait_spend(struct fs_unit *u, uint64_t ps) {
  u->local_ps += ps > 0 ? ps : 1;
  fs_unit_yield(u);
}

static void sleep_until(struct fs_unit *u, uint64_t t_ps) {
  if (u->local_ps < t_ps) u->local_ps = t_ps;
  fs_unit_yield(u);
}

static int find(const struct fs_unit *u, fab_req_t req, struct fs_op **op) {
  *op = fs_pool_find(&u->world->pool, req, u->fab.me);
  if (*op == NULL) return EYOTI_FAIL(EYOT_EINVAL, "%#llx is not a request of this unit, or was completed before", (unsigned long long)req);
  return EYOT_OK;
}

/* When the operation, which the NIC has, is complete at the level; of one that lands: landed at done_ps, so seen just after. */
static uint64_t complete_ps(const struct fs_op *op, enum fab_level level) {
  if ((op->flags & FS_F_LANDS) != 0) return op->done_ps + 1;
  if (level == FAB_REMOTE) return (op->flags & FS_F_BUFFERED) != 0 ? op->sent_ps + 1 : op->done_ps;
  return op->kind != FS_OP_AMO && op->len > FS_INLINE_BYTES ? op->sent_ps + 1 : 0;
}

/* The unit knows that the operation is complete. */
static int finish(struct fs_unit *u, struct fs_op *op, enum fab_level level) {
  int err = op->err;
  if (level == FAB_LOCAL) return (op->flags & FS_F_LANDS) != 0 ? err : EYOT_OK;
  if (op->target_ps > u->world->now_ps) { /* in the store buffer: whatever the unit does next must not be seen before it */
    op->flags |= FS_F_RELEASED;
    if (u->release_ps < op->target_ps) u->release_ps = op->target_ps;
  }
  fs_reap_retire(u, op);
  return err;
}

int fs_wait_req(struct fs_unit *u, fab_req_t req, enum fab_level level) {
  if (req == 0) return EYOT_OK;
  struct fs_op *op;
  EYOTI_TRY(find(u, req, &op));
  fs_unit_yield(u); /* whatever it has posted is with the NIC now */
  EYOTI_ASSERT((op->flags & FS_F_INJECTED) != 0);
  if ((op->flags & FS_F_LANDS) == 0) {
    sleep_until(u, complete_ps(op, level));
  } else {
    while ((op->flags & FS_F_LANDED) == 0) {
      u->wait_op = op;
      fs_unit_block(u, FS_WAIT_OP);
    }
  }
  u->local_ps += fs_net_local_ps(u->world->net, 0);
  return finish(u, op, level);
}

int fs_wait_test(struct fs_unit *u, fab_req_t req, enum fab_level level, bool *done) {
  struct fs_op *op = NULL;
  if (req != 0) EYOTI_TRY(find(u, req, &op));
  fs_wait_spend(u, fs_net_local_ps(u->world->net, 0));
  if (op != NULL && complete_ps(op, level) > u->world->now_ps) {
    *done = false;
    return EYOT_OK;
  }
  if (op != NULL) EYOTI_TRY(finish(u, op, level));
  *done = true;
  return EYOT_OK;
}

static bool covers(fab_unit_t unit, const struct fs_op *op) { return unit == FAB_ALL || unit == op->target; }

/* The first error of an operation without request that the flush covers; each is told once. */
static int take_errors(struct fs_unit *u, fab_unit_t unit) {
  int err = u->lost_err;
  u->lost_err = 0;
  for (struct fs_op *op = u->head; op != NULL; op = op->next) {
    if ((op->flags & FS_F_REQ) != 0 || !covers(unit, op)) continue;
    if (err == 0) err = op->err;
    op->err = 0;
  }
  return err;
}

int fs_wait_flush(struct fs_unit *u, fab_unit_t unit, enum fab_level level) {
  fs_wait_spend(u, fs_net_local_ps(u->world->net, 0));
  /* A full barrier: puts to units of the same node that the unit has waited for leave the store buffer too, whatever the flush names. */
  uint64_t until_ps = level == FAB_REMOTE && u->release_ps > u->world->now_ps ? u->release_ps + 1 : 0;
  for (const struct fs_op *op = u->head; op != NULL; op = op->next) {
    if (!covers(unit, op)) continue;
    uint64_t t = level == FAB_REMOTE ? op->done_ps + 1 : complete_ps(op, level);
    if (t > until_ps) until_ps = t;
  }
  sleep_until(u, until_ps);
  int err = level == FAB_REMOTE ? take_errors(u, unit) : EYOT_OK;
  fs_reap_all(u);
  return err;
}

int fs_wait_order(struct fs_unit *u, fab_unit_t unit) {
  u->local_ps += fs_net_local_ps(u->world->net, 0);
  if (u->inject != NULL) fs_unit_yield(u); /* their times must be known */
  for (struct fs_op *op = u->head; op != NULL; op = op->next) {
    if (!covers(unit, op) || op->kind == FS_OP_GET || op->target_ps < u->world->now_ps) continue;
    op->flags |= FS_F_FENCED;
    if (u->fence_ps < op->target_ps) u->fence_ps = op->target_ps;
  }
  return EYOT_OK;
}

static bool word_holds(const struct fs_wait *w) {
  return fab_cmp_holds((enum fab_cmp)w->cmp, *(volatile const uint64_t *)w->word, w->value);
}

static uint64_t deadline_of(const struct fs_unit *u, uint64_t timeout_ns) {
  uint64_t ps, t;
  if (timeout_ns == FAB_FOREVER || __builtin_mul_overflow(timeout_ns, FS_PS_PER_NS, &ps) || __builtin_add_overflow(u->local_ps, ps, &t))
    return UINT64_MAX;
  return t;
}

int fs_wait_word(struct fs_unit *u, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value, uint64_t timeout_ns, uint64_t *seen) {
  struct fs_world *w = u->world;
  if (off % 8 != 0) return EYOTI_FAIL(EYOT_EALIGN, "offset %llu of the word to wait for is not a multiple of 8", (unsigned long long)off);
  if ((uint32_t)cmp > FAB_GE) return EYOTI_FAIL(EYOT_EINVAL, "%d is not a comparison", (int)cmp);
  EYOTI_TRY(fs_seg_check(w, fab_at(u->fab.me, seg, off), 8));
  void *word = fs_seg_at(w, u->fab.me, seg, off, 8);
  if (word == NULL) return EYOTI_FAIL(EYOT_ERANGE, "no attached memory of this unit at %#llx", (unsigned long long)off);
  u->wait = (struct fs_wait){.word = word, .value = value, .off = off, .seg = seg, .cmp = (uint32_t)cmp};
  uint64_t look_ps = fs_net_local_ps(w->net, 8);
  uint64_t deadline_ps = deadline_of(u, timeout_ns);
  u->local_ps += look_ps > 0 ? look_ps : 1;
  for (;;) {
    bool ahead = u->local_ps - w->now_ps > w->lead_ps;
    if (!ahead && word_holds(&u->wait)) break;
    if (ahead || u->local_ps >= deadline_ps) {
      fs_unit_yield(u);
      if (word_holds(&u->wait)) break;
      if (u->local_ps >= deadline_ps) return EYOT_ETIMEOUT;
    }
    if (deadline_ps != UINT64_MAX) fs_world_wake_at(u, deadline_ps);
    fs_unit_block(u, FS_WAIT_WORD);
    u->local_ps += look_ps;
  }
  if (seen != NULL) *seen = *u->wait.word;
  return EYOT_OK;
}
