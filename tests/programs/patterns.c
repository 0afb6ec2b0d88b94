/* SPDX-License-Identifier: BSD-3-Clause */
/* patterns.c - patterns of flows: with arguments PATTERN BYTES each unit sends BYTES bytes to the
 * unit that the pattern gives it, all at the same time, or with "get-" before the pattern gets them
 * from it. Prints "PATTERN: mean MEAN ns, last LAST
 * ns": how long the flows took. */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"

#define BEGIN_NS 10000000 /* all units are past the barriers */

static uint32_t reversed(uint32_t i, uint32_t n) {
  uint32_t r = 0;
  for (uint32_t bit = 1; bit < n; bit *= 2) r = r * 2 + (i / bit & 1);
  return r < n ? r : i;
}

/* The same permutation at all units. */
static uint32_t permuted(uint32_t i, uint32_t n) {
  uint32_t *to = malloc(n * sizeof *to), found;
  uint64_t state = 7;
  CHECK(to != NULL);
  for (uint32_t k = 0; k < n; k++) to[k] = k;
  for (uint32_t k = n - 1; k > 0; k--) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t other = (uint32_t)((state >> 33) % (k + 1)), was = to[k];
    to[k] = to[other];
    to[other] = was;
  }
  found = to[i];
  free(to);
  return found;
}

static uint32_t target(const char *pattern, uint32_t i, uint32_t n) {
  if (strcmp(pattern, "incast") == 0) return 0;
  if (strcmp(pattern, "bitreversal") == 0) return reversed(i, n);
  if (strcmp(pattern, "neighbor") == 0) return (i + n / 8) % n;
  if (strcmp(pattern, "shift") == 0) return (i + n / 2) % n;
  if (strcmp(pattern, "random") == 0) return (uint32_t)((i + 1) * 2654435761u >> 7) % n;
  CHECK(strcmp(pattern, "permutation") == 0);
  return permuted(i, n);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 3);
  uint64_t bytes = strtoull(argv[2], NULL, 10), word;
  uint32_t n = eyot_size(), me = eyot_me().id;
  bool all = strcmp(argv[1], "alltoall") == 0, get = strncmp(argv[1], "get-", 4) == 0;
  eyot_gptr_t mem, times;
  char *local = calloc(1, bytes);
  CHECK(local != NULL);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &mem));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, n * sizeof(uint64_t), &times));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t now_ns = eyot_now_ns();
  CHECK(now_ns < BEGIN_NS);
  OK(eyot_compute(BEGIN_NS - now_ns));
  uint64_t from_ns = eyot_now_ns();
  for (uint32_t k = 1; all && k < n; k++) {
    eyot_unit_t to = {(me + k) % n};
    OK(eyot_put_nbi(eyot_gptr_at(mem, to), local, bytes / n));
  }
  if (!all) {
    eyot_unit_t to = {target(argv[1] + (get ? 4 : 0), me, n)};
    if (to.id != me && !get) OK(eyot_put_nbi(eyot_gptr_at(mem, to), local, bytes));
    if (to.id != me && get) OK(eyot_get_nbi(local, eyot_gptr_at(mem, to), bytes));
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  word = eyot_now_ns() - from_ns;
  OK(eyot_put(eyot_gptr_add(eyot_gptr_at(times, (eyot_unit_t){0}), (int64_t)(me * sizeof word)),
              &word, sizeof word));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) {
    void *at;
    uint64_t sum = 0, last = 0;
    OK(eyot_gptr_addr(times, &at));
    for (uint32_t i = 0; i < n; i++) {
      sum += ((uint64_t *)at)[i];
      if (((uint64_t *)at)[i] > last) last = ((uint64_t *)at)[i];
    }
    printf("%s: mean %lu ns, last %lu ns\n", argv[1], (unsigned long)(sum / n),
           (unsigned long)last);
  }
  free(local);
  OK(eyot_team_free(times));
  OK(eyot_team_free(mem));
  return finish();
}
