/* ec_snap.c - takes the process back to a snapshot of its writable memory.
 *
 * Why it exists: see ec_snap.h. This file takes, restores and drops; what happens at the first write to a page is in ec_snap_fault.c.
 *
 * Two kinds of pages cannot wait for their first write, because the writer would not get there or is the kernel: those of the thread's
 * descriptor and of errno, which the handler itself may write, and that of the area of restartable sequences (rseq(2)), which the kernel
 * writes when it moves the thread to another processor, and ends the process if it cannot. They are saved and open from the start; the area
 * itself is the kernel's and is not copied back. SPDX-License-Identifier: BSD-3-Clause */
#include "ec_snap.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/check.h"
#include "ec_mem.h"
#include "ec_snap_int.h"

#define POOL_BYTES ((size_t)16 << 30) /* of addresses */
#define LEAST_POOL ((size_t)4 << 20)
#define HEAP_AHEAD (16 << 20)  /* bytes that the heap is made larger by, so that runs seldom do it */
#define DESCRIPTOR_BYTES 4096u /* struct pthread has some 2,300 */
#define RSEQ_BYTES 32u         /* as glibc registers it, at least */
#define SPARE_AREAS 1024u      /* mappings that are left to others */

/* Where glibc (2.35 and later) has its area of restartable sequences, relative to the thread pointer. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

static uintptr_t down(uintptr_t p) {
  return p / EC_PAGE * EC_PAGE;
}
static uintptr_t up(uintptr_t p) {
  return (p + EC_PAGE - 1) / EC_PAGE * EC_PAGE;
}

/* Blocks that malloc has mapped one by one: freeing one in a run would remove its mapping. */
static uint64_t malloc_maps(void) {
#if __GLIBC_PREREQ(2, 33)
  return mallinfo2().hblks;
#else
  return (uint64_t)mallinfo().hblks;
#endif
}

int ec_snap_new(struct ec_snap **out) {
  struct ec_snap *s = ec_alloc(sizeof *s);
  if (s == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the state of a snapshot");
  s->pool_bytes = POOL_BYTES;
  while ((s->pool = ec_alloc(s->pool_bytes)) == NULL && s->pool_bytes > LEAST_POOL) s->pool_bytes /= 2;
  if (s->pool == NULL) {
    ec_free(s);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for saved pages");
  }
  (void)mallopt(M_MMAP_MAX, 0);
  void *base;
  size_t bytes;
  ec_mem_region(&base, &bytes);
  int rc = ec_snap_keep(s, base, bytes);
  if (rc != EYOT_OK) {
    ec_snap_delete(s);
    return rc;
  }
  *out = s;
  return EYOT_OK;
}

void ec_snap_delete(struct ec_snap *s) {
  if (s == NULL) return;
  ec_snap_drop(s);
  ec_free(s->ranges);
  ec_free(s->cuts.at);
  ec_free(s->keep.at);
  ec_free(s->maps);
  ec_free(s->pool);
  ec_free(s);
}

static int add_area(struct ec_areas *a, struct ec_area area) {
  if (a->n == a->cap) {
    uint32_t cap = a->cap > 0 ? 2 * a->cap : 16;
    struct ec_area *larger = ec_resize(a->at, cap * sizeof *larger);
    if (larger == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u areas", cap);
    a->at = larger;
    a->cap = cap;
  }
  a->at[a->n++] = area;
  return EYOT_OK;
}

int ec_snap_keep(struct ec_snap *s, const void *p, size_t bytes) {
  EYOTI_ASSERT(!s->taken);
  if (bytes == 0) return EYOT_OK;
  return add_area(&s->keep, (struct ec_area){down((uintptr_t)p), up((uintptr_t)p + bytes)});
}

/* Sorted, overlapping ones made one. */
static void tidy(struct ec_areas *a) {
  for (uint32_t i = 1; i < a->n; i++)
    for (uint32_t j = i; j > 0 && a->at[j].low < a->at[j - 1].low; j--) {
      struct ec_area t = a->at[j];
      a->at[j] = a->at[j - 1];
      a->at[j - 1] = t;
    }
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    if (n > 0 && a->at[i].low <= a->at[n - 1].high) {
      if (a->at[i].high > a->at[n - 1].high) a->at[n - 1].high = a->at[i].high;
    } else {
      a->at[n++] = a->at[i];
    }
  }
  a->n = n;
}

static bool kept(const struct ec_snap *s, uintptr_t page) {
  for (uint32_t i = 0; i < s->keep.n; i++)
    if (page >= s->keep.at[i].low && page < s->keep.at[i].high) return true;
  return false;
}

/* A page that is open from the start, saved but for [hole, hole + hole_bytes). */
static int open_early(struct ec_snap *s, uintptr_t page, uintptr_t hole, size_t hole_bytes) {
  if (kept(s, page)) return EYOT_OK;
  for (uint32_t i = 0; i < s->cuts.n; i++)
    if (s->cuts.at[i].low == page && s->cuts.at[i].high == page + EC_PAGE) return EYOT_OK;
  uintptr_t end = page + EC_PAGE, from = hole > page ? hole : page, to = hole + hole_bytes < end ? hole + hole_bytes : end;
  if (from >= to) from = to = end;
  if (from > page && !ec_snap_save(s, page, from - page)) return EYOT_ENOMEM;
  if (to < end && !ec_snap_save(s, to, end - to)) return EYOT_ENOMEM;
  return add_area(&s->cuts, (struct ec_area){page, end});
}

static int choose_cuts(struct ec_snap *s) {
  s->cuts.n = 0;
  for (uint32_t i = 0; i < s->keep.n; i++) EYOTI_TRY(add_area(&s->cuts, s->keep.at[i]));
  uintptr_t thread = (uintptr_t)__builtin_thread_pointer(), rseq = 0;
  size_t rseq_bytes = 0;
  if (&__rseq_size != NULL && __rseq_size > 0) {
    rseq = thread + (uintptr_t)__rseq_offset;
    rseq_bytes = (__rseq_size + RSEQ_BYTES - 1) / RSEQ_BYTES * RSEQ_BYTES;
    for (uintptr_t p = down(rseq); p < rseq + rseq_bytes; p += EC_PAGE) EYOTI_TRY(open_early(s, p, rseq, rseq_bytes));
  }
  for (uintptr_t p = down(thread); p < thread + DESCRIPTOR_BYTES; p += EC_PAGE) EYOTI_TRY(open_early(s, p, rseq, rseq_bytes));
  EYOTI_TRY(open_early(s, down((uintptr_t)&errno), rseq, rseq_bytes));
  tidy(&s->cuts);
  return EYOT_OK;
}

static int add_range(struct ec_snap *s, struct ec_area at, int prot) {
  if (at.low >= at.high) return EYOT_OK;
  if (s->n_ranges == s->cap_ranges) {
    uint32_t cap = s->cap_ranges > 0 ? 2 * s->cap_ranges : 256;
    struct ec_range *larger = ec_resize(s->ranges, cap * sizeof *larger);
    if (larger == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u ranges", cap);
    s->ranges = larger;
    s->cap_ranges = cap;
  }
  uint64_t *open = ec_alloc(((at.high - at.low) / EC_PAGE + 63) / 64 * sizeof *open);
  if (open == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the states of %zu pages", (size_t)(at.high - at.low) / EC_PAGE);
  s->ranges[s->n_ranges++] = (struct ec_range){.at = at, .prot = prot, .open = open};
  return EYOT_OK;
}

/* Of a mapping that is taken back: the parts between the cuts. */
static int visit(struct ec_snap *s, const struct ec_line *line) {
  s->n_areas++;
  if (!line->write || line->shared || line->stack) return EYOT_OK;
  int prot = PROT_WRITE | (line->read ? PROT_READ : 0) | (line->exec ? PROT_EXEC : 0);
  uintptr_t low = line->at.low;
  for (uint32_t i = 0; i < s->cuts.n && s->cuts.at[i].low < line->at.high; i++) {
    if (s->cuts.at[i].high <= low) continue;
    EYOTI_TRY(add_range(s, (struct ec_area){low, s->cuts.at[i].low}, prot));
    low = s->cuts.at[i].high;
  }
  return add_range(s, (struct ec_area){low, line->at.high}, prot);
}

/* One heap, large enough for usual runs, that gives nothing back. */
static void settle_malloc(void) {
  (void)mallopt(M_MMAP_MAX, 0);
  (void)mallopt(M_TRIM_THRESHOLD, -1);
  (void)mallopt(M_TOP_PAD, HEAP_AHEAD);
  void *volatile ahead = malloc(HEAP_AHEAD);
  free(ahead);
}

static int protect(struct ec_snap *s) {
  for (uint32_t i = 0; i < s->n_ranges; i++) {
    const struct ec_range *r = &s->ranges[i];
    if (mprotect((void *)r->at.low, r->at.high - r->at.low, r->prot & ~PROT_WRITE) == 0) continue;
    int error = errno;
    struct ec_area at = r->at;
    ec_snap_drop(s); /* the log must be able to write */
    return EYOTI_FAIL(EYOT_ESYS, "cannot protect %#zx-%#zx: %s", (size_t)at.low, (size_t)at.high, strerror(error));
  }
  return EYOT_OK;
}

int ec_snap_take(struct ec_snap *s) {
  ec_snap_drop(s);
  (void)fflush(NULL); /* else each run would find what is in the buffers now, and print it again */
  settle_malloc();
  s->n_ranges = s->n_saved = s->n_sorted = 0;
  s->pool_left = s->pool_bytes;
  s->splits = s->n_areas = 0;
  ec_snap_warm(s);
  int rc = choose_cuts(s);
  if (rc == EYOT_OK) rc = ec_areas_read(s, visit);
  uint64_t most = ec_areas_most();
  s->room = most > s->n_areas + SPARE_AREAS ? most - s->n_areas - SPARE_AREAS : 0;
  s->malloc_maps = malloc_maps();
  s->brk = sbrk(0);
  s->taken = true; /* also when it is not: drop cleans up */
  char here;
  if (rc == EYOT_OK && ec_snap_has(s, (uintptr_t)&here, (uintptr_t)&here + 1))
    rc = EYOTI_FAIL(EYOT_ESYS, "taken on a stack that is not kept");
  if (rc != EYOT_OK) {
    ec_snap_drop(s);
    return rc;
  }
  return protect(s);
}

/* The whole pages of [low, high). */
static void give_back(uintptr_t low, uintptr_t high) {
  if (up(low) < down(high)) (void)madvise((void *)up(low), down(high) - up(low), MADV_DONTNEED);
}

void ec_snap_drop(struct ec_snap *s) {
  if (!s->taken) return;
  for (uint32_t i = 0; i < s->n_ranges; i++) {
    struct ec_range *r = &s->ranges[i];
    int rc = mprotect((void *)r->at.low, r->at.high - r->at.low, r->prot);
    EYOTI_ASSERT(rc == 0);
    ec_free(r->open);
  }
  s->n_ranges = 0;
  ec_run_maps_drop(s);
  uintptr_t pool = (uintptr_t)s->pool;
  give_back(pool, pool + s->n_saved * sizeof(struct ec_saved));
  give_back(pool + s->pool_left, pool + s->pool_bytes);
  s->n_saved = s->n_sorted = 0;
  s->taken = false;
}

/* Shell's, with Knuth's gaps (The Art of Computer Programming 5.2.1): all but the last few are sorted already, and qsort may allocate. */
static void sort(struct ec_snap *s) {
  struct ec_saved *a = ec_saved(s);
  uint32_t n = s->n_saved, gap = 1;
  while (gap < n / 9) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (uint32_t i = gap; i < n; i++) {
      struct ec_saved one = a[i];
      uint32_t j = i;
      for (; j >= gap && a[j - gap].low > one.low; j -= gap) a[j] = a[j - gap];
      a[j] = one;
    }
  s->n_sorted = n;
}

/* The end of the heap, which is the kernel's state. */
static void restore_heap(struct ec_snap *s) {
  char *now = sbrk(0);
  if (now == s->brk) return;
  void *before = sbrk(s->brk - now);
  EYOTI_ASSERT(before == now);
  /* What a run has given back is there again, but empty, and not protected. */
  uintptr_t low = up((uintptr_t)now), high = up((uintptr_t)s->brk);
  if (low >= high) return;
  struct ec_range *r = ec_snap_range(s, low);
  EYOTI_ASSERT(r != NULL && r->at.low <= low && r->at.high >= high);
  bool open = ec_snap_open(s, r, (low - r->at.low) / EC_PAGE, (high - low) / EC_PAGE);
  EYOTI_ASSERT(open);
}

void ec_snap_restore(struct ec_snap *s) {
  char here;
  EYOTI_ASSERT(s->taken && !ec_snap_has(s, (uintptr_t)&here, (uintptr_t)&here + 1));
  if (s->malloc_maps > 0 && malloc_maps() < s->malloc_maps)
    EYOTI_PANIC("a run has freed a block that malloc had mapped before ec_snap_new was called");
  restore_heap(s);
  if (s->n_sorted < s->n_saved) sort(s);
  const struct ec_saved *a = ec_saved(s);
  for (uint32_t i = 0; i < s->n_saved; i++) {
    if (a[i].saved != NULL) {
      memcpy((void *)a[i].low, a[i].saved, a[i].bytes);
    } else {
      int rc = madvise((void *)a[i].low, a[i].bytes, MADV_DONTNEED);
      EYOTI_ASSERT(rc == 0);
    }
  }
  ec_run_maps_restore(s);
}

uint64_t ec_snap_pages(const struct ec_snap *s) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < s->n_saved; i++) bytes += ec_saved(s)[i].saved != NULL ? ec_saved(s)[i].bytes : 0;
  return (bytes + EC_PAGE - 1) / EC_PAGE;
}
