/* SPDX-License-Identifier: BSD-3-Clause */
/* site_ask.h - source lines of a file's code, by addr2line.
 *
 * Why it exists: reading debug information is binutils' trade; it is asked once for all places of a
 * file. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_SITE_ASK_H
#define EYOT_FABRIC_SIM_PROGRAM_SITE_ASK_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_SITE_TEXT 128u

/* text[i] becomes "heat3d.c:212 (main)" of the code at off[i] of `file`, or "" where there is no
 * line for it. Of code that was inlined from eyot's headers it is the line that uses it. False:
 * addr2line could not be run, or gave no answer in time. */
bool sim_site_ask(const char *file, const uint64_t *off, uint32_t n, char (*text)[SIM_SITE_TEXT]);
#endif
