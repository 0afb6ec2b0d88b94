/* SPDX-License-Identifier: BSD-3-Clause */
/* instrument.h - calls from compiled-in instrumentation (eyotcc --instrument; src/prog) to a fabric
 * that explores or watches the run.
 *
 * Why it exists: the callbacks are linked into every program and must cost next to nothing where no
 * fabric observes: eyoti_instrumented is two loads, and everything else follows it. Any thread may
 * call them at any time: before eyot_init, after eyot_finalize, in invariants; there they have no
 * effect. */
#ifndef EYOT_INIT_INSTRUMENT_H
#define EYOT_INIT_INSTRUMENT_H

#include "rt/rt.h"

/* True if the fabric may observe the access. */
static inline bool eyoti_instrumented(void) {
  return __builtin_expect(eyot_current->observed, 0);
}

enum eyoti_access {
  EYOTI_READS = 0,
  EYOTI_WRITES = 1,
  EYOTI_STEPS = 2 /* a flag: steps of other units may come before it */
};

/* Reports that the code that returns to `site` is about to read or write [p, p+bytes) by plain
 * loads or stores; no effect unless that is in one unit's part of a segment, or attached. flags:
 * enum eyoti_access. */
EYOT_API void eyoti_check_access(const void *p, size_t bytes, int flags, const void *site);
/* The same for an atomic operation that is not of 8 bytes, which steps of other units may come
 * before. EYOTI_WRITES: it may change the word; else it is known not to. Races with other units are
 * not found, those with the unit's own operations in flight are. */
EYOT_API void eyoti_check_atomic_as(const void *p, size_t bytes, int flags, const void *site);
/* The same with EYOTI_WRITES, for programs of before. */
EYOT_API void eyoti_check_atomic(const void *p, size_t bytes, const void *site);
/* Executes an atomic operation of 8 bytes, as the functions of eyot/check.h do, if the fabric
 * observes and the word is in a segment: true, and *old is the value before. False for private
 * memory, of which it reports only that an operation in flight uses it. */
EYOT_API bool eyoti_check_cpu(enum fab_cpu_op op, uint64_t *word, uint64_t operand,
                              uint64_t desired, uint64_t *old, const void *site);
/* Reports that the code at pc runs. */
EYOT_API void eyoti_check_edge(const void *pc);
#endif
