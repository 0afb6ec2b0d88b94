/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - the report on stderr when no unit can run any more, or when the run has reached a
 * bound. The engine calls it through engine/report_ops.h, which module.c sets;
 * explore/untimed_run.c calls it for a deadlocked run. */
#ifndef EYOT_FABRIC_SIM_REPORT_REPORT_H
#define EYOT_FABRIC_SIM_REPORT_REPORT_H

#include <stdint.h>

struct sim_world;

/* Prints every blocked unit with its wait, the known history of the word, and the program's line.
 * Up to 64 units one by one, else identical waits together, with all ids as ranges. Then the
 * conclusions from all of them: cycles, lost wake-ups, the units that others wait for in the end.
 * Writes the graph to the file EYOT_DEADLOCK_DOT. */
void sim_report_deadlock(const struct sim_world *w);
/* The same for a run that has reached the bound of that name after `steps` steps, with the units'
 * most frequent calls and places (engine/bound.h). */
void sim_report_livelock(const struct sim_world *w, const char *bound, uint64_t steps);
#endif
