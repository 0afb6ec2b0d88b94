/* SPDX-License-Identifier: BSD-3-Clause */
/* res_gaps.h - the idle gaps of a resource (res.h) that has more of them than its cache line holds.
 *
 * Why it exists: of n flows that share a slow link on their way to one NIC, each has reserved a
 * piece there, and the NIC is idle between them. A flow that meets them at the NIC alone must find
 * all n gaps: with three of them it had a tenth of its share. For res.c and net_*.c. */
#ifndef EYOT_FABRIC_SIM_MACHINE_RES_GAPS_H
#define EYOT_FABRIC_SIM_MACHINE_RES_GAPS_H

#include <stdint.h>

#include "fabric_sim/machine/res.h"

/* As many gaps are kept apart; of more, two that follow each other become one, of the same idle
 * time at the end of the later one, so that work is conserved. */
#define SIM_RES_GAPS_MANY 64u

/* Where such lists come from, and go when all of their gaps are over. */
struct sim_res_pool {
  struct sim_res_gaps *all, *unused;
};
void sim_res_pool_free(struct sim_res_pool *pool);

/* Moves the gaps of r, of which it has SIM_RES_GAPS, to a list. Without memory they stay. */
void sim_res_gaps_move(struct sim_res *r, struct sim_res_pool *pool);

/* For resources with a list (`many`): sim_res_claim; what inline claims have left in r is taken
 * over, and gaps that are over are forgotten; when r is idle next, from at_ps on. */
uint64_t sim_res_gaps_claim(struct sim_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t now_ps,
                            uint64_t *end_ps);
void sim_res_gaps_adopt(struct sim_res *r, uint64_t now_ps);
uint64_t sim_res_gaps_idle(const struct sim_res *r, uint64_t at_ps);
#endif
