/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamic.c - dynamic segments, on any fabric.
 *   dynamic model KIND PEERS ROUNDS SEED   random attach, detach and access by all units at once,
 *                                          against a model
 *   dynamic price                          an 8-byte put from the first unit to the last: plain and
 *                                          to dynamic segments of both kinds
 * KIND: validate or notify. */
#include <string.h>

#include "programs/api_check.h"

#define SLOTS 8u
#define WORDS 8u
#define TARGETS 4u
/* the last target is unit 0 for all units; its word is added to, not put */
#define HOT (TARGETS - 1)
#define PER_ROUND 6u

/* The slots of a unit that are attached: each unit draws the changes of its targets from the
 * targets' own streams, so no unit has to ask. */
struct model {
  uint32_t len[SLOTS];     /* of the region that begins in this slot; 0: none */
  uint32_t touched[SLOTS]; /* the last round in which the slot was attached or detached */
};

struct target {
  eyot_unit_t unit;
  uint64_t base; /* base of its memory at the slot */
  struct model now, before;
  uint64_t value[SLOTS]; /* in the caller's word of each slot */
};

static uint64_t memory[SLOTS][WORDS];
static struct {
  eyot_dynamic_t d;
  uint64_t seed, rng, added;
  bool hits; /* accesses never hit memory that is not attached */
  struct model own;
  struct target target[TARGETS];
} my;

static bool attached(const struct model *m, uint32_t slot, uint32_t *start) {
  for (uint32_t s = 0; s <= slot; s++) {
    if (m->len[s] > slot - s) {
      *start = s;
      return true;
    }
  }
  return false;
}

static void change(struct model *m, uint32_t round, uint32_t start, uint32_t len, bool for_real) {
  uint32_t slots = len > 0 ? len : m->len[start];
  m->len[start] = len;
  for (uint32_t s = start; s < start + slots; s++) m->touched[s] = round;
  if (!for_real) return;
  if (len == 0)
    OK(eyot_dynamic_detach(my.d, memory[start]));
  else
    OK(eyot_dynamic_attach(my.d, memory[start], len * sizeof memory[0], NULL));
}

/* Makes a unit's changes of a round: attaches and detaches regions, some at the same address with
 * another length. */
static void change_some(struct model *m, uint32_t unit, uint32_t round, bool for_real) {
  uint64_t rng = my.seed + ((uint64_t)unit << 20) + round;
  uint32_t start, changes = (uint32_t)(draw(&rng) % 4);
  for (uint32_t i = 0; i < changes; i++) {
    uint32_t slot = (uint32_t)(draw(&rng) % SLOTS);
    bool again = draw(&rng) % 2 == 0;
    if (attached(m, slot, &start)) {
      change(m, round, start, 0, for_real);
      if (!again) continue;
      slot = start;
    }
    uint32_t next, len = slot + 1 < SLOTS && !attached(m, slot + 1, &next)
                             ? 1 + (uint32_t)(draw(&rng) % 2)
                             : 1;
    change(m, round, slot, len, for_real);
  }
}

static void access_hot(eyot_gptr_t g) {
  uint64_t old;
  OK(eyot_fetch_add_u64(g, 1, &old));
  my.added++;
}

/* Accesses memory whose state does not change in this round. */
static void access_one(uint32_t round) {
  uint32_t k = (uint32_t)(draw(&my.rng) % (TARGETS + 1)), slot = (uint32_t)(draw(&my.rng) % SLOTS),
           start;
  if (k == TARGETS) k = HOT;
  struct target *t = &my.target[k];
  const struct model *m = &t->before;
  if (t->now.touched[slot] == round) return;
  eyot_gptr_t g;
  uint64_t seen;
  OK(eyot_dynamic_gptr(my.d, t->unit, t->base + (slot * WORDS + k) * sizeof(uint64_t), &g));
  if (!attached(m, slot, &start)) {
    if (!my.hits) CHECK(eyot_get(&seen, g, 8) == EYOT_ERANGE);
    return;
  }
  if (k == HOT) {
    access_hot(g);
    return;
  }
  OK(eyot_get(&seen, g, 8));
  CHECK(seen == t->value[slot]);
  t->value[slot] = draw(&my.rng);
  OK(eyot_put(g, &t->value[slot], 8));
  if (my.hits) return;
  uint64_t rest = (m->len[start] - (slot - start)) * sizeof memory[0] - k * sizeof(uint64_t);
  static char bytes[sizeof memory];
  OK(eyot_get(bytes, g, rest));
  CHECK(eyot_get(bytes, g, rest + 1) == EYOT_ERANGE);
}

static void play_round(uint32_t round) {
  for (uint32_t k = 0; k < TARGETS; k++) {
    struct target *t = &my.target[k];
    t->before = t->now;
    change_some(&t->now, t->unit.id, round, false);
  }
  uint32_t mine = (uint32_t)(draw(&my.rng) % PER_ROUND);
  for (uint32_t i = 0; i < PER_ROUND; i++) {
    if (i == mine) change_some(&my.own, eyot_me().id, round, true);
    access_one(round);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* Compares the final content of the units' memory with the values written. */
static void check_end(void) {
  uint64_t sums[2] = {my.added, 0}, total[2];
  if (eyot_me().id == 0)
    for (uint32_t slot = 0; slot < SLOTS; slot++) sums[1] += memory[slot][HOT];
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, sums, total, 2));
  CHECK(total[0] == total[1]);
  for (uint32_t slot = 0; slot < SLOTS; slot++)
    if (my.own.len[slot] > 0) OK(eyot_dynamic_detach(my.d, memory[slot]));
  OK(eyot_dynamic_attach(my.d, memory, sizeof memory, NULL));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t k = 0; k < HOT; k++) {
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
      eyot_gptr_t g;
      uint64_t seen;
      OK(eyot_dynamic_gptr(my.d, my.target[k].unit,
                           my.target[k].base + (slot * WORDS + k) * sizeof(uint64_t), &g));
      OK(eyot_get(&seen, g, 8));
      CHECK(seen == my.target[k].value[slot]);
    }
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_dynamic_detach(my.d, memory));
}

static void find_targets(void) {
  const uint32_t me = eyot_me().id, n = eyot_size(), away[HOT] = {1, n - 1, n / 2};
  eyot_gptr_t table;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &table));
  uint64_t base = (uint64_t)(uintptr_t)memory;
  OK(eyot_put(eyot_gptr_at(table, eyot_me()), &base, 8));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t k = 0; k < TARGETS; k++) {
    struct target *t = &my.target[k];
    t->unit = (eyot_unit_t){k == HOT ? 0 : (me + away[k]) % n};
    OK(eyot_get(&t->base, eyot_gptr_at(table, t->unit), 8));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(table));
}

static void play(eyot_dynamic_kind_t kind, uint32_t peers, uint32_t rounds, uint64_t seed) {
  CHECK(eyot_size() >= 2);
  my.seed = seed * 0x9e3779b97f4a7c15u;
  my.rng = my.seed + eyot_me().id * 77u;
  my.hits = seed % 2 != 0;
  find_targets();
  OK(eyot_dynamic_create(EYOT_TEAM_ALL, &(eyot_dynamic_attr_t){kind, SLOTS, peers}, &my.d));
  for (uint32_t round = 1; round <= rounds; round++) play_round(round);
  check_end();
  OK(eyot_dynamic_destroy(&my.d));
}

/* -- price ------------------------------------------------------------------------------------- */
#define PUTS 50u

static uint64_t price_of(eyot_gptr_t to, uint64_t gets) {
  uint64_t v = 0;
  eyot_counts_t counts;
  OK(eyot_put(to, &v, 8)); /* caches the region */
  OK(eyot_count_begin());
  uint64_t from = eyot_now_ns();
  for (v = 1; v <= PUTS; v++) OK(eyot_put(to, &v, 8));
  uint64_t took = eyot_now_ns() - from;
  OK(eyot_count_read(&counts));
  OK(eyot_count_end());
  CHECK(counts.gets == gets * PUTS && counts.puts == PUTS && counts.atomics == 0 &&
        counts.signals == 0);
  return took / PUTS;
}

static void price(void) {
  eyot_unit_t last = {eyot_size() - 1};
  eyot_gptr_t plain, table, g;
  eyot_dynamic_t d[2];
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &plain));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &table));
  for (int kind = 0; kind < 2; kind++) {
    OK(eyot_dynamic_create(EYOT_TEAM_ALL, &(eyot_dynamic_attr_t){(eyot_dynamic_kind_t)kind, 8, 8},
                           &d[kind]));
    OK(eyot_dynamic_attach(d[kind], memory[kind], sizeof memory[0], NULL));
  }
  uint64_t base = (uint64_t)(uintptr_t)memory, ns[3];
  OK(eyot_put(eyot_gptr_at(table, eyot_me()), &base, 8));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) {
    OK(eyot_get(&base, eyot_gptr_at(table, last), 8));
    ns[0] = price_of(eyot_gptr_at(plain, last), 0);
    for (int kind = 0; kind < 2; kind++) {
      OK(eyot_dynamic_gptr(d[kind], last, base + (uint64_t)kind * sizeof memory[0], &g));
      ns[1 + kind] = price_of(g, kind == EYOT_DYNAMIC_VALIDATE ? 1 : 0);
    }
    printf("an 8-byte put, ns: plain %llu, validate %llu, notify %llu\n", (unsigned long long)ns[0],
           (unsigned long long)ns[1], (unsigned long long)ns[2]);
  }
  OK(eyot_dynamic_gptr(d[0], eyot_me(), (uint64_t)(uintptr_t)memory, &g));
  /* on every fabric alike */
  OK(eyot_wait_until_timeout(g, EYOT_CMP_GE, 0, 0, NULL));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (int kind = 0; kind < 2; kind++) {
    if (eyot_me().id == last.id) CHECK(memory[kind][0] == PUTS);
    OK(eyot_dynamic_detach(d[kind], memory[kind]));
    OK(eyot_dynamic_destroy(&d[kind]));
  }
  OK(eyot_team_free(table));
  OK(eyot_team_free(plain));
}

/* As many origins' descriptors are kept as the attribute says. */
static void kept(void) {
  uint32_t n = eyot_size();
  uint64_t base = (uint64_t)(uintptr_t)memory, word = 0;
  eyot_gptr_t table, g;
  eyot_dynamic_t d;
  eyot_counts_t counts;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &table));
  OK(eyot_dynamic_create(EYOT_TEAM_ALL, &(eyot_dynamic_attr_t){EYOT_DYNAMIC_VALIDATE, 8, n}, &d));
  OK(eyot_dynamic_attach(d, memory[0], sizeof memory[0], NULL));
  OK(eyot_put(eyot_gptr_at(table, eyot_me()), &base, 8));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (int time = 0; time < 2 && eyot_me().id == 0; time++) {
    uint64_t gets = 0;
    for (uint32_t u = 1; u < n; u++) {
      OK(eyot_get(&base, eyot_gptr_at(table, (eyot_unit_t){u}), 8));
      OK(eyot_dynamic_gptr(d, (eyot_unit_t){u}, base, &g));
      OK(eyot_count_begin());
      OK(eyot_put(g, &word, 8));
      OK(eyot_count_read(&counts));
      OK(eyot_count_end());
      gets += counts.gets;
    }
    CHECK(gets == (time == 0 ? 3 : 1) * (uint64_t)(n - 1));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_dynamic_detach(d, memory[0]));
  OK(eyot_dynamic_destroy(&d));
  OK(eyot_team_free(table));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc == 6 && strcmp(argv[1], "model") == 0) {
    bool notify = strcmp(argv[2], "notify") == 0;
    play(notify ? EYOT_DYNAMIC_NOTIFY : EYOT_DYNAMIC_VALIDATE, (uint32_t)atoi(argv[3]),
         (uint32_t)atoi(argv[4]), strtoull(argv[5], NULL, 0));
  } else if (argc == 2 && strcmp(argv[1], "price") == 0) {
    price();
    kept();
  } else {
    fprintf(stderr,
            "usage: dynamic model validate|notify PEERS ROUNDS SEED\n       dynamic price\n");
    return 2;
  }
  return finish();
}
