/* SPDX-License-Identifier: BSD-3-Clause */
/* hier_levels.c - finds the queues of a unit's path and the members that have their tail words
 * (hier.h); for hier.c and the files of rw.
 *
 * Units of a domain are consecutive and a team is sorted, so a domain's members are a run of team
 * indices. Steps that double and then halve find its ends: neither time nor memory grows in
 * proportion to the team. */
#include "base/hash.h"
#include "sync/locks/hier.h"

#define SHARED_BITS 18u /* of a grant, for count and tag: 48 - unit (24) - node (6) */
#define TAG_BITS_MAX 12u

static int in_domain(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level,
                     uint32_t id, uint32_t index, bool *in) {
  eyot_place_t place;
  EYOTI_TRY(rt->fab->ops->locate(rt->fab, eyoti_team_unit(t, index), &place));
  *in = place.id[level] == id;
  return EYOT_OK;
}

/* The outermost index of the domain in one direction from `from`, which is in it. At most `most`
 * steps in that direction. */
static int edge(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level, uint32_t id,
                uint32_t from, bool up, uint32_t most, uint32_t *last) {
  /* steps known to stay inside the domain, and to leave it */
  uint64_t in = 0, out = (uint64_t)most + 1, step = 1;
  bool doubling = true;
  while (out - in > 1) {
    doubling = doubling && in + step < out;
    uint32_t steps = (uint32_t)(doubling ? in + step : in + (out - in) / 2);
    bool inside;
    EYOTI_TRY(in_domain(rt, t, level, id, up ? from + steps : from - steps, &inside));
    doubling = doubling && inside;
    step *= 2;
    *(inside ? &in : &out) = steps;
  }
  *last = up ? from + (uint32_t)in : from - (uint32_t)in;
  return EYOT_OK;
}

int eyoti_hier_domain(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level,
                      uint32_t index, uint32_t guess, uint32_t *first, uint32_t *end) {
  EYOTI_ASSERT(index < t->size);
  if (level == EYOT_DOMAIN_MACHINE) {
    *first = 0;
    *end = t->size;
    return EYOT_OK;
  }
  eyot_place_t place;
  EYOTI_TRY(rt->fab->ops->locate(rt->fab, eyoti_team_unit(t, index), &place));
  uint32_t id = place.id[level], low, high = index, most = t->size - 1 - index;
  EYOTI_TRY(edge(rt, t, level, id, index, false, index, &low));
  bool as_guessed = false;
  /* the guessed last member is in the domain, and the next one is not */
  if (guess > 0 && guess - 1 <= most) {
    EYOTI_TRY(in_domain(rt, t, level, id, index + guess - 1, &as_guessed));
    if (as_guessed && guess <= most) {
      EYOTI_TRY(in_domain(rt, t, level, id, index + guess, &as_guessed));
      as_guessed = !as_guessed;
    }
  }
  if (as_guessed)
    high = index + guess - 1;
  else
    EYOTI_TRY(edge(rt, t, level, id, index, true, most, &high));
  *first = low;
  *end = high + 1;
  return EYOT_OK;
}

uint32_t eyoti_hier_place(const struct eyoti_lock *l, uint32_t first, uint32_t end, uint32_t salt) {
  EYOTI_ASSERT(first < end);
  uint64_t h =
      eyoti_hash_mix((uint64_t)l->name.at.seg << 32 | l->name.at.gen, (uint64_t)salt << 32 | first);
  return first + (uint32_t)(h % (end - first));
}

static int add_level(struct eyot_rt *rt, const struct eyoti_lock *l, eyot_domain_t domain,
                     uint32_t first, uint32_t end, uint32_t bound, struct eyoti_hier *h) {
  struct eyoti_hier_level *level = &h->level[h->levels++];
  uint32_t member =
      domain == EYOT_DOMAIN_MACHINE ? l->home : eyoti_hier_place(l, first, end, (uint32_t)domain);
  *level = (struct eyoti_hier_level){.domain = domain, .first = first, .end = end, .bound = bound};
  return eyoti_lock_at(rt, l, member, (uint64_t)domain * sizeof(uint64_t), &level->queue.tail);
}

/* Leaves out a level whose domain is that of the next inner level, or a single unit, or the whole
 * team: all members of the domain decide alike, because the condition is one of the set of
 * members. */
int eyoti_hier_open(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t tag_bits,
                    struct eyoti_hier *h) {
  EYOTI_ASSERT(tag_bits <= TAG_BITS_MAX);
  *h = (struct eyoti_hier){.tag_bits = tag_bits};
  /* A count of all ones could make a grant that the queue reserves. */
  uint32_t most = (1u << (SHARED_BITS - tag_bits)) - 2, inner = 1;
  for (eyot_domain_t d = EYOT_DOMAIN_NUMA; d < EYOT_DOMAIN_MACHINE; d++) {
    uint32_t first, end, bound = l->attr.passes[d] < most ? l->attr.passes[d] : most;
    if (bound == 0) continue;
    EYOTI_TRY(eyoti_hier_domain(rt, l->team, d, l->team->me, inner, &first, &end));
    if (end - first == inner || end - first == l->team->size) continue;
    EYOTI_TRY(add_level(rt, l, d, first, end, bound, h));
    inner = end - first;
  }
  return add_level(rt, l, EYOT_DOMAIN_MACHINE, 0, l->team->size, UINT32_MAX, h);
}
