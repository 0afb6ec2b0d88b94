/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/values.h - the values of UPC's library that C programs and UPC programs use alike, as
 * macros that #if takes too. Translators read them (upc_types.h, upc_atomic.h and others), so there
 * is nothing here but macros. */
#ifndef EYOT_UPC_VALUES_H
#define EYOT_UPC_VALUES_H

/* Operations (UPC 7.3.1), of upc_op_t. */
#define UPC_ADD 1UL
#define UPC_MULT 2UL
#define UPC_AND 4UL
#define UPC_OR 8UL
#define UPC_XOR 16UL
#define UPC_LOGAND 32UL
#define UPC_LOGOR 64UL
#define UPC_MIN 128UL
#define UPC_MAX 256UL
/* Those of atomics alone (UPC library 7.6.2): GET reads, SET writes operand1, CSWAP writes operand2
 * where operand1 is, SUB subtracts operand1, INC and DEC add and subtract 1. */
#define UPC_GET 512UL
#define UPC_SET 1024UL
#define UPC_CSWAP 2048UL
#define UPC_SUB 4096UL
#define UPC_INC 8192UL
#define UPC_DEC 16384UL
/* Functions of the program, in reductions (UPC library 7.4.3): FUNC is commutative and associative,
 * NONCOMM_FUNC associative. */
#define UPC_FUNC 65536UL
#define UPC_NONCOMM_FUNC 131072UL

/* Types (UPC 7.3.2), of upc_type_t. PTS: a pointer to shared. */
#define UPC_CHAR 1
#define UPC_UCHAR 2
#define UPC_SHORT 3
#define UPC_USHORT 4
#define UPC_INT 5
#define UPC_UINT 6
#define UPC_LONG 7
#define UPC_ULONG 8
#define UPC_LLONG 9
#define UPC_ULLONG 10
#define UPC_INT8 11
#define UPC_UINT8 12
#define UPC_INT16 13
#define UPC_UINT16 14
#define UPC_INT32 15
#define UPC_UINT32 16
#define UPC_INT64 17
#define UPC_UINT64 18
#define UPC_FLOAT 19
#define UPC_DOUBLE 20
#define UPC_LDOUBLE 21
#define UPC_PTS 22

/* Modes of synchronization of collectives (UPC 7.3.3), of upc_flag_t: those of eyot_sync_t. */
#define UPC_IN_ALLSYNC 1
#define UPC_IN_MYSYNC 2
#define UPC_IN_NOSYNC 4
#define UPC_OUT_ALLSYNC 8
#define UPC_OUT_MYSYNC 16
#define UPC_OUT_NOSYNC 32

/* Hints for atomics (UPC library 7.6.3.2), of upc_atomichint_t, and what upc_atomic_isfast returns
 * (UPC library 7.6.4.4). */
#define UPC_ATOMIC_HINT_DEFAULT 0
#define UPC_ATOMIC_HINT_LATENCY 1
#define UPC_ATOMIC_HINT_THROUGHPUT 2
#define UPC_ATOMIC_PERFORMANCE_NOT_FAST 0
#define UPC_ATOMIC_PERFORMANCE_FAST 1

/* Of transfers that do not block: the handle of a complete one (UPC library 7.9.3), and what
 * upc_sync_attempt and upc_synci_attempt return (UPC library 7.9.6 and 7.9.7). */
#define UPC_COMPLETE_HANDLE ((upc_handle_t)0)
#define UPC_NB_NOT_COMPLETED 0
#define UPC_NB_COMPLETED 1

/* The least and the largest upc_tick_t (UPC library 7.5.1.2). */
#define UPC_TICK_MIN ((upc_tick_t)0)
#define UPC_TICK_MAX (~(upc_tick_t)0)

#endif
