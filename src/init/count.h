/* SPDX-License-Identifier: BSD-3-Clause */
/* count.h - the end of counting, for eyot_finalize. */
#ifndef EYOT_INIT_COUNT_H
#define EYOT_INIT_COUNT_H

#include "rt/rt.h"

/* Takes the counter away if there is one: the endpoint and the inline path are as before. Local,
 * not blocking. */
void eyoti_counting_stop(struct eyot_rt *rt);
#endif
