/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamic_served.c - two units over MPI: a unit whose attached memory the other reads works, and
 * only tests for a word now and then. Each test enters MPI, where alone such memory is served on
 * one node, so that a read takes few of them. */
#include <time.h>

#include "programs/api_check.h"

#define GETS 20u
#define TESTS_MOST 32u /* for a get, on average; it takes about 5 */

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  static uint64_t memory = 42;
  eyot_dynamic_t d;
  eyot_gptr_t words, there;
  uint64_t address = (uint64_t)(uintptr_t)&memory, tests = 0, got = 0;
  OK(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &d));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &words));
  if (eyot_me().id == 0) OK(eyot_dynamic_attach(d, &memory, sizeof memory, &there));
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &address, sizeof address));
  eyot_gptr_t done = eyot_gptr_at(words, (eyot_unit_t){0});
  if (eyot_me().id == 1) {
    OK(eyot_dynamic_gptr(d, (eyot_unit_t){0}, address, &there));
    for (uint32_t i = 0; i < GETS; i++, got = 0) {
      OK(eyot_get(&got, there, sizeof got));
      CHECK(got == 42);
    }
    OK(eyot_put_signal(words, NULL, 0, done, EYOT_SIGNAL_SET, 1));
  }
  for (bool over = false; eyot_me().id == 0 && !over; tests++) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    OK(eyot_test_until(done, EYOT_CMP_EQ, 1, NULL, &over));
  }
  CHECK(tests < GETS * TESTS_MOST);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) OK(eyot_dynamic_detach(d, &memory));
  OK(eyot_dynamic_destroy(&d));
  OK(eyot_team_free(words));
  if (eyot_me().id == 0) printf("ok\n");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
