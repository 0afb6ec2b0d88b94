/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - shmem_set_lock, shmem_test_lock and shmem_clear_lock: a queue lock in the program's own
 * word, which all PEs have set to 0. Source: J. Mellor-Crummey, M. Scott, "Algorithms for Scalable
 * Synchronization on Shared-Memory Multiprocessors", 1991 (MCS); OpenSHMEM 1.5, "Distributed
 * Locking Routines".
 *
 * The word has two halves of 4 bytes, on which all PEs use atomics alone. The first half at one PE,
 * the lock's home, is the tail of the queue: the number of its last PE plus 1, or 0. The second
 * half at each PE is its node in the queue: below NEXT_END the number of its successor plus 1, and
 * two flags. GRANTED is set by the predecessor, HELD by the PE itself. All halves of a free lock
 * that nobody waits for are 0. */
#include "interfaces/openshmem/osh.h"

#define GRANTED (UINT32_C(1) << 31)
#define HELD (UINT32_C(1) << 30)
#define NEXT_END HELD

struct lock {
  eyot_gptr_t tail;  /* at the home */
  eyot_gptr_t nodes; /* the caller's node */
};

static struct lock lock_of(long *word) {
  eyot_gptr_t g;
  if (!osh_recent(word, sizeof *word, osh.me, &g)) g = osh_gptr("lock", word, sizeof *word, osh.me);
  uint32_t home = (uint32_t)(g.offset / sizeof *word % (uint64_t)osh.n);
  return (struct lock){.tail = eyot_gptr_at(g, (eyot_unit_t){home}),
                       .nodes = eyot_gptr_add(g, sizeof(uint32_t))};
}

/* Inlined, so that the compiler knows op. */
static inline __attribute__((always_inline)) uint32_t fetch(eyot_gptr_t at, eyot_op_t op,
                                                            uint32_t operand) {
  uint32_t old;
  if (!eyot_fetch_op_mapped(at, EYOT_UINT32, op, &operand, &old))
    osh_must(eyot_fetch_op(at, EYOT_UINT32, op, &operand, &old));
  return old;
}

/* Replaces `expected`; true: it was there. */
static bool replace(eyot_gptr_t at, uint32_t expected, uint32_t desired) {
  uint32_t old;
  if (!eyot_compare_swap_mapped(at, EYOT_UINT32, &expected, &desired, &old))
    osh_must(eyot_compare_swap(at, EYOT_UINT32, &expected, &desired, &old));
  return old == expected;
}

static void set_bits(eyot_gptr_t at, uint32_t bits) {
  osh_must(eyot_accumulate(at, EYOT_UINT32, EYOT_BOR, &bits));
}

static uint32_t wait_node(struct lock l, eyot_cmp_t cmp, uint64_t value) {
  uint64_t seen;
  eyot_cond_t c = {.word = l.nodes, .type = EYOT_UINT32, .cmp = cmp, .value = value};
  osh_must(eyot_wait_until_word(&c, EYOT_FOREVER, &seen));
  return (uint32_t)seen;
}

static void refuse_holder(struct lock l) {
  if ((fetch(l.nodes, EYOT_NOOP, 0) & HELD) != 0)
    osh_fail(EYOT_ESTATE, "the caller holds the lock already, and it is not recursive");
}

OSH_DEFINE(void, set_lock, (long *lock)) {
  OSH_ENTER("shmem_set_lock");
  struct lock l = lock_of(lock);
  uint32_t me = (uint32_t)osh.me + 1;
  refuse_holder(l);
  uint32_t before = fetch(l.tail, EYOT_REPLACE, me);
  if (before == 0) {
    set_bits(l.nodes, HELD);
    return;
  }
  if (before > (uint32_t)osh.n)
    osh_fail(EYOT_EINVAL, "the lock's word was not 0 before its first use, or was overwritten");
  set_bits(eyot_gptr_at(l.nodes, (eyot_unit_t){before - 1}), me);
  (void)wait_node(l, EYOT_CMP_GE, GRANTED);
  (void)fetch(l.nodes, EYOT_BXOR, GRANTED | HELD);
}

OSH_DEFINE(int, test_lock, (long *lock)) {
  OSH_ENTER("shmem_test_lock");
  struct lock l = lock_of(lock);
  refuse_holder(l);
  if (!replace(l.tail, 0, (uint32_t)osh.me + 1)) return 1;
  set_bits(l.nodes, HELD);
  return 0;
}

OSH_DEFINE(void, clear_lock, (long *lock)) {
  OSH_ENTER("shmem_clear_lock");
  struct lock l = lock_of(lock);
  osh_quiet();
  uint32_t node = fetch(l.nodes, EYOT_BAND, ~HELD);
  if ((node & HELD) == 0) osh_fail(EYOT_ESTATE, "the caller does not hold the lock");
  uint32_t next = node & (NEXT_END - 1);
  if (next == 0) {
    if (replace(l.tail, (uint32_t)osh.me + 1, 0)) return;
    next = wait_node(l, EYOT_CMP_NE, 0);
  }
  (void)fetch(l.nodes, EYOT_BAND, 0);
  set_bits(eyot_gptr_at(l.nodes, (eyot_unit_t){next - 1}), GRANTED);
}
