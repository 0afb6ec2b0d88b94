/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/query.h - what a pointer to shared consists of (UPC 7.2.3). Apart from pointer.h,
 * because translated programs call these functions with pointers of another form (upcr.h). All are
 * local, and may be called at any time after upc_init. */
#ifndef EYOT_UPC_QUERY_H
#define EYOT_UPC_QUERY_H

#include "pointer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The thread to which the object has affinity, the phase, and the byte in that thread's part (equal
 * for elements at the same place of their threads' parts); of a null pointer, 0, the phase too. UPC
 * 7.2.3.1, 7.2.3.2 and 7.2.3.4. */
EYOTI_INLINE size_t upc_threadof(upc_shared_t p) {
  return p.at.unit;
}
EYOTI_INLINE size_t upc_phaseof(upc_shared_t p) {
  return p.phase;
}
EYOTI_INLINE size_t upc_addrfield(upc_shared_t p) {
  return p.at.offset & ((UINT64_C(1) << 48) - 1);
}
/* upc_resetphase returns p with phase 0 (UPC 7.2.3.3): also the conversion to a type with other
 * blocks, or with elements of another size (UPC 6.4.3, paragraph 2). */
EYOTI_INLINE upc_shared_t upc_resetphase(upc_shared_t p) {
  p.phase = 0;
  return p;
}
/* upc_affinitysize returns how many of `total` bytes, in blocks of `block` bytes, have affinity to
 * `thread`. block 0: all to thread 0. UPC 7.2.3.5. */
EYOTI_INLINE size_t upc_affinitysize(size_t total, size_t block, size_t thread) {
  return upci_affinitysize(total, block, thread);
}

#ifdef __cplusplus
}
#endif
#endif
