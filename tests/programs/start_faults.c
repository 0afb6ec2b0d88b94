/* SPDX-License-Identifier: BSD-3-Clause */
/* start_faults.c - starts, computes something that each part of the runtime takes part in, and
 * ends. Under tests/faults/fail_call.c one call fails during eyot_init. A unit that cannot start
 * returns from main with 1, as programs do. */
#include "faults/fail_call.h"
#include "programs/api_check.h"

int main(int argc, char **argv) {
  if (fail_call_begin != NULL) fail_call_begin();
  int rc = eyot_init(&argc, &argv);
  if (fail_call_end != NULL) fail_call_end();
  if (rc != EYOT_OK) return 1;
  uint32_t me = eyot_me().id, n = eyot_size();
  uint64_t mine = me + 1, sum = 0, got = 0;
  eyot_gptr_t words;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &sum, 1));
  CHECK(sum == (uint64_t)n * (n + 1) / 2);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &words));
  eyot_unit_t next = {(me + 1) % n};
  OK(eyot_put(eyot_gptr_at(words, next), &mine, sizeof mine));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_get(&got, eyot_gptr_at(words, (eyot_unit_t){me}), sizeof got));
  CHECK(got == (me + n - 1) % n + 1);
  OK(eyot_team_free(words));
  return finish();
}
