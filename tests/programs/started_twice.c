/* SPDX-License-Identifier: BSD-3-Clause */
/* started_twice.c - two libraries of one program each start and stop eyot, as an interface on top
 * of eyot and the program itself do: the calls are counted, and the last stop ends the run. */
#include <string.h>

#include "programs/api_check.h"

/* Puts a word to the next unit, so that there is something for the first eyot_finalize to end. */
static void both(void) {
  const eyot_unit_t me = eyot_me(), next = {(me.id + 1) % eyot_size()};
  const uint64_t one = 1 + me.id;
  uint64_t seen = 0;
  eyot_gptr_t word;
  OK(eyot_init(NULL, NULL));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof seen, &word));
  OK(eyot_put_nbi(eyot_gptr_at(word, next), &one, sizeof one));
  OK(eyot_finalize()); /* local: completes the put */
  CHECK(eyot_initialized() && eyot_size() > 0);
  OK(eyot_get(&seen, eyot_gptr_at(word, next), sizeof seen));
  CHECK(seen == one);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(word));
}

/* A program that goes on, and returns 0, when eyot does not start: it asks for a heap of 1 byte
 * (refused), or of the default size. */
static int passes_over(bool refused) {
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  if (refused) attr.heap_size = 1;
  return eyot_init_with(NULL, NULL, &attr) == EYOT_OK ? eyot_finalize() : 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return passes_over(strcmp(argv[1], "refused") == 0);
  OK(eyot_init(&argc, &argv));
  both();
  int rc = finish();
  return eyot_initialized() ? 1 : rc;
}
