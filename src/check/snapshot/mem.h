/* SPDX-License-Identifier: BSD-3-Clause */
/* mem.h - memory that survives the restore of a snapshot (snap.h): all that a checker keeps from
 * run to run. For check/ and fabric_sim/explore.
 *
 * Why it exists: between two runs all memory of the process, malloc's included, is restored to the
 * start of the first run. State that must outlive a run is allocated here: one region of its own,
 * with a small allocator. Thread rule: one thread. Not for signal handlers. */
#ifndef EYOT_CHECK_SNAPSHOT_MEM_H
#define EYOT_CHECK_SNAPSHOT_MEM_H

#include <stddef.h>

/* Zeroed, aligned to 64 bytes; uses up to a quarter more than `bytes` plus 64 of addresses. From 1
 * MiB on, pages are used as they are written to, and returned by chk_free. NULL: out of memory, or
 * bytes is 0. */
void *chk_alloc(size_t bytes);
/* As realloc; added bytes are zeroed. p may be NULL. bytes 0: frees, returns NULL. NULL otherwise:
 * out of memory, and p is unchanged. */
void *chk_resize(void *p, size_t bytes);
void chk_free(void *p);
/* The region, for chk_snap_keep; made if there is none yet. NULL and 0: the system refused it. */
void chk_mem_region(void **base, size_t *bytes);
#endif
