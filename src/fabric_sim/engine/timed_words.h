/* SPDX-License-Identifier: BSD-3-Clause */
/* timed_words.h - how a unit waits for words in virtual time. For wait.c and timed.c. The function
 * is in a header, so that each caller that knows the state has its own inlined copy: waiting for
 * one word must be fast. */
#ifndef EYOT_FABRIC_SIM_ENGINE_TIMED_WORDS_H
#define EYOT_FABRIC_SIM_ENGINE_TIMED_WORDS_H

#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/timed.h"
#include "fabric_sim/engine/wait.h"

static inline bool timed_word_holds(const struct sim_unit *u) {
  return sim_wait_holds(u);
}

static inline bool timed_any_holds(const struct sim_unit *u) {
  return sim_wait_first_holding(u, 0) < u->wait_any.n;
}

static inline uint64_t deadline_of(const struct sim_unit *u, uint64_t timeout_ns) {
  uint64_t ps, t;
  if (timeout_ns == FAB_FOREVER || __builtin_mul_overflow(timeout_ns, SIM_PS_PER_NS, &ps) ||
      __builtin_add_overflow(u->local_ps, ps, &t) || t >= SIM_TIME_END_PS)
    return UINT64_MAX;
  return t;
}

/* Sleeps until the unit's wait condition holds; each check costs look_ps. Inlined with a constant
 * `holds`: one word is the case that must be fast. */
static inline __attribute__((always_inline)) int wait_until(struct sim_unit *u,
                                                            enum sim_state state,
                                                            bool (*holds)(const struct sim_unit *u),
                                                            uint64_t look_ps, uint64_t timeout_ns) {
  struct sim_world *w = u->world;
  uint64_t deadline_ps = deadline_of(u, timeout_ns);
  if (__builtin_expect(look_ps > 0, 1))
    u->local_ps += sim_fault_own(u, look_ps);
  else
    sim_timed_pass(u);
  for (;;) {
    bool ahead = u->local_ps - w->now_ps > w->lookahead_ps;
    if (!ahead && holds(u)) return EYOT_OK;
    if (ahead || u->local_ps >= deadline_ps) {
      sim_unit_yield(u);
      if (holds(u)) return EYOT_OK;
      if (u->local_ps >= deadline_ps) return EYOT_ETIMEOUT;
    }
    if (deadline_ps != UINT64_MAX) sim_world_wake_at(u, deadline_ps);
    sim_unit_block(u, state);
    if (__builtin_expect(w->faults != NULL, 0) && w->fault_ops->take_gone(u)) return EYOT_EPEERDOWN;
    u->local_ps += sim_fault_own(u, look_ps);
  }
}

/* See engine.h. */
static inline __attribute__((always_inline)) int sim_timed_wait_words(struct sim_unit *u,
                                                                      enum sim_state state,
                                                                      uint64_t timeout_ns) {
  const struct sim_net *net = u->world->net;
  if (__builtin_expect(state == SIM_WAIT_WORD, 1))
    return wait_until(u, SIM_WAIT_WORD, timed_word_holds, sim_net_poll_ps(net, 8), timeout_ns);
  return wait_until(u, SIM_WAIT_ANY, timed_any_holds, sim_net_poll_ps(net, 8ull * u->wait_any.n),
                    timeout_ns);
}
#endif
