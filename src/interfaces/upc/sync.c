/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c - barriers and locks. A barrier is eyot's split-phase one, because threads with and
 * without an expression, and whole and split barriers, meet (UPC 6.6.1). A lock is eyot's, in
 * a block of local shared memory (heap.c), so that any thread can free it. */
#include "interfaces/upc/upc.h"

/* The expression of the caller's notify. */
static struct {
  bool given;
  uint64_t value;
} notified;

static void notify(const uint64_t *value) {
  upci_complete();
  upci_must(eyot_barrier_notify(EYOT_TEAM_ALL, value));
  notified.given = value != NULL;
  if (notified.given) notified.value = *value;
}

/* eyot_barrier_wait wants what the notify gave, also where the statement has no expression. */
const uint64_t *upci_wait_value(const uint64_t *value) {
  if (!notified.given) return NULL;
  return value != NULL ? value : &notified.value;
}

static void wait(const uint64_t *value) {
  upci_must(eyot_barrier_wait(EYOT_TEAM_ALL, upci_wait_value(value)));
  upci_must(eyot_sync());
}

void upci_barrier_all(void) {
  upci_complete();
  upci_must(eyot_barrier(EYOT_TEAM_ALL));
}

void upc_notify(void) {
  UPCI_ENTER("upc_notify");
  notify(NULL);
}

void upc_notify_value(int value) {
  UPCI_ENTER("upc_notify_value");
  uint64_t v = (uint32_t)value;
  notify(&v);
}

void upc_wait(void) {
  UPCI_ENTER("upc_wait");
  wait(NULL);
}

void upc_wait_value(int value) {
  UPCI_ENTER("upc_wait_value");
  uint64_t v = (uint32_t)value;
  wait(&v);
}

void upc_barrier(void) {
  UPCI_ENTER("upc_barrier");
  notify(NULL);
  wait(NULL);
}

void upc_barrier_value(int value) {
  UPCI_ENTER("upc_barrier_value");
  uint64_t v = (uint32_t)value;
  notify(&v);
  wait(&v);
}

upc_lock_t upc_global_lock_alloc(void) {
  UPCI_ENTER("upc_global_lock_alloc");
  return upci_lock_take();
}

upc_lock_t upc_all_lock_alloc(void) {
  UPCI_ENTER("upc_all_lock_alloc");
  upc_lock_t l = {EYOT_LOCK_NULL, EYOT_GPTR_NULL};
  if (upci_run.me == 0) l = upci_lock_take();
  upci_must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &l, sizeof l));
  return l;
}

void upc_lock(upc_lock_t lock) {
  UPCI_ENTER("upc_lock");
  upci_complete();
  upci_must(eyot_lock_acquire(lock.lock, EYOT_LOCK_EXCLUSIVE));
}

int upc_lock_attempt(upc_lock_t lock) {
  UPCI_ENTER("upc_lock_attempt");
  bool acquired;
  upci_complete();
  upci_must(eyot_lock_try(lock.lock, EYOT_LOCK_EXCLUSIVE, &acquired));
  return acquired;
}

void upc_unlock(upc_lock_t lock) {
  UPCI_ENTER("upc_unlock");
  upci_complete();
  upci_must(eyot_lock_release(lock.lock));
}

static void lock_give(upc_lock_t lock) {
  bool held;
  if (eyot_gptr_is_null(lock.block)) return;
  upci_must(eyot_lock_held(lock.lock, &held));
  if (held) upci_must(eyot_lock_release(lock.lock));
  upci_lock_give(lock.block);
}

void upc_lock_free(upc_lock_t lock) {
  UPCI_ENTER("upc_lock_free");
  lock_give(lock);
}

void upc_all_lock_free(upc_lock_t lock) {
  UPCI_ENTER("upc_all_lock_free");
  upci_barrier_all();
  if (upci_run.me == 0) lock_give(lock);
}
