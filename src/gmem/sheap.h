/* SPDX-License-Identifier: BSD-3-Clause */
/* sheap.h - the shared heap (eyot/sheap.h) for the layers above: which units share addresses with
 * the caller, and whose memory an address is. Thread rule: one thread of a unit at a time. */
#ifndef EYOT_GMEM_SHEAP_H
#define EYOT_GMEM_SHEAP_H

#include <eyot/sheap.h>

#include "rt/rt.h"

/* Whether pointers into the heap may be passed between the caller and `unit`: it is on the same
 * node, and all units of the node have their heaps at the same addresses. Local. */
bool eyoti_sheap_reaches(struct eyot_rt *rt, fab_unit_t unit);
/* Whether [p, p+bytes) is in the heap of a unit of the caller's node; whose, and at which offset.
 * Local. */
bool eyoti_sheap_find(struct eyot_rt *rt, const void *p, uint64_t bytes, fab_unit_t *unit,
                      uint64_t *off);
/* Whether it is in the heap of a unit of another node, whose address the caller cannot have: known
 * on simulated machines alone. Local. */
bool eyoti_sheap_foreign(struct eyot_rt *rt, const void *p, uint64_t bytes, fab_unit_t *unit);
/* The caller has copied so many bytes by plain loads and stores: on a simulated machine that takes
 * time, as a copy of the fabric's does. Errors: those of fab_ops.compute. */
int eyoti_sheap_copied(struct eyot_rt *rt, uint64_t bytes);
#endif
