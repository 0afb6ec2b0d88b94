/* SPDX-License-Identifier: BSD-3-Clause */
/* exit.c - implements exit.h. */
#include "rt/exit.h"

#include "rt/rt.h"

void eyoti_prog_exit(int how, int code) {
  const struct eyot_rt *rt = eyot_current;
  struct fab *f = rt->fab;
  if (f == NULL) return;
  if (f->unit_exit != NULL) f->unit_exit(f, how, code);
  /* No exit handler runs on _exit, so the launcher would see a success; the other units would wait
   * for ever. */
  if (how == FAB_EXIT_NOW && rt->state == EYOTI_RUNNING)
    f->ops->abort(f, code == 0 ? 1 : code, "the program called _exit before eyot_finalize");
}
