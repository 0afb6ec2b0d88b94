/* SPDX-License-Identifier: BSD-3-Clause */
/* leaves_mpi.c - a long message of eyot's leaves while its sender computes if one of MPI's own
 * does: MPI's and eyot's of the same bytes, one after the other; both from buffers of malloc and of
 * eyot_team_alloc. The sender computes until the receiver has made a file, or SECONDS are over.
 *
 *   eyotrun --fabric mpi -n 2 --node-size 1 leaves_mpi FILE      FILE is not there */
#include <mpi.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "programs/api_check.h"

#define SECONDS 10
#define BYTES (4 << 20)

static bool compute_until_there(const char *name) {
  time_t begin = time(NULL);
  while (access(name, F_OK) != 0 && time(NULL) - begin < SECONDS) continue;
  return access(name, F_OK) == 0;
}

static void came(const char *name) {
  FILE *f = fopen(name, "w");
  CHECK(f != NULL && fclose(f) == 0);
}

/* Unit 0: whether the message was received while it computed. */
static bool mpi_leaves(const char *name, unsigned char *bytes) {
  MPI_Request req;
  if (eyot_me().id == 1) {
    MPI_Recv(bytes, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    came(name);
    return true;
  }
  MPI_Isend(bytes, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &req);
  bool leaves = compute_until_there(name);
  MPI_Wait(&req, MPI_STATUS_IGNORE);
  return leaves;
}

static bool eyot_leaves(const char *name, unsigned char *bytes) {
  eyot_msg_t handle;
  eyot_tunit_t other = {1 - eyot_me().id};
  if (eyot_me().id == 1) {
    OK(eyot_recv(EYOT_TEAM_ALL, other, 2, bytes, BYTES, NULL));
    for (uint64_t i = 0; i < BYTES; i++) CHECK(bytes[i] == 0x5a);
    came(name);
    return true;
  }
  OK(eyot_send_nb(EYOT_TEAM_ALL, other, 2, bytes, BYTES, &handle));
  bool leaves = compute_until_there(name);
  OK(eyot_msg_wait(&handle, NULL));
  return leaves;
}

int main(int argc, char **argv) {
  eyot_gptr_t mem;
  void *mine;
  uint64_t sent = 0, got = 0;
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2 && eyot_size() == 2);
  eyot_tunit_t other = {1 - eyot_me().id};
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &mem));
  OK(eyot_gptr_addr(eyot_gptr_at(mem, eyot_me()), &mine));
  unsigned char *bytes[2] = {mine, malloc(BYTES)};
  CHECK(bytes[1] != NULL);
  for (int i = 0; i < 8; i++) /* the first messages of a pair wait for answers */
    OK(eyot_sendrecv(EYOT_TEAM_ALL, other, 1, &sent, 8, other, 1, &got, 8, NULL));
  for (int i = 0; i < 2; i++) {
    memset(bytes[i], eyot_me().id == 0 ? 0x5a : 0, BYTES);
    bool own = mpi_leaves(argv[1], bytes[i]);
    OK(eyot_barrier(EYOT_TEAM_ALL)); /* the file was made */
    if (eyot_me().id == 0) CHECK(unlink(argv[1]) == 0);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    if (eyot_me().id == 1) memset(bytes[i], 0, BYTES);
    bool leaves = eyot_leaves(argv[1], bytes[i]);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    if (eyot_me().id == 0) CHECK(unlink(argv[1]) == 0);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    if (!own) puts("MPI's own message waits for its sender");
    CHECK(leaves || !own);
  }
  free(bytes[1]);
  OK(eyot_team_free(mem));
  return finish();
}
