/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_threads.c - two-sided messages by several threads of a unit at once, on mpi: each thread
 * sends and receives messages of its own tag between two units, short, long and synchronous ones,
 * while the others wait for theirs.
 *
 *   msg_threads [messages] */
#include <pthread.h>

#include "programs/api_check.h"

#define THREADS 3
#define WORDS 500u

static uint32_t me;
static uint64_t times = 500;

static void send(int32_t tag, uint64_t i, const uint64_t *words, uint64_t bytes) {
  const eyot_tunit_t other = {1 - me};
  if (i % 3 == 0)
    OK(eyot_ssend(EYOT_TEAM_ALL, other, tag, words, bytes));
  else
    OK(eyot_send(EYOT_TEAM_ALL, other, tag, words, bytes));
}

static void *run(void *arg) {
  const int32_t tag = *(const int32_t *)arg;
  uint64_t words[WORDS] = {0};
  for (uint64_t i = 0; i < times; i++) {
    eyot_msg_status_t s;
    const uint64_t value = 10 * i + (uint64_t)tag, bytes = i % 7 == 0 ? sizeof words : 8;
    words[0] = value;
    if (me == 0) send(tag, i, words, bytes);
    OK(eyot_recv(EYOT_TEAM_ALL, EYOT_ANY_UNIT, tag, words, sizeof words, &s));
    CHECK(s.bytes == bytes && s.tag == tag && s.from.id == 1 - me);
    CHECK(words[0] == value + (me == 0));
    words[0] = value + 1;
    if (me == 1) send(tag, i + 1, words, bytes);
  }
  return NULL;
}

int main(int argc, char **argv) {
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  pthread_t thread[THREADS];
  int32_t tag[THREADS];
  attr.threads = EYOT_THREAD_MULTIPLE;
  OK(eyot_init_with(&argc, &argv, &attr));
  me = eyot_me().id;
  if (argc > 1) times = strtoull(argv[1], NULL, 10);
  CHECK(eyot_size() == 2);
  for (int i = 0; i < THREADS; i++) {
    tag[i] = i + 1;
    CHECK(pthread_create(&thread[i], NULL, run, &tag[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(thread[i], NULL) == 0);
  return finish();
}
