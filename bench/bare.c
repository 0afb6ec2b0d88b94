/* SPDX-License-Identifier: BSD-3-Clause */
/* bare.c - the part that both bare programs share, and the barrier; see bare.h. */
#include "bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct bare_clock bare_clock_now(void) {
  return (struct bare_clock){seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

void *bare_need(uint64_t n, uint64_t bytes) {
  void *p = calloc(n, bytes);
  if (p == NULL) {
    fprintf(stderr, "bare: out of memory\n");
    exit(1);
  }
  return p;
}

static __attribute__((noreturn)) void usage(const char *program) {
  fprintf(stderr,
          "usage: %s UNITS BARRIERS, or UNITS next|random|atomics|gets|locks|halo DEPTH ROUNDS\n",
          program);
  exit(2);
}

static uint32_t number(const char *text, long least, long most, const char *program) {
  long x = atol(text);
  if (x < least || x > most) usage(program);
  return (uint32_t)x;
}

void bare_open(struct bare *b, int argc, char **argv) {
  if (argc != 3 && argc != 5) usage(argv[0]);
  *b = (struct bare){.n = number(argv[1], 2, 1 << 22, argv[0])};
  b->heap_capacity = 2 * (uint64_t)b->n;
  b->heap = bare_need(b->heap_capacity, sizeof *b->heap);
  if (argc == 5) {
    if ((b->pattern = bare_traffic_find(argv[2])) == NULL) usage(argv[0]);
    bare_traffic_open(b, number(argv[3], 1, 1 << 20, argv[0]),
                      number(argv[4], 1, 1 << 20, argv[0]));
    return;
  }
  b->barriers = number(argv[2], 1, 1 << 20, argv[0]);
  while ((UINT64_C(1) << b->rounds) < b->n) b->rounds++;
  b->flag = bare_need((uint64_t)b->n * b->rounds, sizeof *b->flag);
  b->wait_round = bare_need(b->n, sizeof *b->wait_round);
  b->wait_count = bare_need(b->n, sizeof *b->wait_count);
  for (uint32_t u = 0; u < b->n; u++) b->wait_round[u] = BARE_NO_ROUND;
}

static bool before(const struct bare_event *a, const struct bare_event *b) {
  return a->t < b->t || (a->t == b->t && a->key < b->key);
}

/* A heap of four children a node: half the levels of a binary one, and siblings share cache
 * lines. */
void bare_post(struct bare *b, double t, uint32_t unit, uint32_t round) {
  struct bare_event e = {t, b->posted++, unit, round};
  if (b->heap_n == b->heap_capacity) {
    b->heap_capacity *= 2;
    b->heap = realloc(b->heap, b->heap_capacity * sizeof *b->heap);
    if (b->heap == NULL) exit(1);
  }
  uint64_t i = b->heap_n++;
  while (i > 0 && before(&e, &b->heap[(i - 1) / 4])) {
    b->heap[i] = b->heap[(i - 1) / 4];
    i = (i - 1) / 4;
  }
  b->heap[i] = e;
}

bool bare_take(struct bare *b, double t, struct bare_event *e) {
  if (b->heap_n == 0 || b->heap[0].t > t) return false;
  *e = b->heap[0];
  struct bare_event last = b->heap[--b->heap_n];
  uint64_t i = 0;
  for (;;) {
    uint64_t least = 4 * i + 1, end = 4 * i + 5 < b->heap_n ? 4 * i + 5 : b->heap_n;
    if (least >= b->heap_n) break;
    for (uint64_t c = least + 1; c < end; c++)
      if (before(&b->heap[c], &b->heap[least])) least = c;
    if (!before(&b->heap[least], &last)) break;
    b->heap[i] = b->heap[least];
    i = least;
  }
  b->heap[i] = last;
  return true;
}

bool bare_deliver(struct bare *b, const struct bare_event *e) {
  if (e->round == BARE_ALARM) return true;
  if (b->pattern != NULL) return b->pattern->deliver(b, e);
  uint32_t count = ++b->flag[(uint64_t)e->unit * b->rounds + e->round];
  if (b->wait_round[e->unit] != e->round || count < b->wait_count[e->unit]) return false;
  b->wait_round[e->unit] = BARE_NO_ROUND;
  return true;
}

uint64_t bare_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

double bare_offset(uint32_t unit) {
  return 1e-6 * (1 + (double)(bare_mix(unit + UINT64_C(0x9e3779b97f4a7c15)) >> 11) * 0x1p-53);
}

/* 100 ns within a host, else 200 ns a link of a Dragonfly: up and down, one for each level at which
 * the ends differ, detours between groups. */
double bare_latency(uint32_t from, uint32_t to) {
  uint32_t a = from / BARE_UNITS_PER_HOST, b = to / BARE_UNITS_PER_HOST;
  if (a == b) return 100e-9;
  uint32_t blade_a = a / BARE_HOSTS_PER_BLADE, blade_b = b / BARE_HOSTS_PER_BLADE;
  uint32_t chassis_a = blade_a / BARE_BLADES_PER_CHASSIS,
           chassis_b = blade_b / BARE_BLADES_PER_CHASSIS;
  uint32_t group_a = chassis_a / BARE_CHASSIS_PER_GROUP,
           group_b = chassis_b / BARE_CHASSIS_PER_GROUP;
  uint32_t slot_a = blade_a % BARE_BLADES_PER_CHASSIS, slot_b = blade_b % BARE_BLADES_PER_CHASSIS;
  int links = 2;
  if (group_a != group_b)
    links += 1 + (slot_a != group_b % BARE_BLADES_PER_CHASSIS) +
             (slot_b != group_a % BARE_BLADES_PER_CHASSIS);
  else
    links += (slot_a != slot_b) + (chassis_a != chassis_b);
  return 200e-9 * links;
}

void bare_unit(struct bare *b, uint32_t unit, bare_block_fn *block) {
  bare_post(b, b->now + bare_offset(unit), unit, BARE_ALARM);
  block(b, unit);
  if (b->pattern != NULL) {
    b->pattern->unit(b, unit, block);
    b->done++;
    return;
  }
  for (uint32_t barrier = 1; barrier <= b->barriers; barrier++)
    for (uint32_t round = 0; round < b->rounds; round++) {
      uint32_t to = (unit + (1u << round)) % b->n;
      bare_post(b, b->now + bare_latency(unit, to), to, round);
      b->ops++;
      if (b->flag[(uint64_t)unit * b->rounds + round] >= barrier) continue;
      b->wait_round[unit] = round;
      b->wait_count[unit] = barrier;
      block(b, unit);
    }
  b->done++;
}

void bare_report(const struct bare *b, struct bare_clock begin) {
  struct bare_clock end = bare_clock_now();
  if (b->done != b->n) {
    fprintf(stderr, "bare: %u of %u units finished\n", b->done, b->n);
    exit(1);
  }
  printf("ops %llu seconds %.6f cpu_seconds %.6f virtual_us %.3f\n", (unsigned long long)b->ops,
         end.wall - begin.wall, end.cpu - begin.cpu, b->now * 1e6);
  fflush(stdout);
  _Exit(0); /* no tear-down of thousands of stacks */
}
