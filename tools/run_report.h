/* SPDX-License-Identifier: BSD-3-Clause */
/* run_report.h - who waits for what in a supervised run, in the words of the simulator's reports
 * (fabric_sim/report/). For supervise_run.c and unit_agent.c. */
#ifndef EYOT_RUN_REPORT_H
#define EYOT_RUN_REPORT_H

#include <stdio.h>

#include "members.h"

/* Prints a line for each process that has not ended: its call and the line of the program, the word
 * that it waits for, and for how long. Those of other hosts have told theirs before (links_ask). */
void run_report_print(const struct members *m);
/* Writes the line of process i of this host, without its name; m->n: of one that has not joined. */
void run_report_line(const struct members *m, uint32_t i, FILE *to);
/* The nanoseconds for which every unit has waited, without a timeout of its own, in the wait that
 * it is in now; 0: some unit does not wait, or there is none. */
uint64_t run_report_standstill_ns(const struct members *m);
/* The nanoseconds for which the unit that waits longest has waited; 0: none waits. */
uint64_t run_report_longest_ns(const struct members *m);
/* Prints a line for each error or warning of the units of this host that was not printed each time.
 * For the end of the run. */
void run_report_said(const struct members *m);
#endif
