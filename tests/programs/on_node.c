/* SPDX-License-Identifier: BSD-3-Clause */
/* on_node.c - what an operation to unit 1 costs unit 0, in ns of virtual time, and how often two
 * units that each put to the other and then read their own word both read the old value.
 *
 * For tests/sim/on_node.sh: units of one node by memory or through the NIC (--on-node), or units of
 * two nodes. */
#include <string.h>

#include "programs/api_check.h"

#define BYTES 65536
#define ROUNDS 400

static eyot_gptr_t mem;
static unsigned char local[BYTES];
static uint64_t since_ns;

static eyot_gptr_t at(uint32_t unit) {
  return eyot_gptr_at(mem, (eyot_unit_t){unit});
}

static void say(const char *what) {
  printf("%s %lu\n", what, (unsigned long)(eyot_now_ns() - since_ns));
  OK(eyot_compute(1000000)); /* the network is idle again */
  since_ns = eyot_now_ns();
}

static void costs(void) {
  uint64_t old;
  OK(eyot_compute(1000000)); /* the barrier's last messages have come and gone */
  since_ns = eyot_now_ns();
  OK(eyot_put(at(1), local, 8));
  say("put8");
  OK(eyot_put(at(1), local, BYTES));
  say("put64k");
  OK(eyot_get(local, at(1), 8));
  say("get8");
  OK(eyot_get(local, at(1), BYTES));
  say("get64k");
  OK(eyot_fetch_add_u64(at(1), 1, &old));
  say("add");
  OK(eyot_put_nbi(at(1), local, 8));
  say("post");
  OK(eyot_flush((eyot_unit_t){1}, EYOT_REMOTE));
  say("flush");
  OK(eyot_put(at(0), local, 8));
  say("self");
}

/* Returns how many rounds ended with the old value at both units. */
static uint32_t both_old(void) {
  uint32_t me = eyot_me().id, both = 0;
  for (uint32_t i = 1; i <= ROUNDS; i++) {
    uint64_t mine = 0, value = i, seen[2];
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_put(at(1 - me), &value, 8));
    OK(eyot_get(&mine, at(me), 8));
    OK(eyot_allgather(EYOT_TEAM_ALL, &mine, seen, 8));
    both += seen[0] != i && seen[1] != i;
  }
  return both;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &mem));
  memset(local, 0, sizeof local);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) costs();
  OK(eyot_barrier(EYOT_TEAM_ALL));
  uint32_t both = both_old();
  if (eyot_me().id == 0) printf("both-old %u\n", both);
  OK(eyot_team_free(mem));
  return finish();
}
