/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/types.h - identifiers, global pointers, error codes and enumerations shared by every public header.
 *
 * Why it exists: the concepts (unit, team, group, segment, global pointer) are DART's (seed 000, chapters 4-6);
 * here each has its own C type so that the compiler refuses a unit id of a team where a global one is meant. */
#ifndef EYOT_TYPES_H
#define EYOT_TYPES_H

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

/* Marks a symbol that programs may use; everything else in the library is hidden or internal. */
#if defined(__GNUC__)
#define EYOT_API __attribute__((visibility("default")))
#else
#define EYOT_API
#endif

/* A unit (a rank) by its global id, 0 .. eyot_size()-1. */
typedef struct eyot_unit {
  uint32_t id;
} eyot_unit_t;

/* A unit by its id relative to some team, 0 .. team size-1. Translate with eyot_team_l2g / eyot_team_g2l. */
typedef struct eyot_tunit {
  uint32_t id;
} eyot_tunit_t;

/* A team. A value; copy it freely. 0 is "no team". The id carries a generation, so a destroyed team is recognised. */
typedef struct eyot_team {
  uint32_t id;
} eyot_team_t;

#define EYOT_TEAM_NULL ((eyot_team_t){0})
#define EYOT_TEAM_ALL ((eyot_team_t){1}) /* every unit of the run; exists from init to finalize */

/* A set of units, always sorted by global unit id. Opaque; see eyot/group.h. */
typedef struct eyot_group eyot_group_t;

/* A global pointer, 128 bits: which unit, which segment, which byte of that unit's part of the segment.
 * A value; may be stored in global memory and sent to other units. All zero is the null pointer.
 * `offset` counts bytes from the start of the unit's part of the segment. */
typedef struct eyot_gptr {
  uint64_t offset;
  uint32_t unit;
  uint16_t seg;
  uint16_t gen;
} eyot_gptr_t;

#define EYOT_GPTR_NULL ((eyot_gptr_t){0, 0, 0, 0})

/* A non-blocking operation in flight. A value; 0 is "complete already" and may be waited for. */
typedef struct eyot_handle {
  uint64_t id;
} eyot_handle_t;

#define EYOT_HANDLE_DONE ((eyot_handle_t){0})

/* Completion levels (as in MPI-3 and seed 000 section 6.2).
 * LOCAL:  the origin buffer may be reused (put), the result may be read (get, fetching atomic).
 * REMOTE: additionally the bytes are visible at the target to whoever observes a later operation of this origin. */
typedef enum eyot_level { EYOT_LOCAL = 0, EYOT_REMOTE = 1 } eyot_level_t;

/* Comparison used by wait-until: waits until `word CMP value` holds. Values compare as unsigned 64-bit integers. */
typedef enum eyot_cmp {
  EYOT_CMP_EQ = 0,
  EYOT_CMP_NE,
  EYOT_CMP_LT,
  EYOT_CMP_LE,
  EYOT_CMP_GT,
  EYOT_CMP_GE
} eyot_cmp_t;

/* Element types of typed operations. */
typedef enum eyot_type {
  EYOT_INT32 = 0,
  EYOT_UINT32,
  EYOT_INT64,
  EYOT_UINT64,
  EYOT_FLOAT,
  EYOT_DOUBLE,
  EYOT_BYTE /* only for data movement in collectives */
} eyot_type_t;

/* Operators of atomics and reductions. Bit operators take integers only; REPLACE and NOOP are for atomics only. */
typedef enum eyot_op {
  EYOT_SUM = 0,
  EYOT_PROD,
  EYOT_MIN,
  EYOT_MAX,
  EYOT_BAND,
  EYOT_BOR,
  EYOT_BXOR,
  EYOT_REPLACE,
  EYOT_NOOP
} eyot_op_t;

/* Every function returns 0 or one of these. The unit that detects an error logs it once, with the values that it saw. */
enum eyot_error {
  EYOT_OK = 0,
  EYOT_EINVAL = -1, /* an argument is not of the documented form */
  EYOT_ENOMEM = -2, /* private memory or the symmetric heap is exhausted */
  EYOT_ERANGE =
      -3, /* out of range: outside a segment, past the end of a group, more than the machine holds */
  EYOT_EUNIT = -4,      /* no such unit, or not a member of the team or segment */
  EYOT_ETEAM = -5,      /* null, destroyed or foreign team */
  EYOT_ESEG = -6,       /* null, freed or foreign global pointer */
  EYOT_EMISMATCH = -7,  /* the members of a team called a collective with different arguments */
  EYOT_ESTATE = -8,     /* before init, after finalize, or otherwise not now */
  EYOT_ETHREAD = -9,    /* a second thread of a unit is inside eyot */
  EYOT_EPEERDOWN = -10, /* the target unit has left or failed */
  EYOT_ETIMEOUT = -11,  /* the time given to a wait has passed */
  EYOT_ENOTSUP = -12,   /* this fabric cannot do it; its capability page says so */
  EYOT_ESYS = -13,      /* the operating system or MPI refused */
  EYOT_EFABRIC = -14,   /* the fabric cannot be loaded, or is of another version */
  EYOT_EALIGN = -15,    /* an address or offset is not aligned as required */
  EYOT_EBUSY =
      -16, /* a bounded resource is in use: handles, ids, a segment with operations in flight */
  EYOT_ELAST = -16
};

#ifdef __cplusplus
}
#endif
#endif
