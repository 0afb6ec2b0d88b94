/* SPDX-License-Identifier: BSD-3-Clause */
/* exit.c - implements exit.h. */
#include "rt/exit.h"

#include <eyot/init.h>
#include <stdlib.h>

#include "base/process_exit.h"
#include "base/wording.h"
#include "rt/rt.h"

void eyoti_exit_begins(int code) {
  struct eyot_rt *rt = eyot_current;
  void (*fn)(void) = rt->state == EYOTI_RUNNING && eyoti_rt_owns(rt) ? rt->at_exit : NULL;
  if (fn == NULL || code != 0) return;
  rt->at_exit = NULL;
  fn();
}

/* For a process, where main returns to the C library. */
EYOTI_WATCH_EXIT(watch_exit, eyoti_exit_begins)

int eyot_at_exit(void (*fn)(void)) {
  EYOTI_ENTER(rt);
  if (fn != NULL && rt->at_exit != NULL && rt->at_exit != fn)
    return EYOTI_FAIL(EYOT_EBUSY, "another function is set; a unit has one");
  if (fn != NULL && rt->fab->unit_exit == NULL && !rt->exit_watched) {
    if (watch_exit() != 0) return EYOTI_FAIL(EYOT_ESYS, "no exit handler can be registered");
    rt->exit_watched = true;
  }
  rt->at_exit = fn;
  return EYOT_OK;
}

void eyoti_prog_exit(int how, int code) {
  if (how == FAB_EXIT) eyoti_exit_begins(code);
  const struct eyot_rt *rt = eyot_current;
  struct fab *f = rt->fab;
  if (f == NULL) return;
  if (f->unit_exit != NULL) f->unit_exit(f, how, code);
  /* No exit handler runs on _exit, so the launcher would see a success; the other units would wait
   * for ever. */
  if (how == FAB_EXIT_NOW && rt->state == EYOTI_RUNNING)
    f->ops->abort(f, code == 0 ? 1 : code,
                  EYOTI_WORDED("the program called _exit before eyot_finalize"));
}
