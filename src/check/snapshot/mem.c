/* SPDX-License-Identifier: BSD-3-Clause */
/* mem.c - the region whose memory outlives runs, and its allocator (mem.h).
 *
 * Why it exists: restoring a snapshot (snap.h) takes back malloc's state and blocks. Everything
 * here is in one mapping of its own, the allocator's state included; the only word outside is the
 * pointer to it. That word lies in memory that is restored. It is set with the first block, hence
 * before any snapshot (chk_snap_new allocates), so the restored value is the right one.
 *
 * Blocks come in classes, four to a doubling, each with a free list. The region is reserved but not
 * committed, so rounding up costs addresses, not memory; freed blocks return their pages from 1 MiB
 * on. No function here allocates by other means or writes outside of the region. */
#include "check/snapshot/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "base/page.h"

#define REGION_BYTES ((size_t)64 << 30)
#define LEAST_REGION ((size_t)64 << 20)
#define LARGE ((size_t)1 << 20)
#define UNIT ((size_t)64) /* of alignment, and the header's size */
#define PAGE EYOTI_PAGE
#define N_CLASSES 160u /* up to 2^45 bytes */
#define USED 0x4543555345444C4Bu
#define FREE 0x4543465245454C4Bu

/* Precedes each block. */
struct head {
  uint64_t state; /* USED or FREE */
  size_t bytes;   /* as requested */
  uint32_t class;
  struct head *next; /* the free list of the class */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct head) == UNIT, "blocks must be aligned");

struct region {
  size_t bytes, used;
  struct head *free[N_CLASSES];
};

static struct region *region;

/* Sizes of blocks in units, header included: 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20 ... */
static size_t class_bytes(uint32_t c) {
  return (c < 2 ? 2 + (size_t)c : (size_t)(4 + (c - 2) % 4) << ((c - 2) / 4)) * UNIT;
}

/* The smallest class that holds `total` bytes. */
static uint32_t class_of(size_t total) {
  size_t units = (total + UNIT - 1) / UNIT;
  if (units <= 4) return units <= 2 ? 0 : (uint32_t)units - 2;
  /* The two bits after the leading one of units - 1 select the quarter of the doubling. */
  uint32_t log = 63 - (uint32_t)__builtin_clzll(units - 1);
  uint32_t quarter = (uint32_t)((units - 1) >> (log - 2)) - 4;
  return (log - 2) * 4 + quarter + 3;
}

static bool open_region(void) {
  if (region != NULL) return true;
  for (size_t bytes = REGION_BYTES; bytes >= LEAST_REGION; bytes /= 2) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED) continue;
    region = p;
    region->bytes = bytes;
    region->used = (sizeof *region + PAGE - 1) / PAGE * PAGE;
    return true;
  }
  return false;
}

/* Takes a new block at the end of the used part; zeroed, because the system's pages are. */
static struct head *mem_fresh(uint32_t c) {
  size_t bytes = class_bytes(c);
  /* Large blocks begin at a page, so that returning their pages does not affect others. */
  size_t at = bytes > LARGE ? (region->used + PAGE - 1) / PAGE * PAGE : region->used;
  if (region->bytes - at < bytes || at > region->bytes) return NULL;
  struct head *h = (struct head *)((char *)region + at);
  region->used = at + bytes;
  h->class = c;
  return h;
}

static struct head *recycle(uint32_t c, size_t bytes) {
  struct head *h = region->free[c];
  EYOTI_ASSERT(h->state == FREE && h->class == c);
  region->free[c] = h->next;
  size_t total = class_bytes(c);
  /* All pages of a large block but the header's are new. */
  memset(h + 1, 0, total > LARGE ? PAGE - UNIT : bytes);
  return h;
}

void *chk_alloc(size_t bytes) {
  if (bytes == 0 || bytes > REGION_BYTES || !open_region()) return NULL;
  uint32_t c = class_of(bytes + UNIT);
  EYOTI_ASSERT(c < N_CLASSES && class_bytes(c) >= bytes + UNIT);
  struct head *h = region->free[c] != NULL ? recycle(c, bytes) : mem_fresh(c);
  if (h == NULL) return NULL;
  h->state = USED;
  h->bytes = bytes;
  h->next = NULL;
  return h + 1;
}

static struct head *head_of(void *p) {
  struct head *h = (struct head *)p - 1;
  EYOTI_ASSERT(region != NULL && (char *)p > (char *)region &&
               (char *)p < (char *)region + region->used);
  EYOTI_ASSERT((uintptr_t)p % UNIT == 0 && h->state == USED);
  return h;
}

void chk_free(void *p) {
  if (p == NULL) return;
  struct head *h = head_of(p);
  size_t total = class_bytes(h->class);
  h->state = FREE;
  h->next = region->free[h->class];
  region->free[h->class] = h;
  if (total > LARGE && madvise((char *)h + PAGE, total / PAGE * PAGE - PAGE, MADV_DONTNEED) != 0)
    memset((char *)h + PAGE, 0, total - PAGE); /* the pages of locked memory cannot be returned */
}

void *chk_resize(void *p, size_t bytes) {
  if (p == NULL) return chk_alloc(bytes);
  if (bytes == 0) {
    chk_free(p);
    return NULL;
  }
  struct head *h = head_of(p);
  if (bytes <= class_bytes(h->class) - UNIT) {
    /* After the requested bytes there may be bytes of an earlier block at this address. */
    if (bytes > h->bytes) memset((char *)p + h->bytes, 0, bytes - h->bytes);
    h->bytes = bytes;
    return p;
  }
  void *larger = chk_alloc(bytes);
  if (larger == NULL) return NULL;
  memcpy(larger, p, h->bytes);
  chk_free(p);
  return larger;
}

void chk_mem_region(void **base, size_t *bytes) {
  bool open = open_region();
  *base = open ? region : NULL;
  *bytes = open ? region->bytes : 0;
}
