/* SPDX-License-Identifier: BSD-3-Clause */
/* ranges.h - lists of units as a report prints them ("3,5-9"). For the files of report/. */
#ifndef EYOT_FABRIC_SIM_REPORT_RANGES_H
#define EYOT_FABRIC_SIM_REPORT_RANGES_H

#include <stdint.h>
#include <stdio.h>

/* Prints "3,5-9" for n ascending units; pieces after the first `most` become "..."; 0: no limit. */
void sim_ranges_print(const uint32_t *unit, uint32_t n, uint32_t most, FILE *out);
#endif
