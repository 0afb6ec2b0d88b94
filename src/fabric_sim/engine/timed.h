/* SPDX-License-Identifier: BSD-3-Clause */
/* timed.h - the timed engine: its table of operations (engine.h) and the functions in it. For
 * engine/ only: world.c sets the table, wait.c and ops_table.c call its functions directly.
 *
 * Each operation has costs and takes effect at a virtual time; the main loop (world_run.c) takes
 * events in that order. */
#ifndef EYOT_FABRIC_SIM_ENGINE_TIMED_H
#define EYOT_FABRIC_SIM_ENGINE_TIMED_H

#include "fabric_sim/engine/engine.h"
#include "fabric_sim/engine/world.h"

/* timed.c. */
extern const struct sim_engine_ops sim_timed_engine;

/* post.c. engine.h states what these functions promise. */
void sim_timed_post(struct sim_unit *u, struct sim_op *op);

/* timed_wait.c. */
int sim_timed_wait_req(struct sim_unit *u, struct sim_op *op, enum fab_level level);
int sim_timed_test(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done);
int sim_timed_flush(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level);
int sim_timed_order(struct sim_unit *u, fab_set_t set, fab_unit_t unit);
void sim_timed_spend(struct sim_unit *u, uint64_t ps);
/* The unit's clock passes over a call that costs nothing. */
void sim_timed_pass(struct sim_unit *u);

/* Calls an operation of the world's engine. The timed engine's functions are called directly, so
 * that they are inlined: the table costs one test. */
#define SIM_ENGINE_CALL(u, function, ...)                       \
  (__builtin_expect((u)->world->engine == &sim_timed_engine, 1) \
       ? sim_timed_##function(__VA_ARGS__)                      \
       : (u)->world->engine->function(__VA_ARGS__))
static inline int sim_engine_wait_req(struct sim_unit *u, struct sim_op *op, enum fab_level level) {
  return SIM_ENGINE_CALL(u, wait_req, u, op, level);
}
static inline int sim_engine_test(struct sim_unit *u, struct sim_op *op, enum fab_level level,
                                  bool *done) {
  return SIM_ENGINE_CALL(u, test, u, op, level, done);
}
static inline int sim_engine_flush(struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                                   enum fab_level level) {
  return SIM_ENGINE_CALL(u, flush, u, set, unit, level);
}
static inline int sim_engine_order(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  return SIM_ENGINE_CALL(u, order, u, set, unit);
}
static inline void sim_engine_spend(struct sim_unit *u, uint64_t ps) {
  SIM_ENGINE_CALL(u, spend, u, ps);
}
#endif
