/* rma.h - one-sided operations as rt and the layers above see them.
 *
 * Everything here stands on a resolved place: gmem turns a global pointer into a fabric address, and one fabric call does the rest. The
 * only state is what must outlive a call: the pack buffers of strided transfers and the names of phases. SPDX-License-Identifier:
 * BSD-3-Clause */
#ifndef EYOT_RMA_LAYER_H
#define EYOT_RMA_LAYER_H

#include <eyot/rma.h>

#include "../gmem/gmem.h"
#include "../rt/rt.h"

#define EYOTI_PHASE_NAME_MAX 31u /* characters of a phase name */
#define EYOTI_PHASE_MAX 16u      /* names a unit */
#define EYOTI_PACK_HALVES 2u     /* one is filled while the other travels */

/* The state of this layer on one unit. */
struct eyoti_rma {
  uint64_t pack_bytes;                   /* EYOT_PACK_BYTES: size of each pack buffer; 0: never pack */
  uint64_t bulk_atomic;                  /* EYOT_BULK_ATOMIC */
  char *pack[EYOTI_PACK_HALVES];         /* made at first use, since most units of a big simulation never pack */
  fab_req_t pack_req[EYOTI_PACK_HALVES]; /* the transfer that last used the buffer; 0: none */
  uint32_t pack_next;
  uint32_t phases;
  const char *phase[EYOTI_PHASE_MAX]; /* interned per process */
};

int eyoti_rma_start(struct eyot_rt *rt); /* local. Errors: ENOMEM, EINVAL (an option is malformed) */
void eyoti_rma_stop(struct eyot_rt *rt); /* local; the caller's operations are complete */
#endif
