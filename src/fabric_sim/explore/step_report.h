/* SPDX-License-Identifier: BSD-3-Clause */
/* step_report.h - the steps of one run in words: who went on where in the program, what it
 * posted, what arrived and changed, and who could go on since.
 *
 * Why it exists: a failing run is a list of choices, and choices mean nothing to a reader. Lines
 * are kept until the run is over, because the source lines in them are asked for all at once
 * (program/site.h). Memory: ordinary, taken back with the run. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_STEP_REPORT_H
#define EYOT_FABRIC_SIM_EXPLORE_STEP_REPORT_H

#include <stdint.h>

#include "fabric/fabric.h"

#define SIM_STEP_REPORT_UNASKED 60u /* steps of a failing run that are shown without --steps */

struct sim_world;
struct sim_unit;
struct sim_op;

/* Begins to keep the steps of the run that is about to start; of a run of more than `most` of them
 * only how many there were. No memory: nothing is told. */
void sim_step_report_open(struct sim_world *w, uint64_t most);
/* Before and after process `proc` takes its step; the latter is left out where the step ended the
 * run by a fault. */
void sim_step_report_before(struct sim_world *w, uint32_t proc);
/* In place of the former, if the process is a fault's strike: on `who`, with `what` in words. */
void sim_step_report_strike(struct sim_world *w, const char *who, const char *what);
void sim_step_report_after(struct sim_world *w);
/* The running unit has posted the operation. */
void sim_step_report_post(struct sim_unit *u, const struct sim_op *op);
/* The running unit's CPU has done it (eyot/check.h); old: what was there, of no interest for a
 * store. */
void sim_step_report_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, uint64_t old,
                         uint64_t operand, uint64_t desired);
/* Prints on standard output, and forgets. */
void sim_step_report_close(struct sim_world *w);
#endif
