/* SPDX-License-Identifier: BSD-3-Clause */
/* observer.c - calls the observers of a world. See observer.h. */
#include "fabric_sim/engine/observer.h"

void sim_observer_add(struct sim_world *w, struct sim_observer *o) {
  o->next = NULL;
  struct sim_observer **end = &w->observers;
  while (*end != NULL) end = &(*end)->next;
  *end = o;
}

/* Calls this function of each observer that has it. */
#define OBSERVE(w, function, ...)                                             \
  for (const struct sim_observer *o = (w)->observers; o != NULL; o = o->next) \
    if (o->ops->function != NULL) o->ops->function(__VA_ARGS__)

void sim_observe_posted(struct sim_unit *u, const struct sim_op *op) {
  OBSERVE(u->world, posted, o->state, u, op);
}

void sim_observe_injected(const struct sim_world *w, const struct sim_op *op, uint64_t bytes) {
  OBSERVE(w, injected, o->state, op, bytes);
}

void sim_observe_signaled(const struct sim_world *w, const struct sim_op *op) {
  OBSERVE(w, signaled, o->state, op);
}

void sim_observe_arrived(const struct sim_world *w, const struct sim_op *op) {
  OBSERVE(w, arrived, o->state, op);
}

void sim_observe_updated(const struct sim_world *w, const struct sim_op *op) {
  OBSERVE(w, updated, o->state, op);
}

void sim_observe_completed(struct sim_unit *u, const struct sim_op *op, enum fab_level level) {
  OBSERVE(u->world, completed, o->state, u, op, level);
}

void sim_observe_flushed(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level) {
  OBSERVE(u->world, flushed, o->state, u, set, unit, level);
}

void sim_observe_ordered(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  OBSERVE(u->world, ordered, o->state, u, set, unit);
}

void sim_observe_saw(struct sim_unit *u, uint32_t seg, uint64_t off, uint32_t len) {
  OBSERVE(u->world, saw, o->state, u, seg, off, len);
}

void sim_observe_saw_word(struct sim_unit *u, const void *word) {
  OBSERVE(u->world, saw_word, o->state, u, word);
}

void sim_observe_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, bool wrote) {
  OBSERVE(u->world, cpu, o->state, u, op, word, wrote);
}

void sim_observe_touched(struct sim_unit *u, const void *p, uint64_t len, enum fab_touch how) {
  OBSERVE(u->world, touched, o->state, u, p, len, how);
}

bool sim_observe_lent(const struct sim_unit *u, const void *p, uint64_t len, bool writes) {
  for (const struct sim_observer *o = u->world->observers; o != NULL; o = o->next)
    if (o->ops->lent != NULL && o->ops->lent(o->state, u, p, len, writes)) return true;
  return false;
}

void sim_observe_reused(struct sim_unit *u, fab_seg_t seg, uint64_t off, uint64_t len) {
  OBSERVE(u->world, reused, o->state, u, seg, off, len);
}

void sim_observe_owned(struct sim_unit *u, const void *p, uint64_t len, enum fab_owned how) {
  OBSERVE(u->world, owned, o->state, u, p, len, how);
}

void sim_observe_exchange(struct sim_unit *u, const struct fab_exchange *e,
                          enum fab_exchange_step step) {
  OBSERVE(u->world, exchange, o->state, u, e, step);
}

void sim_observe_barrier(const struct sim_world *w) {
  OBSERVE(w, barrier, o->state);
}

void sim_observe_phase(struct sim_unit *u, const char *name) {
  OBSERVE(u->world, phase, o->state, u, name);
}
