/* SPDX-License-Identifier: BSD-3-Clause */
/* test_api_faults.c - the n-th fabric call and the n-th allocation fail, for every n: each error is
 * passed up unchanged, no unit crashes, refused calls can be tried again, and no call leaves an
 * operation in flight that writes to memory that the caller may free. */
#include "fabric/forward.h"
#include "rt/rt.h"
#include "support/lock_kinds.h"
#include "unit/api_unit.h"

#define LOCK_NS 2000u
/* Some kinds of lock are polled; if the holder has failed, units poll for ever. */
#define STEPS_FACTOR 4u
#define STEPS_LEAST 2000u

/* After any result, the call has left no operation in flight that uses its own frames; if it ends
 * operations, nor the caller's. */
static int left(int rc, bool ends) {
  struct fab *f = *eyoti_forward_last(&eyot_current->fab); /* the fabric's own endpoint */
  assert_false(fake_stack_in_use(f, !ends));
  return rc;
}

/* Every kind of operation once. Returns the first error. POST leaves operations on the caller's
 * memory in flight, STEP none. */
#define TAKE(call, ends)            \
  do {                              \
    int rc_ = left((call), (ends)); \
    if (first == 0) first = rc_;    \
  } while (0)
#define STEP(call) TAKE(call, true)
#define POST(call) TAKE(call, false)

static int use_rma(uint32_t me, uint32_t n) {
  int first = 0;
  eyot_gptr_t base;
  STEP(eyot_team_alloc(EYOT_TEAM_ALL, 4096, &base));
  if (first != 0) return first;
  eyot_gptr_t there = eyot_gptr_at(base, unit((me + 1) % n));
  char b[1024] = {0}, c[1024];
  uint64_t old, w[4] = {1, 2, 3, 4};
  double d[4] = {1, 2, 3, 4}, d_old[4];
  eyot_handle_t h[2] = {{0}, {0}};
  bool done = false;
  STEP(eyot_put(there, b, 64));
  STEP(eyot_get(c, there, 64));
  POST(eyot_put_nb(there, b, 64, &h[0]));
  POST(eyot_get_nb(c, there, 64, &h[1]));
  POST(eyot_test_all(h, 2, EYOT_LOCAL, &done));
  STEP(eyot_wait_all(h, 2, EYOT_REMOTE));
  POST(eyot_put_nbi(there, b, 64));
  POST(eyot_order(unit((me + 1) % n)));
  STEP(eyot_flush(unit((me + 1) % n), EYOT_REMOTE));
  STEP(eyot_put_strided(there, b, &(eyot_strided_t){8, 32, 16, 8}));
  POST(eyot_put_strided_nbi(there, b, &(eyot_strided_t){8, 32, 16, 8}));
  STEP(eyot_flush_all(EYOT_LOCAL));
  /* Twice: a packed transfer is retired by the next but one. */
  for (int i = 0; i < 2; i++) STEP(eyot_get_strided(c, there, &(eyot_strided_t){8, 32, 16, 8}));
  uint64_t len[3] = {8, 8, 8}, off[3] = {32, 0, 16};
  STEP(eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, off, off}));
  STEP(eyot_fetch_add_u64(eyot_gptr_add(there, 2048), 1, &old));
  STEP(eyot_accumulate(eyot_gptr_add(there, 2056), EYOT_DOUBLE, EYOT_SUM, d));
  STEP(eyot_accumulate_nbi(eyot_gptr_add(there, 2048), EYOT_UINT64, EYOT_SUM, w));
  STEP(eyot_accumulate_array(eyot_gptr_add(there, 2064), EYOT_UINT64, EYOT_SUM, w, 4));
  STEP(eyot_get_accumulate_array(eyot_gptr_add(there, 2112), EYOT_DOUBLE, EYOT_SUM, d, d_old, 4));
  STEP(eyot_put_signal(there, b, 64, eyot_gptr_add(there, 3072), EYOT_SIGNAL_ADD, 1));
  STEP(eyot_compare_swap(eyot_gptr_add(there, 2048), EYOT_UINT64, &w[0], &w[1], &old));
  STEP(eyot_wait_until_timeout(eyot_gptr_at(eyot_gptr_add(base, 3072), unit(me)), EYOT_CMP_GE, 1,
                               1000000, NULL));
  STEP(eyot_sync());
  STEP(eyot_phase("faults"));
  STEP(eyot_flush_all(EYOT_REMOTE));
  STEP(eyot_barrier(EYOT_TEAM_ALL));
  if (first == 0) first = eyot_team_free(base);
  return first;
}

/* Stops at the first error: a member that has failed cannot continue with the others. */
#define NEXT(call) \
  if (rc == 0) rc = left((call), true)

static int use_coll(uint32_t me, uint32_t n) {
  uint64_t v = me, got[4], out[4] = {0, 1, 2, 3};
  eyot_team_t half;
  int rc = left(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &v, 8), true);
  NEXT(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, got, 1));
  NEXT(eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){n - 1}, &v, got, 8));
  NEXT(eyot_allgather(EYOT_TEAM_ALL, &v, got, 8));
  NEXT(eyot_alltoall(EYOT_TEAM_ALL, out, got, 8));
  NEXT(eyot_team_split(EYOT_TEAM_ALL, me % 2, &half));
  NEXT(eyot_team_destroy(&half));
  return rc;
}

/* Of kind epoch: exclusively at a member; else the whole lock. */
static int acquire(eyot_lock_t lock, eyot_lock_mode_t mode, bool at, bool *got) {
  eyot_tunit_t first = {0};
  if (got != NULL)
    return at ? eyot_lock_try_at(lock, mode, first, got) : eyot_lock_try(lock, mode, got);
  return at ? eyot_lock_acquire_at(lock, mode, first) : eyot_lock_acquire(lock, mode);
}

static int release(eyot_lock_t lock, bool at) {
  return at ? eyot_lock_release_at(lock, (eyot_tunit_t){0}) : eyot_lock_release(lock);
}

static int use_lock(eyot_lock_kind_t kind, eyot_lock_mode_t mode) {
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  eyot_lock_t lock;
  bool got = false, at = lock_kind_has(kind, LOCK_MEMBERS) && mode == EYOT_LOCK_EXCLUSIVE;
  attr.kind = kind;
  int rc = left(eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock), true);
  NEXT(acquire(lock, mode, at, NULL));
  NEXT(release(lock, at));
  NEXT(acquire(lock, mode, at, &got));
  if (got) NEXT(release(lock, at));
  if (!at && rc == 0) {
    rc = left(eyot_lock_acquire_timeout(lock, mode, LOCK_NS), true);
    if (rc == EYOT_OK)
      rc = left(eyot_lock_release(lock), true);
    else if (rc == EYOT_ETIMEOUT)
      rc = EYOT_OK;
  }
  NEXT(eyot_lock_destroy(&lock));
  return rc;
}

static int use_locks(uint32_t me, uint32_t n) {
  int rc = EYOT_OK;
  (void)n;
  for (size_t i = 0; i < LOCK_KINDS_N && rc == EYOT_OK; i++) {
    bool shares = (LOCK_KINDS[i].has & LOCK_SHARED) != 0;
    rc = use_lock(LOCK_KINDS[i].kind,
                  shares && me % 2 == 0 ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE);
  }
  return rc;
}

/* A ring of posts and accesses. */
static int use_pscw(uint32_t me, uint32_t n) {
  const eyot_pscw_attr_t attr = {.neighbors = 2, .changing = true};
  eyot_pscw_t p;
  eyot_group_t *before = NULL, *behind = NULL;
  int rc = eyot_group_range((me + n - 1) % n, 1, 1, &before);
  if (rc == EYOT_OK) rc = eyot_group_range((me + 1) % n, 1, 1, &behind);
  NEXT(eyot_pscw_create(EYOT_TEAM_ALL, &attr, &p));
  NEXT(eyot_pscw_post(p, before));
  NEXT(eyot_pscw_start(p, behind));
  NEXT(eyot_pscw_complete(p));
  NEXT(eyot_pscw_wait(p));
  NEXT(eyot_pscw_destroy(&p));
  eyot_group_free(before);
  eyot_group_free(behind);
  return rc;
}

static int use_notify(uint32_t me, uint32_t n) {
  char b[64] = {0}, c[64];
  eyot_gptr_t base;
  eyot_counter_t counter;
  eyot_handle_t h = EYOT_HANDLE_DONE;
  uint64_t old;
  eyot_gptr_t word;
  int rc = left(eyot_team_alloc(EYOT_TEAM_ALL, 64, &base), true);
  NEXT(eyot_counter_create(EYOT_TEAM_ALL, 3, &counter));
  if (rc != 0) return rc;
  eyot_unit_t next = unit((me + 1) % n);
  eyot_gptr_t there = eyot_gptr_at(base, next);
  eyot_counter_t told = eyot_counter_at(counter, next);
  NEXT(eyot_put_notify(there, b, 64, told, 1));
  NEXT(eyot_get_notify(c, there, 64, told, 1));
  if (rc == 0) rc = left(eyot_get_notify_nb(c, there, 64, told, 1, &h), false);
  NEXT(eyot_wait(&h, EYOT_REMOTE));
  NEXT(eyot_counter_wait(eyot_counter_at(counter, unit(me))));
  NEXT(eyot_counter_destroy(&counter));
  NEXT(eyot_alloc(8, &word));
  NEXT(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &word, sizeof word));
  NEXT(eyot_fetch_add_u64(word, 1, &old));
  NEXT(eyot_fence(base));
  return rc;
}

/* A post whose epoch is open when the unit ends: its messages come from memory that is freed
 * then. */
static int use_open_epoch(uint32_t me, uint32_t n) {
  const eyot_pscw_attr_t attr = {.neighbors = 2};
  eyot_pscw_t p;
  eyot_group_t *before = NULL;
  int rc = eyot_group_range((me + n - 1) % n, 1, 1, &before);
  NEXT(eyot_pscw_create(EYOT_TEAM_ALL, &attr, &p));
  NEXT(eyot_pscw_post(p, before));
  eyot_group_free(before);
  return rc;
}

/* Knocks, a ring, long and synchronous messages, probes, a receive that goes on in a barrier. */
static int use_messages(uint32_t me, uint32_t n) {
  static char out[2][700], in[2][700];
  const eyot_tunit_t to = {(me + 1) % n}, from = {(me + n - 1) % n};
  eyot_msg_t h[2] = {EYOT_MSG_DONE, EYOT_MSG_DONE}, found;
  eyot_msg_status_t s;
  int rc = EYOT_OK;
  for (int32_t tag = 0; tag < 4; tag++) NEXT(eyot_send(EYOT_TEAM_ALL, to, tag, out[me], 8));
  for (int32_t tag = 3; tag >= 0; tag--)
    NEXT(eyot_recv(EYOT_TEAM_ALL, EYOT_ANY_UNIT, tag, in[me], 8, &s));
  NEXT(eyot_recv_nb(EYOT_TEAM_ALL, from, 5, in[me], sizeof in[me], &h[0]));
  NEXT(eyot_ssend_nb(EYOT_TEAM_ALL, to, 5, out[me], sizeof out[me], &h[1]));
  NEXT(eyot_barrier(EYOT_TEAM_ALL));
  NEXT(eyot_msg_wait_all(h, 2, NULL));
  NEXT(eyot_send(EYOT_TEAM_ALL, to, 6, out[me], sizeof out[me]));
  NEXT(eyot_mprobe(EYOT_TEAM_ALL, EYOT_ANY_UNIT, EYOT_ANY_TAG, &found, &s));
  NEXT(eyot_mrecv(&found, in[me], sizeof in[me], &s));
  NEXT(eyot_sendrecv(EYOT_TEAM_ALL, to, 7, out[me], 100, from, 7, in[me], 100, NULL));
  NEXT(eyot_barrier(EYOT_TEAM_ALL));
  return rc;
}

/* Buffers that pass on a node, and one that is copied; gathered; given back to their heap. */
static int use_own(uint32_t me, uint32_t n) {
  const eyot_tunit_t to = {(me + 1) % n}, from = {(me + n - 1) % n};
  static void *p[2], *q[2], *all[2][2], *s[2];
  uint64_t bytes[2] = {8, 8};
  int rc = EYOT_OK;
  for (int32_t tag = 0; tag < 3; tag++) {
    NEXT(eyot_own_alloc(700, &p[me]));
    NEXT(eyot_own_give(EYOT_TEAM_ALL, to, tag, &p[me], 700));
    NEXT(eyot_own_take(EYOT_TEAM_ALL, from, tag, &q[me], NULL));
    NEXT(eyot_own_free(&q[me]));
  }
  NEXT(eyot_own_alloc(8, &p[me]));
  NEXT(eyot_own_gather(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &p[me], 8, all[me], bytes));
  for (uint32_t i = 0; i < n && me == 0; i++) NEXT(eyot_own_free(&all[0][i]));
  NEXT(eyot_sheap_alloc(100, &s[me]));
  NEXT(eyot_sheap_realloc(s[me], 5000, &s[me]));
  NEXT(eyot_sheap_free(s[me]));
  NEXT(eyot_barrier(EYOT_TEAM_ALL));
  return rc;
}

static uint64_t fault_pack(void *context, const void *send, void *buf, uint64_t space) {
  (void)context;
  if (space < 32) return 32;
  memcpy(buf, send, 8);
  return 32;
}
static void fault_unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  (void)context, (void)recv, (void)buf, (void)bytes;
}
static void fault_move(void *context, const void *send, const void *recv) {
  (void)context, (void)send, (void)recv;
}

/* A ring on one node, moved by the sender; one whose messages are longer than their space; and an
 * exchange between all. */
static int use_exchange(uint32_t me, uint32_t n) {
  const eyot_tunit_t to = {(me + 1) % n}, from = {(me + n - 1) % n};
  eyot_exchange_ops_t ops = {.pack = fault_pack,
                             .unpack = fault_unpack,
                             .fused = fault_move,
                             .where = EYOT_EXCHANGE_AT_SENDER,
                             .send_bytes = 8,
                             .recv_bytes = 8};
  eyot_graph_t g;
  eyot_exchange_t x[3];
  uint64_t mine[2] = {me, me}, theirs[2] = {0, 0};
  assert_int_equal(n, 2);
  int rc = left(eyot_graph_create(EYOT_TEAM_ALL, &from, 1, &to, 1, &g), true);
  NEXT(eyot_exchange_create(g, &ops, &x[0]));
  ops.where = EYOT_EXCHANGE_PACKED;
  NEXT(eyot_exchange_create(g, &ops, &x[1]));
  NEXT(eyot_exchange_create_all(EYOT_TEAM_ALL, &ops, &x[2]));
  for (int i = 0; i < 9; i++) NEXT(eyot_exchange(x[i % 3], mine, theirs));
  NEXT(eyot_exchange_destroy(&x[2]));
  NEXT(eyot_exchange_destroy(&x[1]));
  NEXT(eyot_exchange_destroy(&x[0]));
  NEXT(eyot_graph_destroy(&g));
  return rc;
}

struct faults {
  int (*use)(uint32_t me, uint32_t n);
  int injected; /* the code that some function must return */
  int met;
};

static void note(struct faults *x, int rc) {
  if (rc == x->injected) x->met++;
}

static void faults_main(struct fab *f, void *arg) {
  struct faults *x = arg;
  (void)f;
  int rc = eyot_init(NULL, NULL);
  note(x, rc);
  if (rc != 0) return;
  rc = x->use(eyot_me().id, eyot_size());
  note(x, rc);
  note(x, eyot_finalize());
}

/* The number of calls is that of a run without failure; some function must return the failing
 * call's error. */
static void fail_each_call_in(enum fake_mode mode, uint32_t n, int (*use)(uint32_t, uint32_t)) {
  struct faults x = {.use = use, .injected = EYOT_ESYS};
  struct fake_opts o = {.n = n,
                        .seed = 3,
                        .mode = mode,
                        .units_per_node = use == use_exchange || use == use_own ? n : 1,
                        .fail_code = EYOT_ESYS,
                        .quiet = true};
  int end = fake_run(&o, faults_main, &x);
  if (end != FAKE_DONE) print_error("%s\n", fake_message());
  assert_int_equal(end, FAKE_DONE);
  assert_int_equal(x.met, 0);
  uint64_t calls = fake_calls();
  assert_true(calls > 10);
  o.max_steps = STEPS_FACTOR * fake_steps() + STEPS_LEAST;
  for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) {
    x.met = 0;
    end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_STEPS);
    /* the end completes the post before its memory is freed, and tries that again */
    bool told = x.met > 0 || use == use_open_epoch;
    /* of sends that have returned, a later call tells, if the run comes so far */
    told |= (use == use_messages || use == use_own) && end != FAKE_DONE;
    if (!told)
      print_error("call %llu of %llu failed and nobody was told\n", (unsigned long long)o.fail_op,
                  (unsigned long long)calls);
    assert_true(told);
  }
}

/* Also where operations take effect late, after the failed call could have returned. */
static void fail_each_call(uint32_t n, int (*use)(uint32_t, uint32_t)) {
  for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++)
    fail_each_call_in((enum fake_mode)mode, n, use);
}

static void fail_each_alloc(uint32_t n, int (*use)(uint32_t, uint32_t)) {
  struct faults x = {.use = use, .injected = EYOT_ENOMEM};
  struct fake_opts o = {.n = n, .seed = 3, .units_per_node = 1, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  uint64_t allocs = fake_allocs();
  assert_true(allocs > 0);
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    int end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
  }
}

static void each_failing_call_of_rma_is_returned(void **state) {
  (void)state;
  fail_each_call(1, use_rma);
  fail_each_call(2, use_rma);
}
static void each_failing_call_of_collectives_is_returned(void **state) {
  (void)state;
  fail_each_call(2, use_coll);
  fail_each_call(3, use_coll);
}
static void each_failing_call_of_locks_is_returned(void **state) {
  (void)state;
  fail_each_call(3, use_locks);
}
static void each_failing_call_of_sync_is_returned(void **state) {
  (void)state;
  fail_each_call(3, use_notify);
  fail_each_call(3, use_pscw);
  fail_each_call(3, use_open_epoch);
}
static void each_failing_call_of_messages_is_returned(void **state) {
  (void)state;
  struct faults x = {.use = use_messages, .injected = EYOT_ESYS};
  struct fake_opts o = {.n = 2, .seed = 3, .units_per_node = 1, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  assert_true(fake_calls() > 100);
  fail_each_call(2, use_messages);
}
static void each_failing_call_of_exchanges_is_returned(void **state) {
  (void)state;
  fail_each_call(2, use_exchange);
}
static void each_failing_call_of_buffers_that_pass_is_returned(void **state) {
  (void)state;
  fail_each_call(2, use_own);
}
static void each_failing_allocation_is_survived(void **state) {
  (void)state;
  fail_each_alloc(2, use_messages);
  fail_each_alloc(2, use_exchange);
  fail_each_alloc(2, use_own);
  fail_each_alloc(2, use_rma);
  fail_each_alloc(2, use_coll);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_failing_call_of_rma_is_returned),
      cmocka_unit_test(each_failing_call_of_collectives_is_returned),
      cmocka_unit_test(each_failing_call_of_locks_is_returned),
      cmocka_unit_test(each_failing_call_of_sync_is_returned),
      cmocka_unit_test(each_failing_call_of_messages_is_returned),
      cmocka_unit_test(each_failing_call_of_exchanges_is_returned),
      cmocka_unit_test(each_failing_call_of_buffers_that_pass_is_returned),
      cmocka_unit_test(each_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
