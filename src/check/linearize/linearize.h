/* SPDX-License-Identifier: BSD-3-Clause */
/* linearize.h - the verdict over a recorded history: linearizable or not, and if not, which
 * operation has no place.
 *
 * Why it exists: a history is linearizable if and only if it is so object by object (Herlihy, Wing
 * 1990, theorem 1), and for maps and sets key by key (Horn, Kroening: Faster linearizability
 * checking via P-compositionality, FORTE 2015, section 3), so long histories fall apart into short
 * searches. And a user wants to know why: since every beginning of a linearizable history is
 * linearizable, there is a first return that cannot be explained any more. That is what is told. */
#ifndef EYOT_CHECK_LINEARIZE_LINEARIZE_H
#define EYOT_CHECK_LINEARIZE_LINEARIZE_H

#include <stdio.h>

#include "check/linearize/search.h"

struct chk_lin_verdict {
  enum chk_lin_answer answer;
  uint64_t configurations; /* entered, over all parts; without those for the explanation */
  uint32_t n_parts;        /* objects and keys */

  /* CHK_LIN_NO and CHK_LIN_UNDECIDED: the part that is meant, the only one or the first. */
  uint32_t object;
  bool keyed;
  uint64_t key;
  uint32_t part_ops, part_returns;
  uint32_t explained; /* so many returns of the part, from the first on, can be explained */
  bool out_of_memory; /* why CHK_LIN_UNDECIDED; else there were more configurations than allowed */

  /* CHK_LIN_NO. */
  /* id: its return is the first that cannot be explained; if order is NULL, an earlier one may
   * be */
  uint32_t failed;
  /* ids in the order of calls: operations of the part at the same time as failed, and itself */
  uint32_t *overlap, n_overlap;
  /* ids: an order of the operations before that return; NULL if it was too hard to find */
  uint32_t *order, n_order;
  char state[CHK_LIN_STATE_TEXT]; /* with order: what the object is after it, in words */
};

/* Enters at most max_configurations, all parts together, and then is undecided; a part that is not
 * linearizable goes before one that is undecided. Errors: ENOMEM (logged; there is no verdict). The
 * memory of a search that runs out of it is an undecided verdict, not an error. */
int chk_lin_check(const struct chk_history *h, uint64_t max_configurations,
                  struct chk_lin_verdict *v);
void chk_lin_verdict_fini(struct chk_lin_verdict *v);
/* For a reader: some lines that say what v says, with the operations that matter and their
 * intervals. h: as it was checked. */
void chk_lin_explain(const struct chk_history *h, const struct chk_lin_verdict *v, FILE *out);
#endif
