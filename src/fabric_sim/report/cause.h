/* SPDX-License-Identifier: BSD-3-Clause */
/* cause.h - why one unit is blocked: the history of the word that it waits for. For the files of
 * report/.
 *
 * Why it exists: "the word is 0" does not help. The last writer, a wanted value that was
 * overwritten unseen, or the absence of any write leads to the mistake. All of it comes from the
 * few writes that a unit remembers (engine/unit.h), so "not known" is an answer too. */
#ifndef EYOT_FABRIC_SIM_REPORT_CAUSE_H
#define EYOT_FABRIC_SIM_REPORT_CAUSE_H

#include <stdio.h>

#include "fabric_sim/engine/unit.h"

#define SIM_NO_UNIT UINT32_MAX

enum sim_cause_kind {
  SIM_CAUSE_NONE = 0, /* it does not wait for a word */
  /* the word had the wanted value, unseen, and was changed by unit `over`, which may be the unit
   * itself, or is unknown (SIM_NO_UNIT) */
  SIM_CAUSE_LOST,
  SIM_CAUSE_QUEUE,    /* it waits in a lock's queue after `by`, to which it has linked itself */
  SIM_CAUSE_WRITER,   /* `by` wrote the word last */
  SIM_CAUSE_NOBODY,   /* no unit has written it so far; `by`, if known, is to */
  SIM_CAUSE_FORGOTTEN /* it was written too long ago, or never */
};

struct sim_cause {
  enum sim_cause_kind kind;
  uint32_t by, over; /* units, or SIM_NO_UNIT */
  uint64_t value;    /* LOST: the wanted value that it had */
  bool has_sign;     /* of value */
  uint64_t held_ps;  /* LOST: when, if that was while the unit waited; 0: before */
};

/* Returns the cause of the whole wait. Of several words, the one that explains most. */
struct sim_cause sim_cause_of(const struct sim_unit *u);
/* Returns the cause for condition i of a wait for any. */
struct sim_cause sim_cause_of_any(const struct sim_unit *u, uint32_t i);
/* Returns the cause for a word of the unit that others poll: WRITER, NOBODY or FORGOTTEN. */
struct sim_cause sim_cause_of_word(const struct sim_unit *u, const void *word);
/* Returns the unit that is waited for, if known, or SIM_NO_UNIT. */
uint32_t sim_cause_waits_for(const struct sim_cause *c);
/* Prints ", last written by unit 3, which has ended", which follows the description of a wait of
 * unit u. */
void sim_cause_print(const struct sim_unit *u, const struct sim_cause *c, FILE *out);
#endif
