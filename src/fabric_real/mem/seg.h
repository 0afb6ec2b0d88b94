/* SPDX-License-Identifier: BSD-3-Clause */
/* seg.h - the memory of segments: shared by the processes of the node, with an MPI window over it
 * when there are other nodes. ops/segment.h creates segments from them. */
#ifndef EYOT_FABRIC_REAL_MEM_SEG_H
#define EYOT_FABRIC_REAL_MEM_SEG_H

#include "fabric_real/endpoint/node_memory.h"

/* Bytes left there on this machine; UINT64_MAX: shared memory is elsewhere. */
uint64_t fmpi_shared_space(void);
/* Bytes of address space that the system's limit leaves this process; UINT64_MAX: no limit. */
uint64_t fmpi_address_space(void);
/* Bytes that each unit's part may have, as far as this process can tell; UINT64_MAX: any. */
uint64_t fmpi_seg_space(const struct fmpi *f);
bool fmpi_alone(const struct fmpi *f); /* no other process maps this process's parts */
static inline uint64_t fmpi_seg_part_of(uint64_t len) {
  return (len + FMPI_PAGE - 1) / FMPI_PAGE * FMPI_PAGE;
}
/* Maps a part that no other process maps. */
int fmpi_seg_map_private(struct fmpi_seg *s, uint64_t part);
/* The node's first unit makes the memory; then all processes of the node join it, or that unit
 * cancels it. */
int fmpi_seg_make(const struct fmpi *f, struct fmpi_seg *s, uint64_t part);
void fmpi_seg_cancel(const struct fmpi *f, const struct fmpi_seg *s);
int fmpi_seg_join(const struct fmpi *f, struct fmpi_seg *s, uint64_t part);
/* Proposes another address for the memory, if this process is the one that has made it; and goes to
 * the address that was proposed, if it is free here. Sets s->common. */
void fmpi_seg_propose(const struct fmpi *f, struct fmpi_seg *s, uint32_t turn);
void fmpi_seg_follow(struct fmpi_seg *s);
int fmpi_seg_expose(struct fmpi *f, struct fmpi_seg *s);        /* collective */
int fmpi_seg_release(const struct fmpi *f, struct fmpi_seg *s); /* collective */
/* A progress process does this for fmpi_seg_reserve, once all units are in it. */
int fmpi_seg_serve(struct fmpi *f, fab_seg_t id, uint64_t len);
int fmpi_seg_find(const struct fmpi *f, fab_seg_t seg, const struct fmpi_seg **out); /* ESEG */

/* fab_ops */
int fmpi_seg_ptr(struct fab *fab, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr);
int fmpi_seg_map(struct fab *fab, fab_seg_t seg, char **base, uint64_t *stride);
int fmpi_seg_common(struct fab *fab, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr);
bool fmpi_seg_find_common(struct fab *fab, fab_seg_t seg, const void *p, uint64_t len,
                          fab_unit_t *unit, uint64_t *off);
#endif
