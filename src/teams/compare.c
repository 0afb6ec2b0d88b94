/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - implements compare.h. Words 0 and 1 are the function (8 bits) over the hash, and
 * their complement: what is greatest of both is the greatest and the least of the members'. */
#include "teams/compare.h"

#include "base/check.h"

#define IN_SHIFT 56u
#define HASH_MASK ((UINT64_C(1) << IN_SHIFT) - 1)

int eyoti_compare_quietly(struct fab *f, struct eyoti_ctl *c, enum eyoti_compare_in in,
                          uint64_t hash, int refused, struct eyoti_compared *out, bool *differ) {
  static const enum eyoti_ctl_op OPS[3] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  const uint64_t word = (uint64_t)in << IN_SHIFT | ((hash ^ hash >> IN_SHIFT) & HASH_MASK);
  uint64_t all[3] = {word, ~word, (uint64_t)-refused};
  *differ = false;
  EYOTI_TRY(eyoti_ctl_exchange(f, c, OPS, all, 3));
  *differ = all[0] >> IN_SHIFT != ~all[1] >> IN_SHIFT;
  if (*differ) return EYOT_EMISMATCH;
  *out = (struct eyoti_compared){.error = -(int)all[2], .same = all[0] == ~all[1]};
  return EYOT_OK;
}

int eyoti_compare(struct fab *f, struct eyoti_ctl *c, enum eyoti_compare_in in, uint64_t hash,
                  int refused, struct eyoti_compared *out) {
  bool differ;
  int rc = eyoti_compare_quietly(f, c, in, hash, refused, out, &differ);
  return differ ? eyoti_ctl_differ(f, c) : rc;
}
