/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/coll_global.h - collectives on global memory, with UPC's synchronization modes: broadcast,
 * scatter, gather, exchange and permutation of blocks, and reductions of block-cyclic arrays.
 * Source: UPC Language Specifications 1.3, part 2 (Required Library), section 7.
 *
 * dst and src are addresses of collective allocations (eyot/mem.h) of which every member has a
 * part; a member's part begins at the same byte as they do. Collective over the team, blocking; in
 * the order of the team's other collectives. Members read and write their own parts, inside their
 * own calls, but for a permutation. All arguments but `to` are the same on all members. Common
 * errors: ESTATE, ETEAM; EINVAL (a mode given twice, sizes that overflow), ESEG (memory, also that
 * of eyot_alloc and eyot_register), ERANGE (memory), EUNIT (a unit outside the team) on the member
 * concerned; EMISMATCH as in eyot/coll.h; ENOMEM. Thread rule: that of eyot/init.h. */
#ifndef EYOT_COLL_GLOBAL_H
#define EYOT_COLL_GLOBAL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The modes: one of IN, or-ed with one of OUT. What is missing is ALLSYNC.
 *   EYOT_IN_ALLSYNC   no data is read or written before all members have entered
 *   EYOT_IN_MYSYNC    none of a member's before that member has entered
 *   EYOT_IN_NOSYNC    data may be read and written as soon as one member has entered
 *   EYOT_OUT_ALLSYNC  no member returns before all data has been read and written
 *   EYOT_OUT_MYSYNC   no member returns before its own part has been read and written
 *   EYOT_OUT_NOSYNC   a member may return as soon as it needs to do nothing more
 * ALLSYNC costs a barrier; like any barrier it completes no operation that the program has posted
 * before. Functions may synchronize more than they are asked to. */
typedef unsigned eyot_sync_t;
enum {
  EYOT_IN_ALLSYNC = 1,
  EYOT_IN_MYSYNC = 2,
  EYOT_IN_NOSYNC = 4,
  EYOT_OUT_ALLSYNC = 8,
  EYOT_OUT_MYSYNC = 16,
  EYOT_OUT_NOSYNC = 32
};

/* eyot_global_broadcast copies the `bytes` bytes at src, the root's by its unit, to every member's
 * part of dst. eyot_global_scatter copies block r of size*bytes bytes at src, the root's, to the
 * part of dst of the member of rank r. eyot_global_gather copies every member's part of src to
 * block r of size*bytes bytes at dst, the root's by its unit. dst and src must not overlap. */
EYOT_RET int eyot_global_broadcast(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src,
                                   uint64_t bytes, eyot_sync_t sync);
EYOT_RET int eyot_global_scatter(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, uint64_t bytes,
                                 eyot_sync_t sync);
EYOT_RET int eyot_global_gather(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, uint64_t bytes,
                                eyot_sync_t sync);
/* eyot_global_gather_all copies every member's part of src, `bytes` bytes, to block r of every
 * member's part of dst, of size*bytes bytes. eyot_global_exchange copies block j of member i's part
 * of src to block i of member j's part of dst; both have size*bytes bytes. dst and src must not
 * overlap. */
EYOT_RET int eyot_global_gather_all(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src,
                                    uint64_t bytes, eyot_sync_t sync);
EYOT_RET int eyot_global_exchange(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src,
                                  uint64_t bytes, eyot_sync_t sync);
/* eyot_global_permute copies the caller's part of src, `bytes` bytes, to the part of dst of the
 * member of rank `to`. It puts it there itself. All members' `to` are a permutation of the
 * ranks: else EINVAL on all, before any data is moved. dst and src must not overlap. */
EYOT_RET int eyot_global_permute(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src,
                                 eyot_tunit_t to, uint64_t bytes, eyot_sync_t sync);

/* eyot_global_reduce combines the n elements of a block-cyclic array into one at dst.
 * eyot_global_prefix_reduce sets element i of the array at dst to the combination of the elements 0
 * to i of that at src. Element i belongs to block i / block, block b to the member b ranks after
 * that of src's unit, cyclically, and a member's blocks follow each other in its part: those of
 * ranks below src's begin one block later than src, as for a UPC pointer of phase 0. block 0: all
 * elements are in one block. dst of a prefix reduction has the unit of src; it may be src, and must
 * not overlap it otherwise. Elements are combined in their order for operators that do not commute;
 * others in an order that depends on the arguments and the team alone. Errors: also EINVAL (the
 * pair of type and operator, or EYOT_SUM_EXACT, which eyot_allreduce has). */
EYOT_RET int eyot_global_reduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, eyot_gptr_t dst,
                                eyot_gptr_t src, uint64_t n, uint64_t block, eyot_sync_t sync);
EYOT_RET int eyot_global_prefix_reduce(eyot_team_t team, eyot_type_t type, eyot_op_t op,
                                       eyot_gptr_t dst, eyot_gptr_t src, uint64_t n, uint64_t block,
                                       eyot_sync_t sync);

#ifdef __cplusplus
}
#endif
#endif
