/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_touch.c - records what a step reads and writes, for a search that leaves interleavings
 * out: memory by words, other state by reserved numbers. See untimed.h. */
#include "fabric_sim/explore/untimed_touch.h"

#include "fabric_sim/explore/untimed_fault.h"
#include "fabric_sim/explore/untimed_proc.h"

/* Numbers for a unit's own memory, and for whether its store buffer is empty: distinct from every
 * address / 8 and from all other numbers of state. */
#define OWN ((UINT64_C(1) << 62) + (UINT64_C(1) << 32))
#define STORES (UINT64_C(1) << 62)

void sim_untimed_touch_id(struct sim_world *w, uint64_t id, bool write) {
  struct sim_untimed_run *r = w->untimed->run;
  if (!w->untimed->record) return;
  r->accesses =
      sim_untimed_reserve(r->accesses, r->n_accesses, &r->accesses_cap, sizeof *r->accesses);
  r->accesses[r->n_accesses++] = (struct chk_access){id, write};
}

void sim_untimed_touch_own(struct sim_world *w, uint32_t unit, bool write) {
  sim_untimed_touch_id(w, OWN + unit, write);
}

void sim_untimed_touch(struct sim_world *w, const void *p, uint64_t len, bool write) {
  if (!w->untimed->record) return;
  uintptr_t a = (uintptr_t)p;
  for (uint64_t word = a / 8; word <= (a + len - 1) / 8; word++)
    sim_untimed_touch_id(w, word, write);
}

void sim_untimed_touch_stores(struct sim_unit *u, bool write) {
  sim_untimed_touch_id(u->world, STORES + u->fab.me, write);
}

void sim_untimed_tso_touch(struct sim_unit *u) {
  if (sim_untimed_is_tso(u->world)) sim_untimed_touch_stores(u, false);
}

void sim_untimed_touch_alive(struct sim_world *w, uint32_t unit, bool write) {
  sim_untimed_touch_id(w, SIM_UNTIMED_ALIVE + unit, write);
}

void sim_untimed_touch_way(struct sim_world *w, const struct sim_op *op) {
  const struct sim_faults *x = w->faults;
  sim_untimed_touch_alive(w, op->target, false);
  if (x->choice != NULL && !sim_untimed_fault_is_crash(x))
    sim_untimed_touch_id(w, SIM_UNTIMED_LINKS, false);
}

void sim_untimed_touch_completion(struct sim_world *w, uint32_t first_proc, bool write) {
  sim_untimed_touch_id(w, UINT64_MAX - first_proc, write);
}
