/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_lock.c - throughput and fairness of one kind of lock under full contention: every unit
 * acquires and releases, with nothing in between, for a fixed time.
 *
 *   eyotrun --fabric sim --platform xc40 -n 1024 bench_lock KIND WRITERS MICROSECONDS [NAME=N...]
 *     KIND          a name of eyot_lock_kind_name other than epoch
 *     WRITERS       percentage of exclusive acquires; the others are shared if the kind permits it
 *     MICROSECONDS  virtual time on sim, wall time on mpi; later acquires do not count
 *     passes=N      at each level that the default uses; 0 (default): the default's number
 *     readers=N writers=N units=N seed=N   readers_max, writers_max, units_per_counter; of draws
 * Prints one line of names and values. Times are in ns; the median wait comes from a histogram with
 * 16 steps an octave; `jain` is Jain's fairness index of acquisitions (1: equal; 1/n: one unit). */
#include <eyot/eyot.h>
#include <eyot/lock.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 16, OCTAVES = 48, BUCKETS = STEPS * OCTAVES };

struct task {
  eyot_lock_attr_t attr;
  double writers; /* part of one */
  uint64_t run_ns, seed;
};

struct tally {
  uint64_t acquired, writes, longest_ns;
  uint64_t bucket[BUCKETS];
};

static void must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint32_t bucket_of(uint64_t ns) {
  uint32_t b = (uint32_t)(log2((double)ns + 1) * STEPS);
  return b < BUCKETS ? b : BUCKETS - 1;
}

static void contend(const struct task *t, eyot_lock_t lock, struct tally *out) {
  uint64_t random = t->seed << 32 | eyot_me().id, end = eyot_now_ns() + t->run_ns;
  bool shares = t->attr.kind == EYOT_LOCK_RW;
  for (;;) {
    bool write = (double)(draw(&random) >> 11) * 0x1p-53 < t->writers;
    uint64_t before = eyot_now_ns();
    if (before >= end) return;
    must(eyot_lock_acquire(lock, write || !shares ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED),
         "eyot_lock_acquire");
    uint64_t after = eyot_now_ns();
    must(eyot_lock_release(lock), "eyot_lock_release");
    if (after >= end) return;
    out->acquired++;
    out->writes += write;
    out->bucket[bucket_of(after - before)]++;
    if (after - before > out->longest_ns) out->longest_ns = after - before;
  }
}

static double median_ns(const struct tally *t) {
  uint64_t seen = 0;
  uint32_t b = 0;
  while (b < BUCKETS - 1 && (seen += t->bucket[b]) * 2 < t->acquired) b++;
  return exp2((b + 0.5) / STEPS) - 1;
}

static void report(const struct task *t, const struct tally *mine) {
  struct tally all = *mine;
  uint64_t counts[3] = {mine->acquired, mine->acquired * mine->acquired, mine->writes},
           range[2] = {mine->longest_ns, UINT64_MAX - mine->acquired};
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, counts, counts, 3), "eyot_allreduce");
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, range, range, 2), "eyot_allreduce");
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, mine->bucket, all.bucket, BUCKETS),
       "eyot_allreduce");
  if (eyot_me().id != 0) return;
  all.acquired = counts[0];
  double sum = (double)counts[0], n = (double)eyot_size();
  printf(
      "kind %s units %u writers_percent %g run_us %g acquisitions %llu writes %llu per_second %.0f "
      "jain %.4f least %llu wait_median_ns "
      "%.0f wait_longest_ns %llu\n",
      eyot_lock_kind_name(t->attr.kind), eyot_size(), t->writers * 100, (double)t->run_ns / 1e3,
      (unsigned long long)counts[0], (unsigned long long)counts[2], sum / ((double)t->run_ns / 1e9),
      counts[1] == 0 ? 0 : sum * sum / (n * (double)counts[1]),
      (unsigned long long)(UINT64_MAX - range[1]), median_ns(&all), (unsigned long long)range[0]);
  fflush(stdout);
}

/* One name=value. */
static bool option(const char *text, struct task *t) {
  const char *value = strchr(text, '=');
  char *end;
  if (value == NULL || value[1] == '\0') return false;
  uint64_t number = strtoull(value + 1, &end, 10);
  if (*end != '\0' || number > UINT32_MAX) return false;
  size_t len = (size_t)(value - text);
  if (strncmp(text, "passes", len) == 0 && len == 6) {
    for (int d = 0; number > 0 && d < EYOT_DOMAIN_COUNT; d++)
      if (t->attr.passes[d] > 0) t->attr.passes[d] = (uint32_t)number;
  } else if (strncmp(text, "readers", len) == 0 && len == 7) {
    t->attr.readers_max = (uint32_t)number;
  } else if (strncmp(text, "writers", len) == 0 && len == 7) {
    t->attr.writers_max = (uint32_t)number;
  } else if (strncmp(text, "units", len) == 0 && len == 5) {
    t->attr.units_per_counter = (uint32_t)number;
  } else if (strncmp(text, "seed", len) == 0 && len == 4) {
    t->seed = number;
  } else {
    return false;
  }
  return true;
}

static bool parse(int argc, char **argv, struct task *t) {
  static const eyot_lock_attr_t DEFAULT = EYOT_LOCK_ATTR_INIT;
  *t = (struct task){.attr = DEFAULT, .seed = 1};
  if (argc < 4) return false;
  int kind = 0;
  while (kind < EYOT_LOCK_KIND_COUNT &&
         (kind == EYOT_LOCK_EPOCH ||
          strcmp(argv[1], eyot_lock_kind_name((eyot_lock_kind_t)kind)) != 0))
    kind++;
  if (kind == EYOT_LOCK_KIND_COUNT) return false;
  t->attr.kind = (eyot_lock_kind_t)kind;
  char *end;
  t->writers = strtod(argv[2], &end) / 100;
  if (*end != '\0' || !(t->writers >= 0 && t->writers <= 1)) return false;
  double us = strtod(argv[3], &end);
  if (*end != '\0' || !(us > 0 && us < 1e9)) return false;
  t->run_ns = (uint64_t)(us * 1e3);
  for (int i = 4; i < argc; i++)
    if (!option(argv[i], t)) return false;
  return true;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct task t;
  if (!parse(argc, argv, &t)) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "usage: bench_lock KIND WRITERS_PERCENT MICROSECONDS [passes=N] "
              "[readers=N] [writers=N] [units=N] [seed=N]\n");
    eyot_finalize();
    return 2;
  }
  struct tally *mine = calloc(1, sizeof *mine);
  if (mine == NULL) eyot_abort(1, "no memory for the tally");
  eyot_lock_t lock;
  must(eyot_lock_create(EYOT_TEAM_ALL, &t.attr, &lock), "eyot_lock_create");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  contend(&t, lock, mine);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  report(&t, mine);
  must(eyot_lock_destroy(&lock), "eyot_lock_destroy");
  free(mine);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
