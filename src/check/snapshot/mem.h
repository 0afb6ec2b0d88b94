/* SPDX-License-Identifier: BSD-3-Clause */
/* mem.h - memory that taking a run back (snap.h) leaves alone: what a checker knows from run
 * to run.
 *
 * Why it exists: between two runs all memory of the process, malloc's included, becomes again what
 * it was at the start of the first. What must outlive a run comes from here: one region of its own,
 * with a small allocator. Thread rule: one thread. Not from handlers of signals. */
#ifndef EYOT_CHECK_SNAPSHOT_MEM_H
#define EYOT_CHECK_SNAPSHOT_MEM_H

#include <stddef.h>

/* Zeroed, aligned to 64 bytes; up to a quarter more than `bytes` and 64 in addresses. From 1 MiB on
 * memory is used page by page as it is written to, and given back by chk_free. NULL: out of memory,
 * or bytes is 0. */
void *chk_alloc(size_t bytes);
/* As realloc; what is added is zeroed. p may be NULL. bytes 0: frees, NULL. NULL otherwise: out of
 * memory, and p is as before. */
void *chk_resize(void *p, size_t bytes);
void chk_free(void *p);
/* The region, for chk_snap_keep; made if there is none yet. NULL and 0: the system refused it. */
void chk_mem_region(void **base, size_t *bytes);
#endif
