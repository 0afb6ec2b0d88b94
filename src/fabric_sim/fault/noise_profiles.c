/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_profiles.c - the table of named noises. See noise_profiles.h. */
#include "fabric_sim/fault/noise_profiles.h"

#include <string.h>

#define US(us) ((us)*1000000ull)
#define NS(ns) ((ns)*1000ull)
#define SIM_NOISE_EQUAL true
#define SIM_NOISE_DRAWN false
#define NOISE(every, takes, who, how) \
  {.every_ps = (every), .takes_ps = (takes), .whom = SIM_NOISE_##who, .equal = SIM_NOISE_##how},
#define PROFILE(name, meaning, source, noises) {#name, meaning, source, {noises}},

static const struct sim_noise_profile PROFILES[] = {
#include "fabric_sim/fault/noise_profiles.def"
};
#define N_PROFILES (sizeof PROFILES / sizeof *PROFILES)

const struct sim_noise_profile *sim_noise_profiles(uint32_t *n) {
  *n = (uint32_t)N_PROFILES;
  return PROFILES;
}

const struct sim_noise_profile *sim_noise_profile(const char *name) {
  for (size_t i = 0; i < N_PROFILES; i++)
    if (strcmp(PROFILES[i].name, name) == 0) return &PROFILES[i];
  return NULL;
}
