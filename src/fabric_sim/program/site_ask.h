/* SPDX-License-Identifier: BSD-3-Clause */
/* site_ask.h - source lines of a file's code, by one run of addr2line. For site.c and the detectors
 * (explore/detect_call.h).
 *
 * Why it exists: binutils reads debug information better than eyot could; one run finds all places
 * of a file. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_SITE_ASK_H
#define EYOT_FABRIC_SIM_PROGRAM_SITE_ASK_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_SITE_TEXT 128u

/* Sets text[i] to "heat3d.c:212 (main)" for the code at off[i] of `file`, or to "" if it has no
 * line. For code inlined from eyot's headers it is the line that uses it. False: addr2line could
 * not be run, or gave no answer in time. */
bool sim_site_ask(const char *file, const uint64_t *off, uint32_t n, char (*text)[SIM_SITE_TEXT]);
#endif
