/* SPDX-License-Identifier: BSD-3-Clause */
/* dyn_notify.c - notices of detaches: origins register at targets, and a target notifies them when
 * it has detached a region (dynamic.h). dyn_cache.c registers, dynamic.c notifies.
 *
 * Each notice adds 1 to a flag word of the origin. Adding loses nothing when notices of several
 * targets meet in a slot that was given to another target meanwhile: the origin then reads the
 * target's head once more than needed. Source: Gerstenberger, Besta, Hoefler: Enabling
 * highly-scalable remote memory access programming with MPI-3 one sided, SC 2013, section 2.2 (the
 * optimized variant). */
#include "gmem/dynamic.h"

#define NOTICES_AT_ONCE 32u

static uint32_t epoch_of(uint64_t reg) {
  return (uint32_t)(reg >> 32);
}
static uint32_t registrations_of(uint64_t reg) {
  return (uint32_t)reg;
}

int eyoti_dyn_register(struct eyot_rt *rt, const struct eyoti_dynamic *d, struct eyoti_dyn_peer *p,
                       uint64_t reg, uint64_t seen, bool *fresh, fab_req_t *entry) {
  if (p->registered && p->epoch == epoch_of(reg)) {
    /* Still in the list, so the notice was for an earlier user of the slot; one from p could not
     * have come before its epoch ended. */
    p->seen = seen;
    return EYOT_OK;
  }
  p->registered = false;
  /* Checked before, so that origins that find the list full do not increase the count for ever. */
  if (registrations_of(reg) >= d->attr.peers) return EYOT_OK;
  struct fab_addr at;
  struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  uint64_t old;
  EYOTI_TRY(eyoti_dyn_at(rt, d, p->unit, offsetof(struct eyoti_dyn_head, reg), sizeof reg, &at));
  EYOTI_TRY(fab_amo_wait(rt->fab, at, &add, &old));
  if (registrations_of(old) >= d->attr.peers) return EYOT_OK;
  uint32_t slot = (uint32_t)(p - d->peers);
  uint64_t place = at.off - offsetof(struct eyoti_dyn_head, reg) +
                   eyoti_dyn_entry_off(d, epoch_of(old), registrations_of(old));
  struct fab_sig sig = {.at = fab_at(at.unit, at.seg, place),
                        .op = FAB_SIG_SET,
                        .value = (uint64_t)slot << 32 | ((uint64_t)rt->fab->me + 1)};
  EYOTI_TRY(fab_put_signal(rt->fab, sig.at, NULL, 0, &sig, entry));
  p->registered = true;
  p->epoch = epoch_of(old);
  p->seen = seen;
  *fresh = false;
  return EYOT_OK;
}

/* Waits for the entry, which its origin fills without waiting for any unit, and posts the
 * notice. */
static int notify_one(struct eyot_rt *rt, const struct eyoti_dynamic *d, uint64_t entry_off,
                      fab_req_t *req, int *unreachable) {
  uint64_t entry;
  EYOTI_TRY(
      fab_wait_mem(rt->fab, rt->gmem->seg, d->off + entry_off, FAB_NE, 0, FAB_FOREVER, &entry));
  struct fab_sig sig = {.op = FAB_SIG_ADD, .value = 1};
  int rc = eyoti_dyn_at(rt, d, (uint32_t)entry - 1, eyoti_dyn_flag_off((uint32_t)(entry >> 32)),
                        sizeof(uint64_t), &sig.at);
  if (rc == EYOT_OK) rc = fab_put_signal(rt->fab, sig.at, NULL, 0, &sig, req);
  if (rc != EYOT_OK) *unreachable = rc;
  return EYOT_OK;
}

/* Notifies the next few. Skips an origin that cannot be reached, for the others must still be
 * notified; *unreachable is the error. */
static int notify_some(struct eyot_rt *rt, struct eyoti_dynamic *d, int *unreachable) {
  fab_req_t req[NOTICES_AT_ONCE] = {0};
  uint32_t n =
      d->to_notify - d->notified < NOTICES_AT_ONCE ? d->to_notify - d->notified : NOTICES_AT_ONCE;
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < n && rc == EYOT_OK; i++)
    rc = notify_one(rt, d, eyoti_dyn_entry_off(d, d->notify_list, d->notified + i), &req[i],
                    unreachable);
  for (uint32_t i = 0; i < n; i++) {
    int rc_notice = fab_req_wait(rt->fab, req[i], FAB_REMOTE);
    if (rc_notice != EYOT_OK) *unreachable = rc_notice;
  }
  EYOTI_TRY(rc);
  for (uint32_t i = 0; i < n; i++) {
    struct fab_amo clear = {.op = FAB_AMO_SWAP, .width = 8, .operand = 0};
    uint64_t entry_off = eyoti_dyn_entry_off(d, d->notify_list, d->notified);
    EYOTI_TRY(fab_amo_wait(rt->fab, fab_at(rt->fab->me, rt->gmem->seg, d->off + entry_off), &clear,
                           NULL));
    d->notified++;
  }
  return EYOT_OK;
}

static int notify_all(struct eyot_rt *rt, struct eyoti_dynamic *d, int *unreachable) {
  while (d->notified < d->to_notify) EYOTI_TRY(notify_some(rt, d, unreachable));
  return EYOT_OK;
}

int eyoti_dyn_notify(struct eyot_rt *rt, struct eyoti_dynamic *d) {
  if (d->attr.kind != EYOT_DYNAMIC_NOTIFY) return EYOT_OK;
  int unreachable = EYOT_OK;
  /* notifies the origins that a failed detach has left: its list is needed next */
  EYOTI_TRY(notify_all(rt, d, &unreachable));
  uint64_t reg_off = offsetof(struct eyoti_dyn_head, reg);
  uint32_t epoch = epoch_of(eyoti_dyn_own_word(d, reg_off));
  struct fab_amo end = {.op = FAB_AMO_SWAP, .width = 8, .operand = (uint64_t)(epoch + 1) << 32};
  uint64_t reg;
  EYOTI_TRY(
      fab_amo_wait(rt->fab, fab_at(rt->fab->me, rt->gmem->seg, d->off + reg_off), &end, &reg));
  d->notified = 0;
  d->to_notify = registrations_of(reg) < d->attr.peers ? registrations_of(reg) : d->attr.peers;
  d->notify_list = epoch % 2;
  EYOTI_TRY(notify_all(rt, d, &unreachable));
  return unreachable;
}
