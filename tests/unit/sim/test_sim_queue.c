/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sim_queue.c - the simulator's event queue returns events in exactly the order of (time,
 * tag), whatever their density. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric_sim/engine/queue.h"

#define STEPS 60000u
#define FLOOD 260000u
#define AHEAD 8u /* events, as many as the main loop looks ahead */

static uint64_t draw(uint64_t *state, uint64_t bound) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (x ^ (x >> 31)) % bound;
}

/* Pushes and pops as a run does: no event before the last one popped. A heap alone is the model. */
struct pair {
  struct sim_queue queue;
  struct sim_heap model;
  uint64_t random, now_ps;
  uint32_t pushed;
};

static void open_pair(struct pair *p, uint64_t seed) {
  sim_queue_init(&p->queue);
  sim_heap_init(&p->model);
  p->random = seed;
  p->now_ps = 0;
  p->pushed = 0;
}

static void close_pair(struct pair *p) {
  sim_queue_fini(&p->queue);
  sim_heap_fini(&p->model);
}

static void push(struct pair *p, uint64_t time_ps) {
  struct sim_event e = {time_ps, sim_tag((uint32_t)draw(&p->random, 1u << 20), 1, p->pushed++)};
  sim_queue_push(&p->queue, e);
  sim_heap_push(&p->model, e);
}

static void pop(struct pair *p) {
  assert_int_equal(sim_queue_n(&p->queue), p->model.n);
  struct sim_event want = sim_heap_pop(&p->model);
  if (draw(&p->random, 4) == 0) assert_int_equal(sim_queue_next_ps(&p->queue), want.time_ps);
  struct sim_event e = sim_queue_pop(&p->queue);
  assert_int_equal(e.time_ps, want.time_ps);
  assert_int_equal(e.tag, want.tag);
  size_t known;
  const struct sim_event *ahead = sim_queue_ahead(&p->queue, &known);
  if (known > 0 && p->queue.heap.n == 0) assert_int_equal(ahead->time_ps, p->model.e[0].time_ps);
  p->now_ps = e.time_ps;
}

static uint64_t delay(struct pair *p, uint64_t span_ps) {
  uint64_t kind = draw(&p->random, 16);
  if (kind == 0) return 0;                                /* now */
  if (kind == 1) return draw(&p->random, span_ps) * 1000; /* distant */
  if (kind < 4) return span_ps;                           /* many at one time */
  return draw(&p->random, span_ps) + 1;
}

/* A constant number in flight; the density changes by orders of magnitude, several times. */
static void order_is_exact_at_any_density(void **state) {
  (void)state;
  const uint32_t flights[] = {1, 40, 3000, 20000};
  const uint64_t spans_ps[] = {1000, 3000000, 50, 4000000000u};
  for (uint32_t f = 0; f < 4; f++) {
    struct pair p;
    open_pair(&p, f);
    for (uint32_t i = 0; i < flights[f]; i++) push(&p, 0);
    for (uint32_t i = 0; i < STEPS; i++) {
      pop(&p);
      push(&p, p.now_ps + delay(&p, spans_ps[i * 8 / STEPS % 4]));
    }
    while (p.model.n > 0) pop(&p);
    assert_int_equal(sim_queue_n(&p.queue), 0);
    close_pair(&p);
  }
}

/* It runs empty, and far ahead, again and again. */
static void queue_that_runs_empty_keeps_the_order(void **state) {
  (void)state;
  struct pair p;
  open_pair(&p, 99);
  for (uint32_t wave = 0; wave < 200; wave++) {
    uint64_t begin_ps = p.now_ps + draw(&p.random, UINT64_C(1) << draw(&p.random, 42));
    uint32_t n = 1 + (uint32_t)draw(&p.random, 500);
    for (uint32_t i = 0; i < n; i++) push(&p, begin_ps + draw(&p.random, 1000000));
    for (uint32_t i = 0; i < n; i++) {
      pop(&p);
      if (draw(&p.random, 3) == 0) push(&p, p.now_ps + draw(&p.random, 500000));
    }
    while (p.model.n > wave % 3) pop(&p);
  }
  while (p.model.n > 0) pop(&p);
  close_pair(&p);
}

/* A flood: many come at once, most of them far beyond the last bucket, while others come. */
static void flood_beyond_the_buckets_keeps_the_order(void **state) {
  (void)state;
  struct pair p;
  open_pair(&p, 5);
  for (uint32_t i = 0; i < 1000; i++) push(&p, draw(&p.random, 10000000));
  for (uint32_t wave = 0; wave < 2; wave++) {
    for (uint32_t i = 0; i < FLOOD; i++) push(&p, p.now_ps + delay(&p, 40000000));
    while (p.model.n > FLOOD / 50) {
      pop(&p);
      if (draw(&p.random, 3) == 0) push(&p, p.now_ps + delay(&p, 40000000));
    }
  }
  while (p.model.n > 0) pop(&p);
  assert_int_equal(sim_queue_n(&p.queue), 0);
  close_pair(&p);
}

/* Many in flight at a constant density, as in a flood: blocks take the far ones, and the main loop
 * sees the next ones ahead. */
static void far_events_are_seen_ahead(void **state) {
  (void)state;
  struct pair p;
  uint32_t seen = 0;
  open_pair(&p, 11);
  for (uint32_t i = 0; i < FLOOD; i++) push(&p, draw(&p.random, 40000000));
  for (uint32_t i = 0; i < 3 * FLOOD; i++) {
    pop(&p);
    push(&p, p.now_ps + 1 + draw(&p.random, 40000000));
    size_t known;
    (void)sim_queue_ahead(&p.queue, &known);
    if (i >= FLOOD) seen += known > AHEAD;
  }
  assert_in_range(p.queue.far, FLOOD / 2, FLOOD);
  assert_in_range(p.queue.heap.n, 0, FLOOD / 100);
  assert_in_range(seen, 2 * FLOOD / 100 * 98, 2 * FLOOD);
  while (p.model.n > 0) pop(&p);
  close_pair(&p);
}

static bool is_odd(const void *arg, const struct sim_event *e) {
  (void)arg;
  return e->tag % 2 != 0;
}

static void purge_removes_exactly_the_matching_events(void **state) {
  (void)state;
  struct pair p;
  open_pair(&p, 7);
  for (uint32_t i = 0; i < 5000; i++) push(&p, draw(&p.random, 100000000));
  for (uint32_t i = 0; i < 700; i++) pop(&p);
  sim_queue_purge(&p.queue, is_odd, NULL);
  sim_heap_purge(&p.model, is_odd, NULL);
  assert_in_range(p.model.n, 1000, 3300);
  for (uint32_t i = 0; i < 700; i++) push(&p, p.now_ps + draw(&p.random, 100000000));
  while (p.model.n > 0) pop(&p);
  assert_int_equal(sim_queue_n(&p.queue), 0);
  close_pair(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_is_exact_at_any_density),
                                     cmocka_unit_test(queue_that_runs_empty_keeps_the_order),
                                     cmocka_unit_test(flood_beyond_the_buckets_keeps_the_order),
                                     cmocka_unit_test(far_events_are_seen_ahead),
                                     cmocka_unit_test(purge_removes_exactly_the_matching_events)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
