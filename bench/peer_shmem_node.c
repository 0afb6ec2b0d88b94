/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_shmem_node.c - the operations of bench_node by OpenSHMEM, with the same names and numbers. A
 * shmem_quiet follows each put, because eyot's and MPI's are remotely complete too. */
#include <string.h>

#include "peer_shmem.h"

enum {
  OPS = 20000,
  LARGE = 4096,
  LARGE_OPS = 2000,
  BATCH = 1000,
  BATCHES = 20,
  BARRIERS = 2000,
  PAIRS = 10000,
  CONTENDED = 2000,
  TIMES = 20,
  MIB = 1 << 20
};

/* Of the symmetric heap: static memory takes Open MPI a longer way. */
static unsigned long *words;
static char *large;
static long lock;

#define LOOP(name, step)            \
  static double name(int n) {       \
    unsigned long value = 0;        \
    double begin = wall_ns();       \
    for (int i = 0; i < n; i++) {   \
      value += 1;                   \
      RELOAD(&value);               \
      step;                         \
    }                               \
    RELOAD(&value);                 \
    return (wall_ns() - begin) / n; \
  }

static void batch(void) {
  uint64_t value;
  for (uint64_t k = 0; k < BATCH; k++) {
    value = k;
    RELOAD(&value);
    shmem_putmem_nbi(&words[k], &value, sizeof value, 1);
  }
  shmem_quiet();
}

static void allocate(void) {
  void *p = shmem_malloc(MIB);
  shmem_free(p);
}

LOOP(put, shmem_putmem(words, &value, sizeof value, 1); shmem_quiet())
LOOP(get, shmem_getmem(&value, words, sizeof value, 1))
LOOP(puts_nbi, shmem_putmem_nbi(words, &value, sizeof value, 1))
LOOP(gets_nbi, shmem_getmem_nbi(&value, words, sizeof value, 1))
LOOP(xors, shmem_ulong_atomic_xor(words, value, 1))
LOOP(put_large, shmem_putmem(large, large, LARGE, 1); shmem_quiet())
LOOP(batches, batch())
LOOP(add, value = shmem_ulong_atomic_fetch_add(words, 1, 1))
LOOP(swap, value = shmem_ulong_atomic_compare_swap(words, value - 1, value, 1))
LOOP(barrier, shmem_barrier_all())
LOOP(pair, shmem_set_lock(&lock); shmem_clear_lock(&lock))
LOOP(allocations, allocate())

static const struct {
  const char *what;
  double (*loop)(int n);
  int n;
  int both;  /* by both at the same time */
  int share; /* the number of units that take turns in the counted operations */
} WAYS[] = {
    {"put_8B", put, OPS, 0, 1},
    {"get_8B", get, OPS, 0, 1},
    {"put_4KiB", put_large, LARGE_OPS, 0, 1},
    {"1000_puts_and_flush", batches, BATCHES, 0, 1},
    {"put_nbi_8B", puts_nbi, OPS, 0, 1},
    {"get_nbi_8B", gets_nbi, OPS, 0, 1},
    {"accumulate_xor_nbi", xors, OPS, 0, 1},
    {"fetch_add", add, OPS, 0, 1},
    {"compare_swap", swap, OPS, 0, 1},
    {"lock_alone", pair, PAIRS, 0, 1},
    {"barrier", barrier, BARRIERS, 1, 1},
    {"lock_contended", pair, CONTENDED, 1, 2},
    {"allocate_1MiB", allocations, TIMES, 1, 1},
};

/* There is one kind of lock here, and two there. */
static void say(const char *what, double ns) {
  if (strncmp(what, "lock", 4) != 0) printf("value %s_shmem time ns %.4f\n", what, ns);
  if (strncmp(what, "lock", 4) == 0)
    printf("value %s_mcs_shmem time ns %.4f\nvalue %s_ticket_shmem time ns %.4f\n", what, ns, what,
           ns);
}

int node_rounds(int rounds) {
  words = shmem_malloc(BATCH * sizeof *words);
  large = shmem_malloc(LARGE);
  if (words == NULL || large == NULL) return 1;
  for (int round = 0; round < rounds; round++)
    for (size_t w = 0; w < sizeof WAYS / sizeof *WAYS; w++) {
      shmem_barrier_all();
      if (shmem_my_pe() != 0 && !WAYS[w].both) continue;
      if (round == 0) (void)WAYS[w].loop(WAYS[w].n / 10);
      double ns = WAYS[w].loop(WAYS[w].n) / WAYS[w].share;
      shmem_quiet();
      if (shmem_my_pe() == 0) say(WAYS[w].what, ns);
    }
  shmem_barrier_all();
  shmem_free(large);
  shmem_free(words);
  return 0;
}
