/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_sizes.h - the parts that bench_sizes and its loops share: the buffers of a transfer, and
 * the ways to make it. */
#ifndef BENCH_SIZES_H
#define BENCH_SIZES_H

#include <eyot/eyot.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Unit 0's buffer `here`, and a buffer of unit 1's, in memory of the same kind twice. */
struct span {
  char *here;
  eyot_gptr_t there; /* eyot's */
  MPI_Win window;    /* MPI's, in a lock_all epoch */
  char *mapped;      /* MPI's, where unit 0 can load and store it; else NULL */
};

enum what { PUT_LATENCY, GET_LATENCY, PUT_BANDWIDTH, GET_BANDWIDTH, N_WHATS };

/* A latency: n operations, each remotely complete before the next. A bandwidth: n operations in
 * flight together, complete at the end. Aborts the job when an operation fails. */
typedef void (*way_fn)(const struct span *s, uint64_t bytes, uint64_t n);

struct way {
  const char *name;
  way_fn go[N_WHATS]; /* NULL: not measured */
  bool mapped_only;
};

enum { WAY_FLOOR, WAY_EYOT, WAY_EYOT_NB, WAY_MPI, WAY_AGAIN, N_WAYS };
extern const struct way WAYS[N_WAYS];
#endif
