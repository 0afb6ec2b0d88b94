/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_units.h - searches for the same failure with fewer units: `eyotcheck --fewer-units`.
 * For eyotcheck.c. */
#ifndef EYOT_EYOTCHECK_UNITS_H
#define EYOT_EYOTCHECK_UNITS_H

#include <stdint.h>

#include "fabric/module.h"

/* A run with `units` units has failed and is saved in what->save. Explores with 2, 3, ... units,
 * each for a while, until a run fails in the same way, saves that one instead, and prints the
 * result. The options of the simulator are those of the environment. Returns the number of units of
 * the saved run, and puts its choices into what->explored. */
uint32_t fewer_units(const struct fab_explore *what, uint32_t units, char **program);
#endif
