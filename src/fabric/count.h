/* SPDX-License-Identifier: BSD-3-Clause */
/* count.h - an endpoint that counts operations and forwards every call (forward.h). init/count.c
 * puts it between the layers and a fabric.
 *
 * Why it exists: the same counts on every fabric, without a line in any of them and without a cost
 * for programs that do not count. */
#ifndef EYOT_FABRIC_COUNT_H
#define EYOT_FABRIC_COUNT_H

#include <eyot/count.h>

#include "fabric/forward.h"

struct eyoti_count {
  struct eyoti_forward forward; /* first */
  eyot_counts_t counts;         /* calls that the fabric accepted; waits: all */
};

/* Makes an endpoint to stand before one as `like`, all counts zero. Errors: ENOMEM. */
int eyoti_count_new(const struct fab *like, struct eyoti_count **out);
/* c must not be in use (forward.h). */
void eyoti_count_delete(struct eyoti_count *c);
#endif
