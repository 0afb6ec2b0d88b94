/* SPDX-License-Identifier: BSD-3-Clause */
/* fails.c - a program that the harness of the suites must count as failed, with its message as the
 * reason. */
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  int me = shmem_my_pe();
  if (me == 0) printf("FAILED: expected 42 apples\n");
  shmem_finalize();
  return me == 0;
}
