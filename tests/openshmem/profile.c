/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c - the profiling interface: the program's own definitions of shmem_ functions stand for
 * the library's, which they call by their other names. */
#include <pshmem.h>

#include "tests/openshmem/check.h"

static int puts_seen, barriers_seen, allocations_seen;

void shmem_putmem(void *dest, const void *source, size_t nelems, int pe) {
  puts_seen++;
  pshmem_putmem(dest, source, nelems, pe);
}

void shmem_barrier_all(void) {
  barriers_seen++;
  pshmem_barrier_all();
}

void *shmem_malloc(size_t size) {
  allocations_seen++;
  return pshmem_malloc(size);
}

void shmem_long_p(long *dest, long value, int pe) {
  puts_seen += 10;
  pshmem_long_p(dest, value, pe);
}

int main(void) {
  begin();
  long *word = shmem_malloc(2 * sizeof *word), value = 40 + me;
  word[0] = word[1] = 0;
  shmem_barrier_all();
  shmem_putmem(&word[0], &value, sizeof value, next_pe(1));
  shmem_long_p(&word[1], me, next_pe(1));
  shmem_barrier_all();
  INT(word[0], 40 + next_pe(-1));
  INT(word[1], next_pe(-1));
  INT(puts_seen, 11);
  INT(barriers_seen, 2);
  INT(allocations_seen, 1);
  return finish();
}
