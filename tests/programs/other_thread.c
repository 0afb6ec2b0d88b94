/* SPDX-License-Identifier: BSD-3-Clause */
/* other_thread.c - a thread of unit 0 that did not start eyot calls it, and is refused. */
#include <pthread.h>

#include "programs/api_check.h"

static void *call(void *arg) {
  int *code = arg;
  code[0] = eyot_init(NULL, NULL);
  code[1] = eyot_barrier(EYOT_TEAM_ALL);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t other;
  int code[2] = {0, 0};
  OK(eyot_init(&argc, &argv));
  if (eyot_me().id == 0) {
    CHECK(pthread_create(&other, NULL, call, code) == 0 && pthread_join(other, NULL) == 0);
    CHECK(code[0] == EYOT_ETHREAD && code[1] == EYOT_ETHREAD);
  }
  return finish();
}
