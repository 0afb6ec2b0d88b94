/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_knock.c - first messages of units that a fault ends: what the receiver is told.
 *
 *   msg_knock lost [any]      unit 0 receives when all have sent
 *   msg_knock unlinked [any]  it waits before the last one sends
 *   msg_knock probe           it probes for the message of the last one
 *
 * Each unit sends its first message to unit 0, the last unit after the others. Unit 0 receives
 * them in the order of the units, or from any unit. */
#include <string.h>

#include "programs/api_check.h"

#define LATE_NS 100000u /* the last unit sends */
#define TAKES_NS 300000u

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const uint32_t me = eyot_me().id, last = eyot_size() - 1;
  const char *what = argc > 1 ? argv[1] : "";
  const bool any = argc > 2 && strcmp(argv[2], "any") == 0;
  uint64_t v = me;
  if (me == last) OK(eyot_compute(LATE_NS));
  if (me != 0) OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 7, &v, sizeof v));
  if (me == last) OK(eyot_compute(LATE_NS)); /* its crash is here at the latest */
  if (me != 0) return finish();
  if (strcmp(what, "lost") == 0) OK(eyot_compute(TAKES_NS));
  if (strcmp(what, "probe") == 0) OK(eyot_probe(EYOT_TEAM_ALL, (eyot_tunit_t){last}, 7, NULL));
  for (uint32_t i = 1; i <= last; i++) {
    const eyot_tunit_t from = any ? EYOT_ANY_UNIT : (eyot_tunit_t){i};
    OK(eyot_recv(EYOT_TEAM_ALL, from, 7, &v, sizeof v, NULL));
    if (i < last) printf("received from unit %u\n", (unsigned)v);
  }
  return finish();
}
