/* SPDX-License-Identifier: BSD-3-Clause */
/* snap.c - takes, restores and drops a snapshot of the process's writable memory (snap.h). ranges.c
 * selects the protected pages, fault.c handles the first write to one, and map.c has the mappings
 * that runs make. */
#include "check/snapshot/snap.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/snapshot/state.h"

#define POOL_BYTES ((size_t)16 << 30) /* of addresses */
#define LEAST_POOL ((size_t)4 << 20)
/* how much the heap is enlarged in advance, so that runs seldom do it */
#define HEAP_AHEAD (16 << 20)
#define SPARE_AREAS 1024u /* mappings that other users of the process may still make */

/* Number of blocks that malloc has mapped one by one: freeing one in a run would remove its
 * mapping. */
static uint64_t malloc_maps(void) {
#ifndef __GLIBC__
  return 0;
#elif __GLIBC_PREREQ(2, 33)
  return mallinfo2().hblks;
#else
  return (uint64_t)mallinfo().hblks;
#endif
}

/* Has no effect where malloc has no such parameters; CHK_SNAP_WORKS is 0 there. */
static void map_no_blocks(void) {
#ifdef M_MMAP_MAX
  (void)mallopt(M_MMAP_MAX, 0);
#endif
}

int chk_snap_new(struct chk_snap **out) {
  struct chk_snap *s = chk_alloc(sizeof *s);
  if (s == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the state of a snapshot");
  s->pool_bytes = POOL_BYTES;
  while ((s->pool = chk_alloc(s->pool_bytes)) == NULL && s->pool_bytes > LEAST_POOL)
    s->pool_bytes /= 2;
  if (s->pool == NULL) {
    chk_free(s);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for saved pages");
  }
  map_no_blocks();
  void *base;
  size_t bytes;
  chk_mem_region(&base, &bytes);
  int rc = chk_snap_keep(s, base, bytes);
  if (rc != EYOT_OK) {
    chk_snap_delete(s);
    return rc;
  }
  chk_snap_find_fork(s);
  chk_snap_find_blocked(s);
  *out = s;
  return EYOT_OK;
}

void chk_snap_delete(struct chk_snap *s) {
  if (s == NULL) return;
  chk_snap_drop(s);
  chk_free(s->ranges);
  chk_free(s->cuts.at);
  chk_free(s->keep.at);
  chk_free(s->maps);
  chk_free(s->pool);
  chk_free(s);
}

/* Makes malloc use one heap, large enough for usual runs, that returns nothing to the system. */
static void settle_malloc(void) {
  map_no_blocks();
#ifdef M_TRIM_THRESHOLD
  (void)mallopt(M_TRIM_THRESHOLD, -1);
  (void)mallopt(M_TOP_PAD, HEAP_AHEAD);
#endif
  void *volatile ahead = malloc(HEAP_AHEAD);
  free(ahead);
}

static int protect(struct chk_snap *s) {
  for (uint32_t i = 0; i < s->n_ranges; i++) {
    const struct chk_area at = s->ranges[i].at;
    if (mprotect((void *)at.low, at.high - at.low, s->ranges[i].prot & ~PROT_WRITE) == 0) continue;
    int error = errno;
    chk_ranges_free(s, i);
    chk_snap_drop(s); /* the log must be able to write */
    return EYOTI_FAIL(EYOT_ESYS, "cannot protect %#zx-%#zx: %s", (size_t)at.low, (size_t)at.high,
                      strerror(error));
  }
  return EYOT_OK;
}

int chk_snap_take(struct chk_snap *s) {
  if (!CHK_SNAP_WORKS)
    return EYOTI_FAIL(
        EYOT_ENOTSUP,
        "the memory of a sanitizer, or of a C library other than glibc, cannot be taken "
        "back");
  chk_snap_drop(s);
  (void)fflush(NULL); /* else each run would find what is in the buffers now, and print it again */
  settle_malloc();
  chk_snap_warm(s);
  s->pool_left = s->pool_bytes;
  int rc = chk_ranges_make(s);
  uint64_t most = chk_areas_most();
  s->splits_cap = most > s->n_areas + SPARE_AREAS ? most - s->n_areas - SPARE_AREAS : 0;
  s->malloc_maps = malloc_maps();
  s->brk = sbrk(0);
  s->taken = true; /* also if it has failed: drop cleans up */
  char here;
  if (rc == EYOT_OK && chk_snap_has(s, (uintptr_t)&here, (uintptr_t)&here + 1))
    rc = EYOTI_FAIL(EYOT_ESYS, "taken on a stack that is not kept");
  if (rc == EYOT_OK) return protect(s);
  chk_snap_drop(s);
  return rc;
}

/* Discards the whole pages of [low, high). */
static void give_back(uintptr_t low, uintptr_t high) {
  low = chk_page_up(low), high = chk_page_down(high);
  if (low < high) (void)madvise((void *)low, high - low, MADV_DONTNEED);
}

void chk_snap_drop(struct chk_snap *s) {
  if (!s->taken) return;
  for (uint32_t i = 0; i < s->n_ranges; i++) {
    const struct chk_snap_span *r = &s->ranges[i];
    int rc = mprotect((void *)r->at.low, r->at.high - r->at.low, r->prot);
    EYOTI_ASSERT(rc == 0);
  }
  chk_ranges_free(s, 0);
  chk_run_maps_drop(s);
  uintptr_t pool = (uintptr_t)s->pool;
  give_back(pool, pool + s->n_saved * sizeof(struct chk_saved));
  give_back(pool + s->pool_left, pool + s->pool_bytes);
  s->n_saved = s->n_sorted = 0;
  s->splits = 0;
  s->taken = false;
}

/* Shellsort with Knuth's gaps (The Art of Computer Programming, volume 3, section 5.2.1): all but
 * the last few are sorted already, and qsort may allocate. */
static void sort(struct chk_snap *s) {
  struct chk_saved *a = chk_saved(s);
  uint32_t n = s->n_saved, gap = 1;
  while (gap < n / 9) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (uint32_t i = gap; i < n; i++) {
      struct chk_saved one = a[i];
      uint32_t j = i;
      for (; j >= gap && a[j - gap].low > one.low; j -= gap) a[j] = a[j - gap];
      a[j] = one;
    }
  s->n_sorted = n;
}

/* Restores the end of the heap, which is state of the kernel. */
static void restore_heap(struct chk_snap *s) {
  char *now = sbrk(0);
  if (now == s->brk) return;
  void *before = sbrk(s->brk - now);
  EYOTI_ASSERT(before == now);
  /* Memory that a run has returned is there again, but empty, and not protected. */
  uintptr_t low = chk_page_up((uintptr_t)now), high = chk_page_up((uintptr_t)s->brk);
  if (low >= high) return;
  struct chk_snap_span *r = chk_snap_range(s, low);
  EYOTI_ASSERT(r != NULL && r->at.low <= low && r->at.high >= high);
  bool open = chk_snap_open(s, r, (low - r->at.low) / CHK_PAGE, (high - low) / CHK_PAGE);
  EYOTI_ASSERT(open);
}

void chk_snap_restore(struct chk_snap *s) {
  char here;
  EYOTI_ASSERT(s->taken && !chk_snap_has(s, (uintptr_t)&here, (uintptr_t)&here + 1));
  if (s->malloc_maps > 0 && malloc_maps() < s->malloc_maps)
    EYOTI_PANIC("a run has freed a block that malloc had mapped before chk_snap_new was called");
  restore_heap(s);
  if (s->n_sorted < s->n_saved) sort(s);
  const struct chk_saved *a = chk_saved(s);
  for (uint32_t i = 0; i < s->n_saved; i++) {
    if (a[i].saved != NULL) {
      memcpy((void *)a[i].low, a[i].saved, a[i].bytes);
    } else {
      int rc = madvise((void *)a[i].low, a[i].bytes, MADV_DONTNEED);
      EYOTI_ASSERT(rc == 0);
    }
  }
  chk_run_maps_restore(s);
}

uint64_t chk_snap_pages(const struct chk_snap *s) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < s->n_saved; i++)
    bytes += chk_saved(s)[i].saved != NULL ? chk_saved(s)[i].bytes : 0;
  return (bytes + CHK_PAGE - 1) / CHK_PAGE;
}
