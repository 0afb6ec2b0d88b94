/* SPDX-License-Identifier: BSD-3-Clause */
/* world_tick.c - the checks after each event: the bounds, and the wall clock for a progress line.
 * See world.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/wording.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/host/clock.h"

#define TICK_NS 1000000000ull /* a progress line about once a second */

static void progress_line(struct sim_world *w) {
  uint64_t now = sim_clock_ns();
  if (now - w->wall_tick_ns < TICK_NS) return;
  w->wall_tick_ns = now;
  eyoti_fprintf(
      stderr,
      "eyot: virtual %.3f us, wall %.1f s: %" PRIu64 " operations, %u of %u units finished\n",
      (double)w->now_ps * 1e-6, (double)(now - w->wall_run_ns) * 1e-9, w->ops, w->ended, w->n);
}

void sim_world_ticked(struct sim_world *w) {
  if ((w->events & SIM_TICK_MASK) == 0 && w->opt.progress_line) progress_line(w);
  if (w->events >= w->bound.next_events || w->now_ps >= w->bound.next_ps) sim_bound_reached(w);
  uint64_t line = w->opt.progress_line ? (w->events | SIM_TICK_MASK) + 1 : UINT64_MAX;
  w->tick_events = line < w->bound.next_events ? line : w->bound.next_events;
}
