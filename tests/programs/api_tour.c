/* SPDX-License-Identifier: BSD-3-Clause */
/* api_tour.c - executes every one-sided operation between every pair of units, and checks it at the
 * origin and at the target.
 *
 * Each unit owns one row for every origin; an origin accesses only its own row, at all units, and
 * all add to one shared row. */
#include "programs/api_check.h"

#define ROW 1024u /* bytes of a row */
#define WORDS 16u /* 64-bit words of the shared row */

/* Offsets in a row. */
enum {
  AT_PUT = 0,
  AT_NB = 64,
  AT_NBI = 128,
  AT_STRIDED = 192,
  AT_INDEXED = 448,
  AT_ATOMIC = 704,
  AT_ARRAY = 768,
  AT_MESSAGE = 896,
  AT_SIGNAL = 960
};

static uint8_t pattern(uint32_t origin, uint32_t target, uint32_t i) {
  return (uint8_t)(origin * 31 + target * 17 + i * 7 + 1);
}

static void fill(uint8_t *b, uint32_t len, uint32_t origin, uint32_t target, uint32_t salt) {
  for (uint32_t i = 0; i < len; i++) b[i] = pattern(origin, target, i + salt);
}

static void tour_plain(eyot_gptr_t row, uint32_t me, uint32_t peer) {
  uint8_t out[64], in[64];
  fill(out, sizeof out, me, peer, AT_PUT);
  OK(eyot_put(eyot_gptr_add(row, AT_PUT), out, sizeof out));
  memset(in, 0, sizeof in);
  OK(eyot_get(in, eyot_gptr_add(row, AT_PUT), sizeof in));
  CHECK(memcmp(in, out, sizeof in) == 0);

  fill(out, sizeof out, me, peer, AT_NB);
  eyot_handle_t h[8];
  for (int i = 0; i < 8; i++)
    OK(eyot_put_nb(eyot_gptr_add(row, AT_NB + 8 * i), out + 8 * i, 8, &h[i]));
  OK(eyot_wait(&h[0], EYOT_LOCAL));
  OK(eyot_wait_all(h, 8, EYOT_REMOTE));
  memset(in, 0, sizeof in);
  for (int i = 0; i < 8; i++)
    OK(eyot_get_nb(in + 8 * i, eyot_gptr_add(row, AT_NB + 8 * i), 8, &h[i]));
  for (bool done = false; !done;) OK(eyot_test_all(h, 8, EYOT_REMOTE, &done));
  CHECK(memcmp(in, out, sizeof in) == 0);

  fill(out, sizeof out, me, peer, AT_NBI);
  for (int i = 0; i < 8; i++) OK(eyot_put_nbi(eyot_gptr_add(row, AT_NBI + 8 * i), out + 8 * i, 8));
  OK(eyot_flush((eyot_unit_t){peer}, EYOT_REMOTE));
  memset(in, 0, sizeof in);
  for (int i = 0; i < 8; i++) OK(eyot_get_nbi(in + 8 * i, eyot_gptr_add(row, AT_NBI + 8 * i), 8));
  OK(eyot_flush_all(EYOT_LOCAL));
  CHECK(memcmp(in, out, sizeof in) == 0);
}

static void tour_shapes(eyot_gptr_t row, uint32_t me, uint32_t peer) {
  uint8_t out[256], in[256];
  eyot_strided_t s = {.block_bytes = 8, .count = 16, .local_stride = 8, .remote_stride = 16};
  fill(out, sizeof out, me, peer, AT_STRIDED);
  OK(eyot_put_strided(eyot_gptr_add(row, AT_STRIDED), out, &s));
  memset(in, 0, sizeof in);
  s.local_stride = -16; /* reversed, with gaps */
  OK(eyot_get_strided(in + 240, eyot_gptr_add(row, AT_STRIDED), &s));
  for (int i = 0; i < 16; i++) CHECK(memcmp(in + 240 - 16 * i, out + 8 * i, 8) == 0);

  uint64_t len[8], remote[8], local[8];
  for (uint64_t i = 0; i < 8; i++) {
    len[i] = i + 1;
    remote[i] = i * 8;
    local[i] = (7 - i) * 16;
  }
  eyot_indexed_t x = {.n = 8, .len = len, .local_off = local, .remote_off = remote};
  fill(out, sizeof out, me, peer, AT_INDEXED);
  OK(eyot_put_indexed(eyot_gptr_add(row, AT_INDEXED), out, &x));
  memset(in, 0, sizeof in);
  OK(eyot_get_indexed(in, eyot_gptr_add(row, AT_INDEXED), &x));
  for (int i = 0; i < 8; i++) CHECK(memcmp(in + local[i], out + local[i], len[i]) == 0);
}

static void tour_atomics(eyot_gptr_t row, uint32_t me, uint32_t peer) {
  eyot_gptr_t word = eyot_gptr_add(row, AT_ATOMIC), real = eyot_gptr_add(row, AT_ATOMIC + 8),
              small = eyot_gptr_add(row, AT_ATOMIC + 16);
  uint64_t old, seed = (uint64_t)me * 1000 + peer;
  OK(eyot_swap_u64(word, seed, &old));
  CHECK(old == 0);
  OK(eyot_fetch_add_u64(word, 5, &old));
  CHECK(old == seed);
  OK(eyot_cas_u64(word, seed, 1, &old));
  CHECK(old == seed + 5);
  OK(eyot_cas_u64(word, seed + 5, 42, &old));
  CHECK(old == seed + 5);
  OK(eyot_read_u64(word, &old));
  CHECK(old == 42);
  OK(eyot_accumulate_nbi(word, EYOT_UINT64, EYOT_BXOR, &seed));
  OK(eyot_flush((eyot_unit_t){peer}, EYOT_REMOTE));
  OK(eyot_read_u64(word, &old));
  CHECK(old == (42 ^ seed));

  double d = 1.5, d_old;
  OK(eyot_accumulate(real, EYOT_DOUBLE, EYOT_SUM, &d));
  OK(eyot_fetch_op(real, EYOT_DOUBLE, EYOT_PROD, &d, &d_old));
  CHECK(d_old == 1.5);
  OK(eyot_fetch_op(real, EYOT_DOUBLE, EYOT_NOOP, NULL, &d_old));
  CHECK(d_old == 2.25);
  int32_t minus = -7, i_old;
  OK(eyot_accumulate(small, EYOT_INT32, EYOT_MIN, &minus));
  OK(eyot_fetch_op(small, EYOT_INT32, EYOT_SUM, &minus, &i_old));
  CHECK(i_old == -7);

  uint32_t a[16], a_old[16];
  for (uint32_t i = 0; i < 16; i++) a[i] = i + me;
  OK(eyot_accumulate_array(eyot_gptr_add(row, AT_ARRAY), EYOT_UINT32, EYOT_SUM, a, 16));
  OK(eyot_get_accumulate_array(eyot_gptr_add(row, AT_ARRAY), EYOT_UINT32, EYOT_SUM, a, a_old, 16));
  for (uint32_t i = 0; i < 16; i++) CHECK(a_old[i] == i + me);
  float f[8], f_old[8];
  for (int i = 0; i < 8; i++) f[i] = (float)i + 0.5f;
  OK(eyot_accumulate_array(eyot_gptr_add(row, AT_ARRAY + 64), EYOT_FLOAT, EYOT_MAX, f, 8));
  OK(eyot_get_accumulate_array(eyot_gptr_add(row, AT_ARRAY + 64), EYOT_FLOAT, EYOT_NOOP, NULL,
                               f_old, 8));
  CHECK(memcmp(f, f_old, sizeof f) == 0);
}

/* Each unit sends a message with a signal to each unit, then waits for all of its own. */
static void messages(eyot_gptr_t base, uint32_t me, uint32_t n) {
  for (uint32_t d = 0; d < n; d++) {
    uint32_t peer = (me + d) % n;
    eyot_gptr_t row = eyot_gptr_at(eyot_gptr_add(base, (int64_t)me * ROW), (eyot_unit_t){peer});
    uint8_t out[64];
    fill(out, sizeof out, me, peer, AT_MESSAGE);
    eyot_handle_t h;
    if (d % 2 == 0) {
      OK(eyot_put_signal(eyot_gptr_add(row, AT_MESSAGE), out, sizeof out,
                         eyot_gptr_add(row, AT_SIGNAL), EYOT_SIGNAL_SET, me + 1));
    } else {
      OK(eyot_put_signal_nb(eyot_gptr_add(row, AT_MESSAGE), out, sizeof out,
                            eyot_gptr_add(row, AT_SIGNAL), EYOT_SIGNAL_ADD, me + 1, &h));
      OK(eyot_wait(&h, EYOT_REMOTE));
    }
  }
  for (uint32_t origin = 0; origin < n; origin++) {
    eyot_gptr_t row = eyot_gptr_at(eyot_gptr_add(base, (int64_t)origin * ROW), (eyot_unit_t){me});
    uint64_t seen;
    OK(eyot_wait_until(eyot_gptr_add(row, AT_SIGNAL), EYOT_CMP_NE, 0, &seen));
    CHECK(seen == origin + 1);
    uint8_t want[64];
    void *p;
    fill(want, sizeof want, origin, me, AT_MESSAGE);
    OK(eyot_gptr_addr(eyot_gptr_add(row, AT_MESSAGE), &p));
    CHECK(memcmp(p, want, sizeof want) == 0);
  }
}

/* Checks in the owner's memory the puts of the others. */
static void check_rows(eyot_gptr_t base, uint32_t me, uint32_t n) {
  static const uint32_t PARTS[] = {AT_PUT, AT_NB, AT_NBI};
  for (uint32_t origin = 0; origin < n; origin++) {
    void *p;
    OK(eyot_gptr_addr(eyot_gptr_at(eyot_gptr_add(base, (int64_t)origin * ROW), (eyot_unit_t){me}),
                      &p));
    for (size_t part = 0; part < sizeof PARTS / sizeof PARTS[0]; part++) {
      uint8_t want[64];
      fill(want, sizeof want, origin, me, PARTS[part]);
      CHECK(memcmp((uint8_t *)p + PARTS[part], want, sizeof want) == 0);
    }
  }
}

/* No concurrent update of one row by all units is lost. */
static void shared_row(eyot_gptr_t shared, uint32_t n) {
  uint64_t one[WORDS], old;
  double half[WORDS];
  for (uint32_t i = 0; i < WORDS; i++) {
    one[i] = i + 1;
    half[i] = 0.5;
  }
  for (uint32_t peer = 0; peer < n; peer++) {
    eyot_gptr_t g = eyot_gptr_at(shared, (eyot_unit_t){peer});
    OK(eyot_accumulate_array(g, EYOT_UINT64, EYOT_SUM, one, WORDS));
    OK(eyot_accumulate_array(eyot_gptr_add(g, WORDS * 8), EYOT_DOUBLE, EYOT_SUM, half, WORDS));
    OK(eyot_fetch_add_u64(g, 1, &old));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  void *p;
  OK(eyot_gptr_addr(eyot_gptr_at(shared, eyot_me()), &p));
  const uint64_t *words = p;
  const double *reals = (const double *)p + WORDS;
  for (uint32_t i = 0; i < WORDS; i++) {
    CHECK(words[i] == (uint64_t)n * (i + 1) + (i == 0 ? n : 0));
    CHECK(reals[i] == 0.5 * n);
  }
}

/* put; sync; get on two units never both miss: a completed put alone promises less. */
static void full_barrier(eyot_gptr_t shared, uint32_t me, uint32_t n) {
  enum { ROUNDS = 20 };
  if (n < 2) return;
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    OK(eyot_barrier(EYOT_TEAM_ALL));
    if (me > 1) continue;
    /* Word `me` lies at the other unit; the other unit reports its result in word 2 + me. */
    eyot_gptr_t there = eyot_gptr_at(shared, (eyot_unit_t){1 - me}),
                here = eyot_gptr_at(shared, (eyot_unit_t){me});
    uint64_t seen, told;
    OK(eyot_put(eyot_gptr_add(there, 8 * (int64_t)me), &round, 8));
    OK(eyot_sync());
    OK(eyot_get(&seen, eyot_gptr_add(here, 8 - 8 * (int64_t)me), 8));
    OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(there, 16), EYOT_SIGNAL_SET,
                       2 * round + (seen == round)));
    OK(eyot_wait_until(eyot_gptr_add(here, 16), EYOT_CMP_GE, 2 * round, &told));
    CHECK(seen == round || told == 2 * round + 1);
  }
}

static void misuse(eyot_gptr_t base, uint32_t n) {
  uint64_t v = 0;
  bool done;
  CHECK(eyot_put(EYOT_GPTR_NULL, &v, 8) == EYOT_ESEG);
  CHECK(eyot_put(eyot_gptr_at(base, (eyot_unit_t){n}), &v, 8) == EYOT_EUNIT);
  CHECK(eyot_get(&v, eyot_gptr_add(base, (int64_t)n * ROW), 8) == EYOT_ERANGE);
  CHECK(eyot_put(base, NULL, 8) == EYOT_EINVAL);
  CHECK(eyot_fetch_add_u64(eyot_gptr_add(base, 4), 1, &v) == EYOT_EALIGN);
  CHECK(eyot_accumulate(base, EYOT_FLOAT, EYOT_BAND, &v) == EYOT_EINVAL);
  CHECK(eyot_flush((eyot_unit_t){n}, EYOT_REMOTE) == EYOT_EUNIT);
  CHECK(eyot_test_all(NULL, 1, EYOT_REMOTE, &done) == EYOT_EINVAL);
  eyot_handle_t none = EYOT_HANDLE_DONE;
  OK(eyot_wait(&none, EYOT_REMOTE));
}

int main(void) {
  OK(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id, n = eyot_size();
  eyot_gptr_t base, shared, litmus;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, (uint64_t)n * ROW, &base));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 2 * WORDS * 8, &shared));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &litmus));
  OK(eyot_phase("pairs"));
  for (uint32_t d = 0; d < n; d++) {
    uint32_t peer = (me + d) % n;
    eyot_gptr_t row = eyot_gptr_at(eyot_gptr_add(base, (int64_t)me * ROW), (eyot_unit_t){peer});
    tour_plain(row, me, peer);
    tour_shapes(row, me, peer);
    tour_atomics(row, me, peer);
  }
  OK(eyot_phase("messages"));
  messages(base, me, n);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  check_rows(base, me, n);
  shared_row(shared, n);
  full_barrier(litmus, me, n);
  if (me == 0) misuse(base, n);
  OK(eyot_order_all());
  OK(eyot_sync());
  OK(eyot_compute(1000));
  OK(eyot_progress());
  CHECK(eyot_now_ns() > 0);
  OK(eyot_phase(NULL));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(litmus));
  OK(eyot_team_free(shared));
  OK(eyot_team_free(base));
  return finish();
}
