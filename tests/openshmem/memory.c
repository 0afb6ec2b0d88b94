/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - the symmetric heap: symmetry, alignment, contents over realloc, many allocations, what
 * is symmetric and what is not, and pointers to other PEs' memory. */
#include "tests/openshmem/check.h"

static long initialized = 7, zero;
static const long constant = 3;

/* Each PE writes the allocation of the right PE, and finds its own written by the left one. */
static void exchange(unsigned char *p, size_t bytes, int line) {
  unsigned char *source = malloc(bytes);
  size_t wrong = 0;
  memset(source, me + 1, bytes);
  shmem_barrier_all();
  shmem_putmem(p, source, bytes, next_pe(1));
  shmem_barrier_all();
  for (size_t i = 0; i < bytes; i++) wrong += p[i] != (unsigned char)(next_pe(-1) + 1);
  if (wrong > 0) complain(__FILE__, line, "%zu of %zu bytes are wrong", wrong, bytes);
  free(source);
  shmem_barrier_all();
}

static void blocks(void) {
  static const size_t sizes[] = {1, 2, 8, 63, 4096, 100000, 1 << 20};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  unsigned char *p[SIZES];
  for (int i = 0; i < SIZES; i++) {
    p[i] = shmem_malloc(sizes[i]);
    TRUE(p[i] != NULL);
    INT((uintptr_t)p[i] % sizeof(long double), 0);
    memset(p[i], 200 + i, sizes[i]);
  }
  for (int i = 0; i < SIZES; i++) /* none overlaps another */
    for (size_t b = 0; b < sizes[i]; b += sizes[i] / 64 + 1)
      if (p[i][b] != 200 + i) complain(__FILE__, __LINE__, "block %d overlaps", i);
  for (int i = 0; i < SIZES; i++) exchange(p[i], sizes[i], __LINE__);
  for (int i = 0; i < SIZES; i += 2) shmem_free(p[i]);
  unsigned char *again = shmem_malloc(5000);
  exchange(again, 5000, __LINE__);
  shmem_free(again);
  for (int i = 1; i < SIZES; i += 2) shmem_free(p[i]);
  shmem_free(NULL);
  TRUE(shmem_malloc(0) == NULL);
}

static void zeroes(void) {
  unsigned char *dirty = shmem_malloc(10000);
  memset(dirty, 0xFF, 10000);
  shmem_free(dirty);
  unsigned char *p = shmem_calloc(100, 100);
  size_t wrong = 0;
  for (size_t i = 0; i < 10000; i++) wrong += p[i] != 0;
  INT(wrong, 0);
  exchange(p, 10000, __LINE__);
  shmem_free(p);
  TRUE(shmem_calloc(0, 8) == NULL);
  TRUE(shmem_calloc(8, 0) == NULL);
  TRUE(shmem_calloc(SIZE_MAX / 2, 4) == NULL);
}

static void aligned(void) {
  for (size_t a = sizeof(void *); a <= 65536; a *= 2) {
    unsigned char *p = shmem_align(a, 3 * a + 1);
    TRUE(p != NULL);
    INT((uintptr_t)p % a, 0);
    exchange(p, 3 * a + 1 < 5000 ? 3 * a + 1 : 5000, __LINE__);
    shmem_free(p);
  }
  TRUE(shmem_align(64, 0) == NULL);
  long *p = shmemalign(4096, 100);
  INT((uintptr_t)p % 4096, 0);
  shfree(p);
}

static void resized(void) {
  unsigned char *p = shmem_realloc(NULL, 100);
  TRUE(p != NULL);
  for (int i = 0; i < 100; i++) p[i] = (unsigned char)(i + me);
  p = shmem_realloc(p, 50000);
  for (int i = 0; i < 100; i++) INT(p[i], (unsigned char)(i + me));
  exchange(p, 50000, __LINE__);
  for (int i = 0; i < 10; i++) p[i] = (unsigned char)(3 * i + me);
  p = shmem_realloc(p, 10);
  for (int i = 0; i < 10; i++) INT(p[i], (unsigned char)(3 * i + me));
  exchange(p, 10, __LINE__);
  TRUE(shmem_realloc(p, 0) == NULL);
  p = shmalloc(33);
  p[32] = (unsigned char)me;
  p = shrealloc(p, 66);
  INT(p[32], (unsigned char)me);
  exchange(p, 66, __LINE__);
  shfree(p);
  shfree(NULL);
  long *hinted = shmem_malloc_with_hints(sizeof(long),
                                         SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE);
  *hinted = 0;
  shmem_barrier_all();
  shmem_long_atomic_add(hinted, 1, 0);
  shmem_barrier_all();
  INT(*hinted, me == 0 ? n_pes : 0);
  shmem_free(hinted);
  hinted = shmem_malloc_with_hints(16, 0);
  exchange((unsigned char *)hinted, 16, __LINE__);
  shmem_free(hinted);
}

/* More allocations than any table begins with, released in another order. */
static void many(void) {
  enum { MANY = 150 };
  long *p[MANY];
  for (int i = 0; i < MANY; i++) {
    p[i] = shmem_malloc(sizeof(long) * (size_t)(1 + i % 7));
    *p[i] = i;
  }
  shmem_barrier_all();
  for (int i = 0; i < MANY; i += 10) INT(shmem_long_g(p[i], next_pe(1)), i);
  shmem_barrier_all();
  for (int i = 0; i < MANY; i++) shmem_free(p[i * 7 % MANY]);
}

static void symmetry(void) {
  long here = 0, *heap = shmem_malloc(4 * sizeof *heap), *own = malloc(sizeof *own);
  heap[3] = 30 + me;
  initialized = 70 + me;
  shmem_barrier_all();
  for (int pe = -1; pe <= n_pes; pe++) {
    bool exists = pe >= 0 && pe < n_pes;
    INT(shmem_pe_accessible(pe) != 0, exists);
    INT(shmem_addr_accessible(heap, pe) != 0, exists);
    INT(shmem_addr_accessible(&heap[3], pe) != 0, exists);
    INT(shmem_addr_accessible(&initialized, pe) != 0, exists);
    INT(shmem_addr_accessible(&zero, pe) != 0, exists);
    INT(shmem_addr_accessible(&here, pe), 0);
    INT(shmem_addr_accessible(own, pe), 0);
    INT(shmem_addr_accessible(NULL, pe), 0);
    TRUE(shmem_ptr(&here, pe) == NULL);
    TRUE(shmem_ptr(NULL, pe) == NULL);
    long *p = shmem_ptr(&heap[3], pe), *s = shmem_ptr(&initialized, pe);
    if (p != NULL) INT(*p, 30 + pe);
    if (s != NULL) INT(*s, 70 + pe);
    TRUE(exists || (p == NULL && s == NULL));
    if (exists) INT(shmem_long_g(&initialized, pe), 70 + pe);
  }
  TRUE(shmem_ptr(&heap[3], me) == &heap[3]);
  TRUE(shmem_ptr(&zero, me) == &zero);
  TRUE(constant == 3);
  shmem_barrier_all();
  /* stores through the pointer, where there is one */
  long *next = shmem_ptr(&zero, next_pe(1));
  if (next != NULL)
    *next = 500 + me;
  else
    shmem_long_p(&zero, 500 + me, next_pe(1));
  shmem_barrier_all();
  INT(zero, 500 + next_pe(-1));
  shmem_free(heap);
  free(own);
}

int main(void) {
  begin();
  blocks();
  zeroes();
  aligned();
  resized();
  many();
  symmetry();
  return finish();
}
