/* SPDX-License-Identifier: BSD-3-Clause */
/* feature.h - the set of features that runs have reached, in the order in which they were found,
 * each with the number of runs that reached it.
 *
 * Why it exists: guided search keeps a run because it reached something new, and prefers runs whose
 * news have stayed rare. Both are asked at every edge and state of every run, so the answer must
 * cost one probe of a table. Memory: snapshot/mem.h. Thread rule: one thread. */
#ifndef EYOT_CHECK_STRATEGY_FEATURE_H
#define EYOT_CHECK_STRATEGY_FEATURE_H

#include <stdbool.h>
#include <stdint.h>

struct chk_feature {
  uint64_t name; /* the engine's 64 bits */
  uint64_t last; /* the last run that reached it */
  uint64_t runs; /* how many reached it */
};

struct chk_features {
  struct chk_feature *at; /* in the order of discovery: those of one run are neighbors */
  uint32_t *slots;        /* open addressing, linear probing: index into at, plus 1; 0: free */
  uint32_t n, cap;        /* slots: 2 * cap, a power of two */
  /* no memory, or CHK_FEATURES_MAX: features that are not in it are ignored */
  bool full;
};

#define CHK_FEATURES_MAX (UINT32_C(1) << 22)

void chk_features_init(struct chk_features *f);
void chk_features_fini(struct chk_features *f);
/* Run number `run` (from 1, not below those before) reached it. True: no run did before. */
bool chk_features_add(struct chk_features *f, uint64_t name, uint64_t run);
#endif
