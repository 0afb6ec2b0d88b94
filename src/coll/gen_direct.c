/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_direct.c - long messages that land in the receiver's private memory (gen.h), where the fabric
 * has them (fab_ops.send): no board holds them, so a call has one round, and no byte is copied but
 * by the fabric.
 *
 * A vector is cut into parts. A broadcast scatters it among the members but the root, which then
 * exchange their parts: no member gets a byte twice. A reduction gathers each member's part of all
 * operands there, combines them along the tree over ranks (docs/adr/0067), and sends the result on.
 * Each begins with the member after it, so that no member is the first target of all.
 *
 * Sources: R. Thakur, R. Rabenseifner, W. Gropp 2005, sections 4.2 and 4.4; H. Zhou, V. Marjanovic,
 * C. Niethammer, J. Gracia: A bandwidth-saving optimization for MPI broadcast collective operation,
 * ICPPW 2015. */
#include "coll/gen.h"

#define PART_ALIGN 64u /* bytes, of parts of a broadcast */

static void expect(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref to, uint64_t len,
                   uint32_t word) {
  if (len > 0) eyoti_plan_expect(p, peer, to, len, word, EYOTI_HEAD);
}
static void send(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref from, uint64_t len,
                 uint32_t word) {
  if (len > 0) eyoti_plan_send(p, peer, from, len, word, EYOTI_HEAD);
}
static void await(struct eyoti_plan *p, uint32_t peer, uint64_t len, uint32_t word) {
  if (len > 0) eyoti_plan_await(p, peer, word, EYOTI_HEAD);
}

/* -- blocks ------------------------------------------------------------------------------------ */

/* A block of each other member for the caller; those for others are `stride` bytes of IN apart. */
static void exchange(struct eyoti_plan *p, const struct eyoti_coll_args *a, uint64_t stride) {
  uint32_t words = eyoti_plan_words(p, p->size);
  p->symmetric = true;
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    expect(p, from, eyoti_ref(EYOTI_OUT, from * a->bytes), a->len, words + from);
  }
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    send(p, to, eyoti_ref(EYOTI_IN, to * stride), a->len, words + p->me);
  }
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, p->me * a->bytes), eyoti_ref(EYOTI_IN, p->me * stride),
                  a->len);
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    await(p, from, a->len, words + from);
  }
}

void eyoti_gen_allgather_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  exchange(p, a, 0);
}

void eyoti_gen_alltoall_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  exchange(p, a, a->bytes);
}

/* -- broadcast --------------------------------------------------------------------------------- */

/* The part of a member, which is not the root: parts are in the order of ranks from the root on. */
static struct eyoti_gen_block broadcast_part(const struct eyoti_plan *p,
                                             const struct eyoti_coll_args *a, uint32_t member) {
  uint64_t rank = ((uint64_t)member + p->size - a->root) % p->size;
  return eyoti_gen_part(a->len, PART_ALIGN, rank - 1, p->size - 1);
}

void eyoti_gen_broadcast_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t words = eyoti_plan_words(p, p->size);
  if (p->me == a->root) {
    for (uint32_t i = 1; i < p->size; i++) {
      uint32_t to = eyoti_plan_member(p, i);
      struct eyoti_gen_block x = broadcast_part(p, a, to);
      send(p, to, eyoti_ref(EYOTI_IN, x.at), x.len, words + a->root);
    }
    return;
  }
  struct eyoti_gen_block own = broadcast_part(p, a, p->me);
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    struct eyoti_gen_block x = from == a->root ? own : broadcast_part(p, a, from);
    expect(p, from, eyoti_ref(EYOTI_OUT, x.at), x.len, words + from);
  }
  await(p, a->root, own.len, words + a->root);
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    if (to != a->root) send(p, to, eyoti_ref(EYOTI_OUT, own.at), own.len, words + p->me);
  }
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    if (from != a->root) await(p, from, broadcast_part(p, a, from).len, words + from);
  }
}

/* -- reductions -------------------------------------------------------------------------------- */

static struct eyoti_gen_block operand_part(const struct eyoti_plan *p,
                                           const struct eyoti_coll_args *a, uint32_t member) {
  return eyoti_gen_part(a->len, a->combiner.width, member, p->size);
}

/* The result of the caller's part, in the first of the slots. */
static void combine_part(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                         struct eyoti_ref slots, uint64_t slot) {
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_gen_block own = operand_part(p, a, p->me);
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    expect(p, from, eyoti_ref_add(slots, from * slot), own.len, words + from);
  }
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    struct eyoti_gen_block x = operand_part(p, a, to);
    send(p, to, eyoti_ref(EYOTI_IN, x.at), x.len, words + p->me);
  }
  eyoti_plan_copy(p, eyoti_ref_add(slots, p->me * slot), eyoti_ref(EYOTI_IN, own.at), own.len);
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    await(p, from, own.len, words + from);
  }
  eyoti_gen_combine_slots(p, slots, slot, own.len / a->combiner.width);
}

static void reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a, bool everywhere) {
  uint64_t width = a->combiner.width, most = (a->len / width / p->size + 1) * width;
  uint64_t slot = eyoti_gen_round8(most);
  struct eyoti_ref slots = eyoti_plan_temp(p, p->size * slot);
  combine_part(p, a, slots, slot);
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_gen_block own = operand_part(p, a, p->me);
  bool wanted = everywhere || p->me == a->root;
  if (wanted) eyoti_plan_drain(p); /* OUT may be IN */
  for (uint32_t i = 1; i < p->size && wanted; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    struct eyoti_gen_block x = operand_part(p, a, from);
    expect(p, from, eyoti_ref(EYOTI_OUT, x.at), x.len, words + from);
  }
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    if (everywhere || to == a->root) send(p, to, slots, own.len, words + p->me);
  }
  if (wanted) eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, own.at), slots, own.len);
  for (uint32_t i = 1; i < p->size && wanted; i++) {
    uint32_t from = eyoti_plan_member(p, -(int64_t)i);
    await(p, from, operand_part(p, a, from).len, words + from);
  }
}

void eyoti_gen_reduce_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  reduce(p, a, false);
}

void eyoti_gen_allreduce_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  p->symmetric = true;
  reduce(p, a, true);
}
