/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.h - faults as part of the simulated machine: units that crash or are slow, noise of the
 * operating system, links that are down or slow.
 *
 * Why it exists: a protocol that claims to survive a fault can be tried only where the fault can be
 * had at will, at every point, and again. The contract (fabric.h) says what operations then return.
 * A run without faults has no struct sim_faults: each place that has to ask tests one pointer. */
#ifndef EYOT_FABRIC_SIM_FAULT_FAULT_H
#define EYOT_FABRIC_SIM_FAULT_FAULT_H

#include <stdio.h>

#include "fabric_sim/engine/world.h"

#define SIM_FAULTS_MAX 16u
#define SIM_FAULT_ANY UINT32_MAX       /* unit: which one is a choice */
#define SIM_FAULT_ALL (UINT32_MAX - 1) /* unit: each */
#define SIM_FAULT_FOREVER UINT64_MAX

/* How long the network tries before it gives up an operation: a first try and 7 more, each after
 * 4.096 us x 2^8. Form and steps are those of InfiniBand's reliable connections (InfiniBand
 * Architecture Specification, volume 1, sections 12.7.34, local ack time-out, and 12.7.38, retry
 * count: at most 7); the exponent 8 is what libiscsi sets for networks of less than 100 us (its
 * pull request 317). */
#define SIM_FAULT_RETRY_NS (4096ull * 256 * 8)
#define SIM_FAULT_RETRY_PS (SIM_FAULT_RETRY_NS * SIM_PS_PER_NS)

/* Of what only runs with faults call: kept out of the way of the others. */
#define SIM_FAULT_COLD __attribute__((cold))

enum sim_fault_kind {
  SIM_FAULT_CRASH = 0,
  SIM_FAULT_SLOW,
  SIM_FAULT_NOISE,
  SIM_FAULT_LINK_DOWN,
  SIM_FAULT_LINK_SLOW
};
#define SIM_FAULT_KINDS 5u

struct sim_fault {
  enum sim_fault_kind kind;
  bool chosen;    /* when it strikes is a choice, and who, if unit is SIM_FAULT_ANY */
  uint32_t unit;  /* or one end of a link */
  uint32_t other; /* the other end */
  /* from when; crash: SIM_FAULT_FOREVER if `op` or a choice says when */
  uint64_t at_ps;
  uint64_t for_ps;             /* SIM_FAULT_FOREVER: to the end */
  uint64_t op;                 /* crash: with the unit's op-th operation, from 1; 0: not so */
  uint64_t factor;             /* slow, link-slow */
  uint64_t every_ps, takes_ps; /* noise: mean distance of detours, length of each */
};

/* What is known of one unit. */
struct sim_fault_unit {
  uint64_t posted;   /* operations */
  uint64_t noise_ps; /* where its next detour begins; 0: not drawn yet */
  uint64_t crashed_ps;
  uint64_t steps; /* without time: that it has taken in this run */
  bool gone;      /* it waits in eyot_finalize for what never comes, and is told so */
};

struct sim_faults {
  uint32_t n, n_crashed;
  uint64_t n_given_up; /* operations, for a link that was down */
  struct sim_fault list[SIM_FAULTS_MAX];
  struct sim_fault_unit *unit;
  bool own_time; /* some fault stretches the units' own time */
  bool links;    /* some fault is a link's */
  /* Without time: a fault that is the strategy's choice (explore/untimed_fault.c). What it may
   * strike is numbered: the units, or the links that may go down. */
  const struct sim_fault *choice; /* NULL: there is none, or runs have not begun */
  bool used;
  uint32_t n_victims, victim; /* drawn, or SIM_FAULT_ANY: each may be */
  /* after which of its own steps, or of all units', it strikes; those of all so far */
  uint64_t victim_steps, steps;
  uint32_t first_proc; /* of the strikes' processes */
  bool cut;            /* a link has gone down: */
  uint32_t ends[2];    /* between the nodes of these units */
};

/* spec.c. Reads a text as EYOT_FAULT has it. explore: for a run without time. EINVAL: says
 * what is wrong and what is accepted. */
int sim_fault_parse(const char *text, uint32_t n_units, bool explore, struct sim_fault *list,
                    uint32_t *n);

/* fault.c. Called with the machine made: w->faults, or NULL if text is empty. EINVAL, ENOMEM. */
int sim_fault_open(struct sim_world *w, const char *text, bool explore);
void sim_fault_close(struct sim_world *w);
/* Schedules the crashes that have a time. */
void sim_fault_begin(struct sim_world *w) SIM_FAULT_COLD;
/* The event of fault `index`. */
void sim_fault_event(struct sim_world *w, uint32_t index) SIM_FAULT_COLD;
/* The unit is over, at once; what it had posted and has not arrived is lost or not, by choice. From
 * within the unit it does not return. */
void sim_fault_crash(struct sim_unit *u);
static inline bool sim_fault_is_crashed(const struct sim_unit *u) {
  return u->end == SIM_END_CRASHED;
}
/* An operation has been posted: is it the one that the unit crashes with? */
void sim_fault_posted(struct sim_unit *u) SIM_FAULT_COLD;
/* What links and crashed targets do to the times of an operation. */
void sim_fault_times(struct sim_world *w, struct sim_op *op, struct sim_timing *t) SIM_FAULT_COLD;
/* The operation arrives: true if it is lost, and has been dealt with. */
bool sim_fault_arrives(struct sim_world *w, struct sim_op *op) SIM_FAULT_COLD;
/* It does nothing when it arrives: given up by the network, lost with its origin, or its target has
 * crashed. What its origin has been told of is not lost. */
static inline bool sim_fault_is_lost(const struct sim_world *w, const struct sim_op *op) {
  return (op->flags & (SIM_F_LOST | SIM_F_CUT)) != 0 ||
         (sim_fault_is_crashed(&w->units[op->target]) && (op->flags & SIM_F_RELEASED) == 0);
}
/* The operation goes from one of these units' nodes to the other's. */
bool sim_fault_between(const struct sim_world *w, const uint32_t ends[2],
                       const struct sim_op *op) SIM_FAULT_COLD;
/* Behind an operation's data in a report: who has crashed, if anybody. */
void sim_fault_print(const struct sim_world *w, FILE *out);
/* At a standstill: units that wait in eyot_finalize go on, and are told. False: there are none. */
bool sim_fault_release(struct sim_world *w);
/* The wait of unit u returns EYOT_EPEERDOWN; once. */
bool sim_fault_take_gone(struct sim_unit *u) SIM_FAULT_COLD;

/* How long `ps` of the unit's own work take from its clock on. */
uint64_t sim_fault_stretch(struct sim_unit *u, uint64_t ps) SIM_FAULT_COLD;
static inline uint64_t sim_fault_own(struct sim_unit *u, uint64_t ps) {
  return __builtin_expect(u->world->faults == NULL, 1) ? ps : sim_fault_stretch(u, ps);
}

/* explore/untimed_op.c. The unit has crashed: of what it had posted and has not arrived, some never
 * will. What must not be seen before something that is lost is lost with it. */
void sim_untimed_drop(struct sim_unit *u);
/* explore/untimed_fault.c. The same for the unit itself, and what it had posted. */
void sim_untimed_crash(struct sim_unit *u);
/* explore/untimed_op.c. A link has gone down: what is under way on it and has not arrived never
 * will, unless its origin has been told that it is complete. */
void sim_untimed_cut(struct sim_world *w);
/* A run begins: which faults it may have. */
void sim_untimed_fault_begin(struct sim_world *w);
/* After a step of the unit: the fault that was drawn for here is offered, or one that has come too
 * late is not any more. */
void sim_untimed_fault_stepped(struct sim_unit *u);
/* The process of a strike is picked. */
void sim_untimed_fault_strike(struct sim_world *w, uint32_t proc);
/* Whom it strikes and what it does, in words. */
void sim_untimed_fault_text(const struct sim_world *w, uint32_t proc, char *who, size_t who_bytes,
                            char *what, size_t what_bytes);
/* Before each step: what strikes is offered behind all others, so that the quiet choice is none of
 * it. */
void sim_untimed_fault_last(struct sim_world *w);
/* Nobody else can go on: is all that is left a fault that need not be? */
bool sim_untimed_fault_only(const struct sim_world *w);
/* The unit is not to be offered: a crash is due. */
bool sim_untimed_fault_doomed(const struct sim_unit *u);
/* That the unit lives is something that steps read and its crash writes. */
void sim_untimed_fault_touch(struct sim_world *w, uint32_t unit, bool write);
/* The same for what becomes of an operation: that its target lives, and its link. */
void sim_untimed_fault_touch_way(struct sim_world *w, const struct sim_op *op);
#endif
