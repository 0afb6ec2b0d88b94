/* SPDX-License-Identifier: BSD-3-Clause */
/* test_conf.c - options: defaults, forms of values, refusals, most similar names, and the check of
 * the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/conf_text.h"
#include "base/log.h"

/* cmocka.h uses what the headers above declare. */
#include <cmocka.h>

#define KIB UINT64_C(1024)

static int clear(void **state) {
  (void)state;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++)
    unsetenv(eyoti_conf_entry((enum eyoti_conf)k)->env);
  setenv("EYOT_LOG", "silent", 1);
  return 0;
}

static uint64_t number(enum eyoti_conf key) {
  uint64_t v = 0;
  assert_int_equal(eyoti_conf_u64(key, &v), EYOT_OK);
  return v;
}

static void every_entry_is_complete(void **state) {
  (void)state;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    const struct eyoti_conf_entry *e = eyoti_conf_entry((enum eyoti_conf)k);
    assert_non_null(e->env);
    assert_int_equal(strncmp(e->env, "EYOT_", 5), 0);
    assert_non_null(e->flag);
    assert_non_null(e->def);
    assert_non_null(e->help);
    assert_true(strlen(e->help) > 0 && strchr(e->help, '\n') == NULL);
    assert_in_range(e->group, 0, EYOTI_CONF_GROUPS - 1);
    assert_in_range(e->fabric, EYOTI_CONF_FOR_ALL, EYOTI_CONF_FOR_MPI);
    /* words that are valid besides numbers */
    if (e->type != EYOTI_CONF_U64) assert_int_equal(e->type == EYOTI_CONF_ENUM, e->choices != NULL);
    enum eyoti_conf found = EYOTI_CONF_COUNT;
    assert_ptr_equal(eyoti_conf_by_flag(e->flag, &found), e);
    assert_int_equal(found, k);
    const char *text = NULL;
    /* the default is valid */
    assert_int_equal(eyoti_conf_string((enum eyoti_conf)k, &text), EYOT_OK);
  }
}

static void defaults_are_those_documented(void **state) {
  (void)state;
  assert_int_equal(number(EYOTI_CONF_HEAP_SIZE), 64 * KIB * KIB);
  assert_int_equal(number(EYOTI_CONF_STACK_SIZE), 256 * KIB);
  assert_int_equal(number(EYOTI_CONF_WATCHDOG), UINT64_C(10000000000));
  assert_int_equal(number(EYOTI_CONF_UNITS), 1);
  assert_int_equal(number(EYOTI_CONF_SEED), 1);
  assert_int_equal(number(EYOTI_CONF_ENGINE), EYOTI_ENGINE_FIBER);
  assert_int_equal(number(EYOTI_CONF_ORDER), EYOTI_ORDER_RDMA);
  assert_int_equal(number(EYOTI_CONF_COMPUTE), EYOTI_COMPUTE_DECLARED);
  assert_int_equal(number(EYOTI_CONF_MAX_OUTSTANDING), 256);
  assert_int_equal(number(EYOTI_CONF_PACK_BYTES), 4 * KIB);
  assert_int_equal(number(EYOTI_CONF_BULK_ATOMIC), UINT32_MAX);
  assert_int_equal(number(EYOTI_CONF_FABRIC), EYOTI_FABRIC_MPI);
  unsetenv("EYOT_LOG");
  assert_int_equal(number(EYOTI_CONF_LOG), EYOTI_LOG_WARN);
  const char *text = NULL;
  assert_int_equal(eyoti_conf_string(EYOTI_CONF_PLATFORM, &text), EYOT_OK);
  assert_string_equal(text, "xc40");
}

/* Each word of each option is accepted and counts from 0, or from the largest number on. */
static void words_count_in_order(void **state) {
  (void)state;
  uint32_t options = 0;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    const struct eyoti_conf_entry *e = eyoti_conf_entry((enum eyoti_conf)k);
    if (e->choices == NULL) continue;
    options++;
    uint64_t value = e->type == EYOTI_CONF_ENUM ? 0 : e->max + 1;
    for (const char *word = e->choices; *word != '\0'; value++) {
      char text[EYOTI_TEXT_NAME_MAX];
      size_t len = strcspn(word, "|");
      assert_in_range(len, 1, sizeof text - 1);
      memcpy(text, word, len);
      text[len] = '\0';
      setenv(e->env, text, 1);
      assert_int_equal(number((enum eyoti_conf)k), value);
      word += len + (word[len] == '|');
    }
    unsetenv(e->env);
  }
  assert_true(options > 0);
  setenv("EYOT_ORDER", "tso", 1);
  assert_int_equal(number(EYOTI_CONF_ORDER), EYOTI_ORDER_TSO);
  setenv("EYOT_ATOMICS", "owner", 1);
  assert_int_equal(number(EYOTI_CONF_ATOMICS), EYOTI_ATOMICS_OWNER);
  setenv("EYOT_HEAP_PINNED", "on", 1);
  assert_int_equal(number(EYOTI_CONF_HEAP_PINNED), EYOTI_HEAP_PINNED_ON);
}

static void environment_wins_and_empty_means_default(void **state) {
  (void)state;
  setenv("EYOT_HEAP_SIZE", "3m", 1);
  assert_int_equal(number(EYOTI_CONF_HEAP_SIZE), 3 * KIB * KIB);
  setenv("EYOT_HEAP_SIZE", "", 1);
  assert_int_equal(number(EYOTI_CONF_HEAP_SIZE), 64 * KIB * KIB);
  setenv("EYOT_STATS", "yes", 1);
  assert_int_equal(number(EYOTI_CONF_STATS), 1);
  setenv("EYOT_ORDER", "Chaos", 1);
  assert_int_equal(number(EYOTI_CONF_ORDER), EYOTI_ORDER_CHAOS);
  setenv("EYOT_PROGRESS", "64", 1);
  assert_int_equal(number(EYOTI_CONF_PROGRESS), 64);
  setenv("EYOT_PROGRESS", "Thread", 1); /* a word's value continues after the largest number */
  assert_int_equal(number(EYOTI_CONF_PROGRESS), EYOTI_PROGRESS_THREAD);
  setenv("EYOT_WATCHDOG", "20ms", 1);
  assert_int_equal(number(EYOTI_CONF_WATCHDOG), 20000000);
}

static void malformed_values_are_refused(void **state) {
  (void)state;
  static const struct {
    enum eyoti_conf key;
    const char *text;
  } BAD[] = {
      {EYOTI_CONF_UNITS, "0"},
      {EYOTI_CONF_UNITS, "-1"},
      {EYOTI_CONF_UNITS, "4x"},
      {EYOTI_CONF_UNITS, " 4"},
      {EYOTI_CONF_UNITS, "99999999"},
      {EYOTI_CONF_SEED, "18446744073709551616"},
      {EYOTI_CONF_HEAP_SIZE, "1"},
      {EYOTI_CONF_HEAP_SIZE, "64X"},
      {EYOTI_CONF_HEAP_SIZE, "17179869184G"},
      {EYOTI_CONF_MAX_VIRTUAL_TIME, "10"},
      {EYOTI_CONF_WATCHDOG, "s"},
      {EYOTI_CONF_WATCHDOG, "999999999s"},
      {EYOTI_CONF_STATS, "maybe"},
      {EYOTI_CONF_ENGINE, "fibre"},
      {EYOTI_CONF_ENGINE, "fiber|simgrid"},
      {EYOTI_CONF_MAX_OUTSTANDING, "0"},
      {EYOTI_CONF_PROGRESS, "65"},
      {EYOTI_CONF_PROGRESS, "threads"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    const struct eyoti_conf_entry *e = eyoti_conf_entry(BAD[i].key);
    uint64_t v = 77;
    assert_int_equal(eyoti_conf_set(BAD[i].key, BAD[i].text), EYOT_EINVAL);
    assert_null(getenv(e->env));
    setenv(e->env, BAD[i].text, 1);
    assert_int_equal(eyoti_conf_u64(BAD[i].key, &v), EYOT_EINVAL);
    assert_int_equal(eyoti_conf_u64_quiet(BAD[i].key, &v), EYOT_EINVAL);
    assert_int_equal(v, 77); /* outputs only on success */
    uint32_t unknown = 77;
    assert_int_equal(eyoti_conf_check_env(&unknown), EYOT_EINVAL);
    assert_int_equal(unknown, 77);
    unsetenv(e->env);
  }
  assert_int_equal(eyoti_conf_set(EYOTI_CONF_UNITS, NULL), EYOT_EINVAL);
}

static void set_is_seen_by_reads(void **state) {
  (void)state;
  assert_int_equal(eyoti_conf_set(EYOTI_CONF_UNITS, "4096"), EYOT_OK);
  assert_int_equal(number(EYOTI_CONF_UNITS), 4096);
  assert_string_equal(getenv("EYOT_N"), "4096");
  const char *text = NULL;
  assert_int_equal(eyoti_conf_set(EYOTI_CONF_PLATFORM, "dragonfly:groups=2"), EYOT_OK);
  assert_int_equal(eyoti_conf_string(EYOTI_CONF_PLATFORM, &text), EYOT_OK);
  assert_string_equal(text, "dragonfly:groups=2");
}

static void names_near_an_unknown_one(void **state) {
  (void)state;
  enum eyoti_conf key = EYOTI_CONF_COUNT;
  assert_null(eyoti_conf_by_flag("plattform", &key));
  assert_int_equal(key, EYOTI_CONF_COUNT);
  assert_string_equal(eyoti_conf_nearest_flag("plattform"), "platform");
  assert_string_equal(eyoti_conf_nearest_flag("sede"), "seed");
  assert_string_equal(eyoti_conf_nearest_flag("unitspernode"), "units-per-node");
  assert_string_equal(eyoti_conf_nearest_env("EYOT_HEAPSIZE"), "EYOT_HEAP_SIZE");
  assert_string_equal(eyoti_conf_nearest_env("EYOT_WATCHDGO"), "EYOT_WATCHDOG");
}

static void edit_distance_ignores_case_and_is_bounded(void **state) {
  (void)state;
  assert_int_equal(eyoti_text_distance("", ""), 0);
  assert_int_equal(eyoti_text_distance("", "abc"), 3);
  assert_int_equal(eyoti_text_distance("Seed", "seed"), 0);
  assert_int_equal(eyoti_text_distance("sede", "seed"), 1);
  assert_int_equal(eyoti_text_distance("kitten", "sitting"), 3);
  char big[200];
  memset(big, 'a', sizeof big - 1);
  big[sizeof big - 1] = '\0';
  assert_int_equal(eyoti_text_distance(big, ""), EYOTI_TEXT_NAME_MAX);
}

static void unknown_variables_are_counted(void **state) {
  (void)state;
  uint32_t unknown = 77;
  assert_int_equal(eyoti_conf_check_env(&unknown), EYOT_OK);
  uint32_t before = unknown;
  setenv("EYOT_SEDE", "1", 1);
  setenv("EYOT_MPIEXEC", "mpiexec", 1); /* a tool's variable: known */
  assert_int_equal(eyoti_conf_check_env(&unknown), EYOT_OK);
  assert_int_equal(unknown, before + 1);
  unsetenv("EYOT_SEDE");
  unsetenv("EYOT_MPIEXEC");
}

static void variables_of_others_are_read_as_they_are(void **state) {
  (void)state;
  setenv("TMPDIR", "/somewhere", 1);
  assert_string_equal(eyoti_conf_foreign_env("TMPDIR"), "/somewhere");
  unsetenv("TMPDIR");
  assert_null(eyoti_conf_foreign_env("TMPDIR"));
}

/* A number without a unit is one of seconds, for these options alone. */
static void seconds_need_no_unit(void **state) {
  (void)state;
  setenv("EYOT_TIME_LIMIT", "2.5", 1);
  assert_int_equal(number(EYOTI_CONF_TIME_LIMIT), UINT64_C(2500000000));
  setenv("EYOT_TIME_LIMIT", "30", 1);
  assert_int_equal(number(EYOTI_CONF_TIME_LIMIT), UINT64_C(30000000000));
  setenv("EYOT_TIME_LIMIT", "20ms", 1);
  assert_int_equal(number(EYOTI_CONF_TIME_LIMIT), UINT64_C(20000000));
  static const char *const BAD[] = {"",      ".", "5.", ".5", "-1", "1e3", "99999999999999999999",
                                    "86401", "5 "};
  for (size_t i = 1; i < sizeof BAD / sizeof *BAD; i++) {
    uint64_t v;
    setenv("EYOT_TIME_LIMIT", BAD[i], 1);
    assert_int_equal(eyoti_conf_u64(EYOTI_CONF_TIME_LIMIT, &v), EYOT_EINVAL);
  }
  uint64_t v;
  setenv("EYOT_MAX_VIRTUAL_TIME", "5", 1);
  assert_int_equal(eyoti_conf_u64(EYOTI_CONF_MAX_VIRTUAL_TIME, &v), EYOT_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(seconds_need_no_unit, clear),
      cmocka_unit_test_setup(every_entry_is_complete, clear),
      cmocka_unit_test_setup(defaults_are_those_documented, clear),
      cmocka_unit_test_setup(words_count_in_order, clear),
      cmocka_unit_test_setup(environment_wins_and_empty_means_default, clear),
      cmocka_unit_test_setup(malformed_values_are_refused, clear),
      cmocka_unit_test_setup(set_is_seen_by_reads, clear),
      cmocka_unit_test_setup(names_near_an_unknown_one, clear),
      cmocka_unit_test_setup(edit_distance_ignores_case_and_is_bounded, clear),
      cmocka_unit_test_setup(unknown_variables_are_counted, clear),
      cmocka_unit_test_setup(variables_of_others_are_read_as_they_are, clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
