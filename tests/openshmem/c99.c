/* SPDX-License-Identifier: BSD-3-Clause */
/* c99.c - the header in C99, where there are no type-generic forms, by its
 * older path. */
#include <mpp/shmem.h>
#include <stdio.h>

#ifdef shmem_put
#error "type-generic forms in C99"
#endif

static long word;

int main(void) {
  int me, n, code = 0;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  shmem_long_p(&word, me, (me + 1) % n);
  shmem_barrier_all();
  if (word != (me + n - 1) % n) {
    fprintf(stderr, "%s:%d: PE %d: word: %ld, expected %d\n", __FILE__, __LINE__, me, word,
            (me + n - 1) % n);
    code = 1;
  }
  shmem_finalize();
  return code;
}
