/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_proc.h - the processes of a run that can take the next step, the choices among them, and
 * the failure of a run. For the files of explore/. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_PROC_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_PROC_H

#include "fabric_sim/explore/untimed.h"

/* Returns an array that can hold one more element. */
void *sim_untimed_reserve(void *array, uint32_t n, uint32_t *cap, size_t size);
uint32_t sim_untimed_new_proc(struct sim_world *w, bool unit, uint32_t index, uint32_t part);
void sim_untimed_offer(struct sim_world *w, uint32_t proc, bool yields);
void sim_untimed_withdraw(struct sim_world *w, uint32_t proc);
/* Removes offer i. */
void sim_untimed_take(struct sim_untimed_run *r, uint32_t i);
/* Returns a choice of the strategy; 0 if bound is 1. */
uint32_t sim_untimed_draw(struct sim_world *w, uint32_t bound);
/* Fails the run, which ends with this step. The first failure of a run is kept. */
void sim_untimed_failed(struct sim_world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A debugger's breakpoint (eyotcheck --gdb): called before the step that fails, and when it
 * fails. */
void sim_untimed_break(const char *why);
/* Called by the crash handler: ends the run, if one is active; else returns. */
void sim_untimed_crashed(struct sim_world *w, const char *text);
#endif
