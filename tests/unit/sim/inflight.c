/* SPDX-License-Identifier: BSD-3-Clause */
/* inflight.c - the records of operations in flight: against lists that are walked whole; and what
 * calls visit while many operations are in flight, by count, for two sizes.
 * PROGRAM: many_puts, which runs in worlds of processes of their own. */
#include "fabric_sim/engine/inflight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/conf.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/engine/timed.h"
#include "fabric_sim/report/crash.h"
#include "fabric_sim/report/report.h"

#define OPS_MAX 200u
#define TARGETS 40u
#define SETS 5u
#define STEPS 20000u
#define EPISODES 200u

/* -- records against a plain list -------------------------------------------------------------- */

struct model {
  struct sim_op *op[OPS_MAX]; /* in the order of posting */
  uint32_t n;
  bool sets;
  uint64_t now_ps;
  uint32_t loose; /* posts of the unit without records */
};

static uint32_t draw(struct sim_world *w, uint32_t bound) {
  return sim_choice(w, bound);
}

static void model_post(struct model *m, struct sim_unit *u) {
  struct sim_world *w = u->world;
  struct sim_op *op = sim_pool_get(&w->pool);
  assert_non_null(op);
  op->kind = SIM_OP_PUT;
  op->flags = SIM_F_INJECTED;
  op->target = draw(w, 4) == 0 ? draw(w, TARGETS) * 64 : 7;
  op->set = draw(w, 3) == 0 ? (fab_set_t)(FAB_SET_DEFAULT + draw(w, SETS)) : FAB_SET_DEFAULT;
  if (!m->sets) op->set = FAB_SET_DEFAULT;
  op->len = draw(w, 2) == 0 ? 8 : 1000;
  op->sent_ps = m->now_ps + draw(w, 100);
  op->target_at = op->sent_ps + 1 + draw(w, 1000);
  op->done_at = op->target_at + 1 + draw(w, 1000);
  sim_inflight_add(u, op);
  sim_inflight_timed(u, sim_inflight_held(u, op), op);
  m->op[m->n++] = op;
  m->loose += u->loose;
}

static void model_remove(struct model *m, struct sim_unit *u, uint32_t i) {
  struct sim_op *op = m->op[i];
  memmove(&m->op[i], &m->op[i + 1], (m->n - i - 1) * sizeof(struct sim_op *));
  m->n--;
  sim_inflight_remove(u, op);
  sim_pool_put(&u->world->pool, op);
}

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The operations of one set to one target, or (FAB_ALL) all. */
static void assert_list(const struct model *m, struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  const struct sim_target *t = unit == FAB_ALL ? NULL : sim_inflight_to(u, set, unit);
  struct sim_op *forth = unit != FAB_ALL && t == NULL ? NULL : sim_inflight_first(u, t),
                *back = unit != FAB_ALL && t == NULL ? NULL : sim_inflight_last(u, t);
  for (uint32_t i = 0, j = m->n; i < m->n; i++) {
    const struct sim_op *op = m->op[i];
    if (unit != FAB_ALL && (unit != op->target || set != op->set)) continue;
    assert_ptr_equal(forth, op);
    forth = sim_inflight_next(u, t, forth);
    do j--;
    while (unit != FAB_ALL && (m->op[j]->target != unit || m->op[j]->set != set));
    assert_ptr_equal(back, m->op[j]);
    back = sim_inflight_prev(u, t, back);
  }
  assert_null(forth);
  assert_null(back);
}

static void assert_ends(const struct model *m, struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  struct sim_ends ends = {0}, told = sim_inflight_ends(u, set, unit);
  uint32_t n = 0, n_unit = 0, n_records = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    const struct sim_op *op = m->op[i];
    if (!fab_set_covers(set, op->set)) continue;
    n++;
    if (unit != FAB_ALL && unit != op->target) continue;
    n_unit++;
    ends.done_ps = later(ends.done_ps, op->done_at + 1);
    ends.local_ps = later(ends.local_ps, sim_op_local_ps(op));
  }
  /* what has finished may still count, but lies in the past */
  assert_int_equal(later(ends.done_ps, m->now_ps), later(told.done_ps, m->now_ps));
  assert_int_equal(later(ends.local_ps, m->now_ps), later(told.local_ps, m->now_ps));
  assert_int_equal(sim_inflight_count(u, set), n);
  const struct sim_target *t;
  for (uint32_t i = 0; (t = sim_inflight_record(u, set, unit, &i)) != NULL;) {
    assert_true(fab_set_covers(set, t->set) && (unit == FAB_ALL || t->unit == unit));
    n_records += t->n;
  }
  assert_int_equal(n_records, n_unit);
}

static void assert_lists(const struct model *m, struct sim_unit *u, fab_unit_t unit) {
  for (uint32_t set = FAB_SET_DEFAULT; set < FAB_SET_DEFAULT + SETS; set++)
    assert_list(m, u, (fab_set_t)set, unit);
  for (uint32_t set = FAB_SET_ALL; set < FAB_SET_DEFAULT + SETS; set++)
    assert_ends(m, u, (fab_set_t)set, unit);
}

static void reap(struct model *m, struct sim_unit *u) {
  struct sim_op *op;
  while ((op = sim_inflight_over(u, m->now_ps)) != NULL) {
    uint32_t i = 0;
    while (i < m->n && m->op[i] != op) i++;
    assert_true(i < m->n);
    assert_true(op->done_at < m->now_ps);
    model_remove(m, u, i);
  }
  for (uint32_t i = 0; i < m->n; i++) assert_true(m->op[i]->done_at >= m->now_ps);
}

/* Takes all operations at once, if they are over. */
static void clear(struct model *m, struct sim_unit *u) {
  for (uint32_t i = 0; i < m->n; i++)
    if (m->op[i]->done_at >= m->now_ps) return;
  for (uint32_t i = 0; i < m->n; i++) sim_pool_put(&u->world->pool, m->op[i]);
  m->n = 0;
  sim_inflight_clear(u);
}

/* lazy: what asks for records is checked now and then alone. */
static uint32_t compare_with_model(bool lazy) {
  struct sim_world *w = calloc(1, sizeof *w);
  struct sim_unit *u = aligned_alloc(64, sizeof *u);
  struct model m = {.now_ps = 1};
  assert_non_null(w);
  assert_non_null(u);
  memset(u, 0, sizeof *u);
  u->world = w;
  w->lazy = lazy;
  w->opt.order = lazy ? EYOTI_ORDER_RDMA : EYOTI_ORDER_STRICT;
  sim_pool_init(&w->pool);
  for (uint32_t step = 0; step < STEPS; step++) {
    m.sets = step / 2000 % 3 != 0;
    uint32_t phase = step / 500 % 4; /* grow, mixed, only finished ones leave, shrink to none */
    m.now_ps += draw(w, 50);
    if (phase < 3 && m.n < OPS_MAX) model_post(&m, u);
    /* the engine removes at the head what is over: a fault may delay the others */
    if (phase != 0 && m.n > 0 && m.op[0]->done_at < m.now_ps) model_remove(&m, u, 0);
    if (phase == 1 && m.n > 0 && draw(w, 4) == 0) {
      struct sim_op *late = m.op[draw(w, m.n)];
      late->done_at += 500;
      sim_inflight_timed(u, sim_inflight_of(u, late), late);
    }
    if (draw(w, lazy ? 128 : 8) == 0) reap(&m, u);
    if (phase == 3) m.now_ps += 100;
    if (phase > 1 && draw(w, 8) == 0) clear(&m, u);
    assert_int_equal(u->listed, m.n);
    assert_list(&m, u, FAB_SET_DEFAULT, FAB_ALL);
    if (lazy && draw(w, 128) != 0) continue;
    assert_lists(&m, u, FAB_ALL);
    assert_lists(&m, u, 7);
    assert_lists(&m, u, draw(w, TARGETS) * 64);
  }
  while (m.n > 0) model_remove(&m, u, draw(w, m.n));
  /* with one target and with several, taken at once, again and again */
  for (uint32_t episode = 0; episode < EPISODES; episode++) {
    m.sets = episode % 3 == 2;
    for (uint32_t i = 0; i <= episode % 7; i++) {
      model_post(&m, u);
      if (lazy && (i < episode % 7 || episode % 12 != 0)) continue;
      assert_lists(&m, u, FAB_ALL);
      assert_lists(&m, u, 7);
    }
    m.now_ps += 5000;
    clear(&m, u);
    assert_int_equal(m.n, 0);
    assert_int_equal(u->listed, 0);
    assert_lists(&m, u, FAB_ALL);
    assert_lists(&m, u, 7);
  }
  sim_inflight_fini(u);
  sim_pool_fini(&w->pool);
  free(u);
  free(w);
  return m.loose;
}

static void records_agree_with_a_walk_of_all_operations(void **state) {
  (void)state;
  assert_int_equal(compare_with_model(false), 0);
}

static void records_made_when_asked_for_agree_too(void **state) {
  (void)state;
  assert_in_range(compare_with_model(true), STEPS / 100, STEPS);
}

/* -- whole lists ------------------------------------------------------------------------------- */

/* An operation that is over. */
static struct sim_op *post_over(struct sim_unit *u, uint32_t target, uint16_t flags) {
  struct sim_op *op = sim_pool_get(&u->world->pool);
  assert_non_null(op);
  op->kind = SIM_OP_PUT;
  op->flags = (uint16_t)(SIM_F_INJECTED | flags);
  op->origin = 0;
  op->target = target;
  op->set = FAB_SET_DEFAULT;
  op->len = 8;
  op->err = 0;
  op->sent_ps = 1;
  op->target_at = 2;
  op->done_at = 3;
  u->requested |= (flags & SIM_F_REQ) != 0;
  sim_inflight_add(u, op);
  sim_inflight_timed(u, sim_inflight_held(u, op), op);
  return op;
}

static void a_flush_gives_back_what_nobody_asks_for(void **state) {
  (void)state;
  struct sim_world *w = calloc(1, sizeof *w);
  struct sim_unit *u = aligned_alloc(64, sizeof *u);
  assert_true(w != NULL && u != NULL);
  memset(u, 0, sizeof *u);
  u->world = w;
  w->engine = &sim_timed_engine;
  w->now_ps = 1000;
  w->lazy = true;
  w->opt.order = EYOTI_ORDER_RDMA;
  sim_pool_init(&w->pool);
  for (uint32_t i = 0; i < 3; i++) (void)post_over(u, 7 + i, 0);
  sim_reap_over(u);
  assert_int_equal(u->listed, 0);
  assert_int_equal(w->pool.live, 0);
  struct sim_op *held = post_over(u, 7, SIM_F_REQ);
  (void)post_over(u, 8, 0);
  sim_reap_over(u);
  assert_int_equal(w->pool.live, 1);
  for (uint32_t i = 0; i < 2; i++) assert_ptr_not_equal(post_over(u, 9, 0), held);
  assert_ptr_equal(sim_pool_find(&w->pool, sim_op_req(held), 0), held);
  sim_reap_release(u, held);
  post_over(u, 9, 0)->err = EYOT_ESEG;
  u->failed = true;
  sim_reap_over(u);
  assert_int_equal(w->pool.live, 0);
  assert_int_equal(sim_reap_errors(u, FAB_SET_ALL, 7, FAB_REMOTE), EYOT_OK);
  assert_int_equal(sim_reap_errors(u, FAB_SET_ALL, 9, FAB_REMOTE), EYOT_ESEG);
  sim_reap_fini(u);
  sim_inflight_fini(u);
  sim_pool_fini(&w->pool);
  free(u);
  free(w);
}

/* -- what calls visit -------------------------------------------------------------------------- */

#define UNITS 64u

struct counts {
  uint64_t visits, ops;
};

static void run_world(struct counts *c, enum eyoti_order order, const char *call, const char *count,
                      const char *targets) {
  static const struct sim_report_ops reports = {
      .deadlock = sim_report_deadlock, .livelock = sim_report_livelock, .crash = sim_crash_report};
  struct sim_options o = {
      .n_units = UNITS, .units_per_node = 1, .order = order, .max_outstanding = 1u << 16};
  char *argv[] = {(char[]){PROGRAM}, (char *)(uintptr_t)call, (char *)(uintptr_t)count,
                  (char *)(uintptr_t)targets, NULL};
  if (eyoti_conf_string(EYOTI_CONF_PLATFORM, &o.platform) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_STACK_SIZE, &o.stack_bytes) != 0)
    _exit(10);
  struct sim_world *w = calloc(1, sizeof *w);
  if (w == NULL || sim_world_open(w, &o, &reports, 4, argv) != 0) _exit(11);
  int code = sim_world_run(w, 1);
  *c = (struct counts){w->visits, w->ops};
  sim_world_close(w);
  free(w);
  _exit(code);
}

static struct counts counts_of(enum eyoti_order order, const char *call, const char *count,
                               const char *targets) {
  struct counts *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) run_world(shared, order, call, count, targets);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  struct counts c = *shared;
  munmap(shared, sizeof *shared);
  return c;
}

/* All units put to one, which takes what all have in flight one by one: hundreds for each. A walk
 * over them would make hundreds of visits for each operation, and twice as many for twice as many
 * operations. Lists of fewer than 16 are walked. */
static void assert_few_visits(enum eyoti_order order, const char *call, const char *targets) {
  struct counts some = counts_of(order, call, "200", targets),
                more = counts_of(order, call, "400", targets);
  double before = (double)some.visits / (double)some.ops;
  double after = (double)more.visits / (double)more.ops;
  printf("%s, order %u, %s targets: %.2f visits of an operation, then %.2f\n", call,
         (unsigned)order, targets, before, after);
  assert_true(more.ops > UNITS * 400);
  assert_true(before < 16);
  assert_true(after < 16);
}

static void calls_visit_each_operation_a_few_times(void **state) {
  (void)state;
  static const char *const CALLS[] = {"none", "flush", "flush_all", "order", "order_all"};
  for (uint32_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
    assert_few_visits(EYOTI_ORDER_STRICT, CALLS[i], "0");
    assert_few_visits(EYOTI_ORDER_CHAOS, CALLS[i], i % 2 == 0 ? "0" : "63");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_agree_with_a_walk_of_all_operations),
      cmocka_unit_test(records_made_when_asked_for_agree_too),
      cmocka_unit_test(a_flush_gives_back_what_nobody_asks_for),
      cmocka_unit_test(calls_visit_each_operation_a_few_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
