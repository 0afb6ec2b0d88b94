/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.c - attached memory: a dynamic window made at open, or messages (attach_message.c); a key
 * is an address of the owner.
 *
 * The owner keeps a list of what is attached, to recognize wrong keys and overlaps and to check its
 * own accesses. Accesses of others are checked where they come by messages, else not
 * (FAB_CAP_ATTACH_UNCHECKED): MPI gives the target no means to. */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric_real/endpoint/endpoint.h"

#define CAP_FIRST 16u

int fmpi_attach_open(struct fmpi *f) {
  if (fmpi_vendor_attach_by_message()) {
    f->fab.caps &= ~(uint32_t)FAB_CAP_ATTACH_UNCHECKED;
    return fmpi_attach_message_open(f);
  }
  FMPI_TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, f->all, &f->dynamic));
  FMPI_TRY(MPI_Win_set_errhandler(f->dynamic, MPI_ERRORS_RETURN));
  FMPI_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, f->dynamic));
  return EYOT_OK;
}

int fmpi_attach_close(struct fmpi *f) {
  if (f->attach_message != NULL) {
    EYOTI_TRY(fmpi_attach_message_close(f));
  } else {
    FMPI_TRY(MPI_Win_unlock_all(f->dynamic));
    for (uint32_t i = 0; i < f->nattached; i++)
      FMPI_TRY(MPI_Win_detach(f->dynamic, (void *)(uintptr_t)f->attached[i].addr));
    FMPI_TRY(MPI_Win_free(&f->dynamic));
  }
  free(f->attached);
  f->attached = NULL;
  f->nattached = f->attached_cap = 0;
  return EYOT_OK;
}

static int attach_reserve(struct fmpi *f) {
  if (f->nattached < f->attached_cap) return EYOT_OK;
  uint32_t room = f->attached_cap == 0 ? CAP_FIRST : 2 * f->attached_cap;
  struct fmpi_attached *grown =
      room > f->attached_cap ? reallocarray(f->attached, room, sizeof *grown) : NULL;
  if (grown == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep %u attached ranges", room);
  f->attached = grown;
  f->attached_cap = room;
  return EYOT_OK;
}

static int attach_enter(struct fmpi *f, void *addr, uint64_t len) {
  EYOTI_TRY(attach_reserve(f));
  if (f->attach_message == NULL) FMPI_TRY(MPI_Win_attach(f->dynamic, addr, (MPI_Aint)len));
  f->attached[f->nattached++] =
      (struct fmpi_attached){.addr = (uint64_t)(uintptr_t)addr, .len = len, .count = 1};
  return EYOT_OK;
}

int fmpi_attach(struct fab *fab, void *addr, uint64_t len, uint64_t *key) {
  struct fmpi *f = fmpi_of(fab);
  uint64_t from = (uint64_t)(uintptr_t)addr;
  if (addr == NULL || len == 0 || len > UINT64_MAX - from)
    return EYOTI_FAIL(EYOT_EINVAL, "cannot attach %" PRIu64 " bytes at %p", len, addr);
  for (uint32_t i = 0; i < f->nattached; i++) {
    struct fmpi_attached *a = &f->attached[i];
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
  for (uint32_t i = 0; i < f->nattached; i++) {
    struct fmpi_attached *a = &f->attached[i];
    if (a->addr != key) continue;
    if (--a->count != 0) return EYOT_OK;
    if (f->attach_message == NULL) FMPI_TRY(MPI_Win_detach(f->dynamic, (void *)(uintptr_t)key));
    fmpi_attach_message_lock(f);
    *a = f->attached[--f->nattached];
    fmpi_attach_message_unlock(f);
    return EYOT_OK;
  }
  return EYOTI_FAIL(EYOT_EINVAL, "nothing is attached with key %" PRIx64, key);
}

bool fmpi_is_attached(const struct fmpi *f, uint64_t from, uint64_t len) {
  for (uint32_t i = 0; i < f->nattached; i++) {
    const struct fmpi_attached *a = &f->attached[i];
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
                         .win = f->dynamic,
                         .disp = (MPI_Aint)a.off,
                         .slot = FAB_SEG_MAX,
                         .unit = a.unit};
  return EYOT_OK;
}
