/* SPDX-License-Identifier: BSD-3-Clause */
/* free.c - allocation by one thread against frees by others, under eyotcheck: the others free what
 * thread 0 has allocated, of both heaps, and locks, while it allocates more. What it gets must not
 * overlap what is in use: each allocation is filled and read again. */
#include <eyot/upc.h>
#include <stdio.h>

enum { BYTES = 40 };
UPC_SHARED_ARRAY(upc_shared_t, given, 2); /* for each thread: of the local and the global heap */
UPC_SHARED_ARRAY(upc_lock_t, locks, 1);

static upc_shared_t slot(int thread, int i) {
  upc_shared_t p = upc_shared_array(given);
  p.at = eyot_gptr_at(p.at, (eyot_unit_t){(uint32_t)thread});
  return upc_add(p, i, sizeof p, 0);
}

static upc_shared_t lock_of(int thread) {
  upc_shared_t p = upc_shared_array(locks);
  p.at = eyot_gptr_at(p.at, (eyot_unit_t){(uint32_t)thread});
  return p;
}

static void fill(upc_shared_t p, int c) {
  upc_memset(p, c, BYTES);
}

static void same(upc_shared_t p, int c) {
  char seen[BYTES];
  upc_memget(seen, p, sizeof seen);
  for (int i = 0; i < BYTES; i++)
    if (seen[i] != c) {
      fprintf(stderr, "free.c: byte %d is %d, expected %d\n", i, seen[i], c);
      upc_global_exit(1);
    }
}

int main(void) {
  upc_init();
  if (MYTHREAD == 0)
    for (int t = 1; t < THREADS; t++) {
      upc_shared_t local = upc_alloc(BYTES), global = upc_global_alloc(1, BYTES);
      upc_memput(slot(t, 0), &local, sizeof local);
      upc_memput(slot(t, 1), &global, sizeof global);
      upc_lock_t lock = upc_global_lock_alloc();
      upc_memput(lock_of(t), &lock, sizeof lock);
    }
  upc_barrier();
  if (MYTHREAD != 0) {
    upc_shared_t local = upc_relaxed_get(upc_shared_t, slot(MYTHREAD, 0));
    upc_shared_t global = upc_relaxed_get(upc_shared_t, slot(MYTHREAD, 1));
    fill(local, MYTHREAD);
    fill(global, MYTHREAD);
    same(local, MYTHREAD);
    same(global, MYTHREAD);
    upc_free(local);
    upc_free(global);
    upc_lock_t lock = upc_relaxed_get(upc_lock_t, lock_of(MYTHREAD));
    upc_lock(lock);
    upc_unlock(lock);
    upc_lock_free(lock);
  }
  upc_shared_t mine = upc_alloc(BYTES), all = upc_global_alloc(1, BYTES);
  fill(mine, 50 + MYTHREAD);
  fill(all, 60 + MYTHREAD);
  same(mine, 50 + MYTHREAD);
  same(all, 60 + MYTHREAD);
  upc_free(mine);
  upc_free(all);
  upc_lock_free(upc_global_lock_alloc());
  return 0;
}
