/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_scale.c - what a run of many simulated units costs, phase by phase: start, an allocation, a
 * barrier, a ring of puts, a lock that every unit takes once, an allreduce, a split into blocks.
 *
 *   eyotrun --fabric sim --shared-globals -n 65536 bench_scale [PHASE...]
 *
 * Each phase is verified and ends with a barrier. Unit 0 prints one line after it: the virtual time
 * of the phase, the wall time since the phase before, and the memory of the process then (VmRSS +
 * VmPTE; all units share the process). The suite `scale` fits growth exponents to these lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define BLOCK 64u /* members of a team of the split */
#define COUNTER 1 /* word of the allocation that the lock guards */
#define WORDS 8u

struct run {
  uint32_t me, n;
  eyot_gptr_t words; /* WORDS of each unit */
  uint64_t *own;
};

/* Not inlined, as report: their frames would lie on the stack of every unit. */
static __attribute__((noinline)) uint64_t status_kb(const char *key) {
  FILE *f = fopen("/proc/self/status", "r");
  char line[256];
  uint64_t kb = 0;
  size_t len = strlen(key);
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (strncmp(line, key, len) == 0) (void)sscanf(line + len, ": %" SCNu64, &kb);
  if (f != NULL) (void)fclose(f);
  return kb;
}

/* A clock of this machine: the C library's functions show a unit virtual time. */
static double machine_s(clockid_t clock) {
  struct timespec t;
  (void)syscall(SYS_clock_gettime, clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static eyot_gptr_t word_of(const struct run *r, uint32_t unit, int64_t word) {
  eyot_gptr_t g = eyot_gptr_at(r->words, (eyot_unit_t){unit});
  return eyot_gptr_add(g, word * (int64_t)sizeof(uint64_t));
}

static void expect(uint64_t found, uint64_t expected, const char *what) {
  if (found != expected) eyot_abort(1, what);
}

static void alloc(struct run *r) {
  void *own;
  must(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * sizeof(uint64_t), &r->words), "eyot_team_alloc");
  must(eyot_gptr_addr(word_of(r, r->me, 0), &own), "eyot_gptr_addr");
  r->own = own;
}

static void barrier(struct run *r) {
  (void)r;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static void ring(struct run *r) {
  uint64_t value = r->me + 1;
  must(eyot_put(word_of(r, (r->me + 1) % r->n, 0), &value, sizeof value), "eyot_put");
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  expect(r->own[0], (r->me + r->n - 1) % r->n + 1, "the ring has put another value");
}

static void lock(struct run *r) {
  eyot_lock_t l;
  uint64_t count;
  must(eyot_lock_create(EYOT_TEAM_ALL, NULL, &l), "eyot_lock_create");
  must(eyot_lock_acquire(l, EYOT_LOCK_EXCLUSIVE), "eyot_lock_acquire");
  must(eyot_get(&count, word_of(r, 0, COUNTER), sizeof count), "eyot_get");
  count++;
  must(eyot_put(word_of(r, 0, COUNTER), &count, sizeof count), "eyot_put");
  must(eyot_flush((eyot_unit_t){0}, EYOT_REMOTE), "eyot_flush");
  must(eyot_lock_release(l), "eyot_lock_release");
  must(eyot_lock_destroy(&l), "eyot_lock_destroy");
  if (r->me == 0) expect(r->own[COUNTER], r->n, "the lock has not excluded");
}

static void allreduce(struct run *r) {
  uint64_t sum = r->me;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &sum, &sum, 1), "eyot_allreduce");
  expect(sum, (uint64_t)r->n * (r->n - 1) / 2, "the sum is another one");
}

static void split(struct run *r) {
  eyot_team_t team;
  uint32_t size;
  eyot_tunit_t me;
  must(eyot_team_split(EYOT_TEAM_ALL, r->me / BLOCK, &team), "eyot_team_split");
  must(eyot_team_size(team, &size), "eyot_team_size");
  must(eyot_team_me(team, &me), "eyot_team_me");
  uint32_t left = r->n - r->me / BLOCK * BLOCK;
  expect(size, left < BLOCK ? left : BLOCK, "the team has another size");
  expect(me.id, r->me % BLOCK, "the unit has another place in the team");
  must(eyot_team_destroy(&team), "eyot_team_destroy");
}

static const struct {
  const char *name;
  void (*run)(struct run *r);
} PHASES[] = {{"alloc", alloc}, {"barrier", barrier},     {"ring", ring},
              {"lock", lock},   {"allreduce", allreduce}, {"split", split}};
#define PHASES_N (sizeof PHASES / sizeof PHASES[0])

static bool asked_for(int argc, char **argv, const char *name) {
  bool asked = argc < 2;
  for (int i = 1; i < argc; i++) asked = asked || strcmp(argv[i], name) == 0;
  return asked;
}

/* When the phase before ended. */
struct ends {
  uint64_t virtual_ns;
  double wall_s, cpu_s;
};

static __attribute__((noinline)) void report(const char *phase, struct ends *e) {
  struct ends now = {.virtual_ns = eyot_now_ns(),
                     .wall_s = machine_s(CLOCK_MONOTONIC),
                     .cpu_s = machine_s(CLOCK_PROCESS_CPUTIME_ID)};
  printf("phase %s virtual_us %.3f wall_s %.3f cpu_s %.3f memory_kb %" PRIu64 " peak_kb %" PRIu64
         "\n",
         phase, (double)(now.virtual_ns - e->virtual_ns) / 1e3, now.wall_s - e->wall_s,
         now.cpu_s - e->cpu_s, status_kb("VmRSS") + status_kb("VmPTE"),
         status_kb("VmHWM") + status_kb("VmPTE"));
  fflush(stdout);
  *e = now;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct run r = {.me = eyot_me().id, .n = eyot_size()};
  /* of the start: all processor time of the process, and the wall time since unit 0 began */
  struct ends ends = {.wall_s = machine_s(CLOCK_MONOTONIC)};
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (r.me == 0) report("start", &ends);
  for (size_t i = 0; i < PHASES_N; i++) {
    if (!asked_for(argc, argv, PHASES[i].name)) continue;
    PHASES[i].run(&r);
    must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
    if (r.me == 0) report(PHASES[i].name, &ends);
  }
  if (!eyot_gptr_is_null(r.words)) must(eyot_team_free(r.words), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
