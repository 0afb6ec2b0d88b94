/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_upc.h - the rows of bench_upc and of its peer peer_upc.c: one list, so that both measure
 * the same operations as often. */
#ifndef BENCH_UPC_H
#define BENCH_UPC_H

#include <stdint.h>
#include <stdio.h>

enum bench_upc_what { PUT, GET, BARRIER, NOTIFY, BROADCAST, REDUCE, BENCH_UPC_KINDS };
enum { BENCH_UPC_BYTES = 1 << 20 };

static const struct bench_upc_row {
  enum bench_upc_what what;
  const char *name;
  int size; /* bytes; REDUCE: doubles of a thread */
  int n;    /* operations of a round on two threads within a node */
} BENCH_UPC_ROWS[] = {
    {PUT, "put_1B", 1, 20000},
    {PUT, "put_8B", 8, 20000},
    {PUT, "put_64B", 64, 20000},
    {PUT, "put_512B", 512, 20000},
    {PUT, "put_4KiB", 4096, 5000},
    {PUT, "put_64KiB", 65536, 500},
    {PUT, "put_1MiB", 1 << 20, 50},
    {GET, "get_1B", 1, 20000},
    {GET, "get_8B", 8, 20000},
    {GET, "get_64B", 64, 20000},
    {GET, "get_512B", 512, 20000},
    {GET, "get_4KiB", 4096, 5000},
    {GET, "get_64KiB", 65536, 500},
    {GET, "get_1MiB", 1 << 20, 50},
    {BARRIER, "barrier", 0, 2000},
    {NOTIFY, "notify_wait", 0, 2000},
    {BROADCAST, "broadcast_1B", 1, 1000},
    {BROADCAST, "broadcast_1KiB", 1024, 1000},
    {BROADCAST, "broadcast_64KiB", 65536, 200},
    {REDUCE, "reduce_1", 1, 1000},
    {REDUCE, "reduce_64", 64, 1000},
    {REDUCE, "reduce_1024", 1024, 500},
};
#define BENCH_UPC_N (sizeof BENCH_UPC_ROWS / sizeof *BENCH_UPC_ROWS)

/* Puts and gets are thread 0's. */
static inline int bench_upc_all_call(const struct bench_upc_row *row) {
  return row->what >= BARRIER;
}
static inline int bench_upc_count(const struct bench_upc_row *row, int divisor) {
  return row->n / divisor < 4 ? 4 : row->n / divisor;
}

/* A loop of `n` operations with `size` bytes or doubles, which returns the ns of one. */
typedef double bench_upc_loop(int n, int size);
#define BENCH_UPC_LOOP(name, clock, step) \
  static double name(int n, int size) {   \
    double begin = (double)(clock);       \
    (void)size;                           \
    for (int i = 0; i < n; i++) {         \
      RELOAD(buffer);                     \
      step;                               \
    }                                     \
    return ((double)(clock)-begin) / n;   \
  }
#endif
