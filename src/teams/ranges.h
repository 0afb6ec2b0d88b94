/* SPDX-License-Identifier: BSD-3-Clause */
/* ranges.h - immutable sorted sets of units, stored as runs of equal stride: "all", "a node" and
 * "every k-th" take a few words, however many units they contain. For teams and sync/pscw.
 *
 * Why it exists: memory per unit must not grow with the number of units, and equal sets must have
 * equal bytes so that a process stores each only once (interning). The runs of a set are canonical:
 * whatever operation made it, equal sets have equal runs. */
#ifndef EYOT_TEAMS_RANGES_H
#define EYOT_TEAMS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run holds first, first+stride, ... (count of them; stride 1 if count is 1). `before`: the
 * number of members in earlier runs. UINT32_MAX is no unit. */
struct eyoti_run {
  uint32_t first, count, stride, before;
};

/* One block of memory without pointers; freed with free unless it is interned. */
struct eyoti_ranges {
  uint32_t size; /* number of members */
  uint32_t nruns;
  struct eyoti_run run[];
};

static inline uint32_t eyoti_run_last(const struct eyoti_run *r) {
  return r->first + (r->count - 1) * r->stride;
}
static inline size_t eyoti_ranges_bytes(const struct eyoti_ranges *r) {
  return sizeof *r + r->nruns * sizeof r->run[0];
}

/* Builds a set from ascending, disjoint pieces. */
struct eyoti_ranges_builder {
  struct eyoti_ranges *out; /* all runs but the last; may be NULL */
  uint32_t capacity;
  struct eyoti_run open; /* the last run; count 0: none yet */
  bool failed;           /* out of memory: eyoti_ranges_finish returns the error */
};
void eyoti_ranges_begin(struct eyoti_ranges_builder *b);
void eyoti_ranges_append(struct eyoti_ranges_builder *b, uint32_t first, uint32_t count,
                         uint32_t stride);
/* Ends the building, also after an error. Errors: ENOMEM (logged). */
int eyoti_ranges_finish(struct eyoti_ranges_builder *b, struct eyoti_ranges **out);

/* Errors of the constructors: ENOMEM (logged). */
int eyoti_ranges_new(uint32_t first, uint32_t count, uint32_t stride, struct eyoti_ranges **out);
/* units: n ids in ascending order; duplicates count once. */
int eyoti_ranges_from_sorted(const uint32_t *units, uint32_t n, struct eyoti_ranges **out);
int eyoti_ranges_copy(const struct eyoti_ranges *r, struct eyoti_ranges **out);
/* The members with indices start .. start+count-1, which must exist. */
int eyoti_ranges_slice(const struct eyoti_ranges *r, uint32_t start, uint32_t count,
                       struct eyoti_ranges **out);

enum eyoti_ranges_op { EYOTI_RANGES_UNION, EYOTI_RANGES_INTERSECT, EYOTI_RANGES_DIFFERENCE };
int eyoti_ranges_combine(enum eyoti_ranges_op op, const struct eyoti_ranges *a,
                         const struct eyoti_ranges *b, struct eyoti_ranges **out);

/* Member number i < size. O(log runs). */
uint32_t eyoti_ranges_at(const struct eyoti_ranges *r, uint32_t i);
/* Finds the index of a member; false: not a member; index may be NULL. O(log runs). */
bool eyoti_ranges_index(const struct eyoti_ranges *r, uint32_t unit, uint32_t *index);
bool eyoti_ranges_equal(const struct eyoti_ranges *a, const struct eyoti_ranges *b);
/* True if all of a's members are b's. */
bool eyoti_ranges_subset(const struct eyoti_ranges *a, const struct eyoti_ranges *b);
uint64_t eyoti_ranges_hash(const struct eyoti_ranges *r);
bool eyoti_ranges_is_valid(const struct eyoti_ranges *r);
#endif
