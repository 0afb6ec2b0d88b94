/* fs_pages.h - memory that thousands of units walk through at random: on large pages where the system gives them, since else every access misses the TLB.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FS_PAGES_H
#define EYOT_FS_PAGES_H

#include <stdlib.h>
#include <sys/mman.h>

#define FS_LARGE_PAGE ((size_t)2 << 20)

/* `bytes` that are to be freed with free(); NULL: out of memory. Zeroed only if the caller does it. */
static inline void *fs_pages_alloc(size_t bytes) {
  if (bytes < FS_LARGE_PAGE / 2) return aligned_alloc(64, (bytes + 63) / 64 * 64);
  size_t rounded = (bytes + FS_LARGE_PAGE - 1) / FS_LARGE_PAGE * FS_LARGE_PAGE;
  void *p = aligned_alloc(FS_LARGE_PAGE, rounded);
  if (p != NULL) (void)madvise(p, rounded, MADV_HUGEPAGE);
  return p;
}
#endif
