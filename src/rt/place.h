/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - the source lines of calls, as messages name them. For log.c, the words of memory
 * (made.h), and the fabrics.
 *
 * Addresses are recorded as they are (a load and a store) and looked up when a message is printed:
 * the program's copies of a simulator have equal places, and each is asked for once. */
#ifndef EYOT_RT_PLACE_H
#define EYOT_RT_PLACE_H

#include <eyot/types.h>

#include "base/code_line.h"

struct eyot_rt;
struct eyoti_places;

/* A place in a file of code; file NULL: unknown. file and off are equal for the units of a process
 * that made the same call. `file` lives as long as the file is loaded. */
struct eyoti_place {
  const char *file;
  uint64_t off;
  const void *address; /* there; of a unit's copy of the program */
};

/* The place of the call that returns to `address` (may be NULL). */
EYOT_API struct eyoti_place eyoti_place_of(const struct eyot_rt *rt, const void *address);
/* Writes "heat3d.c:212 (main)" for a place, or the best description that there is, and returns
 * `text`. The first time it may start addr2line and wait some seconds at most; never fails. */
EYOT_API const char *eyoti_place_text(const struct eyot_rt *rt, struct eyoti_place p,
                                      char text[EYOTI_CODE_LINE]);
void eyoti_places_free(struct eyoti_places *p); /* p may be NULL */
#endif
