/* SPDX-License-Identifier: BSD-3-Clause */
/* instrument.c - passes accesses and edges of instrumented code to the fabric (instrument.h). With
 * EYOTI_EDGES the library itself is instrumented, except for this file and the files that it calls
 * (CMakeLists.txt). */
#include "init/instrument.h"

#include <stdio.h>

#include "fabric/forward.h"
#include "gmem/sheap.h"

/* The fabric's own endpoint if it observes this unit now, else NULL. */
static struct fab *listening(const struct eyot_rt *rt) {
  if (!rt->observed || rt->state != EYOTI_RUNNING || !eyoti_rt_owns(rt)) return NULL;
  return *eyoti_forward_last((struct fab **)(uintptr_t)&rt->fab);
}

/* The names that a report shows: the access, not the function of eyot that was called last. */
struct named {
  const void *site, *outer_site;
  const char *what;
};

static struct named name(struct eyot_rt *rt, struct fab *f, const char *what, const void *site) {
  struct named before = {rt->site, rt->outer_site, f->note.what};
  rt->site = site;
  rt->outer_site = NULL;
  f->note.what = what;
  return before;
}

static void unname(struct eyot_rt *rt, struct fab *f, struct named before) {
  rt->site = before.site;
  rt->outer_site = before.outer_site;
  f->note.what = before.what;
}

#define FOREIGN_BYTES 256u

/* A pointer that no process of a cluster could follow. */
static void access_foreign(struct eyot_rt *rt, struct fab *f, const void *p, bool writes,
                           fab_unit_t unit, const void *site) {
  char text[FOREIGN_BYTES];
  (void)name(rt, f, writes ? "a store" : "a load", site);
  snprintf(text, sizeof text,
           "unit %u follows %p, which is in the heap of unit %u on another node: on a cluster this "
           "is a segmentation fault; use a global pointer (eyot_sheap_gptr)",
           rt->fab->me, p, unit);
  eyoti_log(EYOTI_LOG_ERROR, f->note.what, EYOT_EUNIT, "%s", text);
  if (f->ops->check->fail != NULL && f->ops->check->begin != NULL) f->ops->check->fail(f, text);
  f->ops->abort(f, 1, text);
}

void eyoti_check_access(const void *p, size_t bytes, int flags, const void *site) {
  struct eyot_rt *rt = eyot_current;
  struct fab *f = bytes > 0 ? listening(rt) : NULL;
  if (f == NULL || f->ops->check->shared == NULL) return;
  const struct fab_check *check = f->ops->check;
  bool writes = (flags & EYOTI_WRITES) != 0, shared = check->shared(f, p, bytes);
  fab_unit_t unit;
  if (shared && eyoti_sheap_foreign(rt, p, bytes, &unit))
    access_foreign(rt, f, p, writes, unit, site);
  /* Private memory matters only while an operation uses it. */
  if (!shared && (check->lent == NULL || !check->lent(f, p, bytes, writes))) return;
  struct named before = name(rt, f, writes ? "a store" : "a load", site);
  if (shared && (flags & EYOTI_STEPS) != 0 && check->step != NULL) check->step(f, p, bytes, writes);
  check->touches(f, p, bytes, writes ? FAB_TOUCH_STORE : FAB_TOUCH_LOAD);
  unname(rt, f, before);
}

/* An atomic of private memory is a load or a store for the unit's own operations that use it. */
static void private_atomic(struct eyot_rt *rt, struct fab *f, const void *p, size_t bytes,
                           bool writes, const void *site) {
  const struct fab_check *check = f->ops->check;
  if (check->lent == NULL || !check->lent(f, p, bytes, writes)) return;
  struct named before = name(rt, f, "an atomic", site);
  check->touches(f, p, bytes, writes ? FAB_TOUCH_STORE : FAB_TOUCH_LOAD);
  unname(rt, f, before);
}

void eyoti_check_atomic_as(const void *p, size_t bytes, int flags, const void *site) {
  struct eyot_rt *rt = eyot_current;
  struct fab *f = listening(rt);
  if (f == NULL || f->ops->check->shared == NULL) return;
  bool writes = (flags & EYOTI_WRITES) != 0;
  if (!f->ops->check->shared(f, p, bytes)) {
    private_atomic(rt, f, p, bytes, writes, site);
    return;
  }
  if (f->ops->check->step == NULL) return;
  struct named before = name(rt, f, "an atomic", site);
  f->ops->check->step(f, p, bytes, writes);
  unname(rt, f, before);
}

void eyoti_check_atomic(const void *p, size_t bytes, const void *site) {
  eyoti_check_atomic_as(p, bytes, EYOTI_WRITES, site);
}

bool eyoti_check_cpu(enum fab_cpu_op op, uint64_t *word, uint64_t operand, uint64_t desired,
                     uint64_t *old, const void *site) {
  struct eyot_rt *rt = eyot_current;
  struct fab *f = listening(rt);
  if (f == NULL || f->ops->check->shared == NULL) return false;
  if (!f->ops->check->shared(f, word, op == FAB_CPU_FENCE ? 0 : sizeof *word)) {
    bool writes = op != FAB_CPU_LOAD && (op != FAB_CPU_CAS || *word == operand);
    if (op != FAB_CPU_FENCE) private_atomic(rt, f, word, sizeof *word, writes, site);
    return false;
  }
  struct named before = name(rt, f, "an atomic", site);
  *old = f->ops->check->cpu(f, op, word, operand, desired);
  unname(rt, f, before);
  return true;
}

void eyoti_check_edge(const void *pc) {
  struct fab *f = listening(eyot_current);
  if (f != NULL && f->ops->check->edge != NULL) f->ops->check->edge(f, (uintptr_t)pc);
}

#ifdef EYOTI_EDGES
/* The code that the compiler inserts calls it at every edge. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (eyoti_instrumented()) eyoti_check_edge(__builtin_return_address(0));
}
#endif
