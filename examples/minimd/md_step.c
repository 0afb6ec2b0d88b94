/* SPDX-License-Identifier: BSD-3-Clause */
/* md_step.c - time steps by velocity Verlet. */
#include "minimd.h"

/* Half a step of velocities, and with `move` a whole one of positions. */
static int integrate(struct md_system *s, bool move) {
  for (uint32_t i = 0; i < MD_AXES * s->local; i++) {
    s->v[i] += 0.5 * MD_TIME_STEP * s->f[i];
    if (move) s->x[i] += MD_TIME_STEP * s->v[i];
  }
  return md_spend(s, s->local * MD_ATOM_NS);
}

static int forces(struct md_system *s) {
  int code = md_force(s);
  return code != EYOT_OK ? code : md_reverse(s);
}

static int renew(struct md_system *s) {
  int code = md_leave(s);
  if (code == EYOT_OK) code = md_borders(s);
  return code != EYOT_OK ? code : md_neighbors(s);
}

int md_start(struct md_system *s) {
  int code = md_borders(s);
  if (code == EYOT_OK) code = md_neighbors(s);
  return code != EYOT_OK ? code : forces(s);
}

int md_step(struct md_system *s, uint32_t step) {
  int code = integrate(s, true);
  if (code == EYOT_OK) code = step % MD_RENEW_EVERY == 0 ? renew(s) : md_forward(s);
  if (code == EYOT_OK) code = forces(s);
  return code != EYOT_OK ? code : integrate(s, false);
}

struct md_energy md_energy(const struct md_system *s) {
  struct md_energy e = {.potential = s->potential};
  for (uint32_t i = 0; i < MD_AXES * s->local; i++) e.kinetic += 0.5 * s->v[i] * s->v[i];
  return e;
}
