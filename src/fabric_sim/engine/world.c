/* SPDX-License-Identifier: BSD-3-Clause */
/* world.c - opens and closes a world: the network's model, the program's copies, the units. See
 * world.h. */
#include "fabric_sim/engine/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/engine/away.h"
#include "fabric_sim/engine/bulk.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/limits.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/ops_table.h"
#include "fabric_sim/engine/poll.h"
#include "fabric_sim/engine/timed.h"
#include "fabric_sim/host/clock.h"
#include "fabric_sim/host/pages.h"
#include "fabric_sim/machine/simgrid.h"
#include "rt/proc.h"

#define SIM_LOOKAHEAD_POSTS 2u /* see sim_world.lookahead_ps */

/* Copies the arguments, so that the unit may write to them: pointers and text in one block. */
static char **copy_argv(int argc, char **argv) {
  size_t text = 0, count = (size_t)argc;
  for (size_t i = 0; i < count; i++) text += strlen(argv[i]) + 1;
  char **copy = malloc((count + 1) * sizeof *copy + text);
  if (copy == NULL) return NULL;
  char *at = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = at;
    at = stpcpy(at, argv[i]) + 1;
  }
  copy[count] = NULL;
  return copy;
}

/* Of struct eyot_rt. */
static const struct eyoti_call_notes *calls_of(const struct eyot_rt *rt, uint32_t unit) {
  const struct sim_unit *u =
      (const struct sim_unit *)(const void *)((const char *)rt - offsetof(struct sim_unit, rt));
  return &u->world->units[unit].rt.calls;
}

static int open_units(struct sim_world *w, char **argv) {
  w->units = sim_pages_alloc(w->n * sizeof *w->units);
  if (w->units == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u units", w->n);
  memset(w->units, 0, w->n * sizeof *w->units);
  if (w->n <= SIM_WRITES_MANY_UNITS &&
      (w->writes = calloc(w->n, SIM_WRITES_MANY * sizeof *w->writes)) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the last writes of %u units", w->n);
  for (uint32_t i = 0; i < w->n; i++) {
    struct sim_unit *u = &w->units[i];
    u->fab = (struct fab){.ops = &w->fab_ops,
                          .me = i,
                          .n = w->n,
                          .caps = FAB_CAP_VIRTUAL_TIME,
                          .unit_exit = sim_unit_exit};
    u->world = w;
    u->state = SIM_ASLEEP;
    u->words.ring = w->writes != NULL ? w->writes + (size_t)i * SIM_WRITES_MANY : u->few;
    u->words.mask = (w->writes != NULL ? SIM_WRITES_MANY : SIM_WRITES_FEW) - 1;
    sim_libc_init(&u->libc);
    u->argv = copy_argv(w->argc, argv);
    if (u->argv == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the arguments of unit %u", i);
    eyoti_rt_host(&u->rt, &u->fab, w->proc);
    u->rt.calls_of = calls_of;
    EYOTI_TRY(w->exec_ops->spawn(w->exec, i, sim_net_host(w->net, i), sim_unit_body, w));
    uint16_t bytes;
    char *slack = w->exec_ops->slack != NULL ? w->exec_ops->slack(w->exec, i, &bytes) : NULL;
    if (slack != NULL) eyoti_slack_give(u->rt.slack, slack, bytes);
  }
  return EYOT_OK;
}

bool sim_world_code(void *world, uint32_t unit, const void *address, const char **file,
                    uint64_t *off) {
  const struct sim_world *w = world;
  *file = sim_prog_file(w->prog);
  return sim_prog_offset(w->prog, unit, address, off);
}

static int choose_executor(struct sim_world *w) {
  const struct sim_sg_ops *sg = NULL;
  if (w->opt.simgrid) EYOTI_TRY(sim_sg_open(&sg));
  w->exec_ops = sg != NULL ? sg->actors : &sim_exec_fiber;
  return EYOT_OK;
}

int sim_world_open(struct sim_world *w, const struct sim_options *opt,
                   const struct sim_report_ops *reports, int argc, char **argv) {
  *w = (struct sim_world){.opt = *opt,
                          .engine = &sim_timed_engine,
                          .reports = reports,
                          .fab_ops = sim_fab_ops,
                          .n = opt->n_units,
                          .argc = argc,
                          .running = UINT32_MAX,
                          .wall_start_ns = sim_clock_ns()};
  if (opt->clock == EYOTI_CLOCK_REAL) w->fab_ops.sleep = NULL;
  if (opt->compute == EYOTI_COMPUTE_MEASURED) sim_measured_init(&w->measured, opt->compute_percent);
  sim_queue_init(&w->queue);
  sim_pool_init(&w->pool);
  sim_trace_init(&w->trace);
  sim_bound_init(&w->bound, opt->max_virtual_ns, opt->max_steps);
  w->shared = opt->network != EYOTI_NETWORK_BOOKED && !opt->explore;
  w->lazy = !opt->explore && !opt->races && opt->fault == NULL && opt->order != EYOTI_ORDER_STRICT;
  const struct sim_net_opts net = {.platform = opt->platform,
                                   .n_units = w->n,
                                   .units_per_node = opt->units_per_node,
                                   .placement = opt->placement,
                                   .node_placement = opt->node_placement,
                                   .shared = w->shared,
                                   .flows = w->shared && opt->network == EYOTI_NETWORK_SIMGRID,
                                   .booked = !w->shared && !opt->explore,
                                   .on_nic = opt->on_nic && !opt->explore,
                                   .hosts = opt->simgrid,
                                   .traffic = opt->explore ? NULL : opt->traffic};
  EYOTI_TRY(sim_net_open(&net, &w->net));
  if (!opt->explore) EYOTI_TRY(sim_away_open(w));
  EYOTI_TRY(sim_prog_open(argv[0], w->n, opt->shared_globals, &w->prog));
  w->openmp = sim_prog_openmp(w->prog);
  EYOTI_TRY(sim_segs_init(w));
  if ((w->proc = eyoti_proc_new()) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the state that all units share");
  eyoti_proc_host(w->proc, sim_world_code, NULL, w);
  w->fab_ops.model = sim_net_model(w->net);
  if (opt->explore || !sim_net_takes_given(w->net)) w->fab_ops.seg_secure = NULL;
  w->lookahead_ps = SIM_LOOKAHEAD_POSTS * sim_net_post_ps(w->net);
  w->guards = sim_limits_guards(w->n);
  const struct sim_exec_opts exec = {
      .n_units = w->n, .stack_bytes = opt->stack_bytes, .guards = w->guards};
  EYOTI_TRY(choose_executor(w));
  if (w->exec_ops->deep == NULL || w->n <= EYOTI_SLACK_UNITS) w->fab_ops.deep = NULL;
  EYOTI_TRY(w->exec_ops->open(&exec, &w->exec));
  return open_units(w, argv);
}

void sim_world_close(struct sim_world *w) {
  sim_watch_close(w);
  sim_measured_fini(&w->measured);
  sim_bound_fini(&w->bound);
  for (uint32_t i = 0; i < w->n && w->units != NULL; i++) {
    sim_seg_drop_attached(&w->units[i]);
    sim_inflight_fini(&w->units[i]);
    sim_reap_fini(&w->units[i]);
    sim_poll_free(&w->units[i]);
    sim_openmp_fini(&w->units[i].openmp);
    free(w->units[i].argv);
  }
  if (w->exec != NULL) w->exec_ops->close(w->exec);
  free(w->away);
  free(w->units);
  free(w->writes);
  if (w->proc != NULL) eyoti_proc_delete(w->proc);
  if (w->prog != NULL) sim_prog_close(w->prog);
  if (w->net != NULL) sim_net_close(w->net);
  sim_segs_fini(w);
  sim_pool_fini(&w->pool);
  sim_flow_fini(&w->flows);
  sim_bulk_fini(w);
  sim_queue_fini(&w->queue);
}
