/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_scan_parts.c - scan and exscan of long vectors in parts: each member has a part of the
 * vector, for which all others give it their operands; it makes the results of all members for that
 * part, and gives them back.
 *
 * A member so sends and receives twice the vector, not once a level. It has all operands of its
 * part, so it combines them as recursive doubling does, whatever the operator: the blocks of ranks
 * before a member are those of the binary number of its rank (gen_scan.c). A pipelined tree has as
 * few bytes, but gives each member what is before it as one value, of other bits. The order of
 * steps is that of gen_parts.c's allreduce (Thakur, Rabenseifner, Gropp 2005, section 4.5). */
#include "coll/gen.h"

struct parts_scan {
  struct eyoti_plan *p;
  uint64_t len, width, slot;
  struct eyoti_gen_block own;
  struct eyoti_ref operands, results; /* a slot for each member */
  struct eyoti_ref blocks;            /* a slot for each level */
  struct eyoti_ref whole;
};

static struct eyoti_ref slot_of(const struct parts_scan *s, struct eyoti_ref slots, uint32_t i) {
  return eyoti_ref_add(slots, i * s->slot);
}

/* Bit k of `member`: at s->blocks, level k, there is the block of 2^k ranks that it stands for. */
static void make_result(const struct parts_scan *s, uint32_t member, bool inclusive) {
  struct eyoti_ref to = slot_of(s, s->results, member);
  bool empty = !inclusive;
  if (inclusive) eyoti_plan_copy(s->p, to, slot_of(s, s->operands, member), s->own.len);
  for (uint32_t k = 0; member >> k != 0; k++) {
    if ((member >> k & 1) == 0) continue;
    if (empty)
      eyoti_plan_copy(s->p, to, slot_of(s, s->blocks, k), s->own.len);
    else
      eyoti_plan_combine_before(s->p, to, slot_of(s, s->blocks, k), s->own.len / s->width);
    empty = false;
  }
}

/* The next rank's operand: blocks that it completes are combined, as bits are carried. */
static void append(const struct parts_scan *s, uint32_t member) {
  struct eyoti_ref from = slot_of(s, s->operands, member);
  uint32_t k = 0;
  for (; (member >> k & 1) != 0; k++) {
    struct eyoti_ref lower = slot_of(s, s->blocks, k);
    eyoti_plan_combine(s->p, lower, from, s->own.len / s->width);
    from = lower;
  }
  eyoti_plan_copy(s->p, slot_of(s, s->blocks, k), from, s->own.len);
}

static void await_all(const struct parts_scan *s, uint32_t word) {
  for (uint32_t i = 1; i < s->p->size; i++) {
    uint32_t from = eyoti_plan_member(s->p, -(int64_t)i);
    eyoti_plan_await(s->p, from, word + from, EYOTI_HEAD);
  }
}

static void give_operands(const struct parts_scan *s, uint32_t word) {
  struct eyoti_plan *p = s->p;
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    struct eyoti_gen_block x = eyoti_gen_part(s->len, s->width, to, p->size);
    eyoti_plan_put(p, to, slot_of(s, s->operands, p->me), eyoti_ref(EYOTI_IN, x.at), x.len,
                   word + p->me, EYOTI_HEAD);
  }
  eyoti_plan_copy(p, slot_of(s, s->operands, p->me), eyoti_ref(EYOTI_IN, s->own.at), s->own.len);
}

/* Member 0 of an exscan gets nothing but the word. */
static void give_results(const struct parts_scan *s, uint32_t word, bool inclusive) {
  struct eyoti_plan *p = s->p;
  struct eyoti_ref place = eyoti_ref_add(s->whole, s->own.at);
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    eyoti_plan_put(p, to, place, slot_of(s, s->results, to), inclusive || to > 0 ? s->own.len : 0,
                   word + p->me, EYOTI_HEAD);
  }
  if (inclusive || p->me > 0) eyoti_plan_copy(p, place, slot_of(s, s->results, p->me), s->own.len);
}

static void gen(struct eyoti_plan *p, const struct eyoti_coll_args *a, bool inclusive) {
  uint64_t width = a->combiner.width;
  struct parts_scan s = {.p = p, .len = a->len, .width = width};
  uint32_t levels = 0;
  while (p->size >> levels != 0) levels++;
  uint32_t given = eyoti_plan_words(p, p->size), made = eyoti_plan_words(p, p->size);
  s.slot = eyoti_gen_round8((a->len / width / p->size + 1) * width);
  s.own = eyoti_gen_part(a->len, width, p->me, p->size);
  s.operands = eyoti_plan_board(p, p->size * s.slot);
  s.whole = eyoti_plan_board(p, a->len);
  s.results = eyoti_plan_temp(p, p->size * s.slot);
  s.blocks = eyoti_plan_temp(p, levels * s.slot);
  p->symmetric = true;
  give_operands(&s, given);
  await_all(&s, given);
  for (uint32_t member = 0; member < p->size; member++) {
    make_result(&s, member, inclusive);
    if (member + 1 < p->size) append(&s, member);
  }
  give_results(&s, made, inclusive);
  await_all(&s, made);
  eyoti_plan_drain(p); /* OUT may be IN */
  if (inclusive || p->me > 0) eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), s.whole, a->len);
}

void eyoti_gen_scan_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  gen(p, a, true);
}

void eyoti_gen_exscan_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  gen(p, a, false);
}
