/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - the symmetric heap: each allocation is a collective one of eyot, so that its pointers
 * have a generation, and messages name it by the program's line. And the addresses of symmetric
 * memory: a sorted table of allocations, and the program's data.
 *
 * Calls that make and free memory are collective, and one thread of a PE makes them. Others look
 * the table up meanwhile: with several threads it is guarded by a lock. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/openshmem/osh.h"

#define ALIGN_LEAST 64u
#define FIRST_CAP 64u
#define GONE 16u /* freed allocations that messages can name */

struct osh_gone {
  uintptr_t first;
  uint64_t bytes;
};

/* Sorted by address. */
static struct osh_region *blocks;
static uint32_t n_blocks, cap;
static struct osh_gone gone[GONE];
static uint32_t n_gone;
static uint64_t in_use; /* bytes of all blocks */
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;

static void read_lock(void) {
  if (osh.threads) pthread_rwlock_rdlock(&guard);
}
static void write_lock(void) {
  if (osh.threads) pthread_rwlock_wrlock(&guard);
}
static void unlock(void) {
  if (osh.threads) pthread_rwlock_unlock(&guard);
}

/* The number of blocks that begin at or before the address. */
static uint32_t blocks_before(uintptr_t address) {
  uint32_t lo = 0, hi = n_blocks;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (blocks[mid].first <= address)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static bool block_of(uintptr_t address, struct osh_region *r) {
  read_lock();
  uint32_t i = blocks_before(address);
  bool found = i > 0 && address - blocks[i - 1].first < blocks[i - 1].bytes;
  if (found) *r = blocks[i - 1];
  unlock();
  return found;
}

/* The range of the program's data. */
static bool data_of(const void *address, struct osh_region *r) {
  const void *first;
  if (!eyot_data_contains(address, 1) || eyot_data_range(address, &first, &r->bytes) != EYOT_OK)
    return false;
  r->first = (uintptr_t)first;
  return eyot_data_gptr(first, r->bytes, eyot_me(), &r->at) == EYOT_OK;
}

static void remember(const struct osh_region *r, bool heap) {
  for (int i = 0; i < OSH_RECENT; i++)
    if (osh.recent[i].first == r->first && osh.recent[i].bytes == r->bytes) return;
  uint32_t slot = OSH_RECENT_DATA;
  if (heap) do
      slot = osh.next++ % OSH_RECENT;
    while (slot == OSH_RECENT_DATA);
  osh.recent[slot] = *r;
}

bool osh_region_of(const void *address, struct osh_region *r) {
  bool heap = block_of((uintptr_t)address, r);
  if (!heap && !data_of(address, r)) return false;
  if (!osh.threads) remember(r, heap);
  return true;
}

/* The bounds of the program, which the linker defines. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* Of an address in the program eyot's message names the object. */
static OSH_COLD void named_by_eyot(const void *address, uint64_t bytes) {
  eyot_gptr_t unused;
  osh_must(eyot_data_gptr(address, bytes, eyot_me(), &unused));
}

/* Says why an address is not symmetric, and ends the run. */
_Noreturn static OSH_COLD void not_symmetric(const char *what, const void *address,
                                             uint64_t bytes) {
  uintptr_t a = (uintptr_t)address;
  for (uint32_t i = 0; i < GONE && i < n_gone; i++)
    if (a - gone[i].first < gone[i].bytes)
      osh_fail(EYOT_ESEG,
               "%s (%p) is byte %" PRIu64 " of symmetric memory of %" PRIu64
               " bytes that shmem_free has released",
               what, address, (uint64_t)(a - gone[i].first), gone[i].bytes);
  uint32_t i = blocks_before(a);
  if (i > 0 && a - blocks[i - 1].first < blocks[i - 1].bytes + 4096)
    osh_fail(EYOT_ERANGE,
             "%s (%p) is %" PRIu64 " bytes after the end of symmetric memory of %" PRIu64 " bytes",
             what, address, (uint64_t)(a - blocks[i - 1].first - blocks[i - 1].bytes),
             blocks[i - 1].bytes);
  if ((const char *)address >= __ehdr_start && (const char *)address < _end)
    named_by_eyot(address, bytes);
  osh_fail(EYOT_ERANGE,
           "%s (%p) is not symmetric: it is on the stack, from malloc, thread-local or of a shared "
           "library; expected memory of shmem_malloc, or a global or static object",
           what, address);
}

_Noreturn static OSH_COLD void wrong_pe(int pe, int n) {
  osh_fail(EYOT_EUNIT, "pe is %d, expected 0 to %d", pe, n - 1);
}

eyot_gptr_t osh_gptr(const char *what, const void *address, uint64_t bytes, int pe) {
  struct osh_region r;
  eyot_gptr_t g;
  if (osh_recent(address, bytes, pe, &g)) return g;
  if ((uint32_t)pe >= (uint32_t)osh.n) wrong_pe(pe, osh.n);
  if (address == NULL) osh_fail(EYOT_EINVAL, "%s is NULL", what);
  if (!osh_region_of(address, &r)) not_symmetric(what, address, bytes);
  uint64_t off = (uintptr_t)address - r.first;
  if (bytes > r.bytes - off) {
    if (eyot_data_contains(address, 1)) named_by_eyot(address, bytes);
    osh_fail(EYOT_ERANGE,
             "%" PRIu64 " bytes from %s (%p) on are more than the %" PRIu64
             " that the symmetric memory of shmem_malloc has there",
             bytes, what, address, r.bytes - off);
  }
  return eyot_gptr_at(eyot_gptr_add(r.at, (int64_t)off), (eyot_unit_t){(uint32_t)pe});
}

uint64_t osh_bytes(const char *what, uint64_t n, uint64_t bytes) {
  uint64_t all;
  if (__builtin_mul_overflow(n, bytes, &all) || all > INT64_MAX)
    osh_fail(EYOT_EINVAL, "%s is %" PRIu64 ", more than memory can have", what, n);
  return all;
}

int osh_team_pe(const struct shmemi_team *team, int pe) {
  if ((uint32_t)pe >= (uint32_t)team->size) wrong_pe(pe, team->size);
  return team->first + pe * team->stride;
}

int osh_pe(const struct shmemi_ctx *ctx, int pe) {
  if (ctx == SHMEM_CTX_INVALID) osh_fail(EYOT_EINVAL, "ctx is SHMEM_CTX_INVALID");
  if (ctx->team == NULL) osh_fail(EYOT_EINVAL, "ctx was destroyed");
  return osh_team_pe(ctx->team, pe);
}

/* -- allocation -------------------------------------------------------------------------------- */

static void add_block(struct osh_region r) {
  write_lock();
  if (n_blocks == cap) {
    uint32_t more = cap == 0 ? FIRST_CAP : 2 * cap;
    struct osh_region *longer = realloc(blocks, more * sizeof *blocks);
    if (longer == NULL) osh_fail(EYOT_ENOMEM, "no memory for the table of allocations");
    blocks = longer;
    cap = more;
  }
  uint32_t i = blocks_before(r.first);
  memmove(&blocks[i + 1], &blocks[i], (n_blocks - i) * sizeof *blocks);
  blocks[i] = r;
  n_blocks++;
  unlock();
}

/* The 4 bytes around a short that is waited for are eyot's (wait.c). */
static uint64_t whole_of(uint64_t size) {
  return size > UINT64_MAX - 3 ? size : (size + 3) & ~(uint64_t)3;
}

/* Allocates; NULL: there is no room. The members of an allocation leave it when all have come, as
 * those of a barrier: with a quiet before, it is the barrier that the call ends with. */
static void *allocate(uint64_t size, uint64_t align, bool zero) {
  eyot_gptr_t all;
  if (size == 0) return NULL;
  if (align < ALIGN_LEAST) align = ALIGN_LEAST;
  uint64_t whole = whole_of(size);
  if (osh.heap_max != 0 && whole > osh.heap_max - in_use) {
    eyot_caller_fail(NULL, NULL, EYOT_ENOMEM,
                     "no room for %" PRIu64
                     " bytes, NULL is returned: the symmetric heap has %" PRIu64
                     ", of which %" PRIu64 " are in use; raise SHMEM_SYMMETRIC_SIZE",
                     size, osh.heap_max, in_use);
    osh_barrier_all(); /* sizes that differ are noticed */
    return NULL;
  }
  osh_quiet();
  int rc = zero ? eyot_team_alloc_aligned(EYOT_TEAM_ALL, whole, align, &all)
                : eyot_team_alloc_raw(EYOT_TEAM_ALL, whole, align, &all);
  if (rc == EYOT_ENOMEM) return NULL; /* eyot's message has the sizes */
  osh_must(rc);
  in_use += whole;
  void *address;
  struct osh_region r = {.bytes = size, .at = eyot_gptr_at(all, eyot_me())};
  osh_must(eyot_gptr_addr(r.at, &address));
  r.first = (uintptr_t)address;
  add_block(r);
  return address;
}

static void *aligned(size_t alignment, size_t size) {
  if (alignment != 0 && (alignment & (alignment - 1)) == 0) return allocate(size, alignment, false);
  eyot_caller_fail(NULL, NULL, EYOT_EINVAL,
                   "alignment is %zu, expected a power of two; NULL is returned", alignment);
  return NULL;
}

static void drop_block(uint32_t i) {
  write_lock();
  gone[n_gone++ % GONE] = (struct osh_gone){blocks[i].first, blocks[i].bytes};
  in_use -= whole_of(blocks[i].bytes);
  memmove(&blocks[i], &blocks[i + 1], (n_blocks - i - 1) * sizeof *blocks);
  n_blocks--;
  for (int k = 0; k < OSH_RECENT; k++)
    if (k != OSH_RECENT_DATA) osh.recent[k] = (struct osh_region){0};
  unlock();
}

static void release(void *ptr) {
  uint32_t i = blocks_before((uintptr_t)ptr);
  if (i == 0 || blocks[i - 1].first != (uintptr_t)ptr) {
    if (i > 0 && (uintptr_t)ptr - blocks[i - 1].first < blocks[i - 1].bytes)
      osh_fail(EYOT_EINVAL,
               "ptr (%p) is byte %" PRIu64
               " of an allocation; expected its first byte, as shmem_malloc has returned it",
               ptr, (uint64_t)((uintptr_t)ptr - blocks[i - 1].first));
    for (uint32_t k = 0; k < GONE && k < n_gone; k++)
      if (gone[k].first == (uintptr_t)ptr)
        osh_fail(EYOT_ESEG, "ptr (%p) has been released before", ptr);
    osh_fail(EYOT_EINVAL, "ptr (%p) is not memory of shmem_malloc", ptr);
  }
  eyot_gptr_t at = eyot_gptr_at(blocks[i - 1].at, (eyot_unit_t){0});
  osh_quiet(); /* eyot_team_free begins as a barrier does: all have come before one releases */
  drop_block(i - 1);
  osh_must(eyot_team_free(at));
}

static void *reallocate(void *ptr, size_t size) {
  if (ptr == NULL) return allocate(size, 0, false);
  if (size == 0) {
    release(ptr);
    return NULL;
  }
  struct osh_region old;
  if (!block_of((uintptr_t)ptr, &old) || old.first != (uintptr_t)ptr)
    osh_fail(EYOT_EINVAL, "ptr (%p) is not memory of shmem_malloc", ptr);
  in_use -= whole_of(old.bytes); /* the old block does not count while both are there */
  void *moved = allocate(size, 0, false);
  in_use += whole_of(old.bytes);
  if (moved == NULL) return NULL;
  /* all have come: nothing is on its way to the old block */
  memcpy(moved, ptr, old.bytes < size ? old.bytes : size);
  release(ptr);
  return moved;
}

/* What is left is freed by eyot_finalize (frees_at_end), without an exchange for each allocation;
 * if another part of the program has started eyot, here. */
void osh_memory_end(void) {
  while (osh.joined && n_blocks > 0) {
    eyot_gptr_t at = eyot_gptr_at(blocks[n_blocks - 1].at, (eyot_unit_t){0});
    n_blocks--;
    osh_must(eyot_team_free(at));
  }
  free(blocks);
  blocks = NULL;
  n_blocks = cap = n_gone = 0;
  in_use = 0;
}

OSH_DEFINE(void *, malloc, (size_t size)) {
  OSH_ENTER("shmem_malloc");
  return allocate(size, 0, false);
}

OSH_DEFINE(void *, malloc_with_hints, (size_t size, long hints)) {
  OSH_ENTER("shmem_malloc_with_hints");
  (void)hints;
  return allocate(size, 0, false);
}

OSH_DEFINE(void *, calloc, (size_t count, size_t size)) {
  OSH_ENTER("shmem_calloc");
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return allocate(bytes, 0, true);
  eyot_caller_fail(NULL, NULL, EYOT_ENOMEM,
                   "%zu elements of %zu bytes are more than memory can have, NULL is returned",
                   count, size);
  osh_barrier_all(); /* sizes that differ are noticed */
  return NULL;
}

OSH_DEFINE(void *, align, (size_t alignment, size_t size)) {
  OSH_ENTER("shmem_align");
  return aligned(alignment, size);
}

OSH_DEFINE(void *, realloc, (void *ptr, size_t size)) {
  OSH_ENTER("shmem_realloc");
  return reallocate(ptr, size);
}

OSH_DEFINE(void, free, (void *ptr)) {
  OSH_ENTER("shmem_free");
  if (ptr != NULL) release(ptr);
}

void *shmalloc(size_t size) {
  OSH_ENTER("shmalloc");
  return allocate(size, 0, false);
}

void shfree(void *ptr) {
  OSH_ENTER("shfree");
  if (ptr != NULL) release(ptr);
}

void *shrealloc(void *ptr, size_t size) {
  OSH_ENTER("shrealloc");
  return reallocate(ptr, size);
}

void *shmemalign(size_t alignment, size_t size) {
  OSH_ENTER("shmemalign");
  return aligned(alignment, size);
}

/* -- direct access ----------------------------------------------------------------------------- */

static void *direct(const void *dest, int pe) {
  struct osh_region r;
  void *address;
  int k = pe - SHMEM_TEAM_SHARED->first;
  if (dest == NULL || k < 0 || k >= SHMEM_TEAM_SHARED->size || !osh_region_of(dest, &r))
    return NULL;
  if (pe == osh.me) return (void *)(uintptr_t)dest;
  eyot_gptr_t g = eyot_gptr_at(eyot_gptr_add(r.at, (int64_t)((uintptr_t)dest - r.first)),
                               (eyot_unit_t){(uint32_t)pe});
  return eyot_gptr_direct(g, &address) == EYOT_OK ? address : NULL;
}

OSH_DEFINE(void *, ptr, (const void *dest, int pe)) {
  OSH_ENTER("shmem_ptr");
  return direct(dest, pe);
}

OSH_DEFINE(void *, team_ptr, (shmem_team_t team, const void *dest, int pe)) {
  OSH_ENTER("shmem_team_ptr");
  if (team == SHMEM_TEAM_INVALID || (uint32_t)pe >= (uint32_t)team->size) return NULL;
  return direct(dest, osh_team_pe(team, pe));
}
