/* SPDX-License-Identifier: BSD-3-Clause */
/* test_journal.c - the file of a campaign (tools/journal.h): what is written is read, what a crash
 * leaves behind is dropped, and everything else is refused with the line. Then shards and the line
 * of progress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "journal.h"
#include "journal_file.h"
#include "progress.h"

static char *program[] = {(char[]){"./a program"}, (char[]){"--x=\"1\" \\ \001 \xc3\xb6"},
                          (char[]){""}, NULL};
static char *options[] = {(char[]){"units=3"}, (char[]){"order=chaos"}, NULL};

static struct journal_head head_of(uint64_t shard, uint64_t shards, bool keep_going) {
  return (struct journal_head){.version = "0.1",
                               .runtime = "00ff",
                               .build = "ff00",
                               .program = program,
                               .options = options,
                               .range = {.first = 5, .n = 10, .shard = shard, .shards = shards},
                               .limit_s = 120,
                               .keep_going = keep_going};
}

static void put_failure(FILE *out, uint64_t seed) {
  const struct journal_failure f = {.seed = seed,
                                    .time_us = 1000001,
                                    .exit_code = 7,
                                    .reason = "said \"no\"",
                                    .repeat = "eyotrun --seed 1 'a b'"};
  journal_put_failure(out, &f);
}

static void put_counts(FILE *out, uint64_t runs, uint64_t failed, const char *verdict) {
  const struct journal_counts c = {.runs = runs, .failed = failed, .time_us = runs * 1000};
  journal_put_counts(out, &c, verdict);
}

/* A campaign of ten runs with two failures, and three lines of counts. */
static char *whole_text(size_t *bytes) {
  char *text;
  FILE *out = open_memstream(&text, bytes);
  const struct journal_head h = head_of(1, 1, true);
  journal_put_head(out, &h);
  put_counts(out, 3, 0, NULL);
  put_failure(out, 9);
  put_failure(out, 10);
  put_counts(out, 6, 2, NULL);
  put_counts(out, 10, 2, "failed");
  assert_int_equal(fclose(out), 0);
  return text;
}

/* Parses a copy. */
static bool parse(const char *text, size_t bytes, struct journal *j, char *why) {
  char *copy = malloc(bytes + 1);
  assert_non_null(copy);
  memcpy(copy, text, bytes);
  return journal_parse(copy, bytes, j, why);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  size_t bytes;
  struct journal j;
  char why[JOURNAL_TEXT_BYTES], how[JOURNAL_TEXT_BYTES];
  char *text = whole_text(&bytes);
  assert_true(parse(text, bytes, &j, why));
  const struct journal_head h = head_of(1, 1, true);
  assert_false(journal_differ(&h, &j.head, how));
  assert_string_equal(j.head.program[0], program[0]);
  assert_int_equal(j.counts.runs, 10);
  assert_int_equal(j.counts.failed, 2);
  assert_int_equal(j.counts.time_us, 10000);
  assert_int_equal(j.kept_bytes, bytes);
  assert_true(j.ended);
  assert_int_equal(j.failures[1].seed, 10);
  assert_int_equal(j.failures[1].exit_code, 7);
  assert_int_equal(j.failures[1].time_us, 1000001);
  assert_string_equal(j.failures[1].reason, "said \"no\"");
  assert_string_equal(j.failures[1].repeat, "eyotrun --seed 1 'a b'");
  journal_free(&j);
  free(text);
}

/* The end of the last line of counts in text[0..bytes), or of the first line. */
static size_t counts_before(const char *text, size_t bytes) {
  size_t kept = 0;
  for (size_t from = 0; from < bytes;) {
    const char *end = memchr(text + from, '\n', bytes - from);
    if (end == NULL) break;
    size_t next = (size_t)(end - text) + 1;
    if (from == 0 || strncmp(text + from, "{\"runs\"", 7) == 0) kept = next;
    from = next;
  }
  return kept;
}

static void a_file_cut_anywhere_counts_up_to_its_last_counts(void **state) {
  (void)state;
  size_t bytes;
  struct journal j;
  char why[JOURNAL_TEXT_BYTES];
  char *text = whole_text(&bytes);
  for (size_t cut = 0; cut <= bytes; cut++) {
    size_t kept = counts_before(text, cut);
    assert_int_equal(parse(text, cut, &j, why), kept > 0);
    if (kept > 0) assert_int_equal(j.kept_bytes, kept);
    if (kept > 0) assert_int_equal(j.ended, cut == bytes);
    journal_free(&j);
  }
  free(text);
}

/* A crash of the machine can leave zeros where lines were not on the disk yet. */
static void zeros_at_the_end_are_dropped_and_before_counts_refused(void **state) {
  (void)state;
  size_t bytes;
  struct journal j;
  char why[JOURNAL_TEXT_BYTES];
  char *text = whole_text(&bytes);
  size_t last = counts_before(text, bytes - 1);
  for (size_t from = 0; from < bytes; from++) {
    char *damaged = malloc(bytes);
    assert_non_null(damaged);
    memcpy(damaged, text, bytes);
    damaged[from] = '\0';
    bool read = parse(damaged, bytes, &j, why);
    /* a line whose end is damaged is one with the next */
    if (text[from] != '\n') assert_int_equal(read, from >= last);
    if (read) assert_int_equal(j.kept_bytes, counts_before(text, from));
    journal_free(&j);
    free(damaged);
  }
  free(text);
}

/* Whether these lines are read after the first line of a campaign. */
static bool reads(uint64_t shard, uint64_t shards, bool keep_going, const char *lines,
                  struct journal *j, char *why) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  const struct journal_head h = head_of(shard, shards, keep_going);
  journal_put_head(out, &h);
  fputs(lines, out);
  assert_int_equal(fclose(out), 0);
  bool read = parse(text, bytes, j, why);
  free(text);
  return read;
}

#define FAILURE(seed)                                                          \
  "{\"failed_seed\": " seed                                                    \
  ", \"exit_code\": 7, \"reason\": \"x\", \"seconds\": 0.000001, \"repeat\": " \
  "\"y\"}\n"
#define COUNTS(runs, failed, verdict)                                                         \
  "{\"runs\": " runs ", \"failed\": " failed ", \"seconds\": 0.000001, \"verdict\": " verdict \
  "}"                                                                                         \
  "\n"

static void lines_that_contradict_each_other_are_refused(void **state) {
  (void)state;
  static const struct {
    uint64_t shard, shards;
    bool keep_going;
    const char *lines, *why; /* NULL: they are good */
  } CASES[] = {
      {1, 1, true, FAILURE("5") COUNTS("1", "1", "null"), NULL},
      {1, 1, true, FAILURE("14") COUNTS("10", "1", "\"failed\""), NULL},
      {2, 3, true, FAILURE("9") COUNTS("3", "1", "\"failed\""), NULL},
      {1, 1, false, FAILURE("9") COUNTS("5", "1", "\"failed\""), NULL},
      {1, 1, true, FAILURE("4") COUNTS("1", "1", "null"), "line 2 has a seed that is not of"},
      {1, 1, true, FAILURE("15") COUNTS("10", "1", "\"failed\""), "a seed that is not of"},
      {2, 3, true, FAILURE("8") COUNTS("3", "1", "\"failed\""), "a seed that is not of"},
      {1, 1, true, FAILURE("7") FAILURE("7"), "line 3 has a seed that is not above"},
      {1, 1, true, FAILURE("7") FAILURE("6"), "not above"},
      {1, 1, true, COUNTS("3", "0", "null") FAILURE("7"), "not above"},
      {1, 1, true, FAILURE("7") COUNTS("3", "0", "null"), "does not count the failures"},
      {1, 1, true, COUNTS("3", "1", "null"), "does not count the failures"},
      {1, 1, true, FAILURE("7") COUNTS("2", "1", "null"), "does not follow"},
      {1, 1, true, COUNTS("3", "0", "null") COUNTS("2", "0", "null"), "does not follow"},
      {1, 1, true, COUNTS("11", "0", "\"passed\""), "does not follow"},
      {2, 3, true, COUNTS("4", "0", "\"passed\""), "does not follow"},
      {1, 1, true, COUNTS("10", "0", "null"), "ends at the wrong number"},
      {1, 1, true, COUNTS("9", "0", "\"passed\""), "ends at the wrong number"},
      {1, 1, false, FAILURE("7") COUNTS("3", "1", "null"), "ends at the wrong number"},
      {1, 1, false, FAILURE("7") COUNTS("4", "1", "\"failed\""), "goes on after the first failure"},
      {1, 1, true, COUNTS("10", "0", "\"passed\"") COUNTS("10", "0", "\"passed\""),
       "follows the end"},
      {1, 1, true, "damage\n" COUNTS("3", "0", "null"), "line 2 is damaged"},
      {1, 1, true, FAILURE("07") COUNTS("3", "1", "null"), "line 2 is damaged"},
      {1, 1, true, FAILURE("18446744073709551616") COUNTS("3", "1", "null"), "line 2 is damaged"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    struct journal j;
    char why[JOURNAL_TEXT_BYTES] = "";
    bool read =
        reads(CASES[i].shard, CASES[i].shards, CASES[i].keep_going, CASES[i].lines, &j, why);
    bool right = read == (CASES[i].why == NULL) && (read || strstr(why, CASES[i].why) != NULL);
    if (!right) print_error("case %zu: read: %d, '%s'\n", i, read, why);
    assert_true(right);
    journal_free(&j);
  }
}

/* Lines that are damaged at the end, where no counts follow, are dropped. */
static void lines_of_another_form_are_dropped_at_the_end(void **state) {
  (void)state;
  static const char *const LINES[] = {
      "{}\n",
      COUNTS("3", "0", "\"failed\""),
      COUNTS("", "0", "null"),
      COUNTS("3", "0", "nul"),
      COUNTS("18446744073709551616", "0", "null"),
      FAILURE("7 "),
      "{\"failed_seed\": 7, \"exit_code\": 0, \"reason\": \"x\", \"seconds\": 0.000001, "
      "\"repeat\": "
      "\"y\"}\n",
      "{\"failed_seed\": 7, \"exit_code\": 256, \"reason\": \"x\", \"seconds\": 0.000001, "
      "\"repeat\": \"y\"}\n",
      "{\"failed_seed\": 7, \"exit_code\": 1, \"reason\": \"x\\u0020\", \"seconds\": 0.000001, "
      "\"repeat\": \"y\"}\n",
      "{\"failed_seed\": 7, \"exit_code\": 1, \"reason\": \"x, \"seconds\": 0.00001, \"repeat\": "
      "\"y\"}\n",
  };
  for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
    struct journal j;
    char why[JOURNAL_TEXT_BYTES] = "";
    bool read = reads(1, 1, true, LINES[i], &j, why);
    if (!read || j.counts.runs != 0) print_error("line %zu: '%s'\n", i, why);
    assert_true(read);
    assert_int_equal(j.counts.runs + j.counts.failed, 0);
    journal_free(&j);
  }
}

static void campaigns_that_differ_are_told_apart(void **state) {
  (void)state;
  static char words[][24] = {"./a program", "y", "/elsewhere/a program", "./another", "units=3"};
  char *other_program[] = {words[0], words[1], NULL};
  char *moved[] = {words[2], program[1], program[2], NULL};
  char *renamed[] = {words[3], program[1], program[2], NULL};
  char *fewer[] = {words[4], NULL};
  char how[JOURNAL_TEXT_BYTES];
  const struct journal_head a = head_of(1, 2, true);
  struct journal_head b = head_of(2, 2, true);
  assert_false(journal_differ(&a, &b, how));
  b.program = moved; /* its file's content is compared, not its folder */
  assert_false(journal_differ(&a, &b, how));
#define DIFFERS(change, text)                 \
  do {                                        \
    b = a;                                    \
    change;                                   \
    assert_true(journal_differ(&a, &b, how)); \
    assert_non_null(strstr(how, text));       \
    assert_true(journal_differ(&b, &a, how)); \
  } while (0)
  DIFFERS(b.version = "0.2", "version of eyot: '0.1' and '0.2'");
  DIFFERS(b.runtime = "1", "eyot's libraries");
  DIFFERS(b.build = "1", "hash of the program's file");
  DIFFERS(b.program = renamed, "program's name");
  DIFFERS(b.program = other_program, "argument");
  DIFFERS(b.options = fewer, "an option: 'order=chaos' and '(none)'");
  DIFFERS(b.range.first = 6, "--seed: 5 and 6");
  DIFFERS(b.range.n = 11, "--seeds");
  DIFFERS(b.range.shards = 3, "--shard");
  DIFFERS(b.keep_going = false, "--keep-going");
  DIFFERS(b.limit_s = 1, "--run-limit");
}

static void shards_are_disjoint_and_complete(void **state) {
  (void)state;
  for (uint64_t n = 1; n <= 12; n++) {
    for (uint64_t shards = 1; shards <= n; shards++) {
      uint32_t found[12] = {0};
      uint64_t sum = 0;
      for (uint64_t k = 1; k <= shards; k++) {
        const struct seed_range r = {
            .first = UINT64_MAX - n + 1, .n = n, .shard = k, .shards = shards};
        assert_true(seed_range_valid(&r));
        sum += seed_range_count(&r);
        for (uint64_t i = 0; i < seed_range_count(&r); i++) {
          uint64_t seed = seed_range_at(&r, i);
          assert_int_equal(seed_range_find(&r, seed), i);
          found[seed - r.first]++;
        }
      }
      assert_int_equal(sum, n);
      for (uint64_t i = 0; i < n; i++) assert_int_equal(found[i], 1);
    }
  }
  const struct seed_range r = {.first = 5, .n = 10, .shard = 2, .shards = 3};
  assert_int_equal(seed_range_find(&r, 4), UINT64_MAX);
  assert_int_equal(seed_range_find(&r, 15), UINT64_MAX);
  assert_int_equal(seed_range_find(&r, 7), UINT64_MAX);
  const struct seed_range past = {.first = UINT64_MAX, .n = 2, .shard = 1, .shards = 1};
  assert_false(seed_range_valid(&past));
}

static void shards_are_read(void **state) {
  (void)state;
  static const char *const BAD[] = {
      "",      "1",      "0/3",     "4/3",       "1/0",
      "1/",    "/3",     "a/3",     "1/3x",      "-1/3",
      "1/3/3", "array/", "array/0", "1/1000001", "18446744073709551617/3"};
  uint64_t k, n;
  assert_int_equal(shard_parse("2/3", &k, &n), 0);
  assert_int_equal(k, 2);
  assert_int_equal(n, 3);
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
    assert_int_not_equal(shard_parse(BAD[i], &k, &n), 0);
  /* the environment of a batch system's array, only if it is asked for */
  assert_int_not_equal(shard_parse("array/3", &k, &n), 0);
  assert_int_equal(setenv("SLURM_ARRAY_TASK_ID", "11", 1), 0);
  assert_int_not_equal(shard_parse("array/3", &k, &n), 0);
  assert_int_equal(setenv("SLURM_ARRAY_TASK_MIN", "10", 1), 0);
  assert_int_equal(shard_parse("array/3", &k, &n), 0);
  assert_int_equal(k, 2);
  assert_int_equal(shard_parse("1/3", &k, &n), 0);
  assert_int_equal(k, 1);
  assert_int_equal(setenv("SLURM_ARRAY_TASK_COUNT", "4", 1), 0);
  assert_int_not_equal(shard_parse("array/3", &k, &n), 0);
  assert_int_equal(unsetenv("SLURM_ARRAY_TASK_ID"), 0);
  assert_int_equal(setenv("PBS_ARRAY_INDEX", "3", 1), 0);
  assert_int_equal(shard_parse("array/3", &k, &n), 0);
  assert_int_equal(k, 3);
}

static void progress_has_bar_rate_and_time_left(void **state) {
  (void)state;
  char text[PROGRESS_TEXT_BYTES];
  struct progress p = {.tool = "eyotrun", .before = 100};
  struct progress_counts c = {.done = 300, .total = 1000, .failed = 2};
  progress_text(&p, &c, 2000000, text);
  assert_string_equal(
      text, "eyotrun: [######..............] 300 of 1000 runs, 30 %, 100/s, 7 s left, 2 failed");
  p.columns = 79;
  c = (struct progress_counts){.done = 61234, .total = 100000, .failed = 12};
  progress_text(&p, &c, UINT64_C(600000000), text);
  assert_string_equal(
      text, "eyotrun: [#######.....] 61234 of 100000 runs, 61 %, 102/s, 6:20 left, 12 failed");
  p.columns = 64;
  progress_text(&p, &c, UINT64_C(600000000), text);
  assert_string_equal(text, "eyotrun: 61234 of 100000 runs, 61 %, 102/s, 6:20 left, 12 failed");
  p.columns = 0;
  c = (struct progress_counts){.done = 300, .total = 1000000, .failed = 2};
  progress_text(&p, &c, 2000000, text);
  assert_non_null(strstr(text, " 2:46:37 left"));
  c.done = c.total = 100;
  progress_text(&p, &c, 0, text);
  assert_string_equal(text,
                      "eyotrun: [####################] 100 of 100 runs, 100 %, 0/s, 2 failed");
  c.total = 0;
  progress_text(&p, &c, 1, text);
  assert_string_equal(text, "eyotrun: 100 runs, 0/s, 2 failed");
}

/* The file of a campaign is made once, continued after a crash, and refused while it is written. */
static void a_file_is_continued_where_its_counts_end(void **state) {
  (void)state;
  char path[] = "/tmp/test_journal.XXXXXX";
  struct journal_file f, second;
  struct journal j;
  const struct journal_head h = head_of(1, 1, true), other = head_of(1, 1, false);
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  assert_int_equal(journal_file_create(&f, path, &h), 0);
  assert_int_not_equal(journal_file_continue(&second, path, &h, &j), 0); /* locked */
  const struct journal_counts c = {.runs = 3};
  assert_int_equal(journal_file_counts(&f, &c, NULL), 0);
  const struct journal_failure failure = {.seed = 9, .exit_code = 1, .reason = "r", .repeat = "c"};
  journal_file_failure(&f, &failure);
  journal_file_close(&f);
  assert_int_not_equal(journal_file_create(&f, path, &h), 0); /* it has content */
  assert_int_not_equal(journal_file_continue(&f, path, &other, &j), 0);
  FILE *torn = fopen(path, "a");
  assert_non_null(torn);
  fputs("{\"failed_se", torn);
  assert_int_equal(fclose(torn), 0);
  assert_int_equal(journal_file_continue(&f, path, &h, &j), 0);
  assert_int_equal(j.counts.runs, 3);
  journal_free(&j);
  const struct journal_counts more = {.runs = 4};
  assert_int_equal(journal_file_counts(&f, &more, NULL), 0);
  journal_file_close(&f);
  assert_int_equal(journal_file_continue(&f, path, &h, &j), 0);
  assert_int_equal(j.counts.runs, 4);
  journal_free(&j);
  journal_file_close(&f);
  assert_int_equal(unlink(path), 0);
  assert_int_not_equal(journal_file_continue(&f, path, &h, &j), 0);
  assert_int_not_equal(journal_file_create(&f, "/nowhere/x", &h), 0);
  assert_int_equal(journal_file_create(&f, NULL, &h), 0); /* none is wanted */
  assert_int_equal(journal_file_counts(&f, &c, NULL), 0);
  journal_file_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(a_file_cut_anywhere_counts_up_to_its_last_counts),
      cmocka_unit_test(zeros_at_the_end_are_dropped_and_before_counts_refused),
      cmocka_unit_test(lines_that_contradict_each_other_are_refused),
      cmocka_unit_test(lines_of_another_form_are_dropped_at_the_end),
      cmocka_unit_test(campaigns_that_differ_are_told_apart),
      cmocka_unit_test(shards_are_disjoint_and_complete),
      cmocka_unit_test(shards_are_read),
      cmocka_unit_test(progress_has_bar_rate_and_time_left),
      cmocka_unit_test(a_file_is_continued_where_its_counts_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
