/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_lin.h - linearizability in the runs of eyotcheck: what the program tells of the
 * operations on its objects (eyot_check_object, _call, _return), and the verdict when a run is
 * over.
 *
 * Why it exists: an oracle that needs no knowledge of the program, and no state to look at: only
 * what was called, when, and what came back (src/check/linearize/linearize.h). The history is
 * memory of snapshot/mem.h: it is emptied between runs, not taken back, so that no page of it is
 * ever saved. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_LIN_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_LIN_H

#include "check/linearize/history.h"
#include "fabric_sim/explore/untimed.h"

struct sim_untimed_lin {
  struct chk_history history;
  uint32_t n_before; /* objects that are older than all runs */
  bool undecided;    /* the run before */
};

/* NULL: no memory. */
struct sim_untimed_lin *sim_lin_new(void);
/* Runs begin in the state that is now. */
void sim_lin_mark(struct sim_untimed_lin *l);
/* A run begins. */
void sim_lin_restart(struct sim_untimed_lin *l);
/* A run is over. If nothing was wrong with it so far, its history is judged: CHK_FAILED if an
 * object has none that its model allows. loud: with the whole explanation on standard error. */
enum chk_end sim_lin_judge(struct sim_world *w, enum chk_end how, bool loud);

/* Of struct fab_check. */
int sim_lin_object(struct fab *f, const char *model, const char *name, uint64_t param,
                   uint32_t *object);
int sim_lin_called(struct fab *f, uint32_t object, const char *op, const uint64_t *args,
                   uint64_t *id);
int sim_lin_returned(struct fab *f, uint64_t id, bool ok, uint64_t result);
#endif
