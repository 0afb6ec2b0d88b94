/* SPDX-License-Identifier: BSD-3-Clause */
/* all_alloc.h - upc_all_alloc for programs that cannot do without the memory: an exhausted heap
 * gives a null pointer and a warning (UPC 7.2.2), and they end with code 1. */
#ifndef ALL_ALLOC_H
#define ALL_ALLOC_H

#include <eyot/upc.h>
#include <stdio.h>

static inline upc_shared_t all_alloc(const char *program, size_t nblocks, size_t bytes) {
  upc_shared_t p = upc_all_alloc(nblocks, bytes);
  if (!upc_isnull(p) || nblocks == 0 || bytes == 0) return p;
  if (MYTHREAD == 0)
    fprintf(stderr, "%s: %zu blocks of %zu bytes do not fit the heap: raise UPC_SHARED_HEAP_SIZE\n",
            program, nblocks, bytes);
  upc_barrier();
  upc_global_exit(1);
  return UPC_NULL;
}
#endif
