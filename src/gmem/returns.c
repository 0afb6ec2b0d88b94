/* SPDX-License-Identifier: BSD-3-Clause */
/* returns.c - see returns.h.
 *
 * A unit that gives a block back links it, and sets the list's head at the owner by a
 * compare-and-swap. The owner takes the whole list by one swap, so no block can come into the list
 * a second time while another unit reads its head. */
#include "gmem/returns.h"

#include <string.h>

#include "rt/observe.h"

int eyoti_returns_push(struct eyot_rt *rt, uint32_t list, void *p, fab_unit_t unit, uint64_t block,
                       bool *tried) {
  struct fab_amo read = {.op = FAB_AMO_READ, .width = 8};
  struct fab_addr head_at = fab_at(unit, rt->gmem->seg, list);
  uint64_t head, was;
  *tried = false;
  EYOTI_TRY(fab_amo_wait(rt->fab, head_at, &read, &was));
  do {
    head = was;
    memcpy(p, &head, sizeof head); /* visible with the swap, which is a full barrier */
    *tried = true;
    struct fab_amo cas = {.op = FAB_AMO_CAS, .width = 8, .operand = block, .compare = head};
    EYOTI_TRY(fab_amo_wait(rt->fab, head_at, &cas, &was));
  } while (was != head);
  return EYOT_OK;
}

int eyoti_returns_take(struct eyot_rt *rt, uint32_t list, uint64_t *first) {
  struct fab_amo swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = 0};
  *first = 0;
  if (eyoti_load_own(rt->gmem->base + list) == 0) return EYOT_OK;
  return fab_amo_wait(rt->fab, fab_at(rt->fab->me, rt->gmem->seg, list), &swap, first);
}
