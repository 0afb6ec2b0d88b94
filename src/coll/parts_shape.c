/* SPDX-License-Identifier: BSD-3-Clause */
/* parts_shape.c - implements parts_shape.h. */
#include "coll/parts_shape.h"

#include "coll/gen.h"
#include "coll/round.h"

static uint32_t blocks_of(struct eyoti_gen_ranks left) {
  uint32_t n = 0;
  for (; left.first < left.end; n++) left.first = eyoti_gen_tree_block(left);
  return n;
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

struct eyoti_parts_shape eyoti_parts_shape(const struct eyoti_layout *l, bool any_order) {
  struct eyoti_parts_shape s = {.lots = eyoti_round_lots(l->most, l->least),
                                .routers = eyoti_layout_routers(l),
                                .node_blocks = 1,
                                .blocks = 1,
                                .singles = !any_order && eyoti_layout_is_scattered(l)};
  for (uint32_t i = 0; i < s.routers; i++) {
    uint32_t first = eyoti_layout_router_first(l, i), end = eyoti_layout_router_first(l, i + 1);
    struct eyoti_gen_ranks ranks = {eyoti_layout_first(l, first), eyoti_layout_first(l, end),
                                    l->size};
    s.columns = larger(s.columns, end - first);
    if (!any_order)
      s.blocks = larger(s.blocks, s.singles ? ranks.end - ranks.first : blocks_of(ranks));
  }
  if (s.singles) s.node_blocks = l->most;
  for (uint32_t i = 0; i < l->nodes && !any_order && !s.singles; i++) {
    struct eyoti_gen_ranks ranks = {eyoti_layout_first(l, i), eyoti_layout_first(l, i + 1),
                                    l->size};
    s.node_blocks = larger(s.node_blocks, blocks_of(ranks));
  }
  for (uint32_t i = 0; i < s.routers; i++) {
    uint32_t nodes = eyoti_layout_router_first(l, i + 1) - eyoti_layout_router_first(l, i);
    uint32_t owned = (s.columns - 1) / nodes + 1;
    s.owned = larger(s.owned, owned);
    s.lists = larger(s.lists, owned * nodes);
  }
  return s;
}

uint64_t eyoti_parts_round(const struct eyoti_layout *l, const struct eyoti_parts_shape *s,
                           uint64_t width) {
  uint64_t cores = l->most, lots = s->lots, results = 2 * s->owned * s->blocks;
  if (s->columns > 1) results += (s->columns + s->lists) * s->node_blocks;
  results = (results - 1) / s->columns + 1; /* bytes of a part */
  uint64_t most = EYOTI_ROUND_BOARD * cores / ((lots + 1) * cores + lots * results + 1);
  return most < width ? width : most / width * width;
}
