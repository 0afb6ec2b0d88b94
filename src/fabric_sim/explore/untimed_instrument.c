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

struct fs_check_edges {
  struct {
    /* run: how many steps all before it had, which no other with steps shares; and 1, so that it is
     * never 0 */
    uint64_t feature, run;
  } at[EDGES];
};

/* Not in invariants, which run outside all units. */
bool fs_check_shared(struct fab *f, const void *p, uint64_t len) {
  const struct fs_unit *u = fs_unit_of(f);
  if (u->state != FS_RUNNING) return false;
  if (p == NULL) return true;
  uint32_t unit, seg;
  uint64_t off;
  return fs_seg_find(u->world, f->me, p, len, &unit, &seg, &off);
}

void fs_check_access_step(struct fab *f, const void *p, uint64_t len, bool writes) {
  struct fs_unit *u = fs_unit_of(f);
  /* Plain code does not look into the store buffer, which has what the unit itself wrote: it is
   * emptied first. That shows less than the CPU does, and nothing that it does not. */
  bool buffered = fs_check_is_tso(u->world);
  if (buffered) fs_check_tso_touch(u);
  fs_check_block(u, FS_ASLEEP, buffered ? FS_GO_STORES : FS_GO);
  if (buffered) fs_check_tso_touch(u);
  fs_check_touch(u->world, p, len, writes);
}

void fs_check_edge(struct fab *f, uintptr_t pc) {
  struct fs_unit *u = fs_unit_of(f);
  struct fs_check *c = u->world->check;
  if (u->state != FS_RUNNING || c->strategy == NULL || c->strategy->ops->saw == NULL) return;
  uint64_t off, feature = pc; /* in a library, of which all units have the same */
  if (fs_prog_offset(u->world->prog, f->me, (const void *)pc, &off)) feature = off;
  feature |= EC_SAW_EDGE;
  if (c->edges == NULL && (c->edges = ec_alloc(sizeof *c->edges)) == NULL) return;
  uint64_t run = c->steps + 1;
  uint32_t at = (uint32_t)((feature * 0x9e3779b97f4a7c15u) >> 40) % EDGES;
  if (c->edges->at[at].feature == feature && c->edges->at[at].run == run) return;
  c->edges->at[at].feature = feature;
  c->edges->at[at].run = run;
  c->strategy->ops->saw(c->strategy, feature);
}
