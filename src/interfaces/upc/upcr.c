/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr.c - what translated programs need beside UPC's library (upcr.h): its functions by pointers
 * in a word, barriers with flags, and the loops of the Berkeley translator. */
#include <limits.h>
#include <upcr/access.h>
#include <upcr/pointer.h>
#include <upcr/program.h>

#include "interfaces/upc/access.h"
#include "interfaces/upc/upc.h"

struct upc_atomicdomain *upcri_domain_new(int type, unsigned long ops); /* of upcr/nb.h */

struct upcri_space upcri_space;

void upcri_block_too_long(uint64_t block) {
  UPCI_ENTER("pointer arithmetic");
  unsigned bits = 64 - UPCRI_BYTE_BITS - upcri_space.thread_bits;
  upci_fail(EYOT_ENOTSUP,
            "blocks have %llu elements, expected at most %llu: a pointer to shared of a translated "
            "program has %u bits for the place in a block, with %u threads",
            (unsigned long long)block, 1ULL << bits, bits, upci_run.threads);
}

/* -- accesses ---------------------------------------------------------------------------------- */

static void check_null(upc_shared_t p) {
  if (upc_isnull(p)) upci_fail(EYOT_ESEG, "the pointer is null, expected one to a shared object");
}

void upcri_read(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("relaxed read");
  check_null(src);
  upci_read(dst, src.at, bytes);
}

void upcri_write(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("relaxed write");
  check_null(dst);
  upci_write(dst.at, src, bytes);
}

void upcri_read_strict(void *dst, upc_shared_t src, size_t bytes) {
  UPCI_ENTER("strict read");
  check_null(src);
  upci_read_strict(dst, src.at, bytes);
}

void upcri_write_strict(upc_shared_t dst, const void *src, size_t bytes) {
  UPCI_ENTER("strict write");
  check_null(dst);
  upci_write_strict(dst.at, src, bytes);
}

void *upcri_local(upc_shared_t p) {
  UPCI_ENTER("conversion to a local pointer");
  if (upc_isnull(p)) return NULL;
  void *address = upci_address(p.at);
  if (address == NULL)
    upci_fail(EYOT_EUNIT,
              "the object has affinity to thread %u, whose memory is not mapped here; expected the "
              "caller's own, thread %u",
              p.at.unit, upci_run.me);
  return address;
}

/* -- locks ------------------------------------------------------------------------------------- */

upc_shared_t upcri_lock_new(int all) {
  UPCI_ENTER(all ? "upc_all_lock_alloc" : "upc_global_lock_alloc");
  upc_lock_t l = all ? upc_all_lock_alloc() : upc_global_lock_alloc();
  return (upc_shared_t){l.block, 0};
}

static upc_lock_t lock_of(upc_shared_t p) {
  check_null(p);
  return upci_lock_at(p.at);
}

void upcri_lock(upc_shared_t lock) {
  UPCI_ENTER("upc_lock");
  upc_lock(lock_of(lock));
}

int upcri_lock_attempt(upc_shared_t lock) {
  UPCI_ENTER("upc_lock_attempt");
  return upc_lock_attempt(lock_of(lock));
}

void upcri_unlock(upc_shared_t lock) {
  UPCI_ENTER("upc_unlock");
  upc_unlock(lock_of(lock));
}

void upcri_lock_free(upc_shared_t lock, int all) {
  UPCI_ENTER(all ? "upc_all_lock_free" : "upc_lock_free");
  upc_lock_t l = {EYOT_LOCK_NULL, EYOT_GPTR_NULL};
  if (!upc_isnull(lock)) l = lock_of(lock);
  if (all)
    upc_all_lock_free(l);
  else
    upc_lock_free(l);
}

struct upc_atomicdomain *upcri_domain_new(int type, unsigned long ops) {
  UPCI_ENTER("upc_all_atomicdomain_alloc");
  return upci_domain_new(type == UPC_PTS ? UPCI_PTS_WORD : type, ops);
}

/* -- barriers ---------------------------------------------------------------------------------- */

void upcr_notify(int value, int flags) {
  UPCI_ENTER("upc_notify");
  if (flags & UPCR_BARRIERFLAG_ANONYMOUS)
    upc_notify();
  else
    upc_notify_value(value);
}

void upcr_wait(int value, int flags) {
  UPCI_ENTER("upc_wait");
  if (flags & UPCR_BARRIERFLAG_ANONYMOUS)
    upc_wait();
  else
    upc_wait_value(value);
}

int upcr_try_wait(int value, int flags) {
  UPCI_ENTER("upc_wait");
  uint64_t v = (uint32_t)value;
  bool done;
  const uint64_t *given = flags & UPCR_BARRIERFLAG_ANONYMOUS ? NULL : &v;
  upci_must(eyot_barrier_test(EYOT_TEAM_ALL, upci_wait_value(given), &done));
  if (done) upci_must(eyot_sync());
  return done;
}

void upcr_barrier(int value, int flags) {
  UPCI_ENTER("upc_barrier");
  upcr_notify(value, flags);
  upcr_wait(value, flags);
}

void upcr_poll(void) {
  UPCI_ENTER("upc_fence");
  upci_complete();
  upci_must(eyot_progress());
}

/* -- loops ------------------------------------------------------------------------------------- */

int upcrt_gcd(int a, int b) {
  while (b != 0) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

int _upcrt_forall_start(int start_thread, int step, int lo, int scale) {
  int64_t n = upci_run.threads;
  for (int64_t k = 0; k < n; k++) {
    int64_t thread = (start_thread + k * step % n * (scale % n)) % n;
    if ((thread + n) % n == upci_run.me) return (int)(lo + k * step);
  }
  return step > 0 ? INT_MAX : INT_MIN;
}
