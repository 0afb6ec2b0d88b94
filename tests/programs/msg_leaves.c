/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_leaves.c - a message whose eyot_send has returned reaches a receiver that waits for it,
 * although its sender makes no further call of eyot: it computes until the receiver has made a
 * file, and fails after half a minute.
 *
 *   eyotrun --fabric mpi -n 2 msg_leaves FILE [BYTES heap|private]      FILE is not there */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "programs/api_check.h"

#define SECONDS 30

static void compute_until_there(const char *name) {
  time_t begin = time(NULL);
  while (access(name, F_OK) != 0 && time(NULL) - begin < SECONDS) continue;
  CHECK(access(name, F_OK) == 0);
  CHECK(unlink(name) == 0);
}

static void leaves(const char *name, eyot_tunit_t other, unsigned char *bytes, uint64_t n) {
  if (eyot_me().id == 0) {
    eyot_msg_t handle;
    memset(bytes, 0x5a, n);
    OK(eyot_send_nb(EYOT_TEAM_ALL, other, 2, bytes, n, &handle));
    compute_until_there(name);
    OK(eyot_msg_wait(&handle, NULL));
  } else {
    memset(bytes, 0, n);
    OK(eyot_recv(EYOT_TEAM_ALL, other, 2, bytes, n, NULL));
    for (uint64_t i = 0; i < n; i++) CHECK(bytes[i] == 0x5a);
    FILE *f = fopen(name, "w");
    CHECK(f != NULL && fclose(f) == 0);
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK((argc == 2 || argc == 4) && eyot_size() == 2);
  uint64_t n = argc == 4 ? strtoull(argv[2], NULL, 10) : 8;
  bool heap = argc == 4 && strcmp(argv[3], "heap") == 0;
  eyot_tunit_t other = {1 - eyot_me().id};
  uint64_t sent = 0, got = 0;
  eyot_gptr_t mem;
  void *bytes;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, n, &mem));
  OK(eyot_gptr_addr(eyot_gptr_at(mem, eyot_me()), &bytes));
  unsigned char *own = malloc(n);
  CHECK(own != NULL);
  /* the first messages of a pair wait for answers */
  for (int i = 0; i < 8; i++)
    OK(eyot_sendrecv(EYOT_TEAM_ALL, other, 1, &sent, 8, other, 1, &got, 8, NULL));
  leaves(argv[1], other, heap ? bytes : own, n);
  free(own);
  OK(eyot_team_free(mem));
  return finish();
}
