/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_leaves.c - a message whose eyot_send has returned reaches a receiver that waits for it,
 * although its sender makes no further call of eyot: it computes until the receiver has made a
 * file, and fails after a minute.
 *
 *   eyotrun --fabric mpi -n 2 msg_leaves FILE      FILE is not there */
#include <time.h>
#include <unistd.h>

#include "programs/api_check.h"

#define SECONDS 60

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2 && eyot_size() == 2);
  const char *name = argv[1];
  eyot_tunit_t other = {1 - eyot_me().id};
  uint64_t sent = 0, got = 0;
  /* the first messages of a pair wait for answers */
  for (int i = 0; i < 8; i++)
    OK(eyot_sendrecv(EYOT_TEAM_ALL, other, 1, &sent, 8, other, 1, &got, 8, NULL));
  if (eyot_me().id == 0) {
    time_t begin = time(NULL);
    OK(eyot_send(EYOT_TEAM_ALL, other, 2, &sent, 8));
    while (access(name, F_OK) != 0 && time(NULL) - begin < SECONDS) continue;
    CHECK(access(name, F_OK) == 0);
    CHECK(unlink(name) == 0);
  } else {
    OK(eyot_recv(EYOT_TEAM_ALL, other, 2, &got, 8, NULL));
    FILE *f = fopen(name, "w");
    CHECK(f != NULL && fclose(f) == 0);
  }
  return finish();
}
