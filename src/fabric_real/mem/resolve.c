/* SPDX-License-Identifier: BSD-3-Clause */
/* resolve.c - see resolve.h. */
#include "fabric_real/mem/resolve.h"

#include <inttypes.h>

int fmpi_bad_address(const struct fmpi *f, struct fab_addr a, uint64_t len) {
  const struct fmpi_seg *s = &f->seg[a.seg % FAB_SEG_MAX];
  if (!s->live || s->id != a.seg)
    return EYOTI_FAIL(EYOT_ESEG, "segment %u does not exist (any more)", a.seg);
  if (a.unit >= f->fab.n) return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", a.unit, f->fab.n);
  return EYOTI_FAIL(EYOT_ERANGE,
                    "bytes %" PRIu64 " to %" PRIu64 "+%" PRIu64
                    " of unit %u, its segment has %" PRIu64,
                    a.off, a.off, len, a.unit, s->len);
}
