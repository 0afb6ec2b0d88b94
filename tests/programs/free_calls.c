/* SPDX-License-Identifier: BSD-3-Clause */
/* free_calls.c - where calls cost nothing (--platform xc40:local=0), loops of tests end after as
 * many calls as elsewhere, and so does a loop of orders that looks at a word.
 *
 * free_calls [WAY] */
#include <string.h>
#include <time.h>

#include "programs/api_check.h"

enum { LATE_NS = 20000, MOST = 100000 }; /* calls; of 1 ps each they would be 20 million */

static uint64_t now_ns(void) {
  struct timespec t;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct world {
  uint32_t me, n, calls;
  eyot_gptr_t words; /* one on each unit */
};
static const eyot_tunit_t FIRST = {0};

static eyot_gptr_t word_of(const struct world *w, uint32_t unit) {
  return eyot_gptr_at(w->words, (eyot_unit_t){unit});
}

static void counted(struct world *w) {
  CHECK(++w->calls < MOST);
}

static void collective(struct world *w) {
  uint64_t one = 1, sum = 0;
  eyot_coll_t h;
  bool done = false;
  OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1, &h));
  for (; !done; counted(w)) OK(eyot_coll_test(&h, &done));
  CHECK(sum == w->n);
}

static void barrier(struct world *w) {
  bool done = false;
  OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  for (; !done; counted(w)) OK(eyot_barrier_test(EYOT_TEAM_ALL, NULL, &done));
}

static void send_all(const struct world *w) {
  for (uint32_t i = 1; i < w->n; i++)
    OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){i}, 1, &i, sizeof i));
}

static void message(struct world *w) {
  uint32_t got;
  eyot_msg_t h;
  bool done = false;
  if (w->me == 0) {
    send_all(w);
    return;
  }
  OK(eyot_recv_nb(EYOT_TEAM_ALL, FIRST, 1, &got, sizeof got, &h));
  for (; !done; counted(w)) OK(eyot_msg_test(&h, &done, NULL));
  CHECK(got == w->me);
}

static void probe(struct world *w) {
  uint32_t got;
  bool found = false;
  if (w->me == 0) {
    send_all(w);
    return;
  }
  for (; !found; counted(w)) OK(eyot_iprobe(EYOT_TEAM_ALL, FIRST, 1, &found, NULL));
  OK(eyot_recv(EYOT_TEAM_ALL, FIRST, 1, &got, sizeof got, NULL));
}

static void transfer(struct world *w) {
  enum { BYTES = 100000 };
  static char buffer[BYTES];
  eyot_gptr_t there;
  eyot_handle_t h;
  bool done = false;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &there));
  OK(eyot_put_nb(eyot_gptr_at(there, (eyot_unit_t){(w->me + 1) % w->n}), buffer, BYTES, &h));
  for (; !done; counted(w)) OK(eyot_test(&h, EYOT_REMOTE, &done));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(there));
}

static void signal_all(const struct world *w) {
  for (uint32_t i = 1; i < w->n; i++)
    OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, word_of(w, i), EYOT_SIGNAL_SET, 1));
}

static void word(struct world *w) {
  bool done = false;
  if (w->me == 0) signal_all(w);
  for (; w->me > 0 && !done; counted(w))
    OK(eyot_test_until(word_of(w, w->me), EYOT_CMP_GE, 1, NULL, &done));
}

/* By a plain load, which another unit changes while this one orders. */
static void order(struct world *w) {
  void *at;
  if (w->me == 0) signal_all(w);
  OK(eyot_gptr_addr(word_of(w, w->me), &at));
  for (; w->me > 0 && *(volatile uint64_t *)at == 0; counted(w)) OK(eyot_order_all());
}

static void reads(struct world *w) {
  uint64_t end = now_ns() + LATE_NS;
  for (; now_ns() < end; counted(w)) continue;
  CHECK(now_ns() < end + LATE_NS / 100);
}

static void progress(struct world *w) {
  uint64_t end = now_ns() + LATE_NS;
  for (; now_ns() < end; counted(w)) OK(eyot_progress());
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(struct world *w);
  } WAYS[] = {{"collective", collective}, {"barrier", barrier},   {"message", message},
              {"probe", probe},           {"transfer", transfer}, {"word", word},
              {"order", order},           {"reads", reads},       {"progress", progress}};
  OK(eyot_init(&argc, &argv));
  struct world w = {.me = eyot_me().id, .n = eyot_size()};
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
    if (argc > 1 && strcmp(argv[1], WAYS[i].name) != 0) continue;
    OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &w.words));
    w.calls = 0;
    if (w.me == 0) OK(eyot_compute(LATE_NS));
    WAYS[i].run(&w);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_team_free(w.words));
  }
  return finish();
}
