/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/types.h - constants, handles, and the lists of types from which the typed functions are
 * declared and defined. Source: OpenSHMEM 1.5, "Library Constants", "Library Handles" and the
 * tables of types of each section. */
#ifndef SHMEM_TYPES_H
#define SHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Declares a function and its profiling name. */
#define SHMEMI_FN(result, name, args) \
  result shmem_##name args;           \
  result pshmem_##name args

#if defined(__cplusplus)
#define SHMEMI_NORETURN [[noreturn]]
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SHMEMI_NORETURN _Noreturn
#else
#define SHMEMI_NORETURN __attribute__((noreturn))
#endif

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "eyot-shmem"

#define SHMEM_THREAD_SINGLE 0
#define SHMEM_THREAD_FUNNELED 1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE 3

#define SHMEM_CMP_EQ 0
#define SHMEM_CMP_NE 1
#define SHMEM_CMP_GT 2
#define SHMEM_CMP_LE 3
#define SHMEM_CMP_LT 4
#define SHMEM_CMP_GE 5

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE 2L
#define SHMEM_CTX_NOSTORE 4L
#define SHMEM_CTX_SESSION_TOTAL_OPS 1L
#define SHMEM_CTX_SESSION_BATCH 1L

#define SHMEM_TEAM_NUM_CONTEXTS 1L

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE 2L

/* Work arrays of the deprecated collectives: eyot needs none, and does not touch them. */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 1
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

/* Handles. They are values of the PE that has made them. */
typedef struct shmemi_ctx *shmem_ctx_t;
typedef struct shmemi_team *shmem_team_t;
typedef struct {
  int num_contexts;
} shmem_team_config_t;
typedef struct {
  size_t total_ops;
} shmem_ctx_session_config_t;

extern struct shmemi_ctx shmemi_ctx_default;
extern struct shmemi_team shmemi_team_world, shmemi_team_shared;
#define SHMEM_CTX_DEFAULT (&shmemi_ctx_default)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
#define SHMEM_TEAM_WORLD (&shmemi_team_world)
#define SHMEM_TEAM_SHARED (&shmemi_team_shared)
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)

/* Lists: X(type, name, op), op being what the user of the list passes through. A list _C has the
 * distinct types of C, which type-generic selection needs; the other names are for the same types
 * again. */
#define SHMEMI_RMA_C(X, op)      \
  X(float, float, op)            \
  X(double, double, op)          \
  X(long double, longdouble, op) \
  X(char, char, op)              \
  X(signed char, schar, op)      \
  X(short, short, op)            \
  X(int, int, op)                \
  X(long, long, op)              \
  X(long long, longlong, op)     \
  X(unsigned char, uchar, op)    \
  X(unsigned short, ushort, op)  \
  X(unsigned int, uint, op)      \
  X(unsigned long, ulong, op)    \
  X(unsigned long long, ulonglong, op)
#define SHMEMI_RMA_TYPES(X, op) \
  SHMEMI_RMA_C(X, op)           \
  X(int8_t, int8, op)           \
  X(int16_t, int16, op)         \
  X(int32_t, int32, op)         \
  X(int64_t, int64, op)         \
  X(uint8_t, uint8, op)         \
  X(uint16_t, uint16, op)       \
  X(uint32_t, uint32, op)       \
  X(uint64_t, uint64, op)       \
  X(size_t, size, op)           \
  X(ptrdiff_t, ptrdiff, op)

/* The functions without a type: X(bytes of an element, name, op). */
#define SHMEMI_SIZES(X, op) X(1, 8, op) X(2, 16, op) X(4, 32, op) X(8, 64, op) X(16, 128, op)

/* Atomics and waits. */
#define SHMEMI_AMO_C(X, op)   \
  X(int, int, op)             \
  X(long, long, op)           \
  X(long long, longlong, op)  \
  X(unsigned int, uint, op)   \
  X(unsigned long, ulong, op) \
  X(unsigned long long, ulonglong, op)
#define SHMEMI_AMO_TYPES(X, op) \
  SHMEMI_AMO_C(X, op)           \
  X(int32_t, int32, op)         \
  X(int64_t, int64, op)         \
  X(uint32_t, uint32, op)       \
  X(uint64_t, uint64, op)       \
  X(size_t, size, op)           \
  X(ptrdiff_t, ptrdiff, op)
#define SHMEMI_AMO_EXTENDED_C(X, op) X(float, float, op) X(double, double, op) SHMEMI_AMO_C(X, op)
#define SHMEMI_AMO_EXTENDED_TYPES(X, op) \
  X(float, float, op) X(double, double, op) SHMEMI_AMO_TYPES(X, op)
/* int, long and long long are int32_t and int64_t by another name. */
#define SHMEMI_AMO_BITWISE_C(X, op)    \
  X(unsigned int, uint, op)            \
  X(unsigned long, ulong, op)          \
  X(unsigned long long, ulonglong, op) \
  X(int32_t, int32, op)                \
  X(int64_t, int64, op)
#define SHMEMI_AMO_BITWISE_TYPES(X, op) \
  SHMEMI_AMO_BITWISE_C(X, op)           \
  X(uint32_t, uint32, op)               \
  X(uint64_t, uint64, op)
#define SHMEMI_WAIT_C(X, op) X(short, short, op) X(unsigned short, ushort, op) SHMEMI_AMO_C(X, op)
#define SHMEMI_WAIT_TYPES(X, op) \
  X(short, short, op) X(unsigned short, ushort, op) SHMEMI_AMO_TYPES(X, op)

/* Reductions: and, or, xor; max, min; sum, prod. C++ has C's complex types as an extension only. */
#define SHMEMI_REDUCE_BITWISE_C(X, op) \
  X(unsigned char, uchar, op)          \
  X(unsigned short, ushort, op)        \
  X(unsigned int, uint, op)            \
  X(unsigned long, ulong, op)          \
  X(unsigned long long, ulonglong, op) \
  X(int8_t, int8, op)                  \
  X(int16_t, int16, op)                \
  X(int32_t, int32, op)                \
  X(int64_t, int64, op)
#define SHMEMI_REDUCE_BITWISE_TYPES(X, op) \
  SHMEMI_REDUCE_BITWISE_C(X, op)           \
  X(uint8_t, uint8, op)                    \
  X(uint16_t, uint16, op)                  \
  X(uint32_t, uint32, op)                  \
  X(uint64_t, uint64, op)                  \
  X(size_t, size, op)
#define SHMEMI_REDUCE_ORDERED_C SHMEMI_RMA_C
#define SHMEMI_REDUCE_ORDERED_TYPES SHMEMI_RMA_TYPES
#ifndef __cplusplus
#define SHMEMI_COMPLEX(X, op) X(double _Complex, complexd, op) X(float _Complex, complexf, op)
#elif defined(__GNUC__)
__extension__ typedef double _Complex shmemi_complexd;
__extension__ typedef float _Complex shmemi_complexf;
#define SHMEMI_COMPLEX(X, op) X(shmemi_complexd, complexd, op) X(shmemi_complexf, complexf, op)
#else
#define SHMEMI_COMPLEX(X, op)
#endif
#define SHMEMI_REDUCE_SUM_C(X, op) SHMEMI_RMA_C(X, op) SHMEMI_COMPLEX(X, op)
#define SHMEMI_REDUCE_SUM_TYPES(X, op) SHMEMI_RMA_TYPES(X, op) SHMEMI_COMPLEX(X, op)

#ifdef __cplusplus
}
#endif
#endif
