/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - the C library's clocks and sleeps, as a program calls them: of virtual time in the
 * simulator, of this machine elsewhere. The first argument selects the part. */
#include <errno.h>
#include <eyot/check.h>
#include <eyot/eyot.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(cond)                                              \
  do {                                                           \
    if (!(cond)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
      exit(1);                                                   \
    }                                                            \
  } while (0)
#define MS UINT64_C(1000000)
#define EPOCH_S UINT64_C(946684800)

static uint64_t clock_ns(clockid_t id) {
  struct timespec t;
  CHECK(clock_gettime(id, &t) == 0);
  return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

/* Whether the clocks of this run are virtual. */
static bool simulated(void) {
  return strcmp(eyot_fabric_name(), "sim") == 0;
}

/* -- each function that sleeps ----------------------------------------------------------------- */

static void by_sleep(void) {
  CHECK(sleep(1) == 0);
}
static void by_usleep(void) {
  CHECK(usleep(1000000) == 0);
}
static void by_nanosleep(void) {
  const struct timespec t = {.tv_sec = 1};
  CHECK(nanosleep(&t, NULL) == 0);
}
static void by_clock_nanosleep(void) {
  const struct timespec t = {.tv_sec = 1};
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == 0);
}
static void by_deadline(clockid_t id) {
  struct timespec t;
  CHECK(clock_gettime(id, &t) == 0);
  t.tv_sec++;
  CHECK(clock_nanosleep(id, TIMER_ABSTIME, &t, NULL) == 0);
  CHECK(clock_nanosleep(id, TIMER_ABSTIME, &t, NULL) == 0); /* it is past */
}
static void by_deadline_monotonic(void) {
  by_deadline(CLOCK_MONOTONIC);
}
static void by_deadline_realtime(void) {
  by_deadline(CLOCK_REALTIME);
}
static void by_thrd_sleep(void) {
  const struct timespec t = {.tv_sec = 1};
  CHECK(thrd_sleep(&t, NULL) == 0);
}
static void by_poll(void) {
  CHECK(poll(NULL, 0, 1000) == 0);
}
static void by_select(void) {
  struct timeval t = {.tv_sec = 1};
  CHECK(select(0, NULL, NULL, NULL, &t) == 0);
}

static void each_sleep(void) {
  static void (*const WAYS[])(void) = {by_sleep,
                                       by_usleep,
                                       by_nanosleep,
                                       by_clock_nanosleep,
                                       by_deadline_monotonic,
                                       by_deadline_realtime,
                                       by_thrd_sleep,
                                       by_poll,
                                       by_select};
  uint32_t n = simulated() ? sizeof WAYS / sizeof *WAYS : 1;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t before = clock_ns(CLOCK_MONOTONIC);
    WAYS[i]();
    uint64_t ns = clock_ns(CLOCK_MONOTONIC) - before;
    if (ns < 1000 * MS || (simulated() && ns >= 1001 * MS)) {
      fprintf(stderr, "way %u has slept for %.9f s\n", i, (double)ns * 1e-9);
      exit(1);
    }
  }
}

/* -- each clock -------------------------------------------------------------------------------- */

static void clocks_agree(void) {
  uint64_t eyot = eyot_now_ns(), mono = clock_ns(CLOCK_MONOTONIC);
  CHECK(mono >= eyot && mono - eyot < MS);
  static const clockid_t SAME[] = {CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,
                                   CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
  for (uint32_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
    uint64_t ns = clock_ns(SAME[i]);
    CHECK(ns >= mono && ns - mono < MS);
  }
  CHECK((uint64_t)clock() >= mono / 1000 && (uint64_t)clock() < mono / 1000 + 1000);
  uint64_t date = clock_ns(CLOCK_REALTIME) - EPOCH_S * 1000 * MS;
  CHECK(date >= mono && date - mono < MS);
  struct timeval v;
  CHECK(gettimeofday(&v, NULL) == 0);
  CHECK((uint64_t)v.tv_sec == EPOCH_S + date / (1000 * MS));
  struct timespec t;
  CHECK(timespec_get(&t, TIME_UTC) == TIME_UTC && t.tv_sec == v.tv_sec);
  time_t now = 0;
  CHECK(time(&now) == v.tv_sec && now == v.tv_sec);
}

static void mistakes_are_refused(void) {
  const struct timespec bad = {.tv_nsec = 1000000000};
  struct timespec t;
  CHECK(nanosleep(&bad, NULL) == -1 && errno == EINVAL);
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL) == EINVAL);
  CHECK(clock_gettime((clockid_t)1234, &t) == -1 && errno == EINVAL);
}

/* With --clock real: a sleep costs no virtual time. */
static void sleep_is_real(void) {
  uint64_t virtual_ns = eyot_now_ns(), real_ns = clock_ns(CLOCK_MONOTONIC);
  CHECK(usleep(2000) == 0);
  CHECK(clock_ns(CLOCK_MONOTONIC) - real_ns >= 2 * MS);
  CHECK(eyot_now_ns() - virtual_ns < MS);
}

/* Others run while a unit sleeps, and in the order of virtual time. */
static void sleepers_wake_in_time(eyot_gptr_t order) {
  uint32_t me = eyot_me().id, n = eyot_size();
  uint64_t place;
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  CHECK(usleep(1000 * (n - me)) == 0);
  CHECK(eyot_fetch_add_u64(order, 1, &place) == EYOT_OK);
  CHECK(place == n - 1 - me);
}

/* A loop that reads the clock ends, and one that yields lets others go on. */
static void loops_end(eyot_gptr_t flag) {
  uint64_t end = clock_ns(CLOCK_MONOTONIC) + MS, seen = 0;
  while (clock_ns(CLOCK_MONOTONIC) < end) {
  }
  if (eyot_me().id == 0)
    CHECK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, flag, EYOT_SIGNAL_SET, 1) == EYOT_OK);
  for (bool done = false; !done;) {
    CHECK(sched_yield() == 0);
    thrd_yield();
    flag.unit = eyot_me().id;
    if (eyot_me().id != 0) break;
    CHECK(eyot_test_until(flag, EYOT_CMP_EQ, 1, &seen, &done) == EYOT_OK);
  }
}

/* Unit 1 only: the others wait for it. */
static void wait_for_ever(const char *part) {
  if (strcmp(part, "pause") == 0) pause();
  if (strcmp(part, "poll_ever") == 0) (void)poll(NULL, 0, -1);
  if (strcmp(part, "select_ever") == 0) (void)select(0, NULL, NULL, NULL, NULL);
}

/* -- under eyotcheck --------------------------------------------------------------------------- */

/* Unit 0 sleeps before it writes: nothing but luck makes unit 1 late. */
static void luck(eyot_gptr_t word) {
  uint64_t value, seen = 0;
  CHECK(eyot_check_begin() == EYOT_OK);
  word.unit = 0;
  if (eyot_me().id == 0) {
    CHECK(eyot_swap_u64(word, 1, &value) == EYOT_OK);
  } else {
    sleep(1);
    CHECK(eyot_read_u64(word, &seen) == EYOT_OK);
    if (seen == 0) eyot_check_fail("unit 1 has slept for too little");
  }
  CHECK(eyot_check_end() == EYOT_OK);
}

/* Unit 1 polls its memory by plain loads, and sleeps in between. */
static void poll_and_sleep(eyot_gptr_t word) {
  CHECK(eyot_check_begin() == EYOT_OK);
  word.unit = 1;
  if (eyot_me().id == 0) {
    sleep(1);
    CHECK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, word, EYOT_SIGNAL_SET, 1) == EYOT_OK);
  } else if (eyot_me().id == 1) {
    void *p;
    CHECK(eyot_gptr_addr(word, &p) == EYOT_OK);
    while (*(volatile uint64_t *)p == 0) usleep(10);
  }
  CHECK(eyot_check_end() == EYOT_OK);
}

int main(int argc, char **argv) {
  const char *part = argc > 1 ? argv[1] : "all";
  uint64_t start = clock_ns(CLOCK_MONOTONIC);
  if (strcmp(part, "before") == 0) sleep(1000);
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  if (strcmp(part, "before") == 0)
    CHECK(clock_ns(CLOCK_MONOTONIC) - start >= 1000 * 1000 * MS &&
          eyot_now_ns() >= 1000 * 1000 * MS);
  eyot_gptr_t words;
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, 2 * sizeof(uint64_t), &words) == EYOT_OK);
  words.unit = 0;
  if (strcmp(part, "all") == 0) {
    each_sleep();
    mistakes_are_refused();
    if (simulated()) clocks_agree();
    if (simulated()) sleepers_wake_in_time(words);
    loops_end(eyot_gptr_add(words, 8));
  }
  if (strcmp(part, "spin") == 0) {
    uint64_t from = clock_ns(CLOCK_MONOTONIC);
    while (clock_ns(CLOCK_MONOTONIC) - from < 1000 * MS) {
    }
  }
  if (strcmp(part, "real") == 0) sleep_is_real();
  if (strcmp(part, "end") == 0) sleep(4000000000u);
  if (eyot_me().id == 1) wait_for_ever(part);
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  if (strcmp(part, "luck") == 0) luck(words);
  if (strcmp(part, "poll") == 0) poll_and_sleep(words);
  uint32_t me = eyot_me().id;
  CHECK(eyot_team_free(words) == EYOT_OK);
  if (eyot_finalize() != EYOT_OK) return 1;
  if (strcmp(part, "before") == 0) {
    sleep(1000);
    CHECK(clock_ns(CLOCK_MONOTONIC) - start >= 2000 * 1000 * MS);
  }
  if (me == 0) printf("clock: ok\n");
  return 0;
}
