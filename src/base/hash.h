/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - one mixing step, for hashes of arguments that units compare. */
#ifndef EYOT_BASE_HASH_H
#define EYOT_BASE_HASH_H

#include <stdint.h>

/* One step of splitmix64 (Steele, Lea, Flood 2014) a word: no word can cancel another. */
static inline uint64_t eyoti_hash_mix(uint64_t h, uint64_t word) {
  h += word + 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return h ^ h >> 31;
}
#endif
