/* SPDX-License-Identifier: BSD-3-Clause */
/* inflight.h - the operations that a unit has in flight: lists in the order of posting, of all and
 * of each target, and the records of targets (target.h). For both engines and explore/.
 *
 * A unit with one target keeps the record in itself; with more, in a table that grows with the
 * number of targets in use and does not depend on the number of units. Adding and removing take
 * constant time. */
#ifndef EYOT_FABRIC_SIM_ENGINE_INFLIGHT_H
#define EYOT_FABRIC_SIM_ENGINE_INFLIGHT_H

#include "fabric_sim/engine/world.h"

/* Appends the operation; removes it. */
void sim_inflight_add(struct sim_unit *u, struct sim_op *op);
void sim_inflight_remove(struct sim_unit *u, struct sim_op *op);
/* Whether an operation to that target would need the table, or a larger one: the caller may first
 * remove operations that are over. */
bool sim_inflight_grows(const struct sim_unit *u, uint32_t target);
/* Frees the unit's table. */
void sim_inflight_fini(struct sim_unit *u);

/* For a unit whose records are in the table: the record of a target with operations, or NULL. */
struct sim_target *sim_inflight_find(const struct sim_unit *u, uint32_t target);

/* Returns the record of the target, or NULL: no operation to it is in flight. */
static inline struct sim_target *sim_inflight_to(struct sim_unit *u, uint32_t target) {
  if (__builtin_expect(u->many != NULL && u->many->on, 0)) return sim_inflight_find(u, target);
  return u->one.n > 0 && u->one.unit == target ? &u->one : NULL;
}

/* Timed engine. The times of the operation to `t` are known, or a fault has changed them: they only
 * grow. */
void sim_inflight_timed(struct sim_unit *u, struct sim_target *t, const struct sim_op *op);
/* Returns the ends of all operations to `unit`, or FAB_ALL; times in the past for none. */
struct sim_ends sim_inflight_ends(const struct sim_unit *u, fab_unit_t unit);
/* Returns an operation that the NIC has accepted and that is over before `before_ps`, or NULL.
 * Successive calls visit each operation once; the caller removes what it gets. */
struct sim_op *sim_inflight_over(struct sim_unit *u, uint64_t before_ps);

/* Walks over the operations to `unit`, or FAB_ALL, in the order of posting or backwards; counted,
 * so that a test can see what a call visits (sim_world.visits). */
static inline struct sim_op *sim_inflight_at(const struct sim_unit *u, uint32_t index) {
  if (index == SIM_OP_NONE) return NULL;
  u->world->visits++;
  return sim_pool_at(&u->world->pool, index);
}
static inline struct sim_op *sim_inflight_first(struct sim_unit *u, fab_unit_t unit) {
  if (unit == FAB_ALL) return u->head;
  const struct sim_target *t = sim_inflight_to(u, unit);
  return t == NULL ? NULL : sim_inflight_at(u, t->first);
}
static inline struct sim_op *sim_inflight_last(struct sim_unit *u, fab_unit_t unit) {
  if (unit == FAB_ALL) return u->tail;
  const struct sim_target *t = sim_inflight_to(u, unit);
  return t == NULL ? NULL : sim_inflight_at(u, t->last);
}
static inline struct sim_op *sim_inflight_next(const struct sim_unit *u, fab_unit_t unit,
                                               const struct sim_op *op) {
  return sim_inflight_at(u, unit == FAB_ALL ? op->next : op->next_to);
}
static inline struct sim_op *sim_inflight_prev(const struct sim_unit *u, fab_unit_t unit,
                                               const struct sim_op *op) {
  return sim_inflight_at(u, unit == FAB_ALL ? op->prev : op->prev_to);
}
#endif
