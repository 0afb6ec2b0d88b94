/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dynamic_model.c - compares random attach, detach and access on dynamic segments with a
 * model. */
#include "unit/api_unit.h"

#define UNITS_MAX 6u
#define SLOTS 12u
/* of a slot; only unit i puts word 2i, and word 2i+1 is its atomic */
#define WORDS (2 * UNITS_MAX)
#define ROUNDS 14u

/* The memory that the units attach, and the slots that are attached: every unit draws all units'
 * changes from the same stream, so all know them without communication. */
static uint64_t arena[UNITS_MAX][SLOTS][WORDS];
struct model {
  uint32_t len[UNITS_MAX][SLOTS]; /* slots of the region that begins here; 0: none does */
  /* the last round in which the slot was attached or detached */
  uint32_t touched[UNITS_MAX][SLOTS];
};
struct change {
  uint32_t start, len; /* len 0: detach */
};

static struct {
  eyot_dynamic_attr_t attr;
  uint64_t seed;
  /* most accesses are to unit 0, so that origins compete for its list and do not evict it */
  bool hot;
  /* no access goes to memory that is not attached: that would update an origin by the way */
  bool hits;
} run;

/* The values that unit i has written to word 2i or 2i+1 of each slot; only it knows and changes
 * them. */
struct shadow {
  uint64_t put[UNITS_MAX][SLOTS], amo[UNITS_MAX][SLOTS];
};

static bool slot_attached(const struct model *m, uint32_t u, uint32_t slot, uint32_t *start) {
  for (uint32_t s = 0; s <= slot; s++) {
    if (m->len[u][s] > slot - s) {
      *start = s;
      return true;
    }
  }
  return false;
}

static void apply(struct model *m, uint32_t u, uint32_t round, struct change c) {
  uint32_t len = c.len > 0 ? c.len : m->len[u][c.start];
  m->len[u][c.start] = c.len;
  for (uint32_t s = c.start; s < c.start + len; s++) m->touched[u][s] = round;
}

/* A change that is possible in `m`. */
static struct change propose(const struct model *m, uint32_t u, uint64_t *rng) {
  for (;;) {
    uint32_t slot = (uint32_t)(draw(rng) % SLOTS), start, len = 1 + (uint32_t)(draw(rng) % 3);
    if (slot_attached(m, u, slot, &start)) return (struct change){start, 0};
    bool free_run = slot + len <= SLOTS;
    for (uint32_t s = slot; free_run && s < slot + len; s++)
      free_run = !slot_attached(m, u, s, &start);
    if (free_run) return (struct change){slot, len};
  }
}

static uint32_t regions_of(const struct model *m, uint32_t u) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < SLOTS; s++) n += m->len[u][s] > 0;
  return n;
}

static void change_own(eyot_dynamic_t d, const struct model *m, uint32_t me, struct change c) {
  if (c.len == 0) {
    ok(eyot_dynamic_detach(d, arena[me][c.start]));
    return;
  }
  int want = regions_of(m, me) == run.attr.regions ? EYOT_EBUSY : EYOT_OK;
  assert_int_equal(eyot_dynamic_attach(d, arena[me][c.start], c.len * sizeof arena[me][0], NULL),
                   want);
}

/* All units' changes of a round; the caller's are also made. */
static void change_all(eyot_dynamic_t d, struct model *m, uint32_t me, uint32_t n, uint32_t round) {
  for (uint32_t u = 0; u < n; u++) {
    uint64_t rng = run.seed * 1000 + round * UNITS_MAX + u;
    uint32_t changes = (uint32_t)(draw(&rng) % 4);
    for (uint32_t i = 0; i < changes; i++) {
      struct change c = propose(m, u, &rng);
      if (u == me) change_own(d, m, me, c);
      if (c.len == 0 || regions_of(m, u) < run.attr.regions) apply(m, u, round, c);
      /* the same address again, with another length if there is enough memory */
      if (c.len == 0 && draw(&rng) % 2 == 0) {
        uint32_t next;
        c.len =
            c.start + 1 < SLOTS && !slot_attached(m, u, c.start + 1, &next) && draw(&rng) % 2 == 0
                ? 2
                : 1;
        if (u == me) change_own(d, m, me, c);
        apply(m, u, round, c);
      }
    }
  }
}

static void write_word(eyot_gptr_t g, uint64_t *rng, uint64_t *value) {
  *value = draw(rng);
  switch (draw(rng) % 3) {
    case 0:
      ok(eyot_put(g, value, 8));
      break;
    case 1:
      ok(eyot_put_nbi(g, value, 8));
      ok(eyot_flush(eyot_gptr_unit(g), EYOT_REMOTE));
      break;
    default: {
      eyot_strided_t shape = {.block_bytes = 4, .count = 2, .local_stride = 4, .remote_stride = 4};
      ok(eyot_put_strided(g, value, &shape));
    }
  }
}

/* One access to memory whose state does not change in this round. */
static void access(eyot_dynamic_t d, const struct model *m, struct shadow *sh, uint32_t me,
                   uint32_t n, uint32_t round, uint64_t *rng) {
  uint32_t u = (uint32_t)(draw(rng) % n), slot = (uint32_t)(draw(rng) % SLOTS), start;
  if (run.hot && draw(rng) % 8 != 0) u = 0;
  if (m->touched[u][slot] == round) return;
  eyot_gptr_t g;
  uint64_t seen;
  ok(eyot_dynamic_gptr(d, unit(u), (uint64_t)(uintptr_t)&arena[u][slot][2 * me], &g));
  if (!slot_attached(m, u, slot, &start)) {
    if (!run.hits) refuses(EYOT_ERANGE, eyot_get(&seen, g, 8));
    return;
  }
  uint32_t rest = m->len[u][start] - (slot - start);
  switch (draw(rng) % 5) {
    case 0:
      write_word(g, rng, &sh->put[u][slot]);
      break;
    case 1:
      ok(eyot_get(&seen, g, 8));
      assert_int_equal(seen, sh->put[u][slot]);
      break;
    case 2:
      ok(eyot_fetch_add_u64(eyot_gptr_add(g, 8), 3, &seen));
      assert_int_equal(seen, sh->amo[u][slot]);
      sh->amo[u][slot] += 3;
      break;
    case 3:
      ok(eyot_put_signal(g, &sh->amo[u][slot], 8, eyot_gptr_add(g, 8), EYOT_SIGNAL_SET, 7));
      sh->put[u][slot] = sh->amo[u][slot];
      sh->amo[u][slot] = 7;
      break;
    default: { /* to the end of the region, and a byte beyond it */
      uint64_t bytes = rest * sizeof arena[0][0] - 2 * me * 8, buffer[SLOTS * WORDS];
      ok(eyot_get(buffer, g, bytes));
      assert_int_equal(buffer[0], sh->put[u][slot]);
      if (!run.hits) refuses(EYOT_ERANGE, eyot_get(buffer, g, bytes + 1));
    }
  }
}

/* Owners change regions while others access those that stay. A barrier after each round is the
 * program's own synchronization: attached regions are known, and no unit accesses any more what
 * will be detached. */
static void model_body(uint32_t me, uint32_t n) {
  eyot_dynamic_t d;
  struct model m = {0};
  struct shadow sh = {0};
  memset(arena[me], 0, sizeof arena[me]);
  ok(eyot_dynamic_create(EYOT_TEAM_ALL, &run.attr, &d));
  uint64_t rng = run.seed * 77 + me;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    struct model before = m;
    struct model plan = m;
    /* The memory is known before it is accessed. */
    for (uint32_t pass = 0; pass < 2; pass++) {
      if (pass == 0) change_all(d, &plan, UINT32_MAX, n, round);
      if (pass == 1) change_all(d, &m, me, n, round);
      memcpy(before.touched, plan.touched, sizeof before.touched);
      for (uint32_t i = 0; i < 6; i++) access(d, &before, &sh, me, n, round, &rng);
    }
    assert_memory_equal(&m, &plan, sizeof m);
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  for (uint32_t u = 0; u < n; u++) {
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
      assert_int_equal(arena[u][slot][2 * me], sh.put[u][slot]);
      assert_int_equal(arena[u][slot][2 * me + 1], sh.amo[u][slot]);
    }
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t slot = 0; slot < SLOTS; slot++)
    if (m.len[me][slot] > 0) ok(eyot_dynamic_detach(d, arena[me][slot]));
  ok(eyot_dynamic_destroy(&d));
}

static void sweep(eyot_dynamic_kind_t kind) {
  static const uint32_t PEERS[] = {1, 2, 32}, REGIONS[] = {3, 64};
  uint64_t seed = 0;
  for (size_t p = 0; p < 3; p++) {
    for (size_t r = 0; r < 2; r++) {
      for (uint32_t i = 0; i < 36; i++) {
        run.attr = (eyot_dynamic_attr_t){kind, REGIONS[r], PEERS[p]};
        run.seed = ++seed;
        run.hot = i % 3 != 0;
        run.hits = i / 3 % 2 != 0;
        api_run(&(struct fake_opts){.n = 2 + i % (UNITS_MAX - 1),
                                    .seed = seed * 7919,
                                    .mode = i % 12 == 0  ? FAKE_EAGER
                                            : i % 6 == 1 ? FAKE_DELAY
                                                         : FAKE_REORDER,
                                    .units_per_node = 2,
                                    .mapped = i % 2 != 0},
                model_body);
      }
    }
  }
}

static void random_use_by_validation_agrees_with_a_model(void **state) {
  (void)state;
  sweep(EYOT_DYNAMIC_VALIDATE);
}
static void random_use_by_notices_agrees_with_a_model(void **state) {
  (void)state;
  sweep(EYOT_DYNAMIC_NOTIFY);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_use_by_validation_agrees_with_a_model),
                                     cmocka_unit_test(random_use_by_notices_agrees_with_a_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
