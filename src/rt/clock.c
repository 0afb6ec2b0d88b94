/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - implements clock.h. */
#include "rt/clock.h"

#include "fabric/forward.h"
#include "rt/rt.h"

/* The fabric's own endpoint if the caller is the thread of a unit with virtual time, else NULL.
 * Counting endpoints do not see the call: it is none of eyot. */
static struct fab *clock_of(struct eyot_rt *rt) {
  if (rt->fab == NULL || rt->owner != eyoti_rt_thread()) return NULL;
  struct fab *f = *eyoti_forward_last(&rt->fab);
  return f->ops->sleep != NULL ? f : NULL;
}

/* The program may call from a function that eyot has called: the names are put back. */
struct clock_names {
  const char *what;
  const void *site;
};

static struct clock_names clock_name(struct eyot_rt *rt, struct fab *f, const char *function,
                                     const void *site) {
  struct clock_names before = {f->note.what, rt->site};
  f->note.what = function;
  rt->site = site;
  return before;
}

static void clock_unname(struct eyot_rt *rt, struct fab *f, struct clock_names before) {
  f->note.what = before.what;
  rt->site = before.site;
}

bool eyoti_prog_now(const char *function, const void *site, uint64_t *ns) {
  struct eyot_rt *rt = eyot_current;
  struct fab *f = clock_of(rt);
  if (f == NULL) return false;
  struct clock_names before = clock_name(rt, f, function, site);
  *ns = f->ops->now_ns(f);
  clock_unname(rt, f, before);
  return true;
}

bool eyoti_prog_sleep(const char *function, const void *site, uint64_t ns) {
  struct eyot_rt *rt = eyot_current;
  struct fab *f = clock_of(rt);
  if (f == NULL) return false;
  struct clock_names before = clock_name(rt, f, function, site);
  f->ops->sleep(f, ns);
  clock_unname(rt, f, before);
  return true;
}
