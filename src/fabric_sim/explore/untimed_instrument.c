/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_instrument.c - accesses and edges of instrumented code. See untimed_instrument.h.
 *
 * An edge is told to the strategy once a run: which addresses were told in this run a small table
 * remembers, one entry a place, of which the last one stays. One that was pushed out is told again,
 * which the strategy notices. */
#include "fabric_sim/explore/untimed_instrument.h"

#include "check/snapshot/mem.h"
#include "fabric_sim/explore/untimed.h"

#define EDGES 8192u /* a power of two: of a program's places, so many are told apart at once */

struct sim_untimed_edges {
  struct {
    /* run: how many steps all before it had, which no other with steps shares; and 1, so that it is
     * never 0 */
    uint64_t feature, run;
  } at[EDGES];
};

/* Not in invariants, which run outside all units. */
bool sim_untimed_shared(struct fab *f, const void *p, uint64_t len) {
  const struct sim_unit *u = sim_unit_of(f);
  if (u->state != SIM_RUNNING) return false;
  if (p == NULL) return true;
  uint32_t unit, seg;
  uint64_t off;
  return sim_seg_find(u->world, f->me, p, len, &unit, &seg, &off);
}

void sim_untimed_access_step(struct fab *f, const void *p, uint64_t len, bool writes) {
  struct sim_unit *u = sim_unit_of(f);
  /* Plain code does not look into the store buffer, which has what the unit itself wrote: it is
   * emptied first. That shows less than the CPU does, and nothing that it does not. */
  bool buffered = sim_untimed_is_tso(u->world);
  if (buffered) sim_untimed_tso_touch(u);
  sim_untimed_block(u, SIM_ASLEEP, buffered ? SIM_GO_STORES : SIM_GO);
  if (buffered) sim_untimed_tso_touch(u);
  sim_untimed_touch(u->world, p, len, writes);
}

void sim_untimed_edge(struct fab *f, uintptr_t pc) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_untimed *c = u->world->untimed;
  if (u->state != SIM_RUNNING || c->strategy == NULL || c->strategy->ops->saw == NULL) return;
  uint64_t off, feature = pc; /* in a library, of which all units have the same */
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
