/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde.h - shared declarations of dsde: options, items, the state of a unit, the protocols. */
#ifndef DSDE_H
#define DSDE_H

#include <eyot/eyot.h>
#include <stdint.h>

enum {
  DSDE_ACCUMULATE = 0,
  DSDE_NOTIFY,
  DSDE_ALLTOALL,
  DSDE_REDUCE_SCATTER,
  DSDE_NBX,
  DSDE_PROTOCOLS,
  DSDE_ALL = DSDE_PROTOCOLS
};
enum { DSDE_MAX_TARGETS = 4096, DSDE_MAX_ROUNDS = 4096, DSDE_MAX_RESERVE = 1 << 20 };

struct dsde_opts {
  uint32_t protocol; /* or DSDE_ALL */
  uint32_t targets;  /* a unit */
  uint32_t rounds;
  uint32_t reserve; /* items that a unit can receive in one exchange; 0: a default */
  uint32_t seed;
  bool separate; /* a barrier before each exchange */
};

/* One half of a unit's part of global memory. Exchanges alternate between the halves, so that an
 * item that arrives early for the next exchange does not disturb the current one. */
struct dsde_head {
  /* slots taken by senders; larger than the reserve if that was too small. Changed by atomics
   * only */
  uint64_t taken;
  uint64_t unused[7];
};

struct dsde_unit {
  const struct dsde_opts *opts;
  uint32_t me, n;
  /* The items of this exchange and their targets, unchanged until it has ended. */
  uint64_t *item;
  uint32_t *target;
  /* The inboxes: two halves, a head and `reserve` items each. */
  eyot_gptr_t g;
  eyot_counter_t arrived[2]; /* unit 0's */
  uint64_t *part;
  /* alltoall: private memory that grows with the number of units, the weakness of that protocol. */
  uint64_t *count_out, *count_in;
  uint64_t *block_out, *block_in;
  /* reduce_scatter: the items in the order of targets, and for each unit whether it is sent any. */
  uint64_t *by_target, *packed;
  uint32_t *sends;
  eyot_handle_t *put; /* nbx */
  /* The result of the last exchange. needed: items received if the reserve had been enough. */
  const uint64_t *inbox;
  uint64_t received, needed;
};

/* dsde_item.c. An item is 8 bytes: the source, the exchange, and the index among the source's
 * items. Any unit can compute the target from them. */
uint64_t dsde_item(uint32_t round, uint32_t source, uint32_t index);
uint32_t dsde_target(const struct dsde_opts *opts, uint32_t units, uint32_t round, uint32_t source,
                     uint32_t index);
void dsde_fill(struct dsde_unit *u, uint32_t round); /* item[] and target[] of the caller */
/* Adds to *bad the items in the inbox that are not for this unit and exchange, or are there
 * twice. */
int dsde_check(const struct dsde_unit *u, uint32_t round, uint64_t *bad);

/* dsde_direct.c, dsde_alltoall.c: one exchange, in which each unit sends to its targets.
 * Collective; in: item, target; out: inbox, received, needed. */
int dsde_accumulate(struct dsde_unit *u, uint32_t round);
int dsde_notify(struct dsde_unit *u, uint32_t round);
int dsde_alltoall(struct dsde_unit *u, uint32_t round);
int dsde_reduce_scatter(struct dsde_unit *u, uint32_t round);
int dsde_nbx(struct dsde_unit *u, uint32_t round);
uint64_t dsde_part_bytes(uint32_t reserve);

int dsde_fail(const char *what, int code);
#define DSDE_TRY(call)                                    \
  do {                                                    \
    int code_ = (call);                                   \
    if (code_ != EYOT_OK) return dsde_fail(#call, code_); \
  } while (0)
#endif
