/* SPDX-License-Identifier: BSD-3-Clause */
/* actors.c - the executor `simgrid`: units as SimGrid actors, resumed one at a time by a main loop
 * that drives SimGrid's clock. See exec.h.
 *
 * A unit blocks by suspending itself and in no other way (no sleep, exec or comm), so that
 * simgrid_run_until never runs past the requested time. */
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/exec/exec.h"
#include "fabric_sim/simgrid/module.h"

#define PS 1e-12
/* a solve may stop short of the date by a rounding error; two have always sufficed */
#define ADVANCE_TRIES 8

struct sim_exec {
  sg_actor_t *actors;
  sim_exec_body body;
  void *arg;
  double clock;
  uint32_t n;
  bool started;
};

static int simgrid_exec_open(const struct sim_exec_opts *o, struct sim_exec **out) {
  struct sim_exec *x = calloc(1, sizeof *x);
  if (x == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the simgrid executor");
  x->actors = calloc(o->n_units, sizeof(sg_actor_t));
  if (x->actors == NULL) {
    free(x);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u actors", o->n_units);
  }
  x->n = o->n_units;
  *out = x;
  return EYOT_OK;
}

/* The C interface starts actors with strings only: the actor's name is the unit's number, its datum
 * the executor. */
static void actor_main(int argc, char **argv) {
  EYOTI_ASSERT(argc == 1);
  uint32_t i = (uint32_t)strtoul(argv[0], NULL, 10);
  struct sim_exec *x = sg_actor_self_get_data();
  sg_actor_suspend(x->actors[i]);
  x->body(x->arg, i);
  EYOTI_PANIC("unit %u came back from its body", i);
}

static int simgrid_spawn(struct sim_exec *x, uint32_t i, void *host, sim_exec_body body,
                         void *arg) {
  EYOTI_ASSERT(i < x->n && host != NULL);
  x->body = body;
  x->arg = arg;
  char number[16];
  snprintf(number, sizeof number, "%u", i);
  const char *argv[] = {number, NULL};
  x->actors[i] = sg_actor_init(number, host);
  sg_actor_set_data(x->actors[i], x);
  sg_actor_start_(x->actors[i], actor_main, 1, argv);
  return EYOT_OK;
}

static void simgrid_block(struct sim_exec *x, uint32_t i) {
  sg_actor_suspend(x->actors[i]);
}

static void simgrid_advance(struct sim_exec *x, uint64_t now_ps) {
  double t = (double)now_ps * PS;
  if (!x->started) {
    simgrid_run_until(0.0); /* runs every actor to its first suspend */
    x->started = true;
  }
  for (int i = 0; i < ADVANCE_TRIES && x->clock < t; i++) {
    simgrid_run_until(t);
    x->clock = simgrid_get_clock();
  }
}

static void simgrid_wake(struct sim_exec *x, uint32_t i) {
  sg_actor_resume(x->actors[i]);
  simgrid_run_until(x->clock);
}

static void simgrid_expect(const struct sim_exec *x, uint32_t i, bool now) {
  (void)x, (void)i, (void)now;
}

static const unsigned char *simgrid_stack_low(const struct sim_exec *x, uint32_t i) {
  (void)x, (void)i;
  return NULL; /* SimGrid owns the stacks and does not expose them */
}

static void simgrid_close(struct sim_exec *x) {
  free(x->actors);
  free(x);
}

const struct sim_exec_ops sim_sg_actors = {.name = "simgrid",
                                           .open = simgrid_exec_open,
                                           .spawn = simgrid_spawn,
                                           .block = simgrid_block,
                                           .wake = simgrid_wake,
                                           .advance = simgrid_advance,
                                           .expect = simgrid_expect,
                                           .stack_low = simgrid_stack_low,
                                           .close = simgrid_close};
