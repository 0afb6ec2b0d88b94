/* SPDX-License-Identifier: BSD-3-Clause */
/* open_end.c OPEN HOW - unit 1 leaves the run in the midst of something of eyot's that goes on in
 * later calls: a collective, a split-phase barrier, a receive, counting; or nothing. */
#include <eyot/eyot.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int begin(const char *open) {
  static double in[8], out[8];
  static eyot_coll_t coll;
  static eyot_msg_t message;
  static char buffer[8];
  if (strcmp(open, "coll") == 0)
    return eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, in, out, 8, &coll);
  if (strcmp(open, "barrier") == 0) return eyot_barrier_notify(EYOT_TEAM_ALL, NULL);
  if (strcmp(open, "recv") == 0)
    return eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, buffer, sizeof buffer, &message);
  if (strcmp(open, "count") == 0) return eyot_count_begin();
  return strcmp(open, "nothing") == 0 ? EYOT_OK : EYOT_EINVAL;
}

int main(int argc, char **argv) {
  if (argc != 3 || eyot_init(&argc, &argv) != EYOT_OK) return 9;
  if (begin(argv[1]) != EYOT_OK) return 8;
  if (eyot_me().id == 1) {
    if (strcmp(argv[2], "crash") == 0) raise(SIGSEGV);
    if (strcmp(argv[2], "abort") == 0) abort();
    exit(atoi(argv[2]));
  }
  return eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK || eyot_finalize() != EYOT_OK;
}
