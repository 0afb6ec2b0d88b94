/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - what the files of the snapshot share: its state, which lies in mem.h's memory
 * as a whole.
 *
 * Why it exists: taking and restoring (snap.c), what is taken (ranges.c), the first
 * write to a page (fault.c), mappings that runs make (map.c) and reading what the
 * process has mapped (areas.c) are separate matters with one state.
 *
 * The handler of faults may interrupt any code that writes to a fiber's stack, chk_snap_map and
 * chk_alloc among it. It therefore allocates nothing but from `pool`, and changes nothing that
 * those change. */
#ifndef EYOT_CHECK_SNAPSHOT_STATE_H
#define EYOT_CHECK_SNAPSHOT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/snapshot/snap.h"

#define CHK_PAGE ((size_t)4096)
#define CHK_TEXT_BYTES ((size_t)65536)

/* [low, high): whole pages. */
struct chk_area {
  uintptr_t low, high;
};

/* Consecutive pages of one mapping, write-protected but for those in `open`. */
struct chk_snap_span {
  struct chk_area at;
  int prot;       /* as it was */
  uint64_t *open; /* a bit a page: written to since chk_snap_take, writable */
};

/* What a restore copies back; saved NULL: pages that were not there, and are removed. */
struct chk_saved {
  uintptr_t low;
  size_t bytes;
  void *saved;
};

/* A mapping that a run has made. It stays when it is unmapped, for the next that is as long. */
struct chk_run_map {
  uintptr_t low;
  size_t bytes;
  uint64_t *open; /* as above; what is not open is zero */
  uint32_t n_open;
  bool used, plain; /* plain: writable as a whole, zeroed by the system */
};

struct chk_areas {
  struct chk_area *at;
  uint32_t n, cap;
};

struct chk_snap {
  bool taken;
  uint64_t malloc_maps; /* blocks that malloc has mapped one by one, before it was told not to */
  char *brk;
  uint64_t n_areas; /* mappings of the process */

  struct chk_areas keep; /* what callers asked for */
  struct chk_areas cuts; /* that and pages that must be open from the start: sorted, disjoint */
  struct chk_snap_span *ranges; /* sorted, fixed while taken */
  uint32_t n_ranges, cap_ranges;

  /* The handler's: an array of struct chk_saved that grows up, and the bytes saved, which grow
   * down. */
  unsigned char *pool;
  size_t pool_bytes, pool_left;
  uint32_t n_saved, n_sorted;
  uint64_t splits, splits_cap; /* mappings that splitting has added, and may add */
  uint64_t page_info[512];     /* entries of /proc/self/pagemap */

  struct chk_run_map *maps;
  uint32_t n_maps, cap_maps, cursor;

  char text[CHK_TEXT_BYTES]; /* of /proc/self/maps */
};

static inline bool chk_bit(const uint64_t *bits, size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}
static inline void chk_set_bit(uint64_t *bits, size_t i) {
  bits[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline struct chk_saved *chk_saved(const struct chk_snap *s) {
  return (struct chk_saved *)(void *)s->pool;
}

static inline uintptr_t chk_page_down(uintptr_t p) {
  return p / CHK_PAGE * CHK_PAGE;
}
static inline uintptr_t chk_page_up(uintptr_t p) {
  return (p + CHK_PAGE - 1) / CHK_PAGE * CHK_PAGE;
}

/* areas.c: a line of /proc/self/maps. */
struct chk_line {
  struct chk_area at;
  bool read, write, exec, shared;
  bool stack; /* the main thread's */
};
/* Calls visit for each mapping in the order of addresses; a visit's error ends it. Allocates
 * nothing. Errors: ESYS (logged), those of visit. */
int chk_areas_read(struct chk_snap *s,
                   int (*visit)(struct chk_snap *s, const struct chk_line *line));
/* vm.max_map_count. */
uint64_t chk_areas_most(void);

/* ranges.c: what is to be protected, and what must be open from the start, which is saved.
 * Errors: ENOMEM, ESYS (logged). */
int chk_ranges_make(struct chk_snap *s);
void chk_ranges_free(struct chk_snap *s, uint32_t from);

/* fault.c */
/* Calls what a handler calls, so that no first call is in one. */
void chk_snap_warm(struct chk_snap *s);
/* Pages [first, first + n) of r become writable and are saved; those open already stay as they are.
 * False: no memory, or the system refused. */
bool chk_snap_open(struct chk_snap *s, struct chk_snap_span *r, size_t first, size_t n);
/* Saves bytes in no range, so that restores copy them back. False: no memory. */
bool chk_snap_save(struct chk_snap *s, uintptr_t low, size_t bytes);
/* The one with `address` in it, else the next; NULL: none. */
struct chk_snap_span *chk_snap_range(const struct chk_snap *s, uintptr_t address);
static inline bool chk_snap_has(const struct chk_snap *s, uintptr_t low, uintptr_t high) {
  const struct chk_snap_span *r = chk_snap_range(s, low);
  return r != NULL && r->at.low < high;
}

/* map.c */
bool chk_run_map_fault(struct chk_snap *s, uintptr_t address);
void chk_run_maps_restore(struct chk_snap *s);
/* Those in use become plain memory of the process, the others go. */
void chk_run_maps_drop(struct chk_snap *s);
#endif
