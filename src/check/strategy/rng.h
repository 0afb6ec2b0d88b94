/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.h - the pseudo-random numbers of strategies and mutations (check/).
 *
 * Why it exists: a strategy must answer alike for equal seeds on all machines, and each of its runs
 * must be repeatable without the runs before it. So every run has a generator of its own, made from
 * the seed and the run's number; libc's generators promise neither. Source: splitmix64 (Steele,
 * Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): one word of state,
 * every 64-bit value once in a period. Thread rule: one thread a generator. */
#ifndef EYOT_CHECK_STRATEGY_RNG_H
#define EYOT_CHECK_STRATEGY_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct chk_rng {
  uint64_t state;
};

#define CHK_RNG_GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* Only the finalizer: a bijection of 64 bits that maps neighbors to unrelated values. */
static inline uint64_t chk_rng_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline uint64_t chk_rng_next(struct chk_rng *r) {
  return chk_rng_mix(r->state += CHK_RNG_GAMMA);
}

/* The generator of run number `run`, unrelated to those of its neighbors and of the same runs of
 * other seeds. */
static inline struct chk_rng chk_rng_of(uint64_t seed, uint64_t run) {
  return (struct chk_rng){
      chk_rng_mix(chk_rng_mix(seed + CHK_RNG_GAMMA) + (run + 1) * CHK_RNG_GAMMA)};
}

/* A number below bound >= 1: the upper half of a product. It deviates from uniform by less than
 * bound / 2^32, which is negligible here. */
static inline uint32_t chk_rng_below(struct chk_rng *r, uint32_t bound) {
  return (uint32_t)(((chk_rng_next(r) >> 32) * bound) >> 32);
}

/* True in one of n cases. */
static inline bool chk_rng_one_in(struct chk_rng *r, uint32_t n) {
  return chk_rng_below(r, n) == 0;
}

/* The answer to a question of the engine: in half of the cases 0, which is the behavior of a quiet
 * network, else one of the others. With uniformly drawn delays hardly two operations of a run would
 * be undisturbed, and bugs that need one disturbance among many calm steps would not show. bound >=
 * 2. */
static inline uint32_t chk_rng_draw(struct chk_rng *r, uint32_t bound) {
  return chk_rng_one_in(r, 2) ? 0 : 1 + chk_rng_below(r, bound - 1);
}
#endif
