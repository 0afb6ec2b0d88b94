/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - conformance: any thread of a unit may call a fabric that has FAB_CAP_THREADS, one at a
 * time. Operations belong to the unit, not to the thread that has posted them. */
#include <pthread.h>
#include <string.h>

#include "conformance/conformance.h"

#define FLAG (CONF_CTRL)
#define GIVEN (CONF_CTRL + 1024u) /* written by the unit before */
#define SHOWN (CONF_CTRL + 2048u) /* each unit's own, read by the unit before */
#define GOT (CONF_CTRL + 3072u)   /* read into; a wrong flush may leave a get in flight for long */

struct task {
  struct conf_ctx *c;
  int (*run)(struct task *t);
  int rc;
  uint32_t next;
  uint64_t round, value, seen;
  fab_req_t req;
};

static void run_task(void *arg) {
  struct task *t = arg;
  t->rc = t->run(t);
}

static void *posix(void *arg) {
  run_task(arg);
  return NULL;
}

/* Runs it in a new thread of the unit, to its end. */
static int elsewhere(struct task *t, int (*run)(struct task *t)) {
  struct conf_ctx *c = t->c;
  pthread_t id;
  t->run = run;
  if (c->o.in_thread != NULL) {
    c->o.in_thread(run_task, t);
    return t->rc;
  }
  CONF_CHECK(c, pthread_create(&id, NULL, posix, t) == 0, "there is no other thread");
  CONF_CHECK(c, pthread_join(id, NULL) == 0, "the other thread cannot be joined");
  return t->rc;
}

static bool has_threads(const struct conf_ctx *c) {
  return (c->f->caps & FAB_CAP_THREADS) != 0;
}
static struct task task_of(struct conf_ctx *c) {
  return (struct task){.c = c, .next = (c->me + 1) % c->n};
}
static uint32_t rounds_of(const struct conf_ctx *c) {
  return c->o.rounds < 40 ? c->o.rounds : 40;
}

static int finish_request(struct task *t) {
  struct conf_ctx *c = t->c;
  CONF_TRY(c, fab_req_wait(c->f, t->req, FAB_REMOTE));
  return 0;
}
static int post_put(struct task *t) {
  struct conf_ctx *c = t->c;
  CONF_TRY(c, fab_put(c->f, conf_at(c, t->next, GIVEN), &t->value, sizeof t->value, &t->req));
  return 0;
}

/* The put is posted by one thread and waited for by the other, in both ways. */
static int requests_are_the_units(struct conf_ctx *c) {
  struct task t = task_of(c);
  if (!has_threads(c)) return 0;
  for (uint64_t r = 1; r <= rounds_of(c); r++) {
    t.value = r << 32 | c->me;
    CONF_PASS(r % 2 == 0 ? post_put(&t) : elsewhere(&t, post_put));
    CONF_PASS(r % 2 == 0 ? elsewhere(&t, finish_request) : finish_request(&t));
    CONF_TRY(c, fab_get_wait(c->f, &t.seen, conf_at(c, t.next, GIVEN), sizeof t.seen));
    CONF_CHECK(c, t.seen == t.value, "round %llu: the put was waited for, and its target has %llx",
               (unsigned long long)r, (unsigned long long)t.seen);
  }
  return 0;
}

static int post_get(struct task *t) {
  struct conf_ctx *c = t->c;
  CONF_TRY(c, fab_get(c->f, c->mem + GOT, conf_at(c, t->next, SHOWN), sizeof t->seen, NULL));
  return 0;
}
static int flush_all(struct task *t) {
  struct conf_ctx *c = t->c;
  CONF_TRY(c, fab_flush(c->f, t->round % 3 == 0 ? FAB_ALL : t->next, FAB_REMOTE));
  return 0;
}

static int flush_is_the_units(struct conf_ctx *c) {
  struct task t = task_of(c);
  if (!has_threads(c)) return 0;
  const uint64_t mine = c->me + 1000;
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, c->me, SHOWN), &mine, sizeof mine));
  CONF_PASS(conf_barrier(c));
  for (t.round = 1; t.round <= rounds_of(c); t.round++) {
    memset(c->mem + GOT, 0, sizeof t.seen);
    CONF_PASS(t.round % 2 == 0 ? post_get(&t) : elsewhere(&t, post_get));
    CONF_PASS(t.round % 2 == 0 ? elsewhere(&t, flush_all) : flush_all(&t));
    t.seen = conf_load(c, GOT);
    CONF_CHECK(c, t.seen == t.next + 1000,
               "round %llu: a flush by another thread left out a get, which has %llu",
               (unsigned long long)t.round, (unsigned long long)t.seen);
  }
  return 0;
}

static int meet_next(struct task *t) {
  struct conf_ctx *c = t->c;
  CONF_PASS(conf_add(c, t->next, FLAG, 1, NULL));
  return conf_wait(c, FLAG, FAB_GE, t->round);
}

/* The thread that waits for a word changes from round to round. */
static int waiting_is_the_units(struct conf_ctx *c) {
  struct task t = task_of(c);
  if (!has_threads(c)) return 0;
  for (t.round = 1; t.round <= rounds_of(c); t.round++)
    CONF_PASS((t.round + c->me) % 2 == 0 ? elsewhere(&t, meet_next) : meet_next(&t));
  return conf_barrier(c);
}

const struct conf_case conf_cases_thread[] = {
    {"thread_completes_requests_of_another", 1, requests_are_the_units},
    {"thread_flushes_what_another_has_posted", 1, flush_is_the_units},
    {"thread_waits_in_place_of_another", 1, waiting_is_the_units},
    {NULL, 0, NULL},
};
