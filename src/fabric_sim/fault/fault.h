/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.h - faults as part of the simulated machine: units that crash or are slow, noise of the
 * operating system, links that are down or slow. module.c opens them, report/ prints them, and
 * explore/untimed_fault.c makes them choices; the engines call engine/fault_ops.h.
 *
 * Why it exists: a protocol that claims to survive a fault can be tested only where the fault can
 * be injected at any point, repeatedly. The contract (fabric.h) states the results of operations
 * then. A run without faults has no struct sim_faults. */
#ifndef EYOT_FABRIC_SIM_FAULT_FAULT_H
#define EYOT_FABRIC_SIM_FAULT_FAULT_H

#include <stdio.h>

#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/fault/noise_profiles.h"

#define SIM_FAULTS_MAX 16u
#define SIM_FAULT_ANY UINT32_MAX       /* unit: a choice */
#define SIM_FAULT_ALL (UINT32_MAX - 1) /* unit: each */
#define SIM_FAULT_FOREVER UINT64_MAX

/* The time for which the network tries before it gives up an operation: a first try and 7 more,
 * each after 4.096 us x 2^8. Form and steps are those of InfiniBand's reliable connections
 * (InfiniBand Architecture Specification, volume 1, sections 12.7.34, local ack time-out, and
 * 12.7.38, retry count: at most 7); the exponent 8 is the value that libiscsi sets for networks of
 * less than 100 us (its pull request 317). */
#define SIM_FAULT_RETRY_NS (4096ull * 256 * 8)
#define SIM_FAULT_RETRY_PS (SIM_FAULT_RETRY_NS * SIM_PS_PER_NS)

/* For functions that only runs with faults call: keeps them out of the hot code. */
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
  bool chosen;    /* a choice determines when it strikes, and the unit, if that is SIM_FAULT_ANY */
  uint32_t unit;  /* or one end of a link */
  uint32_t other; /* the other end */
  /* its start; crash: SIM_FAULT_FOREVER if `op` or a choice determines it */
  uint64_t at_ps;
  uint64_t for_ps; /* SIM_FAULT_FOREVER: to the end */
  /* crash: at the unit's op-th operation, from 1; 0: not at an operation */
  uint64_t op;
  uint64_t factor;        /* slow, link-slow */
  struct sim_noise noise; /* noise */
  uint32_t noise_index;   /* among the noises */
};

/* The state of one unit. */
struct sim_fault_unit {
  uint64_t posted; /* number of operations posted */
  uint64_t crashed_ps;
  uint64_t steps; /* untimed engine: steps taken in this run */
  /* it waits in eyot_finalize for a word that is never written; the wait must return an error */
  bool gone;
};

struct sim_noise_at; /* noise.h */

struct sim_faults {
  uint32_t n, n_crashed, n_noises;
  uint64_t n_given_up; /* number of operations lost because a link was down */
  struct sim_fault list[SIM_FAULTS_MAX];
  struct sim_fault_unit *unit;
  struct sim_noise_at *noise_at; /* [number of units][n_noises]; NULL: there is no noise */
  uint64_t seed;                 /* of the noises */
  bool slow;                     /* some fault makes units slow */
  bool links;                    /* some fault is that of a link */
  /* Untimed engine: a fault that is the strategy's choice (explore/untimed_fault.c). Its possible
   * victims are numbered: the units, or the links that may go down. */
  const struct sim_fault *choice; /* NULL: none, or runs have not begun */
  bool used;
  uint32_t n_victims, victim; /* drawn, or SIM_FAULT_ANY: any may be struck */
  /* the number of its own steps, or of all units', after which it is struck; steps of all so far */
  uint64_t victim_steps, steps;
  uint32_t first_proc; /* of the strikes' processes */
  bool cut;            /* a link has gone down: */
  uint32_t ends[2];    /* between the nodes of these units */
};

static inline bool sim_fault_is_noise_of(const struct sim_fault *f, const struct sim_unit *u) {
  return f->kind == SIM_FAULT_NOISE && (f->unit == u->fab.me || f->unit == SIM_FAULT_ALL);
}

/* spec.c. Parses the text of EYOT_FAULT. explore: for the untimed engine. EINVAL: logs the error
 * and the accepted form. */
int sim_fault_parse(const char *text, uint32_t n_units, bool explore, struct sim_fault *list,
                    uint32_t *n);

/* fault.c. For an open world: sets w->faults and w->fault_ops (engine/fault_ops.h) unless the text
 * is empty. EINVAL, ENOMEM. */
int sim_fault_open(struct sim_world *w, const char *text, bool explore);
void sim_fault_close(struct sim_world *w);
/* Ends the unit at once; each of its operations that has not arrived is lost or not, by choice.
 * Called from within the unit it does not return. */
void sim_fault_crash(struct sim_unit *u);
/* The unit has posted an operation: crashes the unit if this is the operation to crash at. */
void sim_fault_posted(struct sim_unit *u) SIM_FAULT_COLD;
/* Whether the operation goes from the node of one of these units to that of the other. */
bool sim_fault_between(const struct sim_world *w, const uint32_t ends[2],
                       const struct sim_op *op) SIM_FAULT_COLD;
/* Prints lines of a report: the units that have crashed, the link that went down. */
void sim_fault_print(const struct sim_world *w, FILE *out);
/* At a standstill: wakes the units that wait in eyot_finalize, whose waits then fail. False: there
 * are none. */
bool sim_fault_release(struct sim_world *w);
/* Whether the wait of unit u must return EPEERDOWN; true once. */
bool sim_fault_take_gone(struct sim_unit *u) SIM_FAULT_COLD;
#endif
