/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_collective.h - collective functions (UPC library 7.4), for UPC programs. */
#ifndef EYOT_UPC_LANGUAGE_COLLECTIVE_H
#define EYOT_UPC_LANGUAGE_COLLECTIVE_H

#include <stddef.h>
#include <upc_types.h>

extern void upc_all_broadcast(shared void *dst, shared const void *src, size_t nbytes,
                              upc_flag_t mode);
extern void upc_all_scatter(shared void *dst, shared const void *src, size_t nbytes,
                            upc_flag_t mode);
extern void upc_all_gather(shared void *dst, shared const void *src, size_t nbytes,
                           upc_flag_t mode);
extern void upc_all_gather_all(shared void *dst, shared const void *src, size_t nbytes,
                               upc_flag_t mode);
extern void upc_all_exchange(shared void *dst, shared const void *src, size_t nbytes,
                             upc_flag_t mode);
extern void upc_all_permute(shared void *dst, shared const void *src, shared const int *perm,
                            size_t nbytes, upc_flag_t mode);

#define EYOT_UPC_REDUCTION(T, type)                                                              \
  extern void upc_all_reduce##T(shared void *dst, shared const void *src, upc_op_t op,           \
                                size_t nelems, size_t blk_size, type (*func)(type, type),        \
                                upc_flag_t mode);                                                \
  extern void upc_all_prefix_reduce##T(shared void *dst, shared const void *src, upc_op_t op,    \
                                       size_t nelems, size_t blk_size, type (*func)(type, type), \
                                       upc_flag_t mode);
EYOT_UPC_REDUCTION(C, signed char)
EYOT_UPC_REDUCTION(UC, unsigned char)
EYOT_UPC_REDUCTION(S, signed short)
EYOT_UPC_REDUCTION(US, unsigned short)
EYOT_UPC_REDUCTION(I, signed int)
EYOT_UPC_REDUCTION(UI, unsigned int)
EYOT_UPC_REDUCTION(L, signed long)
EYOT_UPC_REDUCTION(UL, unsigned long)
EYOT_UPC_REDUCTION(F, float)
EYOT_UPC_REDUCTION(D, double)
EYOT_UPC_REDUCTION(LD, long double)
#undef EYOT_UPC_REDUCTION

#endif
