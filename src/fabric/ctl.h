/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl.h - the control plane: agreement over a set of units, before sync and coll exist.
 *
 * Teams and memory need to agree on ids and offsets. One primitive serves barrier, and-, or-, max-
 * and min-reduction and small broadcasts (a broadcast is an or-reduction to which only the root
 * contributes): a dissemination exchange of up to EYOTI_CTL_WORDS words in ceil(log2 p) rounds. The
 * operators are idempotent, so dissemination is right for any p. State is one block of O(log p)
 * words a unit and team in the symmetric heap, at the same offset on all members. Two parities of
 * payload and flag are enough: a member can be at most one exchange ahead of another (it cannot
 * finish exchange k before all have entered k), and it starts exchange k+2 only after everything
 * sent in k has arrived. Members who share a node and its processors count instead (ctl_crowd.h).
 * Flags hold the number of the exchange and never go back.
 * Source: dissemination barrier, Hensgen/Finkel/Manber 1988; seed 002 section 2.3 (fence) uses the
 * same. */
#ifndef EYOT_FABRIC_CTL_H
#define EYOT_FABRIC_CTL_H

#include "fabric/fabric.h"

#define EYOTI_CTL_WORDS 4u

/* A set of units as ctl sees it: size, the caller's index, and how to translate an index to a
 * unit. */
struct eyoti_ctl_set {
  uint32_t size;
  uint32_t my_index;
  fab_unit_t (*unit_at)(const void *set, uint32_t index);
  const void *set;
};

#define EYOTI_CTL_MAPPED_ROUNDS 8u /* of teams of up to 256 */

/* The exchange state of one team on one unit. `off` is where its block lies in segment `seg` on
 * every member. */
struct eyoti_ctl {
  struct eyoti_ctl_set members;
  fab_seg_t seg;
  uint64_t off;
  uint64_t seq; /* exchanges entered */
  /* Where all whom the caller tells are mapped here, and the CPU's stores are as good as the
   * fabric's signals (fab.cpu_atomics): found out at the first exchange. CROWD: they also share
   * processors, and count (ctl_crowd.h). */
  enum eyoti_ctl_way {
    EYOTI_CTL_UNKNOWN = 0,
    EYOTI_CTL_SIGNALED,
    EYOTI_CTL_MAPPED,
    EYOTI_CTL_CENTRAL
  } where;
  uint32_t rounds;
  char *own;                             /* the caller's part of the segment */
  char *mapped[EYOTI_CTL_MAPPED_ROUNDS]; /* the part of the member that is told in each round */
};

enum eyoti_ctl_op { EYOTI_CTL_OR = 0, EYOTI_CTL_AND, EYOTI_CTL_MAX, EYOTI_CTL_MIN };

/* Bytes of a block for a team of `size` units. The block must be zero before the first exchange on
 * every member. */
uint64_t eyoti_ctl_bytes(uint32_t size);

/* An exchange in steps: between them the caller may do anything else, exchanges over other blocks
 * included. */
struct eyoti_ctl_step {
  /* set by the caller, as are n and words[0..n): see eyoti_ctl_exchange */
  const enum eyoti_ctl_op *ops;
  uint32_t n;
  uint32_t round, shape; /* ctl's own, as are crowd and block */
  bool central;
  char *block;
  uint64_t words[EYOTI_CTL_WORDS]; /* last: a barrier does not touch them */
};
/* Enters the next exchange and sends what its first round wants. Does not block. After an error it
 * has not been entered. Errors: the fabric's. */
int eyoti_ctl_begin(struct fab *f, struct eyoti_ctl *c, struct eyoti_ctl_step *s);
/* Goes on until the exchange is over, waiting at most timeout_ns in each round (0: looks once). On
 * EYOT_OK words are those of all members; ETIMEOUT (not logged): not yet. Errors: EMISMATCH (it is
 * over, and members differ in n or ops), the fabric's. */
int eyoti_ctl_advance(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s,
                      uint64_t timeout_ns);

/* What the exchange waits for to go on, for whoever has to wait for other things too: the
 * condition, and the word itself, which may be read (atomically) to see whether it is worth trying.
 * NULL: nothing any more, advance will only tell how it ended. Local. */
const uint64_t *eyoti_ctl_awaits(const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                                 struct fab_cond *cond);
/* One round of an exchange that awaits something. Does not block. ETIMEOUT (not logged): it has not
 * come. Errors: the fabric's; the round can be tried again. */
int eyoti_ctl_pass(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s);

/* Combines words[0..n) of all members (n <= EYOTI_CTL_WORDS; 0: a barrier; ops[i] is the operator
 * of word i) into words on all of them. Collective over the set, blocking. Errors: EMISMATCH
 * (members differ in n or ops, thus are in different functions; all members get it, at the end of
 * the exchange), the fabric's. */
int eyoti_ctl_exchange(struct fab *f, struct eyoti_ctl *c, const enum eyoti_ctl_op *ops,
                       uint64_t *words, uint32_t n);
#endif
