/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_file.c - files of failing runs: written contents are read back, a malformed file is
 * refused with the line and the reason.
 *
 * Why it exists: a file that is read as something else passes, and the failure that it keeps seems
 * repaired. */
#include <eyot/types.h>
#include <stdlib.h>

#include "check/runfile/file.h"
#include "check/strategy/rng.h"
#include "unit/check/chk_toy.h"

/* The file's text; the caller frees it. */
static char *written(const struct chk_file *f, size_t *bytes) {
  char *text = NULL;
  FILE *out = open_memstream(&text, bytes);
  assert_non_null(out);
  assert_int_equal(chk_file_write(f, out, "a file"), 0);
  fclose(out);
  return text;
}

static int read_bytes(struct chk_file *f, const char *text, size_t bytes,
                      struct chk_file_error *error) {
  FILE *in = fmemopen((void *)(uintptr_t)text, bytes, "r");
  assert_non_null(in);
  chk_file_init(f);
  int rc = chk_file_read(f, in, "a file", error);
  fclose(in);
  return rc;
}

static void fill(struct chk_file *f) {
  chk_file_init(f);
  assert_int_equal(chk_file_set_program(f, "gone"), 0);
  assert_int_equal(chk_file_set_program(f, "./tests/a \"lock\""), 0);
  assert_int_equal(chk_file_set_failure(f, "two units\nhold \\ the lock"), 0);
  f->units = 4;
  f->trace = 0x0123456789abcdefu;
}

static void check_round_trip(const struct chk_file *f) {
  struct chk_file back;
  struct chk_file_error error;
  size_t bytes, again_bytes;
  char *text = written(f, &bytes);
  assert_int_equal(read_bytes(&back, text, bytes, &error), 0);
  assert_string_equal(back.program, f->program);
  assert_string_equal(back.failure, f->failure);
  assert_int_equal(back.n_arguments, f->n_arguments);
  for (uint32_t i = 0; i < f->n_arguments; i++)
    assert_string_equal(back.arguments[i], f->arguments[i]);
  assert_int_equal(back.n_options, f->n_options);
  for (uint32_t i = 0; i < f->n_options; i++) assert_string_equal(back.options[i], f->options[i]);
  assert_int_equal(back.units, f->units);
  assert_true(back.trace == f->trace);
  assert_true(back.build == f->build);
  assert_int_equal(back.version == NULL, f->version == NULL);
  if (f->version != NULL) assert_string_equal(back.version, f->version);
  assert_int_equal(back.stream.n, f->stream.n);
  if (f->stream.n > 0)
    assert_memory_equal(back.stream.at, f->stream.at, f->stream.n * sizeof *f->stream.at);
  char *again = written(&back, &again_bytes);
  assert_int_equal(again_bytes, bytes);
  assert_memory_equal(again, text, bytes);
  free(again);
  free(text);
  chk_file_fini(&back);
}

static void every_byte_survives(void **state) {
  (void)state;
  struct chk_file f;
  fill(&f);
  char all[256], option[256 + 8] = "name=";
  for (uint32_t i = 0; i < 255; i++) all[i] = (char)(i + 1);
  all[255] = '\0';
  strcat(option, all);
  assert_int_equal(chk_file_add_argument(&f, all), 0);
  assert_int_equal(chk_file_add_argument(&f, ""), 0);
  assert_int_equal(chk_file_add_argument(&f, "# \\x41 \\ \" end"), 0);
  assert_int_equal(chk_file_add_option(&f, option), 0);
  assert_int_equal(chk_file_add_option(&f, "a=b=c"), 0);
  assert_int_equal(chk_file_add_option(&f, "empty="), 0);
  check_round_trip(&f);
  chk_file_fini(&f);
}

static void streams_of_all_kinds_survive(void **state) {
  (void)state;
  struct chk_file f;
  fill(&f);
  check_round_trip(&f);
  chk_stream_add(&f.stream, UINT32_MAX - 1, UINT32_MAX);
  chk_stream_add(&f.stream, 0, 2);
  check_round_trip(&f);
  for (uint64_t seed = 0; seed < 30; seed++) {
    struct chk_rng rng = chk_rng_of(seed, 0);
    chk_stream_clear(&f.stream);
    for (uint32_t i = 0; i < seed * 100; i++) {
      uint32_t bound = 2 + chk_rng_below(&rng, 3), value = chk_rng_below(&rng, bound),
               n = 1 + chk_rng_below(&rng, 4);
      while (n-- > 0) chk_stream_add(&f.stream, value, bound);
    }
    check_round_trip(&f);
  }
  chk_file_fini(&f);
}

static void runs_of_zeros_take_no_room(void **state) {
  (void)state;
  struct chk_file f;
  fill(&f);
  for (uint32_t i = 0; i < 100000; i++) chk_stream_add(&f.stream, i == 50000, 4);
  size_t bytes;
  char *text = written(&f, &bytes);
  assert_non_null(strstr(text, "choices 100000\n0/4*50000 1/4 0/4*49999\nend\n"));
  assert_in_range(bytes, 1, 300);
  check_round_trip(&f);
  free(text);
  chk_file_fini(&f);
}

static void text_is_as_documented(void **state) {
  (void)state;
  struct chk_file f;
  fill(&f);
  assert_int_equal(chk_file_add_argument(&f, "--rounds"), 0);
  assert_int_equal(chk_file_add_option(&f, "latency=3"), 0);
  chk_stream_add(&f.stream, 2, 3);
  size_t bytes;
  char *text = written(&f, &bytes);
  assert_string_equal(text,
                      "eyotcheck 1\nprogram \"./tests/a \\\"lock\\\"\"\nargument "
                      "\"--rounds\"\noption \"latency=3\"\nunits 4\n"
                      "failure \"two units\\x0ahold \\\\ the lock\"\ntrace "
                      "0123456789abcdef\nchoices 1\n2/3\nend\n");
  free(text);
  assert_int_equal(chk_file_set_version(&f, "0.1.0"), 0);
  f.build = 0xfedcba9876543210u;
  text = written(&f, &bytes);
  assert_string_equal(text,
                      "eyotcheck 2\nprogram \"./tests/a \\\"lock\\\"\"\nargument "
                      "\"--rounds\"\noption \"latency=3\"\nunits 4\neyot \"0.1.0\"\nbuild "
                      "fedcba9876543210\n"
                      "failure \"two units\\x0ahold \\\\ the lock\"\ntrace "
                      "0123456789abcdef\nchoices 1\n2/3\nend\n");
  free(text);
  check_round_trip(&f);
  chk_file_fini(&f);
}

static void comments_and_lines_are_free(void **state) {
  (void)state;
  struct chk_file f;
  const char *text =
      "# kept since\n\neyotcheck 1\nprogram \"p\"\n# one\nunits 1\nfailure \"\"\ntrace "
      "0000000000000000\nchoices 4\n0/2\n\n# a\n1/3 "
      "2/9*2\nend\n";
  assert_int_equal(read_bytes(&f, text, strlen(text), NULL), 0);
  assert_int_equal(f.stream.n, 4);
  assert_int_equal(f.stream.at[3].value, 2);
  assert_int_equal(f.stream.at[1].bound, 3);
  chk_file_fini(&f);
}

#define TOP "eyotcheck 1\nprogram \"p\"\n"
#define MIDDLE TOP "units 2\nfailure \"f\"\ntrace 0123456789abcdef\n"

static void malformed_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t line;
    const char *found, *expected;
  } cases[] = {
      {"\n", 2, "the file ends here", "'eyotcheck 2'"},
      {"eyotchek 1\n", 1, "found 'eyotchek 1'", "'eyotcheck 2'"},
      {"eyotcheck 3\n", 1, "found '3'", "from 1 to 2"},
      {"eyotcheck 0\n", 1, "found '0'", "from 1 to 2"},
      {"eyotcheck 2\nprogram \"p\"\nunits 2\nfailure \"f\"\n", 4, "found 'failure", "eyot"},
      {"eyotcheck 2\nprogram \"p\"\nunits 2\neyot \"0.1\"\nbuild 1\n", 5, "found '1'", "16 digits"},
      {TOP "units 2\neyot \"0.1\"\n", 4, "found 'eyot", "failure"},
      {"eyotcheck 1 \n", 1, "found ' '", "end of the line"},
      {"eyotcheck 1\nunits 2\n", 2, "found 'units 2'", "program"},
      {"eyotcheck 1\nprogram p\n", 2, "found 'p'", "in quotes"},
      {"eyotcheck 1\nprogram \"p\n", 2, "no end", "before the end of the line"},
      {"eyotcheck 1\nprogram \"p\" q\n", 2, "found ' q'", "end of the line"},
      {"eyotcheck 1\nprogram \"\\n\"\n", 2, "found '\\n\"'", "two digits"},
      {"eyotcheck 1\nprogram \"\\x0\"\n", 2, "found '\\x0\"'", "two digits"},
      {"eyotcheck 1\nprogram \"\\x00\"\n", 2, "found '\\x00'", "not both 0"},
      {"eyotcheck 1\nprogram \"a\tb\"\n", 2, "a byte 0x09", "\\x09"},
      {"eyotcheck 1\nprogram \"p\"", 2, "no end", "newline"},
      {TOP "option \"=3\"\n", 3, "found option \"=3\"", "name=value"},
      {TOP "option \"a\"\n", 3, "found option \"a\"", "name=value"},
      {TOP "option \"a=b\"\nargument \"x\"\n", 4, "found 'argument", "option"},
      {TOP "arguments \"x\"\n", 3, "found 'arguments", "argument"},
      {TOP "units 0\n", 3, "found '0'", "from 1 to 1048576"},
      {TOP "units -1\n", 3, "found '-1'", "from 1"},
      {TOP "units 02\n", 3, "found '02'", "from 1"},
      {TOP "units 4294967298\n", 3, "found '4294967298'", "from 1"},
      {TOP "units 2\ntrace 0123456789abcdef\n", 4, "found 'trace", "failure"},
      {TOP "units 2\nfailure \"f\"\ntrace 0123456789abcde\n", 5, "found '0123456789abcde'",
       "16 digits"},
      {TOP "units 2\nfailure \"f\"\ntrace 0123456789ABCDEF\n", 5, "found '0123456789ABCDEF'",
       "16 digits"},
      {TOP "units 2\nfailure \"f\"\ntrace 0123456789abcdef0\n", 5, "found '0123456789abcdef0'",
       "16 digits"},
      {MIDDLE "choices x\n", 6, "found 'x'", "how many choices"},
      {MIDDLE "choices 99999999\n", 6, "found '99999999'", "from 0 to 67108864"},
      {MIDDLE "choices 1\n3/3\nend\n", 7, "choice 3/3", "below its bound"},
      {MIDDLE "choices 1\n0/1\nend\n", 7, "found '1'", "a bound"},
      {MIDDLE "choices 1\n0-2\nend\n", 7, "found '-2'", "/bound"},
      {MIDDLE "choices 1\n0/2*1\nend\n", 7, "found '1'", "how many times"},
      {MIDDLE "choices 2\n0/2  0/2\nend\n", 7, "found ' 0/2'", "value/bound"},
      {MIDDLE "choices 2\n0/2,0/2\nend\n", 7, "found ',0/2'", "a space"},
      {MIDDLE "choices 2\n0/2\nend\n", 8, "'end' after 1 choices", "expected 2"},
      {MIDDLE "choices 2\n0/2 1/2 0/3\nend\n", 7, "choice number 3", "expected 2"},
      {MIDDLE "choices 2\n0/2*3\nend\n", 7, "choice number 3", "expected 2"},
      {MIDDLE "choices 1\n0/2\n0/2\nend\n", 8, "found '0/2' after 1", "'end'"},
      {MIDDLE "choices 1\n0/2\n", 8, "the file ends here", "'end'"},
      {MIDDLE "choices 0\nend\n\n", 8, "after 'end'", "end of the file"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct chk_file f;
    struct chk_file_error error;
    assert_int_equal(read_bytes(&f, cases[i].text, strlen(cases[i].text), &error), EYOT_EINVAL);
    if (error.line != cases[i].line || !strstr(error.what, cases[i].found) ||
        !strstr(error.what, cases[i].expected))
      fail_msg("case %zu: line %u: %s", i, error.line, error.what);
    assert_null(f.program);
    assert_null(f.stream.at);
    assert_int_equal(f.n_options, 0);
  }
}

/* A file cut at any byte is refused. */
static void cut_files_are_refused(void **state) {
  (void)state;
  const char text[] = MIDDLE "choices 3\n0/2 1/2\n0/3\nend\n";
  struct chk_file f;
  struct chk_file_error error;
  for (size_t bytes = 1; bytes < strlen(text); bytes++)
    assert_int_equal(read_bytes(&f, text, bytes, &error), EYOT_EINVAL);
  assert_int_equal(read_bytes(&f, text, strlen(text), &error), 0);
  chk_file_fini(&f);
  char zero[sizeof text];
  memcpy(zero, text, sizeof text);
  zero[15] = '\0';
  assert_int_equal(read_bytes(&f, zero, strlen(text), &error), EYOT_EINVAL);
  assert_int_equal(error.line, 2);
  assert_non_null(strstr(error.what, "a byte 0"));
}

static void what_cannot_be_written_is_told(void **state) {
  (void)state;
  struct chk_file f;
  chk_file_init(&f);
  FILE *null = fopen("/dev/null", "w"), *full = fopen("/dev/full", "w");
  assert_int_equal(chk_file_write(&f, null, "a file"), EYOT_EINVAL);
  fill(&f);
  assert_int_equal(chk_file_write(&f, null, "a file"), 0);
  if (full) assert_int_equal(chk_file_write(&f, full, "a file"), EYOT_ESYS);
  f.units = 0;
  assert_int_equal(chk_file_write(&f, null, "a file"), EYOT_EINVAL);
  assert_int_equal(chk_file_add_option(&f, "none"), EYOT_EINVAL);
  assert_int_equal(chk_file_add_option(&f, "=none"), EYOT_EINVAL);
  for (uint32_t i = 0; i < CHK_FILE_STRINGS_MAX; i++)
    assert_int_equal(chk_file_add_argument(&f, "a"), 0);
  assert_int_equal(chk_file_add_argument(&f, "a"), EYOT_ERANGE);
  struct chk_file back;
  chk_file_init(&back);
  assert_int_equal(chk_file_read(&back, null, "a file for writing", NULL), EYOT_ESYS);
  if (full) fclose(full);
  fclose(null);
  chk_file_fini(&f);
}

/* Numbers do not count, everything else does, and a short buffer takes the beginning. */
static void kinds_of_failures_ignore_numbers(void **state) {
  (void)state;
  char a[64], b[64], tiny[5];
  chk_file_failure_kind("unit 3 at 0x7f00: lost 12", a, sizeof a);
  chk_file_failure_kind("unit 41 at 0x9f: lost 7", b, sizeof b);
  assert_string_equal(a, b);
  chk_file_failure_kind("unit 3 at 0x7f00: kept 12", b, sizeof b);
  assert_string_not_equal(a, b);
  chk_file_failure_kind("1a2b3c4d5e", tiny, sizeof tiny);
  assert_string_equal(tiny, "abcd");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_of_failures_ignore_numbers),
      cmocka_unit_test(every_byte_survives),
      cmocka_unit_test(streams_of_all_kinds_survive),
      cmocka_unit_test(runs_of_zeros_take_no_room),
      cmocka_unit_test(text_is_as_documented),
      cmocka_unit_test(comments_and_lines_are_free),
      cmocka_unit_test(malformed_files_are_refused),
      cmocka_unit_test(cut_files_are_refused),
      cmocka_unit_test(what_cannot_be_written_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
