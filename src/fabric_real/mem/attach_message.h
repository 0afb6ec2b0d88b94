/* SPDX-License-Identifier: BSD-3-Clause */
/* attach_message.h - access to attached memory by messages: its owner carries them out. Operations
 * are complete, remotely too, when they return. Errors: ERANGE (not attached there). */
#ifndef EYOT_FABRIC_REAL_MEM_ATTACH_MESSAGE_H
#define EYOT_FABRIC_REAL_MEM_ATTACH_MESSAGE_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_attach_message_open(struct fmpi *f);
/* Called after a barrier that follows all accesses to attached memory. */
int fmpi_attach_message_close(struct fmpi *f);
int fmpi_attach_message_move(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                             bool is_get);
/* old may be NULL */
int fmpi_attach_message_amo(struct fmpi *f, const struct fmpi_at *at, const struct fab_amo *amo,
                            uint64_t *old);
int fmpi_attach_message_signal(struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                               uint64_t value);
/* Answers others, without blocking, and lets MPI work; by unit or progress thread. */
int fmpi_attach_message_serve(struct fmpi *f);
/* Around changes of the list of attached ranges; nothing if attach.message is NULL. */
void fmpi_attach_message_lock(struct fmpi *f);
void fmpi_attach_message_unlock(struct fmpi *f);
static inline bool fmpi_by_attach_message(const struct fmpi *f, const struct fmpi_at *at) {
  return __builtin_expect(at->slot == FAB_SEG_MAX, 0) && f->attach.message != NULL;
}
#endif
