/* SPDX-License-Identifier: BSD-3-Clause */
/* start_watch.c - see start_watch.h. A process that the launcher has started and that has not yet
 * called eyot_init may compute for as long as it likes: then the start is told to be slow, and goes
 * on. So it does where processes are on hosts that are not watched. */
#include "start_watch.h"

#define PARTS 40u /* within the limit */
#define LEAST_NS UINT64_C(10000000)

void start_watch_open(struct start_watch *w, uint64_t limit_ns, uint64_t now_ns) {
  *w = (struct start_watch){.limit_ns = limit_ns, .next_ns = UINT64_MAX, .last_ns = now_ns};
  if (limit_ns != 0) w->next_ns = now_ns;
}

enum start_state start_watch_look(struct start_watch *w, const struct members *m, bool all,
                                  uint64_t now_ns) {
  uint64_t period_ns = w->limit_ns / PARTS, past_ns = now_ns - w->last_ns;
  if (period_ns < LEAST_NS) period_ns = LEAST_NS;
  w->next_ns = now_ns + period_ns;
  w->last_ns = now_ns;
  if (members_opening(m) == 0) {
    w->spent_ns = w->complete_ns = 0;
    return START_GOES_ON;
  }
  /* A longer time without a look: the job or this process was suspended. */
  if (past_ns > 2 * period_ns) past_ns = period_ns;
  w->spent_ns += past_ns;
  w->complete_ns = all && members_outside(m) == 0 ? w->complete_ns + past_ns : 0;
  if (w->complete_ns >= w->limit_ns) return START_FAILED;
  if (w->told || w->spent_ns < w->limit_ns / 4) return START_GOES_ON;
  w->told = true;
  return START_SLOW;
}
