/* SPDX-License-Identifier: BSD-3-Clause */
/* bad_end.c - programs in which units wait in vain, and programs that use what all units of a
 * process share: bad_end WAY. mutual: units 0 and 1 each wait for a signal of the other; skip: unit
 * 1 leaves out a collective; print: every unit prints LINES lines; stdin: unit 0 reads a line;
 * raise: unit 1 raises SIGTERM. */
#include <signal.h>
#include <string.h>

#include "programs/api_check.h"

#define LINES 3000

static void mutual(void) {
  eyot_gptr_t word;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &word));
  OK(eyot_phase("trading"));
  if (eyot_me().id < 2) OK(eyot_wait_until(eyot_gptr_at(word, eyot_me()), EYOT_CMP_GE, 5, NULL));
}

static void read_line(void) {
  char line[100] = "nothing\n";
  if (eyot_me().id == 0 && fgets(line, sizeof line, stdin) != NULL) printf("unit 0 read %s", line);
}

int main(int argc, char **argv) {
  const char *way = argc == 2 ? argv[1] : "";
  OK(eyot_init(&argc, &argv));
  if (strcmp(way, "mutual") == 0) mutual();
  if (strcmp(way, "skip") == 0 && eyot_me().id != 1) {
    uint64_t word = 0;
    OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &word, sizeof word));
  }
  if (strcmp(way, "stdin") == 0) read_line();
  if (strcmp(way, "raise") == 0 && eyot_me().id == 1) raise(SIGTERM);
  if (strcmp(way, "print") == 0)
    for (int i = 0; i < LINES; i++) printf("unit %u line %d of %d\n", eyot_me().id, i, LINES);
  return finish();
}
