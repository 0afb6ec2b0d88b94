/* SPDX-License-Identifier: BSD-3-Clause */
/* file_limit.c - unit 0 sets the limit of a file's size to 0 bytes, which is that of the simulator
 * too, in whose process it runs; then all units end well (file_limit end), or wait for each other
 * (stuck). For what is written at the end of a run. */
#include <string.h>
#include <sys/resource.h>

#include "programs/api_check.h"

int main(int argc, char **argv) {
  uint64_t word;
  const struct rlimit none = {0, RLIM_INFINITY};
  OK(eyot_init(&argc, &argv));
  const char *how = argc > 1 ? argv[1] : "";
  if (eyot_me().id == 0) CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (strcmp(how, "stuck") == 0)
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, &word, sizeof word, NULL));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
