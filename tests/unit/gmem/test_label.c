/* SPDX-License-Identifier: BSD-3-Clause */
/* test_label.c - what messages read of another unit's memory: places as words that any process
 * understands, and a read that a silent owner cannot hold up. */
#include <string.h>

#include "gmem/label.h"
#include "rt/place.h"
#include "rt/proc.h"
#include "unit/api_unit.h"

#define OWNER 0u
#define TICK_NS UINT64_C(10000000)
#define TICKS_MAX 60u /* half a second has 50 */

static __attribute__((noinline)) const void *call_here(void) {
  return __builtin_return_address(0);
}

static void word_of_a_call_gives_its_address_again(void **state) {
  (void)state;
  struct eyot_rt rt = {.proc = eyoti_proc_new()};
  char text[EYOTI_CODE_LINE];
  /* the program, a library, and the program again */
  const void *call[] = {call_here(), (const char *)(uintptr_t)&qsort + 1, call_here()};
  for (size_t i = 0; i < sizeof call / sizeof call[0]; i++)
    assert_ptr_equal(eyoti_place_of_word(eyoti_place_word(&rt, call[i])), call[i]);
  assert_true(eyoti_place_word(&rt, call[0]) != eyoti_place_word(&rt, call[1]));
  assert_true(eyoti_place_word(&rt, NULL) == 0);
  assert_true(eyoti_place_word(&rt, text) == 0); /* no code */
  /* another program's, damaged, none */
  uint64_t word = eyoti_place_word(&rt, call[0]);
  const uint64_t bad[] = {word ^ UINT64_C(1) << 45, word | UINT64_C(0xfffffff000), 0, UINT64_MAX};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_null(eyoti_place_of_word(bad[i]));
    assert_non_null(
        strstr(eyoti_place_word_text(&rt, 3, bad[i], text), "of the program of unit 3"));
  }
  eyoti_proc_delete(rt.proc);
}

static uint64_t now_ns;
static uint32_t tests_made;

static uint64_t ticking(struct fab *f) {
  (void)f;
  return now_ns += TICK_NS;
}
static int never_done(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  (void)f, (void)req, (void)level;
  tests_made++;
  *done = false;
  return 0;
}

static void silent_body(uint32_t me, uint32_t n) {
  eyot_gptr_t g = EYOT_GPTR_NULL;
  (void)n;
  if (me == OWNER) ok(eyot_alloc(24, &g));
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){OWNER}, &g, sizeof g));
  if (me != OWNER) {
    struct fab *f = eyot_current->fab;
    const struct fab_ops *ops = f->ops;
    struct fab_ops silent = *ops;
    struct eyoti_glabel l;
    silent.seg_look = NULL;
    silent.req_test = never_done;
    silent.now_ns = ticking;
    f->ops = &silent;
    tests_made = 0;
    assert_int_equal(eyot_free(g), EYOT_EUNIT); /* returns, without the words */
    assert_true(tests_made > 1 && tests_made < TICKS_MAX);
    tests_made = 0;
    assert_false(eyoti_gmem_private_label(eyot_current, g, &l));
    assert_int_equal(tests_made, 1); /* the first read has not ended */
    silent.req_test = ops->req_test;
    assert_true(eyoti_gmem_private_label(eyot_current, g, &l));
    assert_true(l.len == 24 && l.kind == EYOTI_GLABEL_BLOCK);
    silent.req_test = never_done;
    assert_false(eyoti_gmem_private_label(eyot_current, g, &l)); /* eyot_finalize ends this one */
    f->ops = ops;
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == OWNER) ok(eyot_free(g));
}

static void silent_owner_does_not_hold_up_a_message(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 2, .seed = 1}, silent_body);
}

/* A program's mistake may have written anything there. */
static void damaged_label_is_not_believed(void **state) {
  (void)state;
  struct eyot_rt rt = {.proc = eyoti_proc_new()};
  char text[EYOTI_WORDS];
  struct eyoti_glabel l;
  memset(&l, 0xff, sizeof l);
  assert_null(strchr(eyoti_glabel_words(&rt, 3, &l, text), '"'));
  assert_non_null(strstr(text, "the memory (18446744073709551615 bytes, eyot_alloc at "));
  eyoti_glabel_name(&l, "heat\n");
  assert_null(strstr(eyoti_glabel_words(&rt, 3, &l, text), "heat"));
  eyoti_glabel_name(&l, "0123456789012345678901234567890"); /* 31 bytes */
  assert_non_null(
      strstr(eyoti_glabel_words(&rt, 3, &l, text), "\"0123456789012345678901234567890\""));
  eyoti_glabel_name(&l, "01234567890123456789012345678901");
  assert_non_null(
      strstr(eyoti_glabel_words(&rt, 3, &l, text), "\"0123456789012345678901234567...\""));
  eyoti_proc_delete(rt.proc);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(word_of_a_call_gives_its_address_again),
                                     cmocka_unit_test(silent_owner_does_not_hold_up_a_message),
                                     cmocka_unit_test(damaged_label_is_not_believed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
