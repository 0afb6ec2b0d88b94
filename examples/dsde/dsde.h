/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde.h - what the files of dsde share: options, items, the state of a unit, the protocols. */
#ifndef DSDE_H
#define DSDE_H

#include <eyot/eyot.h>
#include <stdint.h>

enum { DSDE_ACCUMULATE = 0, DSDE_NOTIFY, DSDE_ALLTOALL, DSDE_PROTOCOLS };
enum { DSDE_MAX_TARGETS = 4096, DSDE_MAX_ROUNDS = 4096, DSDE_MAX_ROOM = 1 << 20 };

struct dsde_opts {
  bool use[DSDE_PROTOCOLS];
  uint32_t targets; /* a unit */
  uint32_t rounds;
  uint32_t room; /* items that a unit can receive in one exchange; 0: a default */
  uint32_t seed;
  bool meet; /* a barrier before each exchange */
};

/* One half of a unit's part of global memory: exchanges take them in turns, so that what comes
 * early for the next one disturbs nobody who is still at this. */
struct dsde_head {
  /* places taken by senders; more than there is room for when that was too small. Changed by
   * atomics only */
  uint64_t taken;
  uint64_t unused[7];
};

struct dsde_unit {
  const struct dsde_opts *opts;
  uint32_t me, n;
  /* What this exchange sends: made before it, untouched until it has ended. */
  uint64_t *item;
  uint32_t *target;
  /* Where it receives: two halves, a head and `room` items each. */
  eyot_gptr_t g;
  eyot_counter_t arrived[2]; /* unit 0's */
  uint64_t *part;
  /* alltoall: private memory that grows with the number of units, which is what is wrong with that
   * protocol. */
  uint64_t *count_out, *count_in;
  uint64_t *block_out, *block_in;
  /* What the last exchange brought. needed: what it would have with more room. */
  const uint64_t *inbox;
  uint64_t received, needed;
};

/* dsde_args.c. Returns 0, 1 (help was asked for) or -1 (message says what was wrong). */
int dsde_args_parse(int argc, char **argv, struct dsde_opts *opts, char *message,
                    size_t message_bytes);
const char *dsde_args_usage(void);
const char *dsde_protocol_name(int protocol);

/* dsde_item.c. An item is 8 bytes that say who sent it, in which exchange, as which of its items;
 * everybody can compute for whom it is. */
uint64_t dsde_item(uint32_t round, uint32_t source, uint32_t index);
uint32_t dsde_target(const struct dsde_opts *opts, uint32_t units, uint32_t round, uint32_t source,
                     uint32_t index);
void dsde_fill(struct dsde_unit *u, uint32_t round); /* item[] and target[] of the caller */
/* Adds to *bad the items in the inbox that are not for this unit and exchange, or are there
 * twice. */
int dsde_check(const struct dsde_unit *u, uint32_t round, uint64_t *bad);

/* dsde_direct.c, dsde_alltoall.c: one exchange of everybody with everybody's targets. Collective;
 * in: item, target; out: inbox, received, needed. */
int dsde_accumulate(struct dsde_unit *u, uint32_t round);
int dsde_notify(struct dsde_unit *u, uint32_t round);
int dsde_alltoall(struct dsde_unit *u, uint32_t round);
uint64_t dsde_part_bytes(uint32_t room);

int dsde_fail(const char *what, int code);
#define DSDE_TRY(call)                                    \
  do {                                                    \
    int code_ = (call);                                   \
    if (code_ != EYOT_OK) return dsde_fail(#call, code_); \
  } while (0)
#endif
