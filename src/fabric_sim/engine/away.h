/* SPDX-License-Identifier: BSD-3-Clause */
/* away.h - what an operation from another node needs of a processor, on a machine where not its NIC
 * carries it out but the target's MPI, inside calls of eyot. For the timed engine; a world of
 * another machine has no such state.
 *
 * - The figure `progress`: an operation whose target computes takes effect when the target is back,
 *   and completes so much later.
 * - `serve`, `serve_atomic`: it takes the time of a target that works, one operation after the
 *   other, and the unit goes on so much later. One that waits has the time.
 * - `first`: the origin's first one takes longer. */
#ifndef EYOT_FABRIC_SIM_ENGINE_AWAY_H
#define EYOT_FABRIC_SIM_ENGINE_AWAY_H

#include "fabric_sim/engine/world.h"

/* Of a unit. */
struct sim_away {
  uint64_t until_ps; /* it computes until then */
  uint64_t busy_ps;  /* the last operation that needed its processor takes effect */
  uint64_t lost_ps;  /* so long its processor has worked for others instead of for itself */
  uint64_t work_ps;  /* its own work ends then, if it waits while its clock is ahead */
  bool waits;        /* it does */
  bool computes;     /* what it spends next is computation */
  bool back;         /* its wait is over, and its clock knows */
  bool began;        /* it has had an operation to another node */
};

/* Makes the state, if the machine needs it. Errors: ENOMEM. */
int sim_away_open(struct sim_world *w);

/* The unit has computed until its own clock. */
static inline void sim_away_computed(const struct sim_unit *u) {
  const struct sim_world *w = u->world;
  if (__builtin_expect(w->away != NULL, 0)) w->away[u->fab.me].until_ps = u->local_ps;
}

/* What the unit spends next it computes. Faults may make that longer, so its end is known when the
 * unit's clock is. */
static inline void sim_away_computes(const struct sim_unit *u) {
  const struct sim_world *w = u->world;
  if (__builtin_expect(w->away != NULL, 0)) w->away[u->fab.me].computes = true;
}

/* The unit's clock is at the end of what it spends. */
static inline void sim_away_spends(const struct sim_unit *u) {
  struct sim_away *t = &u->world->away[u->fab.me];
  if (t->computes) t->until_ps = u->local_ps;
  t->computes = false;
}

/* The unit, whose clock says when its own work ends, begins to wait until a later time; the wait is
 * over. */
static inline void sim_away_waits(const struct sim_unit *u, bool waits) {
  const struct sim_world *w = u->world;
  if (__builtin_expect(w->away == NULL, 1)) return;
  w->away[u->fab.me].waits = waits;
  w->away[u->fab.me].work_ps = u->local_ps;
}

/* The unit is to run: its clock takes in what its processor has done for others. What comes until
 * then has to wait for its next call, or floods would keep it from running at all. */
static inline void sim_away_back(struct sim_unit *u) {
  struct sim_away *t = &u->world->away[u->fab.me];
  if (t->back) return;
  t->back = true;
  u->local_ps += t->lost_ps;
  t->lost_ps = 0;
  if (u->local_ps < t->busy_ps) u->local_ps = t->busy_ps;
}

/* It runs. */
static inline void sim_away_runs(struct sim_unit *u) {
  u->world->away[u->fab.me].back = false;
}

/* Returns the origin's time for the operation beyond the usual. */
uint64_t sim_away_first_ps(const struct sim_world *w, const struct sim_op *op);

/* The first part of an operation's bytes arrives: whether it has to come with the second one, since
 * what came before the operation may still wait. */
bool sim_away_holds_part(const struct sim_world *w, const struct sim_op *op);

/* The operation arrives. Returns true if it has to wait: it will arrive again. */
bool sim_away_arrives(struct sim_world *w, struct sim_op *op);
#endif
