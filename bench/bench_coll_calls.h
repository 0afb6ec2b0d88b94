/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll_calls.h - the collectives that bench_coll_scale (virtual time) and bench_coll_wall
 * (wall time) measure by name: their calls, operands and results. Reductions are of integers, whose
 * sum does not depend on the order, and with _double of doubles. Those of eyot/coll_global.h have
 * the name of a mode: global_broadcast_nosync, _mysync, _allsync. */
#ifndef BENCH_COLL_CALLS_H
#define BENCH_COLL_CALLS_H

#include <stdbool.h>

#include "bench.h"

struct coll_run {
  uint32_t me, n;
  uint32_t root;  /* of the next call, where it has one */
  bool any_root;  /* it changes */
  uint64_t round; /* of the next call: other operands each */
  uint64_t *from, *to;
  eyot_gptr_t global_from, global_to; /* the same of global_* */
};

/* What a unit sends and expects: nothing, the root's vector, all units' sum, or that of those up to
 * the caller, or before it; all units' blocks, one from each to each, one from the root, or the
 * largest of all units' blocks for the caller. */
enum coll_shape {
  NOTHING,
  ROOTS,
  SUM,
  SUM_DOUBLE,
  PREFIX,
  PREFIX_DOUBLE,
  PREFIX_BEFORE,
  BLOCKS,
  OWN_BLOCKS,
  ROOTS_BLOCKS,
  OWN_LARGEST
};
struct coll_what {
  const char *name;
  int (*call)(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync);
  enum coll_shape shape;
  bool at_root;     /* the result is the root's alone */
  eyot_sync_t sync; /* of global_*, else 0 */
};

/* WHAT:BYTES[:TIMES]; *times keeps its value where there is none. NULL: it is no such text. */
const struct coll_what *coll_parse(const char *text, uint64_t *bytes, uint32_t *times);
/* Makes and frees operands and results of so many bytes. Collective. */
void coll_open(const struct coll_what *w, struct coll_run *r, uint64_t bytes);
void coll_close(const struct coll_what *w, struct coll_run *r);
/* Sets the operands of the round; makes the call; compares the result. coll_check is collective for
 * global_*, whose results are there when all have returned. */
void coll_fill(const struct coll_what *w, const struct coll_run *r, uint64_t bytes);
void coll_call(const struct coll_what *w, const struct coll_run *r, uint64_t bytes);
void coll_check(const struct coll_what *w, const struct coll_run *r, uint64_t bytes);
#endif
