/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_malloc.h - the shared heap as the program's malloc (eyotcc --shared-malloc): for
 * prog/malloc.c, which is linked into programs. They may be called at any time by any thread, and
 * inside functions of the program that eyot calls; they report nothing. */
#ifndef EYOT_GMEM_SHARED_MALLOC_H
#define EYOT_GMEM_SHARED_MALLOC_H

#include <eyot/types.h>

#include "rt/rt.h"

/* In eyot_finalize, before the unit's state changes: what the program has in the shared heap stays
 * where it is. */
void eyoti_shared_ending(struct eyot_rt *rt);

/* Memory of the caller's part, aligned to `align`; NULL: the caller is no unit's thread that may
 * call now, or the heap is full. Then the C library's serves. */
EYOT_API void *eyoti_shared_malloc(uint64_t bytes, uint64_t align);
/* The bytes that memory of the shared heap has; 0: p is not the start of such memory. */
EYOT_API uint64_t eyoti_shared_size(const void *p);
/* Releases it. False: it is not memory of the shared heap. */
EYOT_API bool eyoti_shared_free(void *p);
#endif
