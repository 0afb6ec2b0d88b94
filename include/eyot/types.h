/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/types.h - the identifiers, global pointers, error codes and enumerations that all public
 * headers share.
 *
 * The concepts (unit, team, group, segment, global pointer) are those of DART (H. Zhou,
 * "Communication Methods for Hierarchical Global Address Space Models in HPC", 2016, chapters 4 to
 * 6). Each has a C type of its own, so that the compiler refuses a team-relative unit id where a
 * global one is meant. */
#ifndef EYOT_TYPES_H
#define EYOT_TYPES_H

#if !defined(__LP64__) && !defined(_LP64)
#error "eyot needs a 64-bit target (LP64): compile without -m32 and -mx32"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EYOT_VERSION_MAJOR 0
#define EYOT_VERSION_MINOR 1
#define EYOT_VERSION_PATCH 0
#define EYOT_VERSION_STRING "0.1.0"

/* Marks a symbol that the library exports. */
#if defined(__GNUC__)
#define EYOT_API __attribute__((visibility("default")))
#else
#define EYOT_API
#endif

/* Marks a function that returns an error code: with -DEYOT_WARN_UNUSED the compiler warns where a
 * program ignores the code. */
#if defined(EYOT_WARN_UNUSED) && defined(__GNUC__)
#define EYOTI_RET_USED __attribute__((warn_unused_result))
#else
#define EYOTI_RET_USED
#endif
#define EYOT_RET EYOT_API EYOTI_RET_USED

/* A unit (a rank) by its global id, 0 .. eyot_size()-1. */
typedef struct eyot_unit {
  uint32_t id;
} eyot_unit_t;

/* A unit by its id relative to a team, 0 .. team size-1. eyot_team_l2g and eyot_team_g2l translate
 * between it and the global id. */
typedef struct eyot_tunit {
  uint32_t id;
} eyot_tunit_t;

/* A team: a value that may be copied freely. 0 is "no team". The id carries a generation, so that a
 * destroyed team is recognized. */
typedef struct eyot_team {
  uint64_t id;
} eyot_team_t;

#define EYOT_TEAM_NULL ((eyot_team_t){0})
/* Every unit of the run; exists from eyot_init to eyot_finalize. */
#define EYOT_TEAM_ALL ((eyot_team_t){1})

/* A set of units, always sorted by global unit id. Opaque; see eyot/group.h. */
typedef struct eyot_group eyot_group_t;

/* A global pointer of 128 bits: a unit, a segment, and a byte of that unit's part of the segment.
 * It is a value, which may be stored in global memory and sent to other units. All zero is the null
 * pointer. The lower 48 bits of `offset` count bytes from the start of the unit's part of the
 * segment. Its upper 16 bits and `gen` are the generation by which a freed segment is recognized;
 * pointers are moved and compared by the functions of eyot/mem.h, which leave it alone. Source:
 * Zhou 2016, section 5.3.1. */
typedef struct eyot_gptr {
  uint64_t offset;
  uint32_t unit;
  uint16_t seg;
  uint16_t gen;
} eyot_gptr_t;

#define EYOT_GPTR_NULL ((eyot_gptr_t){0, 0, 0, 0})

/* A non-blocking operation in flight: a value. 0 is "complete already" and may be waited for. */
typedef struct eyot_handle {
  uint64_t id;
} eyot_handle_t;

#define EYOT_HANDLE_DONE ((eyot_handle_t){0})

/* A non-blocking or persistent collective (eyot/coll_nb.h): a value. 0 is "complete already" and
 * may be waited for. */
typedef struct eyot_coll {
  uint64_t id;
} eyot_coll_t;

#define EYOT_COLL_DONE ((eyot_coll_t){0})

/* Completion levels, as in MPI-3 (Zhou 2016, section 6.2).
 * LOCAL:  the origin buffer may be reused (put); the result may be read (get, fetching atomic).
 * REMOTE: in addition, the bytes are visible at the target to any unit that observes a later
 *         operation of this origin. */
typedef enum eyot_level { EYOT_LOCAL = 0, EYOT_REMOTE = 1 } eyot_level_t;

/* The comparison of a wait-until, which waits until `word CMP value` holds. Values compare as
 * unsigned 64-bit integers. */
typedef enum eyot_cmp {
  EYOT_CMP_EQ = 0,
  EYOT_CMP_NE,
  EYOT_CMP_LT,
  EYOT_CMP_LE,
  EYOT_CMP_GT,
  EYOT_CMP_GE
} eyot_cmp_t;

/* Element types of typed operations. Atomics take the first six; reductions take all but
 * EYOT_BYTE (eyot/op.h has the pairs and says which operator each type takes). */
typedef enum eyot_type {
  EYOT_INT32 = 0,
  EYOT_UINT32,
  EYOT_INT64,
  EYOT_UINT64,
  EYOT_FLOAT,
  EYOT_DOUBLE,
  EYOT_BYTE, /* names a width only: no atomic and no reduction takes it */
  EYOT_INT8,
  EYOT_UINT8,
  EYOT_INT16,
  EYOT_UINT16,
  EYOT_LONG_DOUBLE,
  EYOT_FLOAT_COMPLEX, /* C's float _Complex: real part, imaginary part */
  EYOT_DOUBLE_COMPLEX,
  EYOT_INT32_INDEX, /* eyot_int32_index_t: a value and its index, for MINLOC and MAXLOC */
  EYOT_UINT32_INDEX,
  EYOT_FLOAT_INDEX,
  EYOT_INT64_INDEX,
  EYOT_UINT64_INDEX,
  EYOT_DOUBLE_INDEX,
  EYOT_USER, /* an element of the size that eyot_op_create was told; for that operator alone */
  EYOT_LONG_DOUBLE_COMPLEX /* C's long double _Complex */
} eyot_type_t;

/* Operators. Atomics take SUM to NOOP, reductions all but REPLACE and NOOP. Bit and
 * logical operators take integers only. eyot_op_create makes further values. */
typedef enum eyot_op {
  EYOT_SUM = 0,
  EYOT_PROD,
  EYOT_MIN,
  EYOT_MAX,
  EYOT_BAND,
  EYOT_BOR,
  EYOT_BXOR,
  EYOT_REPLACE,
  EYOT_NOOP,
  EYOT_LAND, /* 1 if both operands are not 0, else 0 */
  EYOT_LOR,
  EYOT_LXOR,
  EYOT_MINLOC,
  EYOT_MAXLOC,
  EYOT_SUM_EXACT,                /* of FLOAT and DOUBLE: the exact sum, rounded once (eyot/op.h) */
  EYOT_OP_USER_LAST = 0x7fffffff /* operators of eyot_op_create are values up to this one */
} eyot_op_t;

/* A function that can fail returns 0 or one of these. The unit that detects an error logs it once,
 * with the values that it saw. Outputs are written only on success unless a comment says so. */
enum eyot_error {
  EYOT_OK = 0,
  EYOT_EINVAL = -1,     /* an argument is not of the documented form */
  EYOT_ENOMEM = -2,     /* private memory or the symmetric heap is exhausted */
  EYOT_ERANGE = -3,     /* outside a segment, past the end of a group, or beyond a fixed limit */
  EYOT_EUNIT = -4,      /* no such unit, or not a member of the team or segment */
  EYOT_ETEAM = -5,      /* null, destroyed or foreign team */
  EYOT_ESEG = -6,       /* null, freed or foreign global pointer */
  EYOT_EMISMATCH = -7,  /* members of a team called a collective with different arguments */
  EYOT_ESTATE = -8,     /* before init, after finalize, or not possible now */
  EYOT_ETHREAD = -9,    /* called by a thread that may not (eyot_thread_level_t in eyot/init.h) */
  EYOT_EPEERDOWN = -10, /* the target unit has left or failed, or does not acknowledge */
  EYOT_ETIMEOUT = -11,  /* the time limit of a wait has passed */
  EYOT_ENOTSUP = -12,   /* this fabric cannot do it; see docs/fabrics.md */
  EYOT_ESYS = -13,      /* the operating system or MPI refused */
  EYOT_EFABRIC = -14,   /* the fabric cannot be loaded, or is of another version */
  EYOT_EALIGN = -15,    /* an address or offset is not aligned as required */
  EYOT_EBUSY = -16, /* a bounded resource is in use: ids, slots, a segment that is still needed */
  EYOT_ELAST = -16
};

#ifdef __cplusplus
}
#endif
#endif
