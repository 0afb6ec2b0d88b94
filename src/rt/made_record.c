/* SPDX-License-Identifier: BSD-3-Clause */
/* made_record.c - implements made_record.h.
 *
 * Memory is from aligned_alloc: tests let each malloc, calloc and realloc fail and expect that a
 * call returns an error, and a record that is missing is none. */
#include "rt/made_record.h"

#include <stdlib.h>
#include <string.h>

#include "rt/proc.h"
#include "rt/rt.h"

#define ALIGN 8u
#define SHARED_UNITS 4096u /* units of a process, above which facts are shared */

struct eyoti_proc *eyoti_record_sharing(const struct eyot_rt *rt) {
  const struct fab *f = rt->fab;
  bool many = f != NULL && (f->caps & FAB_CAP_VIRTUAL_TIME) != 0 && f->n > SHARED_UNITS;
  return many ? rt->proc : NULL;
}

void *eyoti_record_alloc(size_t bytes) {
  size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  void *p = aligned_alloc(ALIGN, whole);
  if (p != NULL) memset(p, 0, whole);
  return p;
}

/* Units have these at the same places. What lies elsewhere on each unit would take more memory. */
static bool is_alike(enum eyoti_made_kind kind) {
  return kind == EYOTI_MADE_COLLECTIVE || kind == EYOTI_MADE_TEAM || kind == EYOTI_MADE_OWN;
}

static struct eyoti_record *new_shared(struct eyoti_proc *proc,
                                       const struct eyoti_made_facts *facts) {
  struct eyoti_record *r = eyoti_slack_new(sizeof *r);
  if (r == NULL) return NULL;
  r->is = eyoti_proc_intern(proc, facts, sizeof *facts);
  if (r->is != NULL) return r;
  eyoti_slack_free(r);
  return NULL;
}

struct eyoti_record *eyoti_record_new(struct eyoti_proc *proc, const struct eyoti_made_facts *facts,
                                      struct eyoti_record *spare) {
  if (proc != NULL && is_alike(facts->made.kind)) return new_shared(proc, facts);
  struct eyoti_record *r = spare != NULL ? spare : eyoti_record_alloc(sizeof *r + sizeof *facts);
  if (r == NULL) return NULL;
  struct eyoti_made_facts *own = (struct eyoti_made_facts *)(void *)(r + 1);
  *own = *facts;
  *r = (struct eyoti_record){.is = own};
  return r;
}

void eyoti_record_free(struct eyoti_proc *proc, struct eyoti_record *r) {
  if (r == NULL) return;
  if (!eyoti_record_is_own(r)) eyoti_proc_release(proc, r->is);
  free(r->name);
  eyoti_slack_free(r);
}
