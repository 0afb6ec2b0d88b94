/* SPDX-License-Identifier: BSD-3-Clause */
/* private.h - private memory of units (heap, stack), accessed by progress processes through the
 * system (docs/adr/0026).
 *
 * Why it exists: a progress process maps global memory of its node, and most buffers of users are
 * not there. process_vm_readv and process_vm_writev copy between two processes directly. Whether
 * they are permitted is tried at start (fmpi_private_open). Bytes for other nodes go through a
 * buffer of the progress process, from which MPI takes them (stage.h).
 *
 * A request that fails, because the buffer cannot be read or written, is complete all the same; its
 * unit learns of it by an entry in the ring, before it learns of the completion. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_PRIVATE_H
#define EYOT_FABRIC_REAL_PROGRESS_PRIVATE_H

#include "fabric_real/progress/engine.h"

/* between two calls of MPI, so that a long copy stalls no operation of others */
#define FMPI_COPY_BYTES (UINT64_C(256) << 10)
#define FMPI_STAGE_SLOTS 8u /* pieces of stage.c that MPI has at once */

/* A request, and the unit that has posted it. */
struct fmpi_asked {
  struct fmpi_request q;
  uint32_t place; /* of the unit on the node */
  uint64_t number;
};

/* -- both sides -------------------------------------------------------------------------------- */
/* Tries whether it can be accessed, and sets which transfers are handed over. Collective over the
 * node. */
int fmpi_private_open(struct fmpi *f);
/* Takes back what the unit has permitted other processes for that. Local; may be repeated. */
void fmpi_private_close(struct fmpi *f);

/* -- progress processes ------------------------------------------------------------------------ */
/* All len bytes from (to) a unit's memory. 0, or the errno of the call that has failed; some of
 * the bytes may have been copied. */
int fmpi_private_move(int pid, void *ours, uint64_t theirs, uint64_t len, bool to_them);
/* A request between private memory and `there`, which is mapped here. *failed: 0 or an errno, as
 * above; the caller notes it. */
int fmpi_private_copy(struct fmpi *f, const struct fmpi_asked *a, char *there, int *failed);
/* Notes that the request has failed, once, if it was not noted last; those of a ring must be noted
 * in order. */
void fmpi_private_failed(const struct fmpi *f, uint32_t place, uint64_t number, bool is_get,
                         int error);
#endif
