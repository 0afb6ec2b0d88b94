/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_units.h - the same failure with fewer units. */
#ifndef EYOT_EYOTCHECK_UNITS_H
#define EYOT_EYOTCHECK_UNITS_H

#include <stdint.h>

#include "fabric/fabric.h"

/* A run has failed with `units` and is in what->save: explores with 2, 3, ... units, each for a
 * while, until a run fails in the same way, and puts that one there. Says what it has found. The
 * options of the simulator are those of the environment. */
void fewer_units(const struct fab_explore *what, uint32_t units, char **program);
#endif
