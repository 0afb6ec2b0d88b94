/* SPDX-License-Identifier: BSD-3-Clause */
/* sets.c - operation sets: every call posts to its set, and the set's flush completes it; wrong
 * handles are refused; and a reduction in stages, of which one is transferred, by a set of its own,
 * while another is added up. sets [wrong]: flushes the other stage's set, a race. */
#include <string.h>

#include "programs/api_check.h"

#define WORDS 64u
#define STAGES 6u
#define STAGE_WORDS 16u

static bool wrong; /* the fault that detectors must find */

/* -- each call --------------------------------------------------------------------------------- */

enum { PUT = 0, LOCAL, SIGNAL, SIGNAL_LOCAL, FLAG, SUM, OLD, SWAP, HALF, SPREAD = 16, LIST = 32 };

static eyot_gptr_t word(eyot_gptr_t at, uint32_t i) {
  return eyot_gptr_add(at, (int64_t)i * 8);
}

static void post_all(eyot_set_t set, eyot_gptr_t to, uint64_t *out, uint64_t round) {
  static const eyot_strided_t spread = {8, 3, 8, 16};
  static const uint64_t len[2] = {8, 8}, from[2] = {8, 0}, at[2] = {0, 24};
  const eyot_indexed_t list = {2, len, from, at};
  for (uint64_t i = 0; i < 4; i++) out[i] = round * 100 + i;
  OK(eyot_set_put(set, word(to, PUT), &out[0], 8));
  uint64_t free_at_once = round;
  OK(eyot_set_put_local(set, word(to, LOCAL), &free_at_once, 8));
  free_at_once = 99;
  OK(eyot_set_put_signal(set, word(to, SIGNAL), &out[1], 8, word(to, FLAG), EYOT_SIGNAL_ADD, 1));
  free_at_once = round + 7;
  OK(eyot_set_put_signal_local(set, word(to, SIGNAL_LOCAL), &free_at_once, 8, word(to, FLAG),
                               EYOT_SIGNAL_ADD, 1));
  free_at_once = 2;
  OK(eyot_set_accumulate(set, word(to, SUM), EYOT_UINT64, EYOT_SUM, &free_at_once));
  free_at_once = 99;
  OK(eyot_set_put_strided(set, word(to, SPREAD), out, &spread));
  OK(eyot_set_put_strided_local(set, word(to, SPREAD + 1), out, &spread));
  OK(eyot_set_put_indexed(set, word(to, LIST), out, &list));
}

/* The words of post_all, by gets of the set. */
static void read_all(eyot_set_t set, eyot_gptr_t to, uint64_t round) {
  static const eyot_strided_t spread = {8, 3, 8, 16};
  static const uint64_t len[2] = {8, 8}, there[2] = {0, 24}, here[2] = {0, 8};
  const eyot_indexed_t list = {2, len, here, there};
  uint64_t in[SUM + 1], blocks[3], listed[2], old = 0, swapped = 0, one = 1, none = 0;
  uint32_t half[2] = {0, 77}, half_one = 1; /* the second stays */
  OK(eyot_set_get(set, in, to, sizeof in));
  OK(eyot_set_get_strided(set, blocks, word(to, SPREAD), &spread));
  OK(eyot_set_get_indexed(set, listed, word(to, LIST), &list));
  OK(eyot_set_fetch_op(set, word(to, OLD), EYOT_UINT64, EYOT_SUM, &one, &old));
  OK(eyot_set_compare_swap(set, word(to, SWAP), EYOT_UINT64, &none, &round, &swapped));
  OK(eyot_set_fetch_op(set, word(to, HALF), EYOT_UINT32, EYOT_SUM, &half_one, half));
  OK(eyot_set_flush(set, eyot_gptr_unit(to), EYOT_LOCAL));
  CHECK(in[PUT] == round * 100 && in[LOCAL] == round && in[SIGNAL] == round * 100 + 1);
  CHECK(in[SIGNAL_LOCAL] == round + 7 && in[FLAG] == 2 * round && in[SUM] == 2 * round);
  for (uint64_t i = 0; i < 3; i++) CHECK(blocks[i] == round * 100 + i);
  CHECK(listed[0] == round * 100 + 1 && listed[1] == round * 100);
  CHECK(half[0] == round - 1 && half[1] == 77);
  CHECK(old == round - 1 && swapped == (round == 1 ? 0 : 1));
}

static void every_call(eyot_gptr_t base) {
  eyot_unit_t next = {(eyot_me().id + 1) % eyot_size()};
  eyot_gptr_t to = eyot_gptr_at(base, next);
  eyot_set_t set[3] = {EYOT_SET_DEFAULT};
  uint64_t out[4];
  OK(eyot_set_create(&set[1]));
  OK(eyot_set_create(&set[2]));
  for (uint64_t round = 1; round <= 6; round++) {
    eyot_set_t s = set[round % 3];
    post_all(s, to, out, round);
    OK(round % 2 == 0 ? eyot_set_flush(s, next, EYOT_REMOTE) : eyot_set_flush_all(s, EYOT_REMOTE));
    read_all(s, to, round);
    OK(round % 2 == 0 ? eyot_set_order(s, next) : eyot_set_order_all(s));
  }
  OK(eyot_set_destroy(&set[1]));
  OK(eyot_set_destroy(&set[2]));
  CHECK(set[1].id == EYOT_SET_NULL.id);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* -- wrong calls ------------------------------------------------------------------------------- */

static void misuse(eyot_gptr_t base) {
  eyot_set_t set, gone, none = EYOT_SET_DEFAULT, bad = EYOT_SET_NULL;
  uint64_t v = 1;
  CHECK(eyot_set_create(NULL) == EYOT_EINVAL);
  CHECK(eyot_set_destroy(NULL) == EYOT_EINVAL);
  CHECK(eyot_set_destroy(&none) == EYOT_EINVAL);
  CHECK(eyot_set_destroy(&bad) == EYOT_EINVAL);
  OK(eyot_set_create(&set));
  gone = set;
  OK(eyot_set_destroy(&gone));
  gone = set;
  CHECK(eyot_set_put(gone, base, &v, 8) == EYOT_EINVAL);
  CHECK(eyot_set_get(bad, &v, base, 8) == EYOT_EINVAL);
  CHECK(eyot_set_flush_all(gone, EYOT_REMOTE) == EYOT_EINVAL);
  CHECK(eyot_set_order_all(gone) == EYOT_EINVAL);
  OK(eyot_set_create(&set)); /* the same place, another generation */
  CHECK(eyot_set_put(gone, base, &v, 8) == EYOT_EINVAL);
  CHECK(eyot_set_put(set, EYOT_GPTR_NULL, &v, 8) == EYOT_ESEG);
  CHECK(eyot_set_put(set, base, NULL, 8) == EYOT_EINVAL);
  CHECK(eyot_set_flush(set, (eyot_unit_t){eyot_size()}, EYOT_REMOTE) == EYOT_EUNIT);
  CHECK(eyot_set_flush_all(set, (eyot_level_t)7) == EYOT_EINVAL);
  CHECK(eyot_set_order(set, (eyot_unit_t){eyot_size()}) == EYOT_EUNIT);
  CHECK(eyot_set_fetch_op(set, base, EYOT_UINT64, EYOT_SUM, &v, NULL) == EYOT_EINVAL);
  OK(eyot_set_destroy(&set));
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* -- a reduction in stages --------------------------------------------------------------------- */

/* Each unit gets stage k of its neighbor's words while it adds up stage k - 1; two sets take turns,
 * so that the flush of one stage does not wait for the next one. */
static void pipeline(eyot_gptr_t base, const eyot_set_t set[2]) {
  uint32_t next = (eyot_me().id + 1) % eyot_size();
  uint64_t in[2][STAGE_WORDS], sum = 0, want = 0;
  void *own;
  OK(eyot_gptr_addr(eyot_gptr_at(base, eyot_me()), &own));
  for (uint64_t i = 0; i < STAGES * STAGE_WORDS; i++) ((uint64_t *)own)[i] = eyot_me().id + i;
  OK(eyot_fence(base));
  for (uint32_t k = 0; k <= STAGES; k++) {
    if (k < STAGES)
      OK(eyot_set_get(
          set[k % 2], in[k % 2],
          eyot_gptr_add(eyot_gptr_at(base, (eyot_unit_t){next}), (int64_t)(k * sizeof in[0])),
          sizeof in[0]));
    if (k == 0) continue;
    OK(eyot_set_flush_all(set[(wrong ? k : k - 1) % 2], EYOT_LOCAL));
    eyot_check_reads(in[(k - 1) % 2], sizeof in[0]);
    for (uint32_t i = 0; i < STAGE_WORDS; i++) sum += in[(k - 1) % 2][i];
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  for (uint64_t i = 0; i < STAGES * STAGE_WORDS; i++) want += next + i;
  CHECK(wrong || sum == want);
  OK(eyot_fence(base));
}

int main(int argc, char **argv) {
  eyot_gptr_t base;
  wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
  OK(eyot_init(&argc, &argv));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * 8, &base));
  every_call(base);
  misuse(base);
  OK(eyot_team_free(base));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, STAGES * STAGE_WORDS * 8, &base));
  eyot_set_t set[2];
  OK(eyot_set_create(&set[0]));
  OK(eyot_set_create(&set[1]));
  pipeline(base, set);
  OK(eyot_set_destroy(&set[0]));
  OK(eyot_set_destroy(&set[1]));
  OK(eyot_team_free(base));
  return finish();
}
