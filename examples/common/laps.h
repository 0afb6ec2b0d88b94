/* SPDX-License-Identifier: BSD-3-Clause */
/* laps.h - times of the steps of an example that compares ways of communication: of each step and
 * way, the communication and the whole, on the slowest unit. Steps of all ways take turns in one
 * run, so that a change of the machine's speed meets all of them.
 *
 *   laps_open(&laps, WAYS, STEPS); laps_record(&laps, way, step, comm_ns, step_ns); ...
 *   laps_collect(&laps); on unit 0: laps_print(&laps, "fft2d", way, "msg"); laps_close(&laps); */
#ifndef EXAMPLES_LAPS_H
#define EXAMPLES_LAPS_H

#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAPS_COMMUNICATION = 0, LAPS_WHOLE, LAPS_PARTS };

struct laps {
  uint32_t ways, steps;
  uint64_t *ns; /* [way][part][step] */
};

/* Writes "all|", and the names of the ways, for an option that chooses. table: ends with NULL; of
 * structures whose first member is the name. */
static inline void laps_words(const void *table, char *words, size_t bytes) {
  const char *const *const *way = table;
  size_t used = (size_t)snprintf(words, bytes, "all");
  for (; *way != NULL && used < bytes; way++)
    used += (size_t)snprintf(words + used, bytes - used, "|%s", **way);
}

/* Returns EYOT_OK or EYOT_ENOMEM. */
static inline int laps_open(struct laps *laps, uint32_t ways, uint32_t steps) {
  laps->ways = ways;
  laps->steps = steps;
  laps->ns = calloc((size_t)ways * LAPS_PARTS * steps, sizeof *laps->ns);
  return laps->ns != NULL ? EYOT_OK : EYOT_ENOMEM;
}
static inline void laps_close(struct laps *laps) {
  free(laps->ns);
  laps->ns = NULL;
}

static inline uint64_t *laps_row(const struct laps *laps, uint32_t way, uint32_t part) {
  return laps->ns + ((uint64_t)way * LAPS_PARTS + part) * laps->steps;
}

static inline void laps_record(struct laps *laps, uint32_t way, uint32_t step,
                               uint64_t communication_ns, uint64_t whole_ns) {
  laps_row(laps, way, LAPS_COMMUNICATION)[step] = communication_ns;
  laps_row(laps, way, LAPS_WHOLE)[step] = whole_ns;
}

/* Takes for each step the time of the slowest unit. Collective; returns an error code of
 * eyot_allreduce, or EYOT_ENOMEM. */
static inline int laps_collect(struct laps *laps) {
  size_t n = (size_t)laps->ways * LAPS_PARTS * laps->steps;
  uint64_t *mine = malloc(n * sizeof *mine);
  if (mine == NULL) return EYOT_ENOMEM;
  memcpy(mine, laps->ns, n * sizeof *mine);
  int code = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, mine, laps->ns, n);
  free(mine);
  return code;
}

static inline int laps_ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}
/* The median of a way's steps in microseconds. Sorts them. */
static inline double laps_median_us(struct laps *laps, uint32_t way, uint32_t part) {
  uint64_t *row = laps_row(laps, way, part);
  uint32_t n = laps->steps;
  if (n == 0) return 0;
  qsort(row, n, sizeof *row, laps_ascending);
  return ((double)row[(n - 1) / 2] + (double)row[n / 2]) / 2e3;
}

/* After laps_collect: one line for one way. */
static inline void laps_print(struct laps *laps, const char *program, uint32_t way,
                              const char *name) {
  printf("%s: %s: communication %.3f us, step %.3f us, %s time (medians of %u steps)\n", program,
         name, laps_median_us(laps, way, LAPS_COMMUNICATION), laps_median_us(laps, way, LAPS_WHOLE),
         strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall", laps->steps);
  fflush(stdout);
}
#endif
