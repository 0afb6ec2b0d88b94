/* ec_mem.h - memory that taking a run back (ec_snap.h) leaves alone: what a checker knows from run to run.
 *
 * Why it exists: between two runs all memory of the process, malloc's included, becomes again what it was at the start of the first. What
 * must outlive a run comes from here: one region of its own, with a small allocator. Thread rule: one thread. SPDX-License-Identifier:
 * BSD-3-Clause */
#ifndef EYOT_EC_MEM_H
#define EYOT_EC_MEM_H

#include <stddef.h>

/* Zeroed, aligned to 64 bytes. NULL: out of memory, or bytes is 0. */
void *ec_alloc(size_t bytes);
/* As realloc; what is added is zeroed. p may be NULL. */
void *ec_resize(void *p, size_t bytes);
void ec_free(void *p);
/* The region, for ec_snap_keep. */
void ec_mem_region(void **base, size_t *bytes);
#endif
