/* SPDX-License-Identifier: BSD-3-Clause */
/* gups_stream.h - HPCC's sequence over GF(2): x(0) = 1, x(i+1) = 2 x(i) modulo the primitive
 * polynomial x^64 + x^2 + x + 1. Separate from gups.h because programs without eyot use the
 * sequence too (bench/peer_shmem_gups.c). */
#ifndef GUPS_STREAM_H
#define GUPS_STREAM_H

#include <stdint.h>

enum { GUPS_POLY = 7 }; /* x^64 = x^2 + x + 1 */

static inline uint64_t gups_next(uint64_t x) {
  return (x << 1) ^ ((x >> 63) != 0 ? GUPS_POLY : 0);
}

uint64_t gups_at(uint64_t i); /* x(i) in O(log i) */
#endif
