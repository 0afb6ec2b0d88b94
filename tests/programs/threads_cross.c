/* SPDX-License-Identifier: BSD-3-Clause */
/* threads_cross.c - two threads of each of two units, each with a team of its own: unit 0 waits in
 * a call of the first team, unit 1 in one of the second, for seconds. It is no circle, because the
 * other thread of each comes to the call at last. */
#include <pthread.h>
#include <time.h>

#include "programs/api_check.h"

#define SECONDS 3

static eyot_team_t team[2];

static void *run(void *arg) {
  const size_t which = *(const size_t *)arg;
  uint64_t one = 1, sum = 0;
  if (which != eyot_me().id) (void)nanosleep(&(struct timespec){.tv_sec = SECONDS}, NULL);
  OK(eyot_allreduce(team[which], EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  CHECK(sum == 2);
  return NULL;
}

int main(int argc, char **argv) {
  static const size_t WHICH[2] = {0, 1};
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  pthread_t thread[2];
  attr.threads = EYOT_THREAD_MULTIPLE;
  OK(eyot_init_with(&argc, &argv, &attr));
  CHECK(eyot_size() == 2);
  for (int i = 0; i < 2; i++) OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team[i]));
  for (int i = 0; i < 2; i++)
    CHECK(pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)&WHICH[i]) == 0);
  for (int i = 0; i < 2; i++) CHECK(pthread_join(thread[i], NULL) == 0);
  for (int i = 0; i < 2; i++) OK(eyot_team_destroy(&team[i]));
  return finish();
}
