/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_upc.c - the rows of bench_upc by OpenSHMEM's calls, with the same promises: a put is
 * complete at its target, broadcasts and reductions have a barrier on both sides (UPC's ALLSYNC).
 *
 *   peer_upc WHO ROUNDS [DIVISOR]   lines `value ROW_WHO time ns N` */
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "bench_upc.h"
#include "clock.h"

static char *buffer, *dst, *src;
static double *one, *all;
static long psync[SHMEM_REDUCE_SYNC_SIZE];
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

/* The PE 0 is the root; broadcasts of whole words. */
static void broadcast(int bytes) {
  shmem_barrier_all();
  shmem_broadcast64(dst, src, (size_t)(bytes + 7) / 8, 0, 0, 0, shmem_n_pes(), psync);
  shmem_barrier_all();
}
static void reduce(int n) {
  double sum = 0;
  const double *mine = (const double *)(const void *)src;
  shmem_barrier_all();
  for (int i = 0; i < n; i++) sum += mine[i];
  *one = sum;
  shmem_double_sum_to_all(all, one, 1, 0, 0, shmem_n_pes(), work, psync);
  shmem_barrier_all();
}

BENCH_UPC_LOOP(put, wall_ns(), shmem_putmem(dst, buffer, (size_t)size, 1); shmem_quiet())
BENCH_UPC_LOOP(get, wall_ns(), shmem_getmem(buffer, dst, (size_t)size, 1))
BENCH_UPC_LOOP(barriers, wall_ns(), shmem_barrier_all())
BENCH_UPC_LOOP(broadcasts, wall_ns(), broadcast(size))
BENCH_UPC_LOOP(reductions, wall_ns(), reduce(size))

static bench_upc_loop *const LOOPS[BENCH_UPC_KINDS] = {[PUT] = put,
                                                       [GET] = get,
                                                       [BARRIER] = barriers,
                                                       [BROADCAST] = broadcasts,
                                                       [REDUCE] = reductions};

int main(int argc, char **argv) {
  shmem_init();
  int rounds = argc > 2 ? atoi(argv[2]) : 0, divisor = argc > 3 ? atoi(argv[3]) : 1;
  buffer = calloc(1, BENCH_UPC_BYTES);
  dst = shmem_malloc(BENCH_UPC_BYTES);
  src = shmem_malloc(BENCH_UPC_BYTES);
  one = shmem_malloc(sizeof *one);
  all = shmem_malloc(sizeof *all);
  if (rounds < 1 || divisor < 1 || !buffer || !dst || !src || !one || !all) {
    fprintf(stderr, "peer_upc: WHO, ROUNDS and memory are needed\n");
    shmem_global_exit(2);
  }
  memset(src, 0, BENCH_UPC_BYTES);
  for (size_t i = 0; i < sizeof psync / sizeof *psync; i++) psync[i] = SHMEM_SYNC_VALUE;
  for (int round = -1; round < rounds; round++)
    for (size_t r = 0; r < BENCH_UPC_N; r++) {
      const struct bench_upc_row *row = &BENCH_UPC_ROWS[r];
      if (LOOPS[row->what] == NULL) continue;
      shmem_barrier_all();
      if (shmem_my_pe() != 0 && !bench_upc_all_call(row)) continue;
      double ns = LOOPS[row->what](bench_upc_count(row, divisor), row->size);
      if (shmem_my_pe() == 0 && round >= 0)
        printf("value %s_%s time ns %.4f\n", row->name, argv[1], ns);
    }
  fflush(stdout);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
