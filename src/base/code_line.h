/* SPDX-License-Identifier: BSD-3-Clause */
/* code_line.h - source lines of a file's code, by one run of addr2line. For rt/place.c and the
 * simulator's tables of places (program/site.c, explore/detect_call.c).
 *
 * Why it exists: binutils reads debug information better than eyot could; one run finds all places
 * of a file. */
#ifndef EYOT_BASE_CODE_LINE_H
#define EYOT_BASE_CODE_LINE_H

#include <eyot/types.h>
#include <stdbool.h>
#include <stdint.h>

#define EYOTI_CODE_LINE 128u

/* Sets text[i] to "heat3d.c:212 (main)" for the code at off[i] of `file`, or to "" if it has no
 * line. For code inlined from eyot's headers it is the line that uses it. False: addr2line could
 * not be run, or gave no answer in time. */
EYOT_API bool eyoti_code_lines(const char *file, const uint64_t *off, uint32_t n,
                               char (*text)[EYOTI_CODE_LINE]);
#endif
