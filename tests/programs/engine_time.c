/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_time.c - virtual time: the calls that advance it, timeouts, waits that are satisfied, and
 * progress of polling in any form. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond)                                                                     \
  do {                                                                                  \
    if (!(cond)) {                                                                      \
      fprintf(stderr, "%s:%d: unit %u: %s\n", __FILE__, __LINE__, eyot_me().id, #cond); \
      eyot_abort(1, "engine_time");                                                     \
    }                                                                                   \
  } while (0)

static void compute_counts_exactly(void) {
  uint64_t before = eyot_now_ns();
  CHECK(eyot_compute(5000) == EYOT_OK);
  uint64_t after = eyot_now_ns();
  CHECK(after >= before + 5000 && after < before + 6000);
}

static void timeout_passes(eyot_gptr_t word) {
  uint64_t before = eyot_now_ns(), seen = 99;
  CHECK(eyot_wait_until_timeout(word, EYOT_CMP_EQ, 1, 7000, &seen) == EYOT_ETIMEOUT);
  uint64_t after = eyot_now_ns();
  CHECK(seen == 99 && after >= before + 7000 && after < before + 8000);
  CHECK(eyot_wait_until_timeout(word, EYOT_CMP_EQ, 0, 7000, &seen) == EYOT_OK && seen == 0);
  CHECK(eyot_now_ns() < after + 1000);
}

/* The neighbor's signal comes before the timeout, and the timeout's event must not wake any unit
 * later. */
static void signal_beats_timeout(eyot_gptr_t mine, eyot_gptr_t next) {
  uint64_t seen;
  CHECK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, next, EYOT_SIGNAL_SET, 5) == EYOT_OK);
  CHECK(eyot_wait_until_timeout(mine, EYOT_CMP_EQ, 5, 50000, &seen) == EYOT_OK && seen == 5);
  uint64_t before = eyot_now_ns();
  CHECK(eyot_compute(100000) == EYOT_OK);
  CHECK(eyot_now_ns() >= before + 100000);
}

static void polling_gets_on(eyot_gptr_t mine, eyot_gptr_t next) {
  uint64_t seen;
  bool done = false;
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  CHECK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, next, EYOT_SIGNAL_ADD, 1) == EYOT_OK);
  while (!done) CHECK(eyot_test_until(mine, EYOT_CMP_EQ, 6, &seen, &done) == EYOT_OK);
  eyot_handle_t h;
  CHECK(eyot_get_nb(&seen, next, sizeof seen, &h) == EYOT_OK);
  for (done = false; !done;) CHECK(eyot_test(&h, EYOT_REMOTE, &done) == EYOT_OK);
  CHECK(seen == 5 || seen == 6);
}

int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  eyot_gptr_t words;
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &words) == EYOT_OK);
  eyot_gptr_t mine = words, next = words;
  mine.unit = eyot_me().id;
  next.unit = (eyot_me().id + 1) % eyot_size();
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  compute_counts_exactly();
  timeout_passes(mine);
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  signal_beats_timeout(mine, next);
  polling_gets_on(mine, next);
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  if (eyot_me().id == 0) printf("engine_time: ok on %u units\n", eyot_size());
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
