/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - what is printed when nothing can happen any more, or too much has. */
#ifndef EYOT_FABRIC_SIM_REPORT_REPORT_H
#define EYOT_FABRIC_SIM_REPORT_REPORT_H

#include <stdint.h>

struct sim_world;

/* Names every blocked unit with what it waits for, what is known of the word, and the line of the
 * program, on stderr. Up to 64 one by one, else identical waits together, with all ids as ranges.
 * Then what follows from all of them: cycles, lost wake-ups, the units for which others wait in the
 * end. Writes the graph where EYOT_DEADLOCK_DOT says. */
void sim_report_deadlock(const struct sim_world *w);
/* The same of a run that has reached the bound of that name after so many steps, with what the
 * units call how often and where (engine/bound.h). */
void sim_report_livelock(const struct sim_world *w, const char *bound, uint64_t steps);
#endif
