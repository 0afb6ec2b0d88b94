/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_all.c - the heap that messages take:
 *
 *   msg_all ROUNDS MOST       all units exchange messages with all others, AT_A_TIME of them at a
 *                             time; they take at most MOST bytes of each unit's heap
 *   msg_all ROUNDS MOST one   all units send messages to unit 0, whose heap is meant
 *   msg_all ROUNDS MOST late  unit 0 sends ROUNDS long messages to unit 1, one after the other,
 *                             while those to all others wait for their receives */
#include <inttypes.h>
#include <string.h>

#include "programs/api_check.h"

#define AT_A_TIME 16u
#define LONG 8192u

static uint32_t me, n;

static uint64_t value(uint32_t from, uint32_t to, uint64_t round) {
  return round << 40 | (uint64_t)from << 20 | to;
}

static uint64_t heap_free(void) {
  eyot_heap_info_t info;
  OK(eyot_heap_info(&info));
  return info.largest_free;
}

/* With the units at distances [first, end) from this one. */
static void exchange(uint32_t first, uint32_t end, uint64_t round) {
  uint64_t in[AT_A_TIME];
  eyot_msg_t h[AT_A_TIME];
  for (uint32_t i = first; i < end; i++)
    OK(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){(me + n - i) % n}, 1, &in[i - first], 8,
                    &h[i - first]));
  for (uint32_t i = first; i < end; i++) {
    uint32_t to = (me + i) % n;
    uint64_t out = value(me, to, round);
    OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){to}, 1, &out, 8));
  }
  OK(eyot_msg_wait_all(h, end - first, NULL));
  for (uint32_t i = first; i < end; i++) CHECK(in[i - first] == value((me + n - i) % n, me, round));
}

static void gather(uint64_t round) {
  uint64_t v = value(me, 0, round);
  if (me != 0) OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, &v, 8));
  for (uint32_t i = 1; me == 0 && i < n; i++) {
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){i}, 1, &v, 8, NULL));
    CHECK(v == value(i, 0, round));
  }
}

static void late(uint64_t rounds) {
  static char bytes[LONG];
  for (uint32_t i = 2; me == 0 && i < n; i++)
    OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){i}, 1, bytes, LONG));
  for (uint64_t r = 0; me == 0 && r < rounds; r++) {
    OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 1, bytes, LONG));
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 1, NULL, 0, NULL));
  }
  for (uint64_t r = 0; me == 1 && r < rounds; r++) {
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, bytes, LONG, NULL));
    OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, NULL, 0));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (me > 1) OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, bytes, LONG, NULL));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 3 || argc == 4);
  me = eyot_me().id;
  n = eyot_size();
  uint64_t rounds = strtoull(argv[1], NULL, 10), most = strtoull(argv[2], NULL, 10);
  const uint64_t before = heap_free();
  const bool is_late = argc == 4 && strcmp(argv[3], "late") == 0;
  if (is_late) late(rounds);
  for (uint64_t r = 0; r < rounds && argc == 4 && !is_late; r++) gather(r);
  for (uint64_t r = 0; r < rounds && argc == 3; r++)
    for (uint32_t i = 1; i < n; i += AT_A_TIME)
      exchange(i, i + AT_A_TIME < n ? i + AT_A_TIME : n, r);
  const uint64_t taken = before - heap_free();
  if (taken > most)
    fprintf(stderr, "msg_all: %" PRIu64 " bytes of the heap, expected at most %" PRIu64 "\n", taken,
            most);
  CHECK(taken <= most);
  return finish();
}
