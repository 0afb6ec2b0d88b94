/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_order.c - what an order, a flush or a signal places after a long message comes after all of
 * it, whatever passes it on the way: unit 0 sends long messages and then a flag to the last unit,
 * which waits for the flag and reads all bytes. The units between send words to that unit all the
 * time, so the long message is on its way when each later operation is posted. With "strict" no
 * order is called: that of --order strict must do.
 *
 *   flow_order [strict] [BYTES]     of a long message (262144), a multiple of 16 */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"

#define ROUNDS 3u

struct part {
  uint64_t flag, back, count, stop;
  uint64_t words[64]; /* of the units between */
  uint64_t begin;     /* of the long message */
};

/* How unit 0 places the flag after the message. */
enum way {
  WAY_ORDER,       /* put, order, put of the flag */
  WAY_ORDER_ALL,   /* two puts, an order of all units, the flag */
  WAY_SIGNAL,      /* one put with signal */
  WAY_ATOMIC,      /* put, order, an atomic on the flag */
  WAY_FLUSH,       /* put, flush, the flag */
  WAY_SET,         /* put and flag in a set, with its order between */
  WAY_TWO_SETS,    /* a put in each of two sets, an order of all sets, the flag in the first */
  WAY_CHAIN,       /* put, order, put over it, order, the flag */
  WAY_SOURCE,      /* put, order, the flag, whose source changes when it is locally complete */
  WAY_GET_BETWEEN, /* put, order, a get that ends before the put does, the flag */
  WAY_LONG_SIGNAL, /* put, order, put with signal to the other half */
  WAY_GET_FIRST,   /* a get of all bytes, puts over them, order, the flag */
  WAYS
};

static eyot_gptr_t mem, mine;
static eyot_unit_t to;
static bool strict;
static uint64_t length = 262144; /* of a long message */
static eyot_set_t set[2];

static eyot_gptr_t there(uint64_t off) {
  return eyot_gptr_add(eyot_gptr_at(mem, to), (int64_t)off);
}
static eyot_gptr_t flag(void) {
  return there(offsetof(struct part, flag));
}
static eyot_gptr_t bytes(void) {
  return there(offsetof(struct part, begin));
}

static void send_by_sets(enum way way, const uint64_t *src, const uint64_t *word) {
  const uint64_t half = length / 2;
  const char *second = (const char *)src + half;
  if (way == WAY_SET) {
    OK(eyot_set_put(set[0], bytes(), src, length));
    if (!strict) OK(eyot_set_order(set[0], to));
    OK(eyot_set_put(set[0], flag(), word, 8));
  } else {
    OK(eyot_set_put(set[0], bytes(), src, half));
    OK(eyot_set_put(set[1], eyot_gptr_add(bytes(), (int64_t)half), second, half));
    if (!strict) OK(eyot_order(to));
    OK(eyot_set_put(set[0], flag(), word, 8));
  }
}

static void send_after_get(const uint64_t *src, uint64_t *old, const uint64_t *word) {
  OK(eyot_get_nbi(old, bytes(), length));
  OK(eyot_put_nbi(bytes(), src, 8)); /* a short one, which passes a long get but in strict order */
  OK(eyot_put_nbi(bytes(), src, length));
  if (!strict) OK(eyot_order(to));
  OK(eyot_put_nbi(flag(), word, 8));
  OK(eyot_flush_all(EYOT_REMOTE));
  for (uint64_t i = 0; strict && i < length / 8; i++) CHECK(old[i] == *word - 1);
}

static void send(enum way way, uint64_t *src, uint64_t *old, uint64_t value) {
  const uint64_t half = length / 2;
  uint64_t word = value, one = value, from_ns;
  char *second = (char *)src + half;
  switch (way) {
    case WAY_ORDER:
      OK(eyot_put_nbi(bytes(), src, length));
      if (!strict) OK(eyot_order(to));
      OK(eyot_put_nbi(flag(), &word, 8));
      break;
    case WAY_ORDER_ALL:
      OK(eyot_put_nbi(bytes(), src, half));
      OK(eyot_put_nbi(eyot_gptr_add(bytes(), (int64_t)half), second, half));
      if (!strict) OK(eyot_order_all());
      OK(eyot_put_nbi(flag(), &word, 8));
      break;
    case WAY_SIGNAL:
      OK(eyot_put_signal_nbi(bytes(), src, length, flag(), EYOT_SIGNAL_SET, value));
      break;
    case WAY_ATOMIC:
      OK(eyot_put_nbi(bytes(), src, length));
      if (!strict) OK(eyot_order(to));
      OK(eyot_accumulate_nbi(flag(), EYOT_UINT64, EYOT_REPLACE, &one));
      break;
    case WAY_FLUSH:
      OK(eyot_put_nbi(bytes(), src, length));
      OK(eyot_flush(to, EYOT_REMOTE));
      OK(eyot_put_nbi(flag(), &word, 8));
      break;
    case WAY_SET:
    case WAY_TWO_SETS:
      send_by_sets(way, src, &word);
      break;
    case WAY_CHAIN:
      OK(eyot_put_nbi(bytes(), old, length));
      if (!strict) OK(eyot_order(to));
      OK(eyot_put_nbi(bytes(), src, length));
      if (!strict) OK(eyot_order(to));
      OK(eyot_put_nbi(flag(), &word, 8));
      break;
    case WAY_SOURCE:
      OK(eyot_put_nbi(bytes(), src, length));
      if (!strict) OK(eyot_order(to));
      from_ns = eyot_now_ns();
      OK(eyot_put_local(flag(), &word, 8));
      CHECK(eyot_now_ns() - from_ns < 5000); /* it is not read with the message */
      word = 0;
      break;
    case WAY_GET_BETWEEN:
      OK(eyot_put_nbi(bytes(), src, length));
      if (!strict) OK(eyot_order(to));
      OK(eyot_get_nbi(old, there(offsetof(struct part, words)), 128));
      OK(eyot_put_nbi(flag(), &word, 8));
      break;
    case WAY_LONG_SIGNAL:
      OK(eyot_put_nbi(bytes(), src, half));
      if (!strict) OK(eyot_order(to));
      OK(eyot_put_signal_nbi(eyot_gptr_add(bytes(), (int64_t)half), second, half, flag(),
                             EYOT_SIGNAL_SET, value));
      break;
    case WAY_GET_FIRST:
      send_after_get(src, old, &word);
      break;
    case WAYS:
      break;
  }
  OK(eyot_flush_all(EYOT_REMOTE));
}

/* Unit 0. The last unit answers when it has read the bytes. */
static void sender(void) {
  uint64_t *src = malloc(length), *old = malloc(length), seen, value = 0;
  CHECK(src != NULL && old != NULL);
  OK(eyot_set_create(&set[0]));
  OK(eyot_set_create(&set[1]));
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t way = 0; way < WAYS; way++) {
      value++;
      for (uint64_t i = 0; i < length / 8; i++) src[i] = value, old[i] = UINT64_MAX;
      send((enum way)way, src, old, value);
      OK(eyot_wait_until(eyot_gptr_add(mine, offsetof(struct part, back)), EYOT_CMP_GE, value,
                         &seen));
    }
  OK(eyot_set_destroy(&set[0]));
  OK(eyot_set_destroy(&set[1]));
  for (uint32_t i = 1; i + 1 < eyot_size(); i++)
    OK(eyot_put_signal(
        eyot_gptr_at(mem, (eyot_unit_t){i}), NULL, 0,
        eyot_gptr_add(eyot_gptr_at(mem, (eyot_unit_t){i}), offsetof(struct part, stop)),
        EYOT_SIGNAL_SET, 1));
  free(src);
  free(old);
}

static void receiver(const struct part *own) {
  uint64_t seen;
  for (uint64_t value = 1; value <= ROUNDS * WAYS; value++) {
    OK(eyot_wait_until(eyot_gptr_add(mine, offsetof(struct part, flag)), EYOT_CMP_GE, value,
                       &seen));
    CHECK(seen == value);
    const uint64_t *at = &own->begin;
    for (uint64_t i = 0; i < length / 8; i++)
      if (at[i] != value) {
        fprintf(stderr, "way %u: word %lu is %ld, expected %lu\n", (unsigned)((value - 1) % WAYS),
                (unsigned long)i, (long)at[i], (unsigned long)value);
        CHECK(at[i] == value);
      }
    OK(eyot_put_signal(
        eyot_gptr_at(mem, (eyot_unit_t){0}), NULL, 0,
        eyot_gptr_add(eyot_gptr_at(mem, (eyot_unit_t){0}), offsetof(struct part, back)),
        EYOT_SIGNAL_SET, value));
  }
}

/* Words, and now and then a get of some KiB, until unit 0 is done. */
static void passer(void) {
  static char here[4096];
  uint64_t word = 1, seen;
  bool done = false;
  for (uint32_t i = 0; !done; i++) {
    OK(eyot_put_nbi(there(offsetof(struct part, words) + eyot_me().id % 64 * 8), &word, 8));
    if (i % 16 == 0) OK(eyot_get(here, bytes(), sizeof here));
    if (i % 8 == 0) OK(eyot_flush_all(EYOT_REMOTE));
    OK(eyot_test_until(eyot_gptr_add(mine, offsetof(struct part, stop)), EYOT_CMP_GE, 1, &seen,
                       &done));
  }
  OK(eyot_flush_all(EYOT_REMOTE));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(eyot_size() >= 3);
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "strict") == 0)
      strict = true;
    else
      length = strtoull(argv[i], NULL, 10);
  CHECK(length > 0 && length % 16 == 0);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(struct part) + length, &mem));
  to = (eyot_unit_t){eyot_size() - 1};
  void *own;
  mine = eyot_gptr_at(mem, eyot_me());
  OK(eyot_gptr_addr(mine, &own));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0)
    sender();
  else if (eyot_me().id == to.id)
    receiver(own);
  else
    passer();
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(mem));
  return finish();
}
