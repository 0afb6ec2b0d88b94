/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.c - see attach.h. Accesses go through a dynamic window made at open, or by messages
 * (attach_message.h); a key is an address of the owner.
 *
 * The owner keeps a list of attached ranges, to recognize wrong keys and overlaps and to check its
 * own accesses. Accesses of others are checked where they come by messages, otherwise not
 * (FAB_CAP_ATTACH_UNCHECKED): MPI gives the target no means to. */
#include "fabric_real/mem/attach.h"

#include <inttypes.h>
#include <stdlib.h>

#include "fabric_real/mem/attach_message.h"
#include "fabric_real/wait/spin.h"

#define CAP_FIRST 16u

int fmpi_attach_open(struct fmpi *f, bool by_message) {
  if (by_message) {
    f->fab.caps &= (uint16_t)~FAB_CAP_ATTACH_UNCHECKED;
    return fmpi_attach_message_open(f);
  }
  FMPI_TRY_SPINNING(f, MPI_Win_create_dynamic(MPI_INFO_NULL, f->comm.all, &f->attach.win));
  FMPI_TRY(MPI_Win_set_errhandler(f->attach.win, MPI_ERRORS_RETURN));
  FMPI_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, f->attach.win));
  return EYOT_OK;
}

int fmpi_attach_close(struct fmpi *f) {
  if (f->attach.message != NULL) {
    EYOTI_TRY(fmpi_attach_message_close(f));
  } else {
    FMPI_TRY(MPI_Win_unlock_all(f->attach.win));
    for (uint32_t i = 0; i < f->attach.n; i++)
      FMPI_TRY(MPI_Win_detach(f->attach.win, (void *)(uintptr_t)f->attach.range[i].addr));
    FMPI_TRY_SPINNING(f, MPI_Win_free(&f->attach.win));
  }
  free(f->attach.range);
  f->attach.range = NULL;
  f->attach.n = f->attach.cap = 0;
  return EYOT_OK;
}

static int attach_reserve(struct fmpi *f) {
  if (f->attach.n < f->attach.cap) return EYOT_OK;
  uint32_t cap = f->attach.cap == 0 ? CAP_FIRST : 2 * f->attach.cap;
  struct fmpi_attached *grown =
      cap > f->attach.cap ? reallocarray(f->attach.range, cap, sizeof *grown) : NULL;
  if (grown == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep %u attached ranges", cap);
  f->attach.range = grown;
  f->attach.cap = cap;
  return EYOT_OK;
}

static int attach_enter(struct fmpi *f, void *addr, uint64_t len) {
  EYOTI_TRY(attach_reserve(f));
  if (f->attach.message == NULL) FMPI_TRY(MPI_Win_attach(f->attach.win, addr, (MPI_Aint)len));
  f->attach.range[f->attach.n++] =
      (struct fmpi_attached){.addr = (uint64_t)(uintptr_t)addr, .len = len, .count = 1};
  return EYOT_OK;
}

int fmpi_attach(struct fab *fab, void *addr, uint64_t len, uint64_t *key) {
  struct fmpi *f = fmpi_of(fab);
  uint64_t from = (uint64_t)(uintptr_t)addr;
  if (addr == NULL || len == 0 || len > UINT64_MAX - from)
    return EYOTI_FAIL(EYOT_EINVAL, "cannot attach %" PRIu64 " bytes at %p", len, addr);
  for (uint32_t i = 0; i < f->attach.n; i++) {
    struct fmpi_attached *a = &f->attach.range[i];
    if (a->addr == from && a->len == len) {
      a->count++;
      *key = from;
      return EYOT_OK;
    }
    if (from < a->addr + a->len && a->addr < from + len)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%" PRIu64 " bytes at %p overlap %" PRIu64
                        " bytes at %p that are attached already; MPI allows no overlap",
                        len, addr, a->len, (void *)(uintptr_t)a->addr);
  }
  fmpi_attach_message_lock(f);
  int rc = attach_enter(f, addr, len);
  fmpi_attach_message_unlock(f);
  EYOTI_TRY(rc);
  *key = from; /* MPI_Get_address of it: an MPI_Aint holds an address */
  return EYOT_OK;
}

int fmpi_detach(struct fab *fab, uint64_t key) {
  struct fmpi *f = fmpi_of(fab);
  for (uint32_t i = 0; i < f->attach.n; i++) {
    struct fmpi_attached *a = &f->attach.range[i];
    if (a->addr != key) continue;
    if (--a->count != 0) return EYOT_OK;
    if (f->attach.message == NULL) FMPI_TRY(MPI_Win_detach(f->attach.win, (void *)(uintptr_t)key));
    fmpi_attach_message_lock(f);
    *a = f->attach.range[--f->attach.n];
    fmpi_attach_message_unlock(f);
    return EYOT_OK;
  }
  return EYOTI_FAIL(EYOT_EINVAL, "nothing is attached with key %" PRIx64, key);
}

bool fmpi_is_attached(const struct fmpi *f, uint64_t from, uint64_t len) {
  for (uint32_t i = 0; i < f->attach.n; i++) {
    const struct fmpi_attached *a = &f->attach.range[i];
    if (from >= a->addr && len <= a->len && from - a->addr <= a->len - len) return true;
  }
  return false;
}

int fmpi_attach_resolve(struct fmpi *f, struct fab_addr a, uint64_t len, struct fmpi_at *at) {
  if (a.unit >= f->fab.n) return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", a.unit, f->fab.n);
  bool own = a.unit == f->fab.me;
  if (len > UINT64_MAX - a.off || (own && !fmpi_is_attached(f, a.off, len)))
    return EYOTI_FAIL(EYOT_ERANGE, "%" PRIu64 " bytes at %" PRIx64 " are not attached by unit %u",
                      len, a.off, a.unit);
  *at = (struct fmpi_at){.ptr = own ? (char *)(uintptr_t)a.off : NULL,
                         .win = f->attach.win,
                         .disp = (MPI_Aint)a.off,
                         .slot = FAB_SEG_MAX,
                         .unit = a.unit};
  return EYOT_OK;
}
