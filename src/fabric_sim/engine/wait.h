/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.h - how a unit waits: for a request, for all it has in flight, for a word. Checks what the
 * program passes, and leaves the waiting itself to the engine (engine.h). */
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

/* Whether a flush or order of `unit`, or FAB_ALL, is about the operation. */
static inline bool sim_wait_covers(fab_unit_t unit, const struct sim_op *op) {
  return unit == FAB_ALL || unit == op->target;
}

/* wait_words.c. Of a unit in SIM_WAIT_ANY: the i-th word that it waits for, and the first that
 * holds, or u->wait_any.n. */
const uint64_t *sim_wait_any_word(const struct sim_unit *u, uint32_t i);
uint32_t sim_wait_first_holding(const struct sim_unit *u);
/* Wakes it if one of its words lies in [p, p+len) and is now as it wants it. */
void sim_wait_any_wake(struct sim_unit *u, const void *p, uint64_t len);
#endif
