/* SPDX-License-Identifier: BSD-3-Clause */
/* target.h - a set of targets with unfinished MPI operations.
 *
 * Why it exists: a flush or an order with nothing pending must not enter MPI, and the number of
 * operations in flight is bounded. The set holds at most as many targets as operations may be in
 * flight, so it does not grow with the number of units. Targets are also chained by age: the oldest
 * is completed when an operation more would exceed the bound (ops/complete.h). */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_TARGET_H
#define EYOT_FABRIC_REAL_ENDPOINT_TARGET_H

#include "fabric/fabric.h"

_Static_assert(FAB_SEG_MAX <= 64, "fmpi_target.segs has a bit a slot");

/* The unfinished operations to one target. On two lists: of its hash bucket, and by age. */
struct fmpi_target {
  fab_unit_t unit;
  bool attached;   /* through the window of attached memory */
  uint32_t gets;   /* calls not known to be complete */
  uint32_t writes; /* puts, atomics, signals */
  uint64_t segs;   /* bit i: through segment slot i */
  uint64_t sets;   /* bit i: of a set whose number is i modulo 64 */
  struct fmpi_target *bucket_next;
  struct fmpi_target *older, *newer;
};

struct fmpi_targets {
  struct fmpi_target *pool;
  struct fmpi_target *spare; /* by bucket_next */
  struct fmpi_target **bucket;
  uint32_t mask;
  struct fmpi_target *oldest, *newest;
  uint32_t inflight; /* sum of gets and writes */
  uint32_t limit;    /* of inflight */
};

/* Whether a flush or order of the set, or of FAB_SET_ALL, must complete the target. */
static inline bool fmpi_target_has(const struct fmpi_target *x, fab_set_t set) {
  return set == FAB_SET_ALL || (x->sets >> set % 64 & 1) != 0;
}

int fmpi_targets_init(struct fmpi_targets *t, uint32_t limit);
void fmpi_targets_fini(struct fmpi_targets *t);
struct fmpi_target *fmpi_target_find(const struct fmpi_targets *t, fab_unit_t unit);
/* One more is in flight to `unit`; inflight is below the limit. */
struct fmpi_target *fmpi_target_count(struct fmpi_targets *t, fab_unit_t unit, bool is_get);
/* One of them is complete, without a flush. */
void fmpi_target_done(struct fmpi_targets *t, fab_unit_t unit, bool is_get);
/* All of them are complete. */
void fmpi_target_forget(struct fmpi_targets *t, struct fmpi_target *x);
#endif
