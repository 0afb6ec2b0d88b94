/* SPDX-License-Identifier: BSD-3-Clause */
/* access.c - relaxed and strict accesses, and copies. Operations of eyot to one unit are unordered,
 * but a thread's accesses to one object are not (UPC B.2, paragraph 3): relaxed puts that are not
 * copies by the processor are kept in a short list, and complete before the next access to their
 * bytes. Mapped memory is always copied, so its accesses cannot meet a put of the list. */
#include "interfaces/upc/access.h"

#include <string.h>

#include "interfaces/upc/upc.h"

#define PIECE 4096u

static bool overlaps(const struct upci_range *r, eyot_gptr_t at, uint64_t bytes) {
  if (r->at.unit != at.unit || r->at.seg != at.seg) return false;
  return at.offset - r->at.offset < r->bytes || r->at.offset - at.offset < bytes;
}

void upci_complete(void) {
  upci_must(eyot_flush_all(EYOT_REMOTE));
  upci.n_pending = 0;
}

void upci_settle(eyot_gptr_t at, uint64_t bytes) {
  for (uint32_t i = 0; i < upci.n_pending; i++)
    if (overlaps(&upci.pending[i], at, bytes)) {
      upci_complete();
      return;
    }
}

void upci_write(eyot_gptr_t dst, const void *src, size_t bytes) {
  if (bytes == 0 || eyot_put_mapped(dst, src, bytes)) return;
  upci_settle(dst, bytes);
  if (bytes > PIECE) { /* a progress process may execute it, and later copies would pass it */
    upci_must(eyot_put(dst, src, bytes));
    return;
  }
  if (upci.n_pending == UPCI_PENDING) upci_complete();
  upci_must(eyot_put_local(dst, src, bytes));
  upci.pending[upci.n_pending++] = (struct upci_range){dst, bytes};
}

void upci_read(void *dst, eyot_gptr_t src, size_t bytes) {
  if (bytes == 0 || eyot_get_mapped(dst, src, bytes)) return;
  upci_settle(src, bytes);
  upci_must(eyot_get(dst, src, bytes));
}

void upci_put(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("upc_relaxed_put");
  upci_write(dst.at, src, bytes);
}

void upci_get(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_relaxed_get");
  upci_read(dst, src.at, bytes);
}

static bool is_word(eyot_gptr_t at, size_t bytes) {
  return (bytes == 4 || bytes == 8) && at.offset % bytes == 0;
}

void upci_write_strict(eyot_gptr_t dst, const void *src, size_t bytes) {
  uint64_t old;
  upci_complete();
  if (is_word(dst, bytes)) {
    upci_must(eyot_fetch_op(dst, bytes == 4 ? EYOT_UINT32 : EYOT_UINT64, EYOT_REPLACE, src, &old));
    return;
  }
  upci_must(eyot_put(dst, src, bytes));
  upci_complete();
}

void upci_read_strict(void *dst, eyot_gptr_t src, size_t bytes) {
  upci_complete();
  if (is_word(src, bytes))
    upci_must(eyot_fetch_op(src, bytes == 4 ? EYOT_UINT32 : EYOT_UINT64, EYOT_NOOP, NULL, dst));
  else
    upci_must(eyot_get(dst, src, bytes));
}

void upci_put_strict(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("upc_strict_put");
  upci_write_strict(dst.at, src, bytes);
}

void upci_get_strict(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_strict_get");
  upci_read_strict(dst, src.at, bytes);
}

void upc_fence(void) {
  UPCI_ENTER("upc_fence");
  upci_complete();
}

void upc_memput(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("upc_memput");
  upci_write(dst.at, src, bytes);
}

void upc_memget(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_memget");
  upci_read(dst, src.at, bytes);
}

void upc_memcpy(upc_shared_t dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("upc_memcpy");
  char piece[PIECE];
  for (size_t done = 0, n; done < bytes; done += n) {
    n = bytes - done < PIECE ? bytes - done : PIECE;
    upci_read(piece, eyot_gptr_add(src.at, (int64_t)done), n);
    upci_write(eyot_gptr_add(dst.at, (int64_t)done), piece, n);
  }
}

void upc_memset(upc_shared_t dst, int c, size_t bytes) {
  UPCI_ENTER("upc_memset");
  char piece[PIECE];
  memset(piece, c, sizeof piece);
  for (size_t done = 0, n; done < bytes; done += n) {
    n = bytes - done < PIECE ? bytes - done : PIECE;
    upci_write(eyot_gptr_add(dst.at, (int64_t)done), piece, n);
  }
}

bool upc_castable(upc_shared_t p) {
  return upc_cast(p) != NULL;
}

static bool is_mapped(uint32_t thread) {
  return thread == upci_run.me || thread - upci.mapped_first < upci.mapped;
}

void *upci_address(eyot_gptr_t at) {
  void *address;
  if (!is_mapped(at.unit)) return NULL;
  upci_must(eyot_gptr_direct(at, &address));
  return address;
}

upc_thread_info_t upc_thread_info(size_t threadId) {
  UPCI_ENTER("upc_thread_info");
  if (threadId >= upci_run.threads)
    upci_fail(EYOT_EUNIT, "threadId is %zu, expected 0 to %u", threadId, upci_run.threads - 1);
  int castable = is_mapped((uint32_t)threadId) ? UPC_CASTABLE_ALL : 0;
  return (upc_thread_info_t){castable, castable};
}

void *upc_cast(upc_shared_t p) {
  UPCI_ENTER("upc_cast");
  return upc_isnull(p) ? NULL : upci_address(p.at);
}
