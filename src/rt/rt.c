/* SPDX-License-Identifier: BSD-3-Clause */
/* rt.c - the one global, eyot_current; a unit's runtime before eyot_init; and the public functions
 * that only read it (rt.h). */
#include "rt/rt.h"

#include <eyot/init.h>

/* The unit before init and in a simulator's scheduler: no endpoint, nothing mapped. Constant, so
 * that no unit can be the idle one by mistake. */
static const struct eyot_rt IDLE = {.fast = {.abi = EYOTI_FAST_ABI, .caller = {.site = &IDLE}},
                                    .state = EYOTI_IDLE,
                                    .log_level = EYOTI_LOG_WARN};

struct eyot_rt *eyot_current = (struct eyot_rt *)(uintptr_t)&IDLE;

struct eyot_rt *eyoti_rt_idle(void) {
  return (struct eyot_rt *)(uintptr_t)&IDLE;
}

void eyoti_rt_host(struct eyot_rt *rt, struct fab *fab, struct eyoti_proc *proc) {
  *rt = (struct eyot_rt){.fast = {.abi = EYOTI_FAST_ABI},
                         .state = EYOTI_IDLE,
                         .log_level = EYOTI_LOG_WARN,
                         .fab = fab,
                         .proc = proc,
                         .owner = eyoti_rt_thread()};
}

bool eyot_initialized(void) {
  return eyot_current->state == EYOTI_RUNNING;
}

eyot_unit_t eyot_me(void) {
  return (eyot_unit_t){eyot_initialized() ? eyot_current->fab->me : UINT32_MAX};
}

uint32_t eyot_size(void) {
  return eyot_initialized() ? eyot_current->fab->n : 0;
}

const char *eyot_fabric_name(void) {
  return eyot_initialized() ? eyot_current->fab->ops->name : "none";
}
