/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.c - the signal handlers that report the crash of a unit. See crash.h. */
#include "fabric_sim/report/crash.h"

#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "fabric_sim/engine/world.h"

#define ALT_STACK_BYTES 65536u
#define FRAMES 48
#define TEXT_BYTES 640u

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define N_SIGNALS (sizeof SIGNALS / sizeof *SIGNALS)

static void crash_say(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

void sim_crash_report(const struct sim_unit *u, const char *text, int exit_code) {
  char line[TEXT_BYTES], last[256];
  if (u != NULL) {
    sim_unit_last(u, last, sizeof last);
    snprintf(line, sizeof line, "eyot: unit %u: %s, at virtual %.3f us; its last operation: %s\n",
             u->fab.me, text, (double)u->local_ps * 1e-6, last);
  } else {
    snprintf(line, sizeof line, "eyot: the simulator itself (no unit was running): %s\n", text);
  }
  crash_say(line);
  void *frames[FRAMES];
  backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
  _exit(exit_code);
}

/* Just below the unit's stack. Where SimGrid owns the stacks their place is known only to a page or
 * two. */
static bool in_guard(const struct sim_unit *u, const char *address) {
  const struct sim_world *w = u->world;
  const char *low = (const char *)w->exec_ops->stack_low(w->exec, u->fab.me);
  ptrdiff_t page = sysconf(_SC_PAGESIZE);
  if (low != NULL) return w->guards && address < low && address >= low - page;
  if (u->stack_top == NULL) return false;
  ptrdiff_t depth = u->stack_top - address, size = (ptrdiff_t)w->opt.stack_bytes;
  return depth > size - 2 * page && depth < size + 3 * page;
}

static void crash_on_fault(int sig, siginfo_t *info, void *context) {
  (void)context;
  /* Not through the runtime's endpoint: it may be a counting one that wraps the unit's own. */
  const struct sim_unit *u =
      eyot_current->fab != NULL
          ? (const void *)((const char *)eyot_current - offsetof(struct sim_unit, rt))
          : NULL;
  char text[160];
  if (u != NULL && sig == SIGSEGV && in_guard(u, info->si_addr))
    snprintf(text, sizeof text, "stack overflow (%" PRIu64 " bytes a unit; raise EYOT_STACK_SIZE)",
             u->world->opt.stack_bytes);
  else if (sig == SIGABRT)
    snprintf(text, sizeof text, "%s", strsignal(sig));
  else
    snprintf(text, sizeof text, "%s at address %p", strsignal(sig), info->si_addr);
  sim_crash_report(u, text, 128 + sig);
}

int sim_crash_open(struct sim_crash *c) {
  c->alt_stack = malloc(ALT_STACK_BYTES);
  if (c->alt_stack == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the fault handler's stack");
  const stack_t alt = {.ss_sp = c->alt_stack, .ss_size = ALT_STACK_BYTES};
  if (sigaltstack(&alt, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "sigaltstack: %s", strerror(errno));
  void *warm[1];
  (void)backtrace(warm, 1); /* loads the unwinder now; a handler must not */
  struct sigaction a = {.sa_sigaction = crash_on_fault,
                        .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
  sigemptyset(&a.sa_mask);
  for (size_t i = 0; i < N_SIGNALS; i++)
    if (sigaction(SIGNALS[i], &a, NULL) != 0)
      return EYOTI_FAIL(EYOT_ESYS, "sigaction(%d): %s", SIGNALS[i], strerror(errno));
  return EYOT_OK;
}

void sim_crash_close(struct sim_crash *c) {
  if (c->alt_stack == NULL) return;
  for (size_t i = 0; i < N_SIGNALS; i++) (void)signal(SIGNALS[i], SIG_DFL);
  const stack_t none = {.ss_flags = SS_DISABLE};
  (void)sigaltstack(&none, NULL);
  free(c->alt_stack);
  c->alt_stack = NULL;
}
