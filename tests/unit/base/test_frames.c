/* SPDX-License-Identifier: BSD-3-Clause */
/* test_frames.c - which faults are overflows of a stack, and how much was needed (rt/frames.h); how
 * long a report waits for the tool that finds its lines (base/patience.h). */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/code_line.h"
#include "base/patience.h"
#include "rt/frames.h"
#include "unit/api_unit.h"

#define KIB UINT64_C(1024)
#define TOP UINT64_C(0x7f0000800000)

static const struct eyoti_stack STACK = {(const char *)(uintptr_t)TOP, 256 * KIB, 4 * KIB};

/* The KiB that were needed where the fault at `address` found the stack pointer at `sp`, both as
 * KiB below the top; 0: it is no overflow. */
static uint64_t needed(uint64_t address, uint64_t sp) {
  const struct eyoti_fault f = {.sp = (const char *)(uintptr_t)(TOP - sp * KIB)};
  uint64_t wanted = 0;
  bool over =
      eyoti_stack_overflow(&STACK, &f, (const char *)(uintptr_t)(TOP - address * KIB), &wanted);
  return over ? wanted / KIB : 0;
}

/* The same of a function that has come to 260 KiB on its way to `frame`, in bytes below the top. */
static uint64_t needed_of_frame(uint64_t frame, uint64_t touched) {
  const struct eyoti_fault f = {.sp = (const char *)(uintptr_t)(TOP - 260 * KIB),
                                .frame = (const char *)(uintptr_t)(TOP - frame)};
  uint64_t wanted = 0;
  assert_true(eyoti_stack_overflow(&STACK, &f, (const char *)(uintptr_t)(TOP - touched), &wanted));
  return wanted / KIB;
}

static void a_frame_that_is_made_page_by_page_counts_whole(void **state) {
  (void)state;
  assert_int_equal(needed_of_frame(260 * KIB + 400 * KIB, 260 * KIB), 660);
  assert_int_equal(needed_of_frame(300 * 1024 * KIB, 260 * KIB - 8), 300 * 1024);
  /* what the register holds is no end of a frame */
  assert_int_equal(needed_of_frame(300 * KIB + 16, 260 * KIB), 260);
  assert_int_equal(needed_of_frame(100 * KIB, 260 * KIB), 260);
  assert_int_equal(needed_of_frame(UINT64_C(1) << 40, 260 * KIB), 260);
  assert_int_equal(needed_of_frame(300 * KIB, 264 * KIB), 264); /* not where the loop touches */
}

static void a_fault_below_the_stack_is_an_overflow(void **state) {
  (void)state;
  assert_int_equal(needed(257, 257), 257); /* touches the guard */
  assert_int_equal(needed(600, 610), 610); /* an array that begins below the guard */
  assert_int_equal(needed(610, 600), 610); /* a push */
  assert_int_equal(needed(300, 8000), 8000);
  assert_int_equal(needed(40 * KIB, 40 * KIB), 40 * KIB);
}

static void other_faults_are_not(void **state) {
  (void)state;
  assert_int_equal(needed(100, 100), 0);             /* inside */
  assert_int_equal(needed(200, 255), 0);             /* inside, nearly full */
  assert_int_equal(needed(TOP / KIB, 100), 0);       /* a null pointer, on a good stack */
  assert_int_equal(needed(200 * KIB, 100), 0);       /* a wild pointer */
  assert_int_equal(needed(100 * KIB, 100 * KIB), 0); /* another stack: too far for an array */
}

#define SECOND UINT64_C(1000000000)

/* On a loaded machine a tool that works gets little of the processor. */
static void a_tool_that_works_is_waited_for(void **state) {
  (void)state;
  struct eyoti_patience p = {0};
  for (uint64_t s = 1; s < 100; s++)
    assert_true(eyoti_patience_lasts(&p, s * SECOND, s * SECOND / 50));
}

static void a_tool_that_is_broken_is_not(void **state) {
  (void)state;
  struct eyoti_patience sleeps = {0}, loops = {0}, unknown = {0};
  assert_true(eyoti_patience_lasts(&sleeps, 9 * SECOND, 7));
  assert_true(eyoti_patience_lasts(&sleeps, 13 * SECOND, 7));
  assert_false(eyoti_patience_lasts(&sleeps, 14 * SECOND, 7));
  assert_true(eyoti_patience_lasts(&loops, 9 * SECOND, 4 * SECOND));
  assert_false(eyoti_patience_lasts(&loops, 10 * SECOND, 5 * SECOND));
  assert_true(eyoti_patience_lasts(&unknown, 9 * SECOND, 0)); /* no clock: by time alone */
  assert_false(eyoti_patience_lasts(&unknown, 14 * SECOND, 0));
}

#define TIMER (SIGRTMIN + 3)
static char tools[] = "/tmp/eyot-frames-XXXXXX", seen[64];

static void on_timer(int number) {
  (void)number;
  int fd = open(seen, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) (void)close(fd);
}

/* A tool that sends its caller the signal, and answers with line 1 if that was taken meanwhile. */
static void tool_write(const char *path) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out,
          "#!/bin/sh\nkill -%d $PPID\nsleep 0.2\nline=2\n[ -e %s ] && line=1\n"
          "printf '0x40\\nmain\\nheat.c:%%s\\n' $line\n",
          TIMER, seen);
  assert_int_equal(fclose(out), 0);
  assert_int_equal(chmod(path, 0700), 0);
}

static void a_timer_is_held_while_the_tool_works(void **state) {
  (void)state;
  char path[64], search[4096], text[1][EYOTI_CODE_LINE] = {""};
  const uint64_t off = 0x40;
  const char *before = getenv("PATH");
  const struct sigaction a = {.sa_handler = on_timer};
  assert_non_null(mkdtemp(tools));
  snprintf(seen, sizeof seen, "%s/seen", tools);
  snprintf(path, sizeof path, "%s/addr2line", tools);
  tool_write(path);
  snprintf(search, sizeof search, "%s:%s", tools, before != NULL ? before : "/usr/bin:/bin");
  assert_int_equal(setenv("PATH", search, 1), 0);
  assert_int_equal(sigaction(TIMER, &a, NULL), 0);
  assert_true(eyoti_code_lines("heat", &off, 1, text));
  assert_string_equal(text[0], "heat.c:2 (main)");
  assert_int_equal(unlink(seen), 0); /* it has come after the tool's end */
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(tools), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fault_below_the_stack_is_an_overflow),
      cmocka_unit_test(a_frame_that_is_made_page_by_page_counts_whole),
      cmocka_unit_test(other_faults_are_not),
      cmocka_unit_test(a_tool_that_works_is_waited_for),
      cmocka_unit_test(a_tool_that_is_broken_is_not),
      cmocka_unit_test(a_timer_is_held_while_the_tool_works)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
