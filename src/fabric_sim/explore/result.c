/* SPDX-License-Identifier: BSD-3-Clause */
/* result.c - fills struct fab_explored, which eyotcheck --result writes. See explore.h. */
#include <stdio.h>

#include "fabric_sim/explore/explore.h"

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
  if (first == NULL) return;
  r->first = first->run;
  snprintf(r->reason, sizeof r->reason, "%s", first->text);
}

void sim_explore_report_failure(const struct sim_explorer *e, const char *text, uint32_t choices,
                                uint32_t nonzero) {
  struct fab_explored *r = e->what->explored;
  if (r == NULL) return;
  r->choices = choices;
  r->nonzero = nonzero;
  if (r->failed > 0) return;
  r->runs = r->failed = r->first = 1; /* a replayed file of a failing run */
  snprintf(r->reason, sizeof r->reason, "%s", text);
}
