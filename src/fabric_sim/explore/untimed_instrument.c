/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_instrument.c - accesses and edges of instrumented code. See untimed_instrument.h.
 *
 * An edge is reported to the strategy once per run. A small table remembers the addresses reported
 * in this run, one per slot, the last one winning. An edge whose entry was replaced is reported
 * again; the strategy recognizes it. */
#include "fabric_sim/explore/untimed_instrument.h"

#include "check/snapshot/mem.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/explore/untimed_touch.h"
#include "fabric_sim/explore/untimed_unit.h"

/* number of the program's places that are distinguished at once; a power of two */
#define EDGES 8192u

struct sim_untimed_edges {
  struct {
    /* run: the number of steps of all earlier runs, unique among runs with steps; plus 1, so that
     * it is never 0 */
    uint64_t feature, run;
  } at[EDGES];
};

/* Ignores invariants, which run outside all units. */
bool sim_untimed_shared(struct fab *f, const void *p, uint64_t len) {
  const struct sim_unit *u = sim_unit_of(f);
  if (u->state != SIM_RUNNING) return false;
  if (p == NULL) return true;
  uint32_t unit, seg;
  uint64_t off;
  return sim_seg_find(u->world, f->me, p, len, &unit, &seg, &off);
}

bool sim_untimed_lent(struct fab *f, const void *p, uint64_t len, bool writes) {
  const struct sim_unit *u = sim_unit_of(f);
  return u->state == SIM_RUNNING && sim_observed(u->world) && sim_observe_lent(u, p, len, writes);
}

void sim_untimed_access_step(struct fab *f, const void *p, uint64_t len, bool writes) {
  struct sim_unit *u = sim_unit_of(f);
  /* Plain loads do not read the store buffer, which holds the unit's own stores: the buffer is
   * emptied first. This shows fewer behaviors than the CPU has, and none that it has not. */
  bool buffered = sim_untimed_is_tso(u->world);
  if (buffered) sim_untimed_tso_touch(u);
  sim_untimed_atomic_step(u, p, len, buffered ? SIM_GO_STORES : SIM_GO);
  if (buffered) sim_untimed_tso_touch(u);
  sim_untimed_touch(u->world, p, len, writes);
}

void sim_untimed_edge(struct fab *f, uintptr_t pc) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_untimed *c = u->world->untimed;
  if (u->state != SIM_RUNNING || c->strategy == NULL || c->strategy->ops->saw == NULL) return;
  uint64_t off, feature = pc; /* in a library, which all units share */
  if (sim_prog_offset(u->world->prog, f->me, (const void *)pc, &off)) feature = off;
  feature |= CHK_SAW_EDGE;
  if (c->edges == NULL && (c->edges = chk_alloc(sizeof *c->edges)) == NULL) return;
  uint64_t run = c->steps + 1;
  uint32_t at = (uint32_t)((feature * 0x9e3779b97f4a7c15u) >> 40) % EDGES;
  if (c->edges->at[at].feature == feature && c->edges->at[at].run == run) return;
  c->edges->at[at].feature = feature;
  c->edges->at[at].run = run;
  c->strategy->ops->saw(c->strategy, feature);
}
