/* SPDX-License-Identifier: BSD-3-Clause */
/* pscw_unit.h - helpers of the tests of active target. */
#ifndef PSCW_UNIT_H
#define PSCW_UNIT_H

#include "sync/pscw/pscw.h"
#include "unit/op_count.h"

static inline eyot_pscw_t pscw_make(eyot_team_t team, uint32_t neighbors, bool changing) {
  eyot_pscw_t p = EYOT_PSCW_NULL;
  ok(eyot_pscw_create(team, &(eyot_pscw_attr_t){neighbors, changing}, &p));
  assert_false(eyot_gptr_is_null(p.at));
  return p;
}

/* The caller's state of the object, which is the one used last. */
static inline struct eyoti_pscw *pscw_state(eyot_pscw_t p) {
  struct eyoti_pscw *view = eyot_current->sync->pscws->first;
  while (!eyot_gptr_equal(view->name.at, p.at)) view = view->next;
  return view;
}

static inline uint64_t pscw_word(const struct eyoti_pscw *v, uint64_t off) {
  return *(const volatile uint64_t *)(const void *)(v->mem + off);
}

/* The number of slots in the caller's list that are leased. */
static inline uint32_t pscw_taken(const struct eyoti_pscw *v) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < v->words; w++)
    n += (uint32_t)__builtin_popcountll(pscw_word(v, eyoti_pscw_taken_off(w)));
  return n;
}

/* Every post has been started, every start has been waited for, and with `changing` all slots are
 * free again. Collective. */
static inline void pscw_destroy_clean(eyot_pscw_t p) {
  const struct eyoti_pscw *v = pscw_state(p);
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < v->n_slots; i++) {
    assert_int_equal(pscw_word(v, eyoti_pscw_posts_off(v, i)), v->slot[i].started);
    assert_int_equal(pscw_word(v, eyoti_pscw_counter_off(v, i)), v->lease[i].posted);
    assert_int_equal(v->lease[i].open, 0);
  }
  if (v->attr.changing) {
    assert_int_equal(pscw_taken(v), 0);
    assert_int_equal(v->leased.n, 0);
    assert_int_equal(v->n_free, v->n_slots);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_pscw_destroy(&p));
  assert_true(eyot_gptr_is_null(p.at));
}

/* A group of the units whose bits are set. */
static inline eyot_group_t *group_of(uint64_t bits) {
  eyot_group_t *g;
  ok(eyot_group_new(&g));
  for (uint32_t u = 0; bits >> u != 0; u++)
    if ((bits >> u & 1) != 0) ok(eyot_group_add(g, unit(u)));
  return g;
}

static inline void post_bits(eyot_pscw_t p, uint64_t bits) {
  eyot_group_t *g = group_of(bits);
  ok(eyot_pscw_post(p, g));
  eyot_group_free(g); /* the call has kept nothing of it */
}

static inline void start_bits(eyot_pscw_t p, uint64_t bits) {
  eyot_group_t *g = group_of(bits);
  ok(eyot_pscw_start(p, g));
  eyot_group_free(g);
}
#endif
