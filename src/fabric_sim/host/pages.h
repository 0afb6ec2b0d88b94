/* SPDX-License-Identifier: BSD-3-Clause */
/* pages.h - allocates memory that thousands of units access at random, for engine/: on large pages
 * where the system provides them, since otherwise every access misses the TLB. */
#ifndef EYOT_FABRIC_SIM_HOST_PAGES_H
#define EYOT_FABRIC_SIM_HOST_PAGES_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SIM_LARGE_PAGE ((size_t)2 << 20)

/* Returns `bytes` bytes that the caller frees with free(); NULL: out of memory. They are not
 * zeroed. */
static inline void *sim_pages_alloc(size_t bytes) {
  if (bytes < SIM_LARGE_PAGE / 2) return aligned_alloc(64, (bytes + 63) / 64 * 64);
  size_t rounded = (bytes + SIM_LARGE_PAGE - 1) / SIM_LARGE_PAGE * SIM_LARGE_PAGE;
  void *p = aligned_alloc(SIM_LARGE_PAGE, rounded);
  if (p != NULL) (void)madvise(p, rounded, MADV_HUGEPAGE);
  return p;
}

/* Maps at least *bytes, zeroed, on large pages if it is at least as long as one; sets *bytes to its
 * length. MAP_FAILED: out of memory. */
static inline void *sim_pages_map(uint64_t *bytes) {
  const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (*bytes < SIM_LARGE_PAGE / 2) return mmap(NULL, *bytes, prot, flags, -1, 0);
  uint64_t rounded = (*bytes + SIM_LARGE_PAGE - 1) / SIM_LARGE_PAGE * SIM_LARGE_PAGE;
  char *p = mmap(NULL, rounded + SIM_LARGE_PAGE, prot, flags, -1, 0);
  if (p == MAP_FAILED) return p;
  uint64_t before = -(uintptr_t)p % SIM_LARGE_PAGE, after = SIM_LARGE_PAGE - before;
  if (before > 0) munmap(p, before);
  if (after > 0) munmap(p + before + rounded, after);
  (void)madvise(p + before, rounded, MADV_HUGEPAGE);
  *bytes = rounded;
  return p + before;
}
#endif
