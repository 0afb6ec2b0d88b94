/* SPDX-License-Identifier: BSD-3-Clause */
/* races.c - a program that ends with code 0, and has a data race that only the detectors tell: two
 * PEs put to the same word. */
#include <shmem.h>

int main(void) {
  static int word;
  shmem_init();
  shmem_barrier_all();
  shmem_int_p(&word, shmem_my_pe(), 0);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
