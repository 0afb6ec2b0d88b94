/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_lin.c - records and judges the history of a run. See untimed_lin.h.
 *
 * A search that leaves interleavings out must know which steps do not commute. Of the history only
 * this matters: whether a return came before a call (Herlihy, Wing 1990, section 2.1: the order of
 * a history is that of returns and later calls; two calls, or two returns, may change places). So a
 * return by a unit counts as a write to a word of this unit, and a call as a read of the words of
 * all others. */
#include "fabric_sim/explore/untimed_lin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/linearize/linearize.h"
#include "check/snapshot/mem.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"

#define CONFIGURATIONS_MAX 1000000u
#define NOT_RECORDED UINT64_MAX /* an operation before the first run */
/* words that stand for events of the history; above those of memory, below those of completions */
#define REPORTED (UINT64_C(0xe9) << 56)
/* of objects and keys in them, by hash: a collision costs some extra interleavings */
#define HASH_SLOTS (UINT64_C(1) << 32)
#define NAMES_BYTES 160u

struct sim_untimed_lin *sim_lin_new(void) {
  struct sim_untimed_lin *l = chk_alloc(sizeof *l);
  if (l != NULL) chk_history_init(&l->history);
  return l;
}

void sim_lin_mark(struct sim_untimed_lin *l) {
  l->n_before = l->history.n_objects;
}

void sim_lin_restart(struct sim_untimed_lin *l) {
  EYOTI_ASSERT(l->n_before <= l->history.n_objects);
  l->history.n_ops = l->history.n_events = 0;
  l->history.n_objects = l->n_before;
  l->undecided = false;
}

/* Lists the names of all models, or of all operations of one. */
static void list_names(const struct chk_lin_model *m, char *text, size_t size) {
  size_t n = 0;
  for (uint32_t i = 0;; i++) {
    const char *name;
    if (m == NULL)
      name = chk_lin_model_at(i) != NULL ? chk_lin_model_at(i)->name : NULL;
    else
      name = i < m->n_kinds ? m->kinds[i].name : NULL;
    if (name == NULL || n >= size) return;
    n += (size_t)snprintf(text + n, size - n, "%s%s", i == 0 ? "" : ", ", name);
  }
}

int sim_lin_object(struct fab *f, const char *model, const char *name, uint64_t param,
                   uint32_t *object) {
  struct chk_history *h = &sim_unit_of(f)->world->untimed->lin->history;
  const struct chk_lin_model *m = chk_lin_model_find(model);
  if (m == NULL) {
    char names[NAMES_BYTES];
    list_names(NULL, names, sizeof names);
    return EYOTI_FAIL(EYOT_EINVAL, "object \"%s\": no model \"%s\"; there are: %s", name, model,
                      names);
  }
  /* a name that is cut could be another object's */
  if (strlen(name) >= CHK_HISTORY_NAME)
    return EYOTI_FAIL(EYOT_EINVAL, "object \"%s\": the name has %zu bytes, expected at most %u",
                      name, strlen(name), CHK_HISTORY_NAME - 1);
  for (uint32_t i = 0; i < h->n_objects; i++) {
    const struct chk_lin_object *o = &h->objects[i];
    if (o->model != m || strcmp(o->name, name) != 0) continue;
    if (o->param != param)
      return EYOTI_FAIL(EYOT_EMISMATCH,
                        "%s \"%s\" was made with parameter %" PRIu64 " before, now with %" PRIu64,
                        m->name, o->name, o->param, param);
    *object = i;
    return EYOT_OK;
  }
  EYOTI_TRY(chk_history_object(h, m, name, param, object));
  h->objects[*object].made_by = f->me;
  h->objects[*object].made_at = eyoti_rt_site(&sim_unit_of(f)->rt);
  return EYOT_OK;
}

/* Reports to the search which steps do not commute: see above. */
static void lin_touch(struct sim_unit *u, const struct chk_lin_op *op, bool returns) {
  struct sim_world *w = u->world;
  if (!w->untimed->record) return;
  bool keyed = w->untimed->lin->history.objects[op->object].model->keyed;
  uint64_t word = REPORTED + eyoti_hash_mix(op->object, keyed ? op->arg[0] : 0) % HASH_SLOTS * w->n;
  if (returns) {
    sim_untimed_touch_id(w, word + u->fab.me, true);
    return;
  }
  for (uint32_t i = 0; i < w->n; i++)
    if (i != u->fab.me) sim_untimed_touch_id(w, word + i, false);
}

int sim_lin_called(struct fab *f, uint32_t object, const char *op, const uint64_t *args,
                   uint64_t *id) {
  struct sim_unit *u = sim_unit_of(f);
  struct chk_history *h = &u->world->untimed->lin->history;
  if (object >= h->n_objects)
    return EYOTI_FAIL(EYOT_EINVAL, "there is no object %u: this run has made %u", object,
                      h->n_objects);
  const struct chk_lin_model *m = h->objects[object].model;
  uint32_t kind = chk_lin_kind_find(m, op);
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
  if (u->world->untimed->strategy == NULL) return EYOT_OK;
  uint32_t index;
  EYOTI_TRY(chk_history_call(h, f->me, object, kind, args, &index));
  h->ops[index].called_at = eyoti_rt_site(&u->rt);
  lin_touch(u, &h->ops[index], false);
  *id = index;
  return EYOT_OK;
}

int sim_lin_returned(struct fab *f, uint64_t id, bool ok, uint64_t result) {
  struct sim_unit *u = sim_unit_of(f);
  struct chk_history *h = &u->world->untimed->lin->history;
  if (id == NOT_RECORDED) return EYOT_OK;
  if (id >= h->n_ops || h->ops[id].unit != f->me)
    return EYOTI_FAIL(EYOT_EINVAL, "unit %u has called no operation %" PRIu64, f->me, id);
  EYOTI_TRY(chk_history_return(h, (uint32_t)id, ok, result));
  h->ops[id].returned_at = eyoti_rt_site(&u->rt);
  lin_touch(u, &h->ops[id], true);
  return EYOT_OK;
}

static const char *lin_line(void *world, uint32_t unit, const void *at) {
  return sim_detect_line_of(world, unit, at);
}

/* Fails the run with the first line of the explanation, which is in ordinary memory and is soon
 * restored with the run. */
static void explain(struct sim_world *w, const struct chk_lin_verdict *v, bool loud) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) eyoti_no_memory(0, "the explanation of a history");
  w->untimed->lin->history.line = lin_line;
  w->untimed->lin->history.context = w;
  chk_lin_explain(&w->untimed->lin->history, v, out);
  if (fclose(out) != 0) eyoti_no_memory(0, "the explanation of a history");
  if (loud) {
    fflush(stdout);
    fprintf(stderr, "eyotcheck: %s", text);
  }
  text[strcspn(text, "\n")] = '\0';
  sim_untimed_failed(w, "%s", text);
  free(text);
}

enum chk_end sim_lin_judge(struct sim_world *w, enum chk_end how, bool loud) {
  struct sim_untimed_lin *l = w->untimed->lin;
  if ((how != CHK_PASSED && how != CHK_BOUND) || l->history.n_ops == 0) return how;
  struct chk_lin_verdict v;
  if (chk_lin_check(&l->history, CONFIGURATIONS_MAX, &v) != 0) {
    l->undecided = true;
    return how;
  }
  if (v.answer == CHK_LIN_NO) {
    explain(w, &v, loud);
    w->untimed->ended_only = false;
    how = CHK_FAILED;
  }
  l->undecided = v.answer == CHK_LIN_UNDECIDED;
  chk_lin_verdict_fini(&v);
  return how;
}
