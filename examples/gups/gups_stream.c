/* SPDX-License-Identifier: BSD-3-Clause */
/* gups_stream.c - the official random stream of HPCC RandomAccess and the jump to any of its
 * elements.
 *
 * The state is an element of GF(2^64); a step multiplies it by x. So element i is x^i, found by
 * square and multiply: squaring is linear over GF(2), hence a sum of precomputed squares of the
 * single bits. */
#include "gups_stream.h"

uint64_t gups_at(uint64_t i) {
  uint64_t square[64]; /* square[b] = (x^b)^2 = x^(2b) */
  uint64_t power = 1;
  for (int b = 0; b < 64; b++) {
    square[b] = power;
    power = gups_next(gups_next(power));
  }
  uint64_t x = 1;
  for (int bit = 63; bit >= 0; bit--) {
    uint64_t squared = 0;
    for (int b = 0; b < 64; b++)
      if ((x >> b & 1) != 0) squared ^= square[b];
    x = (i >> bit & 1) != 0 ? gups_next(squared) : squared;
  }
  return x;
}
