/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed.c - one program with OpenSHMEM and UPC: both start the same eyot, so a PE is the thread of
 * the same number, and either barrier orders the accesses of both.
 *
 * Objects of the program's data are symmetric for SHMEM, and eyot_data_gptr makes pointers to
 * shared of them: what SHMEM puts there UPC reads, and the other way round. The symmetric heap has
 * no such pointers; its owner copies between it and shared arrays. */
#include <eyot/upc.h>
#include <shmem.h>
#include <stdio.h>

enum { WORDS = 8 };

static long box[WORDS]; /* symmetric data, which both use */
UPC_SHARED_ARRAY(long, ring, WORDS);

static void check(bool right, const char *what) {
  if (right) return;
  fprintf(stderr, "mixed: thread %d of %d: wrong: %s\n", MYTHREAD, THREADS, what);
  upc_global_exit(1);
}

static long value_of(int thread, int k, int round) {
  return 10000L * round + 10L * thread + k;
}
static int after(int thread, int n) {
  return (thread + n) % THREADS;
}
/* The pointer to shared of word k of thread t's box. */
static upc_shared_t box_at(int t, int k) {
  upc_shared_t p = UPC_NULL;
  if (eyot_data_gptr(&box[k], sizeof *box, (eyot_unit_t){(uint32_t)t}, &p.at) != EYOT_OK)
    upc_global_exit(1); /* the call has said why */
  return p;
}
static upc_shared_t ring_at(int t, int k) {
  return upc_add(upc_shared_array(ring), (int64_t)t * WORDS + k, sizeof(long), WORDS);
}

/* SHMEM puts into the next PE's box; UPC reads that of the second next thread. */
static void shmem_to_upc(int round) {
  long words[WORDS];
  for (int k = 0; k < WORDS; k++) words[k] = value_of(MYTHREAD, k, round);
  shmem_long_put(box, words, WORDS, after(MYTHREAD, 1));
  shmem_barrier_all();
  int owner = after(MYTHREAD, 2), writer = after(MYTHREAD, 1);
  for (int k = 0; k < WORDS; k++)
    check(upc_relaxed_get(long, box_at(owner, k)) == value_of(writer, k, round),
          "UPC reads what SHMEM has put");
  upc_barrier();
}

/* UPC writes into the next thread's box; SHMEM reads that of the second next PE. */
static void upc_to_shmem(int round) {
  long words[WORDS];
  for (int k = 0; k < WORDS; k++)
    upc_relaxed_put(long, box_at(after(MYTHREAD, 1), k), value_of(MYTHREAD, k, round));
  upc_barrier();
  shmem_long_get(words, box, WORDS, after(MYTHREAD, 2));
  for (int k = 0; k < WORDS; k++)
    check(words[k] == value_of(after(MYTHREAD, 1), k, round), "SHMEM reads what UPC has put");
  shmem_barrier_all();
}

/* The heaps: SHMEM puts into the next PE's symmetric heap, whose owner copies it by UPC into the
 * thread after it, which a third thread reads by UPC and gets into its symmetric heap. */
static void heaps(long *heap, int round) {
  long words[WORDS];
  for (int k = 0; k < WORDS; k++) words[k] = value_of(MYTHREAD, k, round);
  shmem_long_put(heap, words, WORDS, after(MYTHREAD, 1));
  shmem_barrier_all();
  upc_memput(ring_at(after(MYTHREAD, 1), 0), heap, sizeof words);
  upc_barrier();
  upc_memget(heap, ring_at(after(MYTHREAD, 1), 0), sizeof words);
  for (int k = 0; k < WORDS; k++)
    check(heap[k] == value_of(after(MYTHREAD, THREADS - 1), k, round), "words of both heaps");
  upc_barrier();
}

/* A pointer to shared is a value, which SHMEM broadcasts as any other. */
static void pointer_by_shmem(void) {
  static upc_shared_t shared; /* symmetric */
  static long counted;
  if (MYTHREAD == 0) {
    upc_shared_t mine = upc_alloc(sizeof(long));
    upc_relaxed_put(long, mine, 77L);
    upc_fence();
    for (int t = 0; t < THREADS; t++) shmem_putmem(&shared, &mine, sizeof mine, t);
  }
  shmem_barrier_all();
  check(upc_relaxed_get(long, shared) == 77, "a pointer to shared that SHMEM has sent");
  shmem_long_atomic_inc(&counted, 0);
  shmem_barrier_all();
  check(shmem_long_atomic_fetch(&counted, 0) == THREADS, "SHMEM's atomics after UPC's accesses");
  if (MYTHREAD == 0) upc_free(shared);
}

int main(void) {
  shmem_init();
  upc_init();
  check(shmem_my_pe() == MYTHREAD && shmem_n_pes() == THREADS, "PE and thread");
  long *heap = shmem_malloc(WORDS * sizeof *heap);
  check(heap != NULL, "shmem_malloc");
  for (int round = 1; round <= 3; round++) {
    shmem_to_upc(round);
    upc_to_shmem(round + 10);
    heaps(heap, round + 20);
  }
  pointer_by_shmem();
  shmem_free(heap);
  if (MYTHREAD == 0) printf("mixed: verified on %d threads\n", THREADS);
  upc_finalize();
  shmem_finalize();
  return 0;
}
