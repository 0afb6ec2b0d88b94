/* SPDX-License-Identifier: BSD-3-Clause */
/* world_events.c - the choice stream, the events of units and operations, and the end of a run. See
 * world.h. */
#include "fabric_sim/engine/world.h"

#define PURGE_MIN 4096u /* fewer stale wakes than this do not trigger a purge */

uint32_t sim_choice(struct sim_world *w, uint32_t bound) {
  /* splitmix64 (Steele, Lea, Flood 2014); the product's upper half is the draw. */
  uint64_t x = w->random += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (uint32_t)(((x >> 32) * bound) >> 32);
}

uint64_t sim_world_push(struct sim_world *w, uint64_t time_ps, enum sim_event_kind kind,
                        uint32_t index) {
  uint64_t tag = sim_tag(sim_choice(w, 1u << SIM_TAG_TIE_BITS), kind, index);
  sim_queue_push(&w->queue, (struct sim_event){time_ps, tag});
  return tag;
}

static bool is_stale(const void *world, const struct sim_event *e) {
  return sim_world_is_stale(world, e);
}

void sim_world_wake_at(struct sim_unit *u, uint64_t time_ps) {
  struct sim_world *w = u->world;
  if (u->wake_tag != 0) w->stale++;
  u->wake_tag = sim_world_push(w, time_ps, SIM_EV_WAKE, u->fab.me);
  u->wake_ps = time_ps;
  if (w->stale > PURGE_MIN && w->stale > w->queue.n / 2) {
    sim_queue_purge(&w->queue, is_stale, w);
    w->stale = 0;
  }
}

void sim_world_finish(struct sim_world *w, int code) {
  if (!w->stop) w->exit_code = code;
  w->stop = true;
}

void sim_world_stop(struct sim_world *w, int code) {
  if (!w->stop) w->exit_code = code == 0 ? 1 : code;
  w->stop = true;
}
