/* SPDX-License-Identifier: BSD-3-Clause */
/* observers.c - several observers of one world: each is told of every call, in the order in which
 * it was added, and a run has the same trace hash with and without them.
 *
 *   observers PROGRAM    a program for four units, which runs in worlds of its own processes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/conf.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/report/crash.h"
#include "fabric_sim/report/report.h"

#define CALLS_MAX 65536u
#define UNITS 4u

enum call {
  POSTED,
  INJECTED,
  SIGNALED,
  ARRIVED,
  UPDATED,
  COMPLETED,
  FLUSHED,
  ORDERED,
  SAW,
  SAW_WORD,
  CPU,
  TOUCHED,
  REUSED,
  OWNED,
  EXCHANGE,
  BARRIER,
  PHASE,
  CALLS
};

struct record {
  uint32_t call, by; /* by: which observer */
  uint64_t a, b;     /* of the arguments, no pointers */
};

/* What all observers of a run were told, in the order of time; shared with the run's process. */
struct log {
  uint32_t n;
  uint64_t hash;
  struct record at[CALLS_MAX];
};

struct recorder {
  struct sim_observer observer;
  struct log *log;
  uint32_t id;
};

static void note(void *state, enum call call, uint64_t a, uint64_t b) {
  const struct recorder *r = state;
  if (r->log->n < CALLS_MAX) r->log->at[r->log->n] = (struct record){call, r->id, a, b};
  r->log->n++;
}
static void posted(void *s, struct sim_unit *u, const struct sim_op *op) {
  note(s, POSTED, u->fab.me, op->target);
}
static void injected(void *s, const struct sim_op *op, uint64_t bytes) {
  note(s, INJECTED, op->origin, bytes);
}
static void signaled(void *s, const struct sim_op *op) {
  note(s, SIGNALED, op->origin, op->target);
}
static void arrived(void *s, const struct sim_op *op) {
  note(s, ARRIVED, op->origin, op->target);
}
static void updated(void *s, const struct sim_op *op) {
  note(s, UPDATED, op->origin, op->target);
}
static void completed(void *s, struct sim_unit *u, const struct sim_op *op, enum fab_level level) {
  note(s, COMPLETED, u->fab.me, (uint64_t)op->target << 32 | (uint32_t)level);
}
static void flushed(void *s, struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                    enum fab_level level) {
  (void)set;
  note(s, FLUSHED, u->fab.me, (uint64_t)unit << 32 | (uint32_t)level);
}
static void ordered(void *s, struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  (void)set;
  note(s, ORDERED, u->fab.me, unit);
}
static void saw(void *s, struct sim_unit *u, uint32_t seg, uint64_t off, uint32_t len) {
  note(s, SAW, u->fab.me, (uint64_t)seg << 32 | off << 4 | len);
}
static void saw_word(void *s, struct sim_unit *u, const void *word) {
  note(s, SAW_WORD, u->fab.me, word != NULL);
}
static void cpu(void *s, struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, bool wrote) {
  note(s, CPU, u->fab.me, (uint64_t)op << 2 | (uint64_t)(word != NULL) << 1 | wrote);
}
static void touched(void *s, struct sim_unit *u, const void *p, uint64_t len, enum fab_touch how) {
  note(s, TOUCHED, u->fab.me, len << 4 | (uint64_t)(p != NULL) << 3 | (uint64_t)how);
}
static bool lent(void *s, const struct sim_unit *u, const void *p, uint64_t len, bool writes) {
  (void)s, (void)u, (void)p, (void)len, (void)writes;
  return false; /* a question, and no call that all observers get */
}
static void reused(void *s, struct sim_unit *u, fab_seg_t seg, uint64_t off, uint64_t len) {
  note(s, REUSED, u->fab.me, (uint64_t)seg << 32 | off << 16 | len);
}
static void owned(void *s, struct sim_unit *u, const void *p, uint64_t len, enum fab_owned how) {
  note(s, OWNED, u->fab.me, len << 4 | (uint64_t)(p != NULL) << 3 | (uint64_t)how);
}
static void exchange(void *s, struct sim_unit *u, const struct fab_exchange *e,
                     enum fab_exchange_step step) {
  note(s, EXCHANGE, u->fab.me, (uint64_t)step << 1 | (e != NULL));
}
static void barrier(void *s) {
  note(s, BARRIER, 0, 0);
}
static void phase(void *s, struct sim_unit *u, const char *name) {
  note(s, PHASE, u->fab.me, name != NULL);
}

static const struct sim_observer_ops ALL = {
    "all",    posted, injected, signaled, arrived, updated, completed, flushed, ordered, saw,
    saw_word, cpu,    touched,  lent,     reused,  owned,   exchange,  barrier, phase};
static const struct sim_observer_ops NONE = {.name = "none"};

static struct log *log_new(void) {
  struct log *l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(l != MAP_FAILED);
  return l;
}

/* Both observers were told of the same calls, the first one first each time. Counts by call. */
static void assert_pairs(const struct log *l, uint32_t count[CALLS]) {
  assert_true(l->n <= CALLS_MAX);
  assert_int_equal(l->n % 2, 0);
  for (uint32_t i = 0; i < l->n; i += 2) {
    const struct record *x = &l->at[i], *y = x + 1;
    assert_int_equal(x->by, 1);
    assert_int_equal(y->by, 2);
    assert_int_equal(x->call, y->call);
    assert_int_equal(x->a, y->a);
    assert_int_equal(x->b, y->b);
    count[x->call]++;
  }
}

/* -- each call, without a run ------------------------------------------------------------------ */

static void tell_all(struct sim_unit *u) {
  struct sim_op op = {.origin = 1, .target = 2};
  struct fab_exchange e = {0};
  uint64_t word = 0;
  sim_observe_posted(u, &op);
  sim_observe_injected(u->world, &op, 8);
  sim_observe_signaled(u->world, &op);
  sim_observe_arrived(u->world, &op);
  sim_observe_updated(u->world, &op);
  sim_observe_completed(u, &op, FAB_REMOTE);
  sim_observe_flushed(u, 2, 3, FAB_LOCAL);
  sim_observe_ordered(u, 2, FAB_ALL);
  sim_observe_saw(u, 1, 64, 8);
  sim_observe_saw_word(u, &word);
  sim_observe_cpu(u, FAB_CPU_ADD, &word, true);
  sim_observe_touched(u, &word, 8, false);
  sim_observe_reused(u, 1, 2, 3);
  sim_observe_owned(u, &word, 5, FAB_OWNED_GIVEN);
  sim_observe_exchange(u, &e, FAB_EXCHANGE_INSIDE);
  sim_observe_barrier(u->world);
  sim_observe_phase(u, "solve");
}

static void two_observers_get_every_call_in_order(void **state) {
  (void)state;
  struct sim_world *w = calloc(1, sizeof *w);
  struct log *l = log_new();
  assert_non_null(w);
  struct sim_unit u = {.world = w, .fab.me = 7};
  struct recorder first = {{&ALL, NULL, &first}, l, 1}, second = {{&ALL, NULL, &second}, l, 2};
  struct sim_observer deaf = {.ops = &NONE};
  assert_false(sim_observed(w));
  sim_observer_add(w, &first.observer);
  sim_observer_add(w, &deaf);
  sim_observer_add(w, &second.observer);
  assert_true(sim_observed(w));
  tell_all(&u);
  uint32_t count[CALLS] = {0};
  assert_int_equal(l->n, 2 * CALLS);
  assert_pairs(l, count);
  for (uint32_t i = 0; i < CALLS; i++) {
    assert_int_equal(l->at[2 * i].call, i);
    assert_int_equal(count[i], 1);
  }
  free(w);
  munmap(l, sizeof *l);
}

/* A list as a restored snapshot leaves it: what is added again ends the list. */
static void adding_again_to_an_empty_list_drops_old_links(void **state) {
  (void)state;
  struct sim_world *w = calloc(1, sizeof *w);
  struct log *l = log_new();
  assert_non_null(w);
  struct recorder first = {{&ALL, NULL, &first}, l, 1}, second = {{&ALL, NULL, &second}, l, 2};
  sim_observer_add(w, &first.observer);
  sim_observer_add(w, &second.observer);
  w->observers = NULL;
  sim_observer_add(w, &first.observer);
  sim_observe_barrier(w);
  assert_int_equal(l->n, 1);
  assert_int_equal(l->at[0].by, 1);
  free(w);
  munmap(l, sizeof *l);
}

/* -- runs -------------------------------------------------------------------------------------- */

static const char *program;

static void run_world(struct log *l, uint64_t seed, bool observed) {
  static const struct sim_report_ops reports = {
      .deadlock = sim_report_deadlock, .livelock = sim_report_livelock, .crash = sim_crash_report};
  struct sim_options o = {
      .n_units = UNITS, .order = EYOTI_ORDER_CHAOS, .max_outstanding = 64, .trace_hash = true};
  char *argv[] = {(char *)(uintptr_t)program, (char[]){"all"}, (char[]){"2"}, NULL};
  if (eyoti_conf_string(EYOTI_CONF_PLATFORM, &o.platform) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_STACK_SIZE, &o.stack_bytes) != 0)
    _exit(10);
  struct sim_world *w = calloc(1, sizeof *w);
  struct recorder first = {{&ALL, NULL, &first}, l, 1}, second = {{&ALL, NULL, &second}, l, 2};
  if (w == NULL || sim_world_open(w, &o, &reports, 3, argv) != 0) _exit(11);
  if (observed) sim_observer_add(w, &first.observer);
  if (observed) sim_observer_add(w, &second.observer);
  int code = sim_world_run(w, seed);
  l->hash = w->trace.hash;
  sim_world_close(w);
  free(w);
  _exit(code);
}

/* In a process of its own: units are never unwound. */
static struct log *run(uint64_t seed, bool observed) {
  struct log *l = log_new();
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) run_world(l, seed, observed);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  return l;
}

static void observers_leave_the_trace_hash(void **state) {
  (void)state;
  struct log *without = run(5, false), *with = run(5, true), *other = run(6, false);
  uint32_t count[CALLS] = {0};
  assert_int_equal(without->n, 0);
  assert_true(with->hash == without->hash);
  assert_true(other->hash != without->hash);
  assert_pairs(with, count);
  assert_int_equal(count[POSTED], count[INJECTED]);
  assert_true(count[POSTED] > 0 && count[SIGNALED] > 0 && count[UPDATED] > 0);
  assert_true(count[COMPLETED] > 0 && count[FLUSHED] > 0 && count[SAW] > 0 && count[BARRIER] > 0);
  munmap(without, sizeof *without);
  munmap(with, sizeof *with);
  munmap(other, sizeof *other);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_observers_get_every_call_in_order),
      cmocka_unit_test(adding_again_to_an_empty_list_drops_old_links),
      cmocka_unit_test(observers_leave_the_trace_hash),
  };
  if (argc != 2) return 2;
  program = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
