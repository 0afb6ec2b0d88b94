/* SPDX-License-Identifier: BSD-3-Clause */
/* ranges.c - selects the pages that the snapshot protects: all private writable mappings, except
 * what is kept and what must be open from the start.
 *
 * Why it exists: some pages cannot wait for their first write. Those of the thread's descriptor and
 * of errno, since the handler itself may write them; those that the C library writes while it
 * blocks signals (blocked.c); and that of the area of restartable sequences (rseq(2)), since the
 * kernel writes it when it moves the thread to another processor, and kills the process if it
 * cannot. They are saved and open from the start; the area itself belongs to the kernel and is not
 * restored. */
#include <errno.h>
#include <sys/mman.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/snapshot/state.h"

#define RSEQ_BYTES 32u /* the least that glibc registers */

/* Where glibc (2.35 and later) has its area of restartable sequences, relative to the thread
 * pointer. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

static int add_area(struct chk_areas *a, struct chk_area area) {
  if (a->n == a->cap) {
    uint32_t cap = a->cap > 0 ? 2 * a->cap : 16;
    struct chk_area *larger = chk_resize(a->at, cap * sizeof *larger);
    if (larger == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u areas", cap);
    a->at = larger;
    a->cap = cap;
  }
  a->at[a->n++] = area;
  return EYOT_OK;
}

int chk_snap_keep(struct chk_snap *s, const void *p, size_t bytes) {
  EYOTI_ASSERT(!s->taken);
  if (bytes == 0) return EYOT_OK;
  return add_area(
      &s->keep, (struct chk_area){chk_page_down((uintptr_t)p), chk_page_up((uintptr_t)p + bytes)});
}

/* Sorts by insertion (there are few areas), and merges overlapping ones. */
static void tidy(struct chk_areas *a) {
  for (uint32_t i = 1; i < a->n; i++)
    for (uint32_t j = i; j > 0 && a->at[j].low < a->at[j - 1].low; j--) {
      struct chk_area t = a->at[j];
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

static bool kept(const struct chk_snap *s, uintptr_t page) {
  for (uint32_t i = 0; i < s->keep.n; i++)
    if (page >= s->keep.at[i].low && page < s->keep.at[i].high) return true;
  return false;
}

/* Saves a page that is open from the start, except [hole, hole + hole_bytes). */
static int open_early(struct chk_snap *s, uintptr_t page, uintptr_t hole, size_t hole_bytes) {
  if (kept(s, page)) return EYOT_OK;
  for (uint32_t i = 0; i < s->cuts.n; i++)
    if (s->cuts.at[i].low == page && s->cuts.at[i].high == page + CHK_PAGE) return EYOT_OK;
  uintptr_t end = page + CHK_PAGE, from = hole > page ? hole : page,
            to = hole + hole_bytes < end ? hole + hole_bytes : end;
  if (from >= to) from = to = end;
  if (from > page && !chk_snap_save(s, page, from - page)) return EYOT_ENOMEM;
  if (to < end && !chk_snap_save(s, to, end - to)) return EYOT_ENOMEM;
  return add_area(&s->cuts, (struct chk_area){page, end});
}

static int choose_cuts(struct chk_snap *s) {
  s->cuts.n = 0;
  for (uint32_t i = 0; i < s->keep.n; i++) EYOTI_TRY(add_area(&s->cuts, s->keep.at[i]));
  uintptr_t thread = (uintptr_t)__builtin_thread_pointer(), rseq = 0;
  size_t rseq_bytes = 0;
  if (&__rseq_size != NULL && __rseq_size > 0) {
    rseq = thread + (uintptr_t)__rseq_offset;
    rseq_bytes = (__rseq_size + RSEQ_BYTES - 1) / RSEQ_BYTES * RSEQ_BYTES;
    for (uintptr_t p = chk_page_down(rseq); p < rseq + rseq_bytes; p += CHK_PAGE)
      EYOTI_TRY(open_early(s, p, rseq, rseq_bytes));
  }
  EYOTI_TRY(open_early(s, chk_page_down(thread), rseq, rseq_bytes));
  EYOTI_TRY(open_early(s, chk_page_down((uintptr_t)&errno), rseq, rseq_bytes));
  for (uintptr_t p = s->blocked.low; p < s->blocked.high; p += CHK_PAGE)
    EYOTI_TRY(open_early(s, p, rseq, rseq_bytes));
  tidy(&s->cuts);
  return EYOT_OK;
}

static int add_range(struct chk_snap *s, struct chk_area at, int prot) {
  if (at.low >= at.high) return EYOT_OK;
  if (s->n_ranges == s->cap_ranges) {
    uint32_t cap = s->cap_ranges > 0 ? 2 * s->cap_ranges : 256;
    struct chk_snap_span *larger = chk_resize(s->ranges, cap * sizeof *larger);
    if (larger == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u ranges", cap);
    s->ranges = larger;
    s->cap_ranges = cap;
  }
  uint64_t *open = chk_alloc(((at.high - at.low) / CHK_PAGE + 63) / 64 * sizeof *open);
  if (open == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the states of %zu pages",
                      (size_t)(at.high - at.low) / CHK_PAGE);
  s->ranges[s->n_ranges++] = (struct chk_snap_span){.at = at, .prot = prot, .open = open};
  return EYOT_OK;
}

/* Protects a mapping that will be restored: the parts between the cuts. */
static int visit(struct chk_snap *s, const struct chk_line *line) {
  s->n_areas++;
  if (!line->write || line->shared || line->stack) return EYOT_OK;
  int prot = PROT_WRITE | (line->read ? PROT_READ : 0) | (line->exec ? PROT_EXEC : 0);
  uintptr_t low = line->at.low;
  for (uint32_t i = 0; i < s->cuts.n && s->cuts.at[i].low < line->at.high; i++) {
    if (s->cuts.at[i].high <= low) continue;
    EYOTI_TRY(add_range(s, (struct chk_area){low, s->cuts.at[i].low}, prot));
    low = s->cuts.at[i].high;
  }
  return add_range(s, (struct chk_area){low, line->at.high}, prot);
}

int chk_ranges_make(struct chk_snap *s) {
  s->n_areas = 0;
  EYOTI_TRY(choose_cuts(s));
  return chk_areas_read(s, visit);
}

void chk_ranges_free(struct chk_snap *s, uint32_t from) {
  for (uint32_t i = from; i < s->n_ranges; i++) chk_free(s->ranges[i].open);
  s->n_ranges = from;
}
