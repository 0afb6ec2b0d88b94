/* SPDX-License-Identifier: BSD-3-Clause */
/* owned.h - buffers whose ownership passes between units (eyot/own.h): memory, owner and pools; for
 * msg, which passes them. Thread rule: one thread of a unit at a time. */
#ifndef EYOT_GMEM_OWNED_H
#define EYOT_GMEM_OWNED_H

#include <eyot/own.h>

#include "rt/rt.h"

enum eyoti_owned_state {
  EYOTI_OWNED_FREE = 0,
  EYOTI_OWNED_HELD,
  EYOTI_OWNED_GIVEN,
  EYOTI_OWNED_LENT,     /* its owner has lent it, `loans` times */
  EYOTI_OWNED_BORROWED, /* what its owner was lent by a unit of another node: a copy */
  EYOTI_OWNED_SPLIT     /* its parts have owners */
};

/* In front of each buffer, or of a part in its split's record. Only the unit that owns it, or has
 * owned it last, changes it. */
struct eyoti_owned {
  uint64_t magic;
  uint64_t capacity; /* bytes of the buffer */
  uint32_t owner, state;
  const void *changed;          /* the call that has made it so; the address is the owner's */
  struct eyoti_owned *next;     /* in a pool; of a part, in its owner's table */
  uint32_t home;                /* the unit in whose heap it lies */
  uint32_t loans;               /* that its owner has not completed */
  uint64_t off;                 /* there, of this head; of a part, 64 bytes before its bytes */
  struct eyoti_owned_split *of; /* it is a part of that; NULL: it is none */
};
_Static_assert(sizeof(struct eyoti_owned) == 64, "buffers stay aligned to 64 bytes");

/* A part of a split buffer: its head, and where its bytes are. */
struct eyoti_part {
  struct eyoti_owned head;
  void *bytes;
  uint64_t unused[7]; /* heads of units that write at the same time share no line */
};
/* The record of a split, in a buffer of its own. */
struct eyoti_owned_split {
  uint64_t left; /* parts that were not freed; an atomic of the fabric's */
  struct eyoti_owned *whole;
  uint64_t unused[6];
  struct eyoti_part part[];
};

static inline void *eyoti_owned_bytes(struct eyoti_owned *o) {
  return o->of != NULL ? ((struct eyoti_part *)o)->bytes : o + 1;
}

/* Makes a buffer of the caller's. Errors: ENOMEM (logged). */
int eyoti_owned_new(struct eyot_rt *rt, uint64_t bytes, struct eyoti_owned **out);
/* The buffer p, which the caller must own, and must not have lent. Errors: EINVAL, ESEG, EBUSY
 * (logged). */
int eyoti_owned_find(struct eyot_rt *rt, const void *p, struct eyoti_owned **out);
/* The same, and it may be lent. Errors: EINVAL, ESEG (logged). */
int eyoti_owned_find_lent(struct eyot_rt *rt, const void *p, struct eyoti_owned **out);
/* Releases one that the caller owns, or has given and nobody can take. Errors: the fabric's. */
int eyoti_owned_drop(struct eyot_rt *rt, struct eyoti_owned *o);
/* The pool of the unit, made at first use: before eyoti_owned_adopt. Errors: ENOMEM. */
int eyoti_owned_pool(struct eyot_rt *rt);
/* Releases a buffer that was given to the caller, and that it has not adopted: as drop, or it goes
 * home. Errors: the fabric's. */
int eyoti_owned_return(struct eyot_rt *rt, struct eyoti_owned *o);
/* The caller gives it away; or takes over what was given to it, what it could not give, or what it
 * has borrowed and keeps. Local. */
void eyoti_owned_give(struct eyot_rt *rt, struct eyoti_owned *o);
void eyoti_owned_adopt(struct eyot_rt *rt, struct eyoti_owned *o);
/* The owner lends it once more; or a loan is over. Local. */
void eyoti_owned_lend(struct eyot_rt *rt, struct eyoti_owned *o);
void eyoti_owned_regain(struct eyot_rt *rt, struct eyoti_owned *o);
/* A buffer of the caller's is now what it has borrowed. Local. */
void eyoti_owned_borrow(struct eyot_rt *rt, struct eyoti_owned *o);
/* At eyot_finalize: warns of buffers that the unit still owns. Frees the pool's table. Local. */
void eyoti_owned_list(struct eyot_rt *rt);
void eyoti_owned_stop(struct eyot_rt *rt);
#endif
