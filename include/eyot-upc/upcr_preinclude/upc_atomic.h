/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_atomic.h - atomic operations (UPC library 7.6), for UPC programs. */
#ifndef EYOT_UPC_LANGUAGE_ATOMIC_H
#define EYOT_UPC_LANGUAGE_ATOMIC_H

#include <upc_types.h>

typedef int upc_atomichint_t;

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
