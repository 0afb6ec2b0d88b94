/* SPDX-License-Identifier: BSD-3-Clause */
/* map.c - mappings that runs make and remove (chk_snap_map, chk_snap_unmap).
 *
 * Why it exists: runs allocate segments. A mapping that a run has made stays when it is unmapped or
 * when the run ends, and serves the next request of the same length, which saves system calls and
 * faults and gives each run the same addresses. It is zeroed when it is used again: only the pages
 * that were written, which faults have shown, or, if they are many, all, by the system. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/snapshot/state.h"

#define MOST_OPEN 1024u   /* a mapping with more written pages is not watched any longer */
#define MOST_MAPS 4096u   /* mappings that stay from run to run */
#define MOST_PAGES 16384u /* the same limit for written pages */

static void *plain_map(size_t bytes, int prot) {
  void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static void clear(struct chk_run_map *m) {
  if (m->plain) {
    int rc = madvise((void *)m->low, m->bytes, MADV_DONTNEED);
    EYOTI_ASSERT(rc == 0);
    return;
  }
  size_t words = (m->bytes / CHK_PAGE + 63) / 64;
  uint32_t left = m->n_open;
  for (size_t w = 0; w < words && left > 0; w++)
    for (uint64_t bits = m->open[w]; bits != 0; bits &= bits - 1, left--)
      memset((void *)(m->low + (w * 64 + (size_t)__builtin_ctzll(bits)) * CHK_PAGE), 0, CHK_PAGE);
  EYOTI_ASSERT(left == 0);
}

static struct chk_run_map *unused(struct chk_snap *s, size_t bytes) {
  for (uint32_t k = 0; k < s->n_maps; k++) {
    uint32_t i = s->cursor + k < s->n_maps ? s->cursor + k : s->cursor + k - s->n_maps;
    if (s->maps[i].used || s->maps[i].bytes != bytes) continue;
    s->cursor = i + 1 < s->n_maps ? i + 1 : 0; /* runs make the same requests in the same order */
    return &s->maps[i];
  }
  return NULL;
}

/* The handler may read the table at any time: the old one is valid until the new one is in its
 * place. */
static bool map_grow(struct chk_snap *s) {
  uint32_t cap = s->cap_maps > 0 ? 2 * s->cap_maps : 64;
  struct chk_run_map *larger = chk_alloc(cap * sizeof *larger), *old = s->maps;
  if (larger == NULL) return false;
  if (s->n_maps > 0) memcpy(larger, old, s->n_maps * sizeof *larger);
  atomic_signal_fence(memory_order_release);
  s->maps = larger;
  atomic_signal_fence(memory_order_release);
  s->cap_maps = cap;
  chk_free(old);
  return true;
}

void *chk_snap_map(struct chk_snap *s, size_t bytes) {
  bytes = chk_page_up(bytes);
  if (bytes == 0) return NULL;
  if (s == NULL || !s->taken) return plain_map(bytes, PROT_READ | PROT_WRITE);
  struct chk_run_map *m = unused(s, bytes);
  if (m != NULL) {
    clear(m);
    m->used = true;
    return (void *)m->low;
  }
  if (s->n_maps == s->cap_maps && !map_grow(s)) return NULL;
  uint64_t *open = chk_alloc((bytes / CHK_PAGE + 63) / 64 * 8);
  void *p = open != NULL ? plain_map(bytes, PROT_READ) : NULL;
  if (p == NULL) {
    chk_free(open);
    return NULL;
  }
  s->maps[s->n_maps] =
      (struct chk_run_map){.low = (uintptr_t)p, .bytes = bytes, .open = open, .used = true};
  /* the handler may read the entry as soon as the count includes it */
  atomic_signal_fence(memory_order_release);
  s->n_maps++;
  return p;
}

void chk_snap_unmap(struct chk_snap *s, void *p, size_t bytes) {
  bytes = chk_page_up(bytes);
  if (p == NULL || bytes == 0) return;
  if (s == NULL || !s->taken) {
    int rc = munmap(p, bytes);
    EYOTI_ASSERT(rc == 0);
    return;
  }
  for (uint32_t i = 0; i < s->n_maps; i++) {
    if (s->maps[i].low != (uintptr_t)p) continue;
    EYOTI_ASSERT(s->maps[i].used && s->maps[i].bytes == bytes);
    s->maps[i].used = false;
    return;
  }
  /* it is never unmapped, so that the next run has it */
  if (chk_snap_has(s, (uintptr_t)p, (uintptr_t)p + bytes)) return;
  int rc = munmap(p, bytes);
  EYOTI_ASSERT(rc == 0);
}

bool chk_run_map_fault(struct chk_snap *s, uintptr_t address) {
  for (uint32_t i = 0; i < s->n_maps; i++) {
    struct chk_run_map *m = &s->maps[i];
    if (address < m->low || address - m->low >= m->bytes) continue;
    size_t page = (address - m->low) / CHK_PAGE;
    if (m->plain || chk_bit(m->open, page)) return false;
    if (m->n_open < MOST_OPEN && s->splits < s->splits_cap &&
        mprotect((void *)(m->low + page * CHK_PAGE), CHK_PAGE, PROT_READ | PROT_WRITE) == 0) {
      chk_set_bit(m->open, page);
      m->n_open++;
      s->splits += 2;
      return true;
    }
    if (mprotect((void *)m->low, m->bytes, PROT_READ | PROT_WRITE) != 0) return false;
    m->plain = true;
    s->splits -= 2 * (uint64_t)m->n_open;
    return true;
  }
  return false;
}

static void map_forget(struct chk_snap *s) {
  for (uint32_t i = 0; i < s->n_maps; i++) {
    struct chk_run_map *m = &s->maps[i];
    int rc = m->used ? mprotect((void *)m->low, m->bytes, PROT_READ | PROT_WRITE)
                     : munmap((void *)m->low, m->bytes);
    EYOTI_ASSERT(rc == 0);
    if (!m->plain) s->splits -= 2 * (uint64_t)m->n_open;
    chk_free(m->open);
  }
  s->n_maps = s->cursor = 0;
}

void chk_run_maps_restore(struct chk_snap *s) {
  uint64_t pages = 0;
  for (uint32_t i = 0; i < s->n_maps; i++) {
    s->maps[i].used = false;
    pages += s->maps[i].n_open;
    if (s->maps[i].plain) clear(&s->maps[i]);
  }
  s->cursor = 0;
  /* Runs that request other lengths each time must not fill the memory. */
  if (s->n_maps > MOST_MAPS || pages > MOST_PAGES) map_forget(s);
}

void chk_run_maps_drop(struct chk_snap *s) {
  map_forget(s);
}
