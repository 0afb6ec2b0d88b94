/* SPDX-License-Identifier: BSD-3-Clause */
/* feature.h - the set of features that runs have reached, in the order of discovery, each with the
 * number of runs that reached it. For guided.c.
 *
 * Why it exists: guided search keeps a run that reached a new feature, and prefers runs whose new
 * features are still rare. Both are asked at every edge and state of every run, so the answer costs
 * one probe of a table. Memory: snapshot/mem.h. Thread rule: one thread. */
#ifndef EYOT_CHECK_STRATEGY_FEATURE_H
#define EYOT_CHECK_STRATEGY_FEATURE_H

#include <stdbool.h>
#include <stdint.h>

struct chk_feature {
  uint64_t name; /* the engine's name for it */
  uint64_t last; /* the last run that reached it */
  uint64_t runs; /* how many runs reached it */
};

struct chk_features {
  struct chk_feature *at; /* in the order of discovery: the features of one run are neighbors */
  uint32_t *slots;        /* open addressing, linear probing: index into `at`, plus 1; 0: free */
  uint32_t n, cap;        /* slots: 2 * cap, a power of two */
  /* out of memory, or CHK_FEATURES_MAX: features that are not in the set are ignored */
  bool full;
};

#define CHK_FEATURES_MAX (UINT32_C(1) << 22)

void chk_features_init(struct chk_features *f);
void chk_features_fini(struct chk_features *f);
/* Run number `run` (from 1, not below earlier ones) reached the feature. True: it is the first run
 * that did. */
bool chk_features_add(struct chk_features *f, uint64_t name, uint64_t run);
#endif
