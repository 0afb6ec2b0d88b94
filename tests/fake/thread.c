/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - another thread of a unit of the fake fabric: it runs while its unit waits for it, and
 * where it must wait, the unit's coroutine leaves to the other units in its place. So exactly one
 * thread of the process runs at any time. */
#include <pthread.h>

#include "fake/state.h"

enum away_state { RUNS = 0, WAITS, ENDED };

struct fake_away {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  enum away_state state; /* of the thread */
  void (*fn)(void *arg);
  void *arg;
};

static void set_state(struct fake_away *a, enum away_state state) {
  (void)pthread_mutex_lock(&a->lock);
  a->state = state;
  (void)pthread_cond_broadcast(&a->changed);
  (void)pthread_mutex_unlock(&a->lock);
}

static enum away_state state_other_than(struct fake_away *a, enum away_state state) {
  (void)pthread_mutex_lock(&a->lock);
  while (a->state == state) (void)pthread_cond_wait(&a->changed, &a->lock);
  enum away_state now = a->state;
  (void)pthread_mutex_unlock(&a->lock);
  return now;
}

static void *run(void *arg) {
  struct fake_away *a = arg;
  a->fn(a->arg);
  set_state(a, ENDED);
  return NULL;
}

bool fake_thread_waits(struct fake_unit *u) {
  struct fake_away *a = u->away;
  if (a == NULL || a->state != RUNS) return false; /* it is the unit's coroutine that leaves */
  set_state(a, WAITS);
  (void)state_other_than(a, WAITS);
  return true;
}

void fake_thread(void (*fn)(void *arg), void *arg) {
  struct fake_unit *u =
      (struct fake_unit *)(void *)((char *)eyot_current - offsetof(struct fake_unit, rt));
  struct fake_away a = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, RUNS, fn, arg};
  pthread_t id;
  EYOTI_ASSERT(u->away == NULL);
  u->away = &a;
  if (pthread_create(&id, NULL, run, &a) != 0) EYOTI_PANIC("cannot make a thread");
  while (state_other_than(&a, RUNS) != ENDED) {
    fake_leave(u);
    set_state(&a, RUNS);
  }
  (void)pthread_join(id, NULL);
  u->away = NULL;
}
