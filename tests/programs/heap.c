/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - the heap grows, reports it, and returns memory.
 *
 *   eyotrun -n UNITS heap walk STEPS     random allocations and releases (heap_walk.h)
 *                         grow           step by step to the maximum, and the messages there
 *                         full           until the machine has no more memory: an error, and the
 *                                        run continues
 *                         huge           the pages are huge ones (EYOT_HEAP_HUGE)
 *                         touched        the pages are allocated at start (EYOT_HEAP_TOUCH)
 *                         returned       freed memory no longer belongs to the process
 *                                        (EYOT_HEAP_KEEP=0), and later puts to it arrive */
#include <string.h>
#include <sys/mman.h>

#include "programs/api_check.h"
#include "support/heap_walk.h"

enum { PAGE = 4096, MIB = 1 << 20 };

static char *own(eyot_gptr_t g) {
  void *p;
  OK(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p));
  return p;
}

static uint64_t resident_pages(char *p, uint64_t bytes) {
  unsigned char *map = calloc(1, bytes / PAGE);
  uint64_t n = 0;
  CHECK(map != NULL && mincore(p, bytes, map) == 0);
  for (uint64_t i = 0; i < bytes / PAGE; i++) n += map[i] & 1;
  free(map);
  return n;
}

static void walk(uint32_t steps) {
  int line = heap_walk(eyot_me().id, eyot_size(), steps);
  if (line != 0) fprintf(stderr, "unit %u: heap_walk.h:%d does not hold\n", eyot_me().id, line);
  CHECK(line == 0);
}

/* From both ends: earlier allocations keep address and content. */
static void grow(void) {
  eyot_heap_info_t first, now;
  eyot_gptr_t shared[64], mine[64];
  uint32_t n_shared = 0, n_mine = 0;
  OK(eyot_heap_info(&first));
  CHECK(first.size < first.most && first.largest_free <= first.most);
  uint64_t part = first.most / 50;
  for (int rc = EYOT_OK; rc == EYOT_OK; n_shared += rc == EYOT_OK) {
    rc = eyot_team_alloc(EYOT_TEAM_ALL, part, &shared[n_shared]);
    CHECK(rc == EYOT_OK || rc == EYOT_ENOMEM);
    if (rc == EYOT_OK) memset(own(shared[n_shared]), 1 + (int)n_shared, part);
    int other = eyot_alloc(part, &mine[n_mine]);
    CHECK(other == EYOT_OK || other == EYOT_ENOMEM);
    if (other == EYOT_OK) memset(own(mine[n_mine]), 101 + (int)n_mine, part);
    n_mine += other == EYOT_OK;
  }
  OK(eyot_heap_info(&now));
  CHECK(n_shared + n_mine >= 48 && n_shared + n_mine <= 50 && now.most == first.most);
  CHECK(now.size > first.most - 2 * part && now.size <= now.most && now.largest_free < part);
  for (uint32_t i = 0; i < n_shared; i++) CHECK(walk_holds(own(shared[i]), part, (char)(1 + i)));
  for (uint32_t i = 0; i < n_mine; i++) CHECK(walk_holds(own(mine[i]), part, (char)(101 + i)));
  while (n_shared > 0) OK(eyot_team_free(shared[--n_shared]));
  while (n_mine > 0) OK(eyot_free(mine[--n_mine]));
  OK(eyot_heap_info(&now));
  CHECK(now.largest_free == first.largest_free);
}

/* On a machine whose shared memory ends before EYOT_HEAP_MAX; only unit 0 allocates what is
 * left. */
static void full(void) {
  eyot_heap_info_t info;
  eyot_gptr_t g[256], all, more;
  uint32_t n = 0;
  int rc = EYOT_OK;
  OK(eyot_heap_info(&info));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &all));
  if (eyot_me().id == 0)
    while (n < 256 && (rc = eyot_alloc(MIB, &g[n])) == EYOT_OK) memset(own(g[n++]), 1, MIB);
  if (eyot_me().id == 0) CHECK(rc == EYOT_ENOMEM && n > 4 && info.largest_free / MIB > 2 * n);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, 4 * MIB, &more) == EYOT_ENOMEM);
  CHECK(eyot_team_alloc_raw(EYOT_TEAM_ALL, 4 * MIB, 64, &more) == EYOT_ENOMEM);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  while (n > 0) OK(eyot_free(g[--n]));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 4 * MIB, &more)); /* it was returned (EYOT_HEAP_KEEP=0) */
  memset(own(more), 1, 4 * MIB);
  OK(eyot_team_free(more));
  OK(eyot_team_free(all));
}

/* A field of the system's report on the mapping that contains p, in KiB. */
static uint64_t smaps_kib(const char *p, const char *field) {
  FILE *f = fopen("/proc/self/smaps", "r");
  char line[512];
  bool here = false;
  uint64_t kib = 0;
  CHECK(f != NULL);
  while (fgets(line, sizeof line, f) != NULL) {
    unsigned long low, high, value;
    if (sscanf(line, "%lx-%lx ", &low, &high) == 2)
      here = (uintptr_t)p >= low && (uintptr_t)p < high;
    if (here && strncmp(line, field, strlen(field)) == 0 &&
        sscanf(line + strlen(field), " %lu", &value) == 1)
      kib = value;
  }
  fclose(f);
  return kib;
}

static void huge(void) {
  eyot_gptr_t g;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 16 * MIB, &g));
  memset(own(g), 1, 16 * MIB);
  uint64_t kib = smaps_kib(own(g), "AnonHugePages:");
  printf("unit %u: %lu KiB of huge pages\n", eyot_me().id, (unsigned long)kib);
  CHECK(kib >= 8 * 1024);
  OK(eyot_team_free(g));
}

static void touched(void) {
  eyot_gptr_t g;
  OK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, PAGE, PAGE, &g));
  CHECK(resident_pages(own(g), 8 * MIB) == 8 * MIB / PAGE);
  OK(eyot_team_free(g));
}

static void returned(void) {
  eyot_gptr_t g;
  uint32_t n = eyot_size(), to = (eyot_me().id + 1) % n;
  char *buffer = malloc(MIB);
  CHECK(buffer != NULL);
  for (uint32_t round = 0; round < 20; round++) {
    OK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, MIB, PAGE, &g));
    char *p = own(g);
    CHECK(walk_holds(p, MIB, 0));
    OK(eyot_barrier(EYOT_TEAM_ALL));
    memset(buffer, 1 + (int)(round + to), MIB);
    OK(eyot_put(eyot_gptr_at(g, (eyot_unit_t){to}), buffer, MIB));
    OK(eyot_barrier(EYOT_TEAM_ALL));
    CHECK(walk_holds(p, MIB, (char)(1 + round + eyot_me().id)));
    OK(eyot_get(buffer, eyot_gptr_at(g, (eyot_unit_t){to}), MIB));
    CHECK(walk_holds(buffer, MIB, (char)(1 + round + to)));
    OK(eyot_team_free(g));
    CHECK(resident_pages(p, MIB) == 0);
  }
  free(buffer);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "walk") == 0 && argc > 2)
    walk((uint32_t)strtoul(argv[2], NULL, 10));
  else if (strcmp(what, "grow") == 0)
    grow();
  else if (strcmp(what, "full") == 0)
    full();
  else if (strcmp(what, "huge") == 0)
    huge();
  else if (strcmp(what, "touched") == 0)
    touched();
  else if (strcmp(what, "returned") == 0)
    returned();
  else {
    fprintf(stderr, "heap: '%s', expected walk N, grow, full, huge, touched or returned\n", what);
    exit(2);
  }
  return finish();
}
