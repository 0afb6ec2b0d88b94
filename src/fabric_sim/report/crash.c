/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.c - the handlers that report the crash of a unit, and an end of the process while a unit
 * runs. See crash.h. */
#include "fabric_sim/report/crash.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/process_exit.h"
#include "base/wording.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/report/quiet.h"
#include "rt/frames.h"

#define ALT_STACK_BYTES 65536u
#define TEXT_BYTES 1024u

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define N_SIGNALS (sizeof SIGNALS / sizeof *SIGNALS)

static void crash_say(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

/* By itself, for it reads tables that the program may have overwritten: if that ends the process,
 * the cause is said. */
static void say_last(const struct sim_unit *u) {
  char last[SIM_LAST_BYTES];
  sim_unit_last(u, last, sizeof last);
  crash_say("; its last operation: ");
  crash_say(last);
  crash_say("\n");
}

void sim_crash_report_at(const struct sim_unit *u, const char *text, const char *pc,
                         int exit_code) {
  char line[TEXT_BYTES];
  sim_watch_hush();
  if (u != NULL) {
    const struct sim_named *named = &u->world->watch.named;
    sim_quiet_await(named->printing, named->n);
    eyoti_snprintf(line, sizeof line, "eyot: unit %u: %s, at virtual %.3f us", u->fab.me, text,
                   (double)u->local_ps * 1e-6);
    crash_say(line);
    say_last(u);
  } else {
    eyoti_snprintf(line, sizeof line, "eyot: the simulator itself (no unit was running): %s\n",
                   text);
    crash_say(line);
  }
  eyoti_frames_print(u != NULL ? &u->rt : eyoti_rt_idle(), pc);
  _exit(exit_code);
}

void sim_crash_report(const struct sim_unit *u, const char *text, int exit_code) {
  sim_crash_report_at(u, text, NULL, exit_code);
}

/* Where SimGrid owns the stacks their place is known only to a page or two. */
static struct eyoti_stack stack_of(const struct sim_unit *u) {
  const struct sim_world *w = u->world;
  const char *low = (const char *)w->exec_ops->stack_low(w->exec, u->fab.me);
  uint64_t bytes = w->opt.stack_bytes, page = (uint64_t)sysconf(_SC_PAGESIZE);
  if (low != NULL) return (struct eyoti_stack){low + bytes, bytes, page};
  return (struct eyoti_stack){u->stack_top, bytes > 2 * page ? bytes - 2 * page : bytes, page};
}

/* A size to try: the next power of 2. */
static uint64_t enough(uint64_t wanted) {
  uint64_t size = UINT64_C(1) << 20;
  while (size < wanted + wanted / 4) size *= 2;
  return size >> 20;
}

void sim_crash_text(const struct sim_unit *u, int sig, const siginfo_t *info, const void *context,
                    char *text, size_t size) {
  struct eyoti_fault f = eyoti_fault_of(context);
  struct eyoti_stack stack = {NULL, 0, 0};
  uint64_t wanted;
  if (u != NULL) stack = stack_of(u);
  if (sig == SIGABRT)
    snprintf(text, size, "%s", strsignal(sig));
  else if ((sig == SIGSEGV || sig == SIGBUS) && stack.top != NULL &&
           eyoti_stack_overflow(&stack, &f, info->si_addr, &wanted))
    eyoti_snprintf(text, size,
                   "stack overflow: a unit's stack has %" PRIu64 " KiB, and at least %" PRIu64
                   " are needed here; give eyotrun or eyotcheck --stack-size %" PRIu64
                   "M (EYOT_STACK_SIZE), or allocate large arrays with malloc",
                   u->world->opt.stack_bytes >> 10, (wanted + 1023) >> 10, enough(wanted));
  else
    snprintf(text, size, "%s at address %p", strsignal(sig), info->si_addr);
}

/* Without guard pages a stack overflows into that of the unit before. */
static void add_overflow(const struct sim_unit *u, char *text, size_t size) {
  const struct sim_world *w = u->world;
  size_t len = strlen(text);
  if (w->guards || w->exec_ops->overflowed == NULL || strstr(text, "stack overflow") != NULL)
    return;
  for (uint32_t i = u->fab.me; i < w->n && i <= u->fab.me + 1; i++)
    if (w->exec_ops->overflowed(w->exec, i, true)) {
      eyoti_snprintf(text + len, size - len,
                     "; stack overflow: the stack of unit %u is full, and its bytes may have gone "
                     "into that of the unit before it; raise --stack-size (EYOT_STACK_SIZE)",
                     i);
      return;
    }
}

/* Not through the runtime's endpoint: it may be a counting one that wraps the unit's own. */
static const struct sim_unit *crash_unit(void) {
  return eyot_current->fab != NULL
             ? (const void *)((const char *)eyot_current - offsetof(struct sim_unit, rt))
             : NULL;
}

static void crash_on_fault(int sig, siginfo_t *info, void *context) {
  const struct sim_unit *u = crash_unit();
  if (u == NULL && sig == SIGABRT && errno == ENOMEM)
    eyoti_no_memory(0, "a library of the simulator; its own message is above");
  char text[SIM_CRASH_TEXT];
  sim_crash_text(u, sig, info, context, text, sizeof text);
  if (u != NULL) add_overflow(u, text, sizeof text);
  sim_crash_report_at(u, text, eyoti_fault_of(context).pc, 128 + sig);
}

void sim_crash_ended(const struct sim_unit *u, const char *text, int code) {
  fflush(stdout);
  sim_crash_report_at(u, text, NULL, (code & 0xff) != 0 ? code & 0xff : 1);
}

static int watch_exit(void);

/* Programs' own calls of exit end their unit (prog/start.c) and do not come here. */
static void process_ends(int code) {
  const struct sim_unit *u = crash_unit();
  char text[SIM_CRASH_TEXT];
  if (u == NULL) return;
  (void)watch_exit(); /* for the next run: the report may be left by a jump */
  eyoti_snprintf(text, sizeof text,
                 "the process was ended with code %d, by a library that calls exit (as err, error "
                 "and argp_parse do) or by pthread_exit",
                 code);
  u->world->reports->ended(u, text, code);
}

EYOTI_WATCH_EXIT(watch_exit, process_ends)

int sim_crash_open(struct sim_crash *c) {
  c->alt_stack = malloc(ALT_STACK_BYTES);
  if (c->alt_stack == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the fault handler's stack");
  const stack_t alt = {.ss_sp = c->alt_stack, .ss_size = ALT_STACK_BYTES};
  if (sigaltstack(&alt, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "sigaltstack: %s", strerror(errno));
  eyoti_frames_warm();
  struct sigaction a = {.sa_sigaction = crash_on_fault,
                        .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
  sigemptyset(&a.sa_mask);
  for (size_t i = 0; i < N_SIGNALS; i++)
    if (sigaction(SIGNALS[i], &a, NULL) != 0)
      return EYOTI_FAIL(EYOT_ESYS, "sigaction(%d): %s", SIGNALS[i], strerror(errno));
  if (watch_exit() != 0) return EYOTI_FAIL(EYOT_ESYS, "no exit handler can be registered");
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
