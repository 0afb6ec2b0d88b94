/* SPDX-License-Identifier: BSD-3-Clause */
/* layer_prices.c - what two units pay, in ns of virtual time: for collectives, for signals with
 * bytes and without, for operations whose target computes, and as the target of others'.
 *
 * For tests/sim/layer_prices.sh, which compares machines that differ in one figure. */
#include "programs/api_check.h"

enum { BYTES = 4096, TIMES = 10, COMPUTE_NS = 100000, LATER_NS = 20000 };

static eyot_gptr_t mem, words;
static unsigned char local[BYTES];
static uint64_t turn, since_ns;

static void begin(void) {
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_compute(1000000)); /* all is quiet */
  since_ns = eyot_now_ns();
}

static void say(const char *what, uint64_t times) {
  if (eyot_me().id == 0)
    printf("%s %lu\n", what, (unsigned long)((eyot_now_ns() - since_ns) / times));
}

static void collectives(void) {
  double in = 1, out;
  uint64_t value = 1;
  begin();
  for (int i = 0; i < TIMES; i++)
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, &in, &out, 1));
  begin();
  for (int i = 0; i < TIMES; i++)
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, &in, &out, 1));
  say("allreduce", TIMES);
  begin();
  for (int i = 0; i < TIMES; i++)
    OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){(uint32_t)i % 2}, &value, sizeof value));
  say("broadcast", TIMES);
  begin();
  for (int i = 0; i < TIMES; i++) OK(eyot_barrier(EYOT_TEAM_ALL));
  say("barrier", TIMES);
}

/* There and back. */
static void trips(const char *what, uint64_t len) {
  uint32_t me = eyot_me().id;
  eyot_unit_t it = {1 - me};
  begin();
  for (int i = 0; i < TIMES; i++) {
    turn++;
    for (uint32_t from = 0; from < 2; from++) {
      if (from == me)
        OK(eyot_put_signal_nbi(eyot_gptr_at(mem, it), local, len, eyot_gptr_at(words, it),
                               EYOT_SIGNAL_SET, turn));
      else
        OK(eyot_wait_until(eyot_gptr_at(words, eyot_me()), EYOT_CMP_GE, turn, NULL));
    }
  }
  say(what, 2 * TIMES);
}

/* Unit 0 has begun an operation after unit 1 has begun to compute. */
#define AWAY(what, ...)             \
  do {                              \
    begin();                        \
    if (me == 1) {                  \
      OK(eyot_compute(COMPUTE_NS)); \
    } else {                        \
      OK(eyot_compute(LATER_NS));   \
      since_ns = eyot_now_ns();     \
      __VA_ARGS__;                  \
      say(what, 1);                 \
    }                               \
  } while (0)

static void away(void) {
  uint32_t me = eyot_me().id;
  eyot_unit_t it = {1};
  eyot_gptr_t there = eyot_gptr_at(mem, it), word = eyot_gptr_at(words, it);
  const uint64_t seven = 7; /* of an operation that is not waited for */
  uint64_t old = 0;
  AWAY("away_get", OK(eyot_get(local, there, 8)));
  AWAY("away_long_get", OK(eyot_get(local, there, BYTES)));
  AWAY("away_put", OK(eyot_put(there, local, 8)));
  AWAY("away_long_put", OK(eyot_put(there, local, BYTES)));
  AWAY("away_add", OK(eyot_fetch_add_u64(eyot_gptr_add(word, 64), 1, &old)));
  AWAY("away_posted", {
    OK(eyot_put_nbi(there, local, 8));
    OK(eyot_get_nbi(local, there, 8));
    OK(eyot_accumulate_nbi(eyot_gptr_add(word, 64), EYOT_UINT64, EYOT_SUM, &old));
    OK(eyot_flush(it, EYOT_REMOTE));
  });
  /* it does not see the second before the first */
  AWAY("away_order", {
    OK(eyot_put_nbi(there, &seven, 8));
    OK(eyot_order(it));
    OK(eyot_put_signal(there, NULL, 0, eyot_gptr_add(word, 128), EYOT_SIGNAL_SET, 1));
  });
  if (me == 1) {
    void *at;
    OK(eyot_wait_until(eyot_gptr_add(word, 128), EYOT_CMP_GE, 1, NULL));
    OK(eyot_gptr_addr(there, &at));
    CHECK(*(volatile uint64_t *)at == 7);
  }
  AWAY("away_self", OK(eyot_put(eyot_gptr_at(mem, eyot_me()), local, 8)));
}

/* Unit 0 computes, and unit 1 does TIMES operations on its memory meanwhile. */
#define SERVED(what, ...)               \
  do {                                  \
    begin();                            \
    if (me == 0) {                      \
      OK(eyot_compute(COMPUTE_NS));     \
      say(what, 1);                     \
    } else {                            \
      for (int i = 0; i < TIMES; i++) { \
        __VA_ARGS__;                    \
      }                                 \
      OK(eyot_flush_all(EYOT_REMOTE));  \
    }                                   \
  } while (0)

static void served(void) {
  uint32_t me = eyot_me().id;
  eyot_unit_t it = {0};
  eyot_gptr_t there = eyot_gptr_at(mem, it), word = eyot_gptr_add(eyot_gptr_at(words, it), 64);
  uint64_t old = 1;
  SERVED("served_put", OK(eyot_put(there, local, 8)));
  SERVED("served_get", OK(eyot_get(local, there, 8)));
  SERVED("served_add", OK(eyot_fetch_add_u64(word, 1, &old)));
  SERVED("served_signal",
         OK(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, word, EYOT_SIGNAL_SET, 1)));
  SERVED("served_bytes", OK(eyot_put_signal_nbi(there, local, 8, word, EYOT_SIGNAL_SET, 1)));
  /* a unit that waits has the time; the signal, and what comes at once before it, is in the way */
  begin();
  turn++;
  if (me == 1) {
    for (int i = 0; i < TIMES; i++) OK(eyot_put(there, local, 8));
    OK(eyot_compute(COMPUTE_NS));
    OK(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_at(words, it), EYOT_SIGNAL_SET,
                           turn));
  } else {
    OK(eyot_wait_until(eyot_gptr_at(words, it), EYOT_CMP_GE, turn, NULL));
    say("served_waits", 1);
  }
  /* both post as fast as they can: each has its own work, and the other's */
  begin();
  for (int i = 0; i < 32 * TIMES; i++)
    OK(eyot_put_nbi(eyot_gptr_at(mem, (eyot_unit_t){1 - me}), local, 8));
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  say("both_post", 32 * TIMES);
}

/* The first operation to the other unit, and the second. */
static void first(void) {
  for (int i = 0; i < 2; i++) {
    begin();
    if (eyot_me().id == 0) OK(eyot_put(eyot_gptr_at(mem, (eyot_unit_t){1}), local, 8));
    say(i == 0 ? "first" : "second", 1);
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &mem));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 192, &words));
  first();
  collectives();
  trips("signal", 0);
  trips("bytes", 8);
  away();
  served();
  OK(eyot_team_free(words));
  OK(eyot_team_free(mem));
  OK(eyot_finalize());
  return 0;
}
