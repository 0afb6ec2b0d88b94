/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_threads.c - reductions of long global arrays, whose elements threads of the unit may share
 * (EYOT_REDUCE_THREADS): coll_threads WORKERS [fault].
 *
 * Prints a hash of all results, which is the same with any number of threads and on every fabric;
 * the test compares it. Each unit is to have WORKERS such threads after its first long reduction,
 * and none before, and after the end. fault: an array has a page that cannot be read. */
#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "programs/api_check.h"

#define LONG_BYTES ((UINT64_C(2) << 20) + 40000) /* longer than what is always shared */

static uint64_t hash = 0xcbf29ce484222325;

static void add(const void *p, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++)
    hash = (hash ^ ((const unsigned char *)p)[i]) * UINT64_C(0x100000001b3);
}

static uint32_t workers_now(void) {
  uint32_t n = 0;
  DIR *d = opendir("/proc/self/task");
  CHECK(d != NULL);
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
    FILE *f = fopen(path, "r");
    if (f == NULL) continue;
    if (fgets(name, sizeof name, f) != NULL) n += strcmp(name, "eyot-worker\n") == 0;
    fclose(f);
  }
  closedir(d);
  return n;
}

static double number(uint64_t unit, uint64_t i) {
  uint64_t h = (unit + 3) * UINT64_C(0x9e3779b97f4a7c15) ^ (i + 1) * UINT64_C(0xc2b2ae3d27d4eb4f);
  h ^= h >> 31;
  return ((double)(h >> 20 & 0xffffff) - 8e6) / 3 * (h % 11 == 0 ? 1e6 : 1);
}

/* -- arrays ------------------------------------------------------------------------------------ */

struct memory {
  eyot_gptr_t src, dst;
  void *part, *result;
};

static struct memory memory_new(uint64_t bytes) {
  struct memory m;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &m.src));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 16, &m.dst));
  OK(eyot_gptr_addr(eyot_gptr_at(m.src, eyot_me()), &m.part));
  OK(eyot_gptr_addr(eyot_gptr_at(m.dst, eyot_me()), &m.result));
  return m;
}
static void memory_free(struct memory *m) {
  OK(eyot_team_free(m->src));
  OK(eyot_team_free(m->dst));
}

static void reduce(const struct memory *m, eyot_type_t type, eyot_op_t op, uint32_t first,
                   uint64_t n, uint64_t block, uint64_t width) {
  OK(eyot_global_reduce(EYOT_TEAM_ALL, type, op, eyot_gptr_at(m->dst, (eyot_unit_t){0}),
                        eyot_gptr_at(m->src, (eyot_unit_t){first}), n, block, EYOT_IN_ALLSYNC));
  if (eyot_me().id == 0) add(m->result, width);
}

/* Sums and products whose bits depend on the order, in all layouts. */
static void test_layouts(const struct memory *m, uint32_t me, uint32_t n) {
  static const uint64_t BLOCKS[] = {0, 1, 7, 30001};
  uint64_t each = LONG_BYTES / sizeof(double);
  double *x = m->part;
  for (uint64_t k = 0; k < sizeof BLOCKS / sizeof *BLOCKS; k++) {
    uint64_t elements = BLOCKS[k] == 0 ? each : n * each - 5; /* 0: all are one unit's */
    uint32_t first = BLOCKS[k] == 0 ? 0 : n - 1;
    for (uint64_t i = 0; i < 2 * each; i++) x[i] = number(me, i);
    for (int again = 0; again < 3; again++)
      reduce(m, EYOT_DOUBLE, EYOT_SUM, first, elements, BLOCKS[k], sizeof *x);
    reduce(m, EYOT_DOUBLE, EYOT_SUM, first, elements / 3, BLOCKS[k], sizeof *x); /* brief */
    reduce(m, EYOT_DOUBLE_INDEX, EYOT_MAXLOC, first, elements / 2, BLOCKS[k], 2 * sizeof *x);
    reduce(m, EYOT_DOUBLE_COMPLEX, EYOT_SUM, first, elements / 2, BLOCKS[k], 2 * sizeof *x);
    eyot_gptr_t at = eyot_gptr_at(m->src, (eyot_unit_t){first});
    OK(eyot_global_prefix_reduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, at, at, elements, BLOCKS[k],
                                 EYOT_IN_ALLSYNC));
    add(x, 2 * each * sizeof *x);
  }
}

/* A sum that is known. */
static void test_sum(const struct memory *m, uint32_t me, uint32_t n) {
  uint64_t each = LONG_BYTES / sizeof(uint64_t), sum = 0, whole = 0, *y = m->part;
  for (uint64_t i = 0; i < each; i++) y[i] = (i + 1) * (me + 1);
  for (uint64_t i = 0; i < each; i++) sum += i + 1;
  for (uint64_t u = 1; u <= n; u++) whole += u * sum;
  reduce(m, EYOT_UINT64, EYOT_SUM, 0, n * each, 1, sizeof *y);
  if (me == 0) CHECK(memcmp(m->result, &whole, sizeof whole) == 0);
}

/* -- who combines ------------------------------------------------------------------------------ */

static void test_short(const struct memory *m, uint32_t me, uint32_t n) {
  double *x = m->part;
  for (uint64_t i = 0; i < 10000; i++) x[i] = number(me, i);
  reduce(m, EYOT_DOUBLE, EYOT_SUM, 0, n * 10000, 10000, sizeof *x);
  CHECK(workers_now() == 0); /* none is made that nothing needs */
}

/* A thread may find it, or the unit: the run ends with the same message. */
static void fault(const struct memory *m, uint32_t n) {
  char *page = (char *)m->part + LONG_BYTES / 2;
  CHECK(mprotect(page - (uintptr_t)page % 4096, 4096, PROT_NONE) == 0);
  reduce(m, EYOT_DOUBLE, EYOT_SUM, 0, n * (LONG_BYTES / 8), 1, 8);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t me = eyot_me().id, n = eyot_size(), wanted = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
  struct memory m = memory_new(2 * LONG_BYTES);
  if (argc > 2 && strcmp(argv[2], "fault") == 0) fault(&m, n);
  test_short(&m, me, n);
  test_layouts(&m, me, n);
  test_sum(&m, me, n);
  CHECK(workers_now() == wanted);
  memory_free(&m);
  OK(eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){0}, EYOT_UINT64, EYOT_BXOR, &hash, &hash, 1));
  if (me == 0) printf("hash %016" PRIx64 "\n", hash);
  int code = finish();
  return workers_now() == 0 ? code : 1;
}
