/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_types.h - types and values of UPC's library (UPC 7.3), in UPC and in C. */
#ifndef EYOT_UPC_TYPES_H
#define EYOT_UPC_TYPES_H

typedef int upc_flag_t;
#define UPC_IN_ALLSYNC 1
#define UPC_IN_MYSYNC 2
#define UPC_IN_NOSYNC 4
#define UPC_OUT_ALLSYNC 8
#define UPC_OUT_MYSYNC 16
#define UPC_OUT_NOSYNC 32

typedef unsigned long upc_op_t;
#define UPC_ADD 1UL
#define UPC_MULT 2UL
#define UPC_AND 4UL
#define UPC_OR 8UL
#define UPC_XOR 16UL
#define UPC_LOGAND 32UL
#define UPC_LOGOR 64UL
#define UPC_MIN 128UL
#define UPC_MAX 256UL

typedef int upc_type_t;
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

#endif
