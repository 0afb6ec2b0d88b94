/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.h - one simulated unit: its endpoint, its clock, what it waits for, what it has in
 * flight.
 *
 * Why it exists: thousands live in one process, so this is all that a unit costs beside its stack
 * and its memory. Nothing in it grows with the number of units. */
#ifndef EYOT_FABRIC_SIM_ENGINE_UNIT_H
#define EYOT_FABRIC_SIM_ENGINE_UNIT_H

#include <string.h>

#include "fabric/fabric.h"
#include "fabric_sim/engine/op.h"
#include "fabric_sim/program/program.h"
#include "rt/rt.h"

struct sim_world;
struct sim_attached; /* seg.h */

enum sim_state {
  SIM_RUNNING = 0,  /* it has the processor */
  SIM_ASLEEP,       /* until its own wake event: start, yield, compute, flush, request of a put */
  SIM_WAIT_OP,      /* until wait_op lands */
  SIM_WAIT_WORD,    /* until a delivery makes the word true, or a timeout */
  SIM_WAIT_ANY,     /* the same for any of several words */
  SIM_WAIT_SEGMENT, /* until another unit has destroyed its part of an old segment */
  SIM_WAIT_BEGIN,   /* at eyot_check_begin or eyot_check_end, until all are */
  SIM_ENDED         /* returned or exited: never runs again */
};

/* What the unit did last, for diagnostics. */
enum sim_call {
  SIM_CALL_NONE = 0,
  SIM_CALL_PUT,
  SIM_CALL_GET,
  SIM_CALL_AMO,
  SIM_CALL_SIGNAL,
  SIM_CALL_REQ,
  SIM_CALL_FLUSH,
  SIM_CALL_ORDER,
  SIM_CALL_WAIT_MEM,
  SIM_CALL_SEGMENT,
  SIM_CALL_TIME,
  SIM_CALL_CLOSE
};
#define SIM_CALLS 12u
struct sim_last {
  const char *what; /* the eyot function */
  uint64_t off;
  uint32_t unit, seg;
  uint32_t len; /* saturates */
  uint8_t call; /* enum sim_call */
  bool waited;  /* and has begun to wait for a word after that */
};

struct sim_wait {
  uint64_t *word;
  uint64_t value;
  uint64_t off;
  uint32_t seg;
  uint32_t cmp; /* enum fab_cmp */
};

/* In SIM_WAIT_ANY: the conditions are the caller's, so that a unit is no larger for them. */
struct sim_wait_any {
  const struct fab_cond *conds;
  uint32_t n;
};

/* The last writes of words of this unit, as a ring: to name who wrote the word that a deadlock is
 * about, and to notice what was written and is gone again. Small runs, in which mistakes are looked
 * for, remember more: with thousands of units each line of memory counts. */
#define SIM_WRITES_MANY 32u
#define SIM_WRITES_FEW 4u
#define SIM_WRITES_MANY_UNITS 256u /* up to so many units have many */
#define SIM_WRITE_SEEN (1u << 31)
struct sim_write {
  uint32_t word; /* address / 8, lower bits */
  /* unit + 1, 0: none; SIM_WRITE_SEEN: the unit has waited for the word since, and seen this or
   * what came after it */
  uint32_t by;
  uint64_t value;
};

/* What a report wants to know of the unit's words. */
struct sim_words {
  struct sim_write *ring;
  uint32_t n;       /* writes so far */
  uint32_t mask;    /* number of places in the ring - 1 */
  uint64_t held_ps; /* in a wait: when a delivery last made the word as wanted; 0: none did */
  uint64_t held_value;
};

enum sim_end {
  SIM_END_NOT = 0,
  SIM_END_RETURNED,
  SIM_END_EXITED,
  SIM_END_ABORTED,
  SIM_END_CRASHED /* fault/fault.h */
};

/* In cache lines of what is used together: an operation between two of thousands of units should
 * touch few of them. */
struct sim_unit {
  struct fab fab; /* first: the endpoint that the layers above hold */
  struct sim_world *world;

  /* running and waiting */
  uint64_t local_ps; /* its clock; ahead of the world's by what it has spent since it woke */
  uint64_t wake_tag; /* tag of its valid wake event; others of it are stale. 0: none */
  uint64_t wake_ps;  /* and its time */
  union {
    struct sim_wait wait;
    struct sim_wait_any wait_any;
  };
  uint32_t listed; /* number of unfinished operations */
  uint8_t state;   /* enum sim_state */
  uint8_t end;     /* enum sim_end */
  bool inject_armed : 1, closed : 1;
  bool in_exchange : 1; /* of the control plane; the race detector looks at exchanges as a whole */
  uint8_t sweep_log;    /* the list is swept when it is 2 to this long */

  /* posting */
  struct sim_op *head, *tail; /* unfinished operations in the order of posting */
  struct sim_op *inject;      /* the first of them that the NIC has not got */
  /* puts that it has waited for are visible to everybody by then (same-node store buffer) */
  uint64_t release_ps;
  uint64_t fence_ps; /* no operation in flight that an order covers is visible after this */
  struct sim_libc libc;

  /* diagnostics */
  struct sim_last last;
  struct sim_words words;
  struct sim_write few[SIM_WRITES_FEW]; /* the ring of units that remember little */

  struct eyot_rt rt;
  uint32_t segs_made; /* calls of seg_create so far: the n-th makes the run's n-th segment */
  const struct sim_op *wait_op;
  struct sim_attached *attached;
  const char *phase;
  uint64_t phase_since_ps;
  uint32_t phase_index;
  int exit_code;
  uint64_t host_ns;      /* compute=measured: when it got the processor or left its last call */
  const char *stack_top; /* about where its stack begins; NULL: not started */
  uint32_t segs_live;    /* segments that it has created and not destroyed */
  int lost_err; /* of an operation without request that was reaped before a flush could tell */
  uint32_t lost_unit; /* its target; FAB_ALL: several */
  char **argv;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct sim_unit, local_ps) == 64, "the clock begins the second cache line");
_Static_assert(offsetof(struct sim_unit, head) == 128, "the operations begin the third cache line");
_Static_assert(offsetof(struct sim_unit, last) == 192, "diagnostics begin the fourth cache line");
_Static_assert(offsetof(struct sim_unit, few) == 256, "the last writes have the fifth cache line");
_Static_assert(offsetof(struct sim_unit, fab) == 0, "the endpoint is the first member of the unit");

static inline struct sim_unit *sim_unit_of(struct fab *f) {
  return (struct sim_unit *)(void *)f;
}
static inline const struct sim_unit *sim_unit_of_const(const struct fab *f) {
  return (const struct sim_unit *)(const void *)f;
}

/* unit.c. Where a unit starts: runs the program's main, then parks. Of type sim_exec_body; arg is
 * the world. */
void sim_unit_body(void *world, uint32_t i);
/* Gives the processor back; returns when the unit is run again. */
void sim_unit_block(struct sim_unit *u, enum sim_state state);
/* From the scheduler: runs it to its next block. */
void sim_unit_run(struct sim_unit *u);
/* With time: what the unit waits for has happened. Runs it, or, if it is still busy by its own
 * clock, schedules that. */
void sim_unit_ready(struct sim_unit *u);
/* Lets everything up to the unit's own clock happen. On return the world's clock is at or past
 * it. */
void sim_unit_yield(struct sim_unit *u);
/* The unit is over. Does not return. */
void sim_unit_end(struct sim_unit *u, enum sim_end how, int code) __attribute__((noreturn));
/* The hook of exit and its kind (struct fab). */
void sim_unit_exit(struct fab *f, int how, int code);
/* Unit `by` has written the word of this unit. What is known of a word that the unit waits for is
 * kept, whatever else is written meanwhile. */
static inline void sim_unit_wrote(struct sim_unit *u, const void *word, uint32_t by) {
  uint32_t key = (uint32_t)((uintptr_t)word / 8), mask = u->words.mask;
  struct sim_write *x = &u->words.ring[u->words.n++ & mask];
  if (u->state == SIM_WAIT_WORD) {
    uint32_t kept = (uint32_t)((uintptr_t)u->wait.word / 8);
    for (uint32_t i = 0; i < mask && x->word == kept && key != kept; i++)
      x = &u->words.ring[u->words.n++ & mask];
  }
  x->word = key;
  x->by = by + 1;
  memcpy(&x->value, word, sizeof x->value);
}
/* The unit has waited for the word, and seen it as it wanted it. */
static inline void sim_unit_saw(struct sim_unit *u, const uint64_t *word) {
  /* it was probably written last; an older one stays a suspect of the report */
  for (uint32_t i = 1; i <= 4; i++) {
    struct sim_write *x = &u->words.ring[(u->words.n - i) & u->words.mask];
    if (x->word != (uint32_t)((uintptr_t)word / 8)) continue;
    x->by |= SIM_WRITE_SEEN;
    return;
  }
}
/* The unit enters the phase `name` (NULL: none). */
void sim_unit_phase(struct sim_unit *u, const char *name);
/* A delivery has made a word that it waits for as it wants it. */
void sim_unit_held(struct sim_unit *u, uint64_t value);
const char *sim_unit_call_name(enum sim_call call);
/* One line on what it did last: "eyot_put, put of 8 bytes to unit 3, segment 0, offset 64". */
void sim_unit_last(const struct sim_unit *u, char *text, size_t size);
#endif
