/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.c - implements groups.h. */
#include "base/groups.h"

#include <stddef.h>

#include "base/check.h"

/* radix^levels, or UINT32_MAX if that is more. */
static uint32_t power(uint32_t radix, uint32_t levels) {
  uint64_t nodes = 1;
  for (uint32_t l = 0; l < levels && nodes < UINT32_MAX; l++) nodes *= radix;
  return nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

struct eyoti_groups eyoti_groups_by(uint32_t nodes, uint32_t radix) {
  struct eyoti_groups g = {.nodes = nodes, .radix = radix};
  EYOTI_ASSERT(nodes > 0 && radix >= 2);
  while (power(radix, g.levels) < nodes) g.levels++;
  while (g.radix > 2 && power(g.radix - 1, g.levels) >= nodes) g.radix--;
  return g;
}

uint32_t eyoti_groups_parts(const struct eyoti_groups *g, uint32_t level, struct eyoti_nodes of) {
  uint32_t most = power(g->radix, level); /* nodes of a part */
  return (of.end - of.first - 1) / most + 1;
}

uint32_t eyoti_groups_part_of(struct eyoti_nodes of, uint32_t node, uint32_t n) {
  uint64_t count = of.end - of.first, at = node - of.first;
  uint32_t i = (uint32_t)(at * n / count);
  while (i + 1 < n && eyoti_groups_part(of, i, n).end <= node) i++;
  return i;
}

struct eyoti_nodes eyoti_groups_at(const struct eyoti_groups *g, uint32_t level, uint32_t node) {
  struct eyoti_nodes at = {0, g->nodes};
  for (uint32_t l = g->levels; l > level; l--) {
    uint32_t n = eyoti_groups_parts(g, l - 1, at);
    at = eyoti_groups_part(at, eyoti_groups_part_of(at, node, n), n);
  }
  return at;
}

struct eyoti_seat eyoti_seat_of(const struct eyoti_groups *g, uint32_t level, uint32_t node) {
  struct eyoti_seat x = {.all = eyoti_groups_at(g, level + 1, node)};
  x.n = eyoti_groups_parts(g, level, x.all);
  x.part = eyoti_groups_part_of(x.all, node, x.n);
  x.number = node - eyoti_groups_part(x.all, x.part, x.n).first;
  return x;
}

uint32_t eyoti_seat_sender(const struct eyoti_seat *x, uint32_t part, uint32_t to,
                           uint32_t number) {
  struct eyoti_nodes from = eyoti_groups_part(x->all, part, x->n);
  uint32_t count = from.end - from.first;
  return from.first + (number < count ? number : to % count);
}

/* The groups of a level one after the other. Their ends are those of eyoti_groups_part, kept by the
 * remainder: every unit walks all groups, and two divisions a group are most of such a step. */
struct group_walk {
  uint32_t n, first; /* of n parts, from node `first` on: */
  uint32_t part, begin, end;
  uint32_t quotient, remainder, rest;
};

static struct group_walk walk_from(const struct eyoti_seat *x) {
  uint32_t count = x->all.end - x->all.first;
  struct eyoti_nodes own = eyoti_groups_part(x->all, x->part, x->n);
  return (struct group_walk){.n = x->n,
                             .first = x->all.first,
                             .part = x->part,
                             .begin = own.first,
                             .end = own.end,
                             .quotient = count / x->n,
                             .remainder = count % x->n,
                             .rest = (uint32_t)((uint64_t)count * (x->part + 1) % x->n)};
}

static inline void walk_on(struct group_walk *w) {
  if (++w->part == w->n) {
    w->part = w->rest = 0;
    w->end = w->first;
  }
  w->begin = w->end;
  w->end += w->quotient;
  w->rest += w->remainder;
  if (w->rest < w->n) return;
  w->rest -= w->n;
  w->end++;
}

static inline bool stops(eyoti_seat_fn fn, void *arg, uint32_t target, uint32_t index) {
  return fn != NULL && fn(arg, target, index);
}

/* A larger group's last node has no namesake here: one of this group sends to it. */
static inline __attribute__((always_inline)) uint32_t targets(const struct eyoti_seat *x,
                                                              eyoti_seat_fn fn, void *arg) {
  struct group_walk w = walk_from(x);
  uint32_t own = w.end - w.begin, index = 0;
  for (uint32_t i = 1; i < x->n; i++) {
    walk_on(&w);
    uint32_t last = w.end - w.begin - 1;
    if (x->number <= last && stops(fn, arg, w.begin + x->number, index++)) return index;
    if (last >= own && w.part % own == x->number && stops(fn, arg, w.begin + last, index++))
      return index;
  }
  return index;
}

uint32_t eyoti_seat_targets(const struct eyoti_seat *x, eyoti_seat_fn fn, void *arg) {
  return targets(x, fn, arg);
}

struct target_search {
  uint32_t target, index;
};
static inline bool is_target(void *arg, uint32_t target, uint32_t index) {
  struct target_search *s = arg;
  if (target == s->target) s->index = index;
  return false;
}

uint32_t eyoti_seat_index(const struct eyoti_seat *x, uint32_t target, uint32_t *messages) {
  struct target_search s = {target, UINT32_MAX};
  *messages = targets(x, is_target, &s);
  EYOTI_ASSERT(s.index < *messages);
  return s.index;
}

void eyoti_postal_tree(uint32_t n, uint32_t latency, uint8_t *parent) {
  uint16_t ready[EYOTI_POSTAL_MOST]; /* when each can send its first message: ascending */
  EYOTI_ASSERT(n > 0 && n <= EYOTI_POSTAL_MOST && latency > 0 && latency <= EYOTI_POSTAL_MOST);
  parent[0] = 0;
  ready[0] = 0;
  uint32_t i = 1, senders = 1;
  for (uint32_t now = 0; i < n; now++) {
    while (senders < i && ready[senders] <= now) senders++;
    for (uint32_t k = 0; k < senders && i < n; k++, i++) {
      parent[i] = (uint8_t)k;
      ready[i] = (uint16_t)(now + latency);
    }
  }
}

/* Two levels have a message more one after the other, and about twice the root of n postings. */
uint32_t eyoti_postal_group(uint32_t n, uint32_t latency) {
  uint32_t group = 1;
  EYOTI_ASSERT(n > 0);
  while (group * group < n) group++;
  return (n - 1) / group + group - 1 + latency < n - 1 ? group : n;
}
