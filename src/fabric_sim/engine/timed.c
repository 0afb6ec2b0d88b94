/* SPDX-License-Identifier: BSD-3-Clause */
/* timed.c - the timed engine's table of operations, its handling of a crash, and the mapping of its
 * segments. See timed.h and engine.h. */
#include "fabric_sim/engine/timed.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/timed_words.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/host/pages.h"

#define REACH (UINT64_C(1) << 44) /* of 2^47 bytes */
/* Above so many units: parts are so close that they share page tables. At least 128 KiB a unit. */
#define REACH_SPARSE_UNITS 4096u
#define REACH_DENSE (UINT64_C(1) << 36) /* 1 MiB a unit for 65,536 of them */
#define REACH_PART (UINT64_C(128) << 10)

static int timed_wait_words(struct sim_unit *u, enum sim_state state, uint64_t timeout_ns) {
  return sim_timed_wait_words(u, state, timeout_ns);
}

/* Each operation that the NIC has accepted may be lost; what an order places after a lost one is
 * lost with it. Operations that the NIC has not accepted, or holds back, are all lost. */
static void timed_lose(struct sim_unit *u) {
  struct sim_world *w = u->world;
  bool strict = w->opt.order == EYOTI_ORDER_STRICT;
  for (struct sim_op *op = u->head; op != NULL && op != u->inject;
       op = sim_inflight_next(u, NULL, op)) {
    struct sim_target *t = sim_inflight_of(u, op);
    bool held = (op->flags & SIM_F_HELD) != 0 && sim_flow_is_open(op);
    if ((op->flags & (SIM_F_DELIVERED | SIM_F_RELEASED)) == 0 &&
        (held || t->lost || sim_choice(w, 2) != 0))
      op->flags |= SIM_F_LOST;
    if ((op->flags & SIM_F_LOST) == 0 || !(strict || (op->flags & SIM_F_FENCED) != 0)) continue;
    /* with more than its set may require */
    for (uint32_t i = 0; (t = sim_inflight_record(u, FAB_SET_ALL, op->target, &i)) != NULL;)
      t->lost = true;
  }
  u->inject = NULL;
  if (u->wake_tag != 0) w->stale++;
  u->wake_tag = 0;
}

static bool timed_silent(const struct sim_world *w) {
  (void)w;
  return false;
}

/* Small segments are packed, and use large pages. */
static char *timed_map(const struct sim_world *w, uint64_t *bytes, bool small) {
  (void)w;
  if (small) return sim_pages_map(bytes);
  char *base = mmap(NULL, *bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base != MAP_FAILED) (void)madvise(base, *bytes, MADV_NOHUGEPAGE);
  return base;
}

static void timed_unmap(const struct sim_world *w, char *base, uint64_t bytes) {
  (void)w;
  munmap(base, bytes);
}

/* Address space costs nothing but a page of page tables for each 2 MiB of which a page is used,
 * unless it is limited: by a limit of the process, or because the system counts reserved memory as
 * used. */
static uint64_t timed_reach(const struct sim_world *w) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return 1;
  FILE *f = fopen("/proc/sys/vm/overcommit_memory", "r");
  int mode = f != NULL ? fgetc(f) : '2';
  if (f != NULL) (void)fclose(f);
  if (mode == '2') return 1;
  if (w->n <= REACH_SPARSE_UNITS) return REACH;
  return w->n * REACH_PART > REACH_DENSE ? w->n * REACH_PART : REACH_DENSE;
}

const struct sim_engine_ops sim_timed_engine = {.name = "timed",
                                                .post = sim_timed_post,
                                                .wait_req = sim_timed_wait_req,
                                                .test = sim_timed_test,
                                                .flush = sim_timed_flush,
                                                .order = sim_timed_order,
                                                .wait_words = timed_wait_words,
                                                .spend = sim_timed_spend,
                                                .ready = sim_world_wake_at,
                                                .lose = timed_lose,
                                                .silent = timed_silent,
                                                .map = timed_map,
                                                .unmap = timed_unmap,
                                                .reach = timed_reach};
