/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h - members of a team compare which function they are in, what all pass alike, and
 * whether one refuses its call, by one exchange of the team's control block. For functions that
 * make, end or move objects, before the first message of their own.
 *
 * Why it exists: these exchanges have the same words, so the exchange itself does not tell the
 * functions apart (fabric/ctl.h). The function goes before an error: a member that refuses its call
 * may be in another function than the others, whose error it would be taken for. */
#ifndef EYOT_TEAMS_COMPARE_H
#define EYOT_TEAMS_COMPARE_H

#include "fabric/ctl.h"

/* The functions; a number of 8 bits. */
enum eyoti_compare_in {
  EYOTI_IN_GRAPH_CREATE = 1, /* and grids */
  EYOTI_IN_GRAPH_DESTROY,
  EYOTI_IN_EXCHANGE_CREATE,
  EYOTI_IN_EXCHANGE_DESTROY,
  EYOTI_IN_LOCK_CREATE,
  EYOTI_IN_LOCK_DESTROY,
  EYOTI_IN_PSCW_CREATE,
  EYOTI_IN_PSCW_DESTROY,
  EYOTI_IN_OWN_SCATTER,
  EYOTI_IN_OWN_GATHER,
  EYOTI_IN_OWN_ALLTOALL,
  EYOTI_IN_COLL /* and after it, by enum eyoti_coll_function */
};

struct eyoti_compared {
  int error; /* of one that refuses, the largest magnitude; 0: none does */
  bool same; /* all have passed the same hash */
};

/* hash: of what all members pass alike; refused: 0, or why the caller does not take part (logged).
 * Collective. Errors, on all members: EMISMATCH (logged: a member is in another function), the
 * fabric's. */
int eyoti_compare(struct fab *f, struct eyoti_ctl *c, enum eyoti_compare_in in, uint64_t hash,
                  int refused, struct eyoti_compared *out);
/* The same, of a caller that logs it: *differ, and EMISMATCH. */
int eyoti_compare_quietly(struct fab *f, struct eyoti_ctl *c, enum eyoti_compare_in in,
                          uint64_t hash, int refused, struct eyoti_compared *out, bool *differ);
#endif
