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

static bool stops(eyoti_seat_fn fn, void *arg, uint32_t target, uint32_t index) {
  return fn != NULL && fn(arg, target, index);
}

uint32_t eyoti_seat_targets(const struct eyoti_seat *x, eyoti_seat_fn fn, void *arg) {
  uint32_t me = eyoti_groups_part(x->all, x->part, x->n).first + x->number, index = 0;
  for (uint32_t i = 1; i < x->n; i++) {
    uint32_t to = (x->part + i) % x->n;
    struct eyoti_nodes there = eyoti_groups_part(x->all, to, x->n);
    uint32_t last = there.end - there.first - 1;
    if (x->number <= last && stops(fn, arg, there.first + x->number, index++)) return index;
    if (last != x->number && eyoti_seat_sender(x, x->part, to, last) == me &&
        stops(fn, arg, there.first + last, index++))
      return index;
  }
  return index;
}

void eyoti_postal_tree(uint32_t n, uint32_t latency, uint8_t *parent) {
  uint16_t ready[EYOTI_POSTAL_MOST]; /* when each can send its next message */
  EYOTI_ASSERT(n > 0 && n <= EYOTI_POSTAL_MOST && latency <= EYOTI_POSTAL_MOST);
  parent[0] = 0;
  ready[0] = 0;
  for (uint32_t i = 1; i < n; i++) {
    uint32_t from = 0;
    for (uint32_t k = 1; k < i; k++)
      if (ready[k] < ready[from]) from = k;
    parent[i] = (uint8_t)from;
    ready[i] = (uint16_t)(ready[from]++ + latency);
  }
}
