/* SPDX-License-Identifier: BSD-3-Clause */
/* outside.c - implements outside.h. */
#include "rt/outside.h"

#include <stdlib.h>

#include "base/process_exit.h"

static void note_exit(int code) {
  struct eyot_rt *rt = eyot_current;
  if (rt->state == EYOTI_FINALIZED || (rt->state == EYOTI_IDLE && rt != eyoti_rt_idle()))
    rt->left_well = code == 0;
}

EYOTI_WATCH_EXIT(watch_outside, note_exit)

struct eyot_rt *eyoti_outside_counts(void) {
  struct eyot_rt *rt = eyot_current;
  if (rt->state == EYOTI_FINALIZED) return rt;
  if (rt != eyoti_rt_idle()) return rt->state == EYOTI_IDLE ? rt : NULL;
  rt = calloc(1, sizeof *rt);
  if (rt == NULL) return NULL;
  eyoti_rt_host(rt, NULL, NULL);
  rt->log_level = eyot_current->log_level;
  if (watch_outside() != 0) {
    free(rt);
    return NULL;
  }
  eyot_current = rt;
  return rt;
}
