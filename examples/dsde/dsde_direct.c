/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde_direct.c - the two one-sided protocols. In both, a sender takes a slot of its target's inbox
 * by a fetch-and-add and puts its item there; they differ in how a unit learns that all its items
 * have arrived.
 *
 * Exchange e uses half `e & 1`. Exchange e + 2 uses the same half; its senders have completed
 * exchange e + 1, which the owner of the half enters only after it has finished exchange e. */
#include <stddef.h>

#include "dsde.h"

static uint64_t half_bytes(uint32_t reserve) {
  return sizeof(struct dsde_head) + (uint64_t)reserve * sizeof(uint64_t);
}
uint64_t dsde_part_bytes(uint32_t reserve) {
  return 2 * half_bytes(reserve);
}

static eyot_gptr_t half_at(const struct dsde_unit *u, uint32_t unit, uint32_t round) {
  return eyot_gptr_add(eyot_gptr_at(u->g, (eyot_unit_t){unit}),
                       (int64_t)((round & 1) * half_bytes(u->opts->reserve)));
}

/* Takes the next slot of item i's target. *fits is false if none is left: the target learns it from
 * the number of slots taken. */
static int take_slot(const struct dsde_unit *u, uint32_t round, uint32_t i, eyot_gptr_t *slot,
                     bool *fits) {
  uint64_t taken;
  eyot_gptr_t half = half_at(u, u->target[i], round);
  DSDE_TRY(eyot_fetch_add_u64(half, 1, &taken)); /* dsde_head.taken */
  *fits = taken < u->opts->reserve;
  *slot = eyot_gptr_add(half, (int64_t)(sizeof(struct dsde_head) + taken * sizeof(uint64_t)));
  return EYOT_OK;
}

/* Counts the items of this exchange. No unit takes slots in this half any more; it is reset for the
 * exchange after the next. */
static int close_inbox(struct dsde_unit *u, uint32_t round) {
  DSDE_TRY(eyot_swap_u64(half_at(u, u->me, round), 0, &u->needed));
  u->received = u->needed < u->opts->reserve ? u->needed : u->opts->reserve;
  u->inbox = (const uint64_t *)((const char *)u->part + (round & 1) * half_bytes(u->opts->reserve) +
                                sizeof(struct dsde_head));
  return EYOT_OK;
}

/* Active target: the fence completes all puts on all units. */
int dsde_accumulate(struct dsde_unit *u, uint32_t round) {
  for (uint32_t i = 0; i < u->opts->targets; i++) {
    eyot_gptr_t slot;
    bool fits = false;
    int code = take_slot(u, round, i, &slot, &fits);
    if (code != EYOT_OK) return code;
    if (fits) DSDE_TRY(eyot_put_nbi(slot, &u->item[i], sizeof u->item[i]));
  }
  DSDE_TRY(eyot_fence(u->g));
  DSDE_TRY(eyot_sync()); /* the inbox is read by plain loads */
  return close_inbox(u, round);
}

/* Notified puts and a split-phase barrier, instead of the synchronous sends and the non-blocking
 * barrier of Hoefler, Siebert, Lumsdaine 2010. Slots are taken before the barrier, so after it a
 * unit knows how many items it receives, and waits until they have arrived. Puts need not be
 * complete before the barrier; between its two halves a unit could process items that have
 * arrived. */
int dsde_notify(struct dsde_unit *u, uint32_t round) {
  eyot_counter_t arrived = u->arrived[round & 1];
  for (uint32_t i = 0; i < u->opts->targets; i++) {
    eyot_gptr_t slot;
    bool fits = false;
    int code = take_slot(u, round, i, &slot, &fits);
    if (code != EYOT_OK) return code;
    eyot_counter_t there = eyot_counter_at(arrived, (eyot_unit_t){u->target[i]});
    if (fits) DSDE_TRY(eyot_put_notify_nbi(slot, &u->item[i], sizeof u->item[i], there, 1));
  }
  DSDE_TRY(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  DSDE_TRY(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  int code = close_inbox(u, round);
  if (code != EYOT_OK) return code;
  if (u->received > 0) {
    eyot_counter_t here = eyot_counter_at(arrived, (eyot_unit_t){u->me});
    DSDE_TRY(eyot_counter_set_threshold(here, u->received));
    DSDE_TRY(eyot_counter_wait(here));
  }
  DSDE_TRY(eyot_flush_all(EYOT_LOCAL)); /* item[] may change */
  return EYOT_OK;
}
