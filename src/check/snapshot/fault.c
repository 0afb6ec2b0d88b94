/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.c - handles the first write to a page of the snapshot: saves the page and opens it for
 * writing (snap.h).
 *
 * Why it exists: an open page among closed ones splits their mapping in three, and the system
 * limits the number of mappings (vm.max_map_count). When splits have used up a share of what is
 * left of the limit, whole blocks are opened instead of pages. In a block, pages that were never
 * touched are not saved, which would allocate gigabytes of reserved addresses, but recorded as
 * absent and removed at each restore.
 *
 * Runs in the handler of SIGSEGV, on a kept stack: it calls nothing that writes outside of mem.h's
 * memory and this stack, except functions that chk_snap_take has called before it (a first call may
 * write where the linker stores its address). */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/snapshot/state.h"

/* pagemap, in the kernel's Documentation/admin-guide/mm/pagemap.rst: in memory, or swapped out */
#define PRESENT ((uint64_t)3 << 62)

/* Opens that many pages at once while splits are below so many twelfths of their limit; above all
 * limits, the whole range. */
static const struct {
  uint32_t below;
  size_t pages;
} BLOCKS[] = {{4, 1}, {8, 16}, {11, 256}};
#define N_BLOCKS (sizeof BLOCKS / sizeof *BLOCKS)

static void snap_say(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

/* Reads which of n <= 512 pages from `low` are present; all, if the system does not say. Opens
 * pagemap each time: a child's pages are not its parent's. */
static void present(struct chk_snap *s, uintptr_t low, size_t n) {
  int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  ssize_t bytes = (ssize_t)(n * sizeof *s->page_info);
  bool known = fd >= 0 && pread(fd, s->page_info, (size_t)bytes,
                                (off_t)(low / CHK_PAGE * sizeof *s->page_info)) == bytes;
  if (fd >= 0) close(fd);
  for (size_t i = 0; i < n && !known; i++) s->page_info[i] = PRESENT;
}

struct chk_snap_span *chk_snap_range(const struct chk_snap *s, uintptr_t address) {
  uint32_t low = 0, high = s->n_ranges;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->ranges[middle].at.high <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->n_ranges ? &s->ranges[low] : NULL;
}

void chk_snap_warm(struct chk_snap *s) {
  snap_say("");
  present(s, (uintptr_t)s->pool, 1);
  (void)mprotect((void *)chk_page_down((uintptr_t)s->pool), CHK_PAGE, PROT_READ | PROT_WRITE);
  (void)madvise((void *)chk_page_down((uintptr_t)s->pool), 0, MADV_DONTNEED);
}

/* Adds an area at the array's end, and `bytes` of saved pages at the other end of the pool. */
static bool snap_add(struct chk_snap *s, uintptr_t low, size_t bytes, bool present) {
  /* copies are faster to aligned addresses */
  size_t copy = present ? (bytes + 63) / 64 * 64 : 0;
  if (s->pool_left < ((size_t)s->n_saved + 1) * sizeof(struct chk_saved) + copy) {
    snap_say("eyot: the checker has no memory left for saved pages\n");
    return false;
  }
  s->pool_left -= copy;
  void *to = present ? s->pool + s->pool_left : NULL;
  if (present) memcpy(to, (const void *)low, bytes);
  chk_saved(s)[s->n_saved++] = (struct chk_saved){.low = low, .bytes = bytes, .saved = to};
  return true;
}

bool chk_snap_save(struct chk_snap *s, uintptr_t low, size_t bytes) {
  return snap_add(s, low, bytes, true);
}

/* The number of borders between open and closed pages, from before `first` to after `last`. */
static uint64_t borders(const struct chk_snap_span *r, size_t first, size_t last) {
  size_t pages = (r->at.high - r->at.low) / CHK_PAGE;
  bool before = first > 0 && chk_bit(r->open, first - 1);
  uint64_t n = 0;
  for (size_t i = first; i <= last + 1; i++) {
    bool open = i < pages && chk_bit(r->open, i);
    n += open != before;
    before = open;
  }
  return n;
}

/* Saves the closed pages of [first, first + n), n <= 512. */
static bool save_block(struct chk_snap *s, struct chk_snap_span *r, size_t first, size_t n) {
  uintptr_t base = r->at.low + first * CHK_PAGE;
  if (n > 1)
    present(s, base, n);
  else
    s->page_info[0] = PRESENT;
  for (size_t i = 0, end; i < n; i = end) {
    bool open = chk_bit(r->open, first + i), there = (s->page_info[i] & PRESENT) != 0;
    for (end = i + 1; end < n && chk_bit(r->open, first + end) == open &&
                      ((s->page_info[end] & PRESENT) != 0) == there;)
      end++;
    if (!open && !snap_add(s, base + i * CHK_PAGE, (end - i) * CHK_PAGE, there)) return false;
  }
  for (size_t i = 0; i < n; i++) chk_set_bit(r->open, first + i);
  return true;
}

bool chk_snap_open(struct chk_snap *s, struct chk_snap_span *r, size_t first, size_t n) {
  const size_t most = sizeof s->page_info / sizeof *s->page_info;
  if (mprotect((void *)(r->at.low + first * CHK_PAGE), n * CHK_PAGE, r->prot) != 0) return false;
  uint64_t before = borders(r, first, first + n - 1);
  for (size_t i = 0; i < n; i += most)
    if (!save_block(s, r, first + i, n - i < most ? n - i : most)) return false;
  s->splits = s->splits + borders(r, first, first + n - 1) - before;
  return true;
}

/* Opens the part of the block of `block` pages around page i that lies in the range. */
static bool open_block(struct chk_snap *s, struct chk_snap_span *r, size_t i, size_t block) {
  size_t pages = (r->at.high - r->at.low) / CHK_PAGE, low_page = r->at.low / CHK_PAGE;
  size_t start = (low_page + i) / block * block, first = start > low_page ? start - low_page : 0,
         end = start + block - low_page;
  return chk_snap_open(s, r, first, (end < pages ? end : pages) - first);
}

bool chk_snap_fault(struct chk_snap *s, const void *address) {
  if (s == NULL || !s->taken) return false;
  uintptr_t a = (uintptr_t)address;
  struct chk_snap_span *r = chk_snap_range(s, a);
  if (r == NULL || a < r->at.low) return chk_run_map_fault(s, a);
  size_t i = (a - r->at.low) / CHK_PAGE;
  if (chk_bit(r->open, i)) return false; /* it is writable: the fault has another cause */
  for (size_t level = 0; level < N_BLOCKS; level++)
    if (s->splits * 12 < s->splits_cap * BLOCKS[level].below &&
        open_block(s, r, i, BLOCKS[level].pages))
      return true;
  return chk_snap_open(s, r, 0, (r->at.high - r->at.low) / CHK_PAGE);
}
