/* SPDX-License-Identifier: BSD-3-Clause */
/* step_state.h - the state of a step report, shared by step_report.c, which records what the lines
 * of text need, and step_picture.c, which adds what only pictures show. Not for other files. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_STEP_STATE_H
#define EYOT_FABRIC_SIM_EXPLORE_STEP_STATE_H

#include "check/race/race.h"
#include "check/steps/steps.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/program/site.h"

/* An aligned word, or half of one, that the step may change. */
struct watched {
  unsigned char *at; /* NULL: none */
  uint32_t width;
  uint64_t old;
};

/* The race that has failed the run. */
struct step_race {
  bool found;
  struct chk_race_report report;
  uint32_t first, second; /* the events of its accesses, or CHK_STEPS_NONE */
  char first_where[SIM_DETECT_WHERE], second_where[SIM_DETECT_WHERE];
  bool shmem; /* between calls of OpenSHMEM */
};

struct sim_step_report {
  struct chk_steps steps;
  char noun[CHK_STEPS_LABEL]; /* "PE" */
  struct sim_sites *sites;
  uint64_t most;   /* steps that are printed */
  uint64_t from;   /* the last step that is not recorded for a picture */
  uint32_t *op_of; /* by process: the operation's index + 1; 0: not recorded */
  uint32_t op_of_cap;
  uint32_t last; /* the last event of this step that is a line of text */
  struct watched data, signal;
  /* pictures */
  bool pictured;
  struct sim_observer observer; /* of completions and orders */
  uint32_t *open;               /* operations that their units do not know to be complete */
  uint32_t n_open, open_cap;
  struct step_race race;
};

static inline bool sim_steps_recorded(const struct sim_step_report *t, const struct sim_world *w) {
  if (t == NULL) return false;
  uint64_t step = w->untimed->run->steps;
  return t->pictured ? step > t->from : step <= t->most;
}

/* step_report.c. An event of the current step. */
struct chk_event sim_steps_event(const struct sim_world *w, enum chk_event_kind kind,
                                 uint32_t unit);
/* Sets the place of the unit's call: for lines, and as a number that all units share. */
void sim_steps_site(struct sim_step_report *t, const struct sim_unit *u, struct chk_event *e);
/* The record of the operation; CHK_STEPS_NONE: none. */
uint32_t sim_steps_op(const struct sim_step_report *t, const struct sim_op *op);

/* step_picture.c. */
void sim_steps_picture_open(struct sim_step_report *t, struct sim_world *w);
/* Writes the files; whether all could be written. */
bool sim_steps_picture_write(const struct sim_step_report *t, const struct sim_world *w,
                             const struct sim_step_pictures *pictures);
/* Sets what the unit waits for, or waited for until now. */
void sim_steps_wait(struct sim_step_report *t, const struct sim_unit *u, struct chk_event *e);
#endif
