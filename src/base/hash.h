/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - one step of a hash, for arguments that units compare and for spreading objects over
 * units. */
#ifndef EYOT_BASE_HASH_H
#define EYOT_BASE_HASH_H

#include <stdint.h>

/* Mixes one word into a hash, by a step of splitmix64, so that no word can cancel another. Source:
 * Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014. */
static inline uint64_t eyoti_hash_mix(uint64_t h, uint64_t word) {
  h += word + 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return h ^ h >> 31;
}

/* Mixes a string into a hash. */
static inline uint64_t eyoti_hash_text(uint64_t h, const char *text) {
  for (; *text != '\0'; text++) h = eyoti_hash_mix(h, (unsigned char)*text);
  return h;
}
#endif
