/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.c - the effects of faults on units, on operations, and on time. See fault.h. */
#include "fabric_sim/fault/fault.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/wording.h"
#include "fabric_sim/engine/engine.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/fault/noise.h"

static bool is_link(const struct sim_fault *f) {
  return f->kind == SIM_FAULT_LINK_DOWN || f->kind == SIM_FAULT_LINK_SLOW;
}

void sim_fault_close(struct sim_world *w) {
  if (w->faults == NULL) return;
  free(w->faults->noise_at);
  free(w->faults->unit);
  free(w->faults);
  w->faults = NULL;
}

SIM_FAULT_COLD static void fault_begin(struct sim_world *w) {
  w->faults->seed = w->random;
  for (uint32_t i = 0; i < w->faults->n; i++) {
    const struct sim_fault *f = &w->faults->list[i];
    if (f->kind == SIM_FAULT_CRASH && f->at_ps != SIM_FAULT_FOREVER)
      (void)sim_world_push(w, f->at_ps, SIM_EV_FAULT, i);
  }
}

SIM_FAULT_COLD static void fault_event(struct sim_world *w, uint32_t index) {
  struct sim_unit *u = &w->units[w->faults->list[index].unit];
  sim_trace_event(&w->trace, w->now_ps, SIM_EV_FAULT, u->fab.me, 0, 0);
  if (u->state == SIM_ENDED)
    eyoti_fprintf(stderr, "eyot: unit %u was to crash at virtual %.3f us, but had ended before\n",
                  u->fab.me, (double)w->now_ps * 1e-6);
  else
    sim_fault_crash(u);
}

static void say_crashed(const struct sim_unit *u) {
  const struct sim_world *w = u->world;
  if (w->engine->silent(w)) return;
  char last[SIM_LAST_BYTES];
  sim_unit_last(u, last, sizeof last);
  eyoti_fprintf(
      stderr,
      "eyot: unit %u crashed at virtual %.3f us, as EYOT_FAULT says; its last operation: %s\n",
      u->fab.me, (double)w->now_ps * 1e-6, last);
}

void sim_fault_crash(struct sim_unit *u) {
  struct sim_world *w = u->world;
  EYOTI_ASSERT(u->state != SIM_ENDED);
  bool running = u->state == SIM_RUNNING;
  w->faults->unit[u->fab.me].crashed_ps = w->now_ps;
  w->faults->n_crashed++;
  say_crashed(u);
  sim_unit_phase(u, NULL);
  u->end = SIM_END_CRASHED;
  sim_world_unit_ended(w);
  w->engine->lose(u);
  if (running) {
    sim_unit_block(u, SIM_ENDED);
    EYOTI_PANIC("unit %u was run after it had crashed", u->fab.me);
  }
  u->state = SIM_ENDED;
}

SIM_FAULT_COLD static bool fault_kills(const struct sim_unit *u) {
  const struct sim_faults *x = u->world->faults;
  for (uint32_t i = 0; i < x->n; i++)
    if (x->list[i].kind == SIM_FAULT_CRASH && x->list[i].unit == u->fab.me) return true;
  return false;
}

void sim_fault_posted(struct sim_unit *u) {
  const struct sim_faults *x = u->world->faults;
  uint64_t n = ++x->unit[u->fab.me].posted;
  for (uint32_t i = 0; i < x->n; i++)
    if (x->list[i].kind == SIM_FAULT_CRASH && x->list[i].unit == u->fab.me && x->list[i].op == n)
      sim_fault_crash(u);
}

static uint64_t fault_add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t fault_end_of(const struct sim_fault *f) {
  return fault_add(f->at_ps, f->for_ps);
}

bool sim_fault_between(const struct sim_world *w, const uint32_t ends[2], const struct sim_op *op) {
  bool there = sim_net_same_node(w->net, op->origin, ends[0]) &&
               sim_net_same_node(w->net, op->target, ends[1]);
  bool back = sim_net_same_node(w->net, op->origin, ends[1]) &&
              sim_net_same_node(w->net, op->target, ends[0]);
  return there || back;
}

static void fault_give_up(struct sim_op *op, struct sim_timing *t) {
  op->flags |= SIM_F_LOST;
  if (t->target_at < op->post_at + SIM_FAULT_RETRY_PS)
    t->target_at = op->post_at + SIM_FAULT_RETRY_PS;
  t->done_at = t->target_at + 1;
}

/* An operation in flight while the link is down starts again when the link is up. */
static void link_down(struct sim_faults *x, const struct sim_fault *f, struct sim_op *op,
                      struct sim_timing *t) {
  uint64_t end_ps = fault_end_of(f);
  if (op->post_at >= end_ps || t->target_at < f->at_ps) return;
  if (end_ps - op->post_at > SIM_FAULT_RETRY_PS) {
    fault_give_up(op, t);
    x->n_given_up++;
    return;
  }
  t->target_at += end_ps - op->post_at;
  t->done_at += end_ps - op->post_at;
}

static void link_slow(const struct sim_fault *f, const struct sim_op *op, struct sim_timing *t) {
  if (op->post_at < f->at_ps || op->post_at >= fault_end_of(f)) return;
  t->target_at += (t->target_at - op->post_at) * (f->factor - 1);
  t->done_at += (t->done_at - op->post_at) * (f->factor - 1);
}

SIM_FAULT_COLD static void fault_times(struct sim_world *w, struct sim_op *op,
                                       struct sim_timing *t) {
  const struct sim_faults *x = w->faults;
  for (uint32_t i = 0; x->links && i < x->n && (op->flags & SIM_F_LOST) == 0; i++) {
    const struct sim_fault *f = &x->list[i];
    if (!is_link(f) || !sim_fault_between(w, (const uint32_t[2]){f->unit, f->other}, op)) continue;
    if (f->kind == SIM_FAULT_LINK_SLOW)
      link_slow(f, op, t);
    else
      link_down(w->faults, f, op, t);
  }
  if (sim_fault_is_crashed(&w->units[op->target])) fault_give_up(op, t);
}

/* The origin's request fails when the network has tried for long enough. */
SIM_FAULT_COLD static bool fault_arrives(struct sim_world *w, struct sim_op *op) {
  if (!sim_fault_is_lost(w, op)) return false;
  uint64_t told_ps = op->post_at + SIM_FAULT_RETRY_PS;
  if (told_ps <= w->now_ps) told_ps = w->now_ps + 1;
  if (op->done_at < told_ps) op->done_at = told_ps;
  struct sim_unit *u = &w->units[op->origin];
  sim_inflight_timed(u, sim_inflight_of(u, op), op);
  op->err = EYOT_EPEERDOWN;
  u->failed = true;
  op->flags |= SIM_F_DELIVERED;
  if (op->kind == SIM_OP_GET && op->len > SIM_INLINE_BYTES)
    op->u.heap = NULL; /* nothing has been read */
  else
    sim_deliver_drop(op);
  if ((op->flags & SIM_F_LANDS) != 0 && !sim_fault_is_crashed(&w->units[op->origin]))
    (void)sim_world_push(w, op->done_at, SIM_EV_LAND, op->index);
  return true;
}

/* A collective function in eyot_finalize waits for words that a crashed unit would have written, or
 * that were lost on the way. When no event is left such a wait returns an error; a wait anywhere
 * else is a mistake of the program, and reported. */
bool sim_fault_release(struct sim_world *w) {
  bool any = false;
  if (w->faults->n_crashed == 0 && w->faults->n_given_up == 0) return false;
  for (uint32_t i = 0; i < w->n; i++) {
    struct sim_unit *u = &w->units[i];
    if ((u->state != SIM_WAIT_WORD && u->state != SIM_WAIT_ANY) || u->rt.state != EYOTI_STOPPING)
      continue;
    w->faults->unit[i].gone = any = true;
    w->engine->ready(u, w->now_ps + 1);
  }
  return any;
}

bool sim_fault_take_gone(struct sim_unit *u) {
  bool *gone = &u->world->faults->unit[u->fab.me].gone, was = *gone;
  *gone = false;
  return was;
}

static uint64_t slowed(const struct sim_fault *f, uint64_t from_ps, uint64_t ps) {
  uint64_t before = from_ps >= f->at_ps ? 0 : f->at_ps - from_ps < ps ? f->at_ps - from_ps : ps;
  uint64_t rest = ps - before, end_ps = fault_end_of(f), slow;
  from_ps += before;
  if (from_ps >= end_ps) return ps;
  uint64_t work = (end_ps - from_ps) / f->factor;
  if (rest > work) return before + (end_ps - from_ps) + (rest - work);
  return __builtin_mul_overflow(rest, f->factor, &slow) ? UINT64_MAX / 4 : before + slow;
}

SIM_FAULT_COLD static uint64_t fault_stretch(struct sim_unit *u, uint64_t ps) {
  const struct sim_faults *x = u->world->faults;
  for (uint32_t i = 0; x->slow && i < x->n; i++) {
    const struct sim_fault *f = &x->list[i];
    bool own = f->unit == u->fab.me || f->unit == SIM_FAULT_ALL;
    if (f->kind == SIM_FAULT_SLOW && own) ps = slowed(f, u->local_ps, ps);
  }
  return x->n_noises > 0 ? sim_noise_stretch(u, ps) : ps;
}

void sim_fault_print(const struct sim_world *w, FILE *out) {
  for (uint32_t i = 0; w->faults != NULL && i < w->n; i++)
    if (sim_fault_is_crashed(&w->units[i]))
      eyoti_fprintf(
          out,
          "  unit %u crashed at virtual %.3f us: a unit that waits for it without a timeout "
          "waits forever\n",
          i, (double)w->faults->unit[i].crashed_ps * 1e-6);
  if (w->faults != NULL && w->faults->cut)
    eyoti_fprintf(
        out,
        "  the link between the nodes of units %u and %u went down: operations in flight on it "
        "are lost, and it carries no more of them\n",
        w->faults->ends[0], w->faults->ends[1]);
  else if (w->faults != NULL && w->faults->n_given_up > 0)
    fprintf(out,
            "  %" PRIu64
            " operations were given up because a link was down for longer than %.3f ms\n",
            w->faults->n_given_up, (double)SIM_FAULT_RETRY_NS * 1e-6);
}

static const struct sim_fault_ops fault_ops = {.begin = fault_begin,
                                               .event = fault_event,
                                               .posted = sim_fault_posted,
                                               .kills = fault_kills,
                                               .times = fault_times,
                                               .arrives = fault_arrives,
                                               .stretch = fault_stretch,
                                               .release = sim_fault_release,
                                               .take_gone = sim_fault_take_gone};

int sim_fault_open(struct sim_world *w, const char *text, bool explore) {
  if (text == NULL || *text == '\0') return EYOT_OK;
  struct sim_faults *x = calloc(1, sizeof *x);
  if (x == NULL || (x->unit = calloc(w->n, sizeof *x->unit)) == NULL) {
    free(x);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the faults of %u units", w->n);
  }
  w->faults = x;
  w->slips = true;
  w->fault_ops = &fault_ops;
  EYOTI_TRY(sim_fault_parse(text, w->n, explore, x->list, &x->n));
  for (uint32_t i = 0; i < x->n; i++) {
    const struct sim_fault *f = &x->list[i];
    x->slow |= f->kind == SIM_FAULT_SLOW;
    x->n_noises += f->kind == SIM_FAULT_NOISE;
    x->links |= is_link(f);
    if (is_link(f) && f->unit == SIM_FAULT_ANY && !sim_net_spans(w->net))
      return EYOTI_FAIL(EYOT_EINVAL,
                        "all units share a node, so there is no link that could go down; "
                        "--units-per-node places them apart");
    if (is_link(f) && f->unit != SIM_FAULT_ANY && sim_net_same_node(w->net, f->unit, f->other))
      return EYOTI_FAIL(EYOT_EINVAL,
                        "units %u and %u share a node, so there is no link between them; "
                        "--units-per-node places them apart",
                        f->unit, f->other);
  }
  if (x->n_noises > 0 &&
      (x->noise_at = calloc((size_t)w->n * x->n_noises, sizeof *x->noise_at)) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u noises of %u units", x->n_noises, w->n);
  return EYOT_OK;
}
