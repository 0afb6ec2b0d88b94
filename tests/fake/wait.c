/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - completion, order, and waiting for memory in the fake fabric. */
#include <stdlib.h>

#include "fake/state.h"

static struct fake_op *find(struct fake_unit *u, fab_req_t req, struct fake_slot **slot) {
  uint32_t i = (uint32_t)req - 1u;
  if (i >= u->n_slots || u->slots[i].op == NULL ||
      (u->slots[i].gen & INT32_MAX) != (uint32_t)(req >> 32))
    return NULL;
  *slot = &u->slots[i];
  return u->slots[i].op;
}

static int no_request(fab_req_t req) {
  return EYOTI_FAIL(EYOT_EINVAL, "%#llx is not a request of this unit, or was retired before",
                    (unsigned long long)req);
}

/* A put to another unit of the node stays in a store buffer: its origin may continue as if it were
 * visible. Attached memory may no longer exist, which the wait must report, so puts to it are
 * waited for. */
static bool buffered(const struct fake_world *w, const struct fake_op *op) {
  if (w->o.mapped || op->origin == op->target || !fake_same_node(w, op->origin, op->target))
    return false;
  if (op->seg == FAB_SEG_ATTACHED || !op->sourced) return false;
  return op->kind == FAKE_PUT ||
         (op->kind == FAKE_SIG && op->sig.op == FAB_SIG_SET && op->sig.at.seg != FAB_SEG_ATTACHED);
}

static bool locally_done(const struct fake_world *w, const struct fake_op *op) {
  if (op->done) return true;
  if (op->kind == FAKE_GET) return w->o.fault == FAKE_GET_EARLY && op->acted;
  return op->kind != FAKE_AMO && (op->sourced || w->o.fault == FAKE_LOCAL_EARLY);
}

static bool remotely_done(const struct fake_world *w, const struct fake_op *op) {
  if (op->done || buffered(w, op)) return true;
  if (op->kind == FAKE_GET) return locally_done(w, op);
  return w->o.fault == FAKE_REMOTE_EARLY && op->sourced;
}

static bool op_done(const struct fake_world *w, const struct fake_op *op, enum fab_level level) {
  return level == FAB_LOCAL ? locally_done(w, op) : remotely_done(w, op);
}

/* The origin has seen that op is remotely complete. */
static int retire(struct fake_unit *u, struct fake_op *op, struct fake_slot *slot) {
  int err = op->err;
  if (u->w->o.fault != FAKE_RETIRE_TWICE || !op->done) slot->op = NULL;
  if (op->done) {
    if (slot->op == NULL) fake_op_free(op);
    return err;
  }
  op->has_req = false; /* freed when it has taken effect */
  if (buffered(u->w, op)) {
    op->released = true;
    op->rel_seq = u->w->next_seq;
  }
  return EYOT_OK;
}

void fake_keep_error(struct fake_unit *u, const struct fake_op *op) {
  bool result = op->kind == FAKE_GET || (op->kind == FAKE_AMO && op->old_to != NULL);
  if (op->err == 0 || (u->n_errors > 0 && u->w->o.fault == FAKE_ONE_ERROR)) return;
  u->errors = fake_grow(u->errors, (u->n_errors + 1) * sizeof *u->errors);
  u->errors[u->n_errors++] = (struct fake_error){op->target, op->set, result, op->err};
}

/* The first of the errors that a flush covers, which are reported with it. */
static int take_error(struct fake_unit *u, fab_unit_t unit, enum fab_level level) {
  enum fake_fault fault = u->w->o.fault;
  uint32_t left = 0;
  int err = EYOT_OK;
  for (uint32_t i = 0; i < u->n_errors; i++) {
    const struct fake_error e = u->errors[i];
    bool of_set = fab_set_covers(u->fab.set, e.set) || fault == FAKE_ERROR_ANY_SET;
    bool of_unit = unit == FAB_ALL || unit == e.unit || fault == FAKE_ERROR_ANY_UNIT;
    bool now = level == FAB_REMOTE || (e.result && fault != FAKE_ERROR_NOT_LOCAL);
    bool taken = of_set && of_unit && now;
    if (taken && err == EYOT_OK) err = e.err;
    if (!taken || fault == FAKE_ERROR_TWICE) u->errors[left++] = e;
  }
  u->n_errors = left;
  return err;
}

/* The origin gives its request back; an error of a put waits for a flush. */
static int release(struct fake_unit *u, struct fake_op *op, struct fake_slot *slot) {
  slot->op = NULL;
  if (!op->done) {
    op->has_req = false;
    return EYOT_OK;
  }
  bool has_result = op->kind == FAKE_GET || op->kind == FAKE_AMO;
  int err = has_result ? op->err : EYOT_OK;
  if (!has_result) fake_keep_error(u, op);
  fake_op_free(op);
  return err;
}

static bool arg_op_done(struct fake_unit *u) {
  return op_done(u->w, u->arg, (enum fab_level)u->arg_value);
}

static void set_arg(struct fake_unit *u, const void *arg, uint64_t value, uint32_t kind) {
  u->arg = arg;
  u->arg_value = value;
  u->arg_kind = kind;
}

static bool not_its_thread(const struct fake_unit *u, const struct fake_op *op) {
  return u->w->o.fault == FAKE_THREAD_REQS && op->by != eyoti_rt_thread();
}

int fake_req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  fake_yield(u);
  if (u->w->down) return EYOT_EPEERDOWN;
  if (req == 0) {
    *done = true;
    return EYOT_OK;
  }
  struct fake_slot *slot;
  struct fake_op *op = find(u, req, &slot);
  if (op == NULL || not_its_thread(u, op)) return no_request(req);
  bool now = op_done(u->w, op, level);
  if (now && level == FAB_REMOTE) EYOTI_TRY(retire(u, op, slot));
  *done = now;
  return EYOT_OK;
}

int fake_req_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  if (req == 0) return EYOT_OK;
  struct fake_slot *slot;
  struct fake_op *op = find(u, req, &slot);
  if (op == NULL || not_its_thread(u, op)) return no_request(req);
  fake_offer(u);
  enum fab_level until = level == FAB_REMOTE ? FAB_REMOTE : FAB_LOCAL;
  if (!op_done(u->w, op, until)) {
    set_arg(u, op, (uint64_t)until, UINT32_MAX);
    EYOTI_TRY(fake_park(u, arg_op_done, UINT64_MAX, "the completion of a request"));
  }
  (void)find(u, req, &slot); /* the table may have moved */
  if (level == FAB_RELEASE) return release(u, op, slot);
  return level == FAB_REMOTE ? retire(u, op, slot) : EYOT_OK;
}

/* True if all operations to arg_value (a unit or FAB_ALL) are complete at level arg_kind. */
static bool flushed(struct fake_unit *u) {
  const struct fake_world *w = u->w;
  for (uint32_t i = 0; i < w->n_pending; i++) {
    const struct fake_op *op = w->pending[i];
    if (op->origin != u->fab.me || (u->arg_value != FAB_ALL && op->target != u->arg_value))
      continue;
    if (w->o.fault == FAKE_THREAD_FLUSH && op->by != u->flusher) continue;
    if (!fab_set_covers(u->fab.set, op->set) && w->o.fault != FAKE_SET_IS_ALL) continue;
    if (w->o.fault == FAKE_SET_LEFT_OUT && u->fab.set == FAB_SET_ALL && op->set > FAB_SET_DEFAULT)
      continue;
    if (u->arg_kind == FAB_LOCAL
            ? !locally_done(w, op)
            : !(op->done || (w->o.fault == FAKE_FLUSH_NO_BARRIER && op->released)))
      return false;
  }
  return true;
}

int fake_flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  if (unit != FAB_ALL && unit >= u->w->o.n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", unit, u->w->o.n);
  fake_offer(u);
  if (u->w->o.fault == FAKE_FLUSH_EARLY) return EYOT_OK;
  if (u->w->o.fault == FAKE_SET_FLUSH_EARLY && f->set > FAB_SET_DEFAULT) return EYOT_OK;
  set_arg(u, NULL, unit, (uint32_t)level);
  u->flusher = eyoti_rt_thread();
  if (!flushed(u)) EYOTI_TRY(fake_park(u, flushed, UINT64_MAX, "a flush"));
  if (level == FAB_REMOTE && u->w->o.fault != FAKE_FLUSH_NO_BARRIER) fake_drain(u);
  return take_error(u, unit, level);
}

static void order_set(struct fake_unit *u, fab_unit_t unit) {
  struct fake_set_order *o = u->set_orders;
  const struct fake_set_order *end = o == NULL ? NULL : o + u->n_set_orders;
  while (o != end && (o->set != u->fab.set || o->target != unit)) o++;
  if (o == end) {
    u->set_orders = fake_grow(u->set_orders, (u->n_set_orders + 1) * sizeof *o);
    o = &u->set_orders[u->n_set_orders++];
  }
  *o = (struct fake_set_order){.set = u->fab.set, .target = unit, .seq = u->w->next_seq};
}

int fake_order(struct fab *f, fab_unit_t unit) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  if (unit != FAB_ALL && unit >= u->w->o.n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", unit, u->w->o.n);
  for (uint32_t t = 0; t < u->w->o.n; t++) {
    if (unit != FAB_ALL && unit != t) continue;
    if (f->set == FAB_SET_ALL)
      u->epoch[t]++;
    else
      order_set(u, t);
  }
  fake_offer(u);
  return EYOT_OK;
}

static const void *word_at(const struct fake_unit *u, const struct fab_cond *c) {
  return fake_resolve(u->w, u->fab.me, c->seg, c->off, fab_word_bytes(c->type));
}

static bool cond_holds(const struct fake_unit *u, const struct fab_cond *cond) {
  struct fab_cond c = *cond;
  enum fake_fault fault = u->w->o.fault;
  const char *at = word_at(u, &c);
  if (fault == FAKE_WAIT_WIDE && (uintptr_t)at % 8 == 0) c.type &= FAB_I64;
  if (fault == FAKE_CMP_LT_AS_LE && c.cmp == FAB_LT) c.cmp = FAB_LE;
  if (fault == FAKE_WAIT_SIGNED) c.type |= FAB_I64;
  if (fault == FAKE_WAIT_UNSIGNED) c.type &= FAB_U32;
  return fab_cond_holds(&c, fab_word_load(c.type, at));
}

static int check_word(struct fake_unit *u, const struct fab_cond *c) {
  if ((uint32_t)c->type > FAB_I32) return EYOTI_FAIL(EYOT_EINVAL, "no type of word %u", c->type);
  if ((uint32_t)c->cmp > FAB_GE)
    return EYOTI_FAIL(EYOT_EINVAL, "there is no comparison %u", c->cmp);
  uint32_t bytes = fab_word_bytes(c->type);
  EYOTI_TRY(fake_check(u, fab_at(u->fab.me, c->seg, c->off), bytes));
  const char *at = word_at(u, c);
  if (at == NULL)
    return EYOTI_FAIL(EYOT_ERANGE, "no memory attached at %#llx", (unsigned long long)c->off);
  if ((uintptr_t)at % bytes != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "offset %llu is not aligned to %u", (unsigned long long)c->off,
                      bytes);
  return EYOT_OK;
}

static int wait_until(struct fake_unit *u, bool (*ready)(struct fake_unit *u), uint64_t timeout_ns,
                      const char *why) {
  struct fake_world *w = u->w;
  if (timeout_ns == 0)
    fake_yield(u);
  else
    fake_offer(u);
  if (w->down) return EYOT_EPEERDOWN;
  if (ready(u)) return EYOT_OK;
  if (timeout_ns == 0) return EYOT_ETIMEOUT;
  bool forever = timeout_ns > UINT64_MAX - w->clock_ns || w->o.fault == FAKE_NO_TIMEOUT;
  u->deaf = w->o.fault == FAKE_MISSED_WAKE && fake_chance(w, 1);
  int rc = fake_park(u, ready, forever ? UINT64_MAX : w->clock_ns + timeout_ns, why);
  u->deaf = false;
  if (rc != 0) return rc;
  return ready(u) ? EYOT_OK : EYOT_ETIMEOUT;
}

/* arg: the conditions; arg_value: how many. */
static bool any_holds(struct fake_unit *u) {
  const struct fab_cond *c = u->arg;
  uint64_t n =
      u->w->o.fault == FAKE_ANY_LAST_DEAF && u->arg_value > 1 ? u->arg_value - 1 : u->arg_value;
  if (u->deaf) return false;
  for (uint64_t i = 0; i < n; i++)
    if (cond_holds(u, &c[i])) return true;
  return false;
}

int fake_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns, uint64_t *seen) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  EYOTI_TRY(check_word(u, cond));
  set_arg(u, cond, 1, FAKE_ARG_WORDS);
  EYOTI_TRY(wait_until(u, any_holds, timeout_ns, "a word of its own"));
  if (seen != NULL)
    *seen = u->w->o.fault == FAKE_SEEN_BITS ? fab_word_load(cond->type & FAB_U32, word_at(u, cond))
                                            : fab_word_load(cond->type, word_at(u, cond));
  return EYOT_OK;
}

int fake_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                  uint32_t *index, uint32_t *held) {
  struct fake_unit *u = fake_of(f);
  uint32_t room = held != NULL ? *held : 1, count = 0;
  EYOTI_TRY(fake_enter(u));
  if (n == 0) return EYOTI_FAIL(EYOT_EINVAL, "waiting for any of no words would never end");
  for (uint32_t i = 0; i < n; i++) EYOTI_TRY(check_word(u, &conds[i]));
  set_arg(u, conds, n, FAKE_ARG_WORDS);
  EYOTI_TRY(wait_until(u, any_holds, timeout_ns, "any of several words of its own"));
  if (u->w->o.fault == FAKE_SOME_ONE) room = 1;
  for (uint32_t i = 0; i < n && count < room; i++)
    if (cond_holds(u, &conds[i])) index[count++] = i;
  for (uint32_t k = index[0] + 1; k < n && u->w->o.fault == FAKE_ANY_HIGHEST; k++)
    if (cond_holds(u, &conds[k])) index[0] = k;
  if (held != NULL) *held = count;
  return EYOT_OK;
}

void fake_wrote(struct fake_unit *u, const char *at, uint64_t len) {
  enum fake_fault fault = u->w->o.fault;
  if (fault != FAKE_PUT_DEAF && fault != FAKE_PUT_PART_DEAF) return;
  if (u->ready == NULL || u->arg_kind != FAKE_ARG_WORDS) return;
  const struct fab_cond *c = u->arg;
  for (uint64_t i = 0; i < u->arg_value; i++) {
    const char *word = word_at(u, &c[i]);
    if (word >= at + len || at >= word + fab_word_bytes(c[i].type)) continue;
    if (fault == FAKE_PUT_DEAF || at != word) u->deaf = true;
  }
}
