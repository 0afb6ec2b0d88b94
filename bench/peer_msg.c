/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_msg.c - the ping-pongs and streams of the suite `messages` by the messages of an MPI that
 * eyot does not run on in that suite: Open MPI's. Built where it is installed.
 *
 *   mpiexec.openmpi -n 2 peer_msg ROUNDS CASE WAY     lines `value CASE_WHAT_WAY time ns NUMBER` */
#include <string.h>

#include "msg_rows.h"

static char out[MSG_MIB], in[MSG_MIB];
static int me;

static void peer_send(int way, uint64_t bytes) {
  (void)way;
  msg_mpi_send(me, out, bytes);
}
static void peer_recv(int way, uint64_t bytes) {
  (void)way;
  msg_mpi_recv(me, in, bytes);
}
static void peer_change(int way, uint64_t bytes, bool before) {
  (void)way;
  if (before) msg_touch(out, bytes);
}
static void peer_post(int way, uint64_t bytes, int slot) {
  (void)way;
  msg_mpi_post(me, out, in, bytes, slot);
}
static void peer_complete(int way) {
  (void)way;
  msg_mpi_complete();
}
static void peer_meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int n;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  int rounds = argc > 3 ? atoi(argv[1]) : 0;
  if (n != 2 || rounds < 1 || rounds > MSG_ROUNDS_MOST) {
    fprintf(stderr, "peer_msg: expected 2 processes, 1..%d rounds, a case and a way\n",
            MSG_ROUNDS_MOST);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  memset(out, 1, sizeof out);
  memset(in, 1, sizeof in);
  const char *const names[] = {argv[3]};
  const struct msg_rows rows = {.me = me,
                                .rounds = rounds,
                                .name = argv[2],
                                .names = names,
                                .end = 1,
                                .stream_end = 1,
                                .send = peer_send,
                                .recv = peer_recv,
                                .change = peer_change,
                                .post = peer_post,
                                .complete = peer_complete,
                                .meet = peer_meet};
  msg_rows(&rows);
  return MPI_Finalize();
}
