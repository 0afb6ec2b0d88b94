/* peer_shmem.c - an OpenSHMEM lock acquired and released, alone and contended, for comparison with ours. Built with oshcc where there is one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <shmem.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 11, ITERATIONS = 50000, CONTENDED = 10000 };

static long lock;

static double pairs(int n) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < n; i++) {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / n;
}

int main(void) {
  shmem_init();
  if (shmem_n_pes() != 2) {
    fprintf(stderr, "peer_shmem: needs two processing elements\n");
    return 2;
  }
  for (int round = 0; round < ROUNDS; round++) {
    if (shmem_my_pe() == 0) {
      if (round == 0) pairs(ITERATIONS / 10);
      printf("value shmem_set_lock pair_wall ns %.2f\n", pairs(ITERATIONS));
    }
    shmem_barrier_all();
    double ns = pairs(CONTENDED);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) printf("value contended_shmem_set_lock pair_wall ns %.2f\n", ns);
  }
  fflush(stdout);
  shmem_finalize();
  return 0;
}
