/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - many allocations: each thread takes and gives blocks of random sizes of its local heap
 * and of the global one, checks that none overlaps another, frees what other threads have taken,
 * and makes many locks; in the end each heap is one piece again. Usage: heap [BLOCKS [LOCKS]], or
 * the name of a mistake: over, under, full. */
#include <eyot/upc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = 600, STEPS = 4 };

struct block {
  upc_shared_t p;
  uint32_t bytes;
  unsigned char fill;
};
UPC_SHARED_ARRAY(upc_shared_t, box, 1);

static uint64_t drawn = 1;
static uint32_t draw(uint32_t below) {
  drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(drawn >> 33) % below;
}

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "heap.c: thread %d: %s\n", MYTHREAD, what);
  upc_global_exit(1);
}

static struct block take(void) {
  struct block b = {.bytes = 1 + draw(draw(2) == 0 ? 64 : BYTES_MOST),
                    .fill = (unsigned char)draw(256)};
  b.p = draw(2) == 0 ? upc_alloc(b.bytes) : upc_global_alloc(1, b.bytes);
  upc_memset(b.p, b.fill, b.bytes);
  return b;
}

static void give(const struct block *b) {
  unsigned char seen[BYTES_MOST];
  upc_memget(seen, b->p, b->bytes);
  for (uint32_t i = 0; i < b->bytes; i++)
    require(seen[i] == b->fill, "an allocation's bytes were overwritten by another's");
  upc_free(b->p);
}

static void blocks(uint32_t most) {
  struct block *list = malloc(most * sizeof *list);
  require(list != NULL, "no memory");
  for (uint32_t step = 0, n = 0; step < STEPS; step++) {
    while (n < most) list[n++] = take();
    while (n > (step + 1 < STEPS ? most / 2 : 0)) {
      uint32_t i = draw(n);
      give(&list[i]);
      list[i] = list[--n];
    }
  }
  free(list);
}

/* Each thread frees what the one before it has allocated, in its local heap. */
static void others(uint32_t n) {
  upc_shared_t there =
      upc_add(upc_shared_array(box), (MYTHREAD + THREADS - 1) % THREADS, sizeof(upc_shared_t), 1);
  upc_shared_t mine = upc_alloc(n * sizeof(upc_shared_t)), list;
  upc_shared_t *of = upc_cast(mine);
  for (uint32_t i = 0; i < n; i++) of[i] = upc_alloc(1 + draw(100));
  upc_memput(upc_add(upc_shared_array(box), MYTHREAD, sizeof mine, 1), &mine, sizeof mine);
  upc_barrier();
  upc_memget(&list, there, sizeof list);
  for (uint32_t i = 0; i < n; i++) {
    upc_shared_t p;
    upc_memget(&p, upc_add(list, i, sizeof p, 0), sizeof p);
    upc_free(p);
  }
  upc_barrier();
  upc_free(mine);
}

static void locks(uint32_t n) {
  upc_lock_t *lock = malloc(n * sizeof *lock);
  require(lock != NULL, "no memory");
  for (uint32_t i = 0; i < n; i++) lock[i] = upc_global_lock_alloc();
  for (uint32_t i = 0; i < n; i += 7) {
    upc_lock(lock[i]);
    upc_unlock(lock[i]);
  }
  for (uint32_t i = 0; i < n; i += 2) upc_lock_free(lock[i]); /* the others are left */
  free(lock);
}

/* Of all free memory, one allocation. */
static void whole(size_t bytes) {
  upc_shared_t p = upc_alloc(bytes);
  upc_memset(p, 1, bytes);
  upc_free(p);
  upc_barrier();
  p = upc_all_alloc((size_t)THREADS, bytes);
  upc_barrier();
  upc_all_free(p);
  upc_barrier(); /* thread 0 has freed it */
}

static void mistake(const char *what, size_t heap) {
  upc_shared_t p = upc_alloc(100), q = upc_alloc(100);
  char junk[256];
  memset(junk, 0x55, sizeof junk);
  if (what[0] == 'f') {
    require(upc_isnull(upc_alloc(heap)) && upc_isnull(upc_global_alloc(3, heap)) &&
                upc_isnull(upc_global_alloc((size_t)THREADS, (size_t)1 << 40)) &&
                upc_isnull(upc_all_alloc((size_t)THREADS, heap + 1)),
            "memory that is not there was allocated");
    upc_free(q);
    while (!upc_isnull(upc_global_alloc((size_t)THREADS, heap / 4)))
      ;
    require(!upc_isnull(upc_alloc(heap / 2)), "the local heap has space left");
    upc_barrier();
    upc_relaxed_put(char, upc_alloc(heap), 1); /* a null pointer */
  }
  if (what[0] == 'o') upc_memput(p, junk, sizeof junk); /* over its end */
  if (what[0] == 'u') upc_memput(upc_add(q, -16, 1, 0), junk, 16);
  upc_free(p);
}

int main(int argc, char **argv) {
  upc_init();
  drawn += (uint64_t)MYTHREAD;
  const char *size = getenv("UPC_SHARED_HEAP_SIZE");
  size_t heap = size != NULL ? (size_t)strtoull(size, NULL, 10) : (size_t)16 << 20;
  char *end = "";
  uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], &end, 10) : 300;
  if (*end != '\0') {
    mistake(argv[1], heap);
    return 0;
  }
  whole(heap);
  blocks(n);
  upc_barrier();
  others(n);
  upc_barrier();
  whole(heap);
  locks(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : n);
  return 0;
}
