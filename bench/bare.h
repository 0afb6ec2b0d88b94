/* SPDX-License-Identifier: BSD-3-Clause */
/* bare.h - the minimum that a simulator of a pattern of communication needs: a heap of events, a
 * latency for each pair of units, and the words that the pattern changes. bare.c has the
 * dissemination barrier, bare_traffic.c the patterns of bench_traffic.c, with one event an
 * operation.
 *
 * The sim fabric's speed is compared with programs that do only this, on the same two ways of
 * switching between units. They have no segments, requests, checks, contention or memory model.
 * Times are seconds in doubles, as SimGrid's clock is. */
#ifndef EYOT_BENCH_BARE_H
#define EYOT_BENCH_BARE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  BARE_UNITS_PER_HOST = 16,
  BARE_HOSTS_PER_BLADE = 4,
  BARE_BLADES_PER_CHASSIS = 16,
  BARE_CHASSIS_PER_GROUP = 6
};
#define BARE_NO_ROUND UINT32_MAX /* waits for nothing */
#define BARE_ALARM UINT32_MAX    /* an event that only wakes its unit */

struct bare_event {
  double t;
  uint64_t key; /* ties: in order of posting */
  uint32_t unit, round;
};

struct bare;

/* A unit's body, and what an event does: true if it wakes its unit. `block` returns after the unit
 * has been woken. */
typedef void bare_block_fn(struct bare *b, uint32_t unit);
struct bare_pattern {
  const char *name;
  void (*unit)(struct bare *b, uint32_t unit, bare_block_fn *block);
  bool (*deliver)(struct bare *b, const struct bare_event *e);
};

struct bare {
  const struct bare_pattern *pattern; /* NULL: barriers */
  struct bare_traffic *traffic;       /* of the patterns */
  uint32_t n, rounds, barriers, done;
  uint32_t *flag;       /* [unit * rounds + round]: signals received */
  uint32_t *wait_round; /* the round that a blocked unit waits for */
  uint32_t *wait_count;
  struct bare_event *heap;
  uint64_t heap_n, heap_capacity, posted, ops;
  double now;
  void *engine;
};

/* Parses "UNITS BARRIERS" or "UNITS PATTERN DEPTH ROUNDS" and allocates; exits with usage when they
 * are missing. */
void bare_open(struct bare *b, int argc, char **argv);
void *bare_need(uint64_t n, uint64_t bytes); /* zeroed */
void bare_post(struct bare *b, double t, uint32_t unit, uint32_t round);
/* Takes the earliest event, due at or before t; false when there is none. */
bool bare_take(struct bare *b, double t, struct bare_event *e);
/* Applies an event; true if it wakes its unit. */
bool bare_deliver(struct bare *b, const struct bare_event *e);
double bare_offset(uint32_t unit); /* when the unit enters its first barrier: distinct for all */
double bare_latency(uint32_t from, uint32_t to);
uint64_t bare_mix(uint64_t x); /* the finalizer of splitmix64 (Steele, Lea, Flood 2014) */
/* The body of a unit. */
void bare_unit(struct bare *b, uint32_t unit, bare_block_fn *block);
/* bare_traffic.c. Returns the pattern of that name, or NULL; allocates what it needs. */
const struct bare_pattern *bare_traffic_find(const char *name);
void bare_traffic_open(struct bare *b, uint32_t depth, uint32_t rounds);
/* When a run began: on the wall, and in processor time of this process. */
struct bare_clock {
  double wall, cpu;
};
struct bare_clock bare_clock_now(void);
/* Prints the figures of a run that began at `begin` and ends the process. */
void bare_report(const struct bare *b, struct bare_clock begin) __attribute__((noreturn));
#endif
