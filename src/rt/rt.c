/* SPDX-License-Identifier: BSD-3-Clause */
/* rt.c - the one global, eyot_current, and what a unit's runtime is before and between its calls.
 * See rt.h. */
#include "rt/rt.h"

/* Before init and in a simulator's scheduler: no endpoint, nothing mapped. Constant, so that no
 * unit can be the idle one by mistake. */
static const struct eyot_rt IDLE = {
    .fast = {.abi = EYOTI_FAST_ABI}, .state = EYOTI_IDLE, .log_level = EYOTI_LOG_WARN};

struct eyot_rt *eyot_current = (struct eyot_rt *)(uintptr_t)&IDLE;

struct eyot_rt *eyoti_rt_idle(void) {
  return (struct eyot_rt *)(uintptr_t)&IDLE;
}

void eyoti_rt_host(struct eyot_rt *rt, struct fab *fab, struct eyoti_proc *proc) {
  *rt = (struct eyot_rt){.fast = {.abi = EYOTI_FAST_ABI},
                         .state = EYOTI_IDLE,
                         .log_level = EYOTI_LOG_WARN,
                         .fab = fab,
                         .proc = proc};
}

void eyoti_rt_refuse(const char *function) {
  enum eyoti_state state = eyot_current->state;
  if (state == EYOTI_IDLE || state == EYOTI_FINALIZED)
    eyoti_log(EYOTI_LOG_ERROR, function, EYOT_ESTATE, "called %s",
              state == EYOTI_IDLE ? "before eyot_init" : "after eyot_finalize");
  else
    eyoti_log(EYOTI_LOG_ERROR, function, EYOT_ETHREAD,
              "called by a thread other than the one that called eyot_init");
}
