/* SPDX-License-Identifier: BSD-3-Clause */
/* small_collect.c - collects a block of each PE into memory for one block; the blocks of the others
 * overwrite what follows. docs/openshmem-mistakes.md.
 *
 *   eyotrun -n 4 ./small_collect          names the call, the line and the allocation
 *   eyotrun -n 4 ./small_collect mended   is right */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 16 };

static long psync[SHMEM_COLLECT_SYNC_SIZE];

int main(int argc, char **argv) {
  int mended = argc > 1 && strcmp(argv[1], "mended") == 0;
  shmem_init();
  size_t blocks = mended ? (size_t)shmem_n_pes() : 1;
  long *mine = shmem_calloc(COUNT, sizeof *mine);
  long *all = shmem_calloc(blocks * COUNT, sizeof *all);
  long *other = shmem_calloc(COUNT, sizeof *other); /* follows `all` in many implementations */
  if (mine == NULL || all == NULL || other == NULL) shmem_global_exit(2);
  for (int i = 0; i < COUNT; i++) mine[i] = shmem_my_pe() + 1;
  for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++) psync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();

  /* The form without a team: implementations of versions before 1.5 have it too. */
  shmem_fcollect64(all, mine, COUNT, 0, 0, shmem_n_pes(), psync);

  for (int i = 0; i < COUNT; i++)
    if (other[i] != 0) {
      fprintf(stderr, "small_collect: PE %d: an array that nobody writes holds %ld\n",
              shmem_my_pe(), other[i]);
      shmem_global_exit(1);
    }
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("small_collect: %d PEs have all blocks\n", shmem_n_pes());
  shmem_finalize();
  return 0;
}
