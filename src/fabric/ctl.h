/* ctl.h - the control plane: agreement over a set of units, before sync and coll exist.
 *
 * Teams and memory need to agree on ids and offsets. One primitive serves barrier, and-, or-, max- and min-reduction and small broadcasts (a broadcast is an
 * or-reduction to which only the root contributes): a dissemination exchange of up to EYOTI_CTL_WORDS words in ceil(log2 p) rounds. The operators
 * are idempotent, so dissemination is right for any p. State is one block of O(log p) words a unit and team in the symmetric heap, at the same offset on
 * all members. Two parities of payload and flag are enough: a member can be at most one exchange ahead of another (it cannot finish exchange k before all
 * have entered k), and it starts exchange k+2 only after everything sent in k has arrived. Flags hold the number of the exchange and never go back.
 * Source: dissemination barrier, Hensgen/Finkel/Manber 1988; seed 002 section 2.3 (fence) uses the same.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_CTL_H
#define EYOT_CTL_H

#include "fabric.h"

#define EYOTI_CTL_WORDS 4u

/* A set of units as ctl sees it: size, the caller's index, and how to translate an index to a unit. */
struct eyoti_ctl_set {
  uint32_t size;
  uint32_t my_index;
  fab_unit_t (*unit_at)(const void *set, uint32_t index);
  const void *set;
};

/* The exchange state of one team on one unit. `off` is where its block lies in segment `seg` on every member. */
struct eyoti_ctl {
  struct eyoti_ctl_set members;
  fab_seg_t seg;
  uint64_t off;
  uint64_t seq; /* exchanges entered */
};

enum eyoti_ctl_op { EYOTI_CTL_OR = 0, EYOTI_CTL_AND, EYOTI_CTL_MAX, EYOTI_CTL_MIN };

/* Bytes of a block for a team of `size` units. The block must be zero before the first exchange on every member. */
uint64_t eyoti_ctl_bytes(uint32_t size);

/* Combines words[0..n) of all members (n <= EYOTI_CTL_WORDS; 0: a barrier; ops[i] is the operator of word i) into words on all of them. Collective over
 * the set, blocking. Errors: the fabric's. */
int eyoti_ctl_exchange(struct fab *f, struct eyoti_ctl *c, const enum eyoti_ctl_op *ops, uint64_t *words, uint32_t n);
#endif
