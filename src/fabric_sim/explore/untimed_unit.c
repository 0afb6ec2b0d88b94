/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_unit.c - units in the untimed engine: when a unit can continue, and how it blocks. See
 * untimed.h. */
#include "fabric_sim/explore/untimed_unit.h"

#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/poll.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/explore/untimed_fault.h"
#include "fabric_sim/explore/untimed_proc.h"

/* this many calls of now, compute, progress in a row are no steps of their own: they touch
 * nothing */
#define QUICK_CALLS 16u
/* a unit that has slept so often in a row only polls */
#define SLEEPS 16u
/* Each so many reads of the clock in a row cost twice the time of those before, up to a bound: a
 * loop that reads it until some time has passed comes to its end. */
#define SLOW_READS 16u
#define SLOW_MOST 15u

bool sim_untimed_is_done(const struct sim_op *op, enum fab_level level) {
  if ((op->flags & SIM_F_DELIVERED) != 0) return true;
  if (op->unread) return false;
  if (!sim_untimed_carries_bytes(op))
    return level == FAB_LOCAL && op->kind == SIM_OP_AMO && op->local == NULL;
  return level == FAB_LOCAL || (op->flags & SIM_F_BUFFERED) != 0;
}

void sim_untimed_pending(struct sim_unit *u, struct sim_target *t, int32_t more) {
  struct sim_set *set = sim_inflight_set(u, t->set);
  if (set != NULL) set->pending += (uint32_t)more;
  t->pending += (uint32_t)more;
  sim_untimed_unit_of(u)->n_pending += (uint32_t)more;
}

/* The number of operations of the set to all units that are not locally complete. */
static uint32_t pending_of(struct sim_unit *u, fab_set_t set) {
  if (set == FAB_SET_ALL || sim_inflight_count(u, set) == u->listed)
    return sim_untimed_unit_of(u)->n_pending;
  const struct sim_set *s = sim_inflight_set(u, set);
  return s == NULL ? 0 : s->pending;
}

void sim_untimed_locally_complete(struct sim_world *w, struct sim_op *op) {
  struct sim_unit *u = &w->units[op->origin];
  if ((op->flags & SIM_F_PENDING) == 0) return;
  op->flags &= (uint16_t)~SIM_F_PENDING;
  sim_untimed_pending(u, sim_inflight_of(u, op), -1);
}

/* Whether nothing that the flush covers is in flight: operations of the set and to the units that
 * it names and,
 * since it is a full barrier, those that have been released. */
bool sim_untimed_is_flushed(struct sim_unit *u) {
  const struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  if (cu->flush_remote && (cu->n_stores > 0 || cu->n_released > 0)) return false;
  if (cu->flush_unit == FAB_ALL)
    return (cu->flush_remote ? sim_inflight_count(u, cu->flush_set)
                             : pending_of(u, cu->flush_set)) == 0;
  const struct sim_target *t;
  for (uint32_t i = 0; (t = sim_inflight_record(u, cu->flush_set, cu->flush_unit, &i)) != NULL;)
    if (cu->flush_remote || t->pending > 0) return false;
  return true;
}

static bool any_holds(const struct sim_unit *u) {
  return sim_wait_first_holding(u, 0) < u->wait_any.n;
}

bool sim_untimed_holds(const struct sim_unit *u, enum sim_state state) {
  return state == SIM_WAIT_WORD ? sim_wait_holds(u) : any_holds(u);
}

static bool can_go(struct sim_unit *u, const struct sim_untimed_unit *cu) {
  switch ((enum sim_untimed_wait)cu->go) {
    case SIM_GO:
      return true;
    case SIM_GO_OP:
      return sim_untimed_is_done(u->wait_op, (enum fab_level)cu->wait_level);
    case SIM_GO_FLUSH:
      return sim_untimed_is_flushed(u);
    case SIM_GO_CAP:
      return u->listed < u->world->opt.max_outstanding;
    case SIM_GO_WORD:
      return sim_wait_holds(u);
    case SIM_GO_ANY:
      return cu->stirred || any_holds(u);
    case SIM_GO_STORES:
      return cu->n_stores == 0;
    case SIM_GO_BEGIN:
    case SIM_GO_NEVER:
      return false;
  }
  return false;
}

void sim_untimed_unit_look(struct sim_unit *u) {
  const struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  if (cu->go == SIM_GO_NEVER) return;
  if (__builtin_expect(u->world->faults != NULL, 0) && sim_untimed_fault_doomed(u))
    sim_untimed_withdraw(u->world, u->fab.me);
  else if (can_go(u, cu))
    sim_untimed_offer(u->world, u->fab.me, cu->go == SIM_GO && cu->polls);
  else if (cu->timed && (cu->go == SIM_GO_WORD || cu->go == SIM_GO_ANY))
    sim_untimed_offer(u->world, u->fab.me, true);
  else
    sim_untimed_withdraw(u->world, u->fab.me);
}

void sim_untimed_block(struct sim_unit *u, enum sim_state state, enum sim_untimed_wait go) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  cu->go = (uint8_t)go;
  cu->quick = cu->passes = 0;
  sim_untimed_unit_look(u);
  sim_unit_block(u, state);
  cu->go = SIM_GO_NEVER;
}

void sim_untimed_written(struct sim_unit *u, const void *p, uint64_t len) {
  if (u->state == SIM_WAIT_WORD) {
    if (!sim_wait_overlaps(u->wait.word, sim_wait_bytes(u), p, len)) return;
  } else if (u->state == SIM_WAIT_ANY) {
    if (!sim_wait_any_overlaps(u, p, len)) return;
    /* it reads the words again, though more writes may be needed before a condition holds
     * (strategy/exhaustive.c) */
    if (u->wait_any.n > 1) sim_untimed_unit_of(u)->stirred = true;
  } else {
    return;
  }
  sim_untimed_unit_look(u);
}

/* In an exhaustive search each unit has a clock of its own: a shared clock would make every step
 * depend on every other. */
void sim_untimed_advance(struct sim_unit *u, uint64_t ps) {
  struct sim_world *w = u->world;
  uint64_t *clock = w->untimed->fine ? &u->local_ps : &w->now_ps, later_ps;
  if (!__builtin_add_overflow(*clock, ps, &later_ps)) *clock = later_ps;
  u->local_ps = ++*clock;
}

void sim_untimed_spend(struct sim_unit *u, uint64_t ps) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  uint32_t passes = cu->passes + 1;
  bool slept = u->last.call == SIM_CALL_SLEEP, time = u->last.call == SIM_CALL_TIME;
  if (time && ps == sim_net_local_ps(u->world->net, 0)) {
    uint32_t slow = cu->passes / SLOW_READS;
    if (ps == 0) ps = SIM_PS_PER_NS; /* such calls cost nothing on this machine */
    ps <<= slow < SLOW_MOST ? slow : SLOW_MOST;
  }
  sim_untimed_advance(u, ps);
  if (time && cu->quick++ < QUICK_CALLS) {
    cu->passes = passes;
    return;
  }
  cu->polls = time || (slept && passes > SLEEPS);
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO);
  cu->polls = false;
  if (time || slept) cu->passes = passes;
}

void sim_untimed_poll_step(struct sim_unit *u) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  cu->polls = true;
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO);
  cu->polls = false;
  sim_poll_goes_on(u);
}

void sim_untimed_atomic_step(struct sim_unit *u, const void *p, uint64_t len,
                             enum sim_untimed_wait go) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  cu->polls = sim_poll_repeats(u, p, len, SIM_UNTIMED_OFTEN);
  sim_untimed_block(u, SIM_ASLEEP, go);
  cu->polls = false;
  sim_poll_goes_on(u);
}

/* The unit reads something once, in a step of its own. A unit that reads again without having seen
 * a change only polls. */
void sim_untimed_look_step(struct sim_unit *u) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  cu->polls = cu->last_look_failed;
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO);
  cu->polls = false;
}
