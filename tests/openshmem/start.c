/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c - a program of the older kind: start_pes, twice, and no finalize. What is in flight when
 * the program ends arrives. */
#include "tests/openshmem/check.h"

static long word;

int main(void) {
  start_pes(0);
  start_pes(0);
  me = _my_pe();
  n_pes = _num_pes();
  long *heap = shmalloc(sizeof *heap);
  *heap = 0;
  shmem_barrier_all();
  shmem_long_p(&word, me + 1, next_pe(1));
  shmem_long_p(heap, me + 2, next_pe(1));
  shmem_barrier_all();
  INT(word, next_pe(-1) + 1);
  INT(*heap, next_pe(-1) + 2);
  return failures != 0;
}
