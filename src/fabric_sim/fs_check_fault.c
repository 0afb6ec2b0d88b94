/* fs_check_fault.c - crashes without time: where they strike is a choice like others. See fs_fault.h.
 *
 * An exhaustive search is offered the crash of each unit as a process, at every step until one has been taken. For the other strategies
 * that would be a crash within the first few steps of nearly every run; there the victim, and the number of its steps after which it is not
 * to go on, are drawn at the beginning, the number such that each order of magnitude is as probable as the others, and the crash is a
 * process from then on: what others see of it depends on when it is picked. 0 for all draws is a run without a crash.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../base/check.h"
#include "fs_check.h"
#include "fs_fault.h"

#define MAGNITUDES 9u /* the last victim falls after 2^9 - 2 steps at most */
#define ALIVE (UINT64_C(1) << 63)
#define ONE_CRASH (ALIVE - 1) /* that there has been none */

void fs_check_fault_touch(struct fs_world *w, uint32_t unit, bool write) {
  fs_check_touch_id(w, ALIVE + unit, write);
}

static bool may_crash(const struct fs_faults *x, uint32_t unit) {
  return x->victim == FS_FAULT_ANY || x->victim == unit;
}

static void offer_crash(struct fs_world *w, uint32_t unit) {
  fs_check_offer(w, w->faults->first_proc + unit, false);
}

static void offer_no_crash(struct fs_world *w) {
  for (uint32_t i = 0; i < w->n; i++) fs_check_withdraw(w, w->faults->first_proc + i);
}

/* The victim, and its last step. */
static void draw(struct fs_world *w, const struct fs_fault *f) {
  struct fs_faults *x = w->faults;
  uint32_t whose = fs_check_draw(w, f->unit == FS_FAULT_ANY ? w->n + 1 : 2);
  x->used = whose == 0;
  if (x->used) return;
  x->victim = f->unit == FS_FAULT_ANY ? whose - 1 : f->unit;
  uint32_t magnitude = fs_check_draw(w, MAGNITUDES);
  x->victim_steps = (1u << magnitude) - 1 + fs_check_draw(w, 1u << magnitude);
  if (x->victim_steps > 0) return;
  fs_check_withdraw(w, x->victim);
  offer_crash(w, x->victim);
}

void fs_check_fault_begin(struct fs_world *w) {
  struct fs_faults *x = w->faults;
  const struct fs_fault *f = NULL;
  for (uint32_t i = 0; i < w->n; i++) x->unit[i] = (struct fs_fault_unit){0};
  for (uint32_t i = 0; i < x->n; i++)
    if (x->list[i].any_op) f = &x->list[i];
  if (f == NULL) return;
  x->choose = true;
  for (uint32_t i = 0; i < w->n; i++) {
    uint32_t proc = fs_check_new_proc(w, false, i, 0);
    w->check->run->procs[proc].crash = true;
    if (i == 0) x->first_proc = proc;
  }
  if (!w->check->fine) {
    draw(w, f);
    return;
  }
  x->victim = f->unit;
  for (uint32_t i = 0; i < w->n; i++)
    if (may_crash(x, i)) offer_crash(w, i);
}

bool fs_check_fault_doomed(const struct fs_unit *u) {
  const struct fs_faults *x = u->world->faults;
  return x->choose && !x->used && !u->world->check->fine && x->victim == u->fab.me && x->unit[u->fab.me].steps >= x->victim_steps;
}

void fs_check_fault_stepped(struct fs_unit *u) {
  struct fs_world *w = u->world;
  struct fs_faults *x = w->faults;
  fs_check_fault_touch(w, u->fab.me, false);
  x->unit[u->fab.me].steps++;
  if (!x->choose || x->used || !may_crash(x, u->fab.me)) return;
  if (u->state == FS_ENDED || u->state == FS_WAIT_BEGIN) { /* it has done all that it had to do */
    fs_check_withdraw(w, x->first_proc + u->fab.me);
    x->used = x->victim == u->fab.me;
  } else if (fs_check_fault_doomed(u)) {
    fs_check_withdraw(w, u->fab.me);
    offer_crash(w, u->fab.me);
  }
}

void fs_check_fault_strike(struct fs_world *w, uint32_t proc) {
  struct fs_unit *u = &w->units[w->check->run->procs[proc].index];
  w->faults->used = true;
  offer_no_crash(w);
  fs_check_touch_id(w, ONE_CRASH, true);
  fs_fault_crash(u);
}

void fs_check_crash(struct fs_unit *u) {
  struct fs_world *w = u->world;
  struct fs_check_unit *cu = &w->check->run->units[u->fab.me];
  fs_check_fault_touch(w, u->fab.me, true);
  fs_check_drop(u);
  cu->go = FS_GO_NEVER;
  cu->timed = cu->polls = false;
  fs_check_withdraw(w, u->fab.me);
  if (w->faults->choose) fs_check_withdraw(w, w->faults->first_proc + u->fab.me);
}

void fs_check_fault_last(struct fs_world *w) {
  const struct fs_faults *x = w->faults;
  for (uint32_t i = 0; x->choose && !x->used && i < w->n; i++) {
    if (!w->check->run->procs[x->first_proc + i].offered) continue;
    fs_check_withdraw(w, x->first_proc + i);
    offer_crash(w, i);
  }
}

bool fs_check_fault_only(const struct fs_world *w) {
  const struct fs_check_run *r = w->check->run;
  if (!w->faults->choose || w->faults->used || !w->check->fine) return false;
  for (uint32_t i = 0; i < r->n_offers; i++)
    if (!r->procs[r->offers[i]].crash) return false;
  return true;
}
