/* SPDX-License-Identifier: BSD-3-Clause */
/* fused.h - the end of fused exchanges (eyot/exchange.h), for init/. Their state is made by the
 * calls that create them. Thread rule: one thread of a unit at a time. */
#ifndef EYOT_FUSED_LAYER_H
#define EYOT_FUSED_LAYER_H

#include <eyot/exchange.h>

#include "rt/rt.h"

/* After all units have made their last call: warns of exchanges that were not destroyed, and frees
 * them. Local. */
void eyoti_fused_stop(struct eyot_rt *rt);
#endif
