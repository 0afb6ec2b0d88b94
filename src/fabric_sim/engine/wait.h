/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.h - waits and tests: for a request, for all operations in flight, for words. ops_table.c
 * calls them; deliver.c, explore/ and report/ use the helpers.
 *
 * They check the program's arguments, and leave the waiting itself to the engine (engine.h). */
#ifndef EYOT_FABRIC_SIM_ENGINE_WAIT_H
#define EYOT_FABRIC_SIM_ENGINE_WAIT_H

#include "fabric_sim/engine/world.h"

/* wait.c. The contract's operations. */
int sim_wait_req(struct sim_unit *u, fab_req_t req, enum fab_level level);
int sim_wait_test(struct sim_unit *u, fab_req_t req, enum fab_level level, bool *done);
int sim_wait_order(struct sim_unit *u, fab_unit_t unit);
int sim_wait_word(struct sim_unit *u, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value,
                  uint64_t timeout_ns, uint64_t *seen);
int sim_wait_any(struct sim_unit *u, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                 uint32_t *index);

/* wait_words.c. For a unit in SIM_WAIT_ANY: sim_wait_any_word returns the i-th word that it waits
 * for; sim_wait_first_holding returns the index of the first whose condition holds, or
 * u->wait_any.n. */
const uint64_t *sim_wait_any_word(const struct sim_unit *u, uint32_t i);
uint32_t sim_wait_first_holding(const struct sim_unit *u);
/* Wakes the unit if one of its words lies in [p, p+len) and the condition on it now holds. */
void sim_wait_any_wake(struct sim_unit *u, const void *p, uint64_t len);
#endif
