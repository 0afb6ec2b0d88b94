/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde_item.c - items: their sources and targets, and the check of what a unit received. */
#include <stdlib.h>
#include <string.h>

#include "dsde.h"

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t dsde_item(uint32_t round, uint32_t source, uint32_t index) {
  return (uint64_t)source << 32 | (uint64_t)round << 16 | index;
}

/* Any unit but the source; the same one may be drawn more than once. */
uint32_t dsde_target(const struct dsde_opts *opts, uint32_t units, uint32_t round, uint32_t source,
                     uint32_t index) {
  if (units == 1) return 0;
  uint64_t drawn = mix(dsde_item(round, source, index) ^ mix(opts->seed + UINT64_C(1)));
  uint32_t target = (uint32_t)(((drawn >> 32) * (units - 1)) >> 32);
  return target >= source ? target + 1 : target;
}

void dsde_fill(struct dsde_unit *u, uint32_t round) {
  for (uint32_t i = 0; i < u->opts->targets; i++) {
    u->item[i] = dsde_item(round, u->me, i);
    u->target[i] = dsde_target(u->opts, u->n, round, u->me, i);
  }
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

int dsde_check(const struct dsde_unit *u, uint32_t round, uint64_t *bad) {
  if (u->received == 0) return EYOT_OK;
  uint64_t *sorted = malloc(u->received * sizeof *sorted);
  if (sorted == NULL) return dsde_fail("private memory to sort the received items", EYOT_ENOMEM);
  memcpy(sorted, u->inbox, u->received * sizeof *sorted);
  qsort(sorted, u->received, sizeof sorted[0], ascending);
  for (uint64_t i = 0; i < u->received; i++) {
    uint32_t source = (uint32_t)(sorted[i] >> 32), index = sorted[i] & UINT16_MAX;
    bool mine = source < u->n && index < u->opts->targets &&
                dsde_item(round, source, index) == sorted[i] &&
                dsde_target(u->opts, u->n, round, source, index) == u->me;
    if (!mine || (i > 0 && sorted[i] == sorted[i - 1])) ++*bad;
  }
  free(sorted);
  return EYOT_OK;
}
