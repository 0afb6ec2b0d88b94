/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - types, state and functions shared by the files of check/snapshot; not for others. The
 * state lies in mem.h's memory.
 *
 * snap.c takes and restores, ranges.c selects what is protected, fault.c handles the first write to
 * a page, map.c has the mappings that runs make, areas.c reads the mappings of the process.
 *
 * The handler of faults may interrupt any code that writes to a fiber's stack, also chk_snap_map
 * and chk_alloc. It therefore allocates from `pool` only, and changes nothing that those change. */
#ifndef EYOT_CHECK_SNAPSHOT_STATE_H
#define EYOT_CHECK_SNAPSHOT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/page.h"
#include "check/snapshot/snap.h"

#define CHK_PAGE EYOTI_PAGE
#define CHK_TEXT_BYTES ((size_t)65536)

/* [low, high): whole pages. */
struct chk_area {
  uintptr_t low, high;
};

/* Consecutive pages of one mapping, write-protected but for those in `open`. */
struct chk_snap_span {
  struct chk_area at;
  int prot;       /* the protection before the snapshot */
  uint64_t *open; /* a bit for each page: written to since chk_snap_take, writable */
};

/* An area that a restore copies back. saved NULL: pages that were absent, which a restore
 * removes. */
struct chk_saved {
  uintptr_t low;
  size_t bytes;
  void *saved;
};

/* A mapping that a run has made. It stays when it is unmapped, for the next request of the same
 * length. */
struct chk_run_map {
  uintptr_t low;
  size_t bytes;
  uint64_t *open; /* as in struct chk_snap_span; pages that are not open are zero */
  uint32_t n_open;
  bool used, plain; /* plain: writable as a whole, zeroed by the system */
};

struct chk_areas {
  struct chk_area *at;
  uint32_t n, cap;
};

struct chk_snap {
  bool taken;
  /* blocks that malloc had mapped one by one before it was set to use one heap */
  uint64_t malloc_maps;
  char *brk;
  uint64_t n_areas;          /* mappings of the process */
  struct chk_area fork_data; /* the variables of the C library, which fork writes; else empty */

  struct chk_area blocked; /* of these, what is written while signals are blocked; else empty */

  struct chk_areas keep; /* kept at the request of callers */
  /* `keep` and the pages that must be open from the start: sorted, disjoint */
  struct chk_areas cuts;
  struct chk_snap_span *ranges; /* sorted, fixed while the snapshot exists */
  uint32_t n_ranges, cap_ranges;

  /* The handler's memory: an array of struct chk_saved that grows up, and the saved bytes, which
   * grow down. */
  unsigned char *pool;
  size_t pool_bytes, pool_left;
  uint32_t n_saved, n_sorted;
  uint64_t splits, splits_cap; /* mappings that splitting has added, and the limit */
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
  bool stack; /* of the main thread */
};
/* Calls visit for each mapping in the order of addresses, until visit returns an error. Allocates
 * nothing. Errors: ESYS (logged), those of visit. */
int chk_areas_read(struct chk_snap *s,
                   int (*visit)(struct chk_snap *s, const struct chk_line *line));
/* The limit vm.max_map_count. */
uint64_t chk_areas_most(void);

/* ranges.c: selects what is protected and what must be open from the start, and saves the latter.
 * Errors: ENOMEM, ESYS (logged). */
int chk_ranges_make(struct chk_snap *s);
void chk_ranges_free(struct chk_snap *s, uint32_t from);

/* fault.c */
/* Calls the functions that the handler calls, so that the handler makes no first call (see
 * fault.c). */
void chk_snap_warm(struct chk_snap *s);
/* Makes pages [first, first + n) of r writable and saves them; open pages stay as they are. False:
 * no memory, or the system refused. */
bool chk_snap_open(struct chk_snap *s, struct chk_snap_span *r, size_t first, size_t n);
/* Saves bytes that are in no range, so that restores copy them back. False: no memory. */
bool chk_snap_save(struct chk_snap *s, uintptr_t low, size_t bytes);
/* The range with `address` in it, else the next one; NULL: none. */
struct chk_snap_span *chk_snap_range(const struct chk_snap *s, uintptr_t address);
static inline bool chk_snap_has(const struct chk_snap *s, uintptr_t low, uintptr_t high) {
  const struct chk_snap_span *r = chk_snap_range(s, low);
  return r != NULL && r->at.low < high;
}

/* fork.c: sets fork_data. */
void chk_snap_find_fork(struct chk_snap *s);
/* blocked.c: sets blocked; after chk_snap_find_fork, and not while there is a snapshot. */
void chk_snap_find_blocked(struct chk_snap *s);

/* map.c */
bool chk_run_map_fault(struct chk_snap *s, uintptr_t address);
void chk_run_maps_restore(struct chk_snap *s);
/* Mappings in use become plain memory of the process, the others are removed. */
void chk_run_maps_drop(struct chk_snap *s);
#endif
