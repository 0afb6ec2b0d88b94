/* SPDX-License-Identifier: BSD-3-Clause */
/* linearize.h - decides whether a recorded history is linearizable, and names the first return that
 * has no explanation. For fabric_sim/explore, which asks after each run of eyotcheck.
 *
 * Why it exists: a history is linearizable if and only if it is so for each object (Herlihy, Wing:
 * Linearizability, TOPLAS 1990, theorem 1), and for maps and sets for each key (Horn, Kroening:
 * Faster linearizability checking via P-compositionality, FORTE 2015, section 3), so a long history
 * divides into short searches. Every prefix of a linearizable history is linearizable; therefore a
 * failing history has a first return that cannot be explained, and the verdict names it.
 *
 * Thread rule: one thread. */
#ifndef EYOT_CHECK_LINEARIZE_LINEARIZE_H
#define EYOT_CHECK_LINEARIZE_LINEARIZE_H

#include <stdio.h>

#include "check/linearize/search.h"

struct chk_lin_verdict {
  enum chk_lin_answer answer;
  uint64_t configurations; /* entered, over all parts; those for the explanation don't count */
  uint32_t n_parts;        /* objects and keys */

  /* Of CHK_LIN_NO and CHK_LIN_UNDECIDED: the failing or undecided part, or the first one. */
  uint32_t object;
  bool keyed;
  uint64_t key;
  uint32_t part_ops, part_returns;
  uint32_t explained; /* how many of the part's first returns can be explained */
  bool out_of_memory; /* why CHK_LIN_UNDECIDED; false: the limit of configurations was reached */

  /* CHK_LIN_NO. */
  /* id: its return is the first that cannot be explained; if order is NULL, an earlier one may
   * be */
  uint32_t failed;
  /* ids in the order of calls: the operations of the part that overlap `failed`, and itself */
  uint32_t *overlap, n_overlap;
  /* ids: an order of the operations before that return; NULL if the search for one was too hard */
  uint32_t *order, n_order;
  char state[CHK_LIN_STATE_TEXT]; /* with order: the state of the object after it, in words */
};

/* Enters at most max_configurations over all parts, then the verdict is undecided; a part that is
 * not linearizable takes precedence over an undecided one. Errors: ENOMEM (logged; there is no
 * verdict). If a search runs out of memory, the verdict is undecided and there is no error. */
int chk_lin_check(const struct chk_history *h, uint64_t max_configurations,
                  struct chk_lin_verdict *v);
void chk_lin_verdict_fini(struct chk_lin_verdict *v);
/* Prints a verdict as text for the user, with the operations that matter and their intervals. h:
 * the history that was checked. */
void chk_lin_explain(const struct chk_history *h, const struct chk_lin_verdict *v, FILE *out);
#endif
