/* SPDX-License-Identifier: BSD-3-Clause */
/* mapped.h - access by the CPU to memory that is mapped here. */
#ifndef EYOT_FABRIC_REAL_MEM_MAPPED_H
#define EYOT_FABRIC_REAL_MEM_MAPPED_H

#include "fabric_real/endpoint/endpoint.h"

void fmpi_copy_in(char *dst, const void *src, uint64_t len);  /* to mapped memory */
void fmpi_copy_out(void *dst, const char *src, uint64_t len); /* from mapped memory */
/* A signal by the CPU; wakes the unit. */
void fmpi_signal_mapped(const struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                        uint64_t value);
/* The same, to the greater of `value` and what the word has. */
void fmpi_raise_mapped(const struct fmpi *f, const struct fmpi_at *at, uint64_t value);
/* Decides which kind changes a word, in the same way on all units: the two kinds are not atomic
 * against each other. Attached words are MPI's, whichever unit owns them; words of segments are all
 * the CPU's (here, or by a remote AMO) or all MPI's. */
static inline bool fmpi_by_cpu(const struct fmpi *f, const struct fmpi_at *at) {
  return f->job.cpu_words && at->ptr != NULL && at->slot != FAB_SEG_MAX;
}
#endif
