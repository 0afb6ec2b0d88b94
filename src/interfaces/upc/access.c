/* SPDX-License-Identifier: BSD-3-Clause */
/* access.c - relaxed and strict accesses, and copies. Operations of eyot to one unit are unordered,
 * but a thread's accesses to one object are not (UPC appendix B, 3.1): a relaxed put that is not a
 * copy by the processor completes before the thread's next access, not before it returns. */
#include <string.h>

#include "interfaces/upc/upc.h"

#define PIECE 4096u

/* Completes earlier puts. */
static void settle(void) {
  if (!upci.pending) return;
  upci_must(eyot_flush_all(EYOT_REMOTE));
  upci.pending = false;
}

void upci_complete(void) {
  upci_must(eyot_flush_all(EYOT_REMOTE));
  upci.pending = false;
}

static void put(eyot_gptr_t dst, const void *src, size_t bytes) {
  settle();
  if (bytes == 0 || eyot_put_mapped(dst, src, bytes)) return;
  upci_must(eyot_put_local(dst, src, bytes));
  upci.pending = true;
}

static void get(void *dst, eyot_gptr_t src, size_t bytes) {
  settle();
  if (bytes == 0 || eyot_get_mapped(dst, src, bytes)) return;
  upci_must(eyot_get(dst, src, bytes));
}

void upci_put(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("upc_relaxed_put");
  put(dst.at, src, bytes);
}

void upci_get(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_relaxed_get");
  get(dst, src.at, bytes);
}

static bool is_word(upc_shared_t p, size_t bytes) {
  return (bytes == 4 || bytes == 8) && p.at.offset % bytes == 0;
}

void upci_put_strict(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("upc_strict_put");
  uint64_t old;
  upci_complete();
  if (is_word(dst, bytes)) {
    upci_must(
        eyot_fetch_op(dst.at, bytes == 4 ? EYOT_UINT32 : EYOT_UINT64, EYOT_REPLACE, src, &old));
    return;
  }
  upci_must(eyot_put(dst.at, src, bytes));
  upci_complete();
}

void upci_get_strict(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_strict_get");
  upci_complete();
  if (is_word(src, bytes))
    upci_must(eyot_fetch_op(src.at, bytes == 4 ? EYOT_UINT32 : EYOT_UINT64, EYOT_NOOP, NULL, dst));
  else
    upci_must(eyot_get(dst, src.at, bytes));
}

void upc_fence(void) {
  UPCI_ENTER("upc_fence");
  upci_complete();
}

void upc_memput(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("upc_memput");
  put(dst.at, src, bytes);
}

void upc_memget(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_memget");
  get(dst, src.at, bytes);
}

void upc_memcpy(upc_shared_t dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_memcpy");
  char piece[PIECE];
  for (size_t done = 0, n; done < bytes; done += n) {
    n = bytes - done < PIECE ? bytes - done : PIECE;
    get(piece, eyot_gptr_add(src.at, (int64_t)done), n);
    put(eyot_gptr_add(dst.at, (int64_t)done), piece, n);
  }
}

void upc_memset(upc_shared_t dst, int c, size_t bytes) {
  UPCI_ENTER("upc_memset");
  char piece[PIECE];
  memset(piece, c, sizeof piece);
  for (size_t done = 0, n; done < bytes; done += n) {
    n = bytes - done < PIECE ? bytes - done : PIECE;
    put(eyot_gptr_add(dst.at, (int64_t)done), piece, n);
  }
}

bool upc_castable(upc_shared_t p) {
  return upc_cast(p) != NULL;
}

void *upc_cast(upc_shared_t p) {
  UPCI_ENTER("upc_cast");
  void *address;
  if (upc_isnull(p)) return NULL;
  int rc = eyot_gptr_direct(p.at, &address);
  if (rc == EYOT_ENOTSUP) return NULL;
  upci_must(rc);
  return address;
}
