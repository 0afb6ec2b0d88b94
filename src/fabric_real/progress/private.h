/* SPDX-License-Identifier: BSD-3-Clause */
/* private.h - private memory of units (heap, stack), accessed by progress processes through the
 * system (docs/adr/0026).
 *
 * Why it exists: a progress process maps global memory of its node, and users' buffers are mostly
 * something else. process_vm_readv and process_vm_writev copy between two processes without a stop
 * in between. Whether they may is tried at start (fmpi_private_open). Towards other nodes the bytes
 * make a stop in a buffer of the progress process, from which MPI takes them (stage.c).
 *
 * A request that fails, because the buffer cannot be read or written, is complete all the same; its
 * unit learns of it by an entry in the ring, before it learns of the completion. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_PRIVATE_H
#define EYOT_FABRIC_REAL_PROGRESS_PRIVATE_H

#include "fabric_real/progress/engine.h"

/* between two calls of MPI, so that a long copy stalls nobody's operation */
#define FMPI_COPY_BYTES (UINT64_C(256) << 10)
#define FMPI_STAGE_SLOTS 8u                    /* pieces that MPI has at once */
#define FMPI_STAGE_BYTES (UINT64_C(128) << 10) /* of a piece */

/* A request, and whose it is. */
struct fmpi_asked {
  struct fmpi_request q;
  uint32_t place; /* of the unit on the node */
  uint64_t number;
};

/* -- both sides -------------------------------------------------------------------------------- */
/* Tries it, and sets what is handed over. Collective over the node. */
int fmpi_private_open(struct fmpi *f);

/* -- progress processes ------------------------------------------------------------------------ */
/* All len bytes from (to) a unit's memory. 0, or the errno of what has failed, after which some of
 * the bytes may have been copied. */
int fmpi_private_move(int pid, void *ours, uint64_t theirs, uint64_t len, bool to_them);
/* A request between private memory and `there`, which is mapped here. *failed: 0 or an errno, as
 * above; the caller notes it. */
int fmpi_private_copy(struct fmpi *f, const struct fmpi_asked *a, char *there, int *failed);
/* Notes that the request has failed, once, if it was not noted last; those of a ring must be noted
 * in order. */
void fmpi_private_failed(const struct fmpi *f, uint32_t place, uint64_t number, bool is_get,
                         int error);

/* -- the same to places that only MPI reaches (stage.c) ------------------------------------- */
struct fmpi_stage;
int fmpi_stage_open(struct fmpi_stage **out);
void fmpi_stage_close(struct fmpi_stage *g);
/* Leaves pieces on the way: fmpi_stage_settle, and of puts a flush of their targets behind it,
 * completes them. *failed: as above, of puts; that of gets shows later, and is noted here. */
int fmpi_stage_move(struct fmpi *f, struct fmpi_stage *g, const struct fmpi_asked *a,
                    const struct fmpi_at *at, int *failed);
int fmpi_stage_settle(struct fmpi *f, struct fmpi_stage *g);
#endif
