/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr/nb.h - transfers that do not block, and atomics, for translated programs: those of
 * eyot/upc/nb.h and eyot/upc/atomic.h, with pointers in a word (pointer.h); the transfers also
 * under UPCR's names (Non-blocking memory-to-memory transfers) and as bupc_..._async, extensions of
 * Berkeley UPC. What they do is described there. */
#ifndef EYOT_UPCR_NB_H
#define EYOT_UPCR_NB_H

#include <eyot/upc/values.h>

#include "library.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _upcri_eop *upc_handle_t;
typedef upc_handle_t upcr_handle_t, bupc_handle_t;
#define UPCR_INVALID_HANDLE UPC_COMPLETE_HANDLE
#define BUPC_COMPLETE_HANDLE UPC_COMPLETE_HANDLE

upc_handle_t upcri_put_nb(upc_shared_t dst, const void *src, size_t n) UPCRI_NAMED(upc_memput_nb);
upc_handle_t upcri_get_nb(void *dst, upc_shared_t src, size_t n) UPCRI_NAMED(upc_memget_nb);
upc_handle_t upcri_cpy_nb(upc_shared_t dst, upc_shared_t src, size_t n) UPCRI_NAMED(upc_memcpy_nb);
upc_handle_t upcri_set_nb(upc_shared_t dst, int c, size_t n) UPCRI_NAMED(upc_memset_nb);
void upcri_put_nbi(upc_shared_t dst, const void *src, size_t n) UPCRI_NAMED(upc_memput_nbi);
void upcri_get_nbi(void *dst, upc_shared_t src, size_t n) UPCRI_NAMED(upc_memget_nbi);
void upcri_cpy_nbi(upc_shared_t dst, upc_shared_t src, size_t n) UPCRI_NAMED(upc_memcpy_nbi);
void upcri_set_nbi(upc_shared_t dst, int c, size_t n) UPCRI_NAMED(upc_memset_nbi);
void upc_sync(upc_handle_t handle);
int upc_sync_attempt(upc_handle_t handle);
void upc_synci(void);
int upc_synci_attempt(void);

EYOTI_INLINE upc_handle_t upcr_put_nb_shared(upcr_shared_ptr_t dst, ptrdiff_t offset,
                                             const void *src, size_t n) {
  return upcri_put_nb(upcri_move(dst, offset), src, n);
}
EYOTI_INLINE upc_handle_t upcr_get_nb_shared(void *dst, upcr_shared_ptr_t src, ptrdiff_t offset,
                                             size_t n) {
  return upcri_get_nb(dst, upcri_move(src, offset), n);
}
EYOTI_INLINE void upcr_put_nbi_shared(upcr_shared_ptr_t dst, ptrdiff_t offset, const void *src,
                                      size_t n) {
  upcri_put_nbi(upcri_move(dst, offset), src, n);
}
EYOTI_INLINE void upcr_get_nbi_shared(void *dst, upcr_shared_ptr_t src, ptrdiff_t offset,
                                      size_t n) {
  upcri_get_nbi(dst, upcri_move(src, offset), n);
}
#define upcr_put_nb_pshared upcr_put_nb_shared
#define upcr_get_nb_pshared upcr_get_nb_shared
#define upcr_put_nbi_pshared upcr_put_nbi_shared
#define upcr_get_nbi_pshared upcr_get_nbi_shared
#define upcr_nb_memput(dst, src, n) upcr_put_nb_shared(dst, 0, src, n)
#define upcr_nb_memget(dst, src, n) upcr_get_nb_shared(dst, src, 0, n)
EYOTI_INLINE upc_handle_t upcr_nb_memcpy(upcr_shared_ptr_t dst, upcr_shared_ptr_t src, size_t n) {
  return upcri_cpy_nb(upcri_unpack(dst), upcri_unpack(src), n);
}
EYOTI_INLINE upc_handle_t upcr_nb_memset(upcr_shared_ptr_t dst, int c, size_t n) {
  return upcri_set_nb(upcri_unpack(dst), c, n);
}
EYOTI_INLINE void upcr_nbi_memcpy(upcr_shared_ptr_t dst, upcr_shared_ptr_t src, size_t n) {
  upcri_cpy_nbi(upcri_unpack(dst), upcri_unpack(src), n);
}
EYOTI_INLINE void upcr_nbi_memset(upcr_shared_ptr_t dst, int c, size_t n) {
  upcri_set_nbi(upcri_unpack(dst), c, n);
}
#define upcr_wait_syncnb(handle) upc_sync(handle)
#define upcr_try_syncnb(handle) upc_sync_attempt(handle)
EYOTI_INLINE void upcr_wait_syncnb_all(upcr_handle_t *handles, size_t n) {
  for (size_t i = 0; i < n; i++) {
    upc_sync(handles[i]);
    handles[i] = UPCR_INVALID_HANDLE;
  }
}
#define upcr_wait_syncnbi_all() upc_synci()
#define upcr_wait_syncnbi_gets() upc_synci()
#define upcr_wait_syncnbi_puts() upc_synci()
#define upcr_try_syncnbi_all() upc_synci_attempt()
#define upcr_try_syncnbi_gets() upc_synci_attempt()
#define upcr_try_syncnbi_puts() upc_synci_attempt()

/* UPC's names (UPC library 7.9), and Berkeley UPC's. */
#define upc_memput_nb(dst, src, n) upcr_nb_memput(dst, src, n)
#define upc_memget_nb(dst, src, n) upcr_nb_memget(dst, src, n)
#define upc_memcpy_nb(dst, src, n) upcr_nb_memcpy(dst, src, n)
#define upc_memset_nb(dst, c, n) upcr_nb_memset(dst, c, n)
#define upc_memput_nbi(dst, src, n) upcr_put_nbi_shared(dst, 0, src, n)
#define upc_memget_nbi(dst, src, n) upcr_get_nbi_shared(dst, src, 0, n)
#define upc_memcpy_nbi(dst, src, n) upcr_nbi_memcpy(dst, src, n)
#define upc_memset_nbi(dst, c, n) upcr_nbi_memset(dst, c, n)
#define bupc_memput_async(dst, src, n) upcr_nb_memput(dst, src, n)
#define bupc_memget_async(dst, src, n) upcr_nb_memget(dst, src, n)
#define bupc_memcpy_async(dst, src, n) upcr_nb_memcpy(dst, src, n)
#define bupc_waitsync(handle) upc_sync(handle)
#define bupc_trysync(handle) upc_sync_attempt(handle)

/* Atomics (UPC library 7.6). A domain is a pointer to shared of no object; a pointer to shared
 * (UPC_PTS) is a word here; UPC_CSWAP compares it without its phase. */
struct upc_atomicdomain;
struct upc_atomicdomain *upcri_domain_new(int type, unsigned long ops);
void upcri_domain_free(struct upc_atomicdomain *domain) UPCRI_NAMED(upc_all_atomicdomain_free);
void upcri_atomic(struct upc_atomicdomain *domain, void *fetch, unsigned long op,
                  upc_shared_t target, const void *operand1, const void *operand2)
    UPCRI_NAMED(upc_atomic_relaxed);
void upcri_atomic_strict(struct upc_atomicdomain *domain, void *fetch, unsigned long op,
                         upc_shared_t target, const void *operand1, const void *operand2)
    UPCRI_NAMED(upc_atomic_strict);
int upcri_atomic_isfast(int type, unsigned long ops, upc_shared_t addr)
    UPCRI_NAMED(upc_atomic_isfast);

EYOTI_INLINE struct upc_atomicdomain *upcri_domain(upcr_shared_ptr_t domain) {
  return (struct upc_atomicdomain *)(uintptr_t)upcri_word(domain);
}
EYOTI_INLINE upcr_shared_ptr_t upcr_all_atomicdomain_alloc(int type, upc_op_t ops, int hints) {
  (void)hints;
  return upcri_of_word((uintptr_t)upcri_domain_new(type, ops));
}
EYOTI_INLINE void upcr_all_atomicdomain_free(upcr_shared_ptr_t domain) {
  upcri_domain_free(upcri_domain(domain));
}
EYOTI_INLINE void upcr_atomic_relaxed(upcr_shared_ptr_t domain, void *fetch, upc_op_t op,
                                      upcr_shared_ptr_t target, const void *operand1,
                                      const void *operand2) {
  upcri_atomic(upcri_domain(domain), fetch, op, upcri_unpack(target), operand1, operand2);
}
EYOTI_INLINE void upcr_atomic_strict(upcr_shared_ptr_t domain, void *fetch, upc_op_t op,
                                     upcr_shared_ptr_t target, const void *operand1,
                                     const void *operand2) {
  upcri_atomic_strict(upcri_domain(domain), fetch, op, upcri_unpack(target), operand1, operand2);
}
EYOTI_INLINE int upcr_atomic_isfast(int type, upc_op_t ops, upcr_shared_ptr_t addr) {
  return upcri_atomic_isfast(type, ops, upcri_unpack(addr));
}
#define upc_all_atomicdomain_alloc(type, ops, hints) upcr_all_atomicdomain_alloc(type, ops, hints)
#define upc_all_atomicdomain_free(domain) upcr_all_atomicdomain_free(domain)
#define upc_atomic_relaxed(domain, fetch, op, target, operand1, operand2) \
  upcr_atomic_relaxed(domain, fetch, op, target, operand1, operand2)
#define upc_atomic_strict(domain, fetch, op, target, operand1, operand2) \
  upcr_atomic_strict(domain, fetch, op, target, operand1, operand2)
#define upc_atomic_isfast(type, ops, addr) upcr_atomic_isfast(type, ops, addr)

#ifdef __cplusplus
}
#endif
#endif
