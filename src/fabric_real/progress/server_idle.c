/* SPDX-License-Identifier: BSD-3-Clause */
/* server_idle.c - see server_idle.h. */
#include "fabric_real/progress/server_idle.h"

#include <sched.h>

#include "fabric_real/wait/wakeup.h"

#define POLLS_PER_YIELD 64u              /* some 2 us; a yield is half a microsecond */
#define POLLS_BEFORE_SLEEP 8u            /* one request often follows another */
#define SWITCHED_NS 1000u                /* a shorter yield has let no other process run */
#define GAP_NS 20000u                    /* between two polls: it has not run */
#define WINDOW_NS UINT64_C(1000000)      /* in which losses are added up */
#define LOST_SHARE 4u                    /* of a window: a quarter is too much */
#define LOST_AT_ONCE_NS UINT64_C(300000) /* a process that only polls does not run so long */
/* a check whether the processor is free costs up to a time slice of the process that has it */
#define PAUSE_LEAST_NS UINT64_C(2000000)
#define PAUSE_MOST_NS UINT64_C(256000000) /* so that checks cost some 1 % then */
#define SLEEP_NS UINT64_C(1000000000)     /* with or without a wakeup */
#define SLEEP_TESTED_NS (3600 * SLEEP_NS) /* only a wakeup ends it: a lost one shows */
/* with what the system adds, 50 us: requests through MPI send no wakeup */
#define SLEEP_BESIDE_MPI_NS 1

static void sleep_from(struct fmpi_server_idle *r, uint64_t now_ns) {
  r->sleeps = true;
  if (r->pause_ns == 0) r->pause_ns = PAUSE_LEAST_NS;
  r->again_ns = now_ns + r->pause_ns;
  if (r->pause_ns < PAUSE_MOST_NS) r->pause_ns *= 2;
}

/* Adds up the time that others took. */
static void judge(struct fmpi_server_idle *r, uint64_t now_ns, uint64_t lost_ns) {
  if (r->window_ns == 0) r->window_ns = now_ns;
  r->lost_ns += lost_ns;
  if (r->lost_ns >= LOST_AT_ONCE_NS) {
    r->window_ns = r->lost_ns = 0;
    sleep_from(r, now_ns);
  } else if (now_ns - r->window_ns >= WINDOW_NS) {
    bool wanted = r->lost_ns * LOST_SHARE >= now_ns - r->window_ns;
    r->window_ns = now_ns;
    r->lost_ns = 0;
    if (wanted)
      sleep_from(r, now_ns);
    else
      r->pause_ns = 0; /* a whole window without others */
  }
}

static void poll_on(struct fmpi_server_idle *r, uint64_t polls) {
  fab_relax();
  if (polls % POLLS_PER_YIELD != 0) return;
  uint64_t before_ns = fmpi_clock_ns(), lost_ns = 0;
  if (r->ran_ns != 0 && before_ns - r->ran_ns > GAP_NS) lost_ns += before_ns - r->ran_ns;
  sched_yield();
  uint64_t now_ns = fmpi_clock_ns();
  if (now_ns - before_ns > SWITCHED_NS) lost_ns += now_ns - before_ns;
  r->ran_ns = now_ns;
  judge(r, now_ns, lost_ns);
}

void fmpi_server_idle(struct fmpi *f, struct fmpi_server_idle *r, uint64_t polls) {
  if (!r->sleeps && !r->always) {
    poll_on(r, polls);
  } else if (f->idle.armed) {
    f->idle.armed = false;
    fmpi_wakeup_sleep(f, !f->job.one_node ? SLEEP_BESIDE_MPI_NS
                         : r->always      ? SLEEP_TESTED_NS
                                          : SLEEP_NS);
    r->ran_ns = r->window_ns = r->lost_ns = 0; /* time asleep says nothing */
    if (fmpi_clock_ns() >= r->again_ns) r->sleeps = false;
  } else if (polls >= POLLS_BEFORE_SLEEP) {
    fmpi_wakeup_arm(f);
    f->idle.armed = true;
    /* pairs with posts, which do not fence; a short sleep is not worth it */
    if (f->job.one_node) (void)fmpi_wakeup_quiet_fence(f);
  } else {
    fab_relax();
  }
}
