/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_file.h - reads the file of a measured machine: lines of sections, which a person can read
 * and edit. eyot-calibrate writes it; the simulator reads the section platform, and over MPI
 * collectives and messages (coll/costs.h) read the others.
 *
 *   eyot-machine 1                                      the first line that is no comment
 *   [platform]
 *   overhead_put = 350.5 ns [342.1 371] # how it was measured
 * A line has a key, a value, its unit (none for words and whole numbers), the quartiles if it was
 * measured, and a comment; in the section collectives it has a rule (coll/choose.h), which is the
 * key. docs/calibration.md describes the sections. */
#ifndef EYOT_BASE_MACHINE_FILE_H
#define EYOT_BASE_MACHINE_FILE_H

#include <eyot/types.h>
#include <stdbool.h>

#define EYOTI_MACHINE_VERSION 1u
#define EYOTI_MACHINE_RULES "collectives" /* the section of rules */

struct eyoti_machine_entry {
  const char *section, *key, *value, *unit; /* unit: "" if there is none */
  bool measured;                            /* with quartiles */
  double low, high;
  uint32_t line;
};

struct eyoti_machine {
  uint32_t n, cap;
  struct eyoti_machine_entry *at;
  char *text; /* which the entries point into */
};

/* Reads a file. Errors: EINVAL (malformed; logs file, line and what is expected), ESYS (logs the
 * reason), ENOMEM. On success eyoti_machine_free takes it. */
EYOT_API int eyoti_machine_read(const char *path, struct eyoti_machine *out);
EYOT_API void eyoti_machine_free(struct eyoti_machine *m);
/* Returns the entry; NULL: there is none. */
EYOT_API const struct eyoti_machine_entry *eyoti_machine_find(const struct eyoti_machine *m,
                                                              const char *section, const char *key);
#endif
