/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.h - the random numbers of tests, which are equal on every machine for equal seeds. */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
static inline uint64_t draw(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
#endif
