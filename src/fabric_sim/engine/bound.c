/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.c - stops a run at its bound of virtual time or events, and counts calls before it. See
 * bound.h. */
#include "fabric_sim/engine/bound.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/exit_codes.h"
#include "fabric_sim/engine/world.h"

void sim_bound_init(struct sim_bound *b, uint64_t max_ns, uint64_t max_events) {
  *b = (struct sim_bound){
      .next_events = UINT64_MAX, .max_ps = SIM_TIME_END_PS, .max_events = UINT64_MAX};
  if (max_ns > 0 && max_ns < SIM_TIME_END_PS / SIM_PS_PER_NS) b->max_ps = max_ns * SIM_PS_PER_NS;
  b->next_ps = b->max_ps / 2;
  if (max_events > 0) b->max_events = max_events, b->next_events = max_events / 2;
}

void sim_bound_fini(struct sim_bound *b) {
  free(b->tally);
  b->tally = NULL;
}

void sim_bound_reached(struct sim_world *w) {
  struct sim_bound *b = &w->bound;
  if (w->now_ps >= b->max_ps || w->events >= b->max_events) {
    b->next_ps = b->next_events = UINT64_MAX;
    b->over = true;
    sim_world_stop(w, EYOTI_EXIT_LIVELOCK);
    return;
  }
  b->next_ps = b->max_ps;
  b->next_events = b->max_events;
  b->since_ps = w->now_ps;
  b->tally = calloc(w->n, sizeof *b->tally);
  if (b->tally == NULL)
    eyoti_log(EYOTI_LOG_WARN, __func__, 0,
              "no memory to count the calls of %u units; if a bound is reached, the report does "
              "not list the calls",
              w->n);
}

void sim_bound_call(struct sim_unit *u, enum sim_call call) {
  u->world->bound.tally[u->fab.me].calls[call]++;
}

void sim_bound_place(struct sim_unit *u, struct fab_addr a) {
  struct sim_spot *s = u->world->bound.tally[u->fab.me].spot, *least = s;
  for (uint32_t i = 0; i < SIM_SPOTS; i++) {
    if (s[i].count > 0 && s[i].off == a.off && s[i].unit == a.unit && s[i].seg == a.seg) {
      s[i].count++;
      return;
    }
    if (s[i].count < least->count) least = &s[i];
  }
  *least = (struct sim_spot){a.off, least->count + 1, a.unit, a.seg};
}

uint64_t sim_bound_calls(const struct sim_tally *t) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < SIM_CALLS; i++) sum += t->calls[i];
  return sum;
}

const struct sim_spot *sim_bound_spot(const struct sim_tally *t) {
  const struct sim_spot *most = &t->spot[0];
  for (uint32_t i = 1; i < SIM_SPOTS; i++)
    if (t->spot[i].count > most->count) most = &t->spot[i];
  return most->count > 0 ? most : NULL;
}
