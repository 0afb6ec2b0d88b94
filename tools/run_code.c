/* SPDX-License-Identifier: BSD-3-Clause */
/* run_code.c - see run_code.h. */
#include "run_code.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/exit_codes.h"

/* a launcher's code for a process that has left MPI without a word, if it does not report 0 */
#define LAUNCHER_FAILED 1

static uint32_t unfinished(const struct members *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n; i++) n += members_unfinished(m, i);
  return n;
}

/* The code of the first process that ended without a word, or of that which made the launcher end
 * it; -1: none did, or it is not known. A launcher that kills the others then may report their
 * end. */
static int silent_code(const struct run_end *e, const struct members *m) {
  bool sure;
  uint32_t i = members_first_lost(m, &sure);
  if (!e->silent || !sure || members_anyone_told(m)) return -1;
  return members_code(m, members_cause(m, i));
}

/* The launcher has ended with `code`; `n` processes have not finalized. */
static int code_of_exit(const struct run_end *e, const struct members *m, int code, uint32_t n) {
  int silent = silent_code(e, m);
  /* a process that is no member can say it by this code alone */
  if (!e->whole && code == EYOTI_RUN_EXIT_ZERO) return 0;
  /* MPICH 4.2's may report 0 although a unit has ended with another code, and kill the others. */
  int failed = code == 0 && silent < 0 ? members_failed_code(m) : 0;
  if (failed > 0) return failed;
  if (n == 0) return code;
  if (silent > 0) return silent;
  if (silent < 0 && e->silent && code == LAUNCHER_FAILED && !members_anyone_told(m)) silent = 0;
  if (code != 0 && silent != 0) return code;
  fprintf(stderr,
          "eyotrun: the launcher reports code %d, but %u of %u processes that initialized eyot did "
          "not finalize it; exit code %d (docs/supervision.md)\n",
          code, n, m->joined, EYOTI_EXIT_INCOMPLETE);
  return EYOTI_EXIT_INCOMPLETE;
}

/* Nothing but the launcher has ended the run. */
static int code_of_launcher(const struct run_end *e, const struct members *m) {
  int status = e->status;
  uint32_t n = unfinished(m);
  if (e->asked != 0 && (n > 0 || m->joined == 0 || WIFSIGNALED(status) || WEXITSTATUS(status) != 0))
    return 128 + e->asked;
  if (!WIFSIGNALED(status)) return code_of_exit(e, m, WEXITSTATUS(status), n);
  /* MPICH's launcher may die of SIGPIPE while it ends the others. */
  if (WTERMSIG(status) == SIGPIPE && n > 0 && silent_code(e, m) >= 0)
    return code_of_exit(e, m, 0, n);
  fprintf(stderr, "eyotrun: the launcher %s was killed by signal %d (%s)\n", e->launcher,
          WTERMSIG(status), strsignal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

int run_code(const struct run_end *e, const struct members *m) {
  if (e->code >= 0) return e->code;
  if (!e->killed) return code_of_launcher(e, m);
  int silent = silent_code(e, m);
  return e->asked != 0 ? 128 + e->asked : silent > 0 ? silent : EYOTI_EXIT_INCOMPLETE;
}
