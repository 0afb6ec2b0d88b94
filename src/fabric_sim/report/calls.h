/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h - the collective calls of a team's members, where they differ. The engine calls it
 * through engine/report_ops.h. */
#ifndef EYOT_FABRIC_SIM_REPORT_CALLS_H
#define EYOT_FABRIC_SIM_REPORT_CALLS_H

struct sim_unit;

/* Prints on stderr the collective call that unit u runs, with its arguments and its line, and the
 * call of that number of each other member, or that member's last one: equal ones together. Where
 * the members' calls before it differ already it prints these. Nothing if u has made none. */
void sim_report_calls(const struct sim_unit *u);
#endif
