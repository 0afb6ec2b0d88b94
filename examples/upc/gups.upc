/* SPDX-License-Identifier: BSD-3-Clause */
/* gups.upc - RandomAccess, in UPC: threads update random words of a table by reads and writes that
 * may meet, so that some updates are lost; the same updates again, under a lock for each thread's
 * part, undo the others and show the percentage that was lost. Arguments: updates of each thread. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <upc_relaxed.h>

#define WORDS 4096

shared uint64_t table[WORDS * THREADS];
upc_lock_t *shared lock[THREADS];
shared uint64_t wrong[THREADS];

static uint64_t next(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 20;
}

/* Updates that others may overtake between read and write. */
static void race(long updates, long total) {
  uint64_t i, seed = MYTHREAD + 1;
  for (long k = 0; k < updates; k++) {
    i = next(&seed);
    table[i % total] ^= i;
  }
}

/* The same updates, under the lock of each word's thread. */
static void undo(long updates, long total) {
  uint64_t i, seed = MYTHREAD + 1;
  for (long k = 0; k < updates; k++) {
    i = next(&seed);
    upc_lock_t *l = lock[upc_threadof(&table[i % total])];
    upc_lock(l);
    table[i % total] ^= i;
    upc_unlock(l);
  }
}

int main(int argc, char **argv) {
  long k, updates = argc > 1 ? atol(argv[1]) : 4 * WORDS, total = (long)WORDS * THREADS;
  uint64_t lost = 0;
  lock[MYTHREAD] = upc_global_lock_alloc();
  upc_forall(k = 0; k < total; k++; &table[k]) table[k] = k;
  upc_barrier;
  race(updates, total);
  upc_barrier;
  undo(updates, total);
  upc_barrier;
  upc_forall(k = 0; k < total; k++; &table[k]) lost += table[k] != k;
  wrong[MYTHREAD] = lost;
  upc_barrier;
  if (MYTHREAD == 0) {
    for (lost = 0, k = 0; k < THREADS; k++) lost += wrong[k];
    printf("%ld updates, %.3f %% of the words are wrong\n", updates * THREADS,
           100.0 * lost / total);
    if (100 * lost > total) upc_global_exit(1);
  }
  return 0;
}
