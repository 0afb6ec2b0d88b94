/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.h - faults as part of the simulated machine: units that crash or are slow, noise of the
 * operating system, links that are down or slow.
 *
 * Why it exists: a protocol that claims to survive a fault can be tried only where the fault can be
 * had at will, at every point, and again. The contract (fabric.h) says what operations then return.
 * A run without faults has no struct fs_faults: each place that has to ask tests one pointer. */
#ifndef EYOT_FABRIC_SIM_FAULT_FAULT_H
#define EYOT_FABRIC_SIM_FAULT_FAULT_H

#include <stdio.h>

#include "fabric_sim/engine/world.h"

#define FS_FAULTS_MAX 16u
#define FS_FAULT_ANY UINT32_MAX       /* unit: which one is a choice */
#define FS_FAULT_ALL (UINT32_MAX - 1) /* unit: each */
#define FS_FAULT_FOREVER UINT64_MAX

/* How long the network tries before it gives up an operation: a first try and 7 more, each after
 * 4.096 us x 2^8. Form and steps are those of InfiniBand's reliable connections (InfiniBand
 * Architecture Specification, volume 1, sections 12.7.34, local ack time-out, and 12.7.38, retry
 * count: at most 7); the exponent 8 is what libiscsi sets for networks of less than 100 us (its
 * pull request 317). */
#define FS_FAULT_RETRY_NS (4096ull * 256 * 8)
#define FS_FAULT_RETRY_PS (FS_FAULT_RETRY_NS * FS_PS_PER_NS)

/* Of what only runs with faults call: kept out of the way of the others. */
#define FS_FAULT_COLD __attribute__((cold))

enum fs_fault_kind {
  FS_FAULT_CRASH = 0,
  FS_FAULT_SLOW,
  FS_FAULT_NOISE,
  FS_FAULT_LINK_DOWN,
  FS_FAULT_LINK_SLOW
};
#define FS_FAULT_KINDS 5u

struct fs_fault {
  enum fs_fault_kind kind;
  bool chosen;    /* when it strikes is a choice, and who, if unit is FS_FAULT_ANY */
  uint32_t unit;  /* or one end of a link */
  uint32_t other; /* the other end */
  /* from when; crash: FS_FAULT_FOREVER if `op` or a choice says when */
  uint64_t at_ps;
  uint64_t for_ps;             /* FS_FAULT_FOREVER: to the end */
  uint64_t op;                 /* crash: with the unit's op-th operation, from 1; 0: not so */
  uint64_t factor;             /* slow, link-slow */
  uint64_t every_ps, takes_ps; /* noise: mean distance of detours, length of each */
};

/* What is known of one unit. */
struct fs_fault_unit {
  uint64_t posted;   /* operations */
  uint64_t noise_ps; /* where its next detour begins; 0: not drawn yet */
  uint64_t crashed_ps;
  uint64_t steps; /* without time: that it has taken in this run */
  bool gone;      /* it waits in eyot_finalize for what never comes, and is told so */
};

struct fs_faults {
  uint32_t n, n_crashed;
  uint64_t n_given_up; /* operations, for a link that was down */
  struct fs_fault list[FS_FAULTS_MAX];
  struct fs_fault_unit *unit;
  bool own_time; /* some fault stretches the units' own time */
  bool links;    /* some fault is a link's */
  /* Without time: a fault that is the strategy's choice (explore/untimed_fault.c). What it may
   * strike is numbered: the units, or the links that may go down. */
  const struct fs_fault *choice; /* NULL: there is none, or runs have not begun */
  bool used;
  uint32_t n_victims, victim; /* drawn, or FS_FAULT_ANY: each may be */
  /* after which of its own steps, or of all units', it strikes; those of all so far */
  uint64_t victim_steps, steps;
  uint32_t first_proc; /* of the strikes' processes */
  bool cut;            /* a link has gone down: */
  uint32_t ends[2];    /* between the nodes of these units */
};

/* spec.c. Reads a text as EYOT_FAULT has it. explore: for a run without time. EINVAL: says
 * what is wrong and what is accepted. */
int fs_fault_parse(const char *text, uint32_t n_units, bool explore, struct fs_fault *list,
                   uint32_t *n);

/* fault.c. Called with the machine made: w->faults, or NULL if text is empty. EINVAL, ENOMEM. */
int fs_fault_open(struct fs_world *w, const char *text, bool explore);
void fs_fault_close(struct fs_world *w);
/* Schedules the crashes that have a time. */
void fs_fault_begin(struct fs_world *w) FS_FAULT_COLD;
/* The event of fault `index`. */
void fs_fault_event(struct fs_world *w, uint32_t index) FS_FAULT_COLD;
/* The unit is over, at once; what it had posted and has not arrived is lost or not, by choice. From
 * within the unit it does not return. */
void fs_fault_crash(struct fs_unit *u);
static inline bool fs_fault_is_crashed(const struct fs_unit *u) {
  return u->end == FS_END_CRASHED;
}
/* An operation has been posted: is it the one that the unit crashes with? */
void fs_fault_posted(struct fs_unit *u) FS_FAULT_COLD;
/* What links and crashed targets do to the times of an operation. */
void fs_fault_times(struct fs_world *w, struct fs_op *op, struct fs_timing *t) FS_FAULT_COLD;
/* The operation arrives: true if it is lost, and has been dealt with. */
bool fs_fault_arrives(struct fs_world *w, struct fs_op *op) FS_FAULT_COLD;
/* It does nothing when it arrives: given up by the network, lost with its origin, or its target has
 * crashed. What its origin has been told of is not lost. */
static inline bool fs_fault_is_lost(const struct fs_world *w, const struct fs_op *op) {
  return (op->flags & (FS_F_LOST | FS_F_CUT)) != 0 ||
         (fs_fault_is_crashed(&w->units[op->target]) && (op->flags & FS_F_RELEASED) == 0);
}
/* The operation goes from one of these units' nodes to the other's. */
bool fs_fault_between(const struct fs_world *w, const uint32_t ends[2],
                      const struct fs_op *op) FS_FAULT_COLD;
/* Behind an operation's data in a report: who has crashed, if anybody. */
void fs_fault_print(const struct fs_world *w, FILE *out);
/* At a standstill: units that wait in eyot_finalize go on, and are told. False: there are none. */
bool fs_fault_release(struct fs_world *w);
/* The wait of unit u returns EYOT_EPEERDOWN; once. */
bool fs_fault_take_gone(struct fs_unit *u) FS_FAULT_COLD;

/* How long `ps` of the unit's own work take from its clock on. */
uint64_t fs_fault_stretch(struct fs_unit *u, uint64_t ps) FS_FAULT_COLD;
static inline uint64_t fs_fault_own(struct fs_unit *u, uint64_t ps) {
  return __builtin_expect(u->world->faults == NULL, 1) ? ps : fs_fault_stretch(u, ps);
}

/* explore/untimed_op.c. The unit has crashed: of what it had posted and has not arrived, some never
 * will. What must not be seen before something that is lost is lost with it. */
void fs_check_drop(struct fs_unit *u);
/* explore/untimed_fault.c. The same for the unit itself, and what it had posted. */
void fs_check_crash(struct fs_unit *u);
/* explore/untimed_op.c. A link has gone down: what is under way on it and has not arrived never
 * will, unless its origin has been told that it is complete. */
void fs_check_cut(struct fs_world *w);
/* A run begins: which faults it may have. */
void fs_check_fault_begin(struct fs_world *w);
/* After a step of the unit: the fault that was drawn for here is offered, or one that has come too
 * late is not any more. */
void fs_check_fault_stepped(struct fs_unit *u);
/* The process of a strike is picked. */
void fs_check_fault_strike(struct fs_world *w, uint32_t proc);
/* Whom it strikes and what it does, in words. */
void fs_check_fault_text(const struct fs_world *w, uint32_t proc, char *who, size_t who_bytes,
                         char *what, size_t what_bytes);
/* Before each step: what strikes is offered behind all others, so that the quiet choice is none of
 * it. */
void fs_check_fault_last(struct fs_world *w);
/* Nobody else can go on: is all that is left a fault that need not be? */
bool fs_check_fault_only(const struct fs_world *w);
/* The unit is not to be offered: a crash is due. */
bool fs_check_fault_doomed(const struct fs_unit *u);
/* That the unit lives is something that steps read and its crash writes. */
void fs_check_fault_touch(struct fs_world *w, uint32_t unit, bool write);
/* The same for what becomes of an operation: that its target lives, and its link. */
void fs_check_fault_touch_way(struct fs_world *w, const struct fs_op *op);
#endif
