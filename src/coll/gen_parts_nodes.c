/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_parts_nodes.c - allreduce and reduce of long vectors over several nodes, in parts
 * (gen_multi.h).
 *
 * Unit k of each node has part k of the vector (of the last node, which may have fewer units, some
 * have two), of which node j owns share j. A unit gives each unit of its node that one's part; the
 * unit combines them to the results of the blocks of the tree over ranks that lie in its node
 * (docs/adr/0067; where the order does not matter, to one), and gives each owner its share of
 * these. Owners combine them along the tree, and the results go the way back: all units copy and
 * use the NIC. A round may have two chunks, so that copies hide the ways between nodes. */
#include "coll/gen_multi.h"
#include "coll/round.h"

struct job {
  struct eyoti_plan *p;
  const struct eyoti_coll_args *a;
  const struct eyoti_layout *l;
  bool any_order, everywhere;
  uint32_t parts, nodes, node, core, cores; /* parts of the vector; units of the caller's node */
  uint32_t chunks, lots, blocks;            /* the latter two: of a unit and of a node, at most */
  uint64_t slot, share_slot;                /* bytes of a part and of a share */
  uint32_t given, partial, results, passed; /* words of the stages */
  struct eyoti_ref operands, packed, arrived, sum;
};

/* A part of a chunk, on its way through the stages. */
struct lot {
  uint32_t chunk, part;
};

/* -- blocks of the tree in a node -------------------------------------------------------------- */

static uint32_t first_of(const struct job *x, uint32_t node) {
  return eyoti_layout_first(x->l, node);
}
/* The end of the block that begins at a rank of a node. */
static uint32_t block_end(const struct job *x, uint32_t node, uint32_t rank) {
  uint32_t end = first_of(x, node + 1);
  return x->any_order ? end : eyoti_gen_tree_block((struct eyoti_gen_ranks){rank, end, x->l->size});
}
/* The number of a node's block that begins at `rank`, which may be the node's end: then all. Else
 * UINT32_MAX. */
static uint32_t block_at(const struct job *x, uint32_t node, uint32_t rank) {
  uint32_t at = first_of(x, node), n = 0;
  for (; at < rank; n++) at = block_end(x, node, at);
  return at == rank ? n : UINT32_MAX;
}
static uint32_t blocks_of(const struct job *x, uint32_t node) {
  return block_at(x, node, first_of(x, node + 1));
}

uint32_t eyoti_parts_blocks(uint32_t size, uint32_t cores) {
  uint32_t most = 1;
  for (uint32_t first = 0; first < size; first += cores) {
    struct eyoti_gen_ranks left = {first, first + cores < size ? first + cores : size, size};
    uint32_t n = 0;
    for (; left.first < left.end; n++) left.first = eyoti_gen_tree_block(left);
    if (n > most) most = n;
  }
  return most;
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
static struct eyoti_gen_block share_of(const struct job *x, struct lot lot, uint32_t node) {
  return piece(x, part_of(x, lot), node, x->nodes);
}
/* The member of a node that has the part, and the number of the lot among that one's. */
static uint32_t member_of(const struct job *x, uint32_t node, uint32_t part) {
  return first_of(x, node) + part % eyoti_layout_cores(x->l, node);
}
static uint32_t number_of(const struct job *x, uint32_t node, struct lot lot) {
  return lot.chunk * x->lots + lot.part / eyoti_layout_cores(x->l, node);
}
/* A unit's operand of one of the node's lots. */
static struct eyoti_ref operand(const struct job *x, struct lot lot, uint32_t core) {
  uint64_t i = (uint64_t)number_of(x, x->node, lot) * x->cores + core;
  return eyoti_ref_add(x->operands, i * x->slot);
}
/* Results of the blocks of node `of`, at a node's unit. */
static struct eyoti_ref list(const struct job *x, struct eyoti_ref lists, uint32_t node,
                             struct lot lot, uint32_t of) {
  uint64_t i = (uint64_t)number_of(x, node, lot) * x->nodes + of;
  return eyoti_ref_add(lists, i * x->blocks * x->share_slot);
}
static uint32_t given_word(const struct job *x, struct lot lot, uint32_t core) {
  return x->given + number_of(x, x->node, lot) * x->parts + core;
}
static uint32_t node_word(const struct job *x, uint32_t words, uint32_t node, struct lot lot,
                          uint32_t of) {
  return words + number_of(x, node, lot) * x->nodes + of;
}
static uint32_t other_node(const struct job *x, uint32_t i) {
  return (x->node + i) % x->nodes;
}
static uint64_t elements(const struct job *x, struct eyoti_gen_block b) {
  return b.len / x->a->combiner.width;
}

static uint64_t up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

static void begin(struct job *x, const struct eyoti_layout *l) {
  struct eyoti_plan *p = x->p;
  uint64_t width = x->a->combiner.width, n = x->a->len / width;
  x->l = l;
  x->parts = l->per_node;
  x->nodes = l->nodes;
  x->node = eyoti_layout_node(l, p->me);
  x->core = p->me - first_of(x, x->node);
  x->cores = eyoti_layout_cores(l, x->node);
  x->chunks = eyoti_round_chunks(x->a->len);
  x->lots = eyoti_round_lots(p->size, x->parts);
  x->blocks = x->any_order ? 1 : eyoti_parts_blocks(p->size, x->parts);
  n = up(up(n, x->chunks), x->parts); /* elements of a part */
  x->slot = eyoti_gen_round8(n * width);
  x->share_slot = eyoti_gen_round8(up(n, x->nodes) * width);
  uint32_t lots = x->chunks * x->lots;
  uint64_t lists = (uint64_t)lots * x->nodes * x->blocks * x->share_slot;
  x->given = eyoti_plan_words(p, lots * x->parts);
  x->partial = eyoti_plan_words(p, lots * x->nodes);
  x->results = eyoti_plan_words(p, lots * x->nodes);
  x->passed = eyoti_plan_words(p, x->chunks * x->parts);
  x->operands = eyoti_plan_board(p, lots * x->parts * x->slot);
  x->packed = eyoti_plan_board(p, lists);
  x->arrived = eyoti_plan_board(p, lists);
  x->sum = eyoti_plan_board(p, x->a->len);
  p->symmetric = true;
}

/* -- stages ------------------------------------------------------------------------------------ */

/* To each unit of the node its parts. */
static void give(const struct job *x, uint32_t chunk) {
  for (uint32_t i = 0; i < x->cores; i++)
    for (uint32_t part = (x->core + i) % x->cores; part < x->parts; part += x->cores) {
      struct lot lot = {chunk, part};
      struct eyoti_gen_block b = part_of(x, lot);
      struct eyoti_ref to = operand(x, lot, x->core), from = eyoti_ref(EYOTI_IN, b.at);
      if (i == 0)
        eyoti_plan_copy(x->p, to, from, b.len);
      else
        eyoti_plan_put(x->p, member_of(x, x->node, part), to, from, b.len,
                       given_word(x, lot, x->core), EYOTI_HEAD);
    }
}

/* A node's share of the results of the blocks of the caller's node, one after the other. */
static void pack(const struct job *x, struct lot lot, uint32_t node, struct eyoti_ref to) {
  struct eyoti_gen_block part = part_of(x, lot), share = share_of(x, lot, node);
  uint32_t first = first_of(x, x->node), n = blocks_of(x, x->node);
  for (uint32_t at = first, i = 0; i < n; i++, at = block_end(x, x->node, at))
    eyoti_plan_copy(x->p, eyoti_ref_add(to, i * x->share_slot),
                    eyoti_ref_add(operand(x, lot, at - first), share.at - part.at), share.len);
}

/* Combines the operands of the node, and gives owners their shares. */
static void fold(const struct job *x, struct lot lot) {
  uint32_t first = first_of(x, x->node);
  struct eyoti_gen_ranks ranks = {first, first + x->cores, x->l->size};
  if (x->any_order) ranks = (struct eyoti_gen_ranks){0, x->cores, x->cores};
  for (uint32_t i = 1; i < x->cores; i++) {
    uint32_t core = (x->core + x->cores - i) % x->cores;
    eyoti_plan_await(x->p, first + core, given_word(x, lot, core), EYOTI_HEAD);
  }
  eyoti_gen_combine_ranks(x->p, ranks, operand(x, lot, 0), x->slot, elements(x, part_of(x, lot)));
  for (uint32_t i = 1; i < x->nodes; i++) {
    uint32_t node = other_node(x, i);
    struct eyoti_ref packed = list(x, x->packed, x->node, lot, node);
    uint64_t len = share_of(x, lot, node).len;
    if (len > 0) len += (blocks_of(x, x->node) - 1) * x->share_slot;
    pack(x, lot, node, packed);
    eyoti_plan_put(x->p, member_of(x, node, lot.part), list(x, x->arrived, node, lot, x->node),
                   packed, len, node_word(x, x->partial, node, lot, x->node), EYOTI_HEAD);
  }
  pack(x, lot, x->node, list(x, x->arrived, x->node, lot, x->node));
}

static void await_nodes(const struct job *x, uint32_t words, struct lot lot) {
  for (uint32_t i = 1; i < x->nodes; i++) {
    uint32_t node = other_node(x, x->nodes - i);
    eyoti_plan_await(x->p, member_of(x, node, lot.part), node_word(x, words, x->node, lot, node),
                     EYOTI_HEAD);
  }
}

/* The result of the block that begins at `rank`; *there: whether a block begins there. */
static struct eyoti_ref arrived_at(const struct job *x, struct lot lot, uint32_t rank,
                                   bool *there) {
  uint32_t node = eyoti_layout_node(x->l, rank), i = block_at(x, node, rank);
  *there = i != UINT32_MAX;
  return eyoti_ref_add(list(x, x->arrived, x->node, lot, node), *there ? i * x->share_slot : 0);
}

/* Combines the share that the caller owns. */
static void combine_share(const struct job *x, struct lot lot) {
  uint64_t n = elements(x, share_of(x, lot, x->node));
  struct eyoti_ref first = list(x, x->arrived, x->node, lot, 0);
  bool there;
  for (uint32_t node = 1; x->any_order && node < x->nodes; node++)
    eyoti_plan_combine(x->p, first, list(x, x->arrived, x->node, lot, node), n);
  for (uint64_t ranks = 1; !x->any_order && ranks < x->l->size; ranks *= 2)
    for (uint64_t low = 0; low + ranks < x->l->size; low += 2 * ranks) {
      struct eyoti_ref upper = arrived_at(x, lot, (uint32_t)(low + ranks), &there);
      if (!there) continue; /* one node has both halves */
      eyoti_plan_combine(x->p, arrived_at(x, lot, (uint32_t)low, &there), upper, n);
    }
}

static void put_result(const struct job *x, struct lot lot, uint32_t node) {
  struct eyoti_gen_block own = share_of(x, lot, x->node);
  struct eyoti_ref at = eyoti_ref_add(x->sum, own.at);
  eyoti_plan_put(x->p, member_of(x, node, lot.part), at, at, own.len,
                 node_word(x, x->results, node, lot, x->node), EYOTI_HEAD);
}

/* The owner has all blocks; the result goes to its part's unit of each node, or of the root's. */
static void settle(const struct job *x, struct lot lot) {
  struct eyoti_gen_block own = share_of(x, lot, x->node);
  uint32_t root = eyoti_layout_node(x->l, x->a->root);
  await_nodes(x, x->partial, lot);
  combine_share(x, lot);
  eyoti_plan_copy(x->p, eyoti_ref_add(x->sum, own.at), list(x, x->arrived, x->node, lot, 0),
                  own.len);
  for (uint32_t i = 1; x->everywhere && i < x->nodes; i++) put_result(x, lot, other_node(x, i));
  if (!x->everywhere && x->node != root) put_result(x, lot, root);
}

/* The part is complete; it goes to all units of the node, or to the root. */
static void pass(const struct job *x, struct lot lot) {
  struct eyoti_gen_block own = part_of(x, lot);
  struct eyoti_ref at = eyoti_ref_add(x->sum, own.at);
  if (!x->everywhere && x->node != eyoti_layout_node(x->l, x->a->root)) return;
  await_nodes(x, x->results, lot);
  for (uint32_t i = 1; i < x->cores; i++) {
    uint32_t to = first_of(x, x->node) + (x->core + i) % x->cores;
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

static void for_lots(const struct job *x, uint32_t chunk,
                     void (*stage)(const struct job *, struct lot)) {
  for (uint32_t part = x->core; part < x->parts && chunk < x->chunks; part += x->cores)
    stage(x, (struct lot){chunk, part});
}

/* Between two stages of a chunk stand those of another one, which hide the way. */
static void reduce(struct job *x, const struct eyoti_layout *l) {
  begin(x, l);
  for (uint32_t i = 0; i < x->chunks + 2; i++) {
    if (i < x->chunks) give(x, i);
    for_lots(x, i, fold);
    if (i >= 2) for_lots(x, i - 2, pass);
    if (i >= 1) for_lots(x, i - 1, settle);
  }
  if (x->everywhere || x->p->me == x->a->root) take(x);
}

void eyoti_parts_allreduce_nodes(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                                 const struct eyoti_layout *l, bool any_order) {
  struct job x = {.p = p, .a = a, .any_order = any_order, .everywhere = true};
  reduce(&x, l);
}
void eyoti_parts_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                        const struct eyoti_layout *l, bool any_order) {
  struct job x = {.p = p, .a = a, .any_order = any_order};
  reduce(&x, l);
}
