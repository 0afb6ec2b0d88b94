/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_turns.c - what two units do in turns: flags and signals there and back, and operations on
 * memory that the other unit used last; broadcasts; and what they do at once. See probe.h. */
#include <string.h>
#include <time.h>

#include "probe.h"
#include "samples.h"

/* -- there and back: half of it is the time of one way ----------------------------------------- */

static void put_turn(struct probe *p) {
  p->turn++;
  probe_must(eyot_put(p->its_turns, &p->turn, sizeof p->turn), "eyot_put");
}

#define TRIPS(kind, pass)                                     \
  static double measure_##kind(struct probe *p, uint64_t n) { \
    uint64_t begin = eyot_now_ns();                           \
    for (uint64_t i = 0; i < n; i++) {                        \
      pass;                                                   \
      probe_await(p);                                         \
    }                                                         \
    return (double)(eyot_now_ns() - begin) / 2;               \
  }                                                           \
  static void other_##kind(struct probe *p, uint64_t n) {     \
    for (uint64_t i = 0; i < n; i++) {                        \
      probe_await(p);                                         \
      pass;                                                   \
    }                                                         \
  }
TRIPS(trip, put_turn(p))
TRIPS(trip_signal, probe_pass(p))

/* -- collectives ------------------------------------------------------------------------------- */

/* A broadcast from each unit in turn: who has sent waits for the other one's. */
static void broadcast_turn(void) {
  uint64_t value = 1;
  for (uint32_t root = 0; root < 2; root++)
    probe_must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){root}, &value, sizeof value),
               "eyot_broadcast");
}

static double measure_broadcast(struct probe *p, uint64_t n) {
  uint64_t begin = eyot_now_ns();
  (void)p;
  for (uint64_t i = 0; i < n; i++) broadcast_turn();
  return (double)(eyot_now_ns() - begin) / 2;
}

static void other_broadcast(struct probe *p, uint64_t n) {
  (void)p;
  for (uint64_t i = 0; i < n; i++) broadcast_turn();
}

/* -- lines and buffers that the other unit used last ------------------------------------------- */

/* Unit 1 uses the memory, then unit 0 does, which is timed. */
#define AFTER(kind, used, timed)                              \
  static void other_##kind(struct probe *p, uint64_t n) {     \
    for (uint64_t i = 0; i < n; i++) {                        \
      used;                                                   \
      probe_pass(p);                                          \
      probe_await(p);                                         \
    }                                                         \
  }                                                           \
  static double measure_##kind(struct probe *p, uint64_t n) { \
    double ns = 0;                                            \
    for (uint64_t i = 0; i < n; i++) {                        \
      probe_await(p);                                         \
      probe_must(eyot_flush_all(EYOT_REMOTE), "flush");       \
      uint64_t begin = eyot_now_ns();                         \
      timed;                                                  \
      ns += (double)(eyot_now_ns() - begin) - p->clock_ns;    \
      probe_pass(p);                                          \
    }                                                         \
    return ns > 0 ? ns : 0;                                   \
  }

/* The next of PROBE_LINES, each once, at distances that no prefetcher foresees. */
static uint64_t next_line(uint64_t line) {
  return (line * 141 + 83) % PROBE_LINES;
}

/* Each get's address follows from the value of the one before: 0. */
static void get_lines(eyot_gptr_t part) {
  uint64_t value = 0, line = 0;
  int failed = 0;
  for (uint64_t i = 0; i < PROBE_LINES; i++, line = next_line(line))
    failed |=
        eyot_get(&value, eyot_gptr_add(part, (int64_t)(line * PROBE_LINE + value)), sizeof value);
  probe_must(failed, "eyot_get");
}

/* By puts, which the simulator sees; it does not see plain stores. */
static void clear_lines(struct probe *p) {
  const uint64_t zero = 0;
  int failed = 0;
  for (uint64_t line = 0; line < PROBE_LINES; line++)
    failed |= eyot_put(eyot_gptr_add(p->here, (int64_t)(line * PROBE_LINE)), &zero, sizeof zero);
  probe_must(failed, "eyot_put");
}

AFTER(line_gets, clear_lines(p), get_lines(p->there))

static void read_mine(const struct probe *p, uint64_t bytes) {
  uint64_t sum = 0;
  for (uint64_t at = 0; at < bytes; at += PROBE_LINE)
    sum += __atomic_load_n((const uint64_t *)(const void *)(p->mine + at), __ATOMIC_RELAXED);
  __asm__ volatile("" ::"r"(sum));
}

static void write_mine(const struct probe *p, uint64_t bytes) {
  memset(p->mine, (int)(p->turn & 127), bytes);
  probe_must(eyot_sync(), "eyot_sync");
}

#define COPIES(bytes)                                                                              \
  AFTER(put_##bytes, read_mine(p, bytes), probe_must(eyot_put(p->there, p->buffer, bytes), "put")) \
  AFTER(get_##bytes, write_mine(p, bytes), probe_must(eyot_get(p->buffer, p->there, bytes), "get"))
COPIES(1024)
COPIES(4096)
COPIES(16384)
COPIES(65536)
COPIES(262144)
COPIES(1048576)
COPIES(4194304)

/* Both units copy at once; the time until both are done. */
static void both_put(struct probe *p) {
  probe_must(eyot_put(p->there, p->buffer, SAMPLES_BOTH_BYTES), "put");
}
static void other_both_put(struct probe *p, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    probe_await(p);
    both_put(p);
    probe_pass(p);
  }
}
static double measure_both_put(struct probe *p, uint64_t n) {
  uint64_t begin = eyot_now_ns();
  for (uint64_t i = 0; i < n; i++) {
    probe_pass(p);
    both_put(p);
    probe_await(p);
  }
  double ns = (double)(eyot_now_ns() - begin) - p->clock_ns;
  return ns > 0 ? ns : 0;
}

/* -- both units at work ------------------------------------------------------------------------ */

/* Between nodes, each has the other one's operations to carry out. `before` is not timed. Each
 * begins when the other one may. */
#define BOTH(kind, before, step)                                     \
  static void both_##kind(struct probe *p, uint64_t n) {             \
    uint64_t value = 1;                                              \
    int failed = 0;                                                  \
    for (uint64_t i = 0; i < n; i++) {                               \
      step;                                                          \
      if (i % PROBE_POSTS == PROBE_POSTS - 1)                        \
        failed |= eyot_flush(eyot_gptr_unit(p->there), EYOT_REMOTE); \
    }                                                                \
    probe_must(failed, #kind);                                       \
  }                                                                  \
  static double measure_both_##kind(struct probe *p, uint64_t n) {   \
    before;                                                          \
    probe_await(p);                                                  \
    uint64_t begin = eyot_now_ns();                                  \
    both_##kind(p, n);                                               \
    return (double)(eyot_now_ns() - begin);                          \
  }                                                                  \
  static void other_both_##kind(struct probe *p, uint64_t n) {       \
    before;                                                          \
    probe_pass(p);                                                   \
    both_##kind(p, n);                                               \
  }
BOTH(flood_put, (void)0, failed |= eyot_put_nbi(p->there, &value, sizeof value))
BOTH(flood_add, (void)0, failed |= eyot_accumulate_nbi(p->there, EYOT_UINT64, EYOT_SUM, &value))

/* A word in one of the PROBE_LINES of either unit. While both units use them at once a line takes
 * longer to come than while the other one waits, up to four times where cores are near. */
static eyot_gptr_t either_line(const struct probe *p) {
  static uint64_t at[2] = {UINT64_C(88172645463325252), UINT64_C(264517936389975756)};
  uint64_t random = probe_random(&at[p->me]);
  return eyot_gptr_add(random >> 63 == 0 ? p->here : p->there,
                       (int64_t)(random % PROBE_LINES * PROBE_LINE));
}
BOTH(line_adds, clear_lines(p), failed |= eyot_fetch_add_u64(either_line(p), 1, &value))

/* -- a target that computes -------------------------------------------------------------------- */

static double clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Calls nothing of eyot. */
static void compute(double ns) {
  double begin = clock_ns();
  while (clock_ns() - begin < ns) continue;
}

/* A get from unit 1, which has begun to compute. */
static double measure_away_get(struct probe *p, uint64_t n) {
  double ns = 0;
  uint64_t value;
  for (uint64_t i = 0; i < n; i++) {
    probe_pass(p);
    compute(SAMPLES_AWAY_NS / 5);
    double begin = clock_ns();
    probe_must(eyot_get(&value, p->there, sizeof value), "eyot_get");
    ns += clock_ns() - begin;
    probe_await(p);
  }
  return ns;
}

static void other_away_get(struct probe *p, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    probe_await(p);
    compute(SAMPLES_AWAY_NS);
    probe_pass(p);
  }
}

#define ROW(kind, most) \
  { #kind, measure_##kind, other_##kind, most }
#define ROWS(bytes, most) ROW(put_##bytes, most), ROW(get_##bytes, most)
enum { TRIPS_MAX = 4096, LINES_MAX = 64 };
const struct probe_kind PROBE_TURNS[] = {
    ROW(trip, TRIPS_MAX),         ROW(trip_signal, TRIPS_MAX),  ROW(line_gets, LINES_MAX),
    ROW(broadcast, TRIPS_MAX),    ROW(both_flood_put, 1 << 14), ROW(both_flood_add, 1 << 14),
    ROW(both_line_adds, 1 << 17), {NULL, NULL, NULL, 0},
};
const struct probe_kind PROBE_COPIES[] = {
    ROWS(1024, 256),  ROWS(4096, 256),  ROWS(16384, 64),  ROWS(65536, 32),  ROWS(262144, 8),
    ROWS(1048576, 2), ROWS(4194304, 1), ROW(both_put, 1), ROW(away_get, 4), {NULL, NULL, NULL, 0},
};
