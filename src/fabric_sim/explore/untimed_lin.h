/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_lin.h - linearizability in runs of eyotcheck: records the operations that the program
 * reports on its objects (eyot_check_object, _call, _return), and judges them when a run is over.
 * For untimed_check.c, and for explore.c, one_run.c and found.c.
 *
 * Why it exists: the oracle needs no knowledge of the program's state, only the calls, their order
 * and their results (src/check/linearize/linearize.h). The history is memory of snapshot/mem.h: it
 * is emptied between runs, not restored, so that none of its pages is ever saved. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_LIN_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_LIN_H

#include "check/linearize/history.h"
#include "fabric_sim/explore/untimed.h"

struct sim_untimed_lin {
  struct chk_history history;
  uint32_t n_before; /* objects that exist before all runs */
  bool undecided;    /* the previous run */
};

/* NULL: out of memory. */
struct sim_untimed_lin *sim_lin_new(void);
/* Runs begin in the present state. */
void sim_lin_mark(struct sim_untimed_lin *l);
/* A run begins. */
void sim_lin_restart(struct sim_untimed_lin *l);
/* A run is over. Judges its history, if the run has not failed: CHK_FAILED if no linearization of
 * an object is allowed by its model. loud: with the whole explanation on standard error. */
enum chk_end sim_lin_judge(struct sim_world *w, enum chk_end how, bool loud);

/* Functions of struct fab_check. */
int sim_lin_object(struct fab *f, const char *model, const char *name, uint64_t param,
                   uint32_t *object);
int sim_lin_called(struct fab *f, uint32_t object, const char *op, const uint64_t *args,
                   uint64_t *id);
int sim_lin_returned(struct fab *f, uint64_t id, bool ok, uint64_t result);
#endif
