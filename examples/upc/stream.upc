/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.upc - the Stream triad, in UPC: a = b + 3 c on three blocked arrays; each thread computes
 * its own blocks. */
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_tick.h>

#define BLOCK 5000

shared [BLOCK] double a[BLOCK * THREADS], b[BLOCK * THREADS], c[BLOCK * THREADS];

int main(void) {
  long i;
  upc_forall(i = 0; i < (long)BLOCK * THREADS; i++; &b[i]) {
    b[i] = i;
    c[i] = 2 * i;
  }
  upc_barrier;
  upc_tick_t begin = upc_ticks_now();
  upc_forall(i = 0; i < (long)BLOCK * THREADS; i++; &a[i]) a[i] = b[i] + 3 * c[i];
  upc_barrier;
  upc_tick_t end = upc_ticks_now();
  if (MYTHREAD == 0) {
    for (i = 0; i < (long)BLOCK * THREADS; i += BLOCK / 4)
      if (a[i] != 7.0 * i) upc_global_exit(1);
    printf("the triad of %ld elements took %lu ns\n", (long)BLOCK * THREADS,
           (unsigned long)upc_ticks_to_ns(end - begin));
  }
  return 0;
}
