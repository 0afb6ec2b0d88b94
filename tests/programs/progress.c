/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - whether operations progress while a unit computes for MS milliseconds without a call
 * of eyot: progress target|origin|signal|private served|stalled MS. Needs two units; unit 0 and the
 * last one work, on different nodes for `target`. */

/*   target   the last unit computes; unit 0 puts, gets, adds and signals, all to remote completion
 *   origin   unit 0 posts a long non-blocking put and computes; the last unit does not call eyot
 *            either, and reads the bytes
 *   signal   as origin, with a signal after the bytes
 *   private  as origin, from a buffer that is not global memory: its unit transfers it, unless
 *            progress processes may access such memory
 *
 * served: done before half of the computing was over; stalled: not. Only these two times of one run
 * are compared. */
#include <string.h>
#include <time.h>

#include "programs/api_check.h"

#define LONG_BYTES (UINT64_C(4) << 20)
#define NAP_NS 1000000

static uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The units of these tests share a machine, and with it the clock. */
static void compute_until(uint64_t end_ns) {
  while (clock_ns() < end_ns) continue;
}

static void judge(const char *want, uint64_t took_ns, uint64_t computed_ns) {
  bool served = took_ns < computed_ns / 2;
  printf("%s: %.1f%% of the computing time\n", served ? "served" : "stalled",
         100.0 * (double)took_ns / (double)computed_ns);
  CHECK(served == (strcmp(want, "served") == 0));
}

static void target(const char *want, uint64_t ms, eyot_gptr_t mem, eyot_gptr_t word) {
  eyot_unit_t me = eyot_me(), last = {eyot_size() - 1};
  uint64_t *here;
  OK(eyot_gptr_addr(eyot_gptr_at(mem, me), (void **)&here));
  if (me.id == last.id) {
    uint64_t now = clock_ns();
    OK(eyot_put_signal(eyot_gptr_at(mem, (eyot_unit_t){0}), &now, sizeof now,
                       eyot_gptr_at(word, (eyot_unit_t){0}), EYOT_SIGNAL_SET, 1));
    compute_until(now + ms * 1000000);
    OK(eyot_wait_until(eyot_gptr_at(word, me), EYOT_CMP_EQ, 7, NULL));
    CHECK(here[0] == 42 && here[1] == 2);
  } else if (me.id == 0) {
    uint64_t old, got, values[2] = {42, 1};
    OK(eyot_wait_until(eyot_gptr_at(word, me), EYOT_CMP_EQ, 1, NULL));
    uint64_t since = here[0];
    OK(eyot_put_nbi(eyot_gptr_at(mem, last), values, sizeof values));
    OK(eyot_flush(last, EYOT_REMOTE));
    OK(eyot_get(&got, eyot_gptr_at(mem, last), sizeof got));
    OK(eyot_fetch_add_u64(eyot_gptr_add(eyot_gptr_at(mem, last), 8), 1, &old));
    OK(eyot_put_signal(eyot_gptr_at(mem, last), &got, sizeof got, eyot_gptr_at(word, last),
                       EYOT_SIGNAL_SET, 7));
    uint64_t took = clock_ns() - since;
    CHECK(got == 42 && old == 1);
    judge(want, took, ms * 1000000);
  }
}

/* The last byte of a put says little, since it may be copied in order; so all bytes are checked. */
static bool all_here(const unsigned char *bytes, unsigned char value) {
  for (uint64_t i = 0; i < LONG_BYTES; i++)
    if (__atomic_load_n(&bytes[i], __ATOMIC_RELAXED) != value) return false;
  return true;
}

struct way {
  unsigned char *src; /* NULL: global memory */
  bool signals;
};

static bool arrived(const unsigned char *here, const uint64_t *told, bool signals) {
  if (!signals) return all_here(here, 0x5a);
  if (__atomic_load_n(told, __ATOMIC_ACQUIRE) < 2) return false; /* pairs with the signal */
  CHECK(all_here(here, 0x5a));
  return true;
}

static void origin(const char *want, uint64_t ms, eyot_gptr_t mem, eyot_gptr_t word,
                   struct way way) {
  eyot_unit_t me = eyot_me(), last = {eyot_size() - 1};
  unsigned char *here, *src = way.src;
  uint64_t *told;
  OK(eyot_gptr_addr(eyot_gptr_at(word, me), (void **)&told));
  OK(eyot_gptr_addr(eyot_gptr_at(mem, me), (void **)&here));
  if (src == NULL) src = here;
  if (me.id == 0) {
    eyot_handle_t handle;
    bool done = false;
    memset(src, 0x5a, LONG_BYTES);
    OK(eyot_put_signal(eyot_gptr_at(word, last), NULL, 0, eyot_gptr_at(word, last), EYOT_SIGNAL_SET,
                       1));
    uint64_t now = clock_ns();
    if (way.signals)
      OK(eyot_put_signal_nb(eyot_gptr_at(mem, last), src, LONG_BYTES, eyot_gptr_at(word, last),
                            EYOT_SIGNAL_ADD, 1, &handle));
    else
      OK(eyot_put_nb(eyot_gptr_at(mem, last), src, LONG_BYTES, &handle));
    compute_until(now + ms * 1000000);
    while (!done) OK(eyot_test(&handle, EYOT_LOCAL, &done));
    OK(eyot_wait(&handle, EYOT_REMOTE));
    OK(eyot_put_signal(eyot_gptr_at(word, last), NULL, 0, eyot_gptr_at(word, last), EYOT_SIGNAL_SET,
                       3));
  } else if (me.id == last.id) {
    const struct timespec nap = {.tv_nsec = NAP_NS};
    OK(eyot_wait_until(eyot_gptr_at(word, me), EYOT_CMP_GE, 1, NULL));
    uint64_t since = clock_ns();
    while (!arrived(here, told, way.signals) && clock_ns() - since < ms * 1000000)
      nanosleep(&nap, NULL);
    judge(want, clock_ns() - since, ms * 1000000);
    OK(eyot_wait_until(eyot_gptr_at(word, me), EYOT_CMP_EQ, 3, NULL));
    CHECK(all_here(here, 0x5a));
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 4 && eyot_size() >= 2);
  uint64_t ms = strtoull(argv[3], NULL, 10);
  eyot_gptr_t mem, word;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, LONG_BYTES, &mem));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &word));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  unsigned char *private = malloc(LONG_BYTES);
  CHECK(private != NULL);
  if (strcmp(argv[1], "target") == 0)
    target(argv[2], ms, mem, word);
  else
    origin(argv[2], ms, mem, word,
           (struct way){.src = strcmp(argv[1], "private") == 0 ? private : NULL,
                        .signals = strcmp(argv[1], "signal") == 0});
  free(private);
  OK(eyot_team_free(mem));
  OK(eyot_team_free(word));
  return finish();
}
