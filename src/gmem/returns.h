/* SPDX-License-Identifier: BSD-3-Clause */
/* returns.h - lists of blocks that other units of a node give back to the unit in whose heap they
 * lie. For sheap.c and owned.c, which have a list each. */
#ifndef EYOT_GMEM_RETURNS_H
#define EYOT_GMEM_RETURNS_H

#include "gmem/state.h"

/* The words of the lists' heads, in the runtime's own memory of each heap. */
#define EYOTI_RETURNS_SHEAP (EYOTI_GMEM_RETURNS_OFF)
#define EYOTI_RETURNS_OWNED (EYOTI_GMEM_RETURNS_OFF + 8u)

/* Puts the block at `block` of that unit's heap, whose address is p and whose first 8 bytes are the
 * list's, into its list. Errors: the fabric's; *tried: the block may be there all the same. */
int eyoti_returns_push(struct eyot_rt *rt, uint32_t list, void *p, fab_unit_t unit, uint64_t block,
                       bool *tried);
/* Takes the caller's whole list: *first, 0: it is empty; each block holds the offset of the next.
 * Errors: the fabric's. */
int eyoti_returns_take(struct eyot_rt *rt, uint32_t list, uint64_t *first);
#endif
