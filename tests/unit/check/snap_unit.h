/* SPDX-License-Identifier: BSD-3-Clause */
/* snap_unit.h - helpers of the tests of the snapshot: a handler of faults on a stack of its own,
 * and figures of the process.
 *
 * test_chk_snap.c has the kinds of memory, test_chk_snap_runs.c the ways in which programs use
 * it. */
#ifndef EYOT_SNAP_UNIT_H
#define EYOT_SNAP_UNIT_H

#include <eyot/types.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/snapshot/mem.h"
#include "check/snapshot/snap.h"
#include "check/snapshot/state.h"

/* cmocka.h uses what the headers above declare. */
#include <cmocka.h>

#define PAGE ((size_t)4096)
#define MIB ((size_t)1 << 20)
#define STACK_BYTES 65536u

/* Replaces CMocka's own assertions, which leave the test, and with it the handler, while pages are
 * still protected. */
#define must(cond)                          \
  do {                                      \
    if (!(cond)) {                          \
      chk_snap_drop(snap);                  \
      fail_msg("does not hold: %s", #cond); \
    }                                       \
  } while (0)

/* Where the compiler counts executed code, the handler of the first write to a page counts, too: in
 * a page that is protected. eyotcheck keeps the counters (explore/gcov_counters.c), with all other
 * variables, which these tests are about. */
extern void __gcov_init(void *) __attribute__((weak));
static inline bool counts(void) {
  if (__gcov_init == NULL) return false;
  puts("left out: the compiler's counters would be taken back");
  return true;
}

/* In pages that are restored, to the value when a test has set them. */
static struct chk_snap *snap;
static char *handler_stack;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)context;
  if (!chk_snap_fault(snap, info->si_addr)) (void)signal(sig, SIG_DFL);
}

/* Where libraries lie right behind the heap, malloc takes memory from elsewhere. */
static inline bool heap_grows(void) {
  const intptr_t much = (intptr_t)(256 * MIB);
  if (sbrk(much) != (void *)-1) return sbrk(-much) != (void *)-1;
#ifdef __x86_64__ /* of which no emulator is meant */
  return true;
#else
  puts("left out: the heap cannot grow, as under qemu-user");
  return false;
#endif
}

static inline int setup(void **state) {
  (void)state;
  handler_stack = chk_alloc(STACK_BYTES);
  return handler_stack == NULL || chk_snap_new(&snap) != 0 ? -1 : 0;
}

/* Called in each test, since CMocka installs handlers of its own before it. */
static inline void take(void) {
  const stack_t alt = {.ss_sp = handler_stack, .ss_size = STACK_BYTES};
  struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&a.sa_mask);
  must(sigaltstack(&alt, NULL) == 0);
  must(sigaction(SIGSEGV, &a, NULL) == 0);
  must(chk_snap_take(snap) == 0);
}

static inline int teardown(void **state) {
  (void)state;
  const stack_t none = {.ss_flags = SS_DISABLE};
  (void)sigaltstack(&none, NULL);
  chk_snap_delete(snap);
  chk_free(handler_stack);
  snap = NULL;
  handler_stack = NULL;
  return 0;
}

/* The n-th number in a file, without stdio, whose state would be part of what is tested. */
static inline uint64_t number(const char *path, int n) {
  char text[256];
  int fd = open(path, O_RDONLY);
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  must(got > 0);
  text[got] = 0;
  char *p = text;
  uint64_t value = 0;
  for (int i = 0; i <= n; i++) value = strtoull(p, &p, 10);
  return value;
}

/* Pages of the process in memory, except those of snapshot/mem.h, which the snapshot counts. */
static inline uint64_t resident(void) {
  return number("/proc/self/statm", 1);
}

/* Under sanitizers: that the call reports it. */
static inline void snapshot_is_refused_under_sanitizers(void **state) {
  (void)state;
  must(chk_snap_take(snap) == EYOT_ENOTSUP);
}
static inline int not_here(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(snapshot_is_refused_under_sanitizers, setup, teardown)};
  print_message("snapshots do not work under this sanitizer: only the refusal is tested\n");
  return cmocka_run_group_tests(tests, NULL, NULL);
}

static inline void *map(size_t bytes) {
  void *p =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  must(p != MAP_FAILED);
  return p;
}
#endif
