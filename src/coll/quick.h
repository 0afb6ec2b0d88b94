/* SPDX-License-Identifier: BSD-3-Clause */
/* quick.h - a blocking call that is made again, among units whose memory is mapped here: its plan
 * runs by loads and stores alone. For call.c, and the files that define public functions.
 *
 * Why it exists: a message of 8 bytes between two cores takes some 30 to 60 ns, and the general
 * way, by call.c, run.c, the channel and the fabric, 1,000 instructions of the sender. Here a step
 * is a few: the places in the members' boards are added up, nothing is looked up or recorded, as a
 * copy by the processor is complete at once. What goes to others is the same, byte for byte, so a
 * member may take either way in any call; and where a wait takes longer than a few microseconds, or
 * a word shows that calls differ, run.c goes on with the same operation. */
#ifndef EYOT_COLL_QUICK_H
#define EYOT_COLL_QUICK_H

#include "coll/call.h"

/* What is found out once of a plan that can be run so, on the plan. */
struct eyoti_quick;

/* Whether calls can be run so now, in view of the endpoint that is first: stores stand for its
 * signals, or it has messages. */
static inline bool eyoti_quick_may(const struct fab *f) {
  return f->cpu_atomics || f->ops->message != NULL;
}
/* Looks whether a kept plan can be run so, at its first use again. */
bool eyoti_quick_look(struct eyoti_channel *ch, struct eyoti_plan *p);
static inline bool eyoti_quick_can(struct eyoti_channel *ch, struct eyoti_plan *p) {
  if (!eyoti_quick_may(ch->rt->fab)) return false;
  return p->quick != NULL || (!p->slow && eyoti_quick_look(ch, p));
}
/* Begins to fetch the lines that the next operation's first message will write: they are in the
 * receiver's cache, and come while the call is noted. */
void eyoti_quick_fetch(const struct eyoti_channel *ch, const struct eyoti_plan *p);
/* The next operation of the channel, of a call that has no other, in the caller's buffers; `by`:
 * its combiner. Blocks. Errors: as of eyoti_run_go. */
int eyoti_quick_run(struct eyoti_channel *ch, const struct eyoti_plan *p, const void *in, void *out,
                    const struct eyoti_combiner *by, uint32_t hash);

/* quick_call.c. A blocking call as a public function has it; what it does not have is 0. */
struct eyoti_quick_call {
  enum eyoti_coll_function function;
  uint32_t root;
  eyot_type_t type;
  eyot_op_t op;
  uint64_t count; /* as in eyoti_coll_args */
  const void *in;
  void *out;
};
/* Makes the call, if it was made before and nothing in it is wrong or has to be seen by a checker:
 * *rc is its result. False: nothing was done. The caller has entered eyot. */
bool eyoti_quick_called(struct eyot_rt *rt, eyot_team_t team, const struct eyoti_quick_call *q,
                        int *rc);
/* Returns the result from the function that has been called, if so. */
#define EYOTI_QUICK(rt, team, ...)                                           \
  do {                                                                       \
    int quick_rc_;                                                           \
    struct eyoti_quick_call quick_ = {__VA_ARGS__};                          \
    if (eyoti_quick_called(rt, team, &quick_, &quick_rc_)) return quick_rc_; \
  } while (0)
#endif
