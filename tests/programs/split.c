/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - split-phase barriers whose members wait for each other between notify and wait
 * (split_ways.h), through the public API.
 *
 *   eyotrun --fabric sim -n 64 split LOCK [ROUNDS]     LOCK: a kind that locks a whole team
 *
 * Some rounds count operations, and counting begins and ends in all orders with barriers: an
 * endpoint that counts and one that makes split progress are then stacked on the fabric. */
#include "programs/api_check.h"
#include "programs/split_ways.h"
#include "support/lock_kinds.h"

static void dally(bool open) {
  (void)open;
  static const uint64_t MOST_NS = 4000;
  uint64_t random = eyot_now_ns() + eyot_me().id;
  OK(eyot_compute(draw(&random) % MOST_NS));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct split_world w;
  const struct lock_kind *kind = argc > 1 ? lock_kind_named(argv[1], LOCK_MEMBERS) : NULL;
  if (kind == NULL) {
    if (eyot_me().id == 0) lock_kinds_usage("split", LOCK_MEMBERS, "[ROUNDS]");
    eyot_finalize();
    return 2;
  }
  uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 2;
  split_world_new(&w, kind->kind);
  for (uint64_t round = 0; round < rounds; round++) {
    bool count = (round + eyot_me().id) % 3 == 0;
    if (count) OK(eyot_count_begin());
    for (int way = 0; way < SPLIT_WAYS; way++) split_round(&w, (enum split_way)way, round, dally);
    if (count) OK(eyot_count_end());
  }
  split_world_delete(&w);
  return finish();
}
