/* SPDX-License-Identifier: BSD-3-Clause */
/* ranges.h - lists of units as a report prints them. */
#ifndef EYOT_FABRIC_SIM_REPORT_RANGES_H
#define EYOT_FABRIC_SIM_REPORT_RANGES_H

#include <stdint.h>
#include <stdio.h>

/* "3,5-9" of n ascending units; more than `most` pieces are left out ("..."), 0: none. */
void sim_ranges_print(const uint32_t *unit, uint32_t n, uint32_t most, FILE *out);
#endif
