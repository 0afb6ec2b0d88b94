/* SPDX-License-Identifier: BSD-3-Clause */
/* models.c - the sequential models of memory and containers, the list of all models, and the text
 * of operations (models.h). The models of locks are in locks.c.
 *
 * Every *_ask function has the same steps: what would the operation return in this state; does that
 * agree with what it returned (agrees_*), or is it pending; does it change the state. */
#include "check/linearize/models.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool agrees_ok(const struct chk_lin_op *op, bool ok) {
  return op->ret == CHK_PENDING || op->ok == ok;
}

static bool agrees_value(const struct chk_lin_op *op, uint64_t value) {
  return op->ret == CHK_PENDING || op->result == value;
}

static enum chk_lin_effect effect(bool agrees, bool changes) {
  return !agrees ? CHK_LIN_CANNOT : changes ? CHK_LIN_CHANGES : CHK_LIN_SAME;
}

/* -- register: w[0] is the value --------------------------------------------------------------- */

static void register_init(struct chk_lin_state *s, uint64_t param) {
  s->n = 1;
  s->w[0] = param;
}

static uint64_t register_next(uint64_t v, const struct chk_lin_op *op) {
  switch (op->op) {
    case CHK_REGISTER_WRITE:
    case CHK_REGISTER_SWAP:
      return op->arg[0];
    case CHK_REGISTER_ADD:
    case CHK_REGISTER_FETCH_ADD:
      return v + op->arg[0];
    case CHK_REGISTER_CAS:
    case CHK_REGISTER_FETCH_CAS:
      return v == op->arg[0] ? op->arg[1] : v;
    default:
      return v;
  }
}

static enum chk_lin_effect register_ask(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                        uint64_t param) {
  (void)param;
  uint64_t v = s->w[0];
  bool agrees = true;
  if (op->op == CHK_REGISTER_CAS) {
    agrees = agrees_ok(op, v == op->arg[0]);
  } else if (op->op != CHK_REGISTER_WRITE && op->op != CHK_REGISTER_ADD) {
    agrees = agrees_value(op, v);
  }
  return effect(agrees, op->op == CHK_REGISTER_WRITE || register_next(v, op) != v);
}

static void register_apply(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t param) {
  (void)param;
  s->w[0] = register_next(s->w[0], op);
}

static void register_show(const struct chk_lin_state *s, char *text, size_t bytes) {
  snprintf(text, bytes, "is %" PRIu64, s->w[0]);
}

/* -- queue and stack: the values, oldest first ------------------------------------------------- */

static void sequence_init(struct chk_lin_state *s, uint64_t param) {
  (void)param;
  s->n = 0;
}

static enum chk_lin_effect model_put_in(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                        uint64_t capacity) {
  bool not_full = capacity == 0 || s->n < capacity;
  return effect(agrees_ok(op, not_full), not_full);
}

static enum chk_lin_effect model_take_out(const struct chk_lin_state *s,
                                          const struct chk_lin_op *op, uint32_t at) {
  if (s->n == 0) return effect(agrees_ok(op, false), false);
  return effect(agrees_ok(op, true) && agrees_value(op, s->w[at]), true);
}

static enum chk_lin_effect queue_ask(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                     uint64_t capacity) {
  return op->op == CHK_QUEUE_ENQUEUE ? model_put_in(s, op, capacity) : model_take_out(s, op, 0);
}

static void queue_apply(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t capacity) {
  (void)capacity;
  if (op->op == CHK_QUEUE_ENQUEUE) {
    s->w[s->n++] = op->arg[0];
  } else {
    memmove(s->w, s->w + 1, --s->n * sizeof *s->w);
  }
}

static enum chk_lin_effect stack_ask(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                     uint64_t capacity) {
  return op->op == CHK_STACK_PUSH ? model_put_in(s, op, capacity) : model_take_out(s, op, s->n - 1);
}

static void stack_apply(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t capacity) {
  (void)capacity;
  if (op->op == CHK_STACK_PUSH) {
    s->w[s->n++] = op->arg[0];
  } else {
    s->n--;
  }
}

#define SHOWN 12u /* values of a sequence */

static void sequence_show(const struct chk_lin_state *s, char *text, size_t bytes) {
  size_t at = (size_t)snprintf(text, bytes, "holds [");
  for (uint32_t i = 0; i < s->n && at < bytes; i++) {
    if (i == SHOWN) {
      snprintf(text + at, bytes - at, ", ...] (%" PRIu32 " values)", s->n);
      return;
    }
    at += (size_t)snprintf(text + at, bytes - at, "%s%" PRIu64, i == 0 ? "" : ", ", s->w[i]);
  }
  if (at < bytes) snprintf(text + at, bytes - at, "]");
}

/* -- map: one key: no word if absent, else its value; set: one element: no word, or 1 ---------- */

static enum chk_lin_effect map_ask(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                   uint64_t param) {
  (void)param;
  bool there = s->n == 1;
  switch (op->op) {
    case CHK_MAP_INSERT:
      return effect(agrees_ok(op, !there), !there);
    case CHK_MAP_PUT:
      return CHK_LIN_CHANGES;
    case CHK_MAP_REMOVE:
      return effect(agrees_ok(op, there), there);
    case CHK_MAP_CAS: {
      bool hit = there && s->w[0] == op->arg[1];
      return effect(agrees_ok(op, hit), hit && op->arg[1] != op->arg[2]);
    }
    default:
      return effect(agrees_ok(op, there) && (!there || agrees_value(op, s->w[0])),
                    there && op->op == CHK_MAP_TAKE);
  }
}

static void map_apply(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t param) {
  (void)param;
  if (op->op == CHK_MAP_REMOVE || op->op == CHK_MAP_TAKE) {
    s->n = 0;
  } else {
    s->n = 1;
    s->w[0] = op->op == CHK_MAP_CAS ? op->arg[2] : op->arg[1];
  }
}

static void map_show(const struct chk_lin_state *s, char *text, size_t bytes) {
  if (s->n == 0) {
    snprintf(text, bytes, "lacks this key");
  } else {
    snprintf(text, bytes, "has %" PRIu64 " under this key", s->w[0]);
  }
}

static enum chk_lin_effect set_ask(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                   uint64_t param) {
  (void)param;
  bool there = s->n == 1;
  if (op->op == CHK_SET_ADD) return effect(agrees_ok(op, !there), !there);
  return effect(agrees_ok(op, there), there && op->op == CHK_SET_REMOVE);
}

static void set_apply(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t param) {
  (void)param;
  s->n = op->op == CHK_SET_ADD ? 1 : 0;
  if (s->n == 1) s->w[0] = 1;
}

static void set_show(const struct chk_lin_state *s, char *text, size_t bytes) {
  snprintf(text, bytes, s->n == 0 ? "lacks this element" : "has this element");
}

/* -- tables ------------------------------------------------------------------------------------ */

static const struct chk_lin_kind register_kinds[] = {
    {"read", 0, CHK_GIVES_VALUE, "", ""},     {"write", 1, CHK_GIVES_NOTHING, "", ""},
    {"add", 1, CHK_GIVES_NOTHING, "", ""},    {"fetch_add", 1, CHK_GIVES_VALUE, "", ""},
    {"swap", 1, CHK_GIVES_VALUE, "", ""},     {"cas", 2, CHK_GIVES_OK, "ok", "no"},
    {"fetch_cas", 2, CHK_GIVES_VALUE, "", ""}};
static const struct chk_lin_kind queue_kinds[] = {{"enqueue", 1, CHK_GIVES_OK, "ok", "full"},
                                                  {"dequeue", 0, CHK_GIVES_OK_VALUE, "", "empty"}};
static const struct chk_lin_kind stack_kinds[] = {{"push", 1, CHK_GIVES_OK, "ok", "full"},
                                                  {"pop", 0, CHK_GIVES_OK_VALUE, "", "empty"}};
static const struct chk_lin_kind map_kinds[] = {
    {"insert", 2, CHK_GIVES_OK, "ok", "present"},  {"put", 2, CHK_GIVES_NOTHING, "", ""},
    {"get", 1, CHK_GIVES_OK_VALUE, "", "absent"},  {"remove", 1, CHK_GIVES_OK, "ok", "absent"},
    {"take", 1, CHK_GIVES_OK_VALUE, "", "absent"}, {"cas", 3, CHK_GIVES_OK, "ok", "no"}};
static const struct chk_lin_kind set_kinds[] = {{"add", 1, CHK_GIVES_OK, "ok", "present"},
                                                {"remove", 1, CHK_GIVES_OK, "ok", "absent"},
                                                {"contains", 1, CHK_GIVES_OK, "yes", "no"}};

const struct chk_lin_model chk_lin_register = {
    "register",     register_kinds, 7,    false, register_init, register_ask,
    register_apply, register_show,  NULL, NULL};
const struct chk_lin_model chk_lin_queue = {"queue",
                                            queue_kinds,
                                            2,
                                            false,
                                            sequence_init,
                                            queue_ask,
                                            queue_apply,
                                            sequence_show,
                                            chk_lin_rank_queue,
                                            chk_lin_dead_queue};
const struct chk_lin_model chk_lin_stack = {"stack",
                                            stack_kinds,
                                            2,
                                            false,
                                            sequence_init,
                                            stack_ask,
                                            stack_apply,
                                            sequence_show,
                                            chk_lin_rank_stack,
                                            chk_lin_dead_stack};
const struct chk_lin_model chk_lin_map = {"map",   map_kinds, 6,        true, sequence_init,
                                          map_ask, map_apply, map_show, NULL, NULL};
const struct chk_lin_model chk_lin_set = {"set",   set_kinds, 3,        true, sequence_init,
                                          set_ask, set_apply, set_show, NULL, NULL};

const struct chk_lin_model *chk_lin_model_at(uint32_t i) {
  const struct chk_lin_model *const all[] = {&chk_lin_lock,  &chk_lin_rwlock, &chk_lin_register,
                                             &chk_lin_queue, &chk_lin_stack,  &chk_lin_map,
                                             &chk_lin_set};
  return i < sizeof all / sizeof all[0] ? all[i] : NULL;
}

const struct chk_lin_model *chk_lin_model_find(const char *name) {
  for (uint32_t i = 0; chk_lin_model_at(i) != NULL; i++) {
    if (strcmp(chk_lin_model_at(i)->name, name) == 0) return chk_lin_model_at(i);
  }
  return NULL;
}

uint32_t chk_lin_kind_find(const struct chk_lin_model *m, const char *name) {
  for (uint32_t i = 0; i < m->n_kinds; i++) {
    if (strcmp(m->kinds[i].name, name) == 0) return i;
  }
  return UINT32_MAX;
}

void chk_lin_print_op(const struct chk_lin_model *m, const struct chk_lin_op *op, char *text,
                      size_t bytes) {
  const struct chk_lin_kind *k = &m->kinds[op->op];
  char args[3 * 22] = "", gave[40] = "";
  size_t at = 0;
  for (uint32_t i = 0; i < k->args; i++) {
    at +=
        (size_t)snprintf(args + at, sizeof args - at, "%s%" PRIu64, i == 0 ? "" : ", ", op->arg[i]);
  }
  if (op->ret == CHK_PENDING) {
    snprintf(gave, sizeof gave, ", pending");
  } else if (k->gives == CHK_GIVES_VALUE || (k->gives == CHK_GIVES_OK_VALUE && op->ok)) {
    snprintf(gave, sizeof gave, " -> %" PRIu64, op->result);
  } else if (k->gives != CHK_GIVES_NOTHING) {
    snprintf(gave, sizeof gave, " -> %s", op->ok ? k->yes : k->no);
  }
  snprintf(text, bytes, "%s(%s)%s", k->name, args, gave);
}
