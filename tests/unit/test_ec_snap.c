/* test_ec_snap.c - a process that is taken back to its snapshot, run after run: each kind of memory, fibers, forks, and no growth.
 * SPDX-License-Identifier: BSD-3-Clause */
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
#include <ucontext.h>
#include <unistd.h>

#include "check/ec_mem.h"
#include "check/ec_snap.h"
#include "check/ec_snap_int.h"

/* cmocka.h uses what the headers above declare. */
#include <cmocka.h>

#define PAGE 4096u

/* Volatile: a restore changes them behind the compiler's back. */
static volatile int in_bss, in_data = 7;
static volatile char many_pages[64 * PAGE] __attribute__((aligned(4096)));
static _Thread_local volatile int of_thread = 5;

/* What the handler needs; in pages that are taken back, to what they are now. */
static struct ec_snap *snap;
static char *handler_stack;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)context;
  if (!ec_snap_fault(snap, info->si_addr)) (void)signal(sig, SIG_DFL);
}

static int setup(void **state) {
  (void)state;
  handler_stack = ec_alloc(65536);
  return handler_stack == NULL || ec_snap_new(&snap) != 0 ? -1 : 0;
}

/* In each test, since CMocka installs handlers of its own before it. */
static void take(void) {
  const stack_t alt = {.ss_sp = handler_stack, .ss_size = 65536};
  struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&a.sa_mask);
  assert_int_equal(sigaltstack(&alt, NULL), 0);
  assert_int_equal(sigaction(SIGSEGV, &a, NULL), 0);
  assert_int_equal(ec_snap_take(snap), 0);
}

static int teardown(void **state) {
  (void)state;
  const stack_t none = {.ss_flags = SS_DISABLE};
  (void)sigaltstack(&none, NULL);
  ec_snap_delete(snap);
  ec_free(handler_stack);
  snap = NULL;
  return 0;
}

static void globals(void **state) {
  (void)state;
  in_bss = 1;
  take();
  for (int run = 0; run < 5; run++) {
    assert_int_equal(in_bss, 1);
    assert_int_equal(in_data, 7);
    assert_int_equal(of_thread, 5);
    in_bss = in_data = of_thread = 100 + run;
    many_pages[10 * PAGE + 3] = 1;
    ec_snap_restore(snap);
    assert_int_equal(many_pages[10 * PAGE + 3], 0);
  }
  in_bss = 9;
  ec_snap_drop(snap);
  assert_int_equal(in_bss, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(globals, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
