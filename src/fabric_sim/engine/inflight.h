/* SPDX-License-Identifier: BSD-3-Clause */
/* inflight.h - the operations that a unit has in flight: lists in the order of posting, of all and
 * of each set and target, and their records (target.h). For both engines and explore/.
 *
 * A unit with one set and target keeps the record in itself; with more, in a table that grows with
 * the number of pairs in use and does not depend on the number of units. Adding, removing and
 * finding the record of a set take constant time, whatever the number of sets.
 *
 * In most runs nobody asks for the record of one of several targets. So in a lazy world
 * (sim_world.lazy) such a unit is loose: the record in itself is that of all, without a list, and
 * the first question makes the table, at the cost of a visit of each operation; the next times the
 * unit makes it at once. */
#ifndef EYOT_FABRIC_SIM_ENGINE_INFLIGHT_H
#define EYOT_FABRIC_SIM_ENGINE_INFLIGHT_H

#include "fabric_sim/engine/world.h"

/* Appends the operation to its record, a new one if need be; for sim_inflight_add. */
void sim_inflight_enter(struct sim_unit *u, struct sim_op *op);
/* Appends the operation; removes it. */
static inline __attribute__((always_inline)) void sim_inflight_add(struct sim_unit *u,
                                                                   struct sim_op *op) {
  if (__builtin_expect(u->loose && op->set == FAB_SET_DEFAULT, 1))
    u->one.n++;
  else
    sim_inflight_enter(u, op);
  op->next = SIM_OP_NONE;
  op->prev = SIM_OP_NONE;
  if (u->tail != NULL) {
    op->prev = u->tail->index;
    u->tail->next = op->index;
  } else {
    u->head = op;
  }
  u->tail = op;
  u->listed++;
  op->flags |= SIM_F_LISTED;
}
void sim_inflight_remove(struct sim_unit *u, struct sim_op *op);
/* Empties the lists and makes all records void: the caller has taken all operations. */
void sim_inflight_clear(struct sim_unit *u);
/* Whether the operation, which is not listed yet, would need the table, or a larger one: the caller
 * may first remove operations that are over. */
bool sim_inflight_grows(const struct sim_unit *u, const struct sim_op *op);
/* Frees the unit's table. */
void sim_inflight_fini(struct sim_unit *u);

/* For a unit whose records are in the table: the record of a set and target with operations, or
 * NULL. */
struct sim_target *sim_inflight_find(const struct sim_unit *u, fab_set_t set, uint32_t target);

/* The unit is loose: makes the records of its operations. */
void sim_inflight_make_records(struct sim_unit *u);

/* Prefetches the operation's record. */
void sim_inflight_expect(const struct sim_unit *u, const struct sim_op *op);

/* Returns the record of the set and target, or NULL: no operation of it is in flight. */
static inline struct sim_target *sim_inflight_to(struct sim_unit *u, fab_set_t set,
                                                 uint32_t target) {
  if (__builtin_expect(u->loose, 0)) sim_inflight_make_records(u);
  if (__builtin_expect(u->many != NULL && u->many->on, 0)) return sim_inflight_find(u, set, target);
  return u->one.n > 0 && u->one.unit == target && u->one.set == set ? &u->one : NULL;
}
/* Of an operation that is listed. */
static inline struct sim_target *sim_inflight_of(struct sim_unit *u, const struct sim_op *op) {
  return sim_inflight_to(u, op->set, op->target);
}
/* The same, or the record of all if the unit is loose: no order holds its operations back. */
static inline struct sim_target *sim_inflight_held(struct sim_unit *u, const struct sim_op *op) {
  return u->loose ? &u->one : sim_inflight_of(u, op);
}
/* Walks over the records with operations of a set, or FAB_SET_ALL, to a unit, or FAB_ALL: returns
 * the next one, or NULL. *at is 0 at first; no operation may be added or removed meanwhile. */
struct sim_target *sim_inflight_record(struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                                       uint32_t *at);
/* The set's entry if the unit has several, or NULL. */
struct sim_set *sim_inflight_set(const struct sim_unit *u, fab_set_t set);
/* The number of operations of a set, or FAB_SET_ALL, to all units. */
uint32_t sim_inflight_count(const struct sim_unit *u, fab_set_t set);

/* Timed engine. The times of the operation to `t` are known, or a fault has changed them: they only
 * grow. */
void sim_inflight_timed_many(struct sim_unit *u, struct sim_target *t, const struct sim_op *op);
static inline void sim_ends_extend(struct sim_ends *e, struct sim_ends by) {
  if (e->done_ps < by.done_ps) e->done_ps = by.done_ps;
  if (e->local_ps < by.local_ps) e->local_ps = by.local_ps;
}
static inline void sim_inflight_timed(struct sim_unit *u, struct sim_target *t,
                                      const struct sim_op *op) {
  sim_ends_extend(&t->ends, (struct sim_ends){op->done_at + 1, sim_op_local_ps(op)});
  if (__builtin_expect(
          (u->many != NULL && u->many->on) || u->world->opt.order == EYOTI_ORDER_STRICT, 0))
    sim_inflight_timed_many(u, t, op);
}
/* Later operations of any set to the record's target come after that time; an operation of the
 * record is in the store buffer until then. */
void sim_inflight_before(struct sim_unit *u, struct sim_target *t, uint64_t at);
void sim_inflight_released(struct sim_unit *u, struct sim_target *t, uint64_t at);
/* Whether a record of another set may hold back what is posted now. */
static inline bool sim_inflight_holds(const struct sim_unit *u) {
  const struct sim_many *m = u->many;
  uint64_t now_ps = u->world->now_ps;
  return m != NULL && m->on && m->n_sets > 0 &&
         (m->before_at >= now_ps || m->released_at >= now_ps);
}
/* Returns the ends of all operations of a set, or FAB_SET_ALL, to `unit`, or FAB_ALL; times in the
 * past for none. */
struct sim_ends sim_inflight_ends(struct sim_unit *u, fab_set_t set, fab_unit_t unit);
/* Returns an operation that the NIC has accepted and that is over before `before_ps`, or NULL.
 * Successive calls visit each operation once; the caller removes what it gets. */
struct sim_op *sim_inflight_over(struct sim_unit *u, uint64_t before_ps);

/* Walks over the operations of a record, or (t NULL) over all, in the order of posting or
 * backwards; counted, so that a test can see what a call visits (sim_world.visits). */
static inline struct sim_op *sim_inflight_at(const struct sim_unit *u, uint32_t index) {
  if (index == SIM_OP_NONE) return NULL;
  u->world->visits++;
  return sim_pool_at(&u->world->pool, index);
}
static inline struct sim_op *sim_inflight_first(const struct sim_unit *u,
                                                const struct sim_target *t) {
  return t == NULL ? u->head : sim_inflight_at(u, t->first);
}
static inline struct sim_op *sim_inflight_last(const struct sim_unit *u,
                                               const struct sim_target *t) {
  return t == NULL ? u->tail : sim_inflight_at(u, t->last);
}
static inline struct sim_op *sim_inflight_next(const struct sim_unit *u, const struct sim_target *t,
                                               const struct sim_op *op) {
  return sim_inflight_at(u, t == NULL ? op->next : op->next_to);
}
static inline struct sim_op *sim_inflight_prev(const struct sim_unit *u, const struct sim_target *t,
                                               const struct sim_op *op) {
  return sim_inflight_at(u, t == NULL ? op->prev : op->prev_to);
}
#endif
