/* SPDX-License-Identifier: BSD-3-Clause */
/* observer.h - observers: components that receive the operations and waits of a run, such as the
 * race detector (explore/race.c) and the summary (report/stats.c). Both engines call each observer
 * of the world's list, in the order in which it was added.
 *
 * An observer must not block, change the run, or draw from the choice stream: a run has the same
 * trace hash with and without observers. Pointers passed to it are valid during the call. An empty
 * list costs one test. The caller of sim_observer_add owns the observer's memory, which must
 * outlive the world's list; restoring a snapshot restores the list too. */
#ifndef EYOT_FABRIC_SIM_ENGINE_OBSERVER_H
#define EYOT_FABRIC_SIM_ENGINE_OBSERVER_H

#include "fabric_sim/engine/world.h"

/* A function may be NULL: the observer does not receive this event. `state` is the observer's. */
struct sim_observer_ops {
  const char *name;
  /* The unit has posted the operation; its payload is still as it was at the post. */
  void (*posted)(void *state, struct sim_unit *u, const struct sim_op *op);
  /* Timed engine only: the network has accepted the operation, which carries `bytes` bytes. */
  void (*injected)(void *state, const struct sim_op *op, uint64_t bytes);
  /* signaled: the operation's signal has acted. updated: its atomic has acted, and `value` is the
   * value before. */
  void (*signaled)(void *state, const struct sim_op *op);
  /* A put, or the bytes of a put with signal, has arrived: 2, 4 or 8 aligned bytes. */
  void (*arrived)(void *state, const struct sim_op *op);
  void (*updated)(void *state, const struct sim_op *op);
  /* completed: the unit knows that the operation is complete at the level. flushed: that all
   * operations of the set, or FAB_SET_ALL, to `unit` are. */
  void (*completed)(void *state, struct sim_unit *u, const struct sim_op *op, enum fab_level level);
  void (*flushed)(void *state, struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                  enum fab_level level);
  /* The unit orders its earlier posts to `unit` before its later ones, of a set or FAB_SET_ALL. */
  void (*ordered)(void *state, struct sim_unit *u, fab_set_t set, fab_unit_t unit);
  /* saw: a wait or test has found its condition true for a word of the unit's own memory.
   * saw_word: the same by the CPU, wherever the word is. */
  void (*saw)(void *state, struct sim_unit *u, uint32_t seg, uint64_t off, uint32_t len);
  void (*saw_word)(void *state, struct sim_unit *u, const void *word);
  /* eyot/check.h: cpu: the CPU has loaded, stored or updated a word (wrote: and changed it).
   * touched: the unit's CPU reads or writes memory of the program. */
  void (*cpu)(void *state, struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word,
              bool wrote);
  void (*touched)(void *state, struct sim_unit *u, const void *p, uint64_t len, enum fab_touch how);
  /* See struct fab_check. */
  bool (*lent)(void *state, const struct sim_unit *u, const void *p, uint64_t len, bool writes);
  /* Memory of the unit was allocated or freed. */
  void (*reused)(void *state, struct sim_unit *u, fab_seg_t seg, uint64_t off, uint64_t len);
  /* Timed engine only: who may access a buffer (fab_check.owned). */
  void (*owned)(void *state, struct sim_unit *u, const void *p, uint64_t len, enum fab_owned how);
  /* A step of an exchange of the control plane (fab_check.exchange). */
  void (*exchange)(void *state, struct sim_unit *u, const struct fab_exchange *e,
                   enum fab_exchange_step step);
  /* All units have made a segment, or destroyed one. */
  void (*barrier)(void *state);
  /* The unit enters the phase `name` (NULL: none); u->phase is still the previous one. */
  void (*phase)(void *state, struct sim_unit *u, const char *name);
};

struct sim_observer {
  const struct sim_observer_ops *ops;
  struct sim_observer *next; /* set by sim_observer_add */
  void *state;
};

/* Appends the observer to the world's list. It must not be in a list. */
void sim_observer_add(struct sim_world *w, struct sim_observer *o);

static inline bool sim_observed(const struct sim_world *w) {
  return __builtin_expect(w->observers != NULL, 0);
}

/* Call all observers. Each caller tests sim_observed(w) first. */
void sim_observe_posted(struct sim_unit *u, const struct sim_op *op);
void sim_observe_injected(const struct sim_world *w, const struct sim_op *op, uint64_t bytes);
void sim_observe_signaled(const struct sim_world *w, const struct sim_op *op);
void sim_observe_arrived(const struct sim_world *w, const struct sim_op *op);
void sim_observe_updated(const struct sim_world *w, const struct sim_op *op);
void sim_observe_completed(struct sim_unit *u, const struct sim_op *op, enum fab_level level);
void sim_observe_flushed(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level);
void sim_observe_ordered(struct sim_unit *u, fab_set_t set, fab_unit_t unit);
void sim_observe_saw(struct sim_unit *u, uint32_t seg, uint64_t off, uint32_t len);
void sim_observe_saw_word(struct sim_unit *u, const void *word);
void sim_observe_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, bool wrote);
void sim_observe_touched(struct sim_unit *u, const void *p, uint64_t len, enum fab_touch how);
/* Whether one of them says so. */
bool sim_observe_lent(const struct sim_unit *u, const void *p, uint64_t len, bool writes);
void sim_observe_reused(struct sim_unit *u, fab_seg_t seg, uint64_t off, uint64_t len);
void sim_observe_owned(struct sim_unit *u, const void *p, uint64_t len, enum fab_owned how);
void sim_observe_exchange(struct sim_unit *u, const struct fab_exchange *e,
                          enum fab_exchange_step step);
void sim_observe_barrier(const struct sim_world *w);
void sim_observe_phase(struct sim_unit *u, const char *name);
#endif
