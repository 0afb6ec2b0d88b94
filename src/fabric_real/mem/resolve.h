/* SPDX-License-Identifier: BSD-3-Clause */
/* resolve.h - from an address of the fabric to a checked place. */
#ifndef EYOT_FABRIC_REAL_MEM_RESOLVE_H
#define EYOT_FABRIC_REAL_MEM_RESOLVE_H

#include "fabric_real/endpoint/endpoint.h"
#include "fabric_real/mem/attach.h"

/* Logs and returns why fmpi_resolve refuses an address. */
int fmpi_bad_address(const struct fmpi *f, struct fab_addr a, uint64_t len);

/* Checks [a, a+len) and finds its place. Errors: ESEG, EUNIT, ERANGE. */
static inline int fmpi_resolve(struct fmpi *f, struct fab_addr a, uint64_t len,
                               struct fmpi_at *at) {
  if (__builtin_expect(a.seg == FAB_SEG_ATTACHED, 0)) return fmpi_attach_resolve(f, a, len, at);
  uint32_t slot = a.seg % FAB_SEG_MAX;
  const struct fmpi_seg *s = &f->seg[slot];
  if (__builtin_expect(
          !s->live || s->id != a.seg || a.unit >= f->fab.n || len > s->len || a.off > s->len - len,
          0))
    return fmpi_bad_address(f, a, len);
  uint32_t k = a.unit - f->fab.local.first;
  at->ptr = k < f->fab.local.n ? s->base + (uint64_t)k * s->stride + a.off : NULL;
  at->win = s->rma;
  at->disp = (MPI_Aint)a.off;
  at->slot = slot;
  at->unit = a.unit;
  return EYOT_OK;
}
#endif
