/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.h - faults as part of the simulated machine: units that crash or are slow, noise of the
 * operating system, links that are down or slow.
 *
 * A protocol that claims to survive a fault can be tested only where the fault can be injected at
 * any point, repeatedly. The contract (fabric.h) says what operations then return. The engines call
 * through engine/fault_ops.h; a run without faults has no struct sim_faults. */
#ifndef EYOT_FABRIC_SIM_FAULT_FAULT_H
#define EYOT_FABRIC_SIM_FAULT_FAULT_H

#include <stdio.h>

#include "fabric_sim/engine/fault_ops.h"

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

/* fault.c. Of a world that is open: sets w->faults and w->fault_ops (engine/fault_ops.h) unless the
 * text is empty. EINVAL, ENOMEM. */
int sim_fault_open(struct sim_world *w, const char *text, bool explore);
void sim_fault_close(struct sim_world *w);
/* The unit is over, at once; what it had posted and has not arrived is lost or not, by choice. From
 * within the unit it does not return. */
void sim_fault_crash(struct sim_unit *u);
/* An operation has been posted: is it the one that the unit crashes with? */
void sim_fault_posted(struct sim_unit *u) SIM_FAULT_COLD;
/* The operation goes from one of these units' nodes to the other's. */
bool sim_fault_between(const struct sim_world *w, const uint32_t ends[2],
                       const struct sim_op *op) SIM_FAULT_COLD;
/* Lines of a report: who has crashed, which link went down. */
void sim_fault_print(const struct sim_world *w, FILE *out);
/* At a standstill: units that wait in eyot_finalize go on, and are told. False: there are none. */
bool sim_fault_release(struct sim_world *w);
/* The wait of unit u returns EYOT_EPEERDOWN; once. */
bool sim_fault_take_gone(struct sim_unit *u) SIM_FAULT_COLD;
#endif
