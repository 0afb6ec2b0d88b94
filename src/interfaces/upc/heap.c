/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - the heaps. Each thread has one part of a collective allocation: the global heap's, equal
 * on all threads, then its local heap. A heap is in blocks (blocks.h; those of the global one are
 * described at thread 0), which the thread that allocates or frees changes under a lock, so that
 * any thread can free. Source: D. Lewis, "An OpenSHMEM Runtime for UPC",
 * 2020, chapter IV, Memory Management. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/upc/blocks.h"

#define ALIGN 64u
#define TEXT_BYTES 320u
#define PART_BYTES (UPCI_LOCAL_FIRST + upci.heap_bytes + UPCI_HEAD)

/* At each thread. */
struct control {
  eyot_lock_t lock;                /* guards freed and local */
  eyot_gptr_t freed;               /* the list of locks.c */
  struct upci_lists local, global; /* global: at thread 0 */
};

static bool warned; /* of an exhausted heap */

static eyot_gptr_t control_at(uint32_t thread, uint64_t byte) {
  return eyot_gptr_add(eyot_gptr_at(upci.control, (eyot_unit_t){thread}), (int64_t)byte);
}

static eyot_gptr_t part_at(uint32_t thread, uint64_t byte) {
  return eyot_gptr_add(eyot_gptr_at(upci.heap, (eyot_unit_t){thread}), (int64_t)byte);
}

static struct upci_heap global_heap(void) {
  return (struct upci_heap){.lock = upci.table_lock,
                            .lists = control_at(0, offsetof(struct control, global)),
                            .part = part_at(0, 0),
                            .first = UPCI_GLOBAL_FIRST - UPCI_HEAD,
                            .end = UPCI_GLOBAL_FIRST + upci.heap_bytes + UPCI_HEAD};
}

static struct upci_heap local_heap(uint32_t thread) {
  struct upci_heap h = {.lists = control_at(thread, offsetof(struct control, local)),
                        .part = part_at(thread, 0),
                        .first = UPCI_LOCAL_FIRST - UPCI_HEAD,
                        .end = UPCI_LOCAL_FIRST + upci.heap_bytes + UPCI_HEAD,
                        .thread = thread,
                        .local = true};
  upci_must(eyot_get(&h.lock, control_at(thread, offsetof(struct control, lock)), sizeof h.lock));
  return h;
}

/* Memory that is not there: UPC has a null pointer for it (7.2.2), and the first one on each thread
 * says why, because few programs look. What the interface itself cannot do without, for which
 * `call` is NULL, ends the run. */
static void exhausted(const char *call, const char *format, ...) {
  char text[TEXT_BYTES];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  if (call == NULL) upci_fail(EYOT_ENOMEM, "%s", text);
  const char *log = getenv("EYOT_LOG");
  bool quiet = log != NULL && (strcmp(log, "silent") == 0 || strcmp(log, "error") == 0);
  if (!quiet && !warned)
    fprintf(stderr,
            "eyot: [thread %" PRIu32
            "] warning: %s: %s; it returns a null pointer, as later ones "
            "do without a warning\n",
            upci_run.me, call, text);
  warned = true;
}

/* Takes `bytes` bytes of a heap; returns their place in a thread's part, or 0. */
static uint64_t take(const struct upci_heap *h, uint64_t bytes, const char *call) {
  uint64_t at = upci_blocks_take(h, bytes);
  if (at == 0)
    exhausted(call,
              "the %s heap has no %" PRIu64 " bytes in one piece left%s; it has %" PRIu64
              " bytes, and each allocation takes 32 more and ends at a multiple of 64: raise "
              "UPC_SHARED_HEAP_SIZE, or free memory",
              h->local ? "local" : "global", bytes, h->local ? "" : " on each thread",
              upci.heap_bytes);
  return at;
}

static void give(const struct upci_heap *h, uint64_t byte) {
  char of[UPCI_HEAP_WORDS];
  if (!upci_blocks_give(h, byte))
    upci_fail(EYOT_ESEG,
              "byte %" PRIu64 " of %s is not the start of an allocation, or was freed before",
              byte - (h->local ? UPCI_LOCAL_FIRST : UPCI_GLOBAL_FIRST), upci_heap_words(h, of));
}

/* -- allocation -------------------------------------------------------------------------------- */

static upc_shared_t pointer(uint32_t thread, uint64_t byte) {
  return byte == 0 ? UPC_NULL : (upc_shared_t){part_at(thread, byte), 0};
}

upc_shared_t upc_alloc(size_t bytes) {
  UPCI_ENTER("upc_alloc");
  if (bytes == 0) return UPC_NULL;
  struct upci_heap h = local_heap(upci_run.me);
  return pointer(upci_run.me, take(&h, bytes, "upc_alloc"));
}

/* The bytes of a thread's part; 0: they are none, or more than there can be. */
static uint64_t part_of(size_t nblocks, size_t bytes, const char *call) {
  uint64_t part, blocks = nblocks / upci_run.threads + (nblocks % upci_run.threads != 0);
  if (!__builtin_mul_overflow(blocks, bytes, &part) && part <= upci.heap_bytes) return part;
  exhausted(call,
            "%zu blocks of %zu bytes are more than the global heap, of %" PRIu64
            " bytes on each thread: raise UPC_SHARED_HEAP_SIZE",
            nblocks, bytes, upci.heap_bytes);
  return 0;
}

static upc_shared_t global_take(uint64_t part, const char *call) {
  struct upci_heap h = global_heap();
  return part == 0 ? UPC_NULL : pointer(0, take(&h, part, call));
}

upc_shared_t upc_global_alloc(size_t nblocks, size_t bytes) {
  UPCI_ENTER("upc_global_alloc");
  return global_take(part_of(nblocks, bytes, "upc_global_alloc"), "upc_global_alloc");
}

/* Thread 0 alone warns. */
static upc_shared_t all_take(size_t nblocks, size_t bytes, const char *call) {
  upc_shared_t p = UPC_NULL;
  if (upci_run.me == 0) p = global_take(part_of(nblocks, bytes, call), call);
  upci_must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &p, sizeof p));
  return p;
}

upc_shared_t upci_all_take(size_t nblocks, size_t bytes) {
  return all_take(nblocks, bytes, NULL);
}

upc_shared_t upc_all_alloc(size_t nblocks, size_t bytes) {
  UPCI_ENTER("upc_all_alloc");
  return all_take(nblocks, bytes, "upc_all_alloc");
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
  struct upci_heap h = byte < UPCI_LOCAL_FIRST ? global_heap() : local_heap(p.at.unit);
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
  struct upci_heap h = local_heap(upci_run.me);
  return part_at(upci_run.me, take(&h, bytes, NULL));
}

void upci_local_give(eyot_gptr_t block) {
  struct upci_heap h = local_heap(upci_run.me);
  give(&h, block.offset - upci.heap.offset);
}

eyot_lock_t upci_local_guard(uint32_t thread) {
  return local_heap(thread).lock;
}

eyot_gptr_t upci_freed_at(uint32_t thread) {
  return control_at(thread, offsetof(struct control, freed));
}

/* -- start and end ----------------------------------------------------------------------------- */

void upci_heap_begin(void) {
  struct control c = {.freed = EYOT_GPTR_NULL};
  upci_must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof c, &upci.control));
  upci_must(eyot_team_alloc_raw(EYOT_TEAM_ALL, PART_BYTES, ALIGN, &upci.heap));
  upci_must(eyot_lock_create(EYOT_TEAM_ALL, NULL, &upci.table_lock));
  upci_must(eyot_lock_alloc(NULL, &c.lock));
  upci_must(eyot_put(control_at(upci_run.me, 0), &c, offsetof(struct control, local)));
  struct upci_heap local = local_heap(upci_run.me), global = global_heap();
  upci_blocks_begin(&local);
  if (upci_run.me == 0) upci_blocks_begin(&global);
  upci_barrier_all();
}

void upci_heap_end(void) {
  struct upci_heap h = local_heap(upci_run.me);
  upci_locks_end();
  upci_barrier_all();
  upci_must(eyot_lock_free(&h.lock));
  upci_must(eyot_lock_destroy(&upci.table_lock));
}
