/* SPDX-License-Identifier: BSD-3-Clause */
/* prints.c - each unit prints lines, in the order of units. prints LINES */
#include "programs/api_check.h"

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  int lines = argc > 1 ? atoi(argv[1]) : 1;
  for (uint32_t i = 0; i < eyot_size(); i++) {
    for (int k = 0; i == eyot_me().id && k < lines; k++) printf("line %d of unit %u\n", k, i);
    fflush(stdout);
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
