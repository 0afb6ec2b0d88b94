/* SPDX-License-Identifier: BSD-3-Clause */
/* end.c - see end.h: abort, a process that cannot start, that exits before eyot_finalize, or that
 * crashes.
 *
 * Each of them ends the whole run with a non-zero code and names the process and its last
 * operation. The handlers have no state of their own: they find the endpoint through eyot_current,
 * which has none before init and after finalize. Before MPI works in a process, the launcher is
 * told instead of MPI (rt/launcher.h): the others may be inside MPI_Init already. */
#include "fabric_real/launch/end.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/wording.h"
#include "fabric/forward.h"
#include "fabric_real/progress/thread.h"
#include "fabric_real/wait/supervised.h"
#include "rt/launcher.h"
#include "rt/rt.h"

#ifdef EYOTI_COVERAGE
extern void __gcov_dump(void);
#endif

#define STACK_UNLIMITED (UINT64_C(1) << 36)
#define SIGNAL_STACK_BYTES (256u * 1024u) /* MPI_Abort runs on it */
#define ABORT_SECONDS 10u                 /* an MPI that cannot abort any more is given this long */
/* a launcher reads our last line in its own time, but kills without reading on */
#define FORWARD_MS 50
#define LINE_BYTES 512u

static const int FATAL[FMPI_FATAL_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const char *const FATAL_NAMES[FMPI_FATAL_SIGNALS] = {
    "SIGSEGV (memory fault)", "SIGBUS (memory fault)", "SIGFPE (arithmetic fault)",
    "SIGILL (illegal instruction)", "SIGABRT"};

/* The endpoint of this process; NULL: it has none. The layers may hold one that forwards to it. */
static struct fmpi *endpoint_now(void) {
  struct fab *fab = eyot_current->fab != NULL ? eyot_current->fab : eyot_current->opening;
  return fab != NULL ? fmpi_of(*eyoti_forward_last(&fab)) : NULL;
}

/* How messages call this process. f NULL: it has no endpoint. */
static void name_self(const struct fmpi *f, char *out, size_t size) {
  uint32_t node;
  fab_unit_t first;
  if (f == NULL || !f->job.placed) {
    snprintf(out, size, "process %d", (int)eyoti_launcher_rank());
  } else if (f->job.server != FMPI_UNIT) {
    fmpi_home(f, f->fab.local.first, &node, &first);
    snprintf(out, size, "progress process %u of node %u", f->job.server, node);
  } else {
    eyoti_snprintf(out, size, "unit %u", f->fab.me);
  }
}

static void end_say(const struct fmpi *f, const char *text) {
  char line[LINE_BYTES], self[LINE_BYTES / 8], last[LINE_BYTES / 4] = "";
  const struct fab_note *note = f != NULL ? &f->fab.note : NULL;
  const char *call = eyoti_rt_marked_last(eyot_current);
  if (call == NULL && note != NULL) call = note->what;
  if (f != NULL) fmpi_supervised_state(f, EYOTI_RUN_ABORTING);
  name_self(f, self, sizeof self);
  if (f != NULL && f->job.placed)
    snprintf(last, sizeof last, "; its last operation was %s%s%s", call != NULL ? call : "none",
             note->phase != NULL ? ", in phase " : "", note->phase != NULL ? note->phase : "");
  int n = snprintf(line, sizeof line, "eyot: [%s] %s%s\n", self, text, last);
  ssize_t ignored = write(STDERR_FILENO, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
  (void)ignored;
}

/* Exit codes have 8 bits, and none of ours may be success. */
static int exit_code(int code) {
  return (code & 0xff) == 0 ? 1 : code & 0xff;
}

/* by_mpi: MPI works in this process, and knows all of the job. `code` is the launcher's. */
static void end_run_with(bool by_mpi, int code) __attribute__((noreturn));
static void end_run_with(bool by_mpi, int code) {
  const struct timespec forward = {.tv_nsec = FORWARD_MS * 1000000};
  int usable = 0, over = 0;
  /* MPI_Abort may call exit, whose handler must not report again */
  eyot_current = eyoti_rt_idle();
  alarm(ABORT_SECONDS);
  nanosleep(&forward, NULL);
  if (!by_mpi)
    eyoti_launcher_abort(code);
  else if (MPI_Initialized(&usable) == MPI_SUCCESS && usable != 0 &&
           MPI_Finalized(&over) == MPI_SUCCESS && over == 0)
    MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

static void end_run(bool by_mpi, int code) __attribute__((noreturn));
static void end_run(bool by_mpi, int code) {
  end_run_with(by_mpi, exit_code(code));
}

/* With a supervisor, it ends all processes and returns `code`; a launcher alone returns what it
 * makes of MPI_Abort. */
void fmpi_exit_all(struct fab *fab, int code) {
  const struct timespec patience = {.tv_sec = ABORT_SECONDS};
  struct fmpi *f = fmpi_of(fab);
  const struct timespec forward = {.tv_nsec = FORWARD_MS * 1000000};
  fflush(NULL);
  nanosleep(&forward, NULL);
  if (fmpi_supervised_exit_all(f, code)) {
    fmpi_supervised_state(f, EYOTI_RUN_ABORTING);
    eyot_current = eyoti_rt_idle();
    nanosleep(&patience, NULL); /* the supervisor kills this process */
  }
  bool elsewhere = eyoti_conf_foreign_env(EYOTI_RUN_ENV) != NULL;
  end_run_with(true, elsewhere && (code & 0xff) == 0 ? EYOTI_RUN_EXIT_ZERO : code & 0xff);
}

void fmpi_abort(struct fab *fab, int code, const char *reason) {
  const struct fmpi *f = fmpi_of(fab);
  char text[LINE_BYTES / 2];
  snprintf(text, sizeof text, "aborts the run with code %d: %s", exit_code(code),
           reason != NULL ? reason : "no reason given");
  end_say(f, text);
  end_run(f->job.mpi, code);
}

int fmpi_end_start(struct fmpi *f, int rc) {
  int up = 0, n = 1;
  if (MPI_Initialized(&up) == MPI_SUCCESS && up != 0) (void)MPI_Comm_size(MPI_COMM_WORLD, &n);
  if (n == 1 && eyoti_launcher_processes() == 1) return rc;
  end_say(f, "cannot start, and the others wait for it: it ends the job");
  fflush(NULL);
  end_run(n > 1, 1);
}

/* Called by the handler that was registered before MPI started: those of MPI have run, and those
 * that the program registered before eyot_init would be next. */
static void leave_served(void) __attribute__((noreturn));
static void leave_served(void) {
#ifdef EYOTI_COVERAGE
  __gcov_dump(); /* _exit would lose the counters of the progress process */
#endif
  _exit(0);
}

static void *exit_in_thread(void *unused) {
  (void)unused;
  exit(0);
}

/* exit destroys the thread_local objects of its thread, which in the main thread are the program's:
 * another thread calls it. */
void fmpi_end_serve(struct fmpi *f) {
  pthread_t thread;
  f->end.served = true;
  if (pthread_create(&thread, NULL, exit_in_thread, NULL) == 0) (void)pthread_join(thread, NULL);
  leave_served();
}

/* `before_mpi` is not NULL in the handler that was registered before MPI started. */
static void on_program_exit(int status, void *before_mpi) {
  const struct fmpi *f = endpoint_now();
  if (f != NULL && f->end.served) {
    if (before_mpi == NULL) return;
    leave_served();
  }
  if (f == NULL) { /* finalized, or never started */
    if (eyot_current->state == EYOTI_FINALIZED) eyot_current->left_well = status == 0;
    return;
  }
  end_say(f, EYOTI_WORDED(f->job.placed
                              ? eyot_current->inits > 1
                                    ? "has left the run with fewer calls of eyot_finalize than of "
                                      "eyot_init"
                                    : "has left the run without eyot_finalize"
                              : "has left the run while eyot_init started MPI"));
  end_run(f->job.mpi, status);
}

/* Registers on_program_exit. atexit, which other C libraries have in place of glibc's on_exit, does
 * not tell the status: there, a program counts as one that leaves with 0. */
#ifdef __GLIBC__
static bool watch_exit(void *before_mpi) {
  return on_exit(on_program_exit, before_mpi) == 0;
}
#else
static void on_exit_after_mpi(void) {
  on_program_exit(0, NULL);
}

static void on_exit_before_mpi(void) {
  on_program_exit(0, (void *)(uintptr_t)on_exit_before_mpi);
}

static bool watch_exit(void *before_mpi) {
  return atexit(before_mpi != NULL ? on_exit_before_mpi : on_exit_after_mpi) == 0;
}
#endif

static void on_quick_exit(void) {
  on_program_exit(0, NULL);
}

/* Writes how the unit has crashed. */
static void fatal_text(const struct fmpi *f, uint32_t signal, const siginfo_t *info,
                       const struct eyoti_fault *fault, char *text, size_t size) {
  uint64_t wanted;
  bool thread = fmpi_thread_is_self(f);
  int n = snprintf(text, size, "has crashed%s with %s", thread ? " in its progress thread" : "",
                   FATAL_NAMES[signal]);
  if (thread || FATAL[signal] != SIGSEGV || f->end.unit_stack.top == NULL || n < 0 ||
      (size_t)n >= size || !eyoti_stack_overflow(&f->end.unit_stack, fault, info->si_addr, &wanted))
    return;
  snprintf(text + n, size - (size_t)n,
           ": stack overflow, of %" PRIu64 " KiB, and at least %" PRIu64
           " are needed; raise ulimit -s, or allocate large arrays with malloc",
           f->end.unit_stack.bytes >> 10, (wanted + 1023) >> 10);
}

static void on_fatal_signal(int number, siginfo_t *info, void *context) {
  const struct fmpi *f = endpoint_now();
  struct eyoti_fault fault = eyoti_fault_of(context);
  signal(number, SIG_DFL);
  if (f == NULL) {
    raise(number);
    return;
  }
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++) {
    char text[LINE_BYTES / 2];
    if (FATAL[i] != number) continue;
    fatal_text(f, i, info, &fault, text, sizeof text);
    end_say(f, text);
  }
  eyoti_frames_print(eyot_current, fault.pc);
  end_run(f->job.mpi, 128 + number);
}

/* MPI_Finalize by the program while eyot still uses MPI would hang or fail somewhere inside. */
static int on_mpi_finalize(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value;
  struct fmpi *f = extra;
  if (f->end.finalize_key != MPI_KEYVAL_INVALID) {
    end_say(f, EYOTI_WORDED("calls MPI_Finalize before eyot_finalize"));
    end_run(true, 1);
  }
  return MPI_SUCCESS;
}

/* A child of fork is no unit: it has no runtime, and its end is not the run's. */
static void in_forked_child(void) {
  if (endpoint_now() == NULL) return;
  eyot_current = eyoti_rt_idle();
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++) {
    struct sigaction now;
    if (sigaction(FATAL[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
        now.sa_sigaction == on_fatal_signal)
      signal(FATAL[i], SIG_DFL);
  }
}

/* A handler of the program's own, or of a sanitizer, is left alone; MPI's communication libraries
 * (UCX, Open MPI's) install some that only print a backtrace. */
static bool may_replace(const struct sigaction *now) {
  if ((now->sa_flags & SA_SIGINFO) == 0 && now->sa_handler == SIG_DFL) return true;
  Dl_info info;
  void *handler;
  memcpy(&handler, &now->sa_handler, sizeof handler);
  return dladdr(handler, &info) != 0 && info.dli_fname != NULL &&
         (strstr(info.dli_fname, "libucs") != NULL ||
          strstr(info.dli_fname, "libopen-pal") != NULL);
}

/* The stack of the unit's own thread, as far as it may grow. */
static struct eyoti_stack own_stack(void) {
  struct eyoti_stack s = {NULL, 0, 0};
  pthread_attr_t a;
  void *low;
  size_t bytes, guard;
  if (pthread_getattr_np(pthread_self(), &a) != 0) return s;
  if (pthread_attr_getstack(&a, &low, &bytes) == 0 && bytes < STACK_UNLIMITED &&
      pthread_attr_getguardsize(&a, &guard) == 0)
    s = (struct eyoti_stack){(const char *)low + bytes, bytes, guard};
  pthread_attr_destroy(&a);
  return s;
}

static int make_stack(struct fmpi *f) {
  if (f->end.stack != NULL) return EYOT_OK;
  f->end.stack = malloc(SIGNAL_STACK_BYTES);
  if (f->end.stack == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a signal stack");
  stack_t stack = {.ss_sp = f->end.stack, .ss_size = SIGNAL_STACK_BYTES}, before;
  if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0)
    sigaltstack(&stack, NULL);
  return EYOT_OK;
}

/* Handlers run in reverse order of registration: those of the second call come before those that
 * MPI has registered in between. The first that runs ends the process. */
int fmpi_end_watch(struct fmpi *f) {
  struct sigaction handler = {.sa_sigaction = on_fatal_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO},
                   now;
  void *before_mpi = f->end.stack == NULL ? f : NULL;
  EYOTI_TRY(make_stack(f));
  f->end.unit_stack = own_stack();
  eyoti_frames_warm();
  if (!watch_exit(before_mpi) || at_quick_exit(on_quick_exit) != 0 ||
      pthread_atfork(NULL, NULL, in_forked_child) != 0)
    return EYOTI_FAIL(EYOT_ENOMEM, "cannot register handlers for exit and fork");
  sigemptyset(&handler.sa_mask);
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++) {
    if (sigaction(FATAL[i], NULL, &now) != 0 || !may_replace(&now)) continue;
    f->end.before[i] = now;
    f->end.taken[i] = sigaction(FATAL[i], &handler, NULL) == 0;
  }
  return EYOT_OK;
}

int fmpi_end_watch_finalize(struct fmpi *f) {
  FMPI_TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_mpi_finalize, &f->end.finalize_key, f));
  FMPI_TRY(MPI_Comm_set_attr(MPI_COMM_SELF, f->end.finalize_key, NULL));
  return EYOT_OK;
}

void fmpi_end_unwatch(struct fmpi *f) {
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++)
    if (f->end.taken[i]) sigaction(FATAL[i], &f->end.before[i], NULL);
  stack_t now, off = {.ss_flags = SS_DISABLE};
  if (f->end.stack != NULL && sigaltstack(NULL, &now) == 0 && now.ss_sp == f->end.stack)
    sigaltstack(&off, NULL);
  free(f->end.stack);
  f->end.stack = NULL;
  int key = f->end.finalize_key;
  f->end.finalize_key = MPI_KEYVAL_INVALID; /* from here on the attribute may go */
  if (key == MPI_KEYVAL_INVALID) return;
  (void)MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  (void)MPI_Comm_free_keyval(&key);
}
