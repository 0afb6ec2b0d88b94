/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - what the files of the snapshot share: its state, which lies in mem.h's memory
 * as a whole.
 *
 * Why it exists: taking and restoring (snap.c), what is taken (ranges.c), the first
 * write to a page (fault.c), mappings that runs make (map.c) and reading what the
 * process has mapped (areas.c) are separate matters with one state.
 *
 * The handler of faults may interrupt any code that writes to a fiber's stack, ec_snap_map and
 * ec_alloc among it. It therefore allocates nothing but from `pool`, and changes nothing that those
 * change. */
#ifndef EYOT_CHECK_SNAPSHOT_STATE_H
#define EYOT_CHECK_SNAPSHOT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/snapshot/snap.h"

#define EC_PAGE ((size_t)4096)
#define EC_TEXT_BYTES ((size_t)65536)

/* [low, high): whole pages. */
struct ec_area {
  uintptr_t low, high;
};

/* Consecutive pages of one mapping, write-protected but for those in `open`. */
struct ec_range {
  struct ec_area at;
  int prot;       /* as it was */
  uint64_t *open; /* a bit a page: written to since ec_snap_take, writable */
};

/* What a restore copies back; saved NULL: pages that were not there, and are removed. */
struct ec_saved {
  uintptr_t low;
  size_t bytes;
  void *saved;
};

/* A mapping that a run has made. It stays when it is unmapped, for the next that is as long. */
struct ec_run_map {
  uintptr_t low;
  size_t bytes;
  uint64_t *open; /* as above; what is not open is zero */
  uint32_t n_open;
  bool used, plain; /* plain: writable as a whole, zeroed by the system */
};

struct ec_areas {
  struct ec_area *at;
  uint32_t n, cap;
};

struct ec_snap {
  bool taken;
  uint64_t malloc_maps; /* blocks that malloc has mapped one by one, before it was told not to */
  char *brk;
  uint64_t n_areas; /* mappings of the process */

  struct ec_areas keep;    /* what callers asked for */
  struct ec_areas cuts;    /* that and pages that must be open from the start: sorted, disjoint */
  struct ec_range *ranges; /* sorted, fixed while taken */
  uint32_t n_ranges, cap_ranges;

  /* The handler's: an array of struct ec_saved that grows up, and the bytes saved, which grow
   * down. */
  unsigned char *pool;
  size_t pool_bytes, pool_left;
  uint32_t n_saved, n_sorted;
  uint64_t splits, room;   /* mappings that splitting has added, and may add */
  uint64_t page_info[512]; /* entries of /proc/self/pagemap */

  struct ec_run_map *maps;
  uint32_t n_maps, cap_maps, cursor;

  char text[EC_TEXT_BYTES]; /* of /proc/self/maps */
};

static inline bool ec_bit(const uint64_t *bits, size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}
static inline void ec_set_bit(uint64_t *bits, size_t i) {
  bits[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline struct ec_saved *ec_saved(const struct ec_snap *s) {
  return (struct ec_saved *)(void *)s->pool;
}

static inline uintptr_t ec_page_down(uintptr_t p) {
  return p / EC_PAGE * EC_PAGE;
}
static inline uintptr_t ec_page_up(uintptr_t p) {
  return (p + EC_PAGE - 1) / EC_PAGE * EC_PAGE;
}

/* areas.c: a line of /proc/self/maps. */
struct ec_line {
  struct ec_area at;
  bool read, write, exec, shared;
  bool stack; /* the main thread's */
};
/* Calls visit for each mapping in the order of addresses; a visit's error ends it. Allocates
 * nothing. Errors: ESYS (logged), those of visit. */
int ec_areas_read(struct ec_snap *s, int (*visit)(struct ec_snap *s, const struct ec_line *line));
/* vm.max_map_count. */
uint64_t ec_areas_most(void);

/* ranges.c: what is to be protected, and what must be open from the start, which is saved.
 * Errors: ENOMEM, ESYS (logged). */
int ec_ranges_make(struct ec_snap *s);
void ec_ranges_free(struct ec_snap *s, uint32_t from);

/* fault.c */
/* Calls what a handler calls, so that no first call is in one. */
void ec_snap_warm(struct ec_snap *s);
/* Pages [first, first + n) of r become writable and are saved; those open already stay as they are.
 * False: no memory, or the system refused. */
bool ec_snap_open(struct ec_snap *s, struct ec_range *r, size_t first, size_t n);
/* Saves bytes in no range, so that restores copy them back. False: no memory. */
bool ec_snap_save(struct ec_snap *s, uintptr_t low, size_t bytes);
/* The one with `address` in it, else the next; NULL: none. */
struct ec_range *ec_snap_range(const struct ec_snap *s, uintptr_t address);
static inline bool ec_snap_has(const struct ec_snap *s, uintptr_t low, uintptr_t high) {
  const struct ec_range *r = ec_snap_range(s, low);
  return r != NULL && r->at.low < high;
}

/* map.c */
bool ec_run_map_fault(struct ec_snap *s, uintptr_t address);
void ec_run_maps_restore(struct ec_snap *s);
/* Those in use become plain memory of the process, the others go. */
void ec_run_maps_drop(struct ec_snap *s);
#endif
