/* SPDX-License-Identifier: BSD-3-Clause */
/* count.h - ends counting; init.c calls it in eyot_finalize. Starting and reading are public
 * (eyot/count.h). */
#ifndef EYOT_INIT_COUNT_H
#define EYOT_INIT_COUNT_H

#include "rt/rt.h"

/* Removes the counting endpoint if there is one: endpoint and inline path are as before. Local, not
 * blocking. */
void eyoti_counting_stop(struct eyot_rt *rt);
#endif
