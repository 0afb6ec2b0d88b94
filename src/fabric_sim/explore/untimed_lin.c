/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_lin.c - the history of a run. See untimed_lin.h.
 *
 * A search that leaves interleavings out must know which steps do not commute. Of the history only
 * that matters: whether a return came before a call (Herlihy, Wing 1990, section 2.1: the order of
 * a history is that of returns and later calls; two calls, or two returns, may change places). So a
 * return by a unit counts as a write to a word of this unit, and a call as a read of the words of
 * all others. */
#include "fabric_sim/explore/untimed_lin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/linearize/linearize.h"
#include "check/snapshot/mem.h"

#define CONFIGURATIONS_MAX 1000000u
#define NOT_RECORDED UINT64_MAX /* an operation before the first run */
/* words that stand for what is told; above those of memory, below those of completions */
#define TOLD (UINT64_C(0xe9) << 56)
/* of objects and keys in them, by hash: two in one place cost some interleavings more */
#define PLACES (UINT64_C(1) << 32)
#define NAMES_BYTES 160u

struct fs_check_lin *fs_lin_new(void) {
  struct fs_check_lin *l = ec_alloc(sizeof *l);
  if (l != NULL) ec_history_init(&l->history);
  return l;
}

void fs_lin_mark(struct fs_check_lin *l) {
  l->n_before = l->history.n_objects;
}

void fs_lin_restart(struct fs_check_lin *l) {
  EYOTI_ASSERT(l->n_before <= l->history.n_objects);
  l->history.n_ops = l->history.n_events = 0;
  l->history.n_objects = l->n_before;
  l->undecided = false;
}

/* The names of all models, or of all operations of one. */
static void list_names(const struct ec_lin_model *m, char *text, size_t size) {
  size_t n = 0;
  for (uint32_t i = 0;; i++) {
    const char *name;
    if (m == NULL)
      name = ec_lin_model_at(i) != NULL ? ec_lin_model_at(i)->name : NULL;
    else
      name = i < m->n_kinds ? m->kinds[i].name : NULL;
    if (name == NULL || n >= size) return;
    n += (size_t)snprintf(text + n, size - n, "%s%s", i == 0 ? "" : ", ", name);
  }
}

int fs_lin_object(struct fab *f, const char *model, const char *name, uint64_t param,
                  uint32_t *object) {
  struct ec_history *h = &fs_unit_of(f)->world->check->lin->history;
  const struct ec_lin_model *m = ec_lin_model_find(model);
  if (m == NULL) {
    char names[NAMES_BYTES];
    list_names(NULL, names, sizeof names);
    return EYOTI_FAIL(EYOT_EINVAL, "object \"%s\": no model \"%s\"; there are: %s", name, model,
                      names);
  }
  for (uint32_t i = 0; i < h->n_objects; i++) {
    const struct ec_lin_object *o = &h->objects[i];
    if (o->model != m || strncmp(o->name, name, sizeof o->name - 1) != 0) continue;
    if (o->param != param)
      return EYOTI_FAIL(EYOT_EMISMATCH,
                        "%s \"%s\" was made with parameter %llu before, now with %llu", m->name,
                        o->name, (unsigned long long)o->param, (unsigned long long)param);
    *object = i;
    return EYOT_OK;
  }
  return ec_history_object(h, m, name, param, object);
}

/* Which steps of a search do not commute: see above. */
static void touch(struct fs_unit *u, const struct ec_lin_op *op, bool returns) {
  struct fs_world *w = u->world;
  if (!w->check->record) return;
  bool keyed = w->check->lin->history.objects[op->object].model->keyed;
  uint64_t place = TOLD + eyoti_hash_mix(op->object, keyed ? op->arg[0] : 0) % PLACES * w->n;
  if (returns) {
    fs_check_touch_id(w, place + u->fab.me, true);
    return;
  }
  for (uint32_t i = 0; i < w->n; i++)
    if (i != u->fab.me) fs_check_touch_id(w, place + i, false);
}

int fs_lin_called(struct fab *f, uint32_t object, const char *op, const uint64_t *args,
                  uint64_t *id) {
  struct fs_unit *u = fs_unit_of(f);
  struct ec_history *h = &u->world->check->lin->history;
  if (object >= h->n_objects)
    return EYOTI_FAIL(EYOT_EINVAL, "there is no object %u: this run has made %u", object,
                      h->n_objects);
  const struct ec_lin_model *m = h->objects[object].model;
  uint32_t kind = ec_lin_kind_find(m, op);
  if (kind == UINT32_MAX) {
    char names[NAMES_BYTES];
    list_names(m, names, sizeof names);
    return EYOTI_FAIL(EYOT_EINVAL, "%s \"%s\" has no operation \"%s\"; it has: %s", m->name,
                      h->objects[object].name, op, names);
  }
  if (args == NULL && m->kinds[kind].args > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "%s of %s \"%s\" has %u arguments, not NULL", op, m->name,
                      h->objects[object].name, m->kinds[kind].args);
  *id = NOT_RECORDED;
  if (u->world->check->strategy == NULL) return EYOT_OK;
  uint32_t index;
  EYOTI_TRY(ec_history_call(h, f->me, object, kind, args, &index));
  touch(u, &h->ops[index], false);
  *id = index;
  return EYOT_OK;
}

int fs_lin_returned(struct fab *f, uint64_t id, bool ok, uint64_t result) {
  struct fs_unit *u = fs_unit_of(f);
  struct ec_history *h = &u->world->check->lin->history;
  if (id == NOT_RECORDED) return EYOT_OK;
  if (id >= h->n_ops || h->ops[id].unit != f->me)
    return EYOTI_FAIL(EYOT_EINVAL, "unit %u has called no operation %llu", f->me,
                      (unsigned long long)id);
  EYOTI_TRY(ec_history_return(h, (uint32_t)id, ok, result));
  touch(u, &h->ops[id], true);
  return EYOT_OK;
}

/* The run fails with the first line of the explanation. It is written to ordinary memory, which is
 * taken back with the run in a moment. */
static void explain(struct fs_world *w, const struct ec_lin_verdict *v, bool loud) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) EYOTI_PANIC("no memory to explain a history");
  ec_lin_explain(&w->check->lin->history, v, out);
  if (fclose(out) != 0) EYOTI_PANIC("no memory to explain a history");
  if (loud) {
    fflush(stdout);
    fprintf(stderr, "eyotcheck: %s", text);
  }
  text[strcspn(text, "\n")] = '\0';
  fs_check_failed(w, "%s", text);
  free(text);
}

enum ec_end fs_lin_judge(struct fs_world *w, enum ec_end how, bool loud) {
  struct fs_check_lin *l = w->check->lin;
  if ((how != EC_PASSED && how != EC_BOUND) || l->history.n_ops == 0) return how;
  struct ec_lin_verdict v;
  if (ec_lin_check(&l->history, CONFIGURATIONS_MAX, &v) != 0) {
    l->undecided = true;
    return how;
  }
  if (v.answer == EC_LIN_NO) {
    explain(w, &v, loud);
    w->check->ended_only = false;
    how = EC_FAILED;
  }
  l->undecided = v.answer == EC_LIN_UNDECIDED;
  ec_lin_verdict_fini(&v);
  return how;
}
