/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.c - attached memory: a dynamic window made at open, or messages (attach_message.c); a key
 * is an address of the owner.
 *
 * The owner keeps a list of what is attached, to recognise wrong keys and overlaps and to check its
 * own accesses. Accesses of others are checked where they come by messages, else not
 * (FAB_CAP_ATTACH_UNCHECKED): MPI gives the target no means to. */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric_real/endpoint/endpoint.h"

#define ROOM_FIRST 16u

int fr_attach_open(struct fr *f) {
  if (fr_vendor_mails()) {
    f->fab.caps &= ~(uint32_t)FAB_CAP_ATTACH_UNCHECKED;
    return fr_mail_open(f);
  }
  FR_TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, f->all, &f->dynamic));
  FR_TRY(MPI_Win_set_errhandler(f->dynamic, MPI_ERRORS_RETURN));
  FR_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, f->dynamic));
  return EYOT_OK;
}

int fr_attach_close(struct fr *f) {
  if (f->mail != NULL) {
    EYOTI_TRY(fr_mail_close(f));
  } else {
    FR_TRY(MPI_Win_unlock_all(f->dynamic));
    for (uint32_t i = 0; i < f->nattached; i++)
      FR_TRY(MPI_Win_detach(f->dynamic, (void *)(uintptr_t)f->attached[i].addr));
    FR_TRY(MPI_Win_free(&f->dynamic));
  }
  free(f->attached);
  f->attached = NULL;
  f->nattached = f->attached_room = 0;
  return EYOT_OK;
}

static int make_room(struct fr *f) {
  if (f->nattached < f->attached_room) return EYOT_OK;
  uint32_t room = f->attached_room == 0 ? ROOM_FIRST : 2 * f->attached_room;
  struct fr_attached *grown =
      room > f->attached_room ? reallocarray(f->attached, room, sizeof *grown) : NULL;
  if (grown == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep %u attached ranges", room);
  f->attached = grown;
  f->attached_room = room;
  return EYOT_OK;
}

static int enter(struct fr *f, void *addr, uint64_t len) {
  EYOTI_TRY(make_room(f));
  if (f->mail == NULL) FR_TRY(MPI_Win_attach(f->dynamic, addr, (MPI_Aint)len));
  f->attached[f->nattached++] =
      (struct fr_attached){.addr = (uint64_t)(uintptr_t)addr, .len = len, .count = 1};
  return EYOT_OK;
}

int fr_attach(struct fab *fab, void *addr, uint64_t len, uint64_t *key) {
  struct fr *f = fr_of(fab);
  uint64_t from = (uint64_t)(uintptr_t)addr;
  if (addr == NULL || len == 0 || len > UINT64_MAX - from)
    return EYOTI_FAIL(EYOT_EINVAL, "cannot attach %" PRIu64 " bytes at %p", len, addr);
  for (uint32_t i = 0; i < f->nattached; i++) {
    struct fr_attached *a = &f->attached[i];
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
  fr_mail_lock(f);
  int rc = enter(f, addr, len);
  fr_mail_unlock(f);
  EYOTI_TRY(rc);
  *key = from; /* MPI_Get_address of it: an MPI_Aint holds an address */
  return EYOT_OK;
}

int fr_detach(struct fab *fab, uint64_t key) {
  struct fr *f = fr_of(fab);
  for (uint32_t i = 0; i < f->nattached; i++) {
    struct fr_attached *a = &f->attached[i];
    if (a->addr != key) continue;
    if (--a->count != 0) return EYOT_OK;
    if (f->mail == NULL) FR_TRY(MPI_Win_detach(f->dynamic, (void *)(uintptr_t)key));
    fr_mail_lock(f);
    *a = f->attached[--f->nattached];
    fr_mail_unlock(f);
    return EYOT_OK;
  }
  return EYOTI_FAIL(EYOT_EINVAL, "nothing is attached with key %" PRIx64, key);
}

bool fr_is_attached(const struct fr *f, uint64_t from, uint64_t len) {
  for (uint32_t i = 0; i < f->nattached; i++) {
    const struct fr_attached *a = &f->attached[i];
    if (from >= a->addr && len <= a->len && from - a->addr <= a->len - len) return true;
  }
  return false;
}

int fr_attach_resolve(struct fr *f, struct fab_addr a, uint64_t len, struct fr_at *at) {
  if (a.unit >= f->fab.n) return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", a.unit, f->fab.n);
  bool own = a.unit == f->fab.me;
  if (len > UINT64_MAX - a.off || (own && !fr_is_attached(f, a.off, len)))
    return EYOTI_FAIL(EYOT_ERANGE, "%" PRIu64 " bytes at %" PRIx64 " are not attached by unit %u",
                      len, a.off, a.unit);
  *at = (struct fr_at){.ptr = own ? (char *)(uintptr_t)a.off : NULL,
                       .win = f->dynamic,
                       .disp = (MPI_Aint)a.off,
                       .slot = FAB_SEG_MAX,
                       .unit = a.unit};
  return EYOT_OK;
}
