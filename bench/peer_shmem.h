/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_shmem.h - the parts that the files of the OpenSHMEM peer share: the clock and the printing
 * of values. peer.sh builds them with oshcc if it is installed. */
#ifndef PEER_SHMEM_H
#define PEER_SHMEM_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline double wall_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* As in bench.h. */
#define RELOAD(buffer) __asm__ volatile("" ::"r"(buffer) : "memory")

/* Not 0: no memory, or arguments that do not fit, or wrong results. */
int node_rounds(int rounds);
int size_rounds(const char *place, int rounds);
int coll_rounds(int rounds);
int gups_rounds(const char *place, int log2_words, int rounds);
#endif
