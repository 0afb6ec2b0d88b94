/* SPDX-License-Identifier: BSD-3-Clause */
/* threads_coll.c - several threads of each unit call collectives, each on a team of its own.
 *
 * Why it exists: a call that waits lets the other threads in. They may take space that it has
 * reserved (nb), and what one thread waits for may need a call of another thread of the other unit
 * (long: blocks that its receiver must allow).
 *
 * threads_coll nb|long|mixed STEPS */
#include <pthread.h>
#include <string.h>

#include "programs/api_check.h"

#define THREADS 4
#define WORDS 5000u

static eyot_team_t team[THREADS];
static bool blocking, only_blocking;
static uint64_t steps;

static void fill(uint64_t *words, uint64_t n, uint64_t seed) {
  for (uint64_t i = 0; i < n; i++) words[i] = i * 7 + seed;
}
static void check(const uint64_t *words, uint64_t n, uint64_t seed) {
  for (uint64_t i = 0; i < n; i++) CHECK(words[i] == i * 7 + seed);
}

static void step_long(eyot_team_t t, uint32_t me, uint32_t size, uint64_t i, uint64_t *in) {
  const uint32_t root = (uint32_t)(i % size);
  const uint64_t n = 1 + i * 131 % WORDS;
  uint64_t one = 1, sum = 0;
  fill(in, n, me == root ? i : 0);
  OK(eyot_allreduce(t, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  CHECK(sum == size);
  OK(eyot_broadcast(t, (eyot_tunit_t){root}, in, 8 * n));
  check(in, n, i);
}

/* A message goes round while the collective goes on. */
static void step_nb(eyot_team_t t, uint32_t me, uint32_t size, uint64_t i, uint64_t *in,
                    uint64_t *out) {
  const uint64_t n = 1 + i * 131 % WORDS;
  eyot_coll_t op;
  uint64_t word = me + i, got = 0;
  const eyot_tunit_t next = {(me + 1) % size}, before = {(me + size - 1) % size};
  fill(in, n, i);
  OK(eyot_allreduce_nb(t, EYOT_UINT64, EYOT_MAX, in, out, n, &op));
  OK(eyot_sendrecv(t, next, 1, &word, 8, before, 1, &got, 8, NULL));
  CHECK(got == before.id + i);
  OK(eyot_coll_wait(&op));
  check(out, n, i);
}

static void *run(void *arg) {
  eyot_team_t t = *(eyot_team_t *)arg;
  eyot_tunit_t me;
  uint32_t size;
  uint64_t *in = malloc(8 * WORDS), *out = malloc(8 * WORDS);
  CHECK(in != NULL && out != NULL);
  OK(eyot_team_me(t, &me));
  OK(eyot_team_size(t, &size));
  for (uint64_t i = 0; i < steps; i++) {
    if (blocking) step_long(t, me.id, size, i, in);
    if (!only_blocking) step_nb(t, me.id, size, i, in, out);
  }
  free(in);
  free(out);
  return NULL;
}

int main(int argc, char **argv) {
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  pthread_t thread[THREADS];
  attr.threads = EYOT_THREAD_MULTIPLE;
  OK(eyot_init_with(&argc, &argv, &attr));
  CHECK(eyot_thread_level() == EYOT_THREAD_MULTIPLE && argc == 3);
  only_blocking = strcmp(argv[1], "long") == 0;
  blocking = only_blocking || strcmp(argv[1], "mixed") == 0;
  steps = strtoull(argv[2], NULL, 10);
  for (int i = 0; i < THREADS; i++) OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team[i]));
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&thread[i], NULL, run, &team[i]) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(thread[i], NULL) == 0);
  for (int i = 0; i < THREADS; i++) OK(eyot_team_destroy(&team[i]));
  return finish();
}
