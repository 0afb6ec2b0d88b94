/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_parts_nodes.c - allreduce and reduce of long vectors over several nodes, in parts
 * (gen_multi.h).
 *
 * Unit k of each node has part k of the vector (of the last node, which may have fewer units, some
 * have two), combines its operands to the results of the blocks of the tree over ranks that lie in
 * its node (docs/adr/0067), and gives each owner its share of these. Owners combine them along the
 * tree, and the results go the way back: all units copy and use the NIC. Where nodes of a router do
 * so first, a share is one of a router, in the column of the part that one of its nodes has. A
 * round may have two chunks, so that copies hide the ways between nodes. */
#include "coll/gen_multi.h"
#include "coll/parts_shape.h"
#include "coll/round.h"

struct job {
  struct eyoti_plan *p;
  const struct eyoti_coll_args *a;
  struct eyoti_layout l;
  struct eyoti_parts_shape s;
  bool any_order, everywhere;
  uint32_t parts, node, core, cores; /* parts of the vector; units of the caller's node */
  uint32_t router, seat, nodes;      /* the caller's node is number `seat` of so many */
  uint32_t chunks, lots;             /* lots: of a unit, at most, in all chunks */
  uint64_t slot, column_slot, share_slot;
  /* words of the stages */
  uint32_t given, columns, partial, results, completed, passed;
  struct eyoti_ref operands, packed_columns, arrived_columns, packed, arrived, sum;
};

/* A part of a chunk, and a column of it, on their way through the stages. */
struct lot {
  uint32_t chunk, part, column;
};

/* -- blocks of the tree in a node or a router -------------------------------------------------- */

static uint32_t first_of(const struct job *x, uint32_t node) {
  return eyoti_layout_first(&x->l, node);
}
static uint32_t first_node(const struct job *x, uint32_t router) {
  return eyoti_layout_router_first(&x->l, router);
}
static uint32_t nodes_of(const struct job *x, uint32_t router) {
  return first_node(x, router + 1) - first_node(x, router);
}
static struct eyoti_gen_ranks ranks_of(const struct job *x, uint32_t node) {
  return (struct eyoti_gen_ranks){first_of(x, node), first_of(x, node + 1), x->l.size};
}
static struct eyoti_gen_ranks router_ranks(const struct job *x, uint32_t router) {
  return (struct eyoti_gen_ranks){first_of(x, first_node(x, router)),
                                  first_of(x, first_node(x, router + 1)), x->l.size};
}
/* The end of the block of some ranks that begins at one of them. Where members of a node do not
 * follow each other, ranks of a node are positions, of which each is a block. */
static uint32_t block_end(const struct job *x, struct eyoti_gen_ranks of, uint32_t rank) {
  if (x->any_order) return of.end;
  return x->s.singles ? rank + 1
                      : eyoti_gen_tree_block((struct eyoti_gen_ranks){rank, of.end, of.size});
}
/* The number of the block that begins at `rank`, which may be their end: then all. Else
 * UINT32_MAX. */
static uint32_t block_at(const struct job *x, struct eyoti_gen_ranks of, uint32_t rank) {
  uint32_t at = of.first, n = 0;
  for (; at < rank; n++) at = block_end(x, of, at);
  return at == rank ? n : UINT32_MAX;
}
static uint32_t blocks_of(const struct job *x, struct eyoti_gen_ranks of) {
  return block_at(x, of, of.end);
}

/* -- where things are -------------------------------------------------------------------------- */

static struct eyoti_gen_block piece(const struct job *x, struct eyoti_gen_block of, uint32_t i,
                                    uint32_t n) {
  struct eyoti_gen_block b = eyoti_gen_part(of.len, x->a->combiner.width, i, n);
  return (struct eyoti_gen_block){of.at + b.at, b.len};
}
static struct eyoti_gen_block part_of(const struct job *x, struct lot lot) {
  struct eyoti_gen_block all = {0, x->a->len};
  return piece(x, piece(x, all, lot.chunk, x->chunks), lot.part, x->parts);
}
static struct eyoti_gen_block column_of(const struct job *x, struct lot lot) {
  return piece(x, part_of(x, lot), lot.column, x->s.columns);
}
static struct eyoti_gen_block share_of(const struct job *x, struct lot lot, uint32_t router) {
  return piece(x, column_of(x, lot), router, x->s.routers);
}
/* The member of a node that has the part, and the number of the lot among that one's. */
static uint32_t member_of(const struct job *x, uint32_t node, uint32_t part) {
  uint32_t core = part % eyoti_layout_cores(&x->l, node);
  return eyoti_layout_member(&x->l, first_of(x, node) + core);
}
static uint32_t number_of(const struct job *x, uint32_t node, struct lot lot) {
  return lot.chunk * x->s.lots + lot.part / eyoti_layout_cores(&x->l, node);
}
/* The node of a router that has the column, and the number of the lot's column at its member. */
static uint32_t node_of(const struct job *x, uint32_t router, uint32_t column) {
  return first_node(x, router) + column % nodes_of(x, router);
}
static uint32_t owner_of(const struct job *x, uint32_t router, struct lot lot) {
  return member_of(x, node_of(x, router, lot.column), lot.part);
}
static uint32_t owned_number(const struct job *x, uint32_t router, struct lot lot) {
  return number_of(x, node_of(x, router, lot.column), lot) * x->s.owned +
         lot.column / nodes_of(x, router);
}
/* A unit's operand of one of the node's lots. */
static struct eyoti_ref operand(const struct job *x, struct lot lot, uint32_t core) {
  uint64_t i = (uint64_t)number_of(x, x->node, lot) * x->cores + core;
  return eyoti_ref_add(x->operands, i * x->slot);
}
/* Of a router, results of its blocks for one router, at the owner of one of them. */
static struct eyoti_ref list(const struct job *x, struct eyoti_ref lists, uint32_t at_router,
                             struct lot lot, uint32_t router) {
  uint64_t i = (uint64_t)owned_number(x, at_router, lot) * x->s.routers + router;
  return eyoti_ref_add(lists, i * x->s.blocks * x->share_slot);
}
/* Within the caller's router: the list or the word of a node, at the owner of the column. */
static uint32_t seat_number(const struct job *x, struct lot lot, uint32_t seat) {
  uint32_t node = node_of(x, x->router, lot.column);
  return number_of(x, node, lot) * x->s.lists + lot.column / x->nodes * x->nodes + seat;
}
static struct eyoti_ref seat_list(const struct job *x, struct lot lot, uint32_t seat) {
  uint64_t i = seat_number(x, lot, seat);
  return eyoti_ref_add(x->arrived_columns, i * x->s.node_blocks * x->column_slot);
}
static uint32_t given_word(const struct job *x, struct lot lot, uint32_t core) {
  return x->given + number_of(x, x->node, lot) * x->parts + core;
}
static uint32_t router_word(const struct job *x, uint32_t words, uint32_t at_router, struct lot lot,
                            uint32_t router) {
  return words + owned_number(x, at_router, lot) * x->s.routers + router;
}
static uint32_t completed_word(const struct job *x, uint32_t node, struct lot lot) {
  return x->completed + number_of(x, node, lot) * x->s.columns + lot.column;
}
static uint32_t other_router(const struct job *x, uint32_t i) {
  return (x->router + i) % x->s.routers;
}
static uint32_t other_seat(const struct job *x, uint32_t i) {
  return (x->seat + i) % x->nodes;
}
static uint64_t elements(const struct job *x, struct eyoti_gen_block b) {
  return b.len / x->a->combiner.width;
}

static uint64_t up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

static void reserve(struct job *x) {
  struct eyoti_plan *p = x->p;
  const struct eyoti_parts_shape *s = &x->s;
  bool routed = s->columns > 1;
  uint64_t width = x->a->combiner.width, n = x->a->len / width;
  n = up(up(n, x->chunks), x->parts); /* elements of a part */
  x->slot = eyoti_gen_round8(n * width);
  x->column_slot = eyoti_gen_round8(up(n, s->columns) * width);
  x->share_slot = eyoti_gen_round8(up(up(n, s->columns), s->routers) * width);
  uint32_t shares = x->lots * s->owned * s->routers, columns = routed ? x->lots * s->columns : 0;
  uint32_t seats = routed ? x->lots * s->lists : 0;
  uint64_t lists = (uint64_t)shares * s->blocks * x->share_slot;
  x->given = eyoti_plan_words(p, x->lots * x->parts);
  x->partial = eyoti_plan_words(p, shares);
  x->results = eyoti_plan_words(p, shares);
  x->passed = eyoti_plan_words(p, x->chunks * x->parts);
  x->columns = eyoti_plan_words(p, seats);
  x->completed = eyoti_plan_words(p, columns);
  x->operands = eyoti_plan_board(p, x->lots * x->parts * x->slot);
  x->packed = eyoti_plan_board(p, lists);
  x->arrived = eyoti_plan_board(p, lists);
  x->sum = eyoti_plan_board(p, x->a->len);
  x->packed_columns = eyoti_plan_board(p, columns * s->node_blocks * x->column_slot);
  x->arrived_columns = eyoti_plan_board(p, seats * s->node_blocks * x->column_slot);
}

static void begin(struct job *x) {
  const struct eyoti_layout *l = &x->l;
  x->s = eyoti_parts_shape(l, x->any_order);
  x->parts = l->most;
  uint32_t me = eyoti_layout_position(l, x->p->me);
  x->node = eyoti_layout_node(l, me);
  x->core = me - first_of(x, x->node);
  x->cores = eyoti_layout_cores(l, x->node);
  x->router = eyoti_layout_router(l, x->node);
  x->nodes = nodes_of(x, x->router);
  x->seat = x->node - first_node(x, x->router);
  x->chunks = eyoti_round_chunks(x->a->len);
  x->lots = x->chunks * x->s.lots;
  reserve(x);
  x->p->symmetric = true;
}

/* -- combining along the tree ------------------------------------------------------------------ */

/* Where the result of a block that begins at a rank is; *there: whether one begins there. */
typedef struct eyoti_ref (*find_fn)(const struct job *x, struct lot lot, uint32_t rank,
                                    bool *there);

/* Among those of a node of the caller's router: a column's. */
static struct eyoti_ref in_router(const struct job *x, struct lot lot, uint32_t rank, bool *there) {
  uint32_t node = eyoti_layout_node(&x->l, rank), i = block_at(x, ranks_of(x, node), rank);
  *there = i != UINT32_MAX;
  return eyoti_ref_add(seat_list(x, lot, node - first_node(x, x->router)),
                       *there ? i * x->column_slot : 0);
}
/* Among those of a router: a share's. */
static struct eyoti_ref in_team(const struct job *x, struct lot lot, uint32_t rank, bool *there) {
  uint32_t at = eyoti_layout_position(&x->l, rank);
  uint32_t router = eyoti_layout_router(&x->l, eyoti_layout_node(&x->l, at));
  uint32_t i = block_at(x, router_ranks(x, router), at);
  *there = i != UINT32_MAX;
  return eyoti_ref_add(list(x, x->arrived, x->router, lot, router), *there ? i * x->share_slot : 0);
}

/* Combines n elements of results to those of the blocks of these ranks: that of each is where that
 * of its first one was. */
static void combine_tree(const struct job *x, struct lot lot, struct eyoti_gen_ranks r,
                         find_fn find, uint64_t n) {
  bool there;
  for (uint64_t ranks = 1; ranks < r.end - r.first; ranks *= 2)
    for (uint64_t low = up(r.first, 2 * ranks) * 2 * ranks; low + ranks < r.end; low += 2 * ranks) {
      if (low + 2 * ranks > r.end && r.end < r.size) break; /* the tree combines it with others */
      struct eyoti_ref upper = find(x, lot, (uint32_t)(low + ranks), &there);
      if (!there) continue; /* both halves have come as one */
      eyoti_plan_combine(x->p, find(x, lot, (uint32_t)low, &there), upper, n);
    }
}

/* -- stages ------------------------------------------------------------------------------------ */

/* To each unit of the node its parts. */
static void give(const struct job *x, uint32_t chunk) {
  for (uint32_t i = 0; i < x->cores; i++)
    for (uint32_t part = (x->core + i) % x->cores; part < x->parts; part += x->cores) {
      struct lot lot = {chunk, part, 0};
      struct eyoti_gen_block b = part_of(x, lot);
      struct eyoti_ref to = operand(x, lot, x->core), from = eyoti_ref(EYOTI_IN, b.at);
      if (i == 0)
        eyoti_plan_copy(x->p, to, from, b.len);
      else
        eyoti_plan_put(x->p, member_of(x, x->node, part), to, from, b.len,
                       given_word(x, lot, x->core), EYOTI_HEAD);
    }
}

/* A column of the results of the blocks of the caller's node, one after the other. */
static void pack_column(const struct job *x, struct lot lot, struct eyoti_ref to) {
  struct eyoti_gen_block part = part_of(x, lot), column = column_of(x, lot);
  struct eyoti_gen_ranks of = ranks_of(x, x->node);
  uint32_t n = blocks_of(x, of);
  for (uint32_t at = of.first, i = 0; i < n; i++, at = block_end(x, of, at))
    eyoti_plan_copy(x->p, eyoti_ref_add(to, i * x->column_slot),
                    eyoti_ref_add(operand(x, lot, at - of.first), column.at - part.at), column.len);
}

/* A router's share of the results of the blocks of the caller's router, one after the other. */
static void pack(const struct job *x, struct lot lot, uint32_t router, struct eyoti_ref to) {
  struct eyoti_gen_block column = column_of(x, lot), share = share_of(x, lot, router);
  struct eyoti_gen_ranks of = router_ranks(x, x->router);
  uint32_t n = blocks_of(x, of);
  bool there;
  for (uint32_t at = of.first, i = 0; i < n; i++, at = block_end(x, of, at)) {
    struct eyoti_ref from =
        x->s.columns > 1 ? in_router(x, lot, at, &there) : operand(x, lot, at - of.first);
    eyoti_plan_copy(x->p, eyoti_ref_add(to, i * x->share_slot),
                    eyoti_ref_add(from, share.at - column.at), share.len);
  }
}

/* Gives owners their shares of the results of the caller's router. */
static void give_shares(const struct job *x, struct lot lot) {
  for (uint32_t i = 1; i < x->s.routers; i++) {
    uint32_t router = other_router(x, i);
    struct eyoti_ref packed = list(x, x->packed, x->router, lot, router);
    uint64_t len = share_of(x, lot, router).len;
    if (len > 0) len += (blocks_of(x, router_ranks(x, x->router)) - 1) * x->share_slot;
    pack(x, lot, router, packed);
    eyoti_plan_put(x->p, owner_of(x, router, lot), list(x, x->arrived, router, lot, x->router),
                   packed, len, router_word(x, x->partial, router, lot, x->router), EYOTI_HEAD);
  }
  pack(x, lot, x->router, list(x, x->arrived, x->router, lot, x->router));
}

/* Gives the nodes of the caller's router their columns of the results of its node. */
static void give_columns(const struct job *x, struct lot lot) {
  uint32_t number = number_of(x, x->node, lot) * x->s.columns;
  for (uint32_t i = 0; i < x->nodes; i++)
    for (lot.column = other_seat(x, i); lot.column < x->s.columns; lot.column += x->nodes) {
      uint64_t at = (uint64_t)(number + lot.column) * x->s.node_blocks * x->column_slot;
      struct eyoti_ref packed = eyoti_ref_add(x->packed_columns, at);
      struct eyoti_ref to = seat_list(x, lot, x->seat);
      uint64_t len = column_of(x, lot).len;
      if (len > 0) len += (blocks_of(x, ranks_of(x, x->node)) - 1) * x->column_slot;
      pack_column(x, lot, i > 0 ? packed : to);
      if (i > 0)
        eyoti_plan_put(x->p, owner_of(x, x->router, lot), to, packed, len,
                       x->columns + seat_number(x, lot, x->seat), EYOTI_HEAD);
    }
}

/* Combines the operands of the node, and gives the results to the owners of columns, or shares. */
static void fold(const struct job *x, struct lot lot) {
  struct eyoti_gen_ranks ranks = ranks_of(x, x->node);
  if (x->any_order) ranks = (struct eyoti_gen_ranks){0, x->cores, x->cores};
  for (uint32_t i = 1; i < x->cores; i++) {
    uint32_t core = (x->core + x->cores - i) % x->cores;
    eyoti_plan_await(x->p, member_of(x, x->node, core), given_word(x, lot, core), EYOTI_HEAD);
  }
  if (!x->s.singles)
    eyoti_gen_combine_ranks(x->p, ranks, operand(x, lot, 0), x->slot, elements(x, part_of(x, lot)));
  if (x->s.columns > 1)
    give_columns(x, lot);
  else
    give_shares(x, lot);
}

/* Combines a column of the caller's router. */
static void gather(const struct job *x, struct lot lot) {
  uint64_t n = elements(x, column_of(x, lot));
  for (uint32_t i = 1; i < x->nodes; i++) {
    uint32_t seat = other_seat(x, x->nodes - i);
    uint32_t from = member_of(x, first_node(x, x->router) + seat, lot.part);
    eyoti_plan_await(x->p, from, x->columns + seat_number(x, lot, seat), EYOTI_HEAD);
  }
  for (uint32_t seat = 1; x->any_order && seat < x->nodes; seat++)
    eyoti_plan_combine(x->p, seat_list(x, lot, 0), seat_list(x, lot, seat), n);
  if (!x->any_order) combine_tree(x, lot, router_ranks(x, x->router), in_router, n);
  give_shares(x, lot);
}

static void await_routers(const struct job *x, uint32_t words, struct lot lot) {
  for (uint32_t i = 1; i < x->s.routers; i++) {
    uint32_t router = other_router(x, x->s.routers - i);
    eyoti_plan_await(x->p, owner_of(x, router, lot), router_word(x, words, x->router, lot, router),
                     EYOTI_HEAD);
  }
}

/* Combines the share that the caller owns. */
static void combine_share(const struct job *x, struct lot lot) {
  uint64_t n = elements(x, share_of(x, lot, x->router));
  struct eyoti_ref first = list(x, x->arrived, x->router, lot, 0);
  struct eyoti_gen_ranks all = {0, x->l.size, x->l.size};
  for (uint32_t router = 1; x->any_order && router < x->s.routers; router++)
    eyoti_plan_combine(x->p, first, list(x, x->arrived, x->router, lot, router), n);
  if (!x->any_order) combine_tree(x, lot, all, in_team, n);
}

static void put_result(const struct job *x, struct lot lot, uint32_t router) {
  struct eyoti_gen_block own = share_of(x, lot, x->router);
  struct eyoti_ref at = eyoti_ref_add(x->sum, own.at);
  eyoti_plan_put(x->p, owner_of(x, router, lot), at, at, own.len,
                 router_word(x, x->results, router, lot, x->router), EYOTI_HEAD);
}

static uint32_t root_node(const struct job *x) {
  return eyoti_layout_node(&x->l, eyoti_layout_position(&x->l, x->a->root));
}

/* The owner has all blocks; the result goes to the column's node of each router, or of the
 * root's. */
static void settle(const struct job *x, struct lot lot) {
  struct eyoti_gen_block own = share_of(x, lot, x->router);
  uint32_t root = eyoti_layout_router(&x->l, root_node(x));
  await_routers(x, x->partial, lot);
  combine_share(x, lot);
  eyoti_plan_copy(x->p, eyoti_ref_add(x->sum, own.at), list(x, x->arrived, x->router, lot, 0),
                  own.len);
  for (uint32_t i = 1; x->everywhere && i < x->s.routers; i++)
    put_result(x, lot, other_router(x, i));
  if (!x->everywhere && x->router != root) put_result(x, lot, root);
}

/* The column is complete; it goes to its part's unit of each node of the router, or of the
 * root's. */
static void complete(const struct job *x, struct lot lot) {
  struct eyoti_gen_block own = column_of(x, lot);
  struct eyoti_ref at = eyoti_ref_add(x->sum, own.at);
  uint32_t root = root_node(x);
  if (!x->everywhere && x->router != eyoti_layout_router(&x->l, root)) return;
  await_routers(x, x->results, lot);
  for (uint32_t i = 1; i < x->nodes; i++) {
    uint32_t node = first_node(x, x->router) + other_seat(x, i);
    if (x->everywhere || node == root)
      eyoti_plan_put(x->p, member_of(x, node, lot.part), at, at, own.len,
                     completed_word(x, node, lot), EYOTI_HEAD);
  }
}

static void await_columns(const struct job *x, struct lot lot) {
  for (uint32_t i = 1; i < x->nodes; i++)
    for (lot.column = other_seat(x, x->nodes - i); lot.column < x->s.columns;
         lot.column += x->nodes)
      eyoti_plan_await(x->p, owner_of(x, x->router, lot), completed_word(x, x->node, lot),
                       EYOTI_HEAD);
}

/* The part is complete; it goes to all units of the node, or to the root. */
static void pass(const struct job *x, struct lot lot) {
  struct eyoti_gen_block own = part_of(x, lot);
  struct eyoti_ref at = eyoti_ref_add(x->sum, own.at);
  if (!x->everywhere && x->node != root_node(x)) return;
  if (x->s.columns > 1)
    await_columns(x, lot);
  else
    await_routers(x, x->results, lot);
  for (uint32_t i = 1; i < x->cores; i++) {
    uint32_t to = member_of(x, x->node, (x->core + i) % x->cores);
    if (x->everywhere || to == x->a->root)
      eyoti_plan_put(x->p, to, at, at, own.len, x->passed + lot.chunk * x->parts + lot.part,
                     EYOTI_HEAD);
  }
}

/* All parts of the others of the node. */
static void take(const struct job *x) {
  for (uint32_t chunk = 0; chunk < x->chunks; chunk++)
    for (uint32_t part = 0; part < x->parts; part++) {
      uint32_t from = member_of(x, x->node, part);
      if (from == x->p->me) continue;
      eyoti_plan_await(x->p, from, x->passed + chunk * x->parts + part, EYOTI_HEAD);
    }
  eyoti_plan_drain(x->p); /* OUT may be IN */
  eyoti_plan_copy(x->p, eyoti_ref(EYOTI_OUT, 0), x->sum, x->a->len);
}

typedef void (*stage_fn)(const struct job *, struct lot);

/* A stage of a chunk, which begins in round `late` of the stages: of each part of the caller, and
 * of each column of its node in it. */
static void for_lots(const struct job *x, uint32_t round, uint32_t late, stage_fn stage) {
  for (uint32_t part = x->core; part < x->parts && round - late < x->chunks; part += x->cores)
    stage(x, (struct lot){round - late, part, 0});
}
static void for_columns(const struct job *x, uint32_t round, uint32_t late, stage_fn stage) {
  for (uint32_t part = x->core; part < x->parts && round - late < x->chunks; part += x->cores)
    for (uint32_t column = x->seat; column < x->s.columns; column += x->nodes)
      stage(x, (struct lot){round - late, part, column});
}

/* Between two stages of a chunk stand those of another one, which hide the way. */
static void over_nodes(struct job *x) {
  for (uint32_t i = 0; i < x->chunks + 2; i++) {
    if (i < x->chunks) give(x, i);
    for_lots(x, i, 0, fold);
    for_lots(x, i, 2, pass);
    for_columns(x, i, 1, settle);
  }
}
static void over_routers(struct job *x) {
  for (uint32_t i = 0; i < x->chunks + 4; i++) {
    if (i < x->chunks) give(x, i);
    for_lots(x, i, 0, fold);
    for_lots(x, i, 4, pass);
    for_columns(x, i, 3, complete);
    for_columns(x, i, 2, settle);
    for_columns(x, i, 1, gather);
  }
}

static void reduce(struct job *x, const struct eyoti_layout *l, bool routed) {
  x->l = *l;
  if (!routed) x->l.routers = eyoti_layout_apart(l->nodes);
  begin(x);
  if (x->s.columns > 1)
    over_routers(x);
  else
    over_nodes(x);
  if (x->everywhere || x->p->me == x->a->root) take(x);
}

void eyoti_parts_allreduce_nodes(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                                 const struct eyoti_layout *l, bool any_order) {
  struct job x = {.p = p, .a = a, .any_order = any_order, .everywhere = true};
  reduce(&x, l, false);
}
void eyoti_parts_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                        const struct eyoti_layout *l, bool any_order) {
  struct job x = {.p = p, .a = a, .any_order = any_order};
  reduce(&x, l, false);
}
void eyoti_routers_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                             const struct eyoti_layout *l, bool any_order) {
  struct job x = {.p = p, .a = a, .any_order = any_order, .everywhere = true};
  reduce(&x, l, true);
}
void eyoti_routers_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                          const struct eyoti_layout *l, bool any_order) {
  struct job x = {.p = p, .a = a, .any_order = any_order};
  reduce(&x, l, true);
}
