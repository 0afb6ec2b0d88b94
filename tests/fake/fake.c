/* SPDX-License-Identifier: BSD-3-Clause */
/* fake.c - a run of the fake fabric (fake.h): the table, the endpoints, start and end. */
#include "fake/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fake/state.h"
#include "rt/proc.h"

#define STEPS_DEFAULT 50000000u
#define OUTSTANDING_DEFAULT 64u
#define NODE_DEFAULT 4u
#define FIRST_KEY 4096u

static struct {
  uint64_t calls, allocs, steps;
  int abort_code;
  /* worlds whose units did not end: kept, so that leak checkers see the memory that they still
   * hold */
  struct fake_world *abandoned;
} last;

uint64_t fake_calls(void) {
  return last.calls;
}
uint64_t fake_allocs(void) {
  return last.allocs;
}
uint64_t fake_steps(void) {
  return last.steps;
}
int fake_abort_code(void) {
  return last.abort_code;
}

static int progress(struct fab *f) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  fake_yield(u);
  return EYOT_OK;
}

static uint32_t per_node_of(const struct fab *f) {
  const struct fake_opts *o = &((const struct fake_unit *)(const void *)f)->w->o;
  return o->by_nodes ? o->units_per_node : 0;
}

static int locate(struct fab *f, fab_unit_t unit, eyot_place_t *place) {
  struct fake_unit *u = fake_of(f);
  const struct fake_world *w = u->w;
  EYOTI_TRY(fake_enter(u));
  if (unit >= w->o.n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", unit, w->o.n);
  uint32_t per_node = w->o.units_per_node, node = unit / per_node,
           second = unit % per_node >= (per_node + 1) / 2;
  if (w->o.fault == FAKE_LOCATE_DIFFERS && f->me > 0) node += unit;
  *place = (eyot_place_t){.id = {unit, node * 2 + second, node, node / 2, node / 4, node / 8, 0}};
  return EYOT_OK;
}

static uint64_t now_ns(struct fab *f) {
  struct fake_unit *u = fake_of(f);
  if (!u->w->down) fake_yield(u);
  uint64_t now = u->w->clock_ns;
  return u->w->o.fault == FAKE_CLOCK_BACK && fake_chance(u->w, 1) ? now / 2 : now;
}

static bool never(struct fake_unit *u) {
  (void)u;
  return false;
}

static int compute(struct fab *f, uint64_t ns) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  u->arg = NULL;
  u->arg_kind = UINT32_MAX;
  uint64_t until;
  if (__builtin_add_overflow(u->w->clock_ns, ns, &until)) until = UINT64_MAX - 1;
  return fake_park(u, never, until, "the end of a computation");
}

static void phase(struct fab *f, const char *name) {
  f->note.phase = name;
}

static __attribute__((noreturn)) void abort_run(struct fab *f, int code, const char *reason) {
  struct fake_unit *u = fake_of(f);
  u->w->over = true;
  u->w->abort_code = code;
  fake_say(u->w, "unit %u aborted with code %d: %s", f->me, code,
           reason != NULL ? reason : "no reason given");
  fake_yield(u);
  EYOTI_PANIC("a unit went on after abort");
}

static __attribute__((noreturn)) void exit_all(struct fab *f, int code) {
  struct fake_unit *u = fake_of(f);
  u->w->over = true;
  u->w->abort_code = code;
  fake_yield(u);
  EYOTI_PANIC("a unit went on after exit_all");
}

static int nothing(struct fake_world *w) {
  (void)w;
  return EYOT_OK;
}

static int close_endpoint(struct fab *f) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_flush(f, FAB_ALL, FAB_REMOTE));
  EYOTI_TRY(fake_collective(u, 0, nothing, "all units to close"));
  u->closed = true;
  return EYOT_OK;
}

static const struct fab_ops OPS = {
    .abi = FAB_ABI,
    .name = "fake",
    .seg_create = fake_seg_create,
    .seg_reserve = fake_seg_reserve,
    .seg_reach = fake_seg_reach,
    .seg_available = fake_seg_available,
    .seg_destroy = fake_seg_destroy,
    .seg_ptr = fake_seg_ptr,
    .seg_map = fake_seg_map,
    .seg_common = fake_seg_common,
    .seg_find = fake_seg_find,
    .seg_data = fake_seg_data,
    .seg_data_known = fake_seg_data_known,
    .attach = fake_attach,
    .detach = fake_detach,
    .put = fake_put,
    .get = fake_get,
    .amo = fake_amo,
    .put_signal = fake_put_signal,
    .req_test = fake_req_test,
    .req_wait = fake_req_wait,
    .flush = fake_flush,
    .order = fake_order,
    .wait_mem = fake_wait_mem,
    .wait_any = fake_wait_any,
    .progress = progress,
    .locate = locate,
    .per_node = per_node_of,
    .now_ns = now_ns,
    .compute = compute,
    .phase = phase,
    .abort = abort_run,
    .exit_all = exit_all,
    .close = close_endpoint,
};

static struct fake_opts with_defaults(const struct fake_opts *given) {
  struct fake_opts o = *given;
  if (o.units_per_node == 0) o.units_per_node = NODE_DEFAULT;
  if (o.max_outstanding == 0) o.max_outstanding = OUTSTANDING_DEFAULT;
  if (o.max_steps == 0) o.max_steps = STEPS_DEFAULT;
  if (o.fail_code == 0) o.fail_code = EYOT_EFABRIC;
  return o;
}

static void open_unit(struct fake_world *w, uint32_t i) {
  struct fake_unit *u = &w->units[i];
  u->w = w;
  u->fab = (struct fab){
      .ops = &w->ops, .me = i, .n = w->o.n, .caps = FAB_CAP_VIRTUAL_TIME | FAB_CAP_THREADS};
  uint32_t per_node = fake_node_units(w), first = i / per_node * per_node;
  if (w->o.mapped)
    u->fab.local = (struct fab_local){.first = first,
                                      .n = first + per_node <= w->o.n ? per_node : w->o.n - first};
  /* all operations are plain accesses, at once */
  u->fab.cpu_atomics = u->fab.quiet = u->fab.local.n == w->o.n;
  u->fab.oversubscribed = w->o.mapped && w->o.oversubscribed;
  u->epoch = fake_alloc(w->o.n * sizeof *u->epoch);
  u->next_key = FIRST_KEY;
  eyoti_rt_host(&u->rt, &u->fab, w->proc);
  fake_unit_start(u);
}

static void free_unit(struct fake_unit *u) {
  for (uint32_t i = 0; i < u->n_slots; i++)
    if (u->slots[i].op != NULL && u->slots[i].op->done) fake_op_free(u->slots[i].op);
  free(u->slots);
  free(u->ranges);
  free(u->epoch);
  free(u->set_orders);
  free(u->errors);
  fake_stack_free(u->stack);
}

/* Frees the memory of the segments in any case; memory that abandoned units may still hold stays
 * reachable. */
static void close_world(struct fake_world *w) {
  for (uint32_t i = 0; i < FAB_SEG_MAX; i++)
    if (w->segs[i].base != NULL) fake_seg_unmap(&w->segs[i]);
  if (w->live > 0) {
    w->previous = last.abandoned;
    last.abandoned = w;
    return;
  }
  for (uint32_t i = 0; i < w->o.n; i++) free_unit(&w->units[i]);
  for (uint32_t i = 0; i < w->n_pending; i++) fake_op_free(w->pending[i]);
  eyoti_proc_delete(w->proc);
  free(w->pending);
  free(w->units);
  free(w);
}

int fake_run(const struct fake_opts *o, void (*unit_main)(struct fab *f, void *arg), void *arg) {
  fake_say(NULL, "%s", "");
  last.calls = last.allocs = last.steps = 0;
  last.abort_code = 0;
  eyot_current = eyoti_rt_idle(); /* a failed assertion may have left a unit in the middle */
  fake_alloc_units(false, o->fail_alloc, true);
  if (o->n == 0 || o->n > FAKE_UNITS_MAX) return FAKE_SETUP;
  struct fake_world *w = fake_alloc(sizeof *w);
  w->o = with_defaults(o);
  w->ops = OPS;
  if (o->secure_bytes != 0) {
    w->ops.seg_secure = fake_seg_secure;
    w->ops.seg_return = fake_seg_return;
  }
  w->rng = o->seed * 0x2545f4914f6cdd1du + 1;
  w->mood = 4;
  w->unit_main = unit_main;
  w->arg = arg;
  w->live = o->n;
  w->proc = eyoti_proc_new();
  w->units = fake_alloc(o->n * sizeof *w->units);
  if (w->proc == NULL) EYOTI_PANIC("out of memory");
  for (uint32_t i = 0; i < o->n; i++) open_unit(w, i);
  int end = fake_schedule(w);
  last.calls = w->calls;
  last.steps = w->steps;
  last.allocs = fake_alloc_units_count();
  last.abort_code = w->abort_code;
  close_world(w);
  return end;
}
