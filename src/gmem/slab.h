/* SPDX-License-Identifier: BSD-3-Clause */
/* slab.h - the allocator of the shared heap: objects of any size in a unit's own part, which any
 * unit of the node can release. For sheap.c and shared_malloc.c. */
#ifndef EYOT_GMEM_SLAB_H
#define EYOT_GMEM_SLAB_H

#include "gmem/label.h"
#include "teams/agree.h"

#define EYOTI_CHUNK_BYTES (UINT64_C(64) << 10)
#define EYOTI_CHUNK_GRAIN 16u /* objects are multiples of it */

/* At the start of each chunk, whose address is a multiple of EYOTI_CHUNK_BYTES: the label of the
 * block of eyot_alloc that it is, so that global pointers reach into it, and then this. A chunk
 * holds objects of one size, or begins one large object, which may be longer than a chunk. */
struct eyoti_chunk {
  struct eyoti_glabel label;
  uint64_t magic;
  uint64_t size;           /* of an object */
  uint32_t first;          /* where the first one begins */
  uint32_t n, used, fresh; /* objects; those that are in use; from `fresh` on none was used yet */
  uint32_t bin;
  bool listed;
  char *released;                    /* a list of objects, by their first words */
  struct eyoti_chunk *next, *before; /* those of the bin with free objects */
  uint64_t in_use[EYOTI_CHUNK_BYTES / EYOTI_CHUNK_GRAIN / 64]; /* a bit for each 16 bytes */
};

/* Allocates an object, aligned to `align`, a power of two. Errors: ENOMEM (not logged), the
 * fabric's. */
int eyoti_slab_take(struct eyot_rt *rt, uint64_t bytes, uint64_t align, void **p);
/* The object that begins at p in the heap of a unit of this node; NULL: none does, or it is not in
 * use. Local. */
struct eyoti_chunk *eyoti_slab_find(struct eyot_rt *rt, const void *p, fab_unit_t *unit);
/* That of an address which is known to be an object's. */
static inline struct eyoti_chunk *eyoti_slab_chunk_of(const void *p) {
  return (struct eyoti_chunk *)((uintptr_t)p - (uintptr_t)p % EYOTI_CHUNK_BYTES);
}
/* The chunk in which p lies, if it lies in one. */
struct eyoti_chunk *eyoti_slab_chunk(struct eyot_rt *rt, const void *p, fab_unit_t *unit);
/* Whether the object of the chunk in which p lies is in use. */
bool eyoti_slab_in_use(struct eyoti_chunk *c, const void *p);
/* Releases the object at p, of that chunk of that unit. *twice: it was not in use any more. Errors:
 * the fabric's; unless *ended it is as it was, else nobody can use it any more. */
int eyoti_slab_give(struct eyot_rt *rt, struct eyoti_chunk *c, fab_unit_t unit, void *p,
                    bool *twice, bool *ended);
/* After all units have made their last call: how many objects of the caller's part are in use. */
uint64_t eyoti_slab_left(struct eyot_rt *rt);
/* Frees the tables. Local. */
void eyoti_slab_stop(struct eyot_rt *rt);
#endif
