/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_poll.c - loops that poll symmetric memory by plain loads, and what resembles them. The
 * first argument selects the loop; unit 0 writes, the others poll. */
#include <eyot/check.h>
#include <eyot/eyot.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MUST(call)                                               \
  do {                                                           \
    if ((call) != EYOT_OK) {                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call); \
      exit(1);                                                   \
    }                                                            \
  } while (0)

enum { FLAG = 0, FLAG4 = 8, OTHER = 16, WORDS = 32 };

/* The unit's own words; those of unit 0. */
static char *own;
static eyot_gptr_t first;

static volatile uint64_t *flag_of(int at) {
  return (volatile uint64_t *)(void *)(own + at);
}

static void signal_all(eyot_gptr_t words, int at) {
  for (uint32_t i = 1; i < eyot_size(); i++) {
    words.unit = i;
    MUST(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(words, at), EYOT_SIGNAL_SET, 1));
  }
}

/* -- the loops --------------------------------------------------------------------------------- */

static void poll_volatile(void) {
  while (*flag_of(FLAG) == 0) {
  }
}

static void poll_atomic(void) {
  while (atomic_load((_Atomic uint64_t *)(void *)(own + FLAG)) == 0) {
  }
}

static void poll_half(void) {
  while (atomic_load((_Atomic uint32_t *)(void *)(own + FLAG)) == 0) {
  }
}

static void poll_byte(void) {
  while (atomic_load((_Atomic uint8_t *)(void *)(own + FLAG)) == 0) {
  }
}

/* Two loops of a lock in one's own memory that the flag opens. */
static void poll_compare(void) {
  uint32_t open;
  do open = 1;
  while (!atomic_compare_exchange_strong((_Atomic uint32_t *)(void *)(own + FLAG), &open, 2));
}

static void poll_swap(void) {
  _Atomic uint32_t *lock = (_Atomic uint32_t *)(void *)(own + FLAG);
  while (atomic_exchange(lock, 0) == 0) {
  }
}

static void poll_swap_word(void) {
  _Atomic uint64_t *lock = (_Atomic uint64_t *)(void *)(own + FLAG);
  while (atomic_exchange(lock, 0) == 0) {
  }
}

/* With an operation in flight, whose arrival changes nothing here. */
static void poll_in_flight(void) {
  MUST(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(first, OTHER), EYOT_SIGNAL_ADD,
                           1));
  poll_volatile();
  MUST(eyot_flush_all(EYOT_REMOTE));
}

static void poll_several(void) {
  while (*flag_of(FLAG) == 0 && *flag_of(OTHER) == 0) {
  }
}

/* Ends by the clock where nothing else ends it. */
static void poll_clock(void) {
  struct timespec t, start;
  (void)clock_gettime(CLOCK_MONOTONIC, &start);
  do (void)clock_gettime(CLOCK_MONOTONIC, &t);
  while (*flag_of(OTHER) == 0 && t.tv_sec == start.tv_sec && t.tv_nsec < start.tv_nsec + 1000000);
}

/* Is no poll: reads a word often, and needs nobody. */
static void compute(void) {
  *flag_of(OTHER) = 200000;
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < *flag_of(OTHER); i++) sum += i;
  (void)sum;
}

static void wait_for_ever(void) {
  while (*flag_of(OTHER) == 0) {
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} LOOPS[] = {
    {"volatile", poll_volatile},   {"atomic", poll_atomic},   {"half", poll_half},
    {"byte", poll_byte},           {"swap_if", poll_compare}, {"swap", poll_swap},
    {"swap_word", poll_swap_word}, {"several", poll_several}, {"in_flight", poll_in_flight},
    {"clock", poll_clock},         {"compute", compute},      {"never", wait_for_ever}};

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "volatile";
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  eyot_gptr_t words;
  void *p;
  MUST(eyot_team_alloc(EYOT_TEAM_ALL, WORDS, &words));
  first = eyot_gptr_at(words, (eyot_unit_t){0});
  words.unit = eyot_me().id;
  MUST(eyot_gptr_addr(words, &p));
  own = p;
  memset(own, 0, WORDS);
  eyot_check_racy(own, WORDS);
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_check_begin());
  if (eyot_me().id == 0) {
    MUST(eyot_compute(1000));
    signal_all(words, FLAG);
  }
  for (size_t i = 0; eyot_me().id != 0 && i < sizeof LOOPS / sizeof *LOOPS; i++)
    if (strcmp(LOOPS[i].name, name) == 0) LOOPS[i].run();
  MUST(eyot_check_end());
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  words.unit = 0;
  MUST(eyot_team_free(words));
  uint32_t me = eyot_me().id;
  if (eyot_finalize() != EYOT_OK) return 1;
  if (me == 0) printf("plain_poll: ok\n");
  return 0;
}
