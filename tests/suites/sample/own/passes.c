/* SPDX-License-Identifier: BSD-3-Clause */
/* passes.c - a program that the harness of the suites must count as passed: each PE puts its number
 * to the next one. */
#include <shmem.h>

int main(void) {
  static int from = -1;
  shmem_init();
  int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_barrier_all();
  shmem_int_p(&from, me, (me + 1) % n);
  shmem_barrier_all();
  int wrong = from != (me + n - 1) % n;
  shmem_finalize();
  return wrong;
}
