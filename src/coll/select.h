/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h - takes the algorithm of a call by choose.h, for call.c. */
#ifndef EYOT_COLL_SELECT_H
#define EYOT_COLL_SELECT_H

#include "coll/call.h"

/* Returns the generator of the chosen algorithm for a round of the call, and enters the choice into
 * the round's arguments (and so into their hash), for functions whose algorithm is that of a plan;
 * the call's own for the others. The same on all members with the same arguments. */
eyoti_plan_gen eyoti_select(const struct eyot_rt *rt, const struct eyoti_team *t,
                            const struct eyoti_coll_call *c, struct eyoti_coll_args *a);
/* Chooses for functions whose algorithm is that of the whole call: sets its gen, round_bytes and
 * args.algorithm. Of the others, whether their messages go to private memory: sets `direct` and
 * round_bytes. Before its plans are made. */
void eyoti_select_call(const struct eyot_rt *rt, const struct eyoti_team *t,
                       struct eyoti_coll_call *c);
/* For functions whose lengths not all members know (their operations differ), before the call is
 * described: LINEAR, or PAIRS (gen_pairs.c), which needs no operations for lengths. The same on all
 * members. */
enum eyoti_algorithm eyoti_select_operations(const struct eyot_rt *rt, const struct eyoti_team *t,
                                             enum eyoti_coll_function function,
                                             enum eyoti_coll_form form);
/* Whether a blocking call takes its blocks where they are (take.h). */
bool eyoti_select_take(const struct eyot_rt *rt, const struct eyoti_team *t,
                       const struct eyoti_coll_call *c);
/* Whether an allgather of such blocks goes by a message to each member, for the offers of those. */
bool eyoti_select_linear(const struct eyot_rt *rt, const struct eyoti_team *t, uint64_t bytes);
/* An algorithm as in args.algorithm. */
static inline uint32_t eyoti_select_mark(enum eyoti_algorithm algorithm) {
  return (uint32_t)algorithm + 1;
}
#endif
