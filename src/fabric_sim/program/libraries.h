/* SPDX-License-Identifier: BSD-3-Clause */
/* libraries.h - the libraries of a program that are found by $ORIGIN, the folder of its file. For
 * copy.c.
 *
 * Why it exists: the files of a program's copies lie in no folder, so the loader finds nothing
 * beside them. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_LIBRARIES_H
#define EYOT_FABRIC_SIM_PROGRAM_LIBRARIES_H

#include <stdbool.h>

/* Loads the libraries that the program at `path` needs and that lie in the folders which it names
 * by $ORIGIN; the loader then takes them for its copies, if they have a name of their own
 * (DT_SONAME). Whether there were some. Never fails. */
bool sim_prog_load_beside(const char *path);
#endif
