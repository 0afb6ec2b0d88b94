/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_traffic.c - the simulator's speed in operations per second, for what programs do besides
 * barriers. bare_traffic.c has the same patterns with nothing but an event an operation.
 *
 *   eyotrun --fabric sim -n 4096 bench_traffic PATTERN DEPTH ROUNDS
 *     next      each unit puts 8 bytes to the unit 24 further, DEPTH times, and flushes
 *     random    the same to random units; atomics, gets: adds to, reads of random words of them
 *     locks     each unit acquires and releases one lock that all want, DEPTH times
 *     halo      an exchange of heat3d: signals to six neighbors, waits for theirs, and gets of 128
 *               bytes; DEPTH of them
 * Prints the operations of all units (locks: acquisitions). */
#include <eyot/eyot.h>
#include <eyot/lock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_span.h"

enum { WORDS = 64, NEXT = 24, FACES = 6, FACE_BYTES = 128 };

struct traffic {
  uint32_t me, n;
  long depth, rounds;
  uint64_t random; /* of the unit: targets */
  eyot_gptr_t words;
  eyot_lock_t lock;
  uint64_t value, step, inbox[WORDS];
};

static eyot_gptr_t word_of(const struct traffic *t, uint32_t unit, uint32_t word) {
  return eyot_gptr_add(eyot_gptr_at(t->words, (eyot_unit_t){unit}),
                       (int64_t)(word * sizeof(uint64_t)));
}

static eyot_gptr_t random_word(struct traffic *t) {
  uint64_t x = span_mix(t->random += UINT64_C(0x9e3779b97f4a7c15));
  return word_of(t, (uint32_t)((x >> 32) * t->n >> 32), t->me % WORDS);
}

static void next(struct traffic *t) {
  eyot_gptr_t to = word_of(t, (t->me + NEXT) % t->n, t->me % WORDS);
  for (long i = 0; i < t->depth; i++)
    span_must(eyot_put_nbi(to, &t->value, sizeof t->value), "eyot_put_nbi");
}

static void random_puts(struct traffic *t) {
  for (long i = 0; i < t->depth; i++)
    span_must(eyot_put_nbi(random_word(t), &t->value, sizeof t->value), "eyot_put_nbi");
}

static void atomics(struct traffic *t) {
  for (long i = 0; i < t->depth; i++)
    span_must(eyot_accumulate_nbi(random_word(t), EYOT_UINT64, EYOT_SUM, &t->value),
              "eyot_accumulate_nbi");
}

static void gets(struct traffic *t) {
  for (long i = 0; i < t->depth; i++)
    span_must(eyot_get_nbi(&t->inbox[i % WORDS], random_word(t), sizeof *t->inbox), "eyot_get_nbi");
}

static void locks(struct traffic *t) {
  for (long i = 0; i < t->depth; i++) {
    span_must(eyot_lock_acquire(t->lock, EYOT_LOCK_EXCLUSIVE), "eyot_lock_acquire");
    span_must(eyot_lock_release(t->lock), "eyot_lock_release");
  }
}

/* Face f of a unit faces f ^ 1 of its neighbor. */
static uint32_t neighbor(const struct traffic *t, uint32_t face) {
  static const uint32_t STRIDES[FACES / 2] = {1, 16, 256};
  uint32_t stride = STRIDES[face / 2] % t->n;
  return (t->me + (face % 2 == 0 ? stride : t->n - stride)) % t->n;
}

static void halo_step(struct traffic *t) {
  t->step++;
  for (uint32_t f = 0; f < FACES; f++)
    span_must(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, word_of(t, neighbor(t, f), f ^ 1),
                                  EYOT_SIGNAL_SET, t->step),
              "eyot_put_signal_nbi");
  for (uint32_t f = 0; f < FACES; f++)
    span_must(eyot_wait_until(word_of(t, t->me, f), EYOT_CMP_GE, t->step, NULL), "eyot_wait_until");
  for (uint32_t f = 0; f < FACES; f++)
    span_must(eyot_get_nbi(t->inbox, word_of(t, neighbor(t, f), FACES), FACE_BYTES),
              "eyot_get_nbi");
  span_must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
}

static void halo(struct traffic *t) {
  for (long i = 0; i < t->depth; i++) halo_step(t);
}

static const struct pattern {
  const char *name;
  void (*round)(struct traffic *t);
  uint32_t ops; /* for each of DEPTH */
} PATTERNS[] = {{"next", next, 1}, {"random", random_puts, 1}, {"atomics", atomics, 1},
                {"gets", gets, 1}, {"locks", locks, 1},        {"halo", halo, 2 * FACES}};
enum { PATTERN_COUNT = sizeof PATTERNS / sizeof *PATTERNS };

static const struct pattern *parse(int argc, char **argv, struct traffic *t) {
  t->depth = argc == 4 ? atol(argv[2]) : 0;
  t->rounds = argc == 4 ? atol(argv[3]) : 0;
  if (t->depth < 1 || t->rounds < 1) return NULL;
  for (int i = 0; i < PATTERN_COUNT; i++)
    if (strcmp(argv[1], PATTERNS[i].name) == 0) return &PATTERNS[i];
  return NULL;
}

/* Atomics are counted: each word has as many as its origins have sent in all. */
static int verify(const struct traffic *t, const struct pattern *p) {
  uint64_t sum = 0;
  const uint64_t expected = (uint64_t)t->n * (uint64_t)t->depth * (uint64_t)t->rounds;
  if (p->round != atomics) return 0;
  void *mine = NULL;
  span_must(eyot_gptr_addr(word_of(t, t->me, 0), &mine), "eyot_gptr_addr");
  for (int i = 0; i < WORDS; i++) sum += ((const uint64_t *)mine)[i];
  span_must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &sum, &sum, 1), "eyot_allreduce");
  if (sum == expected) return 0;
  if (t->me == 0)
    fprintf(stderr, "bench_traffic: the words add up to %llu, expected %llu\n",
            (unsigned long long)sum, (unsigned long long)expected);
  return 1;
}

int main(int argc, char **argv) {
  struct traffic t = {.value = 1};
  struct span span;
  span_must(eyot_init(&argc, &argv), "eyot_init");
  t.me = eyot_me().id;
  t.n = eyot_size();
  t.random = span_mix(t.me + 1);
  const struct pattern *p = parse(argc, argv, &t);
  if (p == NULL) {
    if (t.me == 0)
      fprintf(stderr,
              "usage: bench_traffic next|random|atomics|gets|locks|halo DEPTH ROUNDS, both of at "
              "least 1\n");
    eyot_finalize();
    return 2;
  }
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  span_must(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * sizeof(uint64_t), &t.words), "eyot_team_alloc");
  span_must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &t.lock), "eyot_lock_create");
  span_begin(&span);
  for (long i = 0; i < t.rounds; i++) {
    p->round(&t);
    span_must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  }
  span_end(&span, (uint64_t)t.n * (uint64_t)t.depth * (uint64_t)t.rounds * p->ops);
  int wrong = verify(&t, p);
  span_must(eyot_lock_destroy(&t.lock), "eyot_lock_destroy");
  span_must(eyot_team_free(t.words), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? wrong : 1;
}
