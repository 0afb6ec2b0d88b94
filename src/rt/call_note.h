/* SPDX-License-Identifier: BSD-3-Clause */
/* call_note.h - the collective calls that a unit has made last, for a report of all units' calls.
 * Noted where units share a process (a simulator), which can read those of others. */
#ifndef EYOT_RT_CALL_NOTE_H
#define EYOT_RT_CALL_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#define EYOTI_CALLS_NOTED 2u /* the one that runs, and the one before it, which others may be in */
#define EYOTI_ARGS_WORDS 192u

struct eyoti_call_note {
  const void *set;  /* the team's members: one pointer for the units of a process */
  uint64_t team;    /* its handle's id; 0: no call */
  uint32_t number;  /* of the call among the team's, from 1 */
  const char *name; /* of the public function, and */
  const void *site; /* where it was called */
  const char *of;   /* an interface's function whose plan the call starts; else NULL */
  /* Writes what the arguments were, as " with root 0, 8 bytes"; NULL: they are not noted. */
  const char *(*words)(const struct eyoti_call_note *n, char text[EYOTI_ARGS_WORDS]);
  uint32_t function, form, root, type, op, sync, algorithm, radix; /* coll's own */
  uint64_t count;
  uint32_t width; /* of an element of an operator of the program; 0: it is none */
  bool commutative;
};

/* Those of a unit; the last one has index (n - 1) % EYOTI_CALLS_NOTED. */
struct eyoti_call_notes {
  uint32_t n;
  struct eyoti_call_note call[EYOTI_CALLS_NOTED];
};

/* The last call, which may change its note. */
static inline struct eyoti_call_note *eyoti_call_noted(struct eyoti_call_notes *c) {
  return &c->call[(c->n - 1) % EYOTI_CALLS_NOTED];
}
#endif
