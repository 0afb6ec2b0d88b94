/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - Fortran: locks in a variable of type INTEGER, whose 4 bytes are too few for the queue
 * lock of the C interface.
 *
 * A ticket lock: the word at PE 0 has the next ticket in its upper half and the ticket that is
 * served in its lower one; those of other PEs are not used. First come, first served, as OpenSHMEM
 * asks; a PE that waits reads the word at PE 0 again and again. Source: J. Mellor-Crummey, M.
 * Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", 1991, section
 * 2.2; OpenSHMEM 1.4, section 9.11. */
#include <stdlib.h>

#include "interfaces/openshmem/fortran/fsh.h"

enum { HOME = 0 };
#define TICKET (UINT32_C(1) << 16)
#define SERVED (TICKET - 1)

static uint32_t next_of(uint32_t word) {
  return word / TICKET;
}

/* The locks that this PE holds: few. */
static struct {
  uint32_t **locks;
  size_t n, capacity;
} held;

static size_t place_of(const uint32_t *lock) {
  size_t i = 0;
  while (i < held.n && held.locks[i] != lock) i++;
  return i;
}

static void refuse_holder(const uint32_t *lock) {
  if (shmem_n_pes() > (int)SERVED)
    fsh_fail(EYOT_ENOTSUP, "a lock of Fortran serves %u PEs; this run has %d", (unsigned)SERVED,
             shmem_n_pes());
  if (place_of(lock) < held.n)
    fsh_fail(EYOT_ESTATE, "the caller holds the lock already, and it is not recursive");
}

static void hold(uint32_t *lock) {
  if (held.n == held.capacity) {
    size_t capacity = held.capacity * 2 + 4;
    uint32_t **more = realloc(held.locks, capacity * sizeof *more);
    if (more == NULL) fsh_fail(EYOT_ENOMEM, "no memory for the list of locks");
    held.locks = more;
    held.capacity = capacity;
  }
  held.locks[held.n++] = lock;
}

void shmem_set_lock_(uint32_t *lock) {
  FSH_ENTER(set_lock);
  refuse_holder(lock);
  uint32_t word = shmem_uint32_atomic_fetch_add(lock, TICKET, HOME);
  uint32_t mine = next_of(word);
  while ((word & SERVED) != mine) word = shmem_uint32_atomic_fetch(lock, HOME);
  hold(lock);
}

/* 0: the lock is the caller's now; 1: another PE has it. */
int shmem_test_lock_(uint32_t *lock) {
  FSH_ENTER(test_lock);
  refuse_holder(lock);
  uint32_t word = shmem_uint32_atomic_fetch(lock, HOME);
  if (next_of(word) != (word & SERVED)) return 1;
  if (shmem_uint32_atomic_compare_swap(lock, word, word + TICKET, HOME) != word) return 1;
  hold(lock);
  return 0;
}

void shmem_clear_lock_(uint32_t *lock) {
  FSH_ENTER(clear_lock);
  size_t i = place_of(lock);
  if (i == held.n) fsh_fail(EYOT_ESTATE, "the caller does not hold the lock");
  held.locks[i] = held.locks[--held.n];
  shmem_quiet();
  /* Only the holder changes the lower half, and the sum must not carry into the upper one. */
  uint32_t served = shmem_uint32_atomic_fetch(lock, HOME) & SERVED;
  (void)shmem_uint32_atomic_fetch_add(lock, served == SERVED ? 0 - SERVED : 1, HOME);
}
