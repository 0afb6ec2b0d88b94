/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_two_roots.c - broadcasts between nodes over MPI, of which one member calls with a root and a
 * length of its own: two messages come to one place of each receiver. A receiver gets the bytes of
 * its root, or EMISMATCH, and not another member's bytes with success. Prints ok.
 *
 * coll_two_roots [ROUNDS]: before each the right call is made once or more, so that its plan is
 * kept. */
#include <string.h>

#include "programs/api_check.h"

#define RIGHT 40u
#define WRONG 144u

static uint32_t me, n;

static char byte_of(uint32_t round, uint32_t member) {
  return (char)(round * 16 + member + 1);
}

static void right_call(uint32_t round, uint32_t root) {
  char b[RIGHT];
  memset(b, byte_of(round, me), sizeof b);
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){root}, b, sizeof b));
  CHECK(b[0] == byte_of(round, root) && b[RIGHT - 1] == b[0]);
}

/* The member `wrong` names itself as the root. */
static void calls_that_differ(uint32_t round, uint32_t root, uint32_t wrong) {
  char b[WRONG];
  memset(b, byte_of(round, me), sizeof b);
  bool differs = me == wrong;
  eyot_tunit_t from = {differs ? wrong : root};
  int rc = eyot_broadcast(EYOT_TEAM_ALL, from, b, differs ? WRONG : RIGHT);
  CHECK(rc == EYOT_OK || rc == EYOT_EMISMATCH);
  for (uint32_t i = 0; i < RIGHT && rc == EYOT_OK && !differs; i++)
    if (b[i] != byte_of(round, root)) {
      fprintf(stderr, "unit %u: round %u: EYOT_OK, and byte %u is that of member %u, not of %u\n",
              me, round, i, (uint32_t)(uint8_t)(b[i] - byte_of(round, 0)), root);
      eyot_abort(1, "a broadcast has another member's bytes");
    }
  for (uint32_t i = RIGHT; i < WRONG; i++) CHECK(b[i] == byte_of(round, me));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 8;
  me = eyot_me().id, n = eyot_size();
  CHECK(n > 1);
  for (uint32_t round = 0; round < rounds; round++) {
    uint32_t root = (n - 1 + round) % n, wrong = (root + n - 1) % n;
    uint64_t one = 1, all = 0;
    for (uint32_t i = 0; i <= round % 3; i++) right_call(round, root);
    calls_that_differ(round, root, wrong);
    CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &all, 1) == EYOT_EMISMATCH);
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &all, 1));
    CHECK(all == n);
  }
  return finish();
}
