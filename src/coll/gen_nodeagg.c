/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_nodeagg.c - alltoall and allgather in which nodes exchange one message with each other
 * (gen_multi.h): the units of a node are agents for equal parts of all nodes.
 *
 * alltoall:
 * 1. Each unit gives the blocks for the members of an agent's nodes to that agent.
 * 2. An agent sends to each of its nodes, there to the agent for its own node, a matrix of blocks:
 *    a row for each unit of its node.
 * 3. An agent gives each unit of its node the column of all matrices that have come.
 * allgather: each unit gives its block to all units of its node; an agent sends the row of these to
 * its nodes, and gives each unit of its node what comes, if that is more than its own node's.
 * Members are counted node by node, so what goes together lies together in IN and OUT; blocks of
 * scattered ones are brought into the order of positions first, and at the end back. */
#include "coll/gen_multi.h"

struct exchange {
  struct eyoti_plan *p;
  const struct eyoti_layout *l;
  uint64_t len;       /* of a block */
  uint64_t out_block; /* bytes from one block of OUT to the next: more where rounds follow */
  uint64_t row;       /* bytes of a slot: blocks for the nodes of an agent */
  uint32_t node, core, cores;
  uint32_t given, came, got;                /* words: of units, of nodes, of agents */
  struct eyoti_ref rows, matrices, columns; /* board: the same; columns is an image of OUT */
  struct eyoti_ref sent, parted;            /* TEMP: matrices to send, columns to give */
  struct eyoti_ref in;                      /* blocks in the order of positions: IN, or TEMP */
};

/* The nodes of an agent. */
static struct eyoti_nodes part_of(const struct exchange *x, uint32_t node, uint32_t core) {
  struct eyoti_nodes all = {0, x->l->nodes};
  return eyoti_groups_part(all, core, eyoti_layout_cores(x->l, node));
}
/* The agent of a node for another. */
static uint32_t agent_of(const struct exchange *x, uint32_t node, uint32_t other) {
  struct eyoti_nodes all = {0, x->l->nodes};
  return eyoti_groups_part_of(all, other, eyoti_layout_cores(x->l, node));
}
static uint32_t member_of(const struct exchange *x, uint32_t node, uint32_t core) {
  return eyoti_layout_member(x->l, eyoti_layout_first(x->l, node) + core);
}
/* Whether the nodes are the caller's alone. */
static bool is_own(const struct exchange *x, struct eyoti_nodes nodes) {
  return nodes.first == x->node && nodes.end == x->node + 1;
}
/* The blocks of the members of nodes, in IN or OUT. */
static uint64_t first_byte(const struct exchange *x, struct eyoti_nodes nodes) {
  return eyoti_layout_first(x->l, nodes.first) * x->len;
}
static uint64_t bytes_of(const struct exchange *x, struct eyoti_nodes nodes) {
  return eyoti_layout_first(x->l, nodes.end) * x->len - first_byte(x, nodes);
}

/* Nodes of an agent, at most: of one of so many. */
static uint32_t part_most(const struct eyoti_layout *l, uint32_t cores) {
  return (l->nodes + cores - 1) / cores;
}
/* The same of all members. */
static uint32_t largest_part(const struct eyoti_layout *l) {
  return part_most(l, l->least);
}

/* The bytes of a matrix for a node: rows of the units of any node. */
static uint64_t matrix_of(const struct exchange *x, uint32_t cores) {
  return eyoti_gen_round8((uint64_t)x->l->most * cores * x->len);
}

static void give_rows(const struct exchange *x) {
  struct eyoti_ref own = eyoti_ref_add(x->rows, x->core * x->row);
  for (uint32_t i = 0; i < x->cores; i++) {
    uint32_t to = (x->core + i) % x->cores;
    struct eyoti_nodes nodes = part_of(x, x->node, to);
    struct eyoti_ref from = eyoti_ref_add(x->in, first_byte(x, nodes));
    if (i == 0)
      eyoti_plan_copy(x->p, own, from, bytes_of(x, nodes));
    else if (nodes.first < nodes.end)
      eyoti_plan_put(x->p, member_of(x, x->node, to), own, from, bytes_of(x, nodes),
                     x->given + x->core, EYOTI_HEAD);
  }
}

/* The matrix for a node of the agent's. */
static void make_matrix(const struct exchange *x, struct eyoti_nodes mine, uint32_t node,
                        struct eyoti_ref to) {
  struct eyoti_nodes before = {mine.first, node}, there = {node, node + 1};
  eyoti_plan_copy_runs(x->p, to, bytes_of(x, there), eyoti_ref_add(x->rows, bytes_of(x, before)),
                       x->row, bytes_of(x, there), x->cores);
}

static void send_matrices(const struct exchange *x, struct eyoti_nodes mine) {
  uint32_t n = mine.end - mine.first;
  for (uint32_t core = 0; core < x->cores; core++)
    if (core != x->core)
      eyoti_plan_await(x->p, member_of(x, x->node, core), x->given + core, EYOTI_HEAD);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t node = mine.first + (x->node + i) % n;
    struct eyoti_nodes there = {node, node + 1};
    uint64_t slot = (node - mine.first) * matrix_of(x, x->cores);
    if (node == x->node) {
      make_matrix(x, mine, node, eyoti_ref_add(x->matrices, slot));
      continue;
    }
    struct eyoti_ref from = eyoti_ref_add(x->sent, slot);
    uint32_t agent = agent_of(x, node, x->node);
    uint32_t place = x->node - part_of(x, node, agent).first;
    make_matrix(x, mine, node, from);
    uint64_t to = place * matrix_of(x, eyoti_layout_cores(x->l, node));
    eyoti_plan_put(x->p, member_of(x, node, agent), eyoti_ref_add(x->matrices, to), from,
                   x->cores * bytes_of(x, there), x->came + place, EYOTI_HEAD);
  }
}

/* The blocks for a unit of the node, from all members of the agent's nodes. */
static void make_column(const struct exchange *x, struct eyoti_nodes mine, uint32_t core,
                        struct eyoti_ref to) {
  for (uint32_t node = mine.first; node < mine.end; node++) {
    struct eyoti_nodes before = {mine.first, node};
    uint64_t at = (node - mine.first) * matrix_of(x, x->cores) + core * x->len;
    eyoti_plan_copy_runs(x->p, eyoti_ref_add(to, bytes_of(x, before)), x->len,
                         eyoti_ref_add(x->matrices, at), x->cores * x->len, x->len,
                         eyoti_layout_cores(x->l, node));
  }
}

/* Members from a position on, before another, that lie equally far from each other. */
struct stretch {
  uint32_t first, apart, n;
};
static struct stretch stretch_from(const struct eyoti_layout *l, uint32_t position, uint32_t end) {
  struct stretch r = {.first = eyoti_layout_member(l, position), .apart = 1, .n = 1};
  uint32_t last = r.first;
  if (!eyoti_layout_is_scattered(l)) r.n = end - position;
  for (; position + r.n < end; r.n++) {
    uint32_t next = eyoti_layout_member(l, position + r.n);
    if (next <= last || (r.n > 1 && next - last != r.apart)) break;
    r.apart = next - last;
    last = next;
  }
  return r;
}

/* The blocks of the members of nodes, from where they lie together to OUT. */
static void take(const struct exchange *x, struct eyoti_nodes nodes, struct eyoti_ref from) {
  uint32_t at = eyoti_layout_first(x->l, nodes.first), end = eyoti_layout_first(x->l, nodes.end);
  struct stretch r = {.n = 0};
  for (; at < end; at += r.n, from = eyoti_ref_add(from, r.n * x->len)) {
    r = stretch_from(x->l, at, end);
    struct eyoti_ref to = eyoti_ref(EYOTI_OUT, r.first * x->out_block);
    if (r.apart * x->out_block == x->len)
      eyoti_plan_copy(x->p, to, from, r.n * x->len);
    else
      eyoti_plan_copy_runs(x->p, to, r.apart * x->out_block, from, x->len, x->len, r.n);
  }
}

/* All blocks of IN in the order of positions. */
static struct eyoti_ref in_order(const struct exchange *x) {
  struct eyoti_ref all = eyoti_ref(EYOTI_IN, 0), to;
  if (!eyoti_layout_is_scattered(x->l)) return all;
  all = to = eyoti_plan_temp(x->p, x->p->size * x->len);
  struct stretch r = {.n = 0};
  for (uint32_t at = 0; at < x->p->size; at += r.n, to = eyoti_ref_add(to, r.n * x->len)) {
    r = stretch_from(x->l, at, x->p->size);
    eyoti_plan_copy_runs(x->p, to, x->len, eyoti_ref(EYOTI_IN, r.first * x->len), r.apart * x->len,
                         x->len, r.n);
  }
  return all;
}

static void give_columns(const struct exchange *x, struct eyoti_nodes mine) {
  for (uint32_t node = mine.first; node < mine.end; node++)
    if (node != x->node)
      eyoti_plan_await(x->p, member_of(x, node, agent_of(x, node, x->node)),
                       x->came + node - mine.first, EYOTI_HEAD);
  uint64_t at = first_byte(x, mine), bytes = bytes_of(x, mine);
  for (uint32_t i = 0; i < x->cores; i++) {
    uint32_t to = (x->core + i) % x->cores;
    struct eyoti_ref column = eyoti_ref_add(x->parted, i * x->row);
    if (i == 0 && !eyoti_layout_is_scattered(x->l)) column = eyoti_ref(EYOTI_OUT, at);
    make_column(x, mine, to, column);
    if (i == 0 && column.base != EYOTI_OUT) take(x, mine, column);
    if (i > 0)
      eyoti_plan_put(x->p, member_of(x, x->node, to), eyoti_ref_add(x->columns, at), column, bytes,
                     x->got + x->core, EYOTI_HEAD);
  }
}

/* has_row: the unit has its own node's blocks already. */
static void take_columns(const struct exchange *x, bool has_row) {
  for (uint32_t i = 1; i < x->cores; i++) {
    uint32_t core = (x->core + i) % x->cores;
    struct eyoti_nodes nodes = part_of(x, x->node, core);
    if (nodes.first == nodes.end || (has_row && is_own(x, nodes))) continue;
    eyoti_plan_await(x->p, member_of(x, x->node, core), x->got + core, EYOTI_HEAD);
    take(x, nodes, eyoti_ref_add(x->columns, first_byte(x, nodes)));
  }
}

/* Slots: of the largest parts that an agent of any node may have. A node with fewer units has
 * larger parts, but fewer of them: with c units, c ceil(nodes / c) of nodes in all. */
static void reserve(struct exchange *x) {
  const struct eyoti_layout *l = x->l;
  uint64_t rows = 0, block = (uint64_t)l->most * x->len, matrices = 0;
  for (uint32_t c = l->least; c <= l->most; c++) {
    uint64_t part = part_most(l, c);
    if (c * part > rows) rows = c * part;
    if (part * matrix_of(x, c) > matrices) matrices = part * matrix_of(x, c);
  }
  x->row = eyoti_gen_round8(part_most(l, x->cores) * block);
  x->given = eyoti_plan_words(x->p, l->most);
  x->came = eyoti_plan_words(x->p, largest_part(l));
  x->got = eyoti_plan_words(x->p, l->most);
  x->rows = eyoti_plan_board(x->p, rows * eyoti_gen_round8(block));
  x->matrices = eyoti_plan_board(x->p, matrices);
  x->columns = eyoti_plan_board(x->p, x->p->size * x->len);
  x->sent = eyoti_plan_temp(x->p, matrices);
  x->parted = eyoti_plan_temp(x->p, rows * eyoti_gen_round8(block));
}

static struct exchange exchange_of(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                                   const struct eyoti_layout *l) {
  struct exchange x = {.p = p, .l = l, .len = a->len, .out_block = a->bytes};
  uint32_t me = eyoti_layout_position(l, p->me);
  x.node = eyoti_layout_node(l, me);
  x.core = me - eyoti_layout_first(l, x.node);
  x.cores = eyoti_layout_cores(l, x.node);
  return x;
}

void eyoti_nodeagg_alltoall(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                            const struct eyoti_layout *l) {
  struct exchange x = exchange_of(p, a, l);
  EYOTI_ASSERT(a->len == a->bytes);
  p->symmetric = true;
  reserve(&x);
  x.in = in_order(&x);
  struct eyoti_nodes mine = part_of(&x, x.node, x.core);
  give_rows(&x);
  if (mine.first < mine.end) {
    send_matrices(&x, mine);
    give_columns(&x, mine);
  }
  take_columns(&x, false);
}

/* -- allgather --------------------------------------------------------------------------------- */

/* Each unit has the node's row then, in x->rows and OUT. */
static void share_row(const struct exchange *x) {
  struct eyoti_nodes own = {x->node, x->node + 1};
  struct eyoti_ref place = eyoti_ref_add(x->rows, x->core * x->len);
  eyoti_plan_copy(x->p, place, eyoti_ref(EYOTI_IN, 0), x->len);
  for (uint32_t i = 1; i < x->cores; i++)
    eyoti_plan_put(x->p, member_of(x, x->node, (x->core + i) % x->cores), place, place, x->len,
                   x->given + x->core, EYOTI_HEAD);
  for (uint32_t core = 0; core < x->cores; core++)
    if (core != x->core)
      eyoti_plan_await(x->p, member_of(x, x->node, core), x->given + core, EYOTI_HEAD);
  take(x, own, x->rows);
}

/* Where an agent's rows begin that come from a node: rows lie one after the other. */
static struct eyoti_ref row_at(const struct exchange *x, struct eyoti_nodes part, uint32_t node) {
  struct eyoti_nodes before = {part.first, node};
  return eyoti_ref_add(x->matrices, bytes_of(x, before));
}

static void exchange_rows(const struct exchange *x, struct eyoti_nodes mine) {
  uint32_t n = mine.end - mine.first;
  struct eyoti_nodes own = {x->node, x->node + 1};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t node = mine.first + (x->node + i) % n, agent = agent_of(x, node, x->node);
    struct eyoti_nodes part = part_of(x, node, agent);
    if (node == x->node)
      eyoti_plan_copy(x->p, row_at(x, mine, node), x->rows, bytes_of(x, own));
    else
      eyoti_plan_put(x->p, member_of(x, node, agent), row_at(x, part, x->node), x->rows,
                     bytes_of(x, own), x->came + x->node - part.first, EYOTI_HEAD);
  }
  for (uint32_t node = mine.first; node < mine.end; node++)
    if (node != x->node)
      eyoti_plan_await(x->p, member_of(x, node, agent_of(x, node, x->node)),
                       x->came + node - mine.first, EYOTI_HEAD);
  uint64_t at = first_byte(x, mine), bytes = bytes_of(x, mine);
  for (uint32_t i = 1; i < x->cores; i++)
    eyoti_plan_put(x->p, member_of(x, x->node, (x->core + i) % x->cores),
                   eyoti_ref_add(x->columns, at), x->matrices, bytes, x->got + x->core, EYOTI_HEAD);
  take(x, mine, x->matrices);
}

uint64_t eyoti_nodeagg_round(const struct eyoti_layout *l, uint64_t round) {
  uint64_t blocks = l->size + (uint64_t)l->most * (1 + largest_part(l)); /* of the board */
  uint64_t most = round * l->size / blocks / 8 * 8;
  return most > 8 ? most : 8;
}

void eyoti_nodeagg_allgather(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                             const struct eyoti_layout *l) {
  struct exchange x = exchange_of(p, a, l);
  uint32_t most = l->most, part = largest_part(l);
  p->symmetric = true;
  x.given = eyoti_plan_words(p, most);
  x.came = eyoti_plan_words(p, part);
  x.got = eyoti_plan_words(p, most);
  x.rows = eyoti_plan_board(p, most * x.len);
  x.matrices = eyoti_plan_board(p, (uint64_t)part * most * x.len);
  x.columns = eyoti_plan_board(p, p->size * x.len);
  struct eyoti_nodes mine = part_of(&x, x.node, x.core);
  share_row(&x);
  if (mine.first < mine.end && !is_own(&x, mine)) exchange_rows(&x, mine);
  take_columns(&x, true);
}
