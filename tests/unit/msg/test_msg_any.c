/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_any.c - waits for any of many messages: each one is completed once, in all orders of
 * arrival, also if new ones take the places of those that were completed, or sends are among them;
 * and n waits read a number of handles that grows with n, not with its square. */
#include "msg/state.h"
#include "rt/rt.h"
#include "unit/api_unit.h"

enum { N = 600, READ_EACH = 8 };
enum order { FORWARD, BACKWARD, SHUFFLED, ORDERS };

static eyot_msg_t handle[N];
static int32_t got[N];
static bool posted_again[N];

/* The tag of the i-th message; both units draw the same. */
static void order_make(enum order order, int32_t tags[N]) {
  uint64_t s = 11;
  for (int32_t i = 0; i < N; i++) tags[i] = order == BACKWARD ? N - 1 - i : i;
  for (uint32_t i = N - 1; order == SHUFFLED && i > 0; i--) {
    const uint32_t k = (uint32_t)(draw(&s) % (i + 1));
    const int32_t tag = tags[i];
    tags[i] = tags[k];
    tags[k] = tag;
  }
}

static void post(int32_t i) {
  ok(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){1}, i, &got[i], sizeof got[i], &handle[i]));
}

/* Each receive is posted twice, at its place, the second time when it was completed. */
static void receive_all(void) {
  eyot_msg_status_t status;
  size_t which;
  memset(posted_again, 0, sizeof posted_again);
  for (int32_t i = 0; i < N; i++) post(i);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (int k = 0; k < 2 * N; k++) {
    ok(eyot_msg_wait_any(handle, N, &which, &status));
    assert_true(which < N && handle[which].id == EYOT_MSG_DONE.id);
    assert_int_equal(status.tag, which);
    assert_int_equal(got[which], posted_again[which] ? N + status.tag : status.tag);
    if (!posted_again[which]) post((int32_t)which);
    posted_again[which] = true;
  }
  ok(eyot_msg_wait_any(handle, N, &which, &status));
  assert_int_equal(which, N); /* none is left */
}

static void send_all(const int32_t tags[N], bool again) {
  for (int i = 0; i < N; i++) {
    const int32_t value = tags[i] + (again ? N : 0);
    ok(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){0}, tags[i], &value, sizeof value));
  }
}

static void many_body(uint32_t me, uint32_t n) {
  (void)n;
  int32_t tags[N];
  for (int order = 0; order < ORDERS; order++) {
    order_make((enum order)order, tags);
    if (me == 0) {
      const struct eyoti_msgs *m = eyot_current->msgs;
      const uint64_t before = m != NULL ? m->any.read : 0;
      receive_all();
      assert_true(eyot_current->msgs->any.read - before < 2 * N * READ_EACH);
    } else {
      ok(eyot_barrier(EYOT_TEAM_ALL));
      send_all(tags, false);
      send_all(tags, true);
    }
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
}

static void waits_read_a_few_handles_each(void **state) {
  (void)state;
  api_sweep(2, 3, many_body);
}

/* One message at a time, whose receive is posted again at its place. */
static void again_body(uint32_t me, uint32_t n) {
  enum { TIMES = 200, ACK = N };
  const eyot_tunit_t other = {1 - me};
  eyot_msg_status_t status;
  size_t which;
  (void)n;
  if (me == 0)
    for (int32_t i = 0; i < N; i++) post(i);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  const uint64_t before = me == 0 ? eyot_current->msgs->any.read : 0;
  for (int32_t k = 0; k < TIMES; k++) {
    if (me == 0) {
      ok(eyot_msg_wait_any(handle, N, &which, &status));
      assert_int_equal(which, k % 3);
      assert_int_equal(got[which], k);
      post(k % 3);
      ok(eyot_send(EYOT_TEAM_ALL, other, ACK, NULL, 0));
    } else {
      ok(eyot_send(EYOT_TEAM_ALL, other, k % 3, &k, sizeof k));
      ok(eyot_recv(EYOT_TEAM_ALL, other, ACK, NULL, 0, NULL));
    }
  }
  for (int i = 0; me == 0 && i < N; i++) {
    bool gone;
    ok(eyot_msg_cancel(&handle[i], &gone));
    assert_true(gone);
  }
  if (me == 0) assert_true(eyot_current->msgs->any.read - before < 3 * N + TIMES * READ_EACH);
}

static void waits_read_a_few_handles_of_those_posted_again(void **state) {
  (void)state;
  api_sweep(2, 3, again_body);
}

/* Receives, sends that are over when the other unit has matched them, handles that are complete,
 * and those of another array; some are completed by other waits. */
static void mixed_body(uint32_t me, uint32_t n) {
  enum { K = 12 };
  const eyot_tunit_t other = {1 - me};
  eyot_msg_t a[2 * K + 1] = {0}, apart;
  int64_t in[K], out[K], last;
  (void)n;
  ok(eyot_recv_nb(EYOT_TEAM_ALL, other, K, &last, sizeof last, &apart));
  ok(eyot_send(EYOT_TEAM_ALL, other, K, &(int64_t){7}, sizeof last));
  for (int i = 0; i < K; i++) out[i] = 10 * (int64_t)me + i;
  for (int i = 0; i < K; i++) {
    ok(eyot_recv_nb(EYOT_TEAM_ALL, other, i, &in[i], sizeof in[i], &a[2 * i]));
    ok(eyot_ssend_nb(EYOT_TEAM_ALL, other, K - 1 - i, &out[K - 1 - i], sizeof out[0],
                     &a[2 * i + 1]));
  }
  ok(eyot_msg_wait(&a[2], NULL));
  ok(eyot_msg_wait(&a[5], NULL));
  for (int k = 0; k < 2 * K - 2; k++) {
    eyot_msg_status_t status = {.tag = -7};
    size_t which;
    ok(eyot_msg_wait_any(a, 2 * K + 1, &which, &status));
    assert_true(which < 2 * K && a[which].id == EYOT_MSG_DONE.id);
    assert_int_equal(status.tag, which % 2 == 0 ? (int)which / 2 : -7);
  }
  for (int i = 0; i < K; i++) assert_int_equal(in[i], 10 * (int64_t)other.id + i);
  for (int i = 0; i < 2 * K; i++) assert_int_equal(a[i].id, EYOT_MSG_DONE.id);
  ok(eyot_msg_wait(&apart, NULL));
  assert_int_equal(last, 7);
  assert_null(eyot_current->msgs->ready.head);
  assert_int_equal(eyot_current->msgs->any.sends, 0);
}

static void sends_and_other_arrays(void **state) {
  (void)state;
  api_sweep(2, 30, mixed_body);
}

/* Handles in structures, some of them NULL: tests and waits in turn find those that are over, in
 * all orders, by a few handles each; none is over, and none is left. */
struct request {
  int64_t other;
  eyot_msg_t handle;
};
static struct request request[N];

static void in_receive(void) {
  void *at[N + 1] = {NULL};
  const size_t offset = offsetof(struct request, handle);
  size_t which = 0;
  bool done = true;
  ok(eyot_msg_test_any_in(at, N + 1, offset, &which, &done, NULL));
  assert_true(done && which == N + 1);
  for (int32_t i = 0; i < N; i++) {
    at[i] = &request[i];
    ok(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){1}, i, &got[i], sizeof got[i],
                    &request[i].handle));
  }
  ok(eyot_msg_test_any_in(at, N + 1, offset, &which, &done, NULL));
  assert_true(!done && which == N + 1);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t calls = 0;
  const uint64_t before = eyot_current->msgs->any.read;
  for (int k = 0; k < N; calls++) {
    eyot_msg_status_t status;
    done = true;
    if (calls % 3 == 0)
      ok(eyot_msg_wait_any_in(at, N + 1, offset, &which, &status));
    else
      ok(eyot_msg_test_any_in(at, N + 1, offset, &which, &done, &status));
    if (!done) continue;
    assert_true(which < N && request[which].handle.id == EYOT_MSG_DONE.id);
    assert_int_equal(status.tag, which);
    assert_int_equal(got[which], which);
    if (which % 2 == 0) at[which] = NULL;
    k++;
  }
  assert_true(eyot_current->msgs->any.read - before < (N + calls) * READ_EACH);
  ok(eyot_msg_wait_any_in(at, N + 1, offset, &which, NULL));
  assert_int_equal(which, N + 1);
}

static void in_body(uint32_t me, uint32_t n) {
  int32_t tags[N];
  (void)n;
  for (int order = 0; order < ORDERS; order++) {
    order_make((enum order)order, tags);
    if (me == 0) {
      in_receive();
    } else {
      ok(eyot_barrier(EYOT_TEAM_ALL));
      send_all(tags, false);
    }
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
}

static void handles_in_structures(void **state) {
  (void)state;
  api_sweep(2, 3, in_body);
}

/* A test finds a send whose receiver has matched it, by its word alone. */
static void in_sends_body(uint32_t me, uint32_t n) {
  const eyot_tunit_t other = {1 - me};
  struct request mine = {0};
  void *at[2] = {NULL, &mine};
  const int64_t value = me;
  int64_t theirs;
  size_t which = 0;
  bool done = false;
  (void)n;
  ok(eyot_ssend_nb(EYOT_TEAM_ALL, other, 1, &value, sizeof value, &mine.handle));
  ok(eyot_recv(EYOT_TEAM_ALL, other, 1, &theirs, sizeof theirs, NULL));
  for (int k = 0; k < 10000 && !done; k++)
    ok(eyot_msg_test_any_in(at, 2, offsetof(struct request, handle), &which, &done, NULL));
  assert_int_equal(which, 1);
  assert_int_equal(mine.handle.id, EYOT_MSG_DONE.id);
}

static void tests_find_sends(void **state) {
  (void)state;
  api_sweep(2, 10, in_sends_body);
}

/* A wrong handle is an error where no other one is over. */
static void wrong_body(uint32_t me, uint32_t n) {
  eyot_msg_t a[2] = {{0}, {.id = 12345}};
  size_t which;
  int64_t value;
  (void)n;
  assert_int_equal(eyot_msg_wait_any(a, 2, &which, NULL), EYOT_EINVAL);
  void *at[2] = {&a[0], &a[1]};
  bool done;
  assert_int_equal(eyot_msg_wait_any_in(at, 2, 0, &which, NULL), EYOT_EINVAL);
  assert_int_equal(eyot_msg_test_any_in(at, 2, 0, &which, &done, NULL), EYOT_EINVAL);
  assert_int_equal(eyot_msg_test_any_in(NULL, 2, 0, &which, &done, NULL), EYOT_EINVAL);
  assert_int_equal(eyot_msg_test_any_in(at, 2, 0, &which, NULL, NULL), EYOT_EINVAL);
  assert_int_equal(eyot_msg_wait_any_in(at, 2, 0, NULL, NULL), EYOT_EINVAL);
  ok(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){me}, 1, &value, sizeof value, &a[0]));
  assert_int_equal(eyot_msg_wait_any(a, 2, &which, NULL), EYOT_EINVAL);
  ok(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){me}, 1, &value, sizeof value));
  ok(eyot_msg_wait(&a[0], NULL));
}

static void wrong_handles_are_refused(void **state) {
  (void)state;
  setenv("EYOT_LOG", "silent", 1);
  api_sweep(1, 1, wrong_body);
  unsetenv("EYOT_LOG");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waits_read_a_few_handles_each),
      cmocka_unit_test(waits_read_a_few_handles_of_those_posted_again),
      cmocka_unit_test(sends_and_other_arrays),
      cmocka_unit_test(handles_in_structures),
      cmocka_unit_test(tests_find_sends),
      cmocka_unit_test(wrong_handles_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
