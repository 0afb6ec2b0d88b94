/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign.c - a program of campaigns (eyotrun --seeds): campaign EVERY REMAINDER [MS [CODE]].
 * Fails with code 9, or CODE, from each seed that leaves this remainder when divided by EVERY;
 * EVERY 0: never. Sleeps so many milliseconds, of wall time with --clock real, so that a campaign
 * can be killed in its middle. */
#include <stdlib.h>
#include <unistd.h>

#include "programs/api_check.h"

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc >= 3);
  const char *text = getenv("EYOT_SEED");
  unsigned long long seed = text != NULL ? strtoull(text, NULL, 10) : 1;
  unsigned long long every = strtoull(argv[1], NULL, 10), remainder = strtoull(argv[2], NULL, 10);
  if (argc > 3 && eyot_me().id == 0) (void)usleep((useconds_t)atoi(argv[3]) * 1000);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (every > 0 && seed % every == remainder && eyot_me().id == 1) {
    printf("bad seed %llu\n", seed);
    eyot_abort(argc > 4 ? atoi(argv[4]) : 9, "the test wants it");
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
