/* SPDX-License-Identifier: BSD-3-Clause */
/* pictures.c - pictures WAY ...: runs that fail, for pictures of eyotcheck (tests/sim/pictures.sh):
 * texts that mean something to the files' formats, long runs, races, standstills. */
#include <string.h>

#include "programs/api_check.h"

enum { WORDS = 64, ROUNDS = 200 };
static eyot_gptr_t part;

static eyot_gptr_t at(uint32_t unit, uint64_t word) {
  return eyot_gptr_add(eyot_gptr_at(part, (eyot_unit_t){unit}), (int64_t)(8 * word));
}

static void send(uint32_t unit, uint64_t value) {
  OK(eyot_put_signal(at(unit, 8), &value, 8, at(unit, 0), EYOT_SIGNAL_SET, 1));
}

/* All units but 0 and 1 put into words of their own, often. Then unit 2 sends a signal to unit 1,
 * that one to unit 0, which fails: the others have nothing to do with it. */
static void busy(const char *text) {
  uint64_t value = 1;
  uint32_t me = eyot_me().id;
  for (int i = 0; me > 1 && i < ROUNDS; i++) {
    OK(eyot_put_nbi(at(me, 1 + (uint64_t)i % 8), &value, sizeof value));
    OK(eyot_flush_all(EYOT_REMOTE));
  }
  if (me < 2) OK(eyot_wait_until(at(me, 0), EYOT_CMP_EQ, 1, NULL));
  if (me == 1 || me == 2) send(me - 1, value);
  if (me == 0) eyot_check_fail("%s", text);
}

/* Unit 0 puts and tells unit 1, which reads what was put. */
static void race(void) {
  static const uint64_t value = 7; /* until the run ends: it is the source of a put */
  const uint64_t one = 1;
  uint64_t got;
  if (eyot_me().id == 0) {
    OK(eyot_put_nbi(at(0, 1), &value, sizeof value)); /* first access */
    OK(eyot_accumulate_nbi(at(1, 0), EYOT_UINT64, EYOT_SUM, &one));
  } else if (eyot_me().id == 1) {
    OK(eyot_wait_until(at(1, 0), EYOT_CMP_EQ, 1, NULL));
    OK(eyot_get(&got, at(0, 1), sizeof got)); /* second access */
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const char *way = argc > 1 ? argv[1] : "";
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8 * WORDS, &part));
  OK(eyot_check_begin());
  if (strcmp(way, "busy") == 0)
    busy(argc > 2 ? argv[2] : "it fails");
  else if (strcmp(way, "race") == 0)
    race();
  else if (strcmp(way, "stuck") == 0)
    OK(eyot_wait_until(at(eyot_me().id, 3), EYOT_CMP_EQ, 5, NULL));
  OK(eyot_check_end());
  OK(eyot_team_free(part));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
