/* SPDX-License-Identifier: BSD-3-Clause */
/* owners.h - who owns the buffers of eyot/own.h, and since which call: what fab_check.owned tells.
 * For the detector `owner` (detect_owner.c), and for races, which name the buffer where they meet.
 * Their state belongs to one run, in ordinary memory. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_OWNERS_H
#define EYOT_FABRIC_SIM_EXPLORE_OWNERS_H

#include "base/object.h"
#include "fabric_sim/explore/detect_call.h"

/* A buffer: who has it, since which call. */
struct sim_owned {
  uintptr_t begin, end;
  enum fab_owned state; /* HELD, LENT, GIVEN or FREED */
  uint32_t unit;        /* that holds it, or did last */
  struct sim_detect_call made, by;
  uint32_t *reader; /* units that have borrowed it, one entry for each loan */
  uint32_t n_readers, readers_cap;
};

/* Ascending and disjoint. */
struct sim_owners {
  struct sim_owned *at;
  uint32_t n, cap;
};

struct sim_owners *sim_owners_new(void); /* NULL: out of memory */
void sim_owners_delete(struct sim_owners *t);
/* The unit has told who may access the buffer [p, p + len). Panics when out of memory. */
void sim_owners_note(struct sim_owners *t, const struct sim_unit *u, const void *p, uint64_t len,
                     enum fab_owned how);
/* The index of the first buffer that ends after p. */
uint32_t sim_owners_after(const struct sim_owners *t, uintptr_t p);
/* Whether the unit has borrowed the buffer; *where: its entry. */
bool sim_owned_reads(const struct sim_owned *o, uint32_t unit, uint32_t *where);
/* "owns since", "has given away in" and the like, before the call o->by. */
const char *sim_owned_state(const struct sim_owned *o);
/* Writes "offset 16 of the buffer (1024 bytes, eyot_own_alloc at a.c:12 (main)) that unit 1 owns
 * since eyot_own_take at a.c:40 (step)" for a byte of a unit's part of a segment, and returns
 * `words`; NULL: it is in no buffer. brief: "offset 16 of the buffer of a.c:12 (main)". */
const char *sim_owners_words(const struct sim_owners *t, const struct sim_world *w,
                             struct fab_addr at, bool brief, char words[EYOTI_WORDS]);
#endif
