/* SPDX-License-Identifier: BSD-3-Clause */
/* many_puts.c - each unit has many puts in flight, with a call after each that must not visit them
 * all: for tests of what the simulator does then.
 *
 *   many_puts CALL COUNT TARGETS    CALL: none, flush, flush_all, order, order_all
 *                                   TARGETS: 0: unit 0 alone, of all */
#include "api_check.h"

enum call { NONE, FLUSH, FLUSH_ALL, ORDER, ORDER_ALL, CALLS };
static const char *const NAMES[CALLS] = {"none", "flush", "flush_all", "order", "order_all"};

static int between(enum call call, eyot_unit_t to) {
  switch (call) {
    case FLUSH:
      return eyot_flush(to, EYOT_LOCAL);
    case FLUSH_ALL:
      return eyot_flush_all(EYOT_LOCAL);
    case ORDER:
      return eyot_order(to);
    case ORDER_ALL:
      return eyot_order_all();
    case NONE:
    case CALLS:
      break;
  }
  return EYOT_OK;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 4);
  enum call call = NONE;
  while (call < CALLS && strcmp(argv[1], NAMES[call]) != 0) call++;
  uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
  uint32_t targets = (uint32_t)strtoul(argv[3], NULL, 10), me = eyot_me().id, n = eyot_size();
  CHECK(call < CALLS && targets < n);
  eyot_gptr_t words;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8 * (uint64_t)n, &words));
  uint64_t value = me + 1;
  for (uint32_t i = 0; i < count; i++) {
    eyot_unit_t to = {targets > 0 ? (me + 1 + i % targets) % n : 0};
    OK(eyot_put_nbi(eyot_gptr_add(eyot_gptr_at(words, to), 8 * (int64_t)me), &value, sizeof value));
    OK(between(call, to));
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 1; i <= n; i++) {
    uint32_t from = (me + n - i) % n;
    uint64_t seen;
    OK(eyot_get(&seen, eyot_gptr_add(eyot_gptr_at(words, eyot_me()), 8 * (int64_t)from),
                sizeof seen));
    bool puts = targets == 0 ? me == 0 : i <= targets && i <= count;
    CHECK(seen == (puts ? from + 1 : 0));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(words));
  return finish();
}
