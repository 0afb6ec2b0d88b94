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

/* The call that returns to `address` (may be NULL), as a word that other processes understand: the
 * file by its build id, and the offset in it, because processes load one file at different
 * addresses. 0: unknown. Some ns, but for the first call from a file. */
uint64_t eyoti_place_word(const struct eyot_rt *rt, const void *address);
/* The reverse: the address in this process to which that call would return; NULL: it has not loaded
 * the file, or units have copies of it. */
const void *eyoti_place_of_word(uint64_t word);
/* eyoti_place_text of a word that `unit` has made. */
const char *eyoti_place_word_text(const struct eyot_rt *rt, uint32_t unit, uint64_t word,
                                  char text[EYOTI_CODE_LINE]);
#endif
