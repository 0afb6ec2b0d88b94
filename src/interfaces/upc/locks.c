/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.c - locks that any thread can free. A lock is eyot's, in a block of its maker's local heap.
 * Its maker alone can free it, so another thread puts the block into the maker's list, which the
 * maker empties when it makes the next lock, and at the end; there it frees what programs leave. */
#include <stdlib.h>

#include "interfaces/upc/upc.h"

#define LIVE UINT64_C(0x7570635f6c697665)
#define FREED UINT64_C(0x7570635f66726565)

struct lock_block {
  uint64_t state;   /* LIVE or FREED; changed by atomics alone */
  eyot_gptr_t next; /* in the maker's list */
  eyot_lock_t lock;
  uint64_t place; /* in made.block */
};

/* The caller's locks that are not freed. */
static struct {
  eyot_gptr_t *block;
  uint64_t n, most;
} made;

static void made_add(eyot_gptr_t block) {
  if (made.n == made.most) {
    uint64_t most = made.most == 0 ? 8 : 2 * made.most;
    eyot_gptr_t *more = realloc(made.block, most * sizeof *more);
    if (more == NULL) upci_fail(EYOT_ENOMEM, "no memory for the list of locks");
    made.block = more;
    made.most = most;
  }
  made.block[made.n++] = block;
}

/* Frees a lock of the caller, unless a thread has it. */
static bool free_own(eyot_gptr_t block) {
  struct lock_block b;
  upci_must(eyot_get(&b, block, sizeof b));
  int rc = eyot_lock_free(&b.lock);
  if (rc == EYOT_EBUSY) return false;
  upci_must(rc);
  eyot_gptr_t last = made.block[--made.n];
  if (b.place < made.n) {
    made.block[b.place] = last;
    upci_must(eyot_put(eyot_gptr_add(last, offsetof(struct lock_block, place)), &b.place,
                       sizeof b.place));
  }
  upci_local_give(block);
  return true;
}

static void list_add(eyot_gptr_t block) {
  uint32_t maker = eyot_gptr_unit(block).id;
  eyot_lock_t guard = upci_local_guard(maker);
  eyot_gptr_t list, at = upci_freed_at(maker);
  upci_must(eyot_lock_acquire(guard, EYOT_LOCK_EXCLUSIVE));
  upci_must(eyot_get(&list, at, sizeof list));
  upci_must(eyot_put(eyot_gptr_add(block, offsetof(struct lock_block, next)), &list, sizeof list));
  upci_must(eyot_put(at, &block, sizeof block));
  upci_must(eyot_lock_release(guard));
}

/* Frees what is in the caller's list; a lock that is in use stays in it. */
static void list_empty(void) {
  eyot_lock_t guard = upci_local_guard(upci_run.me);
  eyot_gptr_t list, none = EYOT_GPTR_NULL, at = upci_freed_at(upci_run.me);
  upci_must(eyot_lock_acquire(guard, EYOT_LOCK_EXCLUSIVE));
  upci_must(eyot_get(&list, at, sizeof list));
  upci_must(eyot_put(at, &none, sizeof none));
  upci_must(eyot_lock_release(guard));
  while (!eyot_gptr_is_null(list)) {
    eyot_gptr_t block = list;
    upci_must(
        eyot_get(&list, eyot_gptr_add(block, offsetof(struct lock_block, next)), sizeof list));
    if (!free_own(block)) list_add(block);
  }
}

upc_lock_t upci_lock_take(void) {
  struct lock_block b = {.state = LIVE};
  list_empty();
  eyot_gptr_t block = upci_local_take(sizeof b);
  upci_must(eyot_lock_alloc(NULL, &b.lock));
  b.place = made.n;
  made_add(block);
  upci_must(eyot_put(block, &b, sizeof b));
  return (upc_lock_t){b.lock, block};
}

void upci_lock_give(eyot_gptr_t block) {
  uint64_t old;
  upci_must(eyot_cas_u64(block, LIVE, FREED, &old));
  if (old == FREED) upci_fail(EYOT_ESEG, "the lock was freed before");
  if (old != LIVE) upci_fail(EYOT_ESEG, "the value is no lock");
  list_add(block);
}

upc_lock_t upci_lock_at(eyot_gptr_t block) {
  struct lock_block b;
  upci_must(eyot_get(&b, block, sizeof b));
  if (b.state != LIVE && b.state != FREED) upci_fail(EYOT_ESEG, "the pointer is to no lock");
  return (upc_lock_t){b.lock, block};
}

void upci_locks_end(void) {
  list_empty();
  upci_barrier_all(); /* no thread has one, unless it has not released it */
  while (made.n > 0 && free_own(made.block[made.n - 1]))
    ;
  free(made.block);
  made.block = NULL;
  made.n = made.most = 0;
}
