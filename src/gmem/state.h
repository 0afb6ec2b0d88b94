/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - the global memory of one unit, for the files of src/gmem only.
 *
 * The heap of a unit: first the runtime's own memory, at the same offsets on every unit (the lock
 * word of array accumulates, the directory of registered memory, the queue nodes of locks; of many
 * simulated units also the block of EYOT_TEAM_ALL), then collective allocations from the bottom and
 * private ones from the top.
 *
 * It grows by use: the segment is EYOT_HEAP_MAX bytes of address space, of which EYOT_HEAP_SIZE are
 * known at start to be there. No page is used, by the runtime or by an allocation, before the
 * fabric has granted it (grow.c). Both ends stay where they are. One thread of the unit uses the
 * state. */
#ifndef EYOT_GMEM_STATE_H
#define EYOT_GMEM_STATE_H

#include "base/extents.h"
#include "base/idtab.h"
#include "gmem/gmem.h"
#include "teams/state.h"

#define EYOTI_GMEM_ALIGN 64u
#define EYOTI_GMEM_PAGE 4096u /* sizes of a heap are multiples of it */
#define EYOTI_GMEM_REGISTERED_MAX 512u
#define EYOTI_GMEM_LOCK_OFF 0u
#define EYOTI_GMEM_RETURNS_OFF 8u /* two words, returns.h */
#define EYOTI_GMEM_DIRECTORY_OFF 64u
#define EYOTI_GMEM_SYNC_OFF \
  (EYOTI_GMEM_DIRECTORY_OFF + EYOTI_GMEM_REGISTERED_MAX * sizeof(struct eyoti_gdesc))
/* from here on the block of EYOT_TEAM_ALL and then slack (rt/slack.h), or else allocations: `first`
 * of struct eyoti_gmem */
#define EYOTI_GMEM_HEAP_OFF (EYOTI_GMEM_SYNC_OFF + EYOTI_GMEM_SYNC_BYTES)
/* With these, a node of a lock, a million units' words and the first board of their collectives
 * fill a page. */
#define EYOTI_GMEM_SLACK_BYTES 1408u
/* after the heap, in its segment: the last releases of blocks and registrations (label.h) */
#define EYOTI_GMEM_TAIL_BYTES 4096u
#define EYOTI_GMEM_FOUND 4u /* offsets that are kept for a segment without a common one */

/* A pointer to private memory holds the place of its block: the distance of its start from the
 * heap's end in units of EYOTI_GMEM_ALIGN, so that a unit that has the memory mapped, or fetches
 * from its owner, finds the header in front of the block without a table. The lower bits of the
 * place are above the bytes in the offset, the others in seg. */
#define EYOTI_PLACE_HIGH_BITS 14u
#define EYOTI_DYNAMIC_BITS EYOTI_OFFSET_BITS /* of the owner's address */
_Static_assert(EYOTI_SEG_REGISTERED + EYOTI_GMEM_REGISTERED_MAX == EYOTI_SEG_PRIVATE &&
                   EYOTI_SEG_PRIVATE + (1u << EYOTI_PLACE_HIGH_BITS) == UINT16_MAX + 1u,
               "the ranges of segment ids are adjacent, up to the end");

/* A slot of the directory of registered memory, at its owner. */
struct eyoti_gdesc {
  uint64_t key, len; /* of the fabric's attach; bytes */
  uint64_t gen;      /* 0: free; a pointer has its lower EYOTI_GEN_BITS */
  uint64_t made;     /* by that call (eyoti_place_word) */
};
_Static_assert(sizeof(struct eyoti_gdesc) == 32, "a descriptor is one small get");

/* The offset of another member's part. */
struct eyoti_gfound {
  uint64_t off; /* 0: empty */
  uint32_t unit;
};

/* A collective allocation, on one member. */
struct eyoti_gseg {
  struct eyoti_team *team;
  struct eyoti_dynamic *dynamic; /* the dynamic segment that has this memory, or NULL */
  uint64_t off, len; /* of the caller's part; equal offsets on all members unless has_table */
  uint64_t gen_high; /* what a pointer's offset has above its bytes (eyoti_gen_high) */
  /* no common offset: members publish theirs in a word at table_off of the teams' control
   * segment */
  bool has_table;
  uint32_t next_found;
  uint64_t table_off;
  struct eyoti_gfound *found; /* EYOTI_GMEM_FOUND of them; NULL: none was looked for */
};

/* A registration, at its owner. */
struct eyoti_greg {
  char *addr;
  uint64_t len, key;
};

/* The program's data (data.c). */
struct eyoti_gdata {
  char *own; /* its first object here; NULL: not looked for yet */
  const struct eyoti_image *image;
  uint64_t first, len; /* the first object's offset in the fabric's segment; bytes from there on */
  fab_seg_t seg;
};

struct eyoti_gmem {
  fab_seg_t seg;
  /* the caller's part of the heap: byte `off` is at base + off before `front`, at others + off from
   * there on. front 0: one piece. */
  char *base, *others;
  uint64_t front;
  uint64_t size;     /* reserved: up to where it grows; EYOTI_GMEM_TAIL_BYTES follow */
  uint64_t promised; /* EYOT_HEAP_SIZE */
  uint64_t first;    /* the offset from which on the heap is for allocations */
  /* a bit for each EYOTI_GMEM_STEP bytes whose pages are there; NULL: the fabric has no seg_secure,
   * and all are there */
  uint64_t *granted;
  char *map_base; /* of the fabric's mapped units, or NULL */
  uint64_t map_stride;
  struct eyoti_extents space;
  /* of the front, and of the other bytes: between these they were never taken and are still zero */
  struct {
    uint64_t low, high;
  } fresh[2];
  uint64_t collective_used, private_used;
  /* bytes that were used, are free now, and are still with the process; and their bound
   * (EYOT_HEAP_KEEP) */
  uint64_t idle, keep;
  struct eyoti_idtab segs;  /* struct eyoti_gseg */
  struct eyoti_gseg *spare; /* of the last allocation that was freed, for the next one; or NULL */
  struct eyoti_idtab regs;  /* struct eyoti_greg */
  struct eyoti_gdata data;
  struct eyoti_mapped_seg *mapped; /* by segment id; only if memory is mapped */
  uint64_t private_gen;            /* last used; a pointer has its lower EYOTI_GEN_BITS */
  uint32_t releases;               /* that label.h has noted */
  bool check;                      /* EYOT_CHECK: private memory of others, objects */
  struct eyoti_glook *look;        /* label.c; NULL: none was made */
  struct eyoti_sheap *sheap;       /* slab.c; NULL: the shared heap was not used */
  struct eyoti_pool *pool;         /* owned.c; NULL: no buffer was made or taken */
};

/* Logs an error under the name of the public function that was called. */
#define EYOTI_GMEM_FAIL(rt, code, ...) \
  (eyoti_log(EYOTI_LOG_ERROR, (rt)->fab->note.what, (code), __VA_ARGS__), (code))

/* The address of byte `off` of the caller's heap. */
static inline char *eyoti_gmem_at(const struct eyoti_gmem *m, uint64_t off) {
  return (off < m->front ? m->base : m->others) + off;
}

/* Whether [p, p+len) is in the caller's heap, at *off. */
static inline bool eyoti_gmem_has(const struct eyoti_gmem *m, const void *p, uint64_t len,
                                  uint64_t *off) {
  *off = (uint64_t)((uintptr_t)p - (uintptr_t)m->base);
  if (*off < m->front) return *off >= m->first && len <= m->front - *off;
  *off = (uint64_t)((uintptr_t)p - (uintptr_t)m->others);
  return *off >= m->first && *off >= m->front && *off <= m->size && len <= m->size - *off;
}

static inline uint64_t eyoti_gmem_round_up(uint64_t bytes, uint64_t align) {
  return (bytes + align - 1) & ~(align - 1);
}

/* -- the heap's pages (grow.c) ----------------------------------------------------------------- */

#define EYOTI_GMEM_STEP (UINT64_C(64) << 10)
/* Secures the pages of the runtime's own memory; those of EYOT_HEAP_SIZE, if EYOT_HEAP_TOUCH is on.
 * Errors: ENOMEM. */
int eyoti_gmem_grow_start(struct eyot_rt *rt);
void eyoti_gmem_grow_stop(struct eyoti_gmem *m);
/* The part of eyoti_gmem_secure that calls the fabric. */
int eyoti_gmem_secure_slowly(struct eyot_rt *rt, uint64_t off, uint64_t len);
/* Records that [off, off+len) has gone back to the system. */
void eyoti_gmem_forget(struct eyoti_gmem *m, uint64_t off, uint64_t len);
/* The present and the largest size of the heap in bytes, without the runtime's own memory. */
uint64_t eyoti_gmem_size_now(const struct eyoti_gmem *m);
uint64_t eyoti_gmem_size_most(const struct eyoti_gmem *m);

/* Secures the pages of [off, off+len) of the caller's heap, unless they are there. Errors: ENOMEM
 * (the fabric's, logged). */
static inline int eyoti_gmem_secure(struct eyot_rt *rt, const struct eyoti_gmem *m, uint64_t off,
                                    uint64_t len) {
  if (m->granted == NULL) return EYOT_OK;
  uint64_t first = off / EYOTI_GMEM_STEP, last = (off + len - 1) / EYOTI_GMEM_STEP;
  if (first / 64 == last / 64 &&
      (~m->granted[first / 64] & (UINT64_MAX >> (63 - (last - first))) << first % 64) == 0)
    return EYOT_OK;
  return eyoti_gmem_secure_slowly(rt, off, len);
}

/* -- the heap (heap.c) ------------------------------------------------------------------------- */

/* Reserves the heap segment, with the size that the options and the fabric give. Errors: EINVAL,
 * the fabric's. */
int eyoti_gmem_heap_make(struct eyot_rt *rt, struct eyoti_gmem *m);
/* Takes [off, off+len) of the heap, which must be free, and zeroes it unless `how` has
 * EYOTI_GMEM_RAW. Errors: ENOMEM. */
enum eyoti_gmem_how {
  EYOTI_GMEM_ZEROED = 0,
  EYOTI_GMEM_RAW = 1u << 0,
  EYOTI_GMEM_FROM_TOP = 1u << 1,
  EYOTI_GMEM_UNCOUNTED = 1u << 2 /* eyoti_gmem_private_new: the layer's; ENOMEM is not logged */
};
int eyoti_gmem_take(struct eyoti_gmem *m, uint64_t off, uint64_t len, uint32_t how);
/* Zeroes a free range whose pages are there. */
void eyoti_gmem_zero(const struct eyoti_gmem *m, uint64_t off, uint64_t len);
/* Frees the range taken at `off`, of *len bytes; free memory beyond EYOT_HEAP_KEEP goes back to the
 * system. false: no range was taken there. */
bool eyoti_gmem_give(struct eyot_rt *rt, uint64_t off, uint64_t *len);

/* -- collective allocations (collective.c) ----------------------------------------------------- */

/* A collective allocation to be made by a team. `arguments`: a hash of the arguments besides bytes
 * and align that all members must pass alike. `error`: an earlier error of this member; the
 * allocation then fails on all. `dynamic`: stored with the allocation. */
struct eyoti_galloc {
  uint64_t bytes, align, arguments;
  int error;
  struct eyoti_dynamic *dynamic;
  bool raw; /* not zeroed; must be equal on all members */
};
/* Collective over the team. Errors: those of eyot_team_alloc and `error`. */
int eyoti_gmem_collective_make(struct eyot_rt *rt, struct eyoti_team *t,
                               const struct eyoti_galloc *w, eyot_gptr_t *gptr);
/* Returns after all members have come; collective over the team. Errors: EMISMATCH, the
 * fabric's. */
int eyoti_gmem_collective_free(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_gseg *s);
/* Logs that some member's heap has no place for so many bytes of all. */
void eyoti_gmem_log_full(struct eyot_rt *rt, const struct eyoti_team *t, uint64_t bytes);
/* The live allocation, or dynamic segment, that a pointer names, or NULL. */
struct eyoti_gseg *eyoti_gmem_collective_find(const struct eyoti_gmem *m, eyot_gptr_t g);
/* Part of stop: releases the live allocations; returns the number of leaks. */
uint32_t eyoti_gmem_collective_drop(struct eyot_rt *rt);

/* -- registered memory and dynamic segments (registered.c, dynamic.c) -------------------------- */

/* Part of stop: ends the live registrations; returns the number of leaks. */
uint32_t eyoti_gmem_registered_drop(struct eyot_rt *rt);
/* Part of the release of a dynamic segment's allocation: detaches all regions that are left. */
void eyoti_gmem_dynamic_drop(struct eyot_rt *rt, struct eyoti_dynamic *d);
/* The address of the caller's own registered or dynamic memory at `g`, which must resolve. */
char *eyoti_gmem_registered_addr(struct eyot_rt *rt, eyot_gptr_t g);
char *eyoti_gmem_dynamic_addr(eyot_gptr_t g);

/* -- the program's data (data.c) --------------------------------------------------------------- */

int eyoti_gmem_resolve_data(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len, struct fab_addr *out);
/* The address of the caller's own data at `g`, which must resolve. */
char *eyoti_gmem_data_addr(const struct eyot_rt *rt, eyot_gptr_t g);

/* -- resolve (each kind of memory in its own file) --------------------------------------------- */

/* Resolve each kind of memory: the fabric address of byte g.offset, after all checks except that
 * the unit exists. */
int eyoti_gmem_resolve_collective(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                                  struct fab_addr *out);
/* The same if it is the usual memory, whose parts are at one offset at all units of the run. false:
 * it is not, or the pointer has an error. */
bool eyoti_gmem_resolve_usual(const struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                              struct fab_addr *out);
/* The same for a part of a known allocation; of a dynamic segment, the memory that it consists
 * of. */
int eyoti_gmem_resolve_part(struct eyot_rt *rt, struct eyoti_gseg *s, eyot_gptr_t g, uint64_t len,
                            struct fab_addr *out);
/* The generation of a block in a pointer to it. */
static inline uint32_t eyoti_gmem_private_gen(eyot_gptr_t g) {
  return (uint32_t)(g.offset >> EYOTI_OFFSET_BITS << 16) | g.gen;
}
int eyoti_gmem_resolve_private(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                               struct fab_addr *out);
int eyoti_gmem_resolve_registered(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                                  struct fab_addr *out);
int eyoti_gmem_resolve_dynamic(struct eyot_rt *rt, struct eyoti_dynamic *d, eyot_gptr_t g,
                               uint64_t len, struct fab_addr *out);

/* -- mapped segments (mapped.c) ---------------------------------------------------------------- */

int eyoti_gmem_mapped_start(struct eyot_rt *rt); /* fills rt->mapped. ENOMEM */
void eyoti_gmem_mapped_stop(struct eyot_rt *rt);
void eyoti_gmem_mapped_enter(struct eyot_rt *rt, eyot_gptr_t g, const struct eyoti_gseg *s);
void eyoti_gmem_mapped_enter_data(struct eyot_rt *rt, const struct eyoti_gdata *d);
void eyoti_gmem_mapped_leave(struct eyot_rt *rt, uint32_t seg);
#endif
