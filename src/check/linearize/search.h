/* SPDX-License-Identifier: BSD-3-Clause */
/* search.h - searches for an order of the operations on one object that its model allows and that
 * keeps the order of non-overlapping operations. For linearize.c.
 *
 * Why it exists: the question is NP-complete (Gibbons, Korach: Testing shared memories, SIAM J.
 * Comput. 26, 1997, section 3), so the search decides which histories can be checked. Base: Wing,
 * Gong: Testing and verifying concurrent objects, JPDC 17, 1993, section 4. From Lowe: Testing for
 * linearizability, Concurrency and Computation 29(4), 2017, sections 4 and 5: an operation is
 * placed no earlier than at the return of one that needs it, and failed configurations are
 * remembered.
 *
 * Thread rule: one thread. */

/* Two additions of this project. An operation that can have its result now and never changes
 * anything with it (CHK_LIN_SAME) is placed at once, without alternatives: in any order that places
 * it later it can be moved here. And a model may use what it knows of the end of the history to say
 * in which order to try and which states are dead (rank and dead in models.h); without that a queue
 * of n values put in by two units at a time has 2^(n/2) states. This needs values that are put in
 * once: histories with equal values are judged correctly, but may be too hard when hundreds of them
 * are in at a time. */
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
  /* of the whole history: the number of each operation in its part, in the order of calls */
  const uint32_t *local;
  const uint32_t
      /* calls and returns as in struct chk_history. Only the first n_events count: an operation
       * that has not returned by then is pending */
      *events;
  uint32_t n_events;
};

#define CHK_LIN_STATE_TEXT 256u

struct chk_lin_found {
  enum chk_lin_answer answer;
  bool out_of_memory; /* why CHK_LIN_UNDECIDED; false: the limit of configurations was reached */
  uint32_t returns;   /* at least this many of the first returns can be explained together */
  /* CHK_LIN_YES and want_order: ids in the order found, from snapshot/mem.h; else NULL */
  uint32_t *order;
  uint32_t n_order;
  uint64_t configurations;
  char state[CHK_LIN_STATE_TEXT]; /* with order: the final state of the object, in words */
};

/* Enters at most max_configurations. want_order: also fill `order` and `state`. */
void chk_lin_search(const struct chk_lin_part *part, uint64_t max_configurations, bool want_order,
                    struct chk_lin_found *f);
#endif
