/* SPDX-License-Identifier: BSD-3-Clause */
/* seg.h - memory that other units may address: segments and attached ranges. Part of the world
 * (world.h); the engines, explore/ and report/ look addresses up here.
 *
 * Why it exists: one mapping holds a segment's parts of all units, without reservation of memory,
 * so that only touched pages cost memory. The first unit that creates a segment maps it; the others
 * find the mapping. Of many units the fronts of all parts lie side by side, so that their pages
 * share page tables (docs/adr/0137). */
#ifndef EYOT_FABRIC_SIM_ENGINE_SEG_H
#define EYOT_FABRIC_SIM_ENGINE_SEG_H

#include "fabric/fabric.h"

struct sim_unit;
struct sim_world;

/* Byte `off` of a unit's part is at first + unit * stride + off. */
struct sim_stretch {
  char *first;
  uint64_t stride;
};

struct sim_seg {
  char *base; /* NULL: the slot is free */
  uint64_t len;
  uint64_t front; /* the bytes of a part that lie apart; 0: none */
  char **parts;   /* of the program's data: where each unit's is; NULL: in stretches */
  struct sim_stretch stretch[2]; /* of the front, and of the others */
  _Alignas(64) uint64_t map_bytes;
  uint32_t ordinal;            /* the run's n-th segment */
  uint32_t created, destroyed; /* the number of units that have */
};

struct sim_segs {
  struct sim_seg slot[FAB_SEG_MAX];
  uint32_t bound;       /* slots from here on are unused */
  struct sim_seg *data; /* that of the program's data; NULL: there is none yet */
  /* bytes that all parts of a segment may have together though little of them is used; 0: not
   * computed yet */
  uint64_t reach;
};

/* The address of byte `off` of a unit's part. */
static inline char *sim_seg_place(const struct sim_seg *s, uint32_t unit, uint64_t off) {
  const struct sim_stretch *x = &s->stretch[1];
  if (__builtin_expect(off < s->front, 0)) x = &s->stretch[0];
  if (__builtin_expect(s->parts != NULL, 0)) return s->parts[unit] + off;
  return x->first + unit * x->stride + off;
}

/* Whether the bytes are in the segment, and in one piece. */
static inline bool sim_seg_has(const struct sim_seg *s, uint64_t off, uint64_t len) {
  return len <= s->len && off <= s->len - len && (off >= s->front || len <= s->front - off);
}

/* The contract's operations. */
/* *front: as that of seg_reserve. */
int sim_seg_create(struct sim_unit *u, uint64_t len, uint64_t *front, fab_seg_t *seg);
uint64_t sim_seg_reach(struct sim_world *w, uint64_t want);
int sim_seg_destroy(struct sim_unit *u, fab_seg_t seg);
int sim_seg_data(struct sim_unit *u, struct fab_data *data);
bool sim_seg_data_known(const struct sim_unit *u, struct fab_data *data);
int sim_seg_attach(struct sim_unit *u, void *addr, uint64_t len, uint64_t *key);
int sim_seg_detach(struct sim_unit *u, uint64_t key);
/* The offset of an address for the trace hash. Keys of attached memory contain its address within a
 * page, which the loader draws anew for each process: they are left out. */
uint64_t sim_seg_trace_off(const struct sim_world *w, uint32_t unit, uint32_t seg, uint64_t off);
/* Makes the segment of the program's data before the run, if the program will use it, so that
 * detectors know it from the beginning. */
int sim_segs_init(struct sim_world *w);
void sim_segs_fini(struct sim_world *w);
void sim_seg_drop_attached(struct sim_unit *u);

/* Checks what the posting call can know: unit, segment, range. EUNIT, ESEG, ERANGE (logged).
 * Attached memory passes: only its owner knows its bounds. */
int sim_seg_check(const struct sim_world *w, struct fab_addr a, uint64_t len);
static inline bool sim_seg_inside(const struct sim_segs *s, uint32_t n_units, struct fab_addr a,
                                  uint64_t len) {
  return a.unit < n_units && a.seg < FAB_SEG_MAX && sim_seg_has(&s->slot[a.seg], a.off, len);
}
/* Returns the current address of [off, off+len) of a segment at `unit`, or NULL: freed, or out of
 * range. */
static inline void *sim_segs_at(const struct sim_segs *segs, uint32_t unit, uint32_t seg,
                                uint64_t off, uint64_t len) {
  const struct sim_seg *s = &segs->slot[seg];
  return s->base != NULL && sim_seg_has(s, off, len) ? sim_seg_place(s, unit, off) : NULL;
}
/* The same of attached memory too. */
void *sim_seg_at(struct sim_world *w, uint32_t unit, uint32_t seg, uint64_t off, uint64_t len);
/* The inverse: finds the unit and segment, or the attached memory of unit `by`, that contains [p,
 * p+len). False: none does. */
bool sim_seg_find(const struct sim_world *w, uint32_t by, const void *p, uint64_t len,
                  uint32_t *unit, uint32_t *seg, uint64_t *off);
#endif
