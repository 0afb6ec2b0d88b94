/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/coll.h - the collective functions of UPC (UPC library 7.4, upc_collective.h).
 *
 * All threads call, in the same order, with the same arguments, not between upc_notify and
 * upc_wait; blocking. dst and src must not overlap. An operand of which each thread has a part is
 * in the global heap or a shared array. `mode` is one of UPC_IN_... or-ed with one of UPC_OUT_...
 * (values.h); what is missing is ALLSYNC (UPC 7.3.3 and 7.3.4). */
#ifndef EYOT_UPC_COLL_H
#define EYOT_UPC_COLL_H

#include "pointer.h"
#include "values.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef eyot_sync_t upc_flag_t;

/* An operation, or UPC_FUNC or UPC_NONCOMM_FUNC (values.h; UPC 7.3.1, UPC library 7.4.3). */
typedef unsigned long upc_op_t;

/* Blocks of nbytes bytes (UPC library 7.4.2): of one thread to all, of parts to all, of all to one,
 * to all, between all, and of each thread to thread perm[MYTHREAD], where perm is a cyclic array of
 * int. Operands that are no single thread's begin at thread 0; phases do not matter. */
void upc_all_broadcast(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_scatter(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_gather(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_gather_all(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_exchange(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode);
void upc_all_permute(upc_shared_t dst, upc_shared_t src, upc_shared_t perm, size_t nbytes,
                     upc_flag_t mode);

/* Reductions of an array of nelems elements in blocks of blk_size elements (0: all in one block),
 * into one element, or into an array of prefixes (UPC library 7.4.3.1). src may be at any thread
 * and have any phase; if that is not 0 in blocks of several elements, the array is first copied to
 * the global heap. dst of prefixes begins at the thread and phase of src. func is called for
 * UPC_FUNC and UPC_NONCOMM_FUNC, for the latter with the elements in the array's order, and must
 * not call eyot; else it is not used, and may be NULL. T names the type: C signed char, UC unsigned
 * char, S short, US unsigned short, I int, UI unsigned, L long, UL unsigned long, F float, D
 * double, LD long double. */
#define UPCI_REDUCTIONS(X)           \
  X(C, EYOT_INT8, signed char)       \
  X(UC, EYOT_UINT8, unsigned char)   \
  X(S, EYOT_INT16, short)            \
  X(US, EYOT_UINT16, unsigned short) \
  X(I, EYOT_INT32, int)              \
  X(UI, EYOT_UINT32, unsigned)       \
  X(L, EYOT_INT64, long)             \
  X(UL, EYOT_UINT64, unsigned long)  \
  X(F, EYOT_FLOAT, float)            \
  X(D, EYOT_DOUBLE, double)          \
  X(LD, EYOT_LONG_DOUBLE, long double)
#define UPCI_REDUCTION(T, type, name)                                                           \
  void upc_all_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,        \
                         size_t blk_size, name (*func)(name, name), upc_flag_t mode);           \
  void upc_all_prefix_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems, \
                                size_t blk_size, name (*func)(name, name), upc_flag_t mode);
UPCI_REDUCTIONS(UPCI_REDUCTION)
#undef UPCI_REDUCTION

#ifdef __cplusplus
}
#endif
#endif
