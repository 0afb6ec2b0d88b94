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

#ifdef __cplusplus
extern "C" {
#endif

typedef int upc_type_t;
enum {
  UPC_CHAR = 1,
  UPC_UCHAR,
  UPC_SHORT,
  UPC_USHORT,
  UPC_INT,
  UPC_UINT,
  UPC_LONG,
  UPC_ULONG,
  UPC_LLONG,
  UPC_ULLONG,
  UPC_INT8,
  UPC_UINT8,
  UPC_INT16,
  UPC_UINT16,
  UPC_INT32,
  UPC_UINT32,
  UPC_INT64,
  UPC_UINT64,
  UPC_FLOAT,
  UPC_DOUBLE,
  UPC_LDOUBLE,
  UPC_PTS
};

/* Operations, beside UPC_ADD, MULT, MIN, MAX of numbers and UPC_AND, OR, XOR of integers (coll.h):
 * GET reads, SET writes operand1, CSWAP writes operand2 where operand1 is (the same bits), SUB
 * subtracts operand1, INC and DEC add and subtract 1. */
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
