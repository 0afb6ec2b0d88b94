/* SPDX-License-Identifier: BSD-3-Clause */
/* file_limit.c - unit 0 sets the limit of a file's size to 0 bytes, which is that of the simulator
 * too, in whose process it runs; then all units end well (file_limit end), wait for each other
 * (stuck), print more than stdio keeps (prints), or one fails (fails). For what is written in a run
 * and at its end. */
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
  if (strcmp(how, "fails") == 0 && eyot_me().id == 1) eyot_check_fail("as it is asked to");
  for (int i = 0; i < 20000 && strcmp(how, "prints") == 0; i++) puts("a line of the program");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
