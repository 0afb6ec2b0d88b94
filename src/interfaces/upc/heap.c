/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - the heaps. Local shared memory is eyot_alloc's, with a header: its owner alone can free
 * it, so another thread puts it into the owner's list, which the owner empties when it allocates.
 * The global heap is one collective allocation, with a table of its extents at thread 0 that the
 * thread which allocates reads and writes under a lock. Source: D. Lewis, "An OpenSHMEM Runtime for
 * UPC", 2020, chapter IV, Memory Management. */
#include <inttypes.h>
#include <string.h>

#include "interfaces/upc/upc.h"

#define ALIGN 64u
#define LIVE UINT64_C(0x7570635f6c697665)
#define FREED UINT64_C(0x7570635f66726565)

/* At the start of memory of upc_alloc; 64 bytes. */
struct header {
  uint64_t state; /* LIVE or FREED; changed by atomics alone */
  uint64_t has_lock;
  eyot_gptr_t next; /* in the owner's list */
  eyot_lock_t lock;
  uint64_t unused[2];
};
_Static_assert(sizeof(struct header) == ALIGN, "memory after the header is aligned");

struct extent {
  uint64_t first, bytes; /* used: the lowest bit of bytes, which are a multiple of ALIGN */
};
/* At each thread: its list. At thread 0 also the table, sorted, without gaps. */
struct control {
  eyot_lock_t lock;
  eyot_gptr_t freed;
  uint64_t extents;
  struct extent table[UPC_GLOBAL_BLOCKS_MAX];
};

static struct control work; /* the caller's copy of the table, while it has the lock */

static eyot_gptr_t control_at(uint32_t thread, uint64_t byte) {
  return eyot_gptr_add(eyot_gptr_at(upci.control, (eyot_unit_t){thread}), (int64_t)byte);
}

/* -- local shared memory ----------------------------------------------------------------------- */

/* Frees what other threads have put into the caller's list; a lock that is in use stays in it. */
static void list_empty(void) {
  eyot_gptr_t list, kept = EYOT_GPTR_NULL,
                    at = control_at(upci_run.me, offsetof(struct control, freed));
  struct header h;
  eyot_lock_t guard;
  upci_must(eyot_get(&guard, control_at(upci_run.me, 0), sizeof guard));
  upci_must(eyot_lock_acquire(guard, EYOT_LOCK_EXCLUSIVE));
  upci_must(eyot_get(&list, at, sizeof list));
  while (!eyot_gptr_is_null(list)) {
    eyot_gptr_t block = list;
    upci_must(eyot_get(&h, block, sizeof h));
    list = h.next;
    int rc = h.has_lock ? eyot_lock_free(&h.lock) : EYOT_OK;
    if (rc == EYOT_EBUSY) {
      upci_must(eyot_put(eyot_gptr_add(block, offsetof(struct header, next)), &kept, sizeof kept));
      kept = block;
      continue;
    }
    upci_must(rc);
    upci_must(eyot_free(block));
  }
  upci_must(eyot_put(at, &kept, sizeof kept));
  upci_must(eyot_lock_release(guard));
}

eyot_gptr_t upci_local_take(uint64_t bytes, const eyot_lock_t *lock) {
  struct header h = {.state = LIVE, .has_lock = lock != NULL};
  eyot_gptr_t block;
  list_empty();
  if (bytes > INT64_MAX - sizeof h) upci_fail(EYOT_ENOMEM, "%" PRIu64 " bytes are too many", bytes);
  upci_must(eyot_alloc(sizeof h + bytes, &block));
  if (lock != NULL) h.lock = *lock;
  upci_must(eyot_put(block, &h, sizeof h));
  return block;
}

void upci_local_give(eyot_gptr_t block) {
  uint64_t old;
  eyot_lock_t guard;
  uint32_t owner = eyot_gptr_unit(block).id;
  eyot_gptr_t list, at = control_at(owner, offsetof(struct control, freed));
  upci_must(eyot_cas_u64(block, LIVE, FREED, &old));
  if (old == FREED) upci_fail(EYOT_ESEG, "the memory was freed before");
  if (old != LIVE) upci_fail(EYOT_ESEG, "the pointer is not the start of an allocation");
  upci_must(eyot_get(&guard, control_at(owner, 0), sizeof guard));
  upci_must(eyot_lock_acquire(guard, EYOT_LOCK_EXCLUSIVE));
  upci_must(eyot_get(&list, at, sizeof list));
  upci_must(eyot_put(eyot_gptr_add(block, offsetof(struct header, next)), &list, sizeof list));
  upci_must(eyot_put(at, &block, sizeof block));
  upci_must(eyot_lock_release(guard));
}

upc_shared_t upc_alloc(size_t bytes) {
  UPCI_ENTER("upc_alloc");
  if (bytes == 0) return UPC_NULL;
  return (upc_shared_t){eyot_gptr_add(upci_local_take(bytes, NULL), sizeof(struct header)), 0};
}

/* -- the global heap --------------------------------------------------------------------------- */

static void table_open(void) {
  eyot_gptr_t at = control_at(0, offsetof(struct control, extents));
  upci_must(eyot_lock_acquire(upci.table_lock, EYOT_LOCK_EXCLUSIVE));
  upci_must(eyot_get(&work.extents, at, sizeof work.extents));
  upci_must(eyot_get(work.table, eyot_gptr_add(at, sizeof work.extents),
                     work.extents * sizeof *work.table));
}

static void table_close(void) {
  upci_must(eyot_put(control_at(0, offsetof(struct control, extents)), &work.extents,
                     sizeof work.extents + work.extents * sizeof *work.table));
  upci_must(eyot_lock_release(upci.table_lock));
}

static void extent_insert(uint64_t i, struct extent e) {
  memmove(&work.table[i + 1], &work.table[i], (work.extents - i) * sizeof e);
  work.table[i] = e;
  work.extents++;
}

static void extent_remove(uint64_t i) {
  work.extents--;
  memmove(&work.table[i], &work.table[i + 1], (work.extents - i) * sizeof *work.table);
}

upc_shared_t upci_global_take(uint64_t bytes) {
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  table_open();
  uint64_t i = 0;
  while (i < work.extents && ((work.table[i].bytes & 1) || work.table[i].bytes < bytes)) i++;
  bool splits = i < work.extents && work.table[i].bytes > bytes;
  if (i == work.extents || (splits && work.extents == UPC_GLOBAL_BLOCKS_MAX))
    upci_fail(EYOT_ENOMEM,
              "the global heap has no %" PRIu64
              " bytes on each thread, or %d extents; it has %" PRIu64
              " bytes: raise UPC_SHARED_HEAP_SIZE, or free memory",
              bytes, UPC_GLOBAL_BLOCKS_MAX, upci.heap_bytes);
  struct extent *e = &work.table[i];
  uint64_t first = e->first, left = e->bytes - bytes;
  e->bytes = bytes | 1;
  if (splits) extent_insert(i + 1, (struct extent){first + bytes, left});
  table_close();
  return (upc_shared_t){eyot_gptr_add(upci.heap, (int64_t)first), 0};
}

static void global_give(uint64_t first) {
  table_open();
  uint64_t i = 0;
  while (i < work.extents && work.table[i].first != first) i++;
  if (i == work.extents || !(work.table[i].bytes & 1))
    upci_fail(EYOT_ESEG,
              "byte %" PRIu64
              " of the global heap is not the start of an allocation, or was freed "
              "before",
              first);
  work.table[i].bytes -= 1;
  if (i + 1 < work.extents && !(work.table[i + 1].bytes & 1)) {
    work.table[i].bytes += work.table[i + 1].bytes;
    extent_remove(i + 1);
  }
  if (i > 0 && !(work.table[i - 1].bytes & 1)) {
    work.table[i - 1].bytes += work.table[i].bytes;
    extent_remove(i);
  }
  table_close();
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

upc_shared_t upc_global_alloc(size_t nblocks, size_t bytes) {
  UPCI_ENTER("upc_global_alloc");
  uint64_t part = part_of(nblocks, bytes);
  return part == 0 ? UPC_NULL : upci_global_take(part);
}

upc_shared_t upc_all_alloc(size_t nblocks, size_t bytes) {
  UPCI_ENTER("upc_all_alloc");
  uint64_t part = part_of(nblocks, bytes);
  upc_shared_t p = UPC_NULL;
  if (part != 0 && upci_run.me == 0) p = upci_global_take(part);
  upci_must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &p, sizeof p));
  return p;
}

static void give(upc_shared_t p) {
  if (upc_isnull(p)) return;
  upci_complete();
  if (p.at.seg != upci.heap.seg || p.at.gen != upci.heap.gen ||
      p.at.offset - upci.heap.offset >= upci.heap_bytes) {
    upci_local_give(eyot_gptr_add(p.at, -(int64_t)sizeof(struct header)));
    return;
  }
  if (p.at.unit != 0 || p.phase != 0)
    upci_fail(EYOT_ESEG,
              "the pointer is at thread %u, phase %" PRIu64
              ", expected those of an "
              "allocation's start: 0, 0",
              p.at.unit, p.phase);
  global_give(p.at.offset - upci.heap.offset);
}

void upc_free(upc_shared_t p) {
  UPCI_ENTER("upc_free");
  give(p);
}

void upc_all_free(upc_shared_t p) {
  UPCI_ENTER("upc_all_free");
  upci_barrier_all();
  if (upci_run.me == 0) give(p);
}

/* -- start and end ----------------------------------------------------------------------------- */

void upci_heap_begin(void) {
  struct control c = {.freed = EYOT_GPTR_NULL, .extents = 1};
  upci_must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof c, &upci.control));
  upci_must(eyot_team_alloc_raw(EYOT_TEAM_ALL, upci.heap_bytes, ALIGN, &upci.heap));
  upci_must(eyot_lock_create(EYOT_TEAM_ALL, NULL, &upci.table_lock));
  upci_must(eyot_lock_alloc(NULL, &c.lock));
  c.table[0] = (struct extent){0, upci.heap_bytes};
  upci_must(eyot_put(control_at(upci_run.me, 0), &c, offsetof(struct control, table[1])));
  upci_barrier_all();
}

void upci_heap_end(void) {
  eyot_lock_t guard;
  list_empty();
  upci_must(eyot_get(&guard, control_at(upci_run.me, 0), sizeof guard));
  upci_barrier_all();
  upci_must(eyot_lock_free(&guard));
  upci_must(eyot_lock_destroy(&upci.table_lock));
}
