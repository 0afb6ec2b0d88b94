/* SPDX-License-Identifier: BSD-3-Clause */
/* progress_woken.c - wakes sleeping progress processes over and over: progress_woken ROUNDS.
 *
 * Each unit hands over one short transfer at a time, some at once and some after a pause, and waits
 * for it. With EYOTI_MPI_SERVER_IDLE=sleep progress processes sleep whenever they have nothing to
 * do, so nearly each transfer has to wake one, and many come while it falls asleep. In jobs of one
 * node it then sleeps until the wakeup, so one lost wakeup stops the test for good. */
#include <time.h>

#include "programs/api_check.h"

static void pause_for(uint64_t dice) {
  if (dice % 64 == 0)
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  else if (dice % 2 == 0)
    /* up to some microseconds: as long as it takes to fall asleep */
    for (volatile uint64_t i = 0; i < dice % 4096; i++) continue;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2);
  uint32_t me = eyot_me().id, n = eyot_size();
  uint64_t rounds = strtoull(argv[1], NULL, 10), rng = me + 1;
  eyot_gptr_t words; /* [0]: written by the unit before; [1]: the value that this unit sends */
  uint64_t *here;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 2 * sizeof(uint64_t), &words));
  OK(eyot_gptr_addr(eyot_gptr_at(words, (eyot_unit_t){me}), (void **)&here));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  eyot_gptr_t there = eyot_gptr_at(words, (eyot_unit_t){(me + 1) % n});
  for (uint64_t round = 1; round <= rounds; round++) {
    eyot_handle_t handle;
    uint64_t back;
    here[1] = round << 32 | me;
    OK(eyot_put_nb(there, &here[1], sizeof here[1], &handle));
    pause_for(draw(&rng) >> 8);
    OK(eyot_wait(&handle, EYOT_REMOTE));
    OK(eyot_get(&back, there, sizeof back));
    CHECK(back == (round << 32 | me));
    pause_for(draw(&rng) >> 8);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  CHECK(here[0] == (rounds << 32 | (me + n - 1) % n));
  OK(eyot_team_free(words));
  return finish();
}
