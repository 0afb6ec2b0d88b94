/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/atomic.h - atomic operations on shared objects (UPC library 7.6, upc_atomic.h).
 *
 * A domain says on which type, and by which operations, objects are accessed; they are atomic
 * against operations of the same domain. Types: INT, UINT, LONG, ULONG, INT32, UINT32, INT64,
 * UINT64, FLOAT and DOUBLE. A pointer to shared (UPC_PTS) has 24 bytes here, more than an atomic of
 * a network: such a domain is refused (docs/upc.md). */
#ifndef EYOT_UPC_ATOMIC_H
#define EYOT_UPC_ATOMIC_H

#include "coll.h"
#include "pointer.h"
#include "values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values: values.h. Numbers have UPC_ADD, SUB, MULT, INC, DEC, MIN and MAX, integers UPC_AND, OR
 * and XOR, all types UPC_GET, SET and CSWAP (UPC library 7.6.2). */
typedef int upc_type_t;
typedef int upc_atomichint_t;

/* A value of the program is a pointer to one; it is the same on all threads (UPC library
 * 7.6.3.1). */
typedef struct upc_atomicdomain upc_atomicdomain_t;
#define UPC_ATOMIC_DOMAINS_MAX 1024

/* upc_all_atomicdomain_alloc makes a domain of a type and of operations, or-ed; hints do not
 * matter. Collective, with the same arguments. upc_all_atomicdomain_free ends it; collective; NULL:
 * nothing. UPC library 7.6.4.1 and 7.6.4.2. */
upc_atomicdomain_t *upc_all_atomicdomain_alloc(upc_type_t type, upc_op_t ops,
                                               upc_atomichint_t hints);
void upc_all_atomicdomain_free(upc_atomicdomain_t *domain);
/* These apply an operation of the domain to the aligned object at target, and return what it was in
 * *fetch_ptr unless that is NULL (it is not for UPC_GET). Operands that the operation does not use
 * are not read. One thread calls; complete on return. upc_atomic_strict is a strict access. UPC
 * library 7.6.4.3. */
void upc_atomic_strict(upc_atomicdomain_t *domain, void *fetch_ptr, upc_op_t op,
                       upc_shared_t target, const void *operand1, const void *operand2);
void upc_atomic_relaxed(upc_atomicdomain_t *domain, void *fetch_ptr, upc_op_t op,
                        upc_shared_t target, const void *operand1, const void *operand2);
/* upc_atomic_isfast tells whether all of the operations are atomics of networks. Local. UPC library
 * 7.6.4.4. */
int upc_atomic_isfast(upc_type_t type, upc_op_t ops, upc_shared_t addr);

#ifdef __cplusplus
}
#endif
#endif
