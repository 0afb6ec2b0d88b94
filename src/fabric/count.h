/* count.h - an endpoint that counts: stands between the layers and a fabric, hands every call on, and counts operations.
 *
 * Why it exists: the same counts on every fabric, without a line in any of them and without a price for those who do not count. The layers
 * hold its `fab` instead of the fabric's endpoint; the fabric sees its own only, with the note that the layers have left here.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FABRIC_COUNT_H
#define EYOT_FABRIC_COUNT_H

#include <eyot/count.h>

#include "fabric.h"

struct eyoti_count {
  struct fab fab; /* first: what the layers hold */
  struct fab_ops ops;
  struct fab *inner;
  eyot_counts_t counts; /* of calls that the fabric accepted; waits: of all */
};

/* In front of `inner`, all counts zero. Errors: ENOMEM. */
int eyoti_count_new(struct fab *inner, struct eyoti_count **out);
/* Hands the endpoint back, with the note that was left here. */
struct fab *eyoti_count_delete(struct eyoti_count *c);
#endif
