/* SPDX-License-Identifier: BSD-3-Clause */
/* test_conformance_bites.c - the conformance suite can fail: each planted fault of the fake fabric
 * is caught by the case for it, and that case passes without the fault under the same schedule. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "conformance/conformance.h"
#include "fake/fake.h"

#define UNITS 4u
#define ROUNDS 40u
#define SEEDS 12u /* schedules tried until the fault shows */

struct bite {
  enum fake_fault fault;
  const char *what;
  const char *by; /* the case that must catch it */
};

static const struct bite BITES[] = {
    {FAKE_SIGNAL_FIRST, "a signal before its bytes", "signal_comes_after_its_bytes"},
    {FAKE_TORN_PUT, "a torn 8-byte put", "words_are_not_torn"},
    {FAKE_NO_ORDER, "order ignored", "order_to_a_unit_puts_data_before_flag"},
    {FAKE_NO_ORDER, "order of all ignored", "order_to_all_puts_data_before_flag"},
    {FAKE_NO_ORDER, "order ignored between single words", "order_between_words_shows_in_snapshots"},
    {FAKE_NO_ORDER, "order ignored, seen by a third unit", "order_is_seen_by_a_third_unit"},
    {FAKE_NO_ORDER, "order of atomics ignored", "order_covers_atomics_and_signals"},
    {FAKE_LOST_AMO, "a lost atomic update", "amo_adds_lose_nothing"},
    {FAKE_LOST_AMO, "a lost compare-and-swap", "amo_cas_loses_nothing"},
    {FAKE_LOST_AMO, "a lost bit", "amo_bits_stay_their_owners"},
    {FAKE_LOST_AMO, "a lost swap", "amo_swaps_keep_each_token_once"},
    {FAKE_LOST_AMO, "a lost update among mixed ones", "amo_mixed_updates_keep_the_sum"},
    {FAKE_FLUSH_EARLY, "a flush that does not wait", "flush_of_a_unit_completes_its_operations"},
    {FAKE_FLUSH_EARLY, "a local flush that does not wait", "source_reuse_after_local_flush"},
    {FAKE_FLUSH_EARLY, "gets left behind by a flush", "many_implicit_operations_end_with_a_flush"},
    {FAKE_REMOTE_EARLY, "remote completion too early", "message_passing_shows_the_data"},
    {FAKE_REMOTE_EARLY, "remote completion too early, seen by its origin",
     "own_put_is_seen_by_its_origin"},
    {FAKE_LOCAL_EARLY, "local completion before the source was read",
     "source_reuse_after_local_wait"},
    {FAKE_LOCAL_EARLY, "a release before the source was read", "source_reuse_after_release"},
    {FAKE_MISSED_WAKE, "a missed wake-up", "wait_wakes_after_each_write"},
    {FAKE_MISSED_WAKE, "a missed wake-up in a ring", "wait_in_a_ring_misses_no_wakeup"},
    {FAKE_IMMEDIATE, "a put that is visible at once", "weak_put_may_be_invisible_at_first"},
    {FAKE_IMMEDIATE, "a long put that is visible at once", "weak_put_may_be_seen_in_part"},
    {FAKE_IMMEDIATE, "puts that never overtake", "weak_puts_may_overtake"},
    {FAKE_IMMEDIATE, "no store buffer", "weak_store_buffering_on_a_node"},
    {FAKE_GET_EARLY, "a get that is complete before its bytes",
     "get_moves_all_sizes_and_alignments"},
    {FAKE_NO_RELEASE, "a later operation passes a completed put",
     "message_by_third_unit_shows_the_data"},
    {FAKE_AMO_NO_BARRIER, "an atomic that is no barrier", "store_buffer_never_with_amos_between"},
    {FAKE_FLUSH_NO_BARRIER, "a flush that is no barrier", "store_buffer_never_with_flushes"},
    {FAKE_OFF_BY_ONE, "one byte too many", "error_for_out_of_range"},
    {FAKE_RETIRE_TWICE, "a request retired twice", "request_is_retired_once"},
    {FAKE_WIDE_AMO, "a narrow atomic that writes wide", "amo_matches_a_model"},
    {FAKE_CMP_LT_AS_LE, "less taken for less or equal", "wait_compares_unsigned_words"},
    {FAKE_WAIT_SIGNED, "words compared as signed", "wait_compares_unsigned_words"},
    {FAKE_ANY_LAST_DEAF, "the last of several words unnoticed", "wait_any_wakes_by_each_word"},
    {FAKE_ANY_HIGHEST, "the highest of several words that hold",
     "wait_any_returns_the_lowest_that_holds"},
    {FAKE_MISSED_WAKE, "a missed wake-up of a wait for several", "wait_any_wakes_by_each_word"},
    {FAKE_NO_TIMEOUT, "a wait for several without end", "wait_any_times_out_not_early"},
    {FAKE_WAIT_SIGNED, "several words compared as signed",
     "wait_any_returns_the_lowest_that_holds"},
    {FAKE_WAIT_UNSIGNED, "signed words compared as unsigned", "wait_compares_words_by_type"},
    {FAKE_WAIT_WIDE, "a word of 4 bytes read with its neighbor", "wait_compares_words_by_type"},
    {FAKE_SEEN_BITS, "a value seen without its sign", "wait_compares_words_by_type"},
    {FAKE_PUT_DEAF, "a put that ends no wait", "wait_ends_by_puts_that_cover_the_word"},
    {FAKE_PUT_PART_DEAF, "a put over half of the word unnoticed",
     "wait_ends_by_puts_that_cover_the_word"},
    {FAKE_PUT_DEAF, "a put that ends no wait for several", "wait_any_of_many_words_wakes"},
    {FAKE_NO_ORDER, "an order that holds no flag back", "wait_ended_by_a_put_shows_the_data"},
    {FAKE_NO_RELEASE, "a flag that passes a completed put",
     "wait_ended_by_a_put_passes_visibility_on"},
    {FAKE_FLUSH_EARLY, "a flag after a flush that does not wait",
     "wait_ended_by_a_put_shows_the_data"},
    {FAKE_SOME_ONE, "one of several that hold", "wait_some_returns_all_that_hold"},
    {FAKE_SET_FLUSH_EARLY, "a set's flush that does not wait",
     "set_flush_completes_its_operations"},
    {FAKE_SET_FLUSH_EARLY, "results left behind by a set's flush", "set_flush_brings_its_results"},
    {FAKE_SET_LEFT_OUT, "sets left out by a flush of all",
     "set_operations_are_in_the_flush_of_all"},
    {FAKE_SET_NO_ORDER, "a set's order ignored", "set_order_puts_data_before_flag"},
    {FAKE_NO_ORDER, "an order of all sets ignored", "order_of_all_sets_puts_data_before_flag"},
    {FAKE_SET_IS_ALL, "a set's flush that completes all sets",
     "weak_set_flush_may_leave_other_sets"},
    {FAKE_IMMEDIATE, "puts of sets that never overtake", "weak_set_order_may_leave_other_sets"},
    {FAKE_ERROR_ANY_SET, "a set's flush that returns the errors of others",
     "set_errors_show_at_the_flush_of_their_set"},
    {FAKE_ERROR_TWICE, "an error that is returned again",
     "set_errors_show_at_the_flush_of_their_set"},
    {FAKE_ONE_ERROR, "one error for several sets", "set_errors_of_several_sets_stay_apart"},
    {FAKE_ERROR_TWICE, "an error that the flush of all keeps",
     "set_errors_come_with_the_flush_of_all"},
    {FAKE_ERROR_ANY_UNIT, "a flush that returns the errors of other units",
     "set_errors_show_at_the_flush_of_their_unit"},
    {FAKE_ERROR_NOT_LOCAL, "a local flush that hides the error of a get",
     "set_errors_of_results_show_at_local_flush"},
    {FAKE_ERROR_ANY_SET, "a failing call that takes the errors of sets",
     "set_errors_outlive_failing_calls"},
    {FAKE_DIRTY_SEGMENT, "a segment that is not zero", "seg_made_again_is_zero"},
    {FAKE_NO_TIMEOUT, "a wait without end", "wait_times_out_not_early"},
    {FAKE_CLOCK_BACK, "time that goes back", "clock_advances_with_compute"},
    {FAKE_LOCATE_DIFFERS, "units that disagree on places", "locate_agrees_on_all_units"},
    {FAKE_WIDE_RESULT, "8 bytes of result for 4", "amo_result_of_4_bytes"},
    {FAKE_OLD_IS_NEW, "the new value for the old one", "amo_matches_a_model"},
    {FAKE_SIG_ADD_SETS, "an adding signal that sets", "signal_sets_or_adds"},
    {FAKE_SHORT_PUT, "a lost last byte", "put_moves_all_sizes_and_alignments"},
    {FAKE_SHORT_PUT, "a lost last byte, seen by the target", "put_is_seen_by_its_target"},
    {FAKE_DETACH_OPEN, "detached memory that is still there",
     "attach_range_and_detach_are_enforced"},
    {FAKE_ANY_UNIT, "a unit that does not exist", "error_for_no_such_unit"},
    {FAKE_THREAD_REQS, "a request that only its thread knows",
     "thread_completes_requests_of_another"},
    {FAKE_THREAD_FLUSH, "a flush of one thread's operations",
     "thread_flushes_what_another_has_posted"},
    {FAKE_MISSED_WAKE, "a missed wake-up of another thread", "thread_waits_in_place_of_another"},
    {FAKE_MISALIGNED_AMO, "an atomic across words", "error_for_misaligned_amos"},
};

static bool bitten(enum fake_fault fault) {
  for (size_t i = 0; i < sizeof BITES / sizeof *BITES; i++)
    if (BITES[i].fault == fault) return true;
  return false;
}

struct run {
  struct conf_opts o;
  uint32_t failures;
};

static void unit(struct fab *f, void *arg) {
  struct run *r = arg;
  if (conf_run(f, &r->o) != 0) r->failures++;
}

/* True if the case failed, or the run did not end well. */
static bool fails(const char *name, enum fake_fault fault, uint64_t seed) {
  const char *const only[] = {name};
  struct run r = {.o = {.rounds = ROUNDS,
                        .weak = CONF_WEAK_REQUIRE,
                        .seed = seed,
                        .in_thread = fake_thread,
                        .only = only,
                        .n_only = 1}};
  struct fake_opts o = {.n = UNITS,
                        .seed = seed,
                        .mode = FAKE_REORDER,
                        .units_per_node = seed % 2 == 0 ? UNITS : UNITS / 2,
                        .fault = fault,
                        .quiet = true,
                        .max_steps = 5000000};
  int end = fake_run(&o, unit, &r);
  return end != FAKE_DONE || r.failures != 0;
}

/* Discards the suite's own lines about wanted failures. */
static int mute(void) {
  fflush(stdout);
  int keep = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  close(null);
  return keep;
}

static void unmute(int keep) {
  fflush(stdout);
  dup2(keep, STDOUT_FILENO);
  close(keep);
}

static void bite(void **state) {
  const struct bite *b = *state;
  int keep = mute();
  uint32_t seed = 1;
  while (seed <= SEEDS && !fails(b->by, b->fault, seed)) seed++;
  unmute(keep);
  if (seed > SEEDS) print_error("%s: not caught by %s under %u schedules\n", b->what, b->by, SEEDS);
  assert_true(seed <= SEEDS);
  if (fails(b->by, FAKE_SOUND, seed))
    print_error("%s fails without the fault too (seed %u)\n", b->by, seed);
  assert_false(fails(b->by, FAKE_SOUND, seed));
}

static void every_fault_has_a_bite(void **state) {
  (void)state;
  for (int fault = FAKE_SOUND + 1; fault < FAKE_FAULTS; fault++)
    if (!bitten((enum fake_fault)fault)) fail_msg("fault %d is caught by no case", fault);
}

static int run_bites(void) {
  enum { N = sizeof BITES / sizeof *BITES };
  struct CMUnitTest tests[N + 1] = {cmocka_unit_test(every_fault_has_a_bite)};
  for (size_t i = 0; i < N; i++)
    tests[i + 1] = (struct CMUnitTest){
        .name = BITES[i].what, .test_func = bite, .initial_state = (void *)(uintptr_t)&BITES[i]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
  setenv("EYOT_LOG", "silent", 1); /* the suite makes thousands of deliberate errors */
  return run_bites();
}
