/* SPDX-License-Identifier: BSD-3-Clause */
/* outside.h - mistakes of a process of its own before eyot_init and after eyot_finalize. For
 * log.c. */
#ifndef EYOT_RT_OUTSIDE_H
#define EYOT_RT_OUTSIDE_H

#include "rt/rt.h"

/* Where they are counted: before eyot_init it allocates what that will use, and eyot_current points
 * to it from then on. libeyot's destructor ends the process by another code than 0. NULL: nowhere,
 * a unit runs, or no memory. */
struct eyot_rt *eyoti_outside_counts(void);
#endif
