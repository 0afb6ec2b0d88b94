/* SPDX-License-Identifier: BSD-3-Clause */
/* fence_get.c - a PE writes a word of its neighbour, calls shmem_fence and reads the word back. It
 * passes its tests, and is wrong: docs/openshmem-mistakes.md.
 *
 *   eyotcheck -n 2 ./fence_get          finds the schedule that breaks it
 *   eyotcheck -n 2 ./fence_get mended   finds none */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static long word = -1;

int main(int argc, char **argv) {
  int mended = argc > 1 && strcmp(argv[1], "mended") == 0;
  shmem_init();
  int next = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_barrier_all();

  shmem_long_p(&word, shmem_my_pe(), next);
  if (mended)
    shmem_quiet();
  else
    shmem_fence();
  long seen = shmem_long_g(&word, next);

  if (seen != shmem_my_pe()) {
    fprintf(stderr, "fence_get: PE %d: wrote %d to PE %d and read %ld\n", shmem_my_pe(),
            shmem_my_pe(), next, seen);
    shmem_global_exit(1);
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("fence_get: %d PEs have read what they wrote\n", shmem_n_pes());
  shmem_finalize();
  return 0;
}
