/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.c - the life of a unit: start, give the processor back, run again, end. See unit.h. */
#include "fabric_sim/engine/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "fabric_sim/engine/clock.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/report/stats.h"

#define CANARY_BYTES 64u
#define FAILED_SHOWN 8u /* a mistake that every unit makes is not told thousands of times */

void fs_unit_body(void *world, uint32_t i) {
  struct fs_world *w = world;
  struct fs_unit *u = &w->units[i];
  u->stack_top = __builtin_frame_address(0);
  /* else it would start with what the unit before it left in errno and getopt */
  fs_libc_load(&u->libc);
  int code = fs_prog_main(w->prog, i)(w->argc, u->argv, environ);
  fs_unit_end(u, FS_END_RETURNED, code);
}

void fs_unit_block(struct fs_unit *u, enum fs_state state) {
  struct fs_world *w = u->world;
  u->state = (uint8_t)state;
  fs_libc_save(&u->libc);
  w->exec_ops->block(w->exec, u->fab.me);
  fs_libc_load(&u->libc);
}

/* Without guard pages: the lowest bytes of a stack are zero until something has run over its end.
 * Reading them costs no memory. */
static void check_canary(const struct fs_world *w, const struct fs_unit *u) {
  const uint64_t *low = (const uint64_t *)(const void *)w->exec_ops->stack_low(w->exec, u->fab.me);
  for (uint32_t i = 0; low != NULL && i < CANARY_BYTES / sizeof *low; i++)
    if (low[i] != 0)
      fs_crash_report(u, "overflow of its stack (found at a switch); raise EYOT_STACK_SIZE",
                      FS_CRASH_EXIT);
}

void fs_unit_run(struct fs_unit *u) {
  struct fs_world *w = u->world;
  EYOTI_ASSERT(u->state != FS_RUNNING && u->state != FS_ENDED);
  if (u->local_ps < w->now_ps) u->local_ps = w->now_ps;
  u->state = FS_RUNNING;
  w->exec_ops->advance(w->exec, w->now_ps);
  w->running = u->fab.me;
  eyot_current = &u->rt;
  if (w->opt.compute == FS_COMPUTE_MEASURED) u->host_ns = fs_clock_ns();
  w->exec_ops->wake(w->exec, u->fab.me);
  eyot_current = eyoti_rt_idle();
  w->running = UINT32_MAX;
  if (!w->guards) check_canary(w, u);
}

void fs_unit_yield(struct fs_unit *u) {
  struct fs_world *w = u->world;
  if (u->local_ps > w->now_ps) {
    if (w->queue.n == 0 || fs_queue_next_ps(&w->queue) > u->local_ps) {
      w->now_ps = u->local_ps; /* nothing can happen before: no need to switch */
      fs_world_tick(w);
      /* for ever: a bound is reached */
      if (__builtin_expect(w->stop, 0)) fs_unit_block(u, FS_ASLEEP);
    } else {
      fs_world_wake_at(u, u->local_ps);
      fs_unit_block(u, FS_ASLEEP);
    }
  }
  if (u->inject != NULL) fs_post_due(u);
}

void fs_unit_held(struct fs_unit *u, uint64_t value) {
  u->words.held_ps = u->world->now_ps;
  u->words.held_value = value;
}

static const char *how_text(enum fs_end how) {
  return how == FS_END_RETURNED ? "returned from main"
         : how == FS_END_EXITED ? "called exit"
                                : "called abort";
}

void fs_unit_end(struct fs_unit *u, enum fs_end how, int code) {
  struct fs_world *w = u->world;
  enum eyoti_state s = u->rt.state;
  u->end = (uint8_t)how;
  u->exit_code = code;
  fs_stats_phase(u, NULL);
  u->phase = NULL;
  if (s != EYOTI_IDLE && s != EYOTI_FINALIZED) {
    char last[256];
    fs_unit_last(u, last, sizeof last);
    fprintf(stderr,
            "eyot: unit %u %s with code %d before eyot_finalize, at virtual %.3f us; its last "
            "operation: %s\n",
            u->fab.me, how_text(how), code, (double)u->local_ps * 1e-6, last);
    fs_world_stop(w, code & 0xff);
  } else if (code != 0 || how == FS_END_ABORTED) {
    if (w->failed++ < FAILED_SHOWN)
      fprintf(stderr, "eyot: unit %u %s with code %d\n", u->fab.me, how_text(how), code);
    if (w->exit_code == 0) w->exit_code = (code & 0xff) != 0 ? code & 0xff : 1;
  }
  w->ended++;
  fs_unit_block(u, FS_ENDED);
  EYOTI_PANIC("unit %u was run after its end", u->fab.me);
}

void fs_unit_exit(struct fab *f, int how, int code) {
  fs_unit_end(fs_unit_of(f), how == FAB_EXIT_ABORT ? FS_END_ABORTED : FS_END_EXITED, code);
}

const char *fs_unit_call_name(enum fs_call call) {
  static const char *const NAMES[FS_CALLS] = {"none",
                                              "put",
                                              "get",
                                              "atomic",
                                              "put with signal",
                                              "wait or test of a request",
                                              "flush",
                                              "order",
                                              "wait_mem",
                                              "segment",
                                              "now, compute or locate",
                                              "close"};
  return NAMES[call];
}

void fs_unit_last(const struct fs_unit *u, char *text, size_t size) {
  const struct fs_last *l = &u->last;
  const char *what = l->what != NULL ? l->what : "outside eyot",
             *name = fs_unit_call_name((enum fs_call)l->call);
  if (l->call >= FS_CALL_PUT && l->call <= FS_CALL_SIGNAL)
    snprintf(text, size, "%s: %s of %u bytes, unit %u, segment %d, offset %llu", what, name, l->len,
             l->unit, (int)l->seg, (unsigned long long)l->off);
  else
    snprintf(text, size, "%s: %s", what, name);
  size_t n = strlen(text);
  if (l->waited)
    snprintf(text + n, size - n, ", then %s in %s", fs_unit_call_name(FS_CALL_WAIT_MEM),
             u->fab.note.what != NULL ? u->fab.note.what : what);
}
