/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde_direct.c - the one-sided protocols. In all of them a sender takes slots of its target's
 * inbox by a fetch-and-add and puts its items there; they differ in how a unit learns that all its
 * items have arrived. accumulate is the one-sided form of R. Gerstenberger, M. Besta, T. Hoefler,
 * SC 2013, section 4.2; reduce_scatter and nbx are protocols of T. Hoefler, C. Siebert,
 * A. Lumsdaine, "Scalable Communication Protocols for Dynamic Sparse Data Exchange", PPoPP 2010,
 * with puts instead of messages.
 *
 * Exchange e uses half `e & 1`. Exchange e + 2 uses the same half; its senders have completed
 * exchange e + 1, which the owner of the half enters only after it has finished exchange e. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* Takes the next n slots of a target. *fit: how many of them exist; that there are too few the
 * target learns from the number of slots taken. */
static int take_slots(const struct dsde_unit *u, uint32_t round, uint32_t target, uint64_t n,
                      eyot_gptr_t *slot, uint64_t *fit) {
  uint64_t taken;
  eyot_gptr_t half = half_at(u, target, round);
  DSDE_TRY(eyot_fetch_add_u64(half, n, &taken)); /* dsde_head.taken */
  uint64_t left = taken < u->opts->reserve ? u->opts->reserve - taken : 0;
  *fit = n < left ? n : left;
  *slot = eyot_gptr_add(half, (int64_t)(sizeof(struct dsde_head) + taken * sizeof(uint64_t)));
  return EYOT_OK;
}
/* The same for item i. */
static int take_slot(const struct dsde_unit *u, uint32_t round, uint32_t i, eyot_gptr_t *slot,
                     bool *fits) {
  uint64_t fit = 0;
  int code = take_slots(u, round, u->target[i], 1, slot, &fit);
  *fits = fit == 1;
  return code;
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

/* Waits until `amount` has been added to the caller's counter of the exchange. */
static int await_arrived(struct dsde_unit *u, eyot_counter_t arrived, uint64_t amount) {
  if (amount == 0) return EYOT_OK;
  eyot_counter_t here = eyot_counter_at(arrived, (eyot_unit_t){u->me});
  DSDE_TRY(eyot_counter_set_threshold(here, amount));
  DSDE_TRY(eyot_counter_wait(here));
  return EYOT_OK;
}

/* Notified puts and a split-phase barrier, instead of the acknowledged puts of nbx. Slots are taken
 * before the barrier, so after it a unit knows how many items it receives, and waits until they
 * have arrived. Puts need not be complete before the barrier; between its two halves a unit could
 * process items that have arrived. */
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
  code = await_arrived(u, arrived, u->received);
  if (code != EYOT_OK) return code;
  DSDE_TRY(eyot_flush_all(EYOT_LOCAL)); /* item[] may change */
  return EYOT_OK;
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts the items by target into `packed`: a target's items are one message. by_target[i]: the
 * target of packed[i], and the index of the item. */
#define INDEX_BITS 16
static void pack_items(struct dsde_unit *u) {
  uint32_t n = u->opts->targets;
  for (uint32_t i = 0; i < n; i++) u->by_target[i] = (uint64_t)u->target[i] << INDEX_BITS | i;
  qsort(u->by_target, n, sizeof u->by_target[0], ascending);
  for (uint32_t i = 0; i < n; i++)
    u->packed[i] = u->item[u->by_target[i] & ((1u << INDEX_BITS) - 1)];
}

/* Sends each target its items, with one notification, and marks the target in `sends`. A message
 * for which no slot is left is its notification alone: the target waits for it. */
static int send_messages(struct dsde_unit *u, uint32_t round, eyot_counter_t arrived) {
  for (uint32_t i = 0, n; i < u->opts->targets; i += n) {
    uint32_t target = (uint32_t)(u->by_target[i] >> INDEX_BITS);
    for (n = 1; i + n < u->opts->targets && u->by_target[i + n] >> INDEX_BITS == target;) n++;
    eyot_gptr_t slot;
    uint64_t fit = 0;
    int code = take_slots(u, round, target, n, &slot, &fit);
    if (code != EYOT_OK) return code;
    eyot_counter_t there = eyot_counter_at(arrived, (eyot_unit_t){target});
    u->sends[target] = 1;
    DSDE_TRY(eyot_put_notify_nbi(fit > 0 ? slot : half_at(u, target, round), &u->packed[i],
                                 fit * sizeof u->packed[0], there, 1));
  }
  return EYOT_OK;
}

/* The reduction tells each unit how many units send to it, and it awaits that many notifications.
 * The messages are under way meanwhile. Time and memory grow with the number of units, as those of
 * alltoall. A reduce_scatter is a barrier too, so an exchange cannot begin before all units have
 * ended the one but last. */
int dsde_reduce_scatter(struct dsde_unit *u, uint32_t round) {
  eyot_counter_t arrived = u->arrived[round & 1];
  uint32_t messages = 0;
  memset(u->sends, 0, u->n * sizeof u->sends[0]);
  pack_items(u);
  int code = send_messages(u, round, arrived);
  if (code != EYOT_OK) return code;
  DSDE_TRY(eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_UINT32, EYOT_SUM, u->sends, &messages, 1));
  code = await_arrived(u, arrived, messages);
  if (code != EYOT_OK) return code;
  DSDE_TRY(eyot_flush_all(EYOT_LOCAL)); /* packed[] may change */
  return close_inbox(u, round);
}

/* A synchronous send is a put whose acknowledgment the sender awaits. A unit enters the
 * non-blocking barrier when all its puts have been acknowledged, so all items of all units have
 * arrived when the barrier is complete, and no unit needs to know how many. Between its two halves
 * a unit could process items that have arrived. */
int dsde_nbx(struct dsde_unit *u, uint32_t round) {
  uint32_t puts = 0;
  for (uint32_t i = 0; i < u->opts->targets; i++) {
    eyot_gptr_t slot;
    bool fits = false;
    int code = take_slot(u, round, i, &slot, &fits);
    if (code != EYOT_OK) return code;
    if (fits) DSDE_TRY(eyot_put_nb(slot, &u->item[i], sizeof u->item[i], &u->put[puts++]));
  }
  DSDE_TRY(eyot_wait_all(u->put, puts, EYOT_REMOTE));
  DSDE_TRY(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  DSDE_TRY(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  DSDE_TRY(eyot_sync()); /* the inbox is read by plain loads */
  return close_inbox(u, round);
}
