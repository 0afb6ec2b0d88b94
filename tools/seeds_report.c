/* SPDX-License-Identifier: BSD-3-Clause */
/* seeds_report.c - see seeds_report.h. */
#include "seeds_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "result.h"

int seeds_reports_open(struct seeds_reports *r, const struct tool *t,
                       const struct seeds_options *o) {
  *r = (struct seeds_reports){.tool = t, .files = o->files};
  int code = result_open(t, o->result, &r->result);
  return code == 0 ? campaign_open(t, &r->files) : code;
}

/* The number of the failed run among those of the whole campaign, from 1. */
static uint64_t number_of(const struct seeds_total *total) {
  return total->lowest.seed - total->range.first + 1;
}

int seeds_reports_write(struct seeds_reports *r, const struct seeds_total *total,
                        char *const *program) {
  bool failed = total->counts.failed > 0;
  const struct campaign c = {.tool = r->tool,
                             .program = program,
                             .exit_code = total->exit_code,
                             .details = total->details,
                             .line = {.strategy = "seeds",
                                      .units = total->units,
                                      .seed = failed ? total->lowest.seed : total->range.first,
                                      .runs = total->counts.runs,
                                      .failed = total->counts.failed,
                                      .first = failed ? number_of(total) : RESULT_NONE,
                                      .reason = failed ? total->lowest.reason : NULL,
                                      .choices = RESULT_NONE,
                                      .nonzero = RESULT_NONE,
                                      .seconds = (double)total->counts.time_us * 1e-6}};
  int code = campaign_write(&r->files, &c);
  return code == 0 && r->result >= 0 ? result_write(r->tool, r->result, &c.line) : code;
}

static void print_passed(const struct seeds_total *total) {
  const struct seed_range *r = &total->range;
  printf("eyotrun: %" PRIu64 " runs, ", total->counts.runs);
  if (r->shards > 1) printf("shard %" PRIu64 "/%" PRIu64 " of ", r->shard, r->shards);
  printf("seeds %" PRIu64 "..%" PRIu64 ": all passed\n", r->first, r->first + r->n - 1);
}

void seeds_print_outcome(const struct seeds_total *total) {
  uint64_t failed = total->counts.failed;
  if (failed == 0) {
    if (total->ended) print_passed(total);
    return;
  }
  fprintf(stderr,
          "eyotrun: run %" PRIu64 " of %" PRIu64 " (seed %" PRIu64
          ") failed: %s\neyotrun: to repeat it: %s\n",
          number_of(total), total->range.n, total->lowest.seed, total->lowest.reason,
          total->lowest.repeat);
  if (!total->keep_going) return;
  fprintf(stderr, "eyotrun: %" PRIu64 " of %" PRIu64 " runs failed; seeds:", failed,
          total->counts.runs);
  for (uint64_t i = 0; i < failed && i < SEEDS_LISTED_MAX; i++)
    fprintf(stderr, " %" PRIu64, total->listed[i]);
  fprintf(stderr, "%s\n", failed > SEEDS_LISTED_MAX ? " ..." : "");
}
