/* SPDX-License-Identifier: BSD-3-Clause */
/* search.h - is there an order of the operations on one object that its model allows and
 * that respects who returned before who was called?
 *
 * Why it exists: the question is NP-complete (Gibbons, Korach: Testing shared memories, SIAM J.
 * Comput. 26, 1997, section 3), so how it is searched decides what can be checked. The search of
 * Wing and Gong (Testing and verifying concurrent objects, JPDC 17, 1993, section 4) tries at each
 * point every operation that may be next. What is added, from Lowe (Testing for linearizability,
 * Concurrency and Computation 29(4), 2017, sections 4 and 5): an operation is put in its place no
 * earlier than at the return of one that needs it (just in time), and a configuration - how far,
 * which of the open operations have their place, state of the object - from which nothing leads to
 * the end is remembered and not entered again.
 *
 * Two things of our own. An operation that can have its result now and never changes anything with
 * it (CHK_LIN_SAME) gets its place at once, without alternatives: in any order that gives it a
 * later place it can be moved here. And a model may say from what it knows of the end in which
 * order to try, and which states are dead (rank and dead in models.h); without it a queue of n
 * values put in by two units at a time has 2^(n/2) states. That needs values that are put in once:
 * histories with equal values are judged rightly, but may be too hard when hundreds of them are in
 * at a time. */
#ifndef EYOT_CHECK_LINEARIZE_SEARCH_H
#define EYOT_CHECK_LINEARIZE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "check/linearize/models.h"

enum chk_lin_answer { CHK_LIN_YES = 0, CHK_LIN_NO, CHK_LIN_UNDECIDED };

/* Operations on one object, or on one key of it. */
struct chk_lin_part {
  const struct chk_lin_model *model;
  uint64_t param;
  const struct chk_lin_op *ops; /* of the whole history */
  /* of the whole history: which operation of its part, in the order of calls */
  const uint32_t *local;
  const uint32_t
      /* calls and returns as in struct chk_history; the first n_events count: what has not returned
       * by then is pending */
      *events;
  uint32_t n_events;
};

#define CHK_LIN_STATE_TEXT 256u

struct chk_lin_found {
  enum chk_lin_answer answer;
  bool out_of_memory; /* why CHK_LIN_UNDECIDED; else more configurations than allowed */
  uint32_t returns;   /* that many from the beginning can be explained together, maybe more */
  /* CHK_LIN_YES and wanted: ids in the order found, from snapshot/mem.h; else NULL */
  uint32_t *order;
  uint32_t n_order;
  uint64_t configurations;
  char state[CHK_LIN_STATE_TEXT]; /* with order: how the object is left, in words */
};

/* Enters at most max_configurations. want_order: fill order and state. */
void chk_lin_search(const struct chk_lin_part *part, uint64_t max_configurations, bool want_order,
                    struct chk_lin_found *f);
#endif
