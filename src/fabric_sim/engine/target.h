/* SPDX-License-Identifier: BSD-3-Clause */
/* target.h - the record of the operations that a unit has in flight to one target. inflight.h keeps
 * the records; unit.h holds them.
 *
 * Why it exists: flush, order, injection and reaping ask about all operations of a unit, or about
 * those to one target, and there may be thousands. The record has their list and the latest times
 * of their stages, so that no call visits operations that it does not complete. */
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
    uint64_t visible_at; /* timed engine: the latest target_at */
    uint64_t known_at;   /* untimed engine: see sim_untimed_unit.known_at (explore/untimed.h) */
  };
  uint64_t released_at; /* timed engine: the latest target_at of those with SIM_F_RELEASED */
  /* timed engine: the latest target_at of those with SIM_F_FENCED; untimed engine: the number of
   * the last order */
  uint64_t ordered_at;
  uint32_t pending; /* untimed engine: number of those that are not locally complete */
  bool lost;        /* timed engine, when the origin crashes: one that later ones follow is lost */
};

_Static_assert(sizeof(struct sim_target) == 64, "a record is one cache line");

/* Of a unit that has, or had, operations in flight to several targets, or many. */
struct sim_many {
  struct sim_target *slot; /* open addressing with linear probing; void records are reused */
  uint32_t cap, used, live;
  bool on;              /* the records are here, not in the unit */
  bool sorted;          /* `by_end` has all operations that the NIC has accepted */
  struct sim_ends ends; /* of all targets */
  struct sim_heap by_end;
};
#endif
