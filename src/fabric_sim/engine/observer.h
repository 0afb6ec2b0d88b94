/* SPDX-License-Identifier: BSD-3-Clause */
/* observer.h - those who are told of what happens in a run: the race detector, the summary, later a
 * tracer. Both engines tell each observer of the world's list, in the order in which it was added.
 *
 * An observer must not block, change the run, or draw from the choice stream: a run with observers
 * has the trace hash of the run without. Pointers that it is given are valid during the call. An
 * empty list costs one test. Who adds an observer owns its memory, which must outlive the world's
 * list; a snapshot that is restored restores the list too. */
#ifndef EYOT_FABRIC_SIM_ENGINE_OBSERVER_H
#define EYOT_FABRIC_SIM_ENGINE_OBSERVER_H

#include "fabric_sim/engine/world.h"

/* NULL in place of any function: the observer is not told. `state` is the observer's. */
struct sim_observer_ops {
  const char *name;
  /* The unit has posted the operation; its payload is as it was at the post. */
  void (*posted)(void *state, struct sim_unit *u, const struct sim_op *op);
  /* With time only: the network has taken the operation, which has so many bytes. */
  void (*injected)(void *state, const struct sim_op *op, uint64_t bytes);
  /* The operation's signal has acted; its atomic has acted, and `value` is the value before. */
  void (*signaled)(void *state, const struct sim_op *op);
  void (*updated)(void *state, const struct sim_op *op);
  /* The unit knows that the operation is complete at the level; that all to `unit` are. */
  void (*completed)(void *state, struct sim_unit *u, const struct sim_op *op, enum fab_level level);
  void (*flushed)(void *state, struct sim_unit *u, fab_unit_t unit, enum fab_level level);
  /* The unit orders what it has posted to `unit` before what it will post. */
  void (*ordered)(void *state, struct sim_unit *u, fab_unit_t unit);
  /* A wait or test has found the word of the unit's own memory as wanted; the same by the CPU,
   * wherever the word is. */
  void (*saw)(void *state, struct sim_unit *u, uint32_t seg, uint64_t off);
  void (*saw_word)(void *state, struct sim_unit *u, const void *word);
  /* eyot/check.h: the CPU has loaded, stored or updated a word (wrote: and changed it); the program
   * reads or writes memory by plain loads and stores. */
  void (*cpu)(void *state, struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word,
              bool wrote);
  void (*touched)(void *state, struct sim_unit *u, const void *p, uint64_t len, bool writes);
  /* Memory of the unit was given out or freed. */
  void (*reused)(void *state, struct sim_unit *u, fab_seg_t seg, uint64_t off, uint64_t len);
  /* A step of an exchange of the control plane (fab_check.exchange). */
  void (*exchange)(void *state, struct sim_unit *u, const struct fab_exchange *e,
                   enum fab_exchange_step step);
  /* All units have made a segment, or destroyed one. */
  void (*barrier)(void *state);
  /* The unit enters the phase `name` (NULL: none); u->phase is still the one before. */
  void (*phase)(void *state, struct sim_unit *u, const char *name);
};

struct sim_observer {
  const struct sim_observer_ops *ops;
  struct sim_observer *next; /* set by sim_observer_add */
  void *state;
};

/* Appends it to the world's list. It must not be in a list. */
void sim_observer_add(struct sim_world *w, struct sim_observer *o);

static inline bool sim_observed(const struct sim_world *w) {
  return __builtin_expect(w->observers != NULL, 0);
}

/* Tell all observers. Each call stands where sim_observed(w) is true. */
void sim_observe_posted(struct sim_unit *u, const struct sim_op *op);
void sim_observe_injected(const struct sim_world *w, const struct sim_op *op, uint64_t bytes);
void sim_observe_signaled(const struct sim_world *w, const struct sim_op *op);
void sim_observe_updated(const struct sim_world *w, const struct sim_op *op);
void sim_observe_completed(struct sim_unit *u, const struct sim_op *op, enum fab_level level);
void sim_observe_flushed(struct sim_unit *u, fab_unit_t unit, enum fab_level level);
void sim_observe_ordered(struct sim_unit *u, fab_unit_t unit);
void sim_observe_saw(struct sim_unit *u, uint32_t seg, uint64_t off);
void sim_observe_saw_word(struct sim_unit *u, const void *word);
void sim_observe_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, bool wrote);
void sim_observe_touched(struct sim_unit *u, const void *p, uint64_t len, bool writes);
void sim_observe_reused(struct sim_unit *u, fab_seg_t seg, uint64_t off, uint64_t len);
void sim_observe_exchange(struct sim_unit *u, const struct fab_exchange *e,
                          enum fab_exchange_step step);
void sim_observe_barrier(const struct sim_world *w);
void sim_observe_phase(struct sim_unit *u, const char *name);
#endif
