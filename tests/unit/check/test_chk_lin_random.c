/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_lin_random.c - linearizability of random histories, against simulators of every object
 * that share no code with the models.
 *
 * A history is made by units that call, take effect on the simulator at some moment between, and
 * return: it is linearizable by construction. Short ones are also modified, and the verdict is
 * compared with a trial of all orders on the simulator. Long ones must stay cheap, measured in
 * configurations, never in time. */
#include "check/strategy/rng.h"
#include "unit/check/chk_lin_unit.h"

#define SIM_WORDS 4096u
#define UNITS 12u
#define SHORT 2500u  /* histories for each model */
#define SHORT_OPS 6u /* operations in the longest of them */

/* The state of an object of any kind: a value, a sequence, or the units that hold it. */
struct sim {
  const struct chk_lin_model *model;
  uint64_t param, value;
  int64_t writer;   /* -1: none */
  uint32_t readers; /* bits */
  uint32_t n;
  uint64_t seq[SIM_WORDS];
  bool there[4]; /* keys 0..3 */
  uint64_t at[4];
};

struct result {
  bool can, ok; /* can: not waiting, and allowed */
  uint64_t value;
};

static void sim_init(struct sim *s, const struct chk_lin_model *m, uint64_t param) {
  memset(s, 0, sizeof *s);
  s->model = m;
  s->param = param;
  s->value = param;
  s->writer = -1;
}

static struct result sim_register(struct sim *s, const struct chk_lin_op *op) {
  struct result r = {true, true, s->value};
  if (op->op == CHK_REGISTER_WRITE || op->op == CHK_REGISTER_SWAP) s->value = op->arg[0];
  if (op->op == CHK_REGISTER_ADD || op->op == CHK_REGISTER_FETCH_ADD) s->value += op->arg[0];
  if (op->op == CHK_REGISTER_CAS || op->op == CHK_REGISTER_FETCH_CAS) {
    if (s->value == op->arg[0]) {
      s->value = op->arg[1];
    } else if (op->op == CHK_REGISTER_CAS) {
      r.ok = false;
    }
  }
  return r;
}

static struct result sim_sequence(struct sim *s, const struct chk_lin_op *op, bool fifo) {
  if (op->op == 0) {
    if (s->param != 0 && s->n == s->param) return (struct result){true, false, 0};
    assert_true(s->n < SIM_WORDS);
    s->seq[s->n++] = op->arg[0];
    return (struct result){true, true, 0};
  }
  if (s->n == 0) return (struct result){true, false, 0};
  uint64_t v = fifo ? s->seq[0] : s->seq[s->n - 1];
  s->n--;
  if (fifo) memmove(s->seq, s->seq + 1, s->n * sizeof v);
  return (struct result){true, true, v};
}

/* fails: whether an operation that may give up does. */
static struct result sim_lock(struct sim *s, const struct chk_lin_op *op, bool fails) {
  uint32_t bit = 1u << op->unit, kind = op->op % 4;
  bool shared = op->op >= 4,
       held = s->writer >= 0 || (shared ? (s->readers & bit) != 0 : s->readers != 0);
  struct result r = {true, true, 0};
  if (kind == CHK_LOCK_RELEASE) {
    r.can = shared ? (s->readers & bit) != 0 : s->writer == (int64_t)op->unit;
    if (r.can && shared) s->readers &= ~bit;
    if (r.can && !shared) s->writer = -1;
    return r;
  }
  r.ok = !held && !(kind == CHK_LOCK_ACQUIRE_TIMED && fails);
  r.can = r.ok || kind != CHK_LOCK_ACQUIRE;
  if (r.ok && shared) s->readers |= bit;
  if (r.ok && !shared) s->writer = op->unit;
  return r;
}

static struct result sim_keyed(struct sim *s, const struct chk_lin_op *op) {
  bool is_set = s->model == &chk_lin_set, *there = &s->there[op->arg[0]];
  uint64_t *at = &s->at[op->arg[0]];
  struct result r = {true, *there, *at};
  if (is_set) {
    r.ok = op->op == CHK_SET_ADD ? !*there : *there;
    if (op->op != CHK_SET_CONTAINS) *there = op->op == CHK_SET_ADD;
    return r;
  }
  if (op->op == CHK_MAP_INSERT) r.ok = !*there;
  if (op->op == CHK_MAP_PUT || (op->op == CHK_MAP_INSERT && r.ok)) {
    *there = true;
    *at = op->arg[1];
  }
  if (op->op == CHK_MAP_REMOVE || op->op == CHK_MAP_TAKE) *there = false;
  if (op->op == CHK_MAP_CAS) {
    r.ok = *there && *at == op->arg[1];
    if (r.ok) *at = op->arg[2];
  }
  return r;
}

static struct result sim_do(struct sim *s, const struct chk_lin_op *op, bool fails) {
  if (s->model == &chk_lin_register) return sim_register(s, op);
  if (s->model == &chk_lin_queue || s->model == &chk_lin_stack)
    return sim_sequence(s, op, s->model == &chk_lin_queue);
  if (s->model == &chk_lin_lock || s->model == &chk_lin_rwlock) return sim_lock(s, op, fails);
  return sim_keyed(s, op);
}

/* -- histories --------------------------------------------------------------------------------- */

struct make {
  uint32_t units, ops;
  uint32_t values; /* different values to put in; 0: each once */
  uint32_t fill;   /* of 100 operations on a sequence, so many put in */
  bool leave;      /* some operations never return */
  uint32_t slow;   /* one unit in so many is picked often; 0: all alike */
};

/* phase: a unit's operation is not called, called, or has taken effect. */
struct maker {
  struct chk_history h;
  struct sim sim;
  struct chk_rng rng;
  uint32_t phase[UNITS], id[UNITS];
  struct result got[UNITS];
  uint32_t called;
};

static uint32_t some_op(struct maker *m, const struct make *k, uint64_t arg[3]) {
  const struct chk_lin_model *model = m->sim.model;
  uint32_t range = k->values == 0 ? 1000 : k->values;
  if (model == &chk_lin_queue || model == &chk_lin_stack) {
    arg[0] = k->values == 0 ? 1 + m->called : chk_rng_below(&m->rng, range);
    return chk_rng_below(&m->rng, 100) < k->fill ? 0 : 1;
  }
  for (uint32_t i = 0; i < 3; i++)
    arg[i] = chk_rng_below(&m->rng, model->keyed && i == 0 ? 2 : range);
  return chk_rng_below(&m->rng, model->n_kinds);
}

/* A unit that holds a lock must not wait for it, or the run would end there. */
static bool sensible(const struct maker *m, uint32_t unit, uint32_t op) {
  if (m->sim.model != &chk_lin_lock && m->sim.model != &chk_lin_rwlock) return true;
  bool reads = (m->sim.readers & 1u << unit) != 0, writes = m->sim.writer == (int64_t)unit;
  if (op % 4 == CHK_LOCK_RELEASE) return op >= 4 ? reads : writes;
  return !reads && !writes;
}

static void advance(struct maker *m, const struct make *k, uint32_t u) {
  if (m->phase[u] == 0) {
    uint64_t arg[3];
    uint32_t op = some_op(m, k, arg);
    if (m->called == k->ops || !sensible(m, u, op)) return;
    assert_int_equal(chk_history_call(&m->h, u, 0, op, arg, &m->id[u]), 0);
    m->called++;
    m->phase[u] = 1;
  } else if (m->phase[u] == 1) {
    m->got[u] = sim_do(&m->sim, &m->h.ops[m->id[u]], chk_rng_one_in(&m->rng, 2));
    if (m->got[u].can) m->phase[u] = 2;
  } else {
    assert_int_equal(chk_history_return(&m->h, m->id[u], m->got[u].ok, m->got[u].value), 0);
    m->phase[u] = 0;
  }
}

static void make(struct maker *m, const struct chk_lin_model *model, uint64_t param,
                 const struct make *k, uint64_t seed) {
  uint32_t object;
  memset(m, 0, sizeof *m);
  m->rng = chk_rng_of(seed, 0);
  sim_init(&m->sim, model, param);
  chk_history_init(&m->h);
  assert_int_equal(chk_history_object(&m->h, model, "it", param, &object), 0);
  uint32_t end = k->leave ? 2 * k->ops : 1000 * k->ops;
  for (uint32_t i = 0; i < end; i++) {
    uint32_t u = chk_rng_below(&m->rng, k->units);
    if (k->slow != 0 && u < k->units / 2 && !chk_rng_one_in(&m->rng, k->slow)) continue;
    advance(m, k, u);
    if (m->called == k->ops && !k->leave && m->h.n_events == 2 * m->h.n_ops) break;
  }
}

/* Changes the result of one operation. False: no result can be changed. */
static bool damage(struct maker *m) {
  uint32_t n = m->h.n_ops;
  for (uint32_t tries = 0; tries < 20 && n > 0; tries++) {
    struct chk_lin_op *op = &m->h.ops[chk_rng_below(&m->rng, n)],
                      *other = &m->h.ops[chk_rng_below(&m->rng, n)];
    const struct chk_lin_kind *kinds = m->sim.model->kinds;
    enum chk_lin_gives gives = kinds[op->op].gives;
    if (op->ret == CHK_PENDING || gives == CHK_GIVES_NOTHING) continue;
    if (other->ret != CHK_PENDING && other != op && kinds[other->op].gives == gives &&
        chk_rng_one_in(&m->rng, 2)) {
      const struct chk_lin_op was = *op;
      op->ok = other->ok;
      op->result = other->result;
      other->ok = was.ok;
      other->result = was.result;
    } else if (gives == CHK_GIVES_OK) {
      op->ok = !op->ok;
    } else if (gives == CHK_GIVES_OK_VALUE && chk_rng_one_in(&m->rng, 2)) {
      op->ok = !op->ok;
      op->result = op->ok ? 1 + chk_rng_below(&m->rng, 4) : 0;
    } else if (op->ok) {
      op->result += chk_rng_one_in(&m->rng, 2) ? 1 : UINT64_MAX;
    }
    return true;
  }
  return false;
}

/* -- all orders -------------------------------------------------------------------------------- */

static bool fits(struct sim *s, const struct chk_lin_op *op) {
  bool fails = op->ret != CHK_PENDING && !op->ok;
  struct result r = sim_do(s, op, fails);
  if (!r.can || op->ret == CHK_PENDING) return r.can;
  enum chk_lin_gives gives = s->model->kinds[op->op].gives;
  if (gives == CHK_GIVES_OK || gives == CHK_GIVES_OK_VALUE) {
    if (r.ok != op->ok) return false;
  }
  return !(gives == CHK_GIVES_VALUE || (gives == CHK_GIVES_OK_VALUE && r.ok)) ||
         r.value == op->result;
}

/* s[1] and so on: memory for the intermediate states, one an operation. */
static bool any_order(const struct chk_history *h, struct sim *s, uint32_t done) {
  uint64_t first_ret = CHK_PENDING; /* among the remaining operations */
  for (uint32_t i = 0; i < h->n_ops; i++) {
    if ((done >> i & 1) == 0 && h->ops[i].ret < first_ret) first_ret = h->ops[i].ret;
  }
  if (first_ret == CHK_PENDING) return true;
  struct sim *next = s + 1;
  bool found = false;
  for (uint32_t i = 0; i < h->n_ops && !found; i++) {
    if ((done >> i & 1) != 0 || h->ops[i].call > first_ret) continue;
    memcpy(next, s, offsetof(struct sim, seq));
    memcpy(next->seq, s->seq, s->n * sizeof *s->seq);
    memcpy(next->there, s->there, sizeof s->there);
    memcpy(next->at, s->at, sizeof s->at);
    found = fits(next, &h->ops[i]) && any_order(h, next, done | 1u << i);
  }
  return found;
}

static enum chk_lin_answer verdict(struct maker *m, uint64_t max, uint64_t *configurations) {
  struct chk_lin_verdict v;
  assert_int_equal(chk_lin_check(&m->h, max, &v), 0);
  enum chk_lin_answer a = v.answer;
  if (configurations != NULL) *configurations = v.configurations;
  chk_lin_verdict_fini(&v);
  return a;
}

/* The history without the events after the r-th return. */
static void cut(const struct chk_history *h, uint64_t events, struct chk_history *to) {
  uint32_t id, object;
  chk_history_init(to);
  assert_int_equal(chk_history_object(to, h->objects[0].model, "it", h->objects[0].param, &object),
                   0);
  for (uint32_t e = 0; e < events; e++) {
    const struct chk_lin_op *op = &h->ops[h->events[e] / 2];
    if (h->events[e] % 2 == 0) {
      assert_int_equal(chk_history_call(to, op->unit, object, op->op, op->arg, &id), 0);
    } else {
      assert_int_equal(chk_history_return(to, h->events[e] / 2, op->ok, op->result), 0);
    }
  }
}

/* The return named is the first that no order can explain, and the given order explains the
 * operations before it. */
static void check_explanation(const struct maker *m, struct sim *start) {
  struct chk_lin_verdict v;
  struct chk_history before;
  assert_int_equal(chk_lin_check(&m->h, LIN_MANY, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_NO);
  uint64_t ret = m->h.ops[v.failed].ret;
  cut(&m->h, ret + 1, &before);
  assert_false(any_order(&before, start, 0));
  chk_history_fini(&before);
  cut(&m->h, ret, &before);
  if (!m->sim.model->keyed) {
    struct sim *s = start + 1;
    *s = *start;
    for (uint32_t i = 0; i < v.n_order; i++) assert_true(fits(s, &before.ops[v.order[i]]));
    assert_true(any_order(&before, start, 0));
    assert_non_null(v.order);
  }
  chk_history_fini(&before);
  chk_lin_verdict_fini(&v);
}

struct tally {
  uint32_t yes, no;
};

static void short_one(struct maker *m, struct sim *start, const struct chk_lin_model *model,
                      uint64_t seed, struct tally *t) {
  static const uint32_t fills[] = {40, 60, 80};
  struct chk_rng rng = chk_rng_of(seed, 1);
  bool sequence = model == &chk_lin_queue || model == &chk_lin_stack;
  struct make k = {.units = 2 + chk_rng_below(&rng, 4),
                   .ops = 3 + chk_rng_below(&rng, SHORT_OPS - 2),
                   .values = chk_rng_one_in(&rng, 2) ? 0 : 3};
  k.fill = fills[chk_rng_below(&rng, 3)];
  k.leave = chk_rng_one_in(&rng, 3);
  uint64_t param = sequence                     ? chk_rng_below(&rng, 3)
                   : model == &chk_lin_register ? chk_rng_below(&rng, 3)
                                                : 0;
  make(m, model, param, &k, seed);
  sim_init(start, model, param);
  if (verdict(m, LIN_MANY, NULL) != CHK_LIN_YES)
    fail_msg("%s, seed %llu: correct, but refused", model->name, (unsigned long long)seed);
  if (damage(m)) {
    bool expected = any_order(&m->h, start, 0);
    if ((verdict(m, LIN_MANY, NULL) == CHK_LIN_YES) != expected) {
      fail_msg("%s, seed %llu, damaged: all orders say %d", model->name, (unsigned long long)seed,
               expected);
    }
    if (!expected) check_explanation(m, start);
    t->yes += expected;
    t->no += !expected;
  }
  chk_history_fini(&m->h);
}

static void short_random_histories_agree_with_a_search(void **state) {
  (void)state;
  struct maker *m = malloc(sizeof *m);
  struct sim *start = malloc((1 + SHORT_OPS) * sizeof *start);
  assert_true(m != NULL && start != NULL);
  for (uint32_t i = 0; chk_lin_model_at(i) != NULL; i++) {
    struct tally t = {0, 0};
    for (uint32_t seed = 0; seed < SHORT; seed++)
      short_one(m, start, chk_lin_model_at(i), 1000000u * i + seed, &t);
    print_message("%s: damaged and linearizable %u, not %u\n", chk_lin_model_at(i)->name, t.yes,
                  t.no);
    assert_true(t.yes > SHORT / 50 && t.no > SHORT / 50);
  }
  free(start);
  free(m);
}

/* -- long ones --------------------------------------------------------------------------------- */

#define OPS 2000u
#define SEEDS 2u
/* configurations; without memory of failed ones and hints, no number would be enough */
#define CHEAP 20000u

static const struct make *const alone =
    &(const struct make){.units = 4, .ops = OPS, .fill = 65, .values = 4};

/* The original history is linearizable; after a modification either verdict is valid. */
static void cheap(const struct chk_lin_model *model, uint64_t param, const struct make *k,
                  enum chk_lin_answer damaged, uint32_t seeds) {
  struct maker *m = malloc(sizeof *m);
  assert_non_null(m);
  uint64_t most = 0, n;
  for (uint32_t seed = 0; seed < seeds; seed++) {
    make(m, model, param, k, 77 + seed);
    assert_int_equal(m->h.n_ops, OPS); /* an acquire may be left waiting */
    enum chk_lin_answer a = verdict(m, CHEAP, &n);
    if (a != CHK_LIN_YES)
      fail_msg("%s, %u units, seed %u: answer %d", model->name, k->units, seed, (int)a);
    most = n > most ? n : most;
    if (damaged == CHK_LIN_YES) {
      chk_history_fini(&m->h);
      continue;
    }
    damage(m);
    if (verdict(m, CHEAP, &n) == CHK_LIN_UNDECIDED)
      fail_msg("%s, %u units, seed %u, damaged: undecided", model->name, k->units, seed);
    chk_history_fini(&m->h);
  }
  print_message("%s, %u units, %u in 100 put in: at most %llu configurations\n", model->name,
                k->units, k->fill, (unsigned long long)most);
  free(m);
}

static void long_random_histories_are_judged_cheaply(void **state) {
  (void)state;
  for (uint32_t i = 0; chk_lin_model_at(i) != NULL; i++) {
    const struct chk_lin_model *m = chk_lin_model_at(i);
    if (m != &chk_lin_queue && m != &chk_lin_stack) cheap(m, 0, alone, CHK_LIN_NO, SEEDS);
  }
  for (uint32_t fill = 40; fill <= 80; fill += 20) {
    const struct make quick = {.units = 4, .ops = OPS, .fill = fill},
                      slow = {.units = 10, .ops = OPS, .fill = fill, .slow = 10};
    cheap(&chk_lin_queue, 0, &quick, CHK_LIN_NO, SEEDS);
    cheap(&chk_lin_queue, 0, &slow, CHK_LIN_NO, SEEDS);
    cheap(&chk_lin_queue, 16, &quick, CHK_LIN_YES, SEEDS);
    cheap(&chk_lin_stack, 0, &quick, CHK_LIN_NO, SEEDS);
  }
}

/* n units add at the same time, and then one reads an impossible sum: n! orders, but 2^n sets of
 * earlier additions. */
static void concurrent_additions_need_not_try_all_orders(void **state) {
  (void)state;
  enum { N = 12 };
  struct chk_history h;
  struct chk_lin_verdict v;
  lin_history(&h, "register", 0, "");
  uint32_t id[N], r;
  for (uint32_t i = 0; i < N; i++)
    assert_int_equal(chk_history_call(&h, i, 0, CHK_REGISTER_ADD, &(uint64_t){1}, &id[i]), 0);
  for (uint32_t i = 0; i < N; i++) assert_int_equal(chk_history_return(&h, id[i], true, 0), 0);
  assert_int_equal(chk_history_call(&h, 0, 0, CHK_REGISTER_READ, &(uint64_t){0}, &r), 0);
  assert_int_equal(chk_history_return(&h, r, true, N + 1), 0);
  assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_NO);
  assert_int_equal(v.failed, r);
  assert_true(v.configurations <= (1u << N) * N);
  print_message("%d additions: %llu configurations\n", N, (unsigned long long)v.configurations);
  chk_lin_verdict_fini(&v);
  chk_history_fini(&h);
}

/* Pairs of enqueues that overlap, and at last a value that comes out in an impossible place: a
 * queue of n pairs has 2^n states. */
static void overlapping_enqueues_need_not_try_all_states(void **state) {
  (void)state;
  enum { N = 300 };
  struct chk_history h;
  struct chk_lin_verdict v;
  lin_history(&h, "queue", 0, "");
  uint32_t a, b, c;
  for (uint64_t i = 0; i < N; i++) {
    assert_int_equal(chk_history_call(&h, 0, 0, CHK_QUEUE_ENQUEUE, &(uint64_t){2 * i}, &a), 0);
    assert_int_equal(chk_history_call(&h, 1, 0, CHK_QUEUE_ENQUEUE, &(uint64_t){2 * i + 1}, &b), 0);
    assert_int_equal(chk_history_return(&h, a, true, 0), 0);
    assert_int_equal(chk_history_return(&h, b, true, 0), 0);
  }
  for (uint64_t i = 0; i < N; i++) { /* the second first */
    assert_int_equal(chk_history_call(&h, 0, 0, CHK_QUEUE_DEQUEUE, NULL, &c), 0);
    assert_int_equal(chk_history_return(&h, c, true, 2 * i + 1), 0);
    assert_int_equal(chk_history_call(&h, 0, 0, CHK_QUEUE_DEQUEUE, NULL, &c), 0);
    assert_int_equal(chk_history_return(&h, c, true, 2 * i), 0);
  }
  assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_YES);
  assert_true(v.configurations <= 4 * N + 1);
  chk_lin_verdict_fini(&v);
  h.ops[c].result = 2 * N - 4; /* the last dequeue returns a value that an earlier one returned */
  assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_NO);
  assert_int_equal(v.failed, c);
  assert_int_equal(v.n_order, 4 * N - 1);
  chk_lin_verdict_fini(&v);
  chk_history_fini(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_random_histories_agree_with_a_search),
      cmocka_unit_test(long_random_histories_are_judged_cheaply),
      cmocka_unit_test(concurrent_additions_need_not_try_all_orders),
      cmocka_unit_test(overlapping_enqueues_need_not_try_all_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
