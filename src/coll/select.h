/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h - takes the algorithm of a call by choose.h, for call.c. */
#ifndef EYOT_COLL_SELECT_H
#define EYOT_COLL_SELECT_H

#include "coll/call.h"

/* Returns the generator of the chosen algorithm, and enters the choice into the arguments (and so
 * into their hash); `asked` if the function has no choice. The same on all members with the same
 * arguments. */
eyoti_plan_gen eyoti_select(const struct eyot_rt *rt, const struct eyoti_team *t,
                            eyoti_plan_gen asked, struct eyoti_coll_args *a);
/* Whether the call takes messages to private memory (gen_direct.c, gen_pairs.c, gen_scan.c): sets
 * its round_bytes, and `direct` or gen. Before its plans are made. */
void eyoti_select_direct(const struct eyot_rt *rt, const struct eyoti_team *t,
                         struct eyoti_coll_call *c);
/* Whether calls whose lengths only pairs know have plans of pairs (gen_pairs.c), so that they need
 * no operations for lengths. The same on all members. */
bool eyoti_select_pairs(const struct eyot_rt *rt, const struct eyoti_team *t);
#endif
