/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.c - when detours of the operating system strike, and what they cost. See noise.h. A detour
 * while the unit waits costs nothing. */
#include "fabric_sim/fault/noise.h"

#include "base/check.h"

/* Mixes the bits of a number (the finalizer of splitmix64; G. Steele, D. Lea, C. Flood, OOPSLA
 * 2014). */
static uint64_t noise_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* The draw with that number of those who share the detours. */
static uint64_t noise_draw(const struct sim_unit *u, const struct sim_fault *f, uint64_t number) {
  uint64_t who = 0;
  if (f->noise.whom == SIM_NOISE_UNIT) who = u->fab.me + 1ull;
  if (f->noise.whom == SIM_NOISE_NODE) who = sim_net_node(u->world->net, u->fab.me) + 1ull;
  uint64_t seed = noise_mix(u->world->faults->seed + f->noise_index);
  return noise_mix(noise_mix(seed + who) + number);
}

/* The first detour. With drawn distances the run begins within one of them, and a long one is met
 * more probably than a short one: the larger of two draws has that distribution. */
static uint64_t noise_first_ps(const struct sim_unit *u, const struct sim_fault *f) {
  uint64_t bound_ps = 2 * f->noise.every_ps;
  if (f->noise.equal) return 1 + noise_draw(u, f, 1) % f->noise.every_ps;
  uint64_t a = noise_draw(u, f, UINT64_MAX) % bound_ps,
           b = noise_draw(u, f, UINT64_MAX - 1) % bound_ps;
  return 1 + noise_draw(u, f, 1) % ((a > b ? a : b) + 1);
}

static void noise_next(const struct sim_unit *u, const struct sim_fault *f,
                       struct sim_noise_at *at) {
  at->number++;
  if (f->noise.equal)
    at->begin_ps += f->noise.every_ps;
  else
    at->begin_ps += f->noise.takes_ps + noise_draw(u, f, at->number) % (2 * f->noise.every_ps);
}

/* Leaves out detours that are over. */
static void noise_skip(const struct sim_unit *u, const struct sim_fault *f,
                       struct sim_noise_at *at) {
  if (at->number == 0) *at = (struct sim_noise_at){.begin_ps = noise_first_ps(u, f), .number = 1};
  if (f->noise.equal && at->begin_ps + f->noise.takes_ps <= u->local_ps) {
    uint64_t over = (u->local_ps - at->begin_ps) / f->noise.every_ps;
    at->begin_ps += over * f->noise.every_ps;
    at->number += over;
  }
  while (at->begin_ps + f->noise.takes_ps <= u->local_ps) noise_next(u, f, at);
}

uint64_t sim_noise_stretch(struct sim_unit *u, uint64_t ps) {
  const struct sim_faults *x = u->world->faults;
  struct sim_noise_at *mine = &x->noise_at[(uint64_t)u->fab.me * x->n_noises];
  uint64_t end_ps = u->local_ps + ps;
  for (uint32_t i = 0; i < x->n; i++)
    if (sim_fault_is_noise_of(&x->list[i], u))
      noise_skip(u, &x->list[i], &mine[x->list[i].noise_index]);
  for (;;) { /* in the order of time: a detour within another one's extension strikes too */
    const struct sim_fault *first = NULL;
    for (uint32_t i = 0; i < x->n; i++) {
      const struct sim_fault *f = &x->list[i];
      if (sim_fault_is_noise_of(f, u) &&
          (first == NULL || mine[f->noise_index].begin_ps < mine[first->noise_index].begin_ps))
        first = f;
    }
    if (first == NULL || mine[first->noise_index].begin_ps >= end_ps) return end_ps - u->local_ps;
    struct sim_noise_at *at = &mine[first->noise_index];
    uint64_t over_ps = at->begin_ps + first->noise.takes_ps;
    if (at->begin_ps >= u->local_ps)
      end_ps += first->noise.takes_ps;
    else if (over_ps > u->local_ps)
      end_ps += over_ps - u->local_ps; /* the detour had begun before the unit's work */
    noise_next(u, first, at);
  }
}
