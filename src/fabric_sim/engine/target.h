/* SPDX-License-Identifier: BSD-3-Clause */
/* target.h - the record of the operations of one set that a unit has in flight to one target.
 * inflight.h keeps the records; unit.h holds them.
 *
 * Why it exists: flush, order, injection and reaping ask about all operations of a unit, about
 * those to one target, or of one set, and there may be thousands. The record has their list and the
 * latest times of their stages, so that no call visits operations that it does not complete. */
#ifndef EYOT_FABRIC_SIM_ENGINE_TARGET_H
#define EYOT_FABRIC_SIM_ENGINE_TARGET_H

#include "fabric_sim/engine/heap.h"
#include "fabric_sim/engine/op.h"

/* Timed engine: when operations are complete, at the latest. Maxima over all operations since the
 * record was made: a finished one lies in the past, where it delays nothing. */
struct sim_ends {
  uint64_t done_ps;  /* in every respect */
  uint64_t local_ps; /* locally; 0: at once */
};

struct sim_target {
  uint32_t unit;
  uint32_t n;           /* operations; 0: the record is void */
  uint32_t first, last; /* in the order of posting: indices of the pool */
  struct sim_ends ends;
  union {
    /* timed engine: the latest target_at of those that later ones of any set to this target come
     * after: in strict mode of all, else of those that an order of all sets came after */
    uint64_t before_at;
    uint64_t known_at; /* untimed engine: see sim_untimed_unit.known_at (explore/untimed.h) */
  };
  union {
    uint64_t released_at;    /* timed engine: the latest target_at of those with SIM_F_RELEASED */
    uint64_t set_ordered_at; /* untimed engine: the number of the last order of the set alone */
  };
  /* timed engine: the latest target_at of those that an order of the set came after; untimed
   * engine: the number of the last order of all sets */
  uint64_t ordered_at;
  union {
    uint32_t pending; /* untimed engine: number of those that are not locally complete */
    uint32_t flows;   /* timed engine: number of its flows (flow.h) + 1, 0: it has none */
  };
  bool lost; /* timed engine, when the origin crashes: one that later ones follow is lost */
  fab_set_t set;
};

_Static_assert(sizeof(struct sim_target) == 64, "a record is one cache line");

/* Of a set with operations in flight, whatever their targets. */
struct sim_set {
  fab_set_t set;
  uint32_t n;           /* operations, at least 1 */
  uint32_t pending;     /* as that of records */
  struct sim_ends ends; /* as that of records */
};

/* Of a unit that has, or had, operations in flight to several targets, or of several sets, or
 * many. */
struct sim_many {
  struct sim_target *slot; /* open addressing with linear probing; void records are reused */
  uint64_t *key;           /* [cap] the set and unit of each slot (inflight.c), after the slots */
  uint32_t cap, used, live;
  bool on;              /* the records are here, not in the unit */
  bool sorted;          /* `by_end` has all operations that the NIC has accepted */
  struct sim_ends ends; /* of all targets */
  /* timed engine: at least those of all records, so that an operation looks at other sets' records
   * only while one may hold it back */
  uint64_t before_at, released_at;
  struct sim_heap by_end;
  /* sets of which operations are in flight; n_sets 0: the default set alone */
  struct sim_set *sets;
  uint32_t n_sets, sets_cap;
  /* by number: the set's place in `sets`, if that entry is the set's (a sparse set: P. Briggs and
   * L. Torczon, "An Efficient Representation for Sparse Sets", ACM LOPLAS 2(1-4), 1993); grows to
   * the highest number in use */
  uint16_t *set_at;
  uint32_t set_at_cap;
};
#endif
