/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.h - what the cases of tests/sim/buffers.txt use: words at each unit, local buffers, and
 * short names. tests/sim/buffers.awk generates the program, which includes this file once. */
#include <eyot/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

/* X, Y, Z: data. N: a word of atomics. F, G: signal words, which only grow. */
enum { X = 0, Y = 8, Z = 16, N = 24, F = 25, G = 26, WORDS = 32 };
#define UNITS 3

static uint32_t me;
static eyot_gptr_t all, reg[UNITS], dyn[UNITS];
static eyot_dynamic_t dynamic;
static eyot_counter_t counter;
static eyot_lock_t lock;
static eyot_pscw_t pscw;
static eyot_group_t *zero, *one;
static eyot_handle_t h, h2;
static eyot_set_t s, s2;
static uint64_t a[64], b[64], c[64], registered[8], attached[8], rounds;
static uint64_t *heap;
static volatile uint64_t sink;
static char text[64];
static uint64_t lens[2] = {8, 8}, offs[2] = {0, 16}, close_offs[2] = {0, 8};

static const eyot_strided_t packed = {8, 3, 16, 8}, spread = {8, 3, 16, 16};
static const eyot_indexed_t indexed = {2, lens, offs, close_offs};

static inline eyot_unit_t unit(uint32_t u) {
  return (eyot_unit_t){u};
}
static inline eyot_gptr_t at(uint32_t u, int word) {
  return eyot_gptr_add(eyot_gptr_at(all, unit(u)), word * 8);
}
static inline uint64_t *own(int word) {
  void *p;
  MUST(eyot_gptr_addr(at(me, word), &p));
  return (uint64_t *)p + 0;
}
static inline void done(eyot_handle_t *handle) {
  for (bool is = false; !is;) MUST(eyot_test(handle, EYOT_REMOTE, &is));
}
static inline void done_here(eyot_handle_t *handle) {
  for (bool is = false; !is;) MUST(eyot_test(handle, EYOT_LOCAL, &is));
}

#define LOAD(p) (sink = *(volatile uint64_t *)(p))
#define STORE(p) (*(volatile uint64_t *)(p) = 5)
#define TELL(u, word) \
  MUST(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, at(u, word), EYOT_SIGNAL_SET, rounds))
#define HEAR(word) MUST(eyot_wait_until(at(me, word), EYOT_CMP_GE, rounds, NULL))
#define MEET() MUST(eyot_barrier(EYOT_TEAM_ALL))

static void setup(void) {
  eyot_group_t *g[2];
  me = eyot_me().id;
  if (eyot_size() != UNITS) eyot_abort(9, "buffers runs with 3 units");
  MUST(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * 8, &all));
  MUST(eyot_counter_create(EYOT_TEAM_ALL, 1, &counter));
  MUST(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock));
  MUST(eyot_pscw_create(EYOT_TEAM_ALL, NULL, &pscw));
  MUST(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &dynamic));
  MUST(eyot_set_create(&s));
  MUST(eyot_set_create(&s2));
  eyot_gptr_t mine;
  MUST(eyot_register(registered, sizeof registered, &mine));
  MUST(eyot_allgather(EYOT_TEAM_ALL, &mine, reg, sizeof mine));
  MUST(eyot_dynamic_attach(dynamic, attached, sizeof attached, &mine));
  MUST(eyot_allgather(EYOT_TEAM_ALL, &mine, dyn, sizeof mine));
  for (uint32_t i = 0; i < 2; i++) {
    MUST(eyot_group_new(&g[i]));
    MUST(eyot_group_add(g[i], unit(i)));
  }
  zero = g[0], one = g[1];
  heap = malloc(64 * sizeof *heap);
  if (heap == NULL) eyot_abort(9, "no memory");
}

/* Before and after each case: nothing is in flight, and all that was done is before what comes. */
static void quiet(void) {
  MUST(eyot_flush_all(EYOT_REMOTE));
  MUST(eyot_fence(all));
  rounds++;
}

static void teardown(void) {
  if (h.id != 0) MUST(eyot_wait(&h, EYOT_REMOTE));
  if (h2.id != 0) MUST(eyot_wait(&h2, EYOT_REMOTE));
  MUST(eyot_dynamic_detach(dynamic, attached));
  MUST(eyot_dynamic_destroy(&dynamic));
  MUST(eyot_unregister(reg[me]));
  MUST(eyot_pscw_destroy(&pscw));
  MUST(eyot_lock_destroy(&lock));
  MUST(eyot_set_destroy(&s));
  MUST(eyot_set_destroy(&s2));
  MUST(eyot_counter_destroy(&counter));
  MUST(eyot_team_free(all));
  eyot_group_free(zero);
  eyot_group_free(one);
  free(heap);
}
