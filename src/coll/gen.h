/* SPDX-License-Identifier: BSD-3-Clause */
/* gen.h - the algorithms: each a generator of plans (plan.h), in a file of its own (gen_*.c). */
#ifndef EYOT_COLL_GEN_H
#define EYOT_COLL_GEN_H

#include "coll/plan.h"

/* Messages that are copied to the board, so that nothing waits for the caller's buffers. */
#define EYOTI_STAGE_MOST 4096u

/* gen_binomial.c: trees. R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective
 * communication operations in MPICH, IJHPCA 19(1), 2005. allreduce: a reduction to member 0 and a
 * broadcast. gather: the tree carries only the news that the blocks are there, which the root then
 * gets, so that no member needs memory for more than its own. */
void eyoti_gen_broadcast_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_reduce_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_allreduce_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_gather_get(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_doubling.c: recursive doubling (the same source). fan: messages of a round that a member
 * sends at most, 1 for a power of two. */
void eyoti_gen_allreduce_doubling(struct eyoti_plan *p, const struct eyoti_coll_args *a);
uint32_t eyoti_gen_allreduce_fan(uint32_t size);
/* gen_bruck.c. J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for
 * all-to-all communications in multiport message-passing systems, TPDS 8(11), 1997. */
void eyoti_gen_allgather_bruck(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_linear.c: every member puts a block to each other, beginning with the next. */
void eyoti_gen_allgather_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_alltoall_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_allreduce_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_direct.c: long messages to private memory, one to each other member. */
void eyoti_gen_broadcast_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_reduce_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_allreduce_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_allgather_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_alltoall_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_scan.c: recursive doubling. W. D. Hillis, G. L. Steele: Data parallel algorithms, CACM
 * 29(12), 1986. In place OUT is IN. */
void eyoti_gen_scan(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_exscan(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* The same with messages to private memory. */
void eyoti_gen_scan_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_exscan_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_scan_parts.c: a part of the vector at each member, for long ones. */
void eyoti_gen_scan_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_exscan_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_reduce_scatter.c: pairwise exchange (Thakur et al. 2005). Also of blocks of several lengths.
 * In place OUT is the caller's block of IN. */
void eyoti_gen_reduce_scatter_pairwise(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_gather.c: a binomial tree. In place IN of the root is its block of OUT. */
void eyoti_gen_gather_tree(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_scatter.c: a binomial tree, and direct messages, also of several lengths. In place OUT of the
 * root is its block of IN. */
void eyoti_gen_scatter_tree(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_scatter_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_vector.c: direct messages of blocks of several lengths. */
void eyoti_gen_gatherv_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_allgatherv_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_alltoallv_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a);

/* gen_pairs.c: blocks of any length between members that agree pair by pair, in one round. Which
 * lengths a pair has is compared, but for those of reduce_scatter, allgatherv and
 * alltoall_strided, which are arguments on all members. gather: also gatherv; scatter: scatterv;
 * allgatherv: collect; alltoallv: alltoallw and alltoall_strided; reduce_scatter: of blocks of
 * several lengths too. For calls of one round, whatever a->len is. */
void eyoti_gen_gather_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_scatter_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_allgatherv_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_alltoallv_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_reduce_scatter_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* The same of gatherv, scatterv and the exchanges of two members on any fabric, but for a long
 * block (several.h) from one to the other, which both know then: another operation brings it. */
void eyoti_gen_gather_greet(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_scatter_greet(struct eyoti_plan *p, const struct eyoti_coll_args *a);
void eyoti_gen_alltoallv_greet(struct eyoti_plan *p, const struct eyoti_coll_args *a);

/* Some ranks of a tree over `size` of them: first .. end - 1. */
struct eyoti_gen_ranks {
  uint32_t first, end, size;
};
/* The end of the largest block of the tree that begins at r.first and lies in r. */
static inline uint32_t eyoti_gen_tree_block(struct eyoti_gen_ranks r) {
  uint64_t ranks = r.first == 0 ? (uint64_t)1 << 32 : r.first & -r.first;
  while (r.first + ranks > r.end && r.end < r.size) ranks /= 2;
  while (r.first + ranks / 2 >= r.end && ranks > 1) ranks /= 2;
  return r.first + ranks < r.end ? (uint32_t)(r.first + ranks) : r.end;
}
/* gen_reduce_scatter.c: combines the operands of ranks, in slots of `slot` bytes in their order,
 * along the tree: the result of each block is in the slot of its first rank. ..._slots: of all
 * members, in the first slot. */
void eyoti_gen_combine_ranks(struct eyoti_plan *p, struct eyoti_gen_ranks r, struct eyoti_ref slots,
                             uint64_t slot, uint64_t elements);
void eyoti_gen_combine_slots(struct eyoti_plan *p, struct eyoti_ref slots, uint64_t slot,
                             uint64_t elements);

/* The distance of slots of `bytes` bytes, for elements and words. */
static inline uint64_t eyoti_gen_round8(uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}
/* Where a block or a part begins in a buffer, and its bytes. */
struct eyoti_gen_block {
  uint64_t at, len;
};
/* Part i of n of a vector of len bytes, in whole elements. */
static inline struct eyoti_gen_block eyoti_gen_part(uint64_t len, uint64_t element, uint64_t i,
                                                    uint64_t n) {
  uint64_t elements = (len + element - 1) / element;
  uint64_t at = elements * i / n * element, end = elements * (i + 1) / n * element;
  return (struct eyoti_gen_block){at, (end < len ? end : len) - at};
}
/* The block of a member in IN or OUT, and the bytes of it that the round moves. Of elements that
 * travel in a wider form, IN has this round's alone, one block after the other. */
static inline struct eyoti_gen_block eyoti_gen_block(const struct eyoti_coll_args *a,
                                                     const struct eyoti_coll_blocks *b,
                                                     uint32_t member) {
  bool wide = a->combiner.wire != NULL;
  if (b == NULL) return (struct eyoti_gen_block){member * (wide ? a->len : a->bytes), a->len};
  uint64_t all = b->bytes[member], left = all > a->from ? all - a->from : 0;
  return (struct eyoti_gen_block){wide ? member * a->len : b->at[member],
                                  left < a->len ? left : a->len};
}
#endif
