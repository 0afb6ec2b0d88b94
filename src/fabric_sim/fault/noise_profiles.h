/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_profiles.h - one noise of an operating system, and the named ones of noise_profiles.def.
 * For noise.c, spec.c and eyot-info. */
#ifndef EYOT_FABRIC_SIM_FAULT_NOISE_PROFILES_H
#define EYOT_FABRIC_SIM_FAULT_NOISE_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_NOISES_MAX 4u /* of a profile */

/* Which units have the same detours. */
enum sim_noise_whom { SIM_NOISE_UNIT = 0, SIM_NOISE_NODE, SIM_NOISE_ALL };

struct sim_noise {
  /* equal: from the beginning of a detour to that of the next; else the mean of what lies between
   * two, which is drawn from 0 to twice that */
  uint64_t every_ps;
  uint64_t takes_ps; /* the length of each */
  enum sim_noise_whom whom;
  bool equal;
};

struct sim_noise_profile {
  const char *name, *meaning, *source;
  struct sim_noise noise[SIM_NOISES_MAX]; /* up to one of every_ps 0 */
};

const struct sim_noise_profile *sim_noise_profiles(uint32_t *n);
/* Returns NULL if there is none of that name. */
const struct sim_noise_profile *sim_noise_profile(const char *name);

/* The mean share of the processor's time that a noise takes, in millionths, rounded up. */
static inline uint64_t sim_noise_share(const struct sim_noise *x) {
  uint64_t cycle_ps = x->equal ? x->every_ps : x->every_ps + x->takes_ps;
  return (x->takes_ps * 1000000 + cycle_ps - 1) / cycle_ps;
}
#endif
