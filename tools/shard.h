/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.h - which seeds of a campaign one command runs (eyotrun --shard K/N): the K-th, and each
 * N-th after it. Shards are disjoint, together they are all seeds, and which seed is in which one
 * depends on nothing else. */
#ifndef EYOT_TOOLS_SHARD_H
#define EYOT_TOOLS_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#define SHARDS_MAX 1000000u

/* seeds first .. first + n - 1; shards of them, of which this is `shard`, from 1 */
struct seed_range {
  uint64_t first, n, shard, shards;
};

/* Whether the numbers agree. */
static inline bool seed_range_valid(const struct seed_range *r) {
  return r->n >= 1 && r->first <= UINT64_MAX - (r->n - 1) && r->shards >= 1 &&
         r->shards <= SHARDS_MAX && r->shards <= r->n && r->shard >= 1 && r->shard <= r->shards;
}

/* How many seeds the shard has. */
static inline uint64_t seed_range_count(const struct seed_range *r) {
  return (r->n - r->shard) / r->shards + 1;
}

/* The i-th of them, from 0. */
static inline uint64_t seed_range_at(const struct seed_range *r, uint64_t i) {
  return r->first + (r->shard - 1) + i * r->shards;
}

/* The number of a seed among those of the shard, from 0; UINT64_MAX: it is not one of them. */
static inline uint64_t seed_range_find(const struct seed_range *r, uint64_t seed) {
  if (seed < r->first || seed - r->first >= r->n) return UINT64_MAX;
  uint64_t i = seed - r->first;
  return i % r->shards == r->shard - 1 ? i / r->shards : UINT64_MAX;
}

/* Reads "K/N", or "array/N": K from the environment of the task of a batch system's array. Returns
 * an exit code, after a message of eyotrun. */
int shard_parse(const char *text, uint64_t *shard, uint64_t *shards);
#endif
