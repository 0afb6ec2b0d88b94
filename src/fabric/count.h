/* SPDX-License-Identifier: BSD-3-Clause */
/* count.h - an endpoint that counts: stands between the layers and a fabric (forward.h), hands
 * every call on, and counts operations.
 *
 * Why it exists: the same counts on every fabric, without a line in any of them and without a price
 * for those who do not count. */
#ifndef EYOT_FABRIC_COUNT_H
#define EYOT_FABRIC_COUNT_H

#include <eyot/count.h>

#include "fabric/forward.h"

struct eyoti_count {
  struct eyoti_forward forward; /* first */
  eyot_counts_t counts;         /* of calls that the fabric accepted; waits: of all */
};

/* For standing before an endpoint as `like`, all counts zero. Errors: ENOMEM. */
int eyoti_count_new(const struct fab *like, struct eyoti_count **out);
/* It stands nowhere. */
void eyoti_count_delete(struct eyoti_count *c);
#endif
