/* SPDX-License-Identifier: BSD-3-Clause */
/* result.c - what a search has found: prints the counts and the verdict, and fills struct
 * fab_explored, which eyotcheck --result writes. See explore.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/wording.h"
#include "fabric_sim/explore/explore.h"

void sim_explore_print_counts(const struct sim_explorer *e, const struct sim_found *sum,
                              double seconds) {
  eyoti_fprintf(stdout,
                "eyotcheck: %s, %u units, %" PRIu64 " runs, %" PRIu64
                " steps in %.2f s of wall time: %.0f runs a second",
                e->what->strategy, e->w->n, sum->runs, sum->steps, seconds,
                seconds > 0 ? (double)sum->runs / seconds : 0);
  if (e->what->jobs > 1) printf(" by %u workers", e->what->jobs);
  printf("; %" PRIu64 " failed", sum->failed);
  if (sum->bounded > 0)
    printf("; %" PRIu64 " cut at --max-run %" PRIu64, sum->bounded, e->untimed->max_steps);
  if (sum->undecided > 0)
    printf("; %" PRIu64 " undecided: the search for an order of their histories reached its limit",
           sum->undecided);
  if (sim_prog_threads(e->w->prog) || sim_prog_openmp(e->w->prog))
    printf("; threads were not explored");
  printf("\n");
  int sig = e->interrupt.signal;
  if (sig == 0) return;
  printf("eyotcheck: interrupted by signal %d (%s): the counts are those of the runs so far\n", sig,
         strsignal(sig));
  if (chk_strategy_find(e->what->strategy)->systematic)
    printf("eyotcheck: to go on: an exhaustive search begins anew; --strategy pct samples\n");
  else
    printf("eyotcheck: to go on with other schedules: the same command with --seed %" PRIu64 "\n",
           e->what->seed + 1);
}

int sim_explore_verdict(const struct sim_explorer *e, const struct sim_found *sum) {
  if (e->interrupt.signal != 0) return EYOTI_EXIT_SIGNAL + e->interrupt.signal;
  bool partial = chk_strategy_find(e->what->strategy)->systematic && !sum->exhausted;
  if (sum->bounded == 0 && sum->undecided == 0 && !partial) return EYOTI_EXIT_OK;
  printf("eyotcheck: inconclusive (exit code %d): no run failed, but ", EYOTI_EXIT_INCONCLUSIVE);
  if (sum->bounded > 0)
    printf("%" PRIu64 " of %" PRIu64 " runs did not end within %" PRIu64
           " steps; give them more by --max-run, or report them as failures by --livelock\n",
           sum->bounded, sum->runs, e->untimed->max_steps);
  else if (sum->undecided > 0)
    printf("the histories of %" PRIu64 " of %" PRIu64
           " runs are undecided; check fewer operations a run\n",
           sum->undecided, sum->runs);
  else
    printf("--runs or --time ended the exhaustive search before its last interleaving\n");
  return EYOTI_EXIT_INCONCLUSIVE;
}

void sim_explore_report_counts(const struct sim_explorer *e, const struct sim_found *sum,
                               const struct sim_found *first, double seconds) {
  struct fab_explored *r = e->what->explored;
  if (r == NULL) return;
  r->runs = sum->runs;
  r->failed = sum->failed;
  r->cut = sum->bounded;
  r->undecided = sum->undecided;
  r->exhausted = sum->exhausted && sum->bounded == 0 && sum->failed == 0;
  r->seconds = seconds;
  r->steps = sum->steps;
  r->interrupted = e->interrupt.signal;
  if (first == NULL) return;
  r->first = first->run;
  snprintf(r->reason, sizeof r->reason, "%.*s", (int)sizeof r->reason - 1, first->text);
}

void sim_explore_report_failure(const struct sim_explorer *e, const char *text, uint32_t choices,
                                uint32_t nonzero) {
  struct fab_explored *r = e->what->explored;
  if (r == NULL) return;
  r->choices = choices;
  r->nonzero = nonzero;
  ssize_t n = pread(e->said, r->details, sizeof r->details - 1, e->said_from);
  r->details[n > 0 ? n : 0] = '\0';
  if (r->failed > 0) return;
  r->runs = r->failed = r->first = 1; /* a replayed file of a failing run */
  snprintf(r->reason, sizeof r->reason, "%.*s", (int)sizeof r->reason - 1, text);
}
