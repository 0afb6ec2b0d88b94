/* SPDX-License-Identifier: BSD-3-Clause */
/* placement.c - implements placement.h. */
#include "base/placement.h"

#include <stdlib.h>
#include <string.h>

uint32_t eyoti_placement_node(const struct eyoti_placement *p, uint32_t position) {
  uint32_t low = 0, high = p->nodes; /* at[low] <= position < at[high] */
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (p->at[middle] <= position)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* A member and its node, and then the first member of its node. */
struct seat {
  uint32_t node, member, first;
};

static int by_node(const void *a, const void *b) {
  const struct seat *x = a, *y = b;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  return x->member < y->member ? -1 : x->member > y->member;
}
static int by_first(const void *a, const void *b) {
  const struct seat *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x->member < y->member ? -1 : x->member > y->member;
}

/* Nodes get the order of their first members, members of a node follow each other. Returns the
 * number of nodes. */
static uint32_t sort(struct seat *seat, const uint32_t *node, uint32_t size) {
  uint32_t nodes = 0;
  for (uint32_t i = 0; i < size; i++) seat[i] = (struct seat){node[i], i, 0};
  qsort(seat, size, sizeof *seat, by_node);
  for (uint32_t i = 0; i < size; i++) {
    bool begins = i == 0 || seat[i].node != seat[i - 1].node;
    seat[i].first = begins ? seat[i].member : seat[i - 1].first;
    nodes += begins;
  }
  qsort(seat, size, sizeof *seat, by_first);
  return nodes;
}

static bool is_scattered(const struct seat *seat, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    if (seat[i].member != i) return true;
  return false;
}

static void fill(struct eyoti_placement *p, const struct seat *seat) {
  uint32_t *member = &p->at[p->nodes + 1], *position = member + p->size, node = 0;
  for (uint32_t i = 0; i < p->size; i++) {
    if (i == 0 || seat[i].first != seat[i - 1].first) p->at[node++] = i;
    if (!p->scattered) continue;
    member[i] = seat[i].member;
    position[seat[i].member] = i;
  }
  p->at[node] = p->least = p->size;
  for (node = 0; node < p->nodes; node++) {
    uint32_t members = p->at[node + 1] - p->at[node];
    if (members > p->most) p->most = members;
    if (members < p->least) p->least = members;
  }
}

struct eyoti_placement *eyoti_placement_make(const uint32_t *node, uint32_t size) {
  struct seat *seat = malloc((size_t)size * sizeof *seat);
  if (seat == NULL) return NULL;
  uint32_t nodes = sort(seat, node, size);
  bool scattered = is_scattered(seat, size);
  size_t words = (size_t)nodes + 1 + (scattered ? 2 * (size_t)size : 0);
  struct eyoti_placement *p = malloc(sizeof *p + words * sizeof p->at[0]);
  if (p == NULL) {
    free(seat);
    return NULL;
  }
  *p = (struct eyoti_placement){.size = size, .nodes = nodes, .scattered = scattered};
  fill(p, seat);
  free(seat);
  return p;
}
