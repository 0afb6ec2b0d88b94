/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - the C and C++ libraries' functions of time, as a program calls them: virtual for a
 * simulated unit, the libraries' own elsewhere. eyotcc links it into programs and their libraries.
 *
 * Why it exists: see rt/clock.h. The calls are wrapped when the program is linked
 * (-Wl,--wrap=...), so that only the program's own are changed: not those of eyot, SimGrid or other
 * libraries. Functions of other libraries than the C library may be missing: their references are
 * weak. */
#include "rt/clock.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_A_S INT64_C(1000000000)
/* CLOCK_REALTIME where virtual time begins: 2000-01-01 00:00 UTC. The same in each run, so that
 * runs can be repeated. */
#define EPOCH_S INT64_C(946684800)

#define HERE __builtin_return_address(0)

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __real_gettimeofday(struct timeval *t, void *zone);
time_t __real_time(time_t *out);
clock_t __real_clock(void);
int __real_timespec_get(struct timespec *t, int base) __attribute__((weak));
int __real_nanosleep(const struct timespec *t, struct timespec *left);
int __real_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                           struct timespec *left);
unsigned __real_sleep(unsigned s);
int __real_usleep(useconds_t us);
int __real_sched_yield(void);
int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __real_select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *t);
int __real_pause(void);
double __real_omp_get_wtime(void) __attribute__((weak));
int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv(void) __attribute__((weak));
int64_t __real__ZNSt6chrono3_V212system_clock3nowEv(void) __attribute__((weak));

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_gettimeofday(struct timeval *t, void *zone);
time_t __wrap_time(time_t *out);
clock_t __wrap_clock(void);
int __wrap_timespec_get(struct timespec *t, int base);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                           struct timespec *left);
int __wrap_thrd_sleep(const struct timespec *t, struct timespec *left);
unsigned __wrap_sleep(unsigned s);
int __wrap_usleep(useconds_t us);
int __wrap_sched_yield(void);
void __wrap_thrd_yield(void);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *t);
int __wrap_pause(void);
double __wrap_omp_get_wtime(void);
int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv(void);
int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv(void);

/* -- clocks ------------------------------------------------------------------------------------ */

/* Whether the clock shows virtual time, and the second of it at which the run begins. A unit has a
 * processor of its own: its processor time is its time. */
static bool clock_start(clockid_t id, int64_t *start_s) {
  switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      *start_s = EPOCH_S;
      return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      *start_s = 0;
      return true;
    default:
      return false;
  }
}

static struct timespec clock_time(int64_t start_s, uint64_t ns) {
  return (struct timespec){.tv_sec = (time_t)(start_s + (int64_t)(ns / NS_A_S)),
                           .tv_nsec = (long)(ns % NS_A_S)};
}

int __wrap_clock_gettime(clockid_t id, struct timespec *t) {
  int64_t start_s;
  uint64_t ns;
  if (!clock_start(id, &start_s) || !eyoti_prog_now("clock_gettime", HERE, &ns))
    return __real_clock_gettime(id, t);
  *t = clock_time(start_s, ns);
  return 0;
}

int __wrap_gettimeofday(struct timeval *t, void *zone) {
  uint64_t ns;
  if (t == NULL || !eyoti_prog_now("gettimeofday", HERE, &ns)) return __real_gettimeofday(t, zone);
  struct timespec now = clock_time(EPOCH_S, ns);
  *t = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t __wrap_time(time_t *out) {
  uint64_t ns;
  if (!eyoti_prog_now("time", HERE, &ns)) return __real_time(out);
  time_t now = clock_time(EPOCH_S, ns).tv_sec;
  if (out != NULL) *out = now;
  return now;
}

clock_t __wrap_clock(void) {
  uint64_t ns;
  if (!eyoti_prog_now("clock", HERE, &ns)) return __real_clock();
  return (clock_t)(ns / (uint64_t)(NS_A_S / CLOCKS_PER_SEC));
}

int __wrap_timespec_get(struct timespec *t, int base) {
  uint64_t ns;
  if (base != TIME_UTC) return __real_timespec_get != NULL ? __real_timespec_get(t, base) : 0;
  if (eyoti_prog_now("timespec_get", HERE, &ns))
    *t = clock_time(EPOCH_S, ns);
  else if (__real_clock_gettime(CLOCK_REALTIME, t) != 0)
    return 0;
  return base;
}

static int64_t clock_real_ns(clockid_t id) {
  struct timespec t;
  (void)__real_clock_gettime(id, &t);
  return (int64_t)t.tv_sec * NS_A_S + t.tv_nsec;
}

double __wrap_omp_get_wtime(void) {
  uint64_t ns;
  if (eyoti_prog_now("omp_get_wtime", HERE, &ns)) return (double)ns * 1e-9;
  if (__real_omp_get_wtime != NULL) return __real_omp_get_wtime();
  return (double)clock_real_ns(CLOCK_MONOTONIC) * 1e-9;
}

/* std::chrono of libstdc++: a count of nanoseconds. */
int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv(void) {
  uint64_t ns;
  if (eyoti_prog_now("std::chrono::steady_clock::now", HERE, &ns)) return (int64_t)ns;
  if (__real__ZNSt6chrono3_V212steady_clock3nowEv != NULL)
    return __real__ZNSt6chrono3_V212steady_clock3nowEv();
  return clock_real_ns(CLOCK_MONOTONIC);
}

int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv(void) {
  uint64_t ns;
  if (eyoti_prog_now("std::chrono::system_clock::now", HERE, &ns))
    return EPOCH_S * NS_A_S + (int64_t)ns;
  if (__real__ZNSt6chrono3_V212system_clock3nowEv != NULL)
    return __real__ZNSt6chrono3_V212system_clock3nowEv();
  return clock_real_ns(CLOCK_REALTIME);
}

/* -- sleep ------------------------------------------------------------------------------------- */

static bool clock_interval(const struct timespec *t, uint64_t *ns) {
  if (t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= NS_A_S) return false;
  if (__builtin_mul_overflow((uint64_t)t->tv_sec, (uint64_t)NS_A_S, ns) ||
      __builtin_add_overflow(*ns, (uint64_t)t->tv_nsec, ns))
    *ns = UINT64_MAX;
  return true;
}

/* The system refuses an interval that is none. */
int __wrap_nanosleep(const struct timespec *t, struct timespec *left) {
  uint64_t ns;
  if (!clock_interval(t, &ns) || !eyoti_prog_sleep("nanosleep", HERE, ns))
    return __real_nanosleep(t, left);
  return 0;
}

int __wrap_thrd_sleep(const struct timespec *t, struct timespec *left) {
  uint64_t ns;
  if (clock_interval(t, &ns) && eyoti_prog_sleep("thrd_sleep", HERE, ns)) return 0;
  if (__real_nanosleep(t, left) == 0) return 0;
  return errno == EINTR ? -1 : -2;
}

int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                           struct timespec *left) {
  int64_t start_s;
  uint64_t ns, now;
  if (!clock_start(id, &start_s) || id == CLOCK_THREAD_CPUTIME_ID || !clock_interval(t, &ns))
    return __real_clock_nanosleep(id, flags, t, left);
  if ((flags & TIMER_ABSTIME) != 0) {
    if (!eyoti_prog_now("clock_nanosleep", HERE, &now))
      return __real_clock_nanosleep(id, flags, t, left);
    now += (uint64_t)(start_s * NS_A_S);
    ns = ns > now ? ns - now : 0;
  }
  return eyoti_prog_sleep("clock_nanosleep", HERE, ns) ? 0
                                                       : __real_clock_nanosleep(id, flags, t, left);
}

unsigned __wrap_sleep(unsigned s) {
  return eyoti_prog_sleep("sleep", HERE, (uint64_t)s * (uint64_t)NS_A_S) ? 0 : __real_sleep(s);
}

int __wrap_usleep(useconds_t us) {
  return eyoti_prog_sleep("usleep", HERE, (uint64_t)us * 1000) ? 0 : __real_usleep(us);
}

int __wrap_sched_yield(void) {
  return eyoti_prog_sleep("sched_yield", HERE, 0) ? 0 : __real_sched_yield();
}

void __wrap_thrd_yield(void) {
  if (!eyoti_prog_sleep("thrd_yield", HERE, 0)) (void)__real_sched_yield();
}

/* No signal ends a wait of a unit, so one without a deadline lasts to the end of virtual time, and
 * the run ends with it. The signals of this process, as those of the watchdog, are no unit's. */
static void sleep_for_ever(const char *function, const void *site) {
  while (eyoti_prog_sleep(function, site, UINT64_MAX)) continue;
}

int __wrap_pause(void) {
  sleep_for_ever("pause", HERE);
  return __real_pause();
}

/* Without files to wait for, poll and select are used to sleep. */
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms) {
  if (n == 0 && ms < 0) sleep_for_ever("poll", HERE);
  bool sleeps = n == 0 && ms >= 0;
  if (sleeps && eyoti_prog_sleep("poll", HERE, (uint64_t)ms * 1000000)) return 0;
  return __real_poll(fds, n, ms);
}

int __wrap_select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *t) {
  if (n == 0 && t == NULL) sleep_for_ever("select", HERE);
  bool sleeps = n == 0 && t != NULL && t->tv_usec >= 0 && t->tv_usec < 1000000;
  const struct timespec interval =
      sleeps ? (struct timespec){.tv_sec = t->tv_sec, .tv_nsec = t->tv_usec * 1000}
             : (struct timespec){0};
  uint64_t ns;
  if (sleeps && clock_interval(&interval, &ns) && eyoti_prog_sleep("select", HERE, ns)) return 0;
  return __real_select(n, in, out, except, t);
}
