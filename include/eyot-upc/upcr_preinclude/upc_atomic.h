/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_atomic.h - atomic operations (UPC library 7.6), for UPC programs. */
#ifndef EYOT_UPC_LANGUAGE_ATOMIC_H
#define EYOT_UPC_LANGUAGE_ATOMIC_H

#include <upc_types.h>

#define UPC_GET 512UL
#define UPC_SET 1024UL
#define UPC_CSWAP 2048UL
#define UPC_SUB 4096UL
#define UPC_INC 8192UL
#define UPC_DEC 16384UL

typedef int upc_atomichint_t;
#define UPC_ATOMIC_HINT_DEFAULT 0
#define UPC_ATOMIC_HINT_LATENCY 1
#define UPC_ATOMIC_HINT_THROUGHPUT 2
#define UPC_ATOMIC_PERFORMANCE_NOT_FAST 0
#define UPC_ATOMIC_PERFORMANCE_FAST 1

typedef shared void upc_atomicdomain_t;
extern upc_atomicdomain_t *upc_all_atomicdomain_alloc(upc_type_t type, upc_op_t ops,
                                                      upc_atomichint_t hints);
extern void upc_all_atomicdomain_free(upc_atomicdomain_t *ptr);
extern void upc_atomic_strict(upc_atomicdomain_t *domain, void *fetch_ptr, upc_op_t op,
                              shared void *target, const void *operand1, const void *operand2);
extern void upc_atomic_relaxed(upc_atomicdomain_t *domain, void *fetch_ptr, upc_op_t op,
                               shared void *target, const void *operand1, const void *operand2);
extern int upc_atomic_isfast(upc_type_t type, upc_op_t ops, shared void *addr);

#endif
