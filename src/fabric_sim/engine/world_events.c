/* SPDX-License-Identifier: BSD-3-Clause */
/* world_events.c - the wakes of units, and the end of a run. See world.h. */
#include "fabric_sim/engine/world.h"

#define PURGE_MIN 4096u /* fewer stale wakes than this do not trigger a purge */

static bool is_stale(const void *world, const struct sim_event *e) {
  return sim_world_is_stale(world, e);
}

void sim_world_wake_at(struct sim_unit *u, uint64_t time_ps) {
  struct sim_world *w = u->world;
  if (u->wake_tag != 0) w->stale++;
  u->wake_tag = sim_world_push(w, time_ps, SIM_EV_WAKE, u->fab.me);
  u->wake_ps = time_ps;
  if (w->stale > PURGE_MIN && w->stale > sim_queue_n(&w->queue) / 2) {
    sim_queue_purge(&w->queue, is_stale, w);
    w->stale = 0;
  }
}

void sim_world_finish(struct sim_world *w, int code) {
  if (!w->stop) w->exit_code = code;
  w->stop = w->over = true;
}

void sim_world_stop(struct sim_world *w, int code) {
  sim_world_finish(w, code == 0 ? 1 : code);
}

void sim_world_unit_ended(struct sim_world *w) {
  if (++w->ended == w->n) w->over = true;
}
