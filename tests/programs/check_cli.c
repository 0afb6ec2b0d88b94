/* SPDX-License-Identifier: BSD-3-Clause */
/* check_cli.c - programs that eyotcheck must handle, each of which misbehaves in one way: check_cli
 * MODE. For tests/sim/check_cli.sh. */
#undef NDEBUG /* asserts are a part of the test */
#include <assert.h>
#include <err.h>
#include <eyot/eyot.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCKS 200
#define LINES 2000

static const char *mode;
static eyot_gptr_t part;

static bool is(const char *name) {
  return strcmp(mode, name) == 0;
}

/* A few steps without a fixed order. */
static uint64_t meet(void) {
  uint64_t old;
  if (eyot_fetch_add_u64(eyot_gptr_at(part, (eyot_unit_t){0}), 1, &old) != EYOT_OK) abort();
  return old;
}

static void use_memory(void) {
  char *block[BLOCKS];
  for (int round = 0; round < 20; round++) {
    for (size_t i = 0; i < BLOCKS; i++) {
      block[i] = malloc((i + 1) * 511);
      if (block[i] == NULL) abort();
      memset(block[i], (int)i, (i + 1) * 511);
    }
    for (size_t i = 0; i < BLOCKS; i += 2) free(block[i]);
    for (size_t i = 1; i < BLOCKS; i += 2) block[i] = realloc(block[i], 17);
    for (size_t i = 1; i < BLOCKS; i += 2) free(block[i]);
  }
}

static void use_file(void) {
  FILE *f = fopen("check_cli.out", "a");
  if (f == NULL) abort();
  fprintf(f, "unit %u\n", eyot_me().id);
  if (fclose(f) != 0) abort();
}

/* Fails depending on the clock, once in some thousand runs: no replay can repeat it. */
static void use_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  if (t.tv_nsec / 64 % 2 == 0) meet();
  if (t.tv_nsec % 3001 == 0) eyot_check_fail("the clock says so");
}

static int misbehave(uint64_t came) {
  bool last = came == eyot_size() - 1;
  if (is("code") && last) return 3;
  if (is("exit") && last) exit(5);
  if (is("errx") && last) errx(0, "the reason"); /* it ends the process, not this unit */
  if (is("abort") && last) abort();
  if (is("assert") && last) assert(came == 0);
  /* volatile, so that the compiler does not see the invalid address */
  volatile uintptr_t nowhere = 64;
  /* NOLINT(performance-no-int-to-ptr): a deliberate crash */
  if (is("crash") && last) *(volatile int *)nowhere = 1;
  if (is("raise") && last) raise(SIGFPE);
  if (is("loop") && last)
    for (volatile uint64_t i = 0;; i++) continue;
  if (is("late") && eyot_me().id == 0)
    eyot_wait_until(eyot_gptr_add(eyot_gptr_at(part, eyot_me()), 8), EYOT_CMP_EQ, 1, NULL);
  for (int i = 0; is("print") && i < LINES; i++) printf("line %d of unit %u\n", i, eyot_me().id);
  if (is("memory")) use_memory();
  if (is("file")) use_file();
  if (is("clock")) use_clock();
  return 0;
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "";
  if (is("before")) return 4;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  if (is("first")) return 6;
  if (eyot_team_alloc(EYOT_TEAM_ALL, 16, &part) != EYOT_OK) return 1;
  if (is("end_first") && eyot_check_end() != EYOT_ESTATE) return 1;
  if (is("before_begin")) abort();
  if (is("never") && eyot_me().id == 1) return eyot_finalize();
  if (is("alone") && eyot_me().id == 1)
    eyot_wait_until(eyot_gptr_at(part, eyot_me()), EYOT_CMP_EQ, 1, NULL);
  if (eyot_check_begin() != EYOT_OK) return 1;
  if (is("twice") && eyot_check_begin() != EYOT_OK) return 7;
  int code = misbehave(meet());
  if (code != 0) return code;
  if (eyot_check_end() != EYOT_OK) return 1;
  if (eyot_team_free(part) != EYOT_OK) return 1;
  return eyot_finalize();
}
