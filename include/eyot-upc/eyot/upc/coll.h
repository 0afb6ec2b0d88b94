/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/coll.h - the collective functions of UPC (library 7.3, upc_collective.h).
 *
 * All threads call, in the same order, with the same arguments; blocking. dst and src have phase 0
 * and lie in the global heap or are shared arrays. nbytes: of each thread's block. `mode` is one of
 * UPC_IN_... or-ed with one of UPC_OUT_...; what is missing is ALLSYNC. */
#ifndef EYOT_UPC_COLL_H
#define EYOT_UPC_COLL_H

#include "pointer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef eyot_sync_t upc_flag_t;
enum {
  UPC_IN_ALLSYNC = EYOT_IN_ALLSYNC,
  UPC_IN_MYSYNC = EYOT_IN_MYSYNC,
  UPC_IN_NOSYNC = EYOT_IN_NOSYNC,
  UPC_OUT_ALLSYNC = EYOT_OUT_ALLSYNC,
  UPC_OUT_MYSYNC = EYOT_OUT_MYSYNC,
  UPC_OUT_NOSYNC = EYOT_OUT_NOSYNC
};

/* Operations (UPC 7.3.2.1 and 7.3.4). Functions of the program are missing. */
typedef unsigned upc_op_t;
enum {
  UPC_ADD = 1,
  UPC_MULT = 2,
  UPC_AND = 4,
  UPC_OR = 8,
  UPC_XOR = 16,
  UPC_LOGAND = 32,
  UPC_LOGOR = 64,
  UPC_MIN = 128,
  UPC_MAX = 256
};

/* Blocks (UPC 7.3.1): of one thread to all, of parts to all, of all to one, to all, between all,
 * and of each thread to thread perm[MYTHREAD], where perm is a cyclic array of int. */
void upc_all_broadcast(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_scatter(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_gather(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_gather_all(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_exchange(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_permute(upc_shared_t dst, upc_shared_t src, upc_shared_t perm, size_t nbytes,
                     upc_flag_t mode);

/* Reductions of an array of nelems elements in blocks of blk_size elements (0: all in one block),
 * into one element, or into an array of prefixes (UPC 7.3.2). T names the type: C signed char, UC
 * unsigned char, S short, US unsigned short, I int, UI unsigned, L long, UL unsigned long, F float,
 * D double, LD long double. */
/* clang-format off */
#define UPCI_REDUCTIONS(X)                                              \
  X(C, EYOT_INT8) X(UC, EYOT_UINT8) X(S, EYOT_INT16) X(US, EYOT_UINT16) \
  X(I, EYOT_INT32) X(UI, EYOT_UINT32) X(L, EYOT_INT64)                  \
  X(UL, EYOT_UINT64) X(F, EYOT_FLOAT) X(D, EYOT_DOUBLE) X(LD, EYOT_LONG_DOUBLE)
/* clang-format on */
#define UPCI_REDUCTION(T, type)                                                                 \
  void upc_all_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,        \
                         size_t blk_size, upc_flag_t mode);                                     \
  void upc_all_prefix_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems, \
                                size_t blk_size, upc_flag_t mode);
UPCI_REDUCTIONS(UPCI_REDUCTION)
#undef UPCI_REDUCTION

#ifdef __cplusplus
}
#endif
#endif
