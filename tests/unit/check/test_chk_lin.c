/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_lin.c - linearizability of histories that a reader can judge: for each model some that
 * are and some that are not, operations that never returned, several objects, and the explanation
 * of a failure. */
#include "unit/check/chk_lin_unit.h"

struct book {
  const char *model;
  uint64_t param;
  const char *text;
};

static const struct book good[] = {
    {"register", 0, ""},
    {"register", 5, "0 read;0 = 5"},
    {"register", 0, "0 write 1;1 read;1 = 0;0 ="},
    {"register", 0, "0 write 1;1 read;1 = 1;0 ="},
    /* Herlihy, Wing: Linearizability, TOPLAS 1990, figure 1: reads overlap two writes. */
    {"register", 0, "0 write 1;1 write 2;2 read;2 = 2;1 =;2 read;2 = 1;0 ="},
    {"register", 0, "0 fetch_add 1;1 fetch_add 1;0 = 1;1 = 0;0 read;0 = 2"},
    {"register", 7, "0 cas 7 8;1 cas 7 9;0 = no;1 =;0 read;0 = 9"},
    {"register", 7,
     "0 fetch_cas 7 8;1 swap 3;1 = 8;0 = 7;1 fetch_cas 8 1;1 = 3;1 add 2;1 =;0 read;0 = 5"},
    {"queue", 0, "0 dequeue;0 = no;0 enqueue 1;0 =;0 dequeue;0 = 1"},
    {"queue", 0, "0 enqueue 1;1 enqueue 2;0 =;1 =;0 dequeue;0 = 2;1 dequeue;1 = 1"},
    {"queue", 0, "0 enqueue 1;0 =;0 dequeue;1 dequeue;1 = no;0 = 1"},
    {"queue", 0, "0 dequeue;1 enqueue 4;1 =;0 = 4"},
    {"queue", 0, "0 enqueue 1;0 =;1 enqueue 2;1 =;0 dequeue;1 dequeue;1 = 2;0 = 1"},
    {"queue", 0, "0 enqueue 1;0 =;0 enqueue 1;0 =;1 dequeue;1 = 1;1 dequeue;1 = 1"},
    {"queue", 1, "0 enqueue 1;0 =;1 enqueue 2;0 dequeue;1 = no;0 = 1"},
    {"queue", 1, "0 enqueue 1;0 =;1 enqueue 2;0 dequeue;1 =;0 = 1;0 dequeue;0 = 2"},
    {"stack", 0, "0 push 1;0 =;0 push 2;0 =;1 pop;1 = 2;1 pop;1 = 1;1 pop;1 = no"},
    {"stack", 0, "0 push 1;1 push 2;0 =;1 =;0 pop;0 = 1;0 pop;0 = 2"},
    {"stack", 0, "0 push 1;0 =;1 push 2;0 pop;1 =;0 = 1;1 pop;1 = 2"},
    {"stack", 0, "0 push 1;1 pop;1 = 1;2 pop;0 =;2 = no"},
    {"stack", 2, "0 push 1;0 =;0 push 2;0 =;0 push 3;0 = no;0 pop;0 = 2"},
    {"lock", 0, "0 acquire;0 =;1 acquire;0 release;1 =;0 =;1 release;1 ="},
    {"lock", 0, "0 acquire;0 =;1 try_acquire;1 = no;0 release;0 =;1 try_acquire;1 ="},
    {"lock", 0, "0 acquire;1 try_acquire;1 = no;0 ="},
    {"lock", 0, "0 acquire_timed;0 = no;1 acquire_timed;1 =;1 release;1 ="},
    {"rwlock", 0,
     "0 acquire_shared;0 =;1 acquire_shared;1 =;0 release_shared;0 =;1 release_shared;1 =;2 "
     "acquire;2 ="},
    {"rwlock", 0,
     "0 acquire_shared;0 =;1 try_acquire;1 = no;1 try_acquire_shared;1 =;2 acquire_timed;2 = no"},
    {"rwlock", 0,
     "0 acquire;0 =;1 acquire_shared;2 try_acquire_shared;2 = no;0 release;1 =;0 =;1 "
     "release_shared;1 ="},
    {"map", 0, "0 insert 1 10;0 =;1 insert 1 11;1 = no;1 get 1;1 = 10;0 get 2;0 = no"},
    {"map", 0,
     "0 put 1 10;1 put 1 11;0 =;1 =;0 get 1;0 = 10;0 cas 1 10 12;0 =;1 take 1;1 = 12;1 remove 1;1 "
     "= no"},
    {"map", 0,
     "0 insert 1 10;1 insert 1 11;0 = no;1 =;0 remove 1;0 =;0 insert 1 5;0 =;1 cas 1 4 6;1 = no"},
    {"set", 0, "0 add 3;0 =;1 add 3;1 = no;1 contains 4;1 = no;0 remove 3;0 =;0 remove 3;0 = no"},
    {"set", 0, "0 add 3;1 contains 3;1 = no;2 contains 3;2 =;0 ="},
    {"set", 0, "0 add 3;1 remove 3;2 add 3;0 =;1 =;2 =;0 contains 3;0 ="},
};

static const struct book bad[] = {
    {"register", 5, "0 read;0 = 0"},
    {"register", 0, "0 write 1;0 =;1 read;1 = 0"},
    /* New before old: two reads, one after the other, beside one write. */
    {"register", 0, "0 write 1;1 read;1 = 1;1 read;1 = 0;0 ="},
    {"register", 0, "0 fetch_add 1;1 fetch_add 1;0 = 0;1 = 0"},
    {"register", 7, "0 cas 7 8;1 cas 7 9;0 =;1 ="},
    {"register", 0, "0 write 1;1 write 2;0 =;1 =;2 read;2 = 1;2 read;2 = 2"},
    /* Store buffers: each reads before the other's write. Linearizable object by object only if two
     * registers are two objects. */
    {"register", 0, "0 swap 1;1 swap 2;0 = 0;1 = 0"},
    {"register", 1, "0 fetch_cas 1 2;0 = 1;1 read;1 = 1"},
    {"queue", 0, "0 dequeue;0 = 1"},
    {"queue", 0, "0 enqueue 1;0 =;0 enqueue 2;0 =;1 dequeue;1 = 2;1 dequeue;1 = 1"},
    {"queue", 0, "0 enqueue 1;0 =;0 enqueue 2;0 =;1 dequeue;1 = 2"},
    {"queue", 0, "0 enqueue 1;0 =;0 dequeue;0 = no"},
    {"queue", 0, "0 enqueue 1;0 =;0 dequeue;1 dequeue;0 = 1;1 = 1"},
    /* The queue is never empty during the second unit's dequeue: 2 comes before 1 has gone. */
    {"queue", 0,
     "0 enqueue 1;0 =;2 dequeue;0 enqueue 2;0 =;1 dequeue;1 = 1;2 = no;1 dequeue;1 = 2"},
    {"queue", 1, "0 enqueue 1;0 =;1 enqueue 2;1 ="},
    {"queue", 2, "0 enqueue 1;0 =;1 enqueue 2;1 = no"},
    {"stack", 0, "0 push 1;0 =;0 push 2;0 =;1 pop;1 = 1;1 pop;1 = 2"},
    {"stack", 0, "0 push 1;0 =;1 pop;2 pop;1 = 1;2 = 1"},
    {"stack", 0, "0 push 1;0 =;1 pop;1 = no"},
    {"stack", 1, "0 push 1;0 =;0 push 2;0 ="},
    {"lock", 0, "0 acquire;0 =;1 acquire;1 ="},
    {"lock", 0, "0 release;0 ="},
    {"lock", 0, "0 acquire;0 =;1 release;1 ="},
    {"lock", 0, "0 acquire;0 =;0 release;0 =;1 try_acquire;1 = no"},
    {"lock", 0, "0 try_acquire;1 try_acquire;0 =;1 ="},
    {"lock", 0, "0 try_acquire;1 try_acquire;0 = no;1 = no"},
    {"rwlock", 0, "0 acquire_shared;0 =;1 acquire;1 ="},
    {"rwlock", 0, "0 acquire;0 =;1 acquire_shared;1 ="},
    {"rwlock", 0, "0 acquire_shared;0 =;1 try_acquire_shared;1 = no"},
    {"rwlock", 0, "0 acquire_shared;0 =;0 release;0 ="},
    {"rwlock", 0, "0 acquire_shared;0 =;1 release_shared;1 ="},
    {"map", 0, "0 insert 1 10;1 insert 1 11;0 =;1 ="},
    {"map", 0, "0 put 1 10;0 =;1 get 1;1 = 11"},
    {"map", 0, "0 put 1 10;0 =;1 take 1;2 take 1;1 = 10;2 = 10"},
    {"map", 0, "0 put 1 10;0 =;1 cas 1 10 11;1 = no"},
    {"map", 0, "0 put 1 10;0 =;1 remove 1;1 =;2 get 1;2 = 10"},
    {"set", 0, "0 add 3;1 add 3;0 =;1 ="},
    {"set", 0, "0 add 3;0 =;1 contains 3;1 = no"},
    {"set", 0, "0 remove 3;0 ="},
    {"set", 0, "0 add 3;1 contains 3;1 =;1 contains 3;1 = no;0 ="},
};

static const struct book pending_good[] = {
    {"register", 0, "0 write 1;1 read;1 = 0;1 read;1 = 1"},
    {"register", 0, "0 write 1;1 read;1 = 0"},
    {"register", 0, "0 fetch_add 1;1 fetch_add 1;1 = 1"},
    {"queue", 0, "0 enqueue 1;1 dequeue;1 = 1"},
    {"queue", 0, "0 enqueue 1;0 =;0 enqueue 2;0 =;1 dequeue;0 dequeue;0 = 2"},
    {"queue", 0, "0 enqueue 1;0 =;1 dequeue;0 dequeue;0 = no"},
    {"queue", 1, "0 enqueue 1;1 enqueue 2;1 = no"},
    {"stack", 0, "0 push 1;0 =;1 pop;0 pop;0 = no"},
    {"lock", 0, "0 acquire;1 try_acquire;1 = no"},
    {"lock", 0, "0 acquire;0 =;0 release;1 acquire;1 ="},
    {"map", 0, "0 take 1;1 insert 1 2;1 =;1 insert 1 3;1 ="},
    {"set", 0, "0 add 1;1 contains 1;1 =;1 remove 1;1 ="},
};

static const struct book pending_bad[] = {
    {"register", 0, "0 write 1;1 read;1 = 1;1 read;1 = 0"},
    {"register", 0, "0 fetch_add 1;1 fetch_add 1;1 = 2"},
    {"queue", 0, "1 dequeue;1 = 1;0 enqueue 1"},
    {"queue", 0, "0 enqueue 1;0 =;0 enqueue 2;0 =;0 dequeue;0 = 2;1 dequeue"},
    {"queue", 0, "0 enqueue 1;1 dequeue;1 = 1;1 dequeue;1 = 1"},
    {"stack", 0, "0 push 1;0 =;1 pop;0 pop;0 = 1;0 push 2;0 =;0 pop;0 = no;0 pop;0 = 2"},
    {"lock", 0, "0 acquire;0 =;1 acquire;2 acquire;2 ="},
    {"set", 0, "0 add 1;1 remove 1;1 =;1 contains 1;1 ="},
};

static void judge(const struct book *b, size_t n, enum chk_lin_answer expected) {
  for (size_t i = 0; i < n; i++) {
    struct chk_history h;
    struct chk_lin_verdict v;
    lin_history(&h, b[i].model, b[i].param, b[i].text);
    assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
    if (v.answer != expected)
      fail_msg("%s of %llu: %s: answer %d", b[i].model, (unsigned long long)b[i].param, b[i].text,
               (int)v.answer);
    chk_lin_verdict_fini(&v);
    chk_history_fini(&h);
  }
}

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static void textbook_histories_are_judged_rightly(void **state) {
  (void)state;
  judge(good, COUNT(good), CHK_LIN_YES);
  judge(bad, COUNT(bad), CHK_LIN_NO);
}

static void operations_that_never_return_may_have_happened(void **state) {
  (void)state;
  judge(pending_good, COUNT(pending_good), CHK_LIN_YES);
  judge(pending_bad, COUNT(pending_bad), CHK_LIN_NO);
}

/* Two registers that are each linearizable, though no order of all four operations in the order of
 * programs would do if they were one. */
static void objects_are_judged_one_by_one(void **state) {
  (void)state;
  struct chk_history h;
  struct chk_lin_verdict v;
  uint32_t x, y;
  chk_history_init(&h);
  assert_int_equal(chk_history_object(&h, &chk_lin_queue, "x", 0, &x), 0);
  assert_int_equal(chk_history_object(&h, &chk_lin_queue, "y", 0, &y), 0);
  lin_events(&h, x, "0 enqueue 1;0 =");
  lin_events(&h, y, "0 enqueue 2;0 =");
  lin_events(&h, y, "1 dequeue;1 = 2");
  lin_events(&h, x, "1 dequeue;1 = 1");
  assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_YES);
  assert_int_equal(v.n_parts, 2);
  chk_lin_verdict_fini(&v);
  lin_events(&h, y, "2 enqueue 3;2 =;3 dequeue;3 = no");
  lin_events(&h, x, "2 enqueue 3;2 =");
  assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_NO);
  assert_int_equal(v.object, y);
  assert_int_equal(v.failed, 5);
  chk_lin_verdict_fini(&v);
  chk_history_fini(&h);
}

/* Keys of a map are judged alone, and a failure names its key. */
static void keys_of_a_map_are_judged_one_by_one(void **state) {
  (void)state;
  struct chk_history h;
  struct chk_lin_verdict v;
  lin_history(&h, "map", 0,
              "0 put 1 10;1 put 2 20;0 =;1 =;0 get 1;0 = 10;1 get 2;1 = 21;0 get 3;0 = no");
  assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
  assert_int_equal(v.n_parts, 3);
  assert_int_equal(v.answer, CHK_LIN_NO);
  assert_true(v.keyed && v.key == 2);
  assert_int_equal(v.failed, 3);
  chk_lin_verdict_fini(&v);
  chk_history_fini(&h);
}

static void explanation(const char *model, const char *events, uint32_t failed, uint32_t explained,
                        const char *const *says) {
  struct chk_history h;
  struct chk_lin_verdict v;
  lin_history(&h, model, 0, events);
  assert_int_equal(chk_lin_check(&h, LIN_MANY, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_NO);
  assert_int_equal(v.failed, failed);
  assert_int_equal(v.explained, explained);
  char text[4096] = "";
  FILE *out = fmemopen(text, sizeof text - 1, "w");
  assert_non_null(out);
  chk_lin_explain(&h, &v, out);
  fclose(out);
  for (; *says != NULL; says++) {
    if (strstr(text, *says) == NULL) fail_msg("no \"%s\" in:\n%s", *says, text);
  }
  chk_lin_verdict_fini(&v);
  chk_history_fini(&h);
}

static void explanation_names_the_operation_without_a_place(void **state) {
  (void)state;
  /* The order of values shows the failure: the first return that has no explanation must be found
   * by a search over prefixes. */
  explanation(
      "queue", "0 enqueue 1;0 =;0 enqueue 2;0 =;1 dequeue;2 enqueue 3;1 = 2;1 dequeue;1 = 1;2 =", 2,
      2,
      (const char *const[]){
          "queue \"it\": not linearizable: no place for dequeue() -> 2 by unit 1",
          "returns before it: 2; a possible order:\n    1. unit 0: enqueue(1) -> ok\n"
          "    2. unit 0: enqueue(2) -> ok\n  then it holds [1, 2]\n",
          "         4      6  unit 1     dequeue() -> 2                   [-]   has no place\n"
          "         5      9  unit 2     enqueue(3) -> ok                  [-]\n",
          NULL});
  explanation(
      "register", "0 write 1;1 read;1 = 1;2 write 7;1 read;1 = 0;0 =", 3, 1,
      (const char *const[]){
          "no place for read() -> 0 by unit 1",
          "    1. unit 0: write(1)\n    2. unit 1: read() -> 1\n  then it is 1\n",
          "         0      6  unit 0     write(1)                         [---]\n"
          "         3      -  unit 2     write(7), pending                 [--->\n"
          "         4      5  unit 1     read() -> 0                        []    has no place\n",
          NULL});
  explanation("rwlock", "3 acquire_shared;3 =;1 acquire_shared;1 =;0 acquire;0 =", 2, 2,
              (const char *const[]){"no place for acquire() by unit 0",
                                    "then it is read by unit 1, 3\n", NULL});
  explanation("lock", "0 release;0 =", 0, 0,
              (const char *const[]){"none needs to have happened\n  then it is free\n", NULL});
}

/* A limit gives no verdict, and reports how far the search came. */
static void search_at_its_bound_gives_no_verdict(void **state) {
  (void)state;
  struct chk_history h;
  struct chk_lin_verdict v;
  lin_history(&h, "register", 0,
              "0 write 1;0 =;1 add 1;2 add 2;3 add 4;4 add 8;1 =;2 =;3 =;4 =;0 read;0 = 17");
  assert_int_equal(chk_lin_check(&h, 10, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_UNDECIDED);
  assert_int_equal(v.configurations, 10);
  assert_false(v.out_of_memory);
  assert_int_equal(v.explained, 5);
  assert_int_equal(v.part_returns, 6);
  chk_lin_verdict_fini(&v);
  assert_int_equal(chk_lin_check(&h, 1000, &v), 0);
  assert_int_equal(v.answer, CHK_LIN_NO);
  chk_lin_verdict_fini(&v);
  chk_history_fini(&h);
}

static void calls_and_returns_that_do_not_pair_are_refused(void **state) {
  (void)state;
  struct chk_history h;
  uint64_t arg[3] = {1, 2, 3};
  uint32_t id;
  lin_history(&h, "queue", 0, "0 enqueue 1;0 =;1 dequeue");
  assert_int_equal(chk_history_call(&h, 0, 1, 0, arg, &id), EYOT_EINVAL);
  assert_int_equal(chk_history_call(&h, 0, 0, 2, arg, &id), EYOT_EINVAL);
  assert_int_equal(chk_history_return(&h, 2, true, 0), EYOT_EINVAL);
  assert_int_equal(chk_history_return(&h, 0, true, 0), EYOT_EINVAL);
  assert_int_equal(h.n_events, 3);
  chk_history_clear(&h);
  assert_int_equal(chk_history_return(&h, 0, true, 0), EYOT_EINVAL);
  assert_null(chk_lin_model_find("barrier"));
  chk_history_fini(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(textbook_histories_are_judged_rightly),
      cmocka_unit_test(operations_that_never_return_may_have_happened),
      cmocka_unit_test(objects_are_judged_one_by_one),
      cmocka_unit_test(keys_of_a_map_are_judged_one_by_one),
      cmocka_unit_test(explanation_names_the_operation_without_a_place),
      cmocka_unit_test(search_at_its_bound_gives_no_verdict),
      cmocka_unit_test(calls_and_returns_that_do_not_pair_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
