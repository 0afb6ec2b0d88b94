/* SPDX-License-Identifier: BSD-3-Clause */
/* progress_moves.c - non-blocking puts and gets of all sizes around EYOT_PROGRESS_BYTES between all
 * units, from and to global and private memory: progress_moves ROUNDS.
 *
 * At times more are in flight than a ring has slots, and they are completed in each possible way;
 * the bytes must be right. At the end the units count with atomics what all have done. */
#include <string.h>

#include "programs/api_check.h"

#define AREA_BYTES (UINT64_C(256) << 10) /* of each unit for each other one */
#define BURST 150u
#define BURST_BYTES 1024u

/* BY_SIGNAL: put and signal in one */
enum way { BY_WAIT = 0, BY_TEST, BY_FLUSH, BY_FLUSH_ALL, BY_ORDER, BY_SIGNAL, WAYS };

struct state {
  /* in, out: one area for each unit; words: a signal for each */
  eyot_gptr_t in, out, counts, words;
  uint32_t me, n;
  uint64_t rng;
};

static unsigned char *mine(const struct state *s, eyot_gptr_t g, uint32_t area) {
  void *p;
  OK(eyot_gptr_addr(eyot_gptr_at(g, (eyot_unit_t){s->me}), &p));
  return (unsigned char *)p + area * AREA_BYTES;
}

static eyot_gptr_t area_at(eyot_gptr_t g, uint32_t unit, uint32_t area) {
  return eyot_gptr_add(eyot_gptr_at(g, (eyot_unit_t){unit}), (int64_t)(area * AREA_BYTES));
}

static unsigned char byte_of(uint32_t unit, uint64_t round, uint64_t i) {
  return (unsigned char)(unit * 31 + round * 7 + i + (i >> 8));
}

static void complete(uint32_t to, enum way way, eyot_handle_t *handle) {
  bool done = false;
  if (way == BY_WAIT) OK(eyot_wait(handle, EYOT_REMOTE));
  while (way == BY_TEST && !done) OK(eyot_test(handle, EYOT_REMOTE, &done));
  if (way == BY_FLUSH) OK(eyot_flush((eyot_unit_t){to}, EYOT_REMOTE));
  if (way == BY_FLUSH_ALL) OK(eyot_flush_all(EYOT_REMOTE));
  if (way == BY_ORDER) OK(eyot_order((eyot_unit_t){to}));
}

/* Puts to `to`, signals it, and gets back the bytes. */
static void put_round(struct state *s, uint32_t to, uint64_t round, unsigned char *private) {
  static const uint64_t SIZES[] = {1, 8, 4095, 4096, 4097, 20000, AREA_BYTES};
  uint64_t len = SIZES[draw(&s->rng) % (sizeof SIZES / sizeof *SIZES)];
  enum way way = (enum way)(draw(&s->rng) % WAYS);
  unsigned char *src = draw(&s->rng) % 2 != 0 ? private : mine(s, s->out, to);
  eyot_handle_t handle = EYOT_HANDLE_DONE;
  for (uint64_t i = 0; i < len; i++) src[i] = byte_of(s->me, round, i);
  eyot_gptr_t dst = area_at(s->in, to, s->me),
              word = eyot_gptr_add(eyot_gptr_at(s->words, (eyot_unit_t){to}), 8 * s->me);
  if (way <= BY_TEST)
    OK(eyot_put_nb(dst, src, len, &handle));
  else if (way == BY_SIGNAL)
    OK(eyot_put_signal_nbi(dst, src, len, word, EYOT_SIGNAL_SET, round << 32 | len));
  else
    OK(eyot_put_nbi(dst, src, len));
  complete(to, way, &handle);
  if (way != BY_SIGNAL)
    OK(eyot_put_signal_nbi(word, NULL, 0, word, EYOT_SIGNAL_SET, round << 32 | len));
  /* the get is not ordered after it, and src is filled again */
  if (way == BY_SIGNAL) OK(eyot_flush((eyot_unit_t){to}, EYOT_REMOTE));
  memset(private, 0, len);
  OK(eyot_get_nbi(private, dst, len));
  OK(eyot_flush((eyot_unit_t){to}, EYOT_REMOTE));
  for (uint64_t i = 0; i < len; i++) CHECK(private[i] == byte_of(s->me, round, i));
  unsigned char *back = mine(s, s->out, to);
  memset(back, 0, len);
  OK(eyot_get_nb(back, dst, len, &handle));
  complete(to, BY_TEST, &handle);
  for (uint64_t i = 0; i < len; i++) CHECK(back[i] == byte_of(s->me, round, i));
  OK(eyot_accumulate(eyot_gptr_at(s->counts, (eyot_unit_t){to}), EYOT_UINT64, EYOT_SUM,
                     &(uint64_t){1}));
}

static void check_in(const struct state *s, uint32_t from, uint64_t round) {
  uint64_t seen;
  eyot_gptr_t word = eyot_gptr_add(eyot_gptr_at(s->words, (eyot_unit_t){s->me}), 8 * from);
  OK(eyot_wait_until(word, EYOT_CMP_GE, round << 32, &seen));
  const unsigned char *in = mine(s, s->in, from);
  for (uint64_t i = 0; i < (seen & UINT32_MAX); i++) CHECK(in[i] == byte_of(from, round, i));
}

/* More than a ring holds, with handles that are waited for in reverse order. */
static void burst(const struct state *s, uint32_t to) {
  eyot_handle_t handles[BURST];
  unsigned char *src = mine(s, s->out, to);
  for (uint32_t k = 0; k < BURST; k++) {
    memset(src + k * BURST_BYTES, (int)(k + 1), BURST_BYTES);
    OK(eyot_put_nb(eyot_gptr_add(area_at(s->in, to, s->me), k * BURST_BYTES), src + k * BURST_BYTES,
                   BURST_BYTES, &handles[k]));
  }
  for (uint32_t k = BURST; k-- > 0;) OK(eyot_wait(&handles[k], EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  /* its sender: `to` is as far after this unit as the sender is before it */
  const unsigned char *in = mine(s, s->in, (2 * s->me + s->n - to) % s->n);
  for (uint32_t i = 0; i < BURST * BURST_BYTES; i++)
    CHECK(in[i] == (unsigned char)(i / BURST_BYTES + 1));
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2);
  uint64_t rounds = strtoull(argv[1], NULL, 10), count;
  struct state s = {.me = eyot_me().id, .n = eyot_size(), .rng = eyot_me().id + 1};
  OK(eyot_team_alloc(EYOT_TEAM_ALL, s.n * AREA_BYTES, &s.in));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, s.n * AREA_BYTES, &s.out));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &s.counts));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, s.n * sizeof(uint64_t), &s.words));
  unsigned char *private = malloc(AREA_BYTES);
  CHECK(private != NULL);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint64_t round = 1; round <= rounds; round++) {
    for (uint32_t d = 0; d < s.n; d++) put_round(&s, (s.me + d) % s.n, round, private);
    for (uint32_t from = 0; from < s.n; from++) check_in(&s, from, round);
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  for (uint32_t d = 0; d < s.n; d++) burst(&s, (s.me + d) % s.n);
  OK(eyot_read_u64(eyot_gptr_at(s.counts, eyot_me()), &count));
  CHECK(count == rounds * s.n);
  free(private);
  OK(eyot_team_free(s.in));
  OK(eyot_team_free(s.out));
  OK(eyot_team_free(s.counts));
  OK(eyot_team_free(s.words));
  return finish();
}
