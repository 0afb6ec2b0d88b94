/* SPDX-License-Identifier: BSD-3-Clause */
/* net_gaps.c - a resource with more idle gaps than are kept apart (res_gaps.h): claims in random
 * order, in gaps and across them. None ends before it may, and no idle time is given twice. */
#include <stdio.h>
#include <stdlib.h>

#include "fabric_sim/machine/res_gaps.h"

#define CLAIMS 100000u
#define AHEAD_PS 10000000u /* claims begin so much later at most */

static uint64_t state = 1;

static uint64_t draw(uint64_t bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % bound;
}

int main(void) {
  struct sim_res r = {0};
  struct sim_res_pool pool = {NULL, NULL};
  uint64_t now_ps = 0, taken_ps = 0, listed = 0;
  for (uint32_t i = 0; i < CLAIMS; i++) {
    uint64_t at_ps = now_ps + draw(AHEAD_PS), span_ps = 1 + draw(40000), end_ps;
    uint64_t start_ps = sim_res_claim_long(&r, &pool, at_ps, span_ps, now_ps, &end_ps);
    listed += r.many;
    taken_ps += span_ps;
    if (start_ps < at_ps || end_ps < start_ps + span_ps || end_ps > r.busy_ps ||
        taken_ps > r.busy_ps) {
      fprintf(stderr, "claim %u: %llu ps from %llu on: from %llu to %llu, busy until %llu\n", i,
              (unsigned long long)span_ps, (unsigned long long)at_ps, (unsigned long long)start_ps,
              (unsigned long long)end_ps, (unsigned long long)r.busy_ps);
      return 1;
    }
    now_ps += draw(50000);
  }
  sim_res_pool_free(&pool);
  if (listed < CLAIMS / 2) {
    fprintf(stderr, "only %llu claims of %u had many gaps\n", (unsigned long long)listed, CLAIMS);
    return 1;
  }
  return 0;
}
