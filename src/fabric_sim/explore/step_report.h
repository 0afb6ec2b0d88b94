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

#define FS_TELL_UNASKED 60u /* steps of a failing run that are shown without --steps */

struct fs_world;
struct fs_unit;
struct fs_op;

/* Begins to keep the steps of the run that is about to start; of a run of more than `most` of them
 * only how many there were. No memory: nothing is told. */
void fs_check_tell_open(struct fs_world *w, uint64_t most);
/* Before and after process `proc` takes its step; the latter is left out where the step ended the
 * run by a fault. */
void fs_check_tell_step(struct fs_world *w, uint32_t proc);
void fs_check_tell_did(struct fs_world *w);
/* The running unit has posted the operation. */
void fs_check_tell_post(struct fs_unit *u, const struct fs_op *op);
/* The running unit's CPU has done it (eyot/check.h); old: what was there, of no interest for a
 * store. */
void fs_check_tell_cpu(struct fs_unit *u, enum fab_cpu_op op, const uint64_t *word, uint64_t old,
                       uint64_t operand, uint64_t desired);
/* Prints on standard output, and forgets. */
void fs_check_tell_close(struct fs_world *w);
#endif
