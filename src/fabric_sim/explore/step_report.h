/* SPDX-License-Identifier: BSD-3-Clause */
/* step_report.h - the steps of one run: which unit continued at which line, its posts, arrivals and
 * changed values, and the units that could continue since. The untimed engine records; one_run.c
 * opens and closes the report, which is then written.
 *
 * The records (check/steps/steps.h) are kept until the run is over, because their source lines are
 * looked up all at once (program/site.h). Memory: ordinary, restored with the run. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_STEP_REPORT_H
#define EYOT_FABRIC_SIM_EXPLORE_STEP_REPORT_H

#include <stdint.h>

#include "fabric/fabric.h"

#define SIM_STEP_REPORT_UNASKED 60u /* steps of a failing run that are shown without --steps */

struct sim_world;
struct sim_unit;
struct sim_op;
struct chk_race_report;

/* The files of a run's pictures, and what they say of the run. */
struct sim_step_pictures {
  const char *mermaid, *svg; /* paths, or NULL */
  const char *program, *how;
};

/* Begins to record the steps of the run that is about to start; of a run of more than `most` steps
 * only their number is printed. pictured: records for pictures, too. Out of memory: reports
 * nothing. */
void sim_step_report_open(struct sim_world *w, uint64_t most, bool pictured);
/* Called before and after process `proc` takes its step; the latter is skipped if a crash in the
 * step ended the run. */
void sim_step_report_before(struct sim_world *w, uint32_t proc);
/* Called instead of sim_step_report_before if the process is a fault's strike: on `unit`, or
 * (CHK_STEPS_NONE) the network, with `what` in words. */
void sim_step_report_strike(struct sim_world *w, uint32_t unit, const char *what);
void sim_step_report_after(struct sim_world *w);
/* The running unit has posted the operation. */
void sim_step_report_post(struct sim_unit *u, const struct sim_op *op);
/* The running unit's CPU has executed the operation (eyot/check.h); old: the value before, ignored
 * for a store. */
void sim_step_report_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, uint64_t old,
                         uint64_t operand, uint64_t desired);
/* No unit can continue: records for pictures what each waits for. */
void sim_step_report_standstill(const struct sim_world *w);
/* The race detector has found the race that fails the run. */
void sim_step_report_race(struct sim_world *w, const struct chk_race_report *r);
/* Prints the lines on standard output, draws the run (pictures NULL: not), which has failed, and
 * frees the record. Whether all pictures were written; if not, after a message. */
bool sim_step_report_close(struct sim_world *w, const struct sim_step_pictures *pictures);
#endif
