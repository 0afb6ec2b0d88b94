/* SPDX-License-Identifier: BSD-3-Clause */
/* refuse.c - logs the reason when a public function cannot be called now (rt.h). */
#include "base/log.h"
#include "base/wording.h"
#include "rt/rt.h"

int eyoti_rt_refuse(const char *function, const void *site) {
  const struct eyot_rt *rt = eyot_current;
  enum eyoti_state state = rt->state;
  bool own = state == EYOTI_IDLE || state == EYOTI_FINALIZED || eyoti_rt_owns(rt);
  if (own && eyoti_rt_marked(rt) != NULL) {
    function = eyoti_rt_marked(rt);
    site = eyoti_rt_site(rt);
  }
  if (state == EYOTI_IDLE || state == EYOTI_FINALIZED) {
    eyoti_log_at(EYOTI_LOG_ERROR, function, site, EYOT_ESTATE, "called %s",
                 EYOTI_WORDED(state == EYOTI_IDLE ? "before eyot_init" : "after eyot_finalize"));
    return EYOT_ESTATE;
  }
  if (eyoti_rt_in_operator(rt)) {
    eyoti_log_at(EYOTI_LOG_ERROR, function, site, EYOT_ESTATE,
                 "called by an operator of the program (eyot_op_create), which runs inside a call "
                 "and must not call eyot");
    return EYOT_ESTATE;
  }
  eyoti_log_at(
      EYOTI_LOG_ERROR, function, site, EYOT_ETHREAD,
      "called by a thread other than the one that called eyot_init; %s",
      (rt->fab->caps & FAB_CAP_THREADS) != 0
          ? "a program whose threads call eyot asks for EYOT_THREAD_SERIALIZED or "
            "EYOT_THREAD_MULTIPLE (eyot_init_with, or EYOT_THREADS)"
          : "this run has no other threads: leave calls of eyot to that one, or run on mpi "
            "and ask for EYOT_THREAD_SERIALIZED or EYOT_THREAD_MULTIPLE");
  return EYOT_ETHREAD;
}
