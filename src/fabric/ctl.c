/* ctl.c - the control plane: see ctl.h. The layout of a block and the dissemination exchange over it.
 *
 * A round has, in each of two parities: a flag, a slot in which the payload of the one sender of that round lands, and a slot from which
 * the own payload leaves. Exchange k uses parity k mod 2. Why a slot may be reused two exchanges later: a unit enters k+2 after it has
 * completed k+1, thus after all have entered k+1, thus after all have received what was sent to them in k. Flags have two parities for the
 * same reason that payloads have: the signals of k and k+1 of one sender are unordered, and with one word the later might be overwritten by
 * the earlier. SPDX-License-Identifier: BSD-3-Clause */
#include "ctl.h"

#include <string.h>

#include "../base/check.h"

#define PARITIES 2u
#define ROUNDS_MAX 32u
#define WORD_BYTES 8u
#define PAYLOAD_BYTES (EYOTI_CTL_WORDS * WORD_BYTES)

_Static_assert(PAYLOAD_BYTES == 32, "a payload is small enough for every fabric to send inline");

static uint32_t rounds_of(uint32_t size) {
  uint32_t rounds = 0;
  while (rounds < ROUNDS_MAX && ((uint64_t)1 << rounds) < size) rounds++;
  return rounds;
}

/* Offsets within a block: all flags, then all landing slots, then all leaving slots. */
static uint64_t flag_at(uint32_t round, uint32_t parity) {
  return ((uint64_t)round * PARITIES + parity) * WORD_BYTES;
}
static uint64_t land_at(uint32_t rounds, uint32_t round, uint32_t parity) {
  return flag_at(rounds, 0) + ((uint64_t)round * PARITIES + parity) * PAYLOAD_BYTES;
}
static uint64_t leave_at(uint32_t rounds, uint32_t round, uint32_t parity) {
  return land_at(rounds, rounds, 0) + ((uint64_t)round * PARITIES + parity) * PAYLOAD_BYTES;
}

uint64_t eyoti_ctl_bytes(uint32_t size) {
  uint32_t rounds = rounds_of(size);
  return rounds == 0 ? WORD_BYTES : leave_at(rounds, rounds, 0);
}

static uint64_t combine(enum eyoti_ctl_op op, uint64_t a, uint64_t b) {
  switch (op) {
    case EYOTI_CTL_OR:
      return a | b;
    case EYOTI_CTL_AND:
      return a & b;
    case EYOTI_CTL_MAX:
      return a > b ? a : b;
    case EYOTI_CTL_MIN:
      return a < b ? a : b;
  }
  EYOTI_PANIC("unknown control operator %d", (int)op);
}

/* One round: tell the member 2^round after the caller, then hear from the one 2^round before. */
static int exchange_round(struct fab *f, const struct eyoti_ctl *c, char *block, uint32_t rounds, uint32_t round,
                          const enum eyoti_ctl_op *ops, uint64_t *words, uint32_t n) {
  uint32_t parity = (uint32_t)(c->seq % PARITIES);
  uint64_t to_far = c->members.my_index + ((uint64_t)1 << round); /* less than twice the size */
  uint32_t to_index = (uint32_t)(to_far < c->members.size ? to_far : to_far - c->members.size);
  fab_unit_t to = c->members.unit_at(c->members.set, to_index);
  size_t len = n * sizeof *words;
  char *leave = block + leave_at(rounds, round, parity);
  __builtin_prefetch(block + flag_at(round, parity)); /* read after the send */
  if (n > 0) memcpy(leave, words, len);
  struct fab_sig sig = {.at = fab_at(to, c->seg, c->off + flag_at(round, parity)), .op = FAB_SIG_SET, .value = c->seq};
  EYOTI_TRY(fab_put_signal(f, fab_at(to, c->seg, c->off + land_at(rounds, round, parity)), n > 0 ? leave : NULL, len, &sig, NULL));
  EYOTI_TRY(fab_wait_mem(f, c->seg, c->off + flag_at(round, parity), FAB_GE, c->seq, FAB_FOREVER, NULL));
  if (n == 0) return EYOT_OK;
  uint64_t heard[EYOTI_CTL_WORDS];
  memcpy(heard, block + land_at(rounds, round, parity), len);
  for (uint32_t i = 0; i < n; i++) words[i] = combine(ops[i], words[i], heard[i]);
  return EYOT_OK;
}

int eyoti_ctl_exchange(struct fab *f, struct eyoti_ctl *c, const enum eyoti_ctl_op *ops, uint64_t *words, uint32_t n) {
  EYOTI_ASSERT(n <= EYOTI_CTL_WORDS && (n == 0 || (ops != NULL && words != NULL)));
  EYOTI_ASSERT(c->members.my_index < c->members.size);
  if (f->note.what == NULL) f->note.what = __func__;
  c->seq++;
  uint32_t rounds = rounds_of(c->members.size);
  if (rounds == 0) return EYOT_OK;
  void *base;
  EYOTI_TRY(f->ops->seg_ptr(f, c->seg, f->me, &base));
  for (uint32_t round = 0; round < rounds; round++) EYOTI_TRY(exchange_round(f, c, (char *)base + c->off, rounds, round, ops, words, n));
  return EYOT_OK;
}
