/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.c - what faults do: to units, to operations, to time. See fault.h. */
#include "fabric_sim/fault/fault.h"

#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/report/stats.h"

static bool is_link(const struct fs_fault *f) {
  return f->kind == FS_FAULT_LINK_DOWN || f->kind == FS_FAULT_LINK_SLOW;
}

int fs_fault_open(struct fs_world *w, const char *text, bool explore) {
  if (text == NULL || *text == '\0') return EYOT_OK;
  struct fs_faults *x = calloc(1, sizeof *x);
  if (x == NULL || (x->unit = calloc(w->n, sizeof *x->unit)) == NULL) {
    free(x);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the faults of %u units", w->n);
  }
  w->faults = x;
  EYOTI_TRY(fs_fault_parse(text, w->n, explore, x->list, &x->n));
  for (uint32_t i = 0; i < x->n; i++) {
    const struct fs_fault *f = &x->list[i];
    x->own_time |= f->kind == FS_FAULT_SLOW || f->kind == FS_FAULT_NOISE;
    x->links |= is_link(f);
    if (is_link(f) && f->unit == FS_FAULT_ANY && fs_net_same_node(w->net, 0, w->n - 1))
      return EYOTI_FAIL(EYOT_EINVAL,
                        "all units share a node, so there is no link that could go down; "
                        "--units-per-node places them apart");
    if (is_link(f) && f->unit != FS_FAULT_ANY && fs_net_same_node(w->net, f->unit, f->other))
      return EYOTI_FAIL(EYOT_EINVAL,
                        "units %u and %u share a node, so there is no link between them; "
                        "--units-per-node places them apart",
                        f->unit, f->other);
  }
  return EYOT_OK;
}

void fs_fault_close(struct fs_world *w) {
  if (w->faults == NULL) return;
  free(w->faults->unit);
  free(w->faults);
  w->faults = NULL;
}

void fs_fault_begin(struct fs_world *w) {
  for (uint32_t i = 0; i < w->faults->n; i++) {
    const struct fs_fault *f = &w->faults->list[i];
    if (f->kind == FS_FAULT_CRASH && f->at_ps != FS_FAULT_FOREVER)
      (void)fs_world_push(w, f->at_ps, FS_EV_FAULT, i);
  }
}

void fs_fault_event(struct fs_world *w, uint32_t index) {
  struct fs_unit *u = &w->units[w->faults->list[index].unit];
  fs_trace_event(&w->trace, w->now_ps, FS_EV_FAULT, u->fab.me, 0, 0);
  if (u->state == FS_ENDED)
    fprintf(stderr, "eyot: unit %u was to crash at virtual %.3f us, but had ended before\n",
            u->fab.me, (double)w->now_ps * 1e-6);
  else
    fs_fault_crash(u);
}

/* Of what the NIC has got each may be lost, and what an order keeps behind a lost one is lost with
 * it; what it has not got, is. */
static void lose(struct fs_unit *u) {
  struct fs_world *w = u->world;
  bool strict = w->opt.order == FS_ORDER_STRICT;
  for (struct fs_op *op = u->head; op != NULL && op != u->inject; op = op->next) {
    if ((op->flags & (FS_F_DELIVERED | FS_F_RELEASED)) != 0) continue;
    bool lost = false;
    for (const struct fs_op *o = u->head; o != op && !lost; o = o->next)
      lost = (o->flags & FS_F_LOST) != 0 && o->target == op->target &&
             (strict || (o->flags & FS_F_FENCED) != 0);
    if (lost || fs_choice(w, 2) != 0) op->flags |= FS_F_LOST;
  }
  u->inject = NULL;
  if (u->wake_tag != 0) w->stale++;
  u->wake_tag = 0;
}

static void say_crashed(const struct fs_unit *u) {
  const struct fs_world *w = u->world;
  if (w->check != NULL && w->check->quiet)
    /* thousands of runs; the first line that one writes is taken for what it has to say of its
     * failure */
    return;
  char last[256];
  fs_unit_last(u, last, sizeof last);
  fprintf(stderr,
          "eyot: unit %u crashed at virtual %.3f us, as EYOT_FAULT says; its last operation: %s\n",
          u->fab.me, (double)w->now_ps * 1e-6, last);
}

void fs_fault_crash(struct fs_unit *u) {
  struct fs_world *w = u->world;
  EYOTI_ASSERT(u->state != FS_ENDED);
  bool running = u->state == FS_RUNNING;
  w->faults->unit[u->fab.me].crashed_ps = w->now_ps;
  w->faults->n_crashed++;
  say_crashed(u);
  fs_stats_phase(u, NULL);
  u->phase = NULL;
  u->end = FS_END_CRASHED;
  w->ended++;
  if (w->check != NULL)
    fs_check_crash(u);
  else
    lose(u);
  if (running) {
    fs_unit_block(u, FS_ENDED);
    EYOTI_PANIC("unit %u was run after it had crashed", u->fab.me);
  }
  u->state = FS_ENDED;
}

void fs_fault_posted(struct fs_unit *u) {
  const struct fs_faults *x = u->world->faults;
  uint64_t n = ++x->unit[u->fab.me].posted;
  /* the runs have not begun */
  if (u->world->check != NULL && u->world->check->strategy == NULL) return;
  for (uint32_t i = 0; i < x->n; i++)
    if (x->list[i].kind == FS_FAULT_CRASH && x->list[i].unit == u->fab.me && x->list[i].op == n)
      fs_fault_crash(u);
}

static uint64_t add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t end_of(const struct fs_fault *f) {
  return add(f->at_ps, f->for_ps);
}

bool fs_fault_between(const struct fs_world *w, const uint32_t ends[2], const struct fs_op *op) {
  bool there = fs_net_same_node(w->net, op->origin, ends[0]) &&
               fs_net_same_node(w->net, op->target, ends[1]);
  bool back = fs_net_same_node(w->net, op->origin, ends[1]) &&
              fs_net_same_node(w->net, op->target, ends[0]);
  return there || back;
}

static void give_up(struct fs_op *op, struct fs_timing *t) {
  op->flags |= FS_F_LOST;
  if (t->target_ps < op->post_ps + FS_FAULT_RETRY_PS)
    t->target_ps = op->post_ps + FS_FAULT_RETRY_PS;
  t->done_ps = t->target_ps + 1;
}

/* Whatever is under way while the link is down starts again when it is up. */
static void link_down(struct fs_faults *x, const struct fs_fault *f, struct fs_op *op,
                      struct fs_timing *t) {
  uint64_t end_ps = end_of(f);
  if (op->post_ps >= end_ps || t->target_ps < f->at_ps) return;
  if (end_ps - op->post_ps > FS_FAULT_RETRY_PS) {
    give_up(op, t);
    x->n_given_up++;
    return;
  }
  t->target_ps += end_ps - op->post_ps;
  t->done_ps += end_ps - op->post_ps;
}

static void link_slow(const struct fs_fault *f, const struct fs_op *op, struct fs_timing *t) {
  if (op->post_ps < f->at_ps || op->post_ps >= end_of(f)) return;
  t->target_ps += (t->target_ps - op->post_ps) * (f->factor - 1);
  t->done_ps += (t->done_ps - op->post_ps) * (f->factor - 1);
}

void fs_fault_times(struct fs_world *w, struct fs_op *op, struct fs_timing *t) {
  const struct fs_faults *x = w->faults;
  for (uint32_t i = 0; x->links && i < x->n && (op->flags & FS_F_LOST) == 0; i++) {
    const struct fs_fault *f = &x->list[i];
    if (!is_link(f) || !fs_fault_between(w, (const uint32_t[2]){f->unit, f->other}, op)) continue;
    if (f->kind == FS_FAULT_LINK_SLOW)
      link_slow(f, op, t);
    else
      link_down(w->faults, f, op, t);
  }
  if (fs_fault_is_crashed(&w->units[op->target])) give_up(op, t);
}

/* The origin gives up when it has tried long enough. */
bool fs_fault_arrives(struct fs_world *w, struct fs_op *op) {
  if (!fs_fault_is_lost(w, op)) return false;
  uint64_t told_ps = op->post_ps + FS_FAULT_RETRY_PS;
  if (told_ps <= w->now_ps) told_ps = w->now_ps + 1;
  if (op->done_ps < told_ps) op->done_ps = told_ps;
  op->err = EYOT_EPEERDOWN;
  op->flags |= FS_F_DELIVERED;
  if (op->kind == FS_OP_GET && op->len > FS_INLINE_BYTES)
    op->u.heap = NULL; /* nothing has been read */
  else
    fs_deliver_drop(op);
  if ((op->flags & FS_F_LANDS) != 0 && !fs_fault_is_crashed(&w->units[op->origin]))
    (void)fs_world_push(w, op->done_ps, FS_EV_LAND, op->index);
  return true;
}

/* A collective function in eyot_finalize waits for words that a crashed unit would have written, or
 * that were lost on the way. When nothing else can happen it is told; anywhere else to wait so is a
 * mistake of the program's, and reported. */
bool fs_fault_release(struct fs_world *w) {
  bool any = false;
  if (w->faults->n_crashed == 0 && w->faults->n_given_up == 0) return false;
  for (uint32_t i = 0; i < w->n; i++) {
    struct fs_unit *u = &w->units[i];
    if ((u->state != FS_WAIT_WORD && u->state != FS_WAIT_ANY) || u->rt.state != EYOTI_STOPPING)
      continue;
    w->faults->unit[i].gone = any = true;
    fs_world_wake_at(u, w->now_ps + 1);
  }
  return any;
}

bool fs_fault_take_gone(struct fs_unit *u) {
  bool *gone = &u->world->faults->unit[u->fab.me].gone, was = *gone;
  *gone = false;
  return was;
}

static uint64_t slowed(const struct fs_fault *f, uint64_t from_ps, uint64_t ps) {
  uint64_t before = from_ps >= f->at_ps ? 0 : f->at_ps - from_ps < ps ? f->at_ps - from_ps : ps;
  uint64_t rest = ps - before, end_ps = end_of(f), slow;
  from_ps += before;
  if (from_ps >= end_ps) return ps;
  uint64_t room = (end_ps - from_ps) / f->factor;
  if (rest > room) return before + (end_ps - from_ps) + (rest - room);
  return __builtin_mul_overflow(rest, f->factor, &slow) ? UINT64_MAX / 4 : before + slow;
}

/* The operating system takes the processor away at drawn times, on average `every` apart. What it
 * takes while the unit waits anyway costs nothing. (How such noise is best simulated: Hoefler,
 * Schneider, Lumsdaine: Characterizing the influence of system noise on large-scale applications by
 * simulation, SC 2010, section 3.) */
static uint64_t with_noise(struct fs_unit *u, const struct fs_fault *f, uint64_t ps) {
  struct fs_world *w = u->world;
  uint64_t *next = &w->faults->unit[u->fab.me].noise_ps, end = u->local_ps + ps;
  uint32_t bound = (uint32_t)(2 * f->every_ps / FS_PS_PER_NS);
  if (*next == 0) *next = (fs_choice(w, bound) + 1ull) * FS_PS_PER_NS;
  while (*next < end) {
    uint64_t over = *next + f->takes_ps;
    if (*next >= u->local_ps)
      end += f->takes_ps;
    else if (over > u->local_ps)
      end += over - u->local_ps; /* it was at it when the unit's work began */
    *next = over + fs_choice(w, bound) * (uint64_t)FS_PS_PER_NS;
  }
  return end - u->local_ps;
}

uint64_t fs_fault_stretch(struct fs_unit *u, uint64_t ps) {
  const struct fs_faults *x = u->world->faults;
  for (uint32_t i = 0; x->own_time && i < x->n; i++) {
    const struct fs_fault *f = &x->list[i];
    if (f->unit != u->fab.me && f->unit != FS_FAULT_ALL) continue;
    if (f->kind == FS_FAULT_SLOW) ps = slowed(f, u->local_ps, ps);
    if (f->kind == FS_FAULT_NOISE) ps = with_noise(u, f, ps);
  }
  return ps;
}

void fs_fault_print(const struct fs_world *w, FILE *out) {
  for (uint32_t i = 0; w->faults != NULL && i < w->n; i++)
    if (fs_fault_is_crashed(&w->units[i]))
      fprintf(out,
              "  unit %u crashed at virtual %.3f us: whoever waits for it without a time-out waits "
              "for ever\n",
              i, (double)w->faults->unit[i].crashed_ps * 1e-6);
  if (w->faults != NULL && w->faults->cut)
    fprintf(out,
            "  the link between the nodes of units %u and %u went down: what was under way on it "
            "is lost, and nothing passes any more\n",
            w->faults->ends[0], w->faults->ends[1]);
  else if (w->faults != NULL && w->faults->n_given_up > 0)
    fprintf(out,
            "  %llu operations were given up because a link was down for longer than %.3f ms\n",
            (unsigned long long)w->faults->n_given_up, (double)FS_FAULT_RETRY_NS * 1e-6);
}
