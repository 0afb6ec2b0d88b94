/* SPDX-License-Identifier: BSD-3-Clause */
/* past.h - the one-way calls of a team that a member has made since the last call that compares
 * with all members, and the comparison of what members have made. For the files of src/coll.
 *
 * Why it exists: a one-way call that differs may reach nobody. What finds it later, a call that
 * compares, the end of the team or of the run, knows that calls differed, but runs in another
 * place; so each member keeps where it made its last calls, and what it passed. */
#ifndef EYOT_COLL_PAST_H
#define EYOT_COLL_PAST_H

#include "coll/call.h"

#define EYOTI_PAST_KEPT 8u /* calls, and arguments */

/* What calls of one hash have passed. */
struct eyoti_past_args {
  struct eyoti_call_note note; /* its site and its number are not set */
  uint32_t hash;
  uint32_t stamp; /* the time of its last use */
  bool refused;
};

struct eyoti_past {
  const void *site[EYOTI_PAST_KEPT]; /* of calls, by number, */
  uint32_t hash[EYOTI_PAST_KEPT];    /* and of what they have passed */
  uint32_t stamp;
  struct eyoti_past_args args[EYOTI_PAST_KEPT];
};

/* Notes a one-way call. Its arguments were noted before. */
static inline void eyoti_past_add(const struct eyot_rt *rt, struct eyoti_coll_team *ct,
                                  uint32_t hash) {
  struct eyoti_past *past = ct->past;
  uint32_t i = ct->one_way++ % EYOTI_PAST_KEPT;
  if (__builtin_expect(past == NULL, 0)) return;
  const void *marked = rt->fast.caller.site; /* eyoti_rt_site, but for calls inside others */
  past->site[i] = __builtin_expect(marked != NULL, 0) ? marked : rt->site;
  past->hash[i] = hash;
}
/* Notes one that is made the first time, or has no plan that is kept, with its arguments. hash: of
 * these, after nothing. Without memory, and in large teams, messages name no call. */
void eyoti_past_enter(struct eyoti_coll_team *ct, const struct eyoti_coll_args *a, uint32_t hash,
                      bool refused);

/* eyoti_coll_next_hash of a blocking call whose kept plan is its only operation. */
static inline uint32_t eyoti_coll_again_hash(const struct eyot_rt *rt, struct eyoti_coll_team *ct,
                                             const struct eyoti_plan *p) {
  uint32_t before = ct->history, own = p->hash;
  if (p->compares) {
    ct->history = ct->one_way = 0;
    return before == 0 ? own : eyoti_coll_hash_after(own, before);
  }
  ct->history = eyoti_coll_hash_after(own, before);
  eyoti_past_add(rt, ct, own);
  return own;
}

/* Compares the one-way calls of all members, which no receiver may have found to differ, by an
 * exchange that no other function has. Collective. Errors: EMISMATCH (logged, with two calls that
 * differ, if they are known), on all members; !*met: for members have called other functions, and
 * the team goes on; the fabric's. */
int eyoti_past_compare(struct eyot_rt *rt, struct eyoti_team *t, bool *met);
/* The same of all teams but EYOT_TEAM_ALL that are left at the end of the run. All units are in
 * eyot_finalize, and nothing that they have sent before is on its way. Collective; members that do
 * not have a team, for making or destroying it has failed there, are waited for, 10 seconds at most
 * for all teams. Errors: as of eyoti_past_compare, ENOMEM. */
int eyoti_past_compare_left(struct eyot_rt *rt);
#endif
