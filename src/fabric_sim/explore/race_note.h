/* SPDX-License-Identifier: BSD-3-Clause */
/* race_note.h - the race adapter's notes: one for each operation that its unit does not know to be
 * complete, or whose signal has not acted, found by the engine's operation, by unit, and by unit
 * and target. For race.c. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_RACE_NOTE_H
#define EYOT_FABRIC_SIM_EXPLORE_RACE_NOTE_H

#include "base/check.h"
#include "check/race/race.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/explore/race.h"

#define SIM_RACE_NONE UINT32_MAX

/* An operation that its unit does not know to be complete, or whose signal has not acted. */
struct race_note {
  struct chk_race_op *op;
  uint32_t unit, target;
  fab_set_t set;
  uint32_t index;      /* of the engine's operation, unless it has been reused for another */
  uint32_t next, prev; /* the unit's list; next also links free notes */
  /* of the bucket by unit and target; prev_there: the note that points to this one, or
   * SIM_RACE_NONE for the bucket itself */
  uint32_t next_there;
  uint32_t prev_there;
  bool due;     /* its signal, or a put that a waiter may see, has not acted */
  bool known;   /* the unit knows; it is in no list */
  bool get;     /* complete when its result has landed */
  uint8_t here; /* enum here */
};

/* The flush by which the unit knows of its local completion. Lists are newest first, so all notes
 * after one that a flush has completed are completed too. */
enum here {
  HERE_NOT = 0,
  HERE_SET /* a flush of its set alone, which covers only some of the notes after it */,
  HERE_TARGET /* a flush of the target */,
  HERE_ALL /* a flush of all */
};

struct sim_race {
  struct sim_observer observer;
  struct chk_race *race;
  struct sim_world *w;
  struct sim_suppress *suppress;
  uint8_t *hidden; /* explored runs: by report, enum race_hidden */
  uint32_t hidden_cap;
  const char *base; /* start of the first unit's copy of the program */
  struct race_note *note;
  uint32_t n_notes, notes_cap, free;
  uint32_t *of_op; /* the note of the engine's operation with that index */
  uint32_t ops_cap;
  uint32_t *head; /* the head of each unit's list */
  /* The same notes by unit and target: a flush of one target among thousands must not visit all. */
  uint32_t *there;
  uint32_t n_there; /* a power of 2 */
  /* the memory of each report, in words as they were when it was found; timed runs only */
  char (*where)[EYOTI_WORDS];
  struct sim_owners *owners; /* timed runs only */
};

/* Panics if p is NULL, which is out of memory; else returns p. */
void *sim_race_must(void *p);

/* Makes a note, without a detector's operation yet, for an operation that was posted. */
uint32_t sim_race_note_new(struct sim_race *x, const struct sim_op *op);
/* Frees the entry of an operation that gets no note. */
void sim_race_note_none(struct sim_race *x, const struct sim_op *op);
/* SIM_RACE_NONE: it has none. */
uint32_t sim_race_note_of(const struct sim_race *x, const struct sim_op *op);
/* The unit knows that the operation is complete. */
void sim_race_note_known(struct sim_race *x, uint32_t i);
/* The operation has taken effect. If the unit knows of its completion, or will learn nothing from
 * it, the note is freed. */
void sim_race_note_acted(struct sim_race *x, uint32_t i);
/* The first note of the list that has those of this unit and target, among others. */
uint32_t sim_race_note_there(const struct sim_race *x, uint32_t unit, uint32_t target);
void sim_race_notes_init(struct sim_race *x);
void sim_race_notes_restart(struct sim_race *x);
void sim_race_notes_fini(struct sim_race *x);
#endif
