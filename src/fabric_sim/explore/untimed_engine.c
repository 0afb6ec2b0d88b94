/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_engine.c - the untimed engine's table of operations (engine/engine.h). See untimed.h. */
#include "fabric_sim/explore/untimed_engine.h"

#include <sys/mman.h>

#include "check/snapshot/snap.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/explore/untimed_fault.h"
#include "fabric_sim/explore/untimed_op.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_unit.h"
#include "fabric_sim/explore/untimed_wait.h"

#define REACH (UINT64_C(1) << 30) /* the snapshot keeps a bit per page */

static void engine_post(struct sim_unit *u, struct sim_op *op) {
  struct sim_world *w = u->world;
  sim_untimed_post(u, op);
  if (sim_observed(w)) sim_observe_posted(u, op);
  /* no fault strikes before the first run */
  if (w->faults != NULL && w->untimed->strategy != NULL) sim_fault_posted(u);
}

static void engine_ready(struct sim_unit *u, uint64_t time_ps) {
  (void)time_ps;
  sim_untimed_offer(u->world, u->fab.me, false);
}

/* Silent in searched runs: the first line that a run writes is taken as the reason of its
 * failure. */
static bool engine_silent(const struct sim_world *w) {
  return w->untimed->quiet;
}

/* A segment that a run creates disappears with the run, and one that it destroys is restored for
 * the next. */
static char *engine_map(const struct sim_world *w, uint64_t *bytes, bool small) {
  (void)small;
  char *base = chk_snap_map(w->untimed->snap, *bytes);
  if (base == NULL) return MAP_FAILED;
  (void)madvise(base, *bytes, MADV_NOHUGEPAGE);
  return base;
}

static void engine_unmap(const struct sim_world *w, char *base, uint64_t bytes) {
  chk_snap_unmap(w->untimed->snap, base, bytes);
}

static uint64_t engine_reach(const struct sim_world *w) {
  (void)w;
  return REACH;
}

const struct sim_engine_ops sim_untimed_engine = {.name = "untimed",
                                                  .post = engine_post,
                                                  .wait_req = sim_untimed_wait_req,
                                                  .test = sim_untimed_test,
                                                  .flush = sim_untimed_flush,
                                                  .order = sim_untimed_order,
                                                  .wait_words = sim_untimed_wait_words,
                                                  .spend = sim_untimed_spend,
                                                  .ready = engine_ready,
                                                  .lose = sim_untimed_crash,
                                                  .silent = engine_silent,
                                                  .map = engine_map,
                                                  .unmap = engine_unmap,
                                                  .reach = engine_reach};
