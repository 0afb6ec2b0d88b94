/* SPDX-License-Identifier: BSD-3-Clause */
/* gups.h - shared declarations of gups: options, the update stream, the distributed table. */
#ifndef GUPS_H
#define GUPS_H

#include <eyot/eyot.h>
#include <stdint.h>

#include "gups_stream.h"

/* HPCC allows a unit to hold back at most this many updates. */
enum { GUPS_LOOKAHEAD = 1024 };
/* Declared cost of drawing a number and computing its word. */
enum { GUPS_UPDATE_NS = 2 };

enum gups_variant { GUPS_ATOMIC = 0, GUPS_GETPUT };

struct gups_opts {
  /* words of the whole table; 0: a default for each unit, rounded up to a power of two */
  uint32_t log2_table;
  uint64_t updates; /* 0: four times the table, as HPCC does */
  enum gups_variant variant;
  bool verify;
};

/* Word i of the table is word i % per_unit of unit i / per_unit. */
struct gups_table {
  eyot_gptr_t g; /* unit 0's part */
  uint64_t *mine;
  uint64_t words, per_unit;
  uint64_t first, count; /* this unit's words */
};

int gups_fail(const char *what, int code);
#define GUPS_TRY(call)                                    \
  do {                                                    \
    int code_ = (call);                                   \
    if (code_ != EYOT_OK) return gups_fail(#call, code_); \
  } while (0)
#endif
