/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - the heaps. Each thread has one part of a collective allocation: the global heap's, equal
 * on all threads, then its local heap. A heap has a table of its extents (the global one at thread
 * 0), which the thread that allocates or frees reads and writes under a lock, so that any thread
 * can free. Source: D. Lewis, "An OpenSHMEM Runtime for UPC",
 * 2020, chapter IV, Memory Management. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interfaces/upc/upc.h"

#define ALIGN 64u

struct extent {
  uint64_t first, bytes; /* used: the lowest bit of bytes, which are a multiple of ALIGN */
};
struct heap_table {
  uint64_t extents;
  struct extent e[UPC_BLOCKS_MAX]; /* sorted, without gaps */
};
/* At each thread. */
struct control {
  eyot_lock_t lock;                /* guards freed and local */
  eyot_gptr_t freed;               /* the list of locks.c */
  struct heap_table local, global; /* global: at thread 0 */
};

/* One of the heaps. */
struct heap {
  eyot_lock_t lock;
  eyot_gptr_t table;
  uint32_t thread; /* of a local heap */
  bool local;
};

static struct heap_table work; /* the caller's copy of a table, while it has its lock */

static eyot_gptr_t control_at(uint32_t thread, uint64_t byte) {
  return eyot_gptr_add(eyot_gptr_at(upci.control, (eyot_unit_t){thread}), (int64_t)byte);
}

static struct heap global_heap(void) {
  return (struct heap){upci.table_lock, control_at(0, offsetof(struct control, global)), 0, false};
}

static struct heap local_heap(uint32_t thread) {
  struct heap h = {.table = control_at(thread, offsetof(struct control, local)),
                   .thread = thread,
                   .local = true};
  upci_must(eyot_get(&h.lock, control_at(thread, offsetof(struct control, lock)), sizeof h.lock));
  return h;
}

/* -- tables ------------------------------------------------------------------------------------ */

static void table_open(const struct heap *h) {
  upci_must(eyot_lock_acquire(h->lock, EYOT_LOCK_EXCLUSIVE));
  upci_must(eyot_get(&work.extents, h->table, sizeof work.extents));
  upci_must(eyot_get(work.e, eyot_gptr_add(h->table, offsetof(struct heap_table, e)),
                     work.extents * sizeof *work.e));
}

static void table_close(const struct heap *h) {
  upci_must(
      eyot_put(h->table, &work, offsetof(struct heap_table, e) + work.extents * sizeof *work.e));
  upci_must(eyot_lock_release(h->lock));
}

static void extent_insert(uint64_t i, struct extent e) {
  memmove(&work.e[i + 1], &work.e[i], (work.extents - i) * sizeof e);
  work.e[i] = e;
  work.extents++;
}

static void extent_remove(uint64_t i) {
  work.extents--;
  memmove(&work.e[i], &work.e[i + 1], (work.extents - i) * sizeof *work.e);
}

/* Takes `bytes` bytes of a heap; returns their place in a thread's part. */
static uint64_t take(const struct heap *h, uint64_t bytes) {
  if (bytes <= upci.heap_bytes) bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  table_open(h);
  uint64_t i = 0;
  while (i < work.extents && ((work.e[i].bytes & 1) || work.e[i].bytes < bytes)) i++;
  bool splits = i < work.extents && work.e[i].bytes > bytes;
  if (i == work.extents || (splits && work.extents == UPC_BLOCKS_MAX))
    upci_fail(EYOT_ENOMEM,
              "the %s heap has no %" PRIu64
              " bytes left%s, or %d allocations and gaps; it has %" PRIu64
              " bytes: raise UPC_SHARED_HEAP_SIZE, or free memory",
              h->local ? "local" : "global", bytes, h->local ? "" : " on each thread",
              UPC_BLOCKS_MAX, upci.heap_bytes);
  struct extent *e = &work.e[i];
  uint64_t first = e->first, left = e->bytes - bytes;
  e->bytes = bytes | 1;
  if (splits) extent_insert(i + 1, (struct extent){first + bytes, left});
  table_close(h);
  return first;
}

static void give(const struct heap *h, uint64_t first) {
  table_open(h);
  uint64_t i = 0;
  while (i < work.extents && work.e[i].first != first) i++;
  if (i == work.extents || !(work.e[i].bytes & 1)) {
    char of[32] = "the global heap";
    if (h->local) snprintf(of, sizeof of, "thread %" PRIu32 "'s local heap", h->thread);
    upci_fail(EYOT_ESEG,
              "byte %" PRIu64 " of %s is not the start of an allocation, or was freed before",
              first - (h->local ? UPCI_LOCAL_FIRST : UPCI_GLOBAL_FIRST), of);
  }
  work.e[i].bytes -= 1;
  if (i + 1 < work.extents && !(work.e[i + 1].bytes & 1)) {
    work.e[i].bytes += work.e[i + 1].bytes;
    extent_remove(i + 1);
  }
  if (i > 0 && !(work.e[i - 1].bytes & 1)) {
    work.e[i - 1].bytes += work.e[i].bytes;
    extent_remove(i);
  }
  table_close(h);
}

/* -- allocation -------------------------------------------------------------------------------- */

static eyot_gptr_t part_at(uint32_t thread, uint64_t byte) {
  return eyot_gptr_add(eyot_gptr_at(upci.heap, (eyot_unit_t){thread}), (int64_t)byte);
}

upc_shared_t upc_alloc(size_t bytes) {
  UPCI_ENTER("upc_alloc");
  if (bytes == 0) return UPC_NULL;
  struct heap h = local_heap(upci_run.me);
  return (upc_shared_t){part_at(upci_run.me, take(&h, bytes)), 0};
}

/* The bytes of a thread's part. */
static uint64_t part_of(size_t nblocks, size_t bytes) {
  uint64_t part, blocks = nblocks / upci_run.threads + (nblocks % upci_run.threads != 0);
  if (__builtin_mul_overflow(blocks, bytes, &part) || part > upci.heap_bytes)
    upci_fail(EYOT_ENOMEM,
              "%zu blocks of %zu bytes are more than the global heap, of %" PRIu64
              " bytes on each thread: raise UPC_SHARED_HEAP_SIZE",
              nblocks, bytes, upci.heap_bytes);
  return part;
}

static upc_shared_t global_take(uint64_t part) {
  struct heap h = global_heap();
  return (upc_shared_t){part_at(0, take(&h, part)), 0};
}

upc_shared_t upc_global_alloc(size_t nblocks, size_t bytes) {
  UPCI_ENTER("upc_global_alloc");
  uint64_t part = part_of(nblocks, bytes);
  return part == 0 ? UPC_NULL : global_take(part);
}

upc_shared_t upci_all_take(size_t nblocks, size_t bytes) {
  uint64_t part = part_of(nblocks, bytes);
  upc_shared_t p = UPC_NULL;
  if (part != 0 && upci_run.me == 0) p = global_take(part);
  upci_must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &p, sizeof p));
  return p;
}

upc_shared_t upc_all_alloc(size_t nblocks, size_t bytes) {
  UPCI_ENTER("upc_all_alloc");
  return upci_all_take(nblocks, bytes);
}

static void free_one(upc_shared_t p) {
  if (upc_isnull(p)) return;
  upci_complete();
  uint64_t byte = p.at.offset - upci.heap.offset;
  if (p.at.seg != upci.heap.seg || p.at.gen != upci.heap.gen || byte < UPCI_GLOBAL_FIRST ||
      byte >= UPCI_LOCAL_FIRST + upci.heap_bytes || p.at.unit >= upci_run.threads)
    upci_fail(EYOT_ESEG,
              "the pointer is to no memory of the heaps: expected one that upc_alloc, "
              "upc_global_alloc or upc_all_alloc returned");
  struct heap h = byte < UPCI_LOCAL_FIRST ? global_heap() : local_heap(p.at.unit);
  if (p.phase != 0 || (!h.local && p.at.unit != 0))
    upci_fail(EYOT_ESEG,
              "the pointer is at thread %u, phase %" PRIu64
              ", expected those of an allocation's start: %s, 0",
              p.at.unit, p.phase, h.local ? "any" : "0");
  give(&h, byte);
}

void upc_free(upc_shared_t p) {
  UPCI_ENTER("upc_free");
  free_one(p);
}

void upc_all_free(upc_shared_t p) {
  UPCI_ENTER("upc_all_free");
  upci_barrier_all();
  if (upci_run.me == 0) free_one(p);
}

/* -- for locks --------------------------------------------------------------------------------- */

eyot_gptr_t upci_local_take(uint64_t bytes) {
  struct heap h = local_heap(upci_run.me);
  return part_at(upci_run.me, take(&h, bytes));
}

void upci_local_give(eyot_gptr_t block) {
  struct heap h = local_heap(upci_run.me);
  give(&h, block.offset - upci.heap.offset);
}

eyot_lock_t upci_local_guard(uint32_t thread) {
  return local_heap(thread).lock;
}

eyot_gptr_t upci_freed_at(uint32_t thread) {
  return control_at(thread, offsetof(struct control, freed));
}

/* -- start and end ----------------------------------------------------------------------------- */

static void table_begin(eyot_gptr_t at, uint64_t first) {
  uint64_t words[] = {1, first, upci.heap_bytes};
  upci_must(eyot_put(at, words, sizeof words));
}

void upci_heap_begin(void) {
  struct control c = {.freed = EYOT_GPTR_NULL};
  upci_must(eyot_team_alloc_raw(EYOT_TEAM_ALL, sizeof c, ALIGN, &upci.control));
  upci_must(
      eyot_team_alloc_raw(EYOT_TEAM_ALL, UPCI_LOCAL_FIRST + upci.heap_bytes, ALIGN, &upci.heap));
  upci_must(eyot_lock_create(EYOT_TEAM_ALL, NULL, &upci.table_lock));
  upci_must(eyot_lock_alloc(NULL, &c.lock));
  upci_must(eyot_put(control_at(upci_run.me, 0), &c, offsetof(struct control, local)));
  table_begin(control_at(upci_run.me, offsetof(struct control, local)), UPCI_LOCAL_FIRST);
  if (upci_run.me == 0)
    table_begin(control_at(0, offsetof(struct control, global)), UPCI_GLOBAL_FIRST);
  upci_barrier_all();
}

void upci_heap_end(void) {
  struct heap h = local_heap(upci_run.me);
  upci_locks_end();
  upci_barrier_all();
  upci_must(eyot_lock_free(&h.lock));
  upci_must(eyot_lock_destroy(&upci.table_lock));
}
