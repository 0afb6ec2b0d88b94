/* SPDX-License-Identifier: BSD-3-Clause */
/* time.c - time, declared computation, progress and named phases (eyot/time.h). */
#include <eyot/time.h>
#include <stdlib.h>
#include <string.h>

#include "rma/rma.h"
#include "rt/proc.h"

uint64_t eyot_now_ns(void) {
  struct eyot_rt *rt = eyot_current;
  EYOTI_ENTERED = NULL;
  bool alive = rt->state != EYOTI_IDLE && rt->state != EYOTI_FINALIZED;
  if (!eyoti_rt_owns(rt)) (void)eyoti_threads_pass(rt, &eyoti_entered);
  return alive ? rt->fab->ops->now_ns(rt->fab) : 0;
}

int eyot_compute(uint64_t ns) {
  EYOTI_ENTER(rt);
  return rt->fab->ops->compute(rt->fab, ns);
}

int eyot_progress(void) {
  EYOTI_ENTER(rt);
  if (rt->rma->follows != NULL) eyoti_follow_progress(rt);
  return rt->fab->ops->progress(rt->fab);
}

/* The caller's string may be freed before the summary is printed, so names are kept, once per
 * process. */
static int phase_name(struct eyot_rt *rt, const char *name, const char **out) {
  struct eyoti_rma *r = rt->rma;
  size_t len = strnlen(name, EYOTI_PHASE_NAME_MAX + 1);
  if (len > EYOTI_PHASE_NAME_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "phase name \"%.40s\" is longer than %u characters", name,
                      EYOTI_PHASE_NAME_MAX);
  for (uint32_t i = 0; i < r->phases; i++) {
    if (strcmp(r->phase[i], name) == 0) {
      *out = r->phase[i];
      return EYOT_OK;
    }
  }
  if (r->phases == EYOTI_PHASE_MAX)
    return EYOTI_FAIL(EYOT_EBUSY, "phase \"%s\" would be name %u, at most %u are kept", name,
                      r->phases + 1, EYOTI_PHASE_MAX);
  if (r->phase == NULL && (r->phase = calloc(EYOTI_PHASE_MAX, sizeof(const char *))) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the names of phases");
  const char *stored = eyoti_proc_intern(rt->proc, name, len + 1);
  if (stored == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the phase name \"%s\"", name);
  r->phase[r->phases++] = stored;
  *out = stored;
  return EYOT_OK;
}

int eyot_phase(const char *name) {
  EYOTI_ENTER(rt);
  const char *kept = NULL;
  if (name != NULL) EYOTI_TRY(phase_name(rt, name, &kept));
  rt->phase = kept;
  rt->fab->note.phase = kept;
  rt->fab->ops->phase(rt->fab, kept);
  return EYOT_OK;
}
