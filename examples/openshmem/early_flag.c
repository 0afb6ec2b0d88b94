/* SPDX-License-Identifier: BSD-3-Clause */
/* early_flag.c - PE 0 sends an array and then a flag; the other PEs wait for the flag and read the
 * array. It passes its tests, and is wrong: docs/openshmem-mistakes.md.
 *
 *   eyotcheck -n 2 ./early_flag          finds the schedule that breaks it
 *   eyotcheck -n 2 ./early_flag mended   finds none */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 8 };

static int array[COUNT], flag;

int main(int argc, char **argv) {
  int mended = argc > 1 && strcmp(argv[1], "mended") == 0;
  static int source[COUNT];
  shmem_init();
  if (shmem_my_pe() == 0) {
    for (int i = 0; i < COUNT; i++) source[i] = i + 1;
    for (int pe = 1; pe < shmem_n_pes(); pe++) {
      shmem_int_put(array, source, COUNT, pe);
      if (mended) shmem_fence();
      shmem_int_p(&flag, 1, pe);
    }
  } else {
    shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    for (int i = 0; i < COUNT; i++)
      if (array[i] != i + 1) {
        fprintf(stderr, "early_flag: PE %d: element %d is %d, not %d\n", shmem_my_pe(), i, array[i],
                i + 1);
        shmem_global_exit(1);
      }
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("early_flag: the array has arrived before its flag\n");
  shmem_finalize();
  return 0;
}
