/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_binomial.c - binomial trees (gen.h).
 *
 * Ranks are counted from the root, so that the tree is the same for any root, and with a layout
 * node by node, so that subtrees lie on nodes also where members are scattered. The lowest set bit
 * of a rank is its level: the bits below it select its children, and without it the rank is the
 * parent's. */
#include "coll/gen_multi.h"

/* The caller's place. */
struct tree {
  const struct eyoti_layout *l; /* NULL: positions are members */
  uint32_t root, me;            /* positions */
  uint32_t rank, levels;
  uint64_t bit; /* of the rank's level; of the root: the first power of two from size on */
};

static struct tree tree_of(const struct eyoti_plan *p, uint32_t root,
                           const struct eyoti_layout *l) {
  struct tree t = {.l = l, .root = root, .me = p->me, .bit = 1};
  if (l != NULL) t.root = eyoti_layout_position(l, root), t.me = eyoti_layout_position(l, p->me);
  t.rank = (uint32_t)(((uint64_t)t.me + p->size - t.root) % p->size);
  while (t.bit < p->size && (t.rank & t.bit) == 0) t.bit <<= 1;
  while (((uint64_t)1 << t.levels) < p->size) t.levels++;
  return t;
}
static uint32_t member_at(const struct tree *t, uint32_t position) {
  return t->l == NULL ? position : eyoti_layout_member(t->l, position);
}
static uint32_t member_of(const struct eyoti_plan *p, const struct tree *t, uint64_t rank) {
  return member_at(t, (uint32_t)((rank + t->root) % p->size));
}

/* Down the tree from `source` of the root to `slot` of the others: to the child with the largest
 * subtree first. */
static void down(struct eyoti_plan *p, const struct tree *t, struct eyoti_ref source,
                 struct eyoti_ref slot, uint64_t len, uint32_t word) {
  if (t->rank != 0) {
    eyoti_plan_await(p, member_of(p, t, t->rank - t->bit), word, EYOTI_HEAD);
    source = slot;
  }
  for (uint64_t bit = t->bit >> 1; bit > 0; bit >>= 1)
    if (t->rank + bit < p->size)
      eyoti_plan_put(p, member_of(p, t, t->rank + bit), slot, source, len, word, EYOTI_HEAD);
}

void eyoti_placed_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                            const struct eyoti_layout *l) {
  struct tree t = tree_of(p, a->root, l);
  uint32_t word = eyoti_plan_words(p, 1);
  struct eyoti_ref slot = eyoti_plan_board(p, a->len), buffer = eyoti_ref(EYOTI_OUT, 0);
  bool staged = a->len <= EYOTI_STAGE_MOST;
  if (t.rank == 0 && staged) eyoti_plan_copy(p, slot, buffer, a->len);
  down(p, &t, staged ? slot : buffer, slot, a->len, word);
  if (t.rank != 0) eyoti_plan_copy(p, buffer, slot, a->len);
}

void eyoti_gen_broadcast_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_broadcast(p, a, NULL);
}

/* The position that has the partial result of the block of so many from `first` on. */
static uint64_t holder(uint64_t root, uint64_t first, uint64_t ranks) {
  return root >= first && root - first < ranks ? root : first;
}

/* Operands are combined along one tree over the members, whatever the root (docs/adr/0067): on
 * level k a block of 2^k members that begins at a multiple of 2^k is combined with the block after
 * it, the lower one on the left. A block's partial result is at the root if the root is in the
 * block, else at the block's first member. Each level has its slot in the receiver's board. The
 * result is in the root's `sum` then. With a layout positions take the place of members. */
static void up(struct eyoti_plan *p, const struct tree *t, const struct eyoti_coll_args *a,
               struct eyoti_ref sum, struct eyoti_ref slots, uint64_t slot, uint32_t words) {
  uint32_t level = 0;
  for (uint64_t ranks = 1; ranks < p->size; ranks *= 2, level++) {
    uint64_t low = t->me & ~(2 * ranks - 1), high = low + ranks;
    if (high >= p->size) continue; /* the block has no other half */
    uint64_t keeper = holder(t->root, low, 2 * ranks);
    struct eyoti_ref place = eyoti_ref_add(slots, level * slot);
    if (keeper != t->me) {
      eyoti_plan_put(p, member_at(t, (uint32_t)keeper), place, sum, a->len, words + level,
                     EYOTI_HEAD);
      return;
    }
    bool lower = t->me < high;
    uint64_t other = lower ? holder(t->root, high, ranks) : holder(t->root, low, ranks);
    eyoti_plan_await(p, member_at(t, (uint32_t)other), words + level, EYOTI_HEAD);
    uint64_t n = a->len / a->combiner.width;
    if (lower)
      eyoti_plan_combine(p, sum, place, n);
    else
      eyoti_plan_combine_before(p, sum, place, n);
  }
}

static void reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                   const struct eyoti_layout *l, bool everywhere) {
  struct tree t = tree_of(p, a->root, l);
  uint32_t words = eyoti_plan_words(p, t.levels), word = eyoti_plan_words(p, everywhere);
  struct eyoti_ref sum = eyoti_plan_stage(p, eyoti_ref(EYOTI_IN, 0), a->len);
  uint64_t slot = (a->len + 7) / 8 * 8;
  struct eyoti_ref slots = eyoti_plan_board(p, t.levels * slot);
  up(p, &t, a, sum, slots, slot, words);
  /* The result comes down to the place of the sum, which the parent has taken before. */
  if (everywhere) down(p, &t, sum, sum, a->len, word);
  if (everywhere || t.rank == 0) eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), sum, a->len);
}

void eyoti_placed_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                         const struct eyoti_layout *l) {
  reduce(p, a, l, false);
}
void eyoti_gen_reduce_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  reduce(p, a, NULL, false);
}

void eyoti_placed_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                            const struct eyoti_layout *l) {
  p->symmetric = true;
  reduce(p, a, l, true);
}
void eyoti_gen_allreduce_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_allreduce(p, a, NULL);
}

void eyoti_gen_gather_get(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct tree t = tree_of(p, a->root, NULL);
  uint32_t words = eyoti_plan_words(p, t.levels), level = 0;
  struct eyoti_ref block = eyoti_plan_stage(p, eyoti_ref(EYOTI_IN, 0), a->len);
  for (uint64_t bit = 1; bit < p->size; bit <<= 1, level++) {
    if ((t.rank & bit) != 0) {
      eyoti_plan_signal(p, member_of(p, &t, t.rank - bit), words + level, EYOTI_HEAD);
      return;
    }
    if (t.rank + bit < p->size)
      eyoti_plan_await(p, member_of(p, &t, t.rank + bit), words + level, EYOTI_HEAD);
  }
  eyoti_plan_get_each(p, eyoti_ref(EYOTI_OUT, 0), a->bytes, block, a->len);
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, p->me * a->bytes), block, a->len);
}
