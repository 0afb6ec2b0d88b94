/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.h - one simulated unit: its endpoint, clock, current wait and operations in flight. Both
 * engines, fault/, explore/ and report/ use it, through world.h.
 *
 * Why it exists: thousands of units live in one process, so this struct is all that a unit costs
 * besides its stack and its memory. Its size does not depend on the number of units. Only the unit
 * that runs, or the scheduler between two units, changes it. */
#ifndef EYOT_FABRIC_SIM_ENGINE_UNIT_H
#define EYOT_FABRIC_SIM_ENGINE_UNIT_H

#include <string.h>

#include "fabric/fabric.h"
#include "fabric_sim/engine/target.h"
#include "fabric_sim/program/program.h"
#include "rt/rt.h"

struct sim_world;
struct sim_attached; /* seg.h */

enum sim_state {
  SIM_RUNNING = 0,  /* it runs */
  SIM_ASLEEP,       /* until its own wake event: start, yield, compute, flush, request of a put */
  SIM_WAIT_OP,      /* until wait_op lands */
  SIM_WAIT_WORD,    /* until a delivery makes the condition on the word true, or a timeout */
  SIM_WAIT_ANY,     /* the same for any of several words */
  SIM_WAIT_SEGMENT, /* until another unit has destroyed its part of an old segment */
  SIM_WAIT_BEGIN,   /* at eyot_check_begin or eyot_check_end, until all units are */
  SIM_ENDED         /* returned or exited: never runs again */
};

/* The unit's last call, for diagnostics. */
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
  SIM_CALL_SLEEP,
  SIM_CALL_CLOSE
};
#define SIM_CALLS 13u
struct sim_last {
  const char *what; /* the eyot function */
  uint64_t off;
  uint32_t unit, seg;
  uint32_t len; /* saturates */
  uint8_t call; /* enum sim_call */
  bool waited;  /* it has begun to wait for a word since */
  bool marked;  /* an interface has called it: last_marked of the unit */
};

struct sim_wait {
  const void *word;
  uint64_t value;
  uint64_t off;
  uint32_t seg;
  uint8_t cmp, type; /* enum fab_cmp, enum fab_word */
};

/* In SIM_WAIT_ANY: the conditions are in the caller's memory, and where their words are in that of
 * wait.c, so that they do not enlarge the unit. */
struct sim_wait_any {
  const struct fab_cond *conds;
  struct sim_watched *watched; /* the n words */
  uint32_t n;
  bool sorted; /* watched is, by address */
};
struct sim_watched {
  const char *at;
  uint32_t i; /* of the condition */
  uint32_t bytes;
};

/* The last writes to words of this unit, as a ring: reports name the writer of the word in a
 * deadlock, and detect a value that was written and overwritten again. Small runs, which are used
 * for debugging, remember more: with thousands of units each cache line counts. */
#define SIM_WRITES_MANY 32u
#define SIM_WRITES_FEW 4u
#define SIM_WRITES_MANY_UNITS 256u /* runs of up to this many units have many */
#define SIM_WRITE_SEEN (1u << 31)
#define SIM_WRITE_LOW (1u << 29) /* the halves that were written */
#define SIM_WRITE_HIGH (1u << 30)
#define SIM_WRITE_BOTH (SIM_WRITE_LOW | SIM_WRITE_HIGH)
struct sim_write {
  uint32_t word; /* address / 8, lower bits */
  /* unit + 1, 0: none; the halves; SIM_WRITE_SEEN: the unit has since waited for the word, and seen
   * this value or a later one */
  uint32_t by;
  uint64_t value; /* of the 8 bytes, after the write */
};

/* The record of the unit's words, for reports. */
struct sim_words {
  struct sim_write *ring;
  uint32_t n;       /* writes so far */
  uint32_t mask;    /* number of entries of the ring - 1 */
  uint64_t held_ps; /* in a wait: when a delivery last made the condition true; 0: none did */
  uint64_t held_value;
};

enum sim_end {
  SIM_END_NOT = 0,
  SIM_END_RETURNED,
  SIM_END_EXITED,
  SIM_END_ABORTED,
  SIM_END_CRASHED /* fault/fault.h */
};

/* Grouped in cache lines by use: an operation between two of thousands of units should touch few
 * lines. */
struct sim_unit {
  struct fab fab; /* first: the endpoint that the layers above hold */
  struct sim_world *world;

  /* running and waiting */
  uint64_t local_ps; /* its clock; ahead of the world's by the time spent since it woke */
  uint64_t wake_tag; /* tag of its valid wake event; its other wake events are stale. 0: none */
  uint64_t wake_ps;  /* and its time */
  union {
    struct sim_wait wait;
    struct sim_wait_any wait_any;
  };
  uint32_t listed; /* number of unfinished operations */
  uint8_t state;   /* enum sim_state */
  uint8_t end;     /* enum sim_end */
  bool inject_armed : 1, closed : 1;
  bool failed : 1;      /* one of its operations had an error, some time */
  bool requested : 1;   /* one of those in flight may have a request */
  bool open : 1;        /* the times of some are not known: n_open > 0 (flow.h) */
  bool timing : 1;      /* in SIM_WAIT_OP: until the times of wait_op are known */
  bool in_exchange : 1; /* of the control plane; one operation to the race detector */
  bool loose : 1;       /* its operations have no records: `one` is of all (inflight.h) */
  uint8_t sweep_log;    /* the list is swept when it is 2^sweep_log long */

  /* posting */
  struct sim_op *head, *tail; /* unfinished operations in the order of posting */
  struct sim_op *inject;      /* the first of them that the NIC has not accepted */
  /* when the puts that it has waited for are visible to all units (same-node store buffer) */
  uint64_t release_ps;
  struct sim_many *many; /* the records of targets if there are several, or NULL (inflight.h) */
  struct sim_libc libc;

  /* diagnostics */
  struct sim_last last;
  struct sim_words words;
  struct sim_write few[SIM_WRITES_FEW]; /* the ring of a unit that remembers few writes */

  struct sim_target one; /* the record of its only target, or, if loose, of all */

  struct eyot_rt rt;
  union {
    uint32_t segs_made; /* calls of seg_create so far: the n-th makes the run's n-th segment */
    int exit_code;      /* of one that has ended */
  };
  uint32_t segs_live; /* segments that it has created and not destroyed */
  const struct sim_op *wait_op;
  uint32_t n_open, n_held; /* operations whose times are not known; those held back */
  uint32_t asked;          /* it becomes loose again when its list has been empty so often */
  uint32_t phase_index;
  struct sim_attached *attached;
  const char *last_marked; /* the interface's function (eyot/caller.h), if last.marked */
  const char *phase;
  uint64_t phase_since_ps;
  uint64_t host_ns;      /* compute=measured: when it last began to run or left a call */
  const char *stack_top; /* about where its stack begins; NULL: not started */
  /* the memory in which puts of other lengths than a word's have arrived: [.., ..) */
  uintptr_t long_from, long_to;
  struct sim_news *news; /* errors that no flush has returned yet (reap.c) */
  uint32_t n_news, news_cap;
  char **argv;
  struct sim_polls *polls; /* poll.h; NULL: it has loaded nothing by instrumented code */
  struct sim_openmp openmp;
  uint64_t reads_from_ps, read_ps; /* its reads of the clock in a row: their begin, and their end */
  /* its calls in a row that cost nothing: what they have taken, up to a bound, and their end,
   * modulo 2^32 ps */
  uint32_t free_ps, free_end;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct sim_unit, local_ps) == 64, "the clock begins the second cache line");
_Static_assert(offsetof(struct sim_unit, head) == 128, "the operations begin the third cache line");
_Static_assert(offsetof(struct sim_unit, last) == 192, "diagnostics begin the fourth cache line");
_Static_assert(offsetof(struct sim_unit, few) == 256, "the last writes have the fifth cache line");
_Static_assert(offsetof(struct sim_unit, one) == 320, "the record has the sixth cache line");
_Static_assert(offsetof(struct sim_unit, fab) == 0, "the endpoint is the first member of the unit");

static inline struct sim_unit *sim_unit_of(struct fab *f) {
  return (struct sim_unit *)(void *)f;
}
static inline const struct sim_unit *sim_unit_of_const(const struct fab *f) {
  return (const struct sim_unit *)(const void *)f;
}

/* unit.c. The start of a unit: runs the program's main, then parks. Of type sim_exec_body; arg is
 * the world. */
void sim_unit_body(void *world, uint32_t i);
/* Suspends the running unit; returns when the unit is run again. */
void sim_unit_block(struct sim_unit *u, enum sim_state state);
/* Called by the scheduler: runs the unit until it blocks. */
void sim_unit_run(struct sim_unit *u);
/* Timed engine: the unit's wait is over. Runs the unit or, if it is still busy by its own clock,
 * schedules its wake. */
void sim_unit_ready(struct sim_unit *u);
/* Lets all events up to the unit's own clock happen. On return the world's clock is at or past
 * it. */
void sim_unit_yield(struct sim_unit *u);
/* Ends the unit. Does not return. */
void sim_unit_end(struct sim_unit *u, enum sim_end how, int code) __attribute__((noreturn));
/* The call that messages name, or `none`: an interface's (eyot/caller.h), or the public function
 * that the program has called, which may call another one for a part of its work. */
static inline const char *sim_unit_shown(const struct sim_unit *u, const char *none) {
  const char *marked = eyoti_rt_marked(&u->rt);
  const char *what = u->rt.outer_what != NULL ? u->rt.outer_what : u->fab.note.what;
  return marked != NULL ? marked : what != NULL ? what : none;
}
/* Called for exit and its relatives (struct fab). */
void sim_unit_exit(struct fab *f, int how, int code);
/* The 8 aligned bytes that contain the byte: as one load, which never leaves the page of that byte,
 * where less than 8 may belong to the program. */
__attribute__((no_sanitize("address"))) static inline uint64_t sim_unit_around(const void *byte) {
  const uint64_t *word = (const uint64_t *)(const void *)((const char *)byte - (uintptr_t)byte % 8);
  return *(const volatile uint64_t *)word;
}
/* The halves of the aligned 8 bytes that have one of `len` bytes from p on, where these begin in
 * them. */
static inline uint32_t sim_unit_halves(const void *p, uint64_t len) {
  uint64_t from = (uintptr_t)p % 8;
  if (__builtin_expect(from == 0 && len == 8, 1)) return SIM_WRITE_BOTH;
  return (from < 4 ? SIM_WRITE_LOW : 0) | (from + len > 4 ? SIM_WRITE_HIGH : 0);
}
/* Unit `by` has written `len` bytes at p, of one word of this unit. The entry of a word that the
 * unit waits for is kept, whatever else is written meanwhile. */
static inline void sim_unit_wrote(struct sim_unit *u, const void *p, uint64_t len, uint32_t by) {
  uint32_t key = (uint32_t)((uintptr_t)p / 8), mask = u->words.mask;
  struct sim_write *x = &u->words.ring[u->words.n++ & mask];
  if (u->state == SIM_WAIT_WORD) {
    uint32_t kept = (uint32_t)((uintptr_t)u->wait.word / 8);
    for (uint32_t i = 0; i < mask && x->word == kept && key != kept; i++)
      x = &u->words.ring[u->words.n++ & mask];
  }
  x->word = key;
  x->by = (by + 1) | sim_unit_halves(p, len);
  x->value = sim_unit_around(p);
}
/* The unit has waited for the word, and its condition held. */
static inline void sim_unit_saw(struct sim_unit *u, const void *word) {
  /* it is probably the last write; an older one remains a suspect of the report */
  for (uint32_t i = 1; i <= 4; i++) {
    struct sim_write *x = &u->words.ring[(u->words.n - i) & u->words.mask];
    if (x->word != (uint32_t)((uintptr_t)word / 8)) continue;
    x->by |= SIM_WRITE_SEEN;
    return;
  }
}
/* The unit enters the phase `name` (NULL: none). */
void sim_unit_phase(struct sim_unit *u, const char *name);
/* A delivery has made the unit's wait condition true, with this value. */
void sim_unit_held(struct sim_unit *u, uint64_t value);
const char *sim_unit_call_name(enum sim_call call);
/* Writes one line on its last call: "eyot_put, put of 8 bytes to unit 3, offset 64 of "grid"". */
#define SIM_LAST_BYTES 512u
void sim_unit_last(const struct sim_unit *u, char *text, size_t size);
#endif
