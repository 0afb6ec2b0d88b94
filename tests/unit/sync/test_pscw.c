/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pscw.c - post, start, complete and wait over changing graphs of neighbors, with epochs ahead
 * and data that show early accesses; and fence. */
#include "unit/sync/pscw_unit.h"

#define EPOCHS 12u

/* The parameters of a run, the same for all units. */
static struct {
  uint32_t degree; /* edges drawn for each unit and epoch */
  uint32_t ahead;  /* epochs that may be exposed at once */
  bool changing;   /* of the object; its neighbors are `neighbors` */
  uint32_t neighbors;
  bool redraw; /* another graph in each epoch */
  bool meet;   /* a barrier after each post keeps the units within an epoch of each other */
} shape;

/* In epoch e unit i posts to j. Each unit has `degree` edges out and as many in: rotations by drawn
 * distances, 0 included. */
static bool edge(uint32_t n, uint32_t e, uint32_t i, uint32_t j) {
  uint64_t state = shape.redraw ? e * 77 + n : n;
  for (uint32_t d = 0; d < shape.degree; d++)
    if ((i + draw(&state)) % n == j) return true;
  return false;
}

static uint64_t targets(uint32_t n, uint32_t e, uint32_t me) {
  uint64_t bits = 0;
  for (uint32_t u = 0; u < n; u++) bits |= (uint64_t)edge(n, e, me, u) << u;
  return bits;
}

static uint64_t origins(uint32_t n, uint32_t e, uint32_t me) {
  uint64_t bits = 0;
  for (uint32_t u = 0; u < n; u++) bits |= (uint64_t)edge(n, e, u, me) << u;
  return bits;
}

static uint64_t value(uint32_t e, uint32_t from, uint32_t to) {
  uint64_t state = (uint64_t)e << 32 | from << 16 | to;
  return draw(&state) | 1;
}

/* Where `from` writes at all others in epoch e: epochs that may be open together have different
 * areas. */
static int64_t area(uint32_t n, uint32_t e, uint32_t from) {
  return (int64_t)((e % shape.ahead) * n + from) * 8;
}

struct run {
  eyot_pscw_t p;
  eyot_gptr_t data;
  uint32_t me, n, posted, accessed, waited;
  uint64_t dice;
  uint64_t source[EPOCHS][OP_COUNT_UNITS];
};

static void post_next(struct run *r) {
  uint64_t *own = api_own(r->data);
  for (uint32_t u = 0; u < r->n; u++) own[(uint64_t)area(r->n, r->posted, u) / 8] = 0;
  post_bits(r->p, targets(r->n, r->posted, r->me));
  r->posted++;
  if (shape.meet) ok(eyot_barrier(EYOT_TEAM_ALL));
}

/* Writes to all units that have posted, and leaves the completion to complete. */
static void access_next(struct run *r) {
  uint32_t e = r->accessed;
  uint64_t bits = origins(r->n, e, r->me);
  start_bits(r->p, bits);
  for (uint32_t u = 0; u < r->n; u++) {
    if ((bits >> u & 1) == 0) continue;
    r->source[e][u] = value(e, r->me, u);
    ok(eyot_put_nbi(eyot_gptr_add(eyot_gptr_at(r->data, unit(u)), area(r->n, e, r->me)),
                    &r->source[e][u], 8));
  }
  ok(eyot_pscw_complete(r->p));
  r->accessed++;
}

static void wait_next(struct run *r) {
  bool done = false;
  if (draw(&r->dice) % 2 == 0) {
    ok(eyot_pscw_test(r->p, &done));
    if (!done) return;
  } else {
    ok(eyot_pscw_wait(r->p));
  }
  const uint64_t *own = api_own(r->data);
  for (uint32_t u = 0; u < r->n; u++) {
    uint64_t want = edge(r->n, r->waited, r->me, u) ? value(r->waited, u, r->me) : 0;
    assert_int_equal(own[(uint64_t)area(r->n, r->waited, u) / 8], want);
  }
  r->waited++;
}

/* Each unit goes its own random way through the epochs, as far ahead as it may; an epoch is posted
 * before it is accessed and accessed before it is waited for, so units cannot wait in a circle. */
static void graph_body(uint32_t me, uint32_t n) {
  struct run r = {.me = me, .n = n, .dice = me * 101 + n};
  r.data = api_alloc((uint64_t)shape.ahead * n * 8);
  r.p = pscw_make(EYOT_TEAM_ALL, shape.neighbors, shape.changing);
  while (r.waited < EPOCHS) {
    uint64_t roll = draw(&r.dice) % 3;
    if (roll == 0 && r.posted < EPOCHS && r.posted < r.waited + shape.ahead) post_next(&r);
    if (roll == 1 && r.accessed < r.posted) access_next(&r);
    if (roll == 2 && r.waited < r.accessed) wait_next(&r);
  }
  pscw_destroy_clean(r.p);
  api_free(r.data);
}

static void sweep_shapes(uint32_t n, uint32_t seeds) {
  for (uint32_t degree = 1; degree <= 3; degree++) {
    for (int kind = 0; kind < 4; kind++) {
      shape.degree = degree;
      shape.ahead = 1 + (n + degree + (uint32_t)kind) % 4;
      shape.changing = kind % 2 == 0;
      shape.redraw = kind / 2 == 0;
      shape.neighbors = shape.redraw ? n : degree;
      shape.meet = false;
      api_sweep(n, seeds, graph_body);
    }
  }
}

static void random_epochs_over_changing_graphs_keep_their_data(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 6; n++) sweep_shapes(n, 8);
  sweep_shapes(12, 2);
}

/* As few slots as the attribute promises, and all neighbors new in each epoch: those of the next
 * come while those of the last have not yet returned their slots. */
static void as_few_slots_as_promised_are_enough(void **state) {
  (void)state;
  shape.changing = shape.redraw = shape.meet = true;
  shape.ahead = 1;
  for (uint32_t n = 2; n <= 12; n += 2) {
    for (shape.degree = 1; shape.degree <= 3; shape.degree++) {
      shape.neighbors = shape.degree;
      api_sweep(n, 10, graph_body);
    }
  }
}

/* -- many at one list -------------------------------------------------------------------------- */

/* All post to one unit at once, again and again, with more slots than fit a word of the map or
 * hardly more than posters: slots are leased and returned all the time. The unit answers in its own
 * order, and each poster checks the answer to its post. */
static uint32_t many_neighbors;
static void many_body(uint32_t me, uint32_t n) {
  eyot_gptr_t data = api_alloc(8);
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, many_neighbors, true);
  const uint64_t *own = api_own(data);
  uint64_t dice = n, answer[OP_COUNT_UNITS];
  for (uint32_t round = 0; round < 6; round++) {
    if (me != 0) {
      post_bits(p, 1);
      ok(eyot_pscw_wait(p));
      assert_int_equal(*own, value(round, 0, me));
      continue;
    }
    uint64_t left = ((uint64_t)1 << n) - 2;
    while (left != 0) {
      uint64_t some = left & draw(&dice);
      if (some == 0) some = left;
      start_bits(p, some);
      for (uint32_t u = 1; u < n; u++) {
        answer[u] = value(round, 0, u);
        if ((some >> u & 1) != 0) ok(eyot_put_nbi(eyot_gptr_at(data, unit(u)), &answer[u], 8));
      }
      ok(eyot_pscw_complete(p));
      left &= ~some;
    }
  }
  pscw_destroy_clean(p);
  api_free(data);
}

static void all_posts_to_one_unit_are_answered(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 16; n += 7) {
    many_neighbors = 100;
    api_sweep(n, 6, many_body);
    many_neighbors = n - 1;
    api_sweep(n, 12, many_body);
    many_neighbors = n / 2; /* twice as many slots: just enough */
    api_sweep(n, 12, many_body);
  }
}

/* -- far ahead --------------------------------------------------------------------------------- */

/* One unit exposes many epochs to the other before that starts the first. Their completions come
 * one by one, and an epoch is over after its own. */
static bool far_changing;
static void far_body(uint32_t me, uint32_t n) {
  enum { FAR = 20 };
  eyot_gptr_t seen = api_alloc(8);
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, 1, far_changing);
  uint32_t poster = n - 1;
  bool done = true;
  if (me == poster) {
    for (uint32_t e = 0; e < FAR; e++) post_bits(p, 1);
    ok(eyot_pscw_test(p, &done));
    assert_false(done);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint64_t e = 1; e <= FAR; e++) {
    if (me == 0) {
      start_bits(p, (uint64_t)1 << poster);
      ok(eyot_put_nbi(eyot_gptr_at(seen, unit(poster)), &e, 8));
      ok(eyot_pscw_complete(p));
      if (e % 5 == 0) ok(eyot_barrier(EYOT_TEAM_ALL));
      if (e % 5 == 0) ok(eyot_barrier(EYOT_TEAM_ALL));
    } else if (e % 5 == 0) {
      ok(eyot_barrier(EYOT_TEAM_ALL));
      for (uint32_t i = 0; i < 5 && me == poster; i++) ok(eyot_pscw_wait(p));
      if (me == poster && e < FAR) ok(eyot_pscw_test(p, &done));
      if (me == poster && e < FAR) assert_false(done);
      if (me == poster) assert_int_equal(*(const uint64_t *)api_own(seen), e);
      ok(eyot_barrier(EYOT_TEAM_ALL));
    }
  }
  pscw_destroy_clean(p);
  api_free(seen);
}

/* A neighbor that is an epoch ahead completes twice before a slow one completes once: the first
 * epoch is not over. */
static void fast_body(uint32_t me, uint32_t n) {
  (void)n;
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, 2, far_changing);
  bool done = true;
  if (me == 0) {
    post_bits(p, 6);
    post_bits(p, 6);
  }
  for (int i = 0; i < 2 && me == 1; i++) {
    start_bits(p, 1);
    ok(eyot_pscw_complete(p));
  }
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) {
    ok(eyot_pscw_test(p, &done));
    assert_false(done);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (int i = 0; i < 2 && me == 2; i++) {
    start_bits(p, 1);
    ok(eyot_pscw_complete(p));
  }
  for (int i = 0; i < 2 && me == 0; i++) ok(eyot_pscw_wait(p));
  pscw_destroy_clean(p);
}

static void epochs_ahead_end_after_their_own_completions(void **state) {
  (void)state;
  for (int changing = 0; changing < 2; changing++) {
    far_changing = changing != 0;
    for (uint32_t n = 2; n <= 3; n++) api_sweep(n, 20, far_body);
    api_sweep(3, 20, fast_body);
  }
}

/* -- some only expose and some only access ----------------------------------------------------- */

#define SIDES_AHEAD 5u
static bool sides_changing;

/* True if unit `exposer` exposes to `accessor` in an epoch: often to no unit at all. */
static bool side_exposes(uint32_t epoch, uint32_t exposer, uint32_t accessor) {
  uint64_t state = (uint64_t)epoch * 64 + exposer + 1, bits = draw(&state);
  return bits % 4 != 0 && (bits >> (8 + accessor) & 1) != 0;
}

static uint64_t *side_word(eyot_gptr_t g, uint32_t epoch, uint32_t n, uint32_t from) {
  return (uint64_t *)api_own(g) + epoch % SIDES_AHEAD * n + from;
}

static void side_expose(eyot_pscw_t p, eyot_gptr_t g, uint32_t epochs, uint32_t me, uint32_t n) {
  uint32_t posted = 0;
  for (uint32_t e = 0; e < epochs;) {
    if (posted < epochs && posted < e + SIDES_AHEAD) {
      uint64_t bits = 0;
      for (uint32_t u = 1; u < n; u += 2) bits |= (uint64_t)side_exposes(posted, me, u) << u;
      /* plain stores, before the post that lets others access */
      for (uint32_t u = 0; u < n; u++) *side_word(g, posted, n, u) = 0;
      post_bits(p, bits);
      posted++;
      if (posted % 3 != 0) continue;
    }
    ok(eyot_pscw_wait(p));
    for (uint32_t u = 0; u < n; u++)
      assert_int_equal(*side_word(g, e, n, u), u % 2 != 0 && side_exposes(e, me, u) ? e + 1 : 0);
    e++;
  }
}

static void sides_body(uint32_t me, uint32_t n) {
  enum { STEPS = 30 };
  eyot_gptr_t g = api_alloc(SIDES_AHEAD * n * sizeof(uint64_t));
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, n, sides_changing);
  if (me % 2 == 0) side_expose(p, g, STEPS, me, n);
  for (uint32_t e = 0; me % 2 != 0 && e < STEPS; e++) {
    uint64_t bits = 0, value = e + 1;
    for (uint32_t u = 0; u < n; u += 2) bits |= (uint64_t)side_exposes(e, u, me) << u;
    start_bits(p, bits);
    for (uint32_t u = 0; u < n; u += 2)
      if ((bits >> u & 1) != 0)
        ok(eyot_put_nbi(
            eyot_gptr_add(eyot_gptr_at(g, unit(u)), (int64_t)(e % SIDES_AHEAD * n + me) * 8),
            &value, 8));
    ok(eyot_pscw_complete(p));
  }
  pscw_destroy_clean(p);
  api_free(g);
}

static void exposing_and_accessing_sides_meet(void **state) {
  (void)state;
  for (int changing = 0; changing < 2; changing++) {
    sides_changing = changing != 0;
    for (uint32_t n = 2; n <= 7; n += 1) api_sweep(n, 12, sides_body);
  }
}

/* -- fence ------------------------------------------------------------------------------------- */

/* Effects that others cause before a fence are seen after it: of operations on any segment, and
 * direct stores, by direct loads and by gets. */
static void fence_all_body(uint32_t me, uint32_t n) {
  eyot_gptr_t named = api_alloc(8), data = api_alloc(n * 8), plain = api_alloc(8), mine;
  uint32_t next = (me + 1) % n, last = (me + n - 1) % n;
  eyot_counter_t c;
  ok(eyot_counter_create(EYOT_TEAM_ALL, 1, &c));
  ok(eyot_alloc(8, &mine));
  for (uint64_t round = 1; round <= 4; round++) {
    uint64_t got, in, value;
    eyot_handle_t h;
    ok(eyot_put_nbi(eyot_gptr_at(data, unit(next)), &round, 8));
    ok(eyot_put_nbi(mine, &round, 8));
    ok(eyot_get_nbi(&in, eyot_gptr_at(plain, unit(me)), 8));
    ok(eyot_get_notify_nb(&got, eyot_gptr_at(data, unit(next)), 8, eyot_counter_at(c, unit(next)),
                          1, &h));
    ok(eyot_fence(named));
    assert_int_equal(in, round == 1 ? 0 : (round - 1) * 10 + me); /* gets are complete, too */
    ok(eyot_counter_value(eyot_counter_at(c, unit(me)), &value));
    assert_int_equal(value, round);
    assert_int_equal(*(const uint64_t *)api_own(data), round);
    void *p;
    ok(eyot_gptr_addr(mine, &p));
    assert_int_equal(*(const uint64_t *)p, round);
    *(uint64_t *)api_own(plain) = round * 10 + me;
    ok(eyot_fence(named));
    ok(eyot_get(&got, eyot_gptr_at(plain, unit(last)), 8));
    assert_int_equal(got, round * 10 + last);
    ok(eyot_wait(&h, EYOT_REMOTE));
    ok(eyot_fence(named));
  }
  ok(eyot_free(mine));
  ok(eyot_counter_destroy(&c));
  api_free(named);
  api_free(data);
  api_free(plain);
}

static void fence_body(uint32_t me, uint32_t n) {
  eyot_team_t half;
  eyot_group_t *odd;
  eyot_gptr_t data, part = EYOT_GPTR_NULL;
  data = api_alloc(n * 8);
  ok(eyot_group_range(1, n / 2, 2, &odd));
  ok(eyot_team_create(EYOT_TEAM_ALL, odd, &half));
  if (me % 2 == 1) ok(eyot_team_alloc(half, 8, &part));
  for (uint64_t round = 1; round <= 4; round++) {
    for (uint32_t u = 0; u < n; u++)
      ok(eyot_put_nbi(eyot_gptr_add(eyot_gptr_at(data, unit(u)), me * 8), &round, 8));
    /* any pointer into it */
    ok(eyot_fence(eyot_gptr_add(eyot_gptr_at(data, unit((me + 1) % n)), 8 * (n - 1))));
    const uint64_t *own = api_own(data);
    for (uint32_t u = 0; u < n; u++) assert_int_equal(own[u], round);
    if (me % 2 == 1) ok(eyot_fence(part)); /* a part of the units */
    ok(eyot_fence(data));
  }
  refuses(EYOT_ESEG, eyot_fence(EYOT_GPTR_NULL));
  if (me % 2 == 0)
    refuses(EYOT_ESEG, eyot_fence((eyot_gptr_t){.seg = (uint16_t)(data.seg + 1), .gen = 1}));
  eyot_gptr_t own_memory;
  ok(eyot_alloc(8, &own_memory));
  refuses(EYOT_ESEG, eyot_fence(own_memory));
  ok(eyot_free(own_memory));
  if (me % 2 == 1) {
    ok(eyot_team_free(part));
    ok(eyot_team_destroy(&half));
  }
  eyot_group_free(odd);
  api_free(data);
}

static void fence_shows_all_earlier_accesses(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 6; n++) api_sweep(n, 8, fence_body);
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 8, fence_all_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_epochs_over_changing_graphs_keep_their_data),
      cmocka_unit_test(as_few_slots_as_promised_are_enough),
      cmocka_unit_test(all_posts_to_one_unit_are_answered),
      cmocka_unit_test(epochs_ahead_end_after_their_own_completions),
      cmocka_unit_test(fence_shows_all_earlier_accesses),
      cmocka_unit_test(exposing_and_accessing_sides_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
