/* SPDX-License-Identifier: BSD-3-Clause */
/* poll.c - implements poll.h. */
#include "fabric_sim/engine/poll.h"

#include <stdlib.h>
#include <string.h>

#include "fabric_sim/engine/world.h"

#define DISTINCT 16u     /* loads that are told apart; a power of two */
#define LOADS (1u << 20) /* without a call: the unit polls, whatever it loads */
#define OFTEN 64u        /* timed engine: the first time, */
#define OFTEN_MOST 4096u /* and later, after twice as many each time */
#define VAIN_LOADS 1024u /* between two turns of units that poll in vain */

struct sim_look {
  const void *at, *site;
  uint64_t value;
  uint32_t same;
};
struct sim_polls {
  struct sim_look look[DISTINCT];
  uint64_t calls; /* of all units, when this unit last looked: it alone has run since */
  uint32_t loads, often, vain;
};

static struct sim_look *look_of(struct sim_polls *p, const void *at, const void *site) {
  uint64_t h = ((uintptr_t)at * 31 + (uintptr_t)site) * UINT64_C(0x9e3779b97f4a7c15);
  return &p->look[(h >> 40) % DISTINCT];
}

static struct sim_polls *polls_of(struct sim_unit *u) {
  if (u->polls == NULL) {
    u->polls = calloc(1, sizeof *u->polls);
    if (u->polls == NULL) return NULL;
  }
  struct sim_polls *p = u->polls;
  if (p->calls != u->world->calls) {
    *p = (struct sim_polls){.calls = u->world->calls};
  }
  return p;
}

bool sim_poll_repeats(struct sim_unit *u, const void *at, uint64_t len, uint32_t often) {
  struct sim_polls *p = polls_of(u);
  if (p == NULL) return false;
  uint64_t value = 0;
  memcpy(&value, at, len < sizeof value ? len : sizeof value);
  struct sim_look *x = look_of(p, at, u->rt.site);
  bool same = x->at == at && x->site == u->rt.site && x->value == value;
  if (!same) *x = (struct sim_look){.at = at, .site = u->rt.site, .value = value};
  if ((!same || ++x->same < often) && ++p->loads < LOADS) return false;
  x->same = p->loads = 0;
  return true;
}

void sim_poll_goes_on(struct sim_unit *u) {
  if (u->polls != NULL) u->polls->calls = u->world->calls;
}

void sim_poll_free(struct sim_unit *u) {
  free(u->polls);
  u->polls = NULL;
}

void sim_poll_timed(struct sim_unit *u, const void *at, uint64_t len) {
  struct sim_world *w = u->world;
  const struct sim_polls *known = u->polls;
  if (!sim_poll_repeats(u, at, len, known != NULL && known->often > 0 ? known->often : OFTEN))
    return;
  struct sim_polls *p = u->polls;
  p->often = p->often == 0 ? 2 * OFTEN : p->often < OFTEN_MOST ? 2 * p->often : OFTEN_MOST;
  bool vain = u->inject == NULL && sim_queue_n(&w->queue) - w->stale <= w->polling;
  if (vain && ++p->vain % VAIN_LOADS != 0) return;
  if (!vain) w->calls++; /* a sign of life */
  if (sim_queue_n(&w->queue) > 0 && u->local_ps < sim_queue_next_ps(&w->queue))
    u->local_ps = sim_queue_next_ps(&w->queue);
  u->local_ps += sim_net_local_ps(w->net, 0) + 1;
  w->polling++;
  sim_unit_yield(u);
  w->polling--;
  sim_poll_goes_on(u);
}
