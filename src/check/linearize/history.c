/* SPDX-License-Identifier: BSD-3-Clause */
/* history.c - records calls and returns in one growing log. Positions in the log order them, so no
 * clock is needed. */
#include "check/linearize/history.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "check/linearize/models.h"
#include "check/snapshot/mem.h"

void chk_history_init(struct chk_history *h) {
  memset(h, 0, sizeof *h);
}

void chk_history_fini(struct chk_history *h) {
  chk_free(h->ops);
  chk_free(h->objects);
  chk_free(h->events);
  memset(h, 0, sizeof *h);
}

void chk_history_clear(struct chk_history *h) {
  h->n_ops = h->n_objects = h->n_events = 0;
}

/* Makes sure that one more element fits. */
static int history_grow(void **p, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return 0;
  uint32_t want = *cap == 0 ? 64 : *cap > UINT32_MAX / 2 ? UINT32_MAX : *cap * 2;
  void *q = chk_resize(*p, want * size);
  if (q == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "a history of %u entries of %zu bytes cannot grow", n, size);
  *p = q;
  *cap = want;
  return 0;
}

static int add_event(struct chk_history *h, uint32_t event) {
  void *p = h->events;
  EYOTI_TRY(history_grow(&p, h->n_events, &h->cap_events, sizeof *h->events));
  h->events = p;
  h->events[h->n_events++] = event;
  return 0;
}

int chk_history_object(struct chk_history *h, const struct chk_lin_model *model, const char *name,
                       uint64_t param, uint32_t *object) {
  void *p = h->objects;
  EYOTI_TRY(history_grow(&p, h->n_objects, &h->cap_objects, sizeof *h->objects));
  h->objects = p;
  struct chk_lin_object *o = &h->objects[h->n_objects];
  *o = (struct chk_lin_object){.model = model, .param = param};
  snprintf(o->name, sizeof o->name, "%s", name);
  *object = h->n_objects++;
  return 0;
}

int chk_history_call(struct chk_history *h, uint32_t unit, uint32_t object, uint32_t op,
                     const uint64_t *arg, uint32_t *id) {
  if (object >= h->n_objects)
    return EYOTI_FAIL(EYOT_EINVAL, "object %u of %u", object, h->n_objects);
  const struct chk_lin_model *m = h->objects[object].model;
  if (op >= m->n_kinds)
    return EYOTI_FAIL(EYOT_EINVAL, "operation %u of a %s, which has %u", op, m->name, m->n_kinds);
  if (h->n_ops >= CHK_HISTORY_OPS_MAX)
    return EYOTI_FAIL(EYOT_ERANGE, "more than %u operations", CHK_HISTORY_OPS_MAX);
  void *p = h->ops;
  EYOTI_TRY(history_grow(&p, h->n_ops, &h->cap_ops, sizeof *h->ops));
  h->ops = p;
  EYOTI_TRY(add_event(h, 2 * h->n_ops));
  struct chk_lin_op *o = &h->ops[h->n_ops];
  *o = (struct chk_lin_op){
      .unit = unit, .object = object, .op = op, .call = h->n_events - 1, .ret = CHK_PENDING};
  for (uint32_t i = 0; i < m->kinds[op].args; i++) o->arg[i] = arg[i];
  *id = h->n_ops++;
  return 0;
}

int chk_history_return(struct chk_history *h, uint32_t id, bool ok, uint64_t result) {
  if (id >= h->n_ops) return EYOTI_FAIL(EYOT_EINVAL, "operation %u of %u", id, h->n_ops);
  struct chk_lin_op *o = &h->ops[id];
  if (o->ret != CHK_PENDING) return EYOTI_FAIL(EYOT_EINVAL, "operation %u has returned before", id);
  EYOTI_TRY(add_event(h, 2 * id + 1));
  enum chk_lin_gives gives = h->objects[o->object].model->kinds[o->op].gives;
  o->ok = ok || gives == CHK_GIVES_NOTHING || gives == CHK_GIVES_VALUE;
  o->result = gives == CHK_GIVES_VALUE || (gives == CHK_GIVES_OK_VALUE && o->ok) ? result : 0;
  o->ret = h->n_events - 1;
  return 0;
}
