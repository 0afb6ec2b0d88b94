/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_node.h - the parts that the files of bench_node share: the measured memory, the clock, and
 * the printing of a value. */
#ifndef BENCH_NODE_H
#define BENCH_NODE_H

#include <eyot/eyot.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { SHARED_BYTES = 1 << 16, LINE = 64 };

/* The same node's memory three ways. raw[u]: unit u's part of an MPI shared window, as
 * MPI_Win_shared_query gives it. */
struct node {
  uint32_t me, n;
  char **raw;
  eyot_gptr_t part; /* of unit 0; SHARED_BYTES a unit */
  MPI_Win window;   /* for MPI's own operations; in a lock_all epoch */
  uint64_t raw_seq; /* barriers of raw_barrier, and of oversubscribed_barrier */
};

/* A figure of unit 0. */
static inline void say(const struct node *b, const char *what, const char *way, double ns) {
  if (b->me == 0) printf("value %s_%s time ns %.4f\n", what, way, ns);
}

static inline uint64_t *word(const struct node *b, uint32_t unit, size_t at) {
  return (uint64_t *)(void *)(b->raw[unit] + at);
}

static inline void spin_until(const uint64_t *w, uint64_t value, uint32_t spins) {
  for (uint32_t looks = 0; __atomic_load_n(w, __ATOMIC_ACQUIRE) < value; looks++) {
    if (looks >= spins)
      sched_yield();
    else
      __builtin_ia32_pause();
  }
}

/* bench_node_sync.c: all units together; the time of unit 0. */
void barrier_series(struct node *b, const char *what, const char *way, void (*once)(struct node *b),
                    int n);
void eyot_once(struct node *b);
void mpi_once(struct node *b);

void one_sided_rounds(struct node *b, int rounds);
void sync_rounds(struct node *b, int rounds);
void alloc_rounds(struct node *b, int rounds);
void oversubscribed_rounds(struct node *b, int rounds);
#endif
