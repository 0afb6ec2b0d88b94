/* SPDX-License-Identifier: BSD-3-Clause */
/* cause.h - why one unit does not go on: what is known of the word that it waits for.
 *
 * Why it exists: "the word is 0" does not help. Who wrote it last, whether it was as wanted and is
 * no more, or whether nobody has ever written it, leads to the mistake. All of it comes from the
 * few writes that a unit remembers (engine/unit.h), so that "not known" is an answer too. */
#ifndef EYOT_FABRIC_SIM_REPORT_CAUSE_H
#define EYOT_FABRIC_SIM_REPORT_CAUSE_H

#include <stdio.h>

#include "fabric_sim/engine/unit.h"

#define SIM_NO_UNIT UINT32_MAX

enum sim_cause_kind {
  SIM_CAUSE_NONE = 0, /* it does not wait for a word */
  /* the word was as wanted, unseen, and was changed: by `over`, the unit itself included, or nobody
   * knows (SIM_NO_UNIT) */
  SIM_CAUSE_LOST,
  SIM_CAUSE_QUEUE,    /* it waits in a lock's queue behind `by`, which it has told so */
  SIM_CAUSE_WRITER,   /* `by` wrote the word last */
  SIM_CAUSE_NOBODY,   /* nobody has written it so far */
  SIM_CAUSE_FORGOTTEN /* it was written too long ago, or never */
};

struct sim_cause {
  enum sim_cause_kind kind;
  uint32_t by, over; /* units, or SIM_NO_UNIT */
  uint64_t value;    /* LOST: what it was, as wanted */
  uint64_t held_ps;  /* LOST: when, if that was while the unit waited; 0: before */
};

/* Of the wait as a whole. Of several words, the one that tells most. */
struct sim_cause sim_cause_of(const struct sim_unit *u);
/* Of condition i of a wait for any. */
struct sim_cause sim_cause_of_any(const struct sim_unit *u, uint32_t i);
/* Of a word of the unit that others poll: WRITER, NOBODY or FORGOTTEN. */
struct sim_cause sim_cause_of_word(const struct sim_unit *u, const uint64_t *word);
/* The unit that is waited for, as far as known, or SIM_NO_UNIT. */
uint32_t sim_cause_waits_for(const struct sim_cause *c);
/* ", last written by unit 3, which has ended": what follows the description of a wait of unit u. */
void sim_cause_print(const struct sim_unit *u, const struct sim_cause *c, FILE *out);
#endif
