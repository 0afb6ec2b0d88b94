/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr/access.h - accesses of translated programs to shared objects (UPCR, Shared memory accesses):
 * by address, and by value, relaxed and strict as in eyot/upc/access.h. Offsets and sizes are in
 * bytes. One thread calls; blocking: what is read is there on return, what is written may be
 * changed. Strict accesses are complete on return. */
#ifndef EYOT_UPCR_ACCESS_H
#define EYOT_UPCR_ACCESS_H

#include "pointer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accesses that are no copies by the processor. */
void upcri_read(void *dst, upc_shared_t src, size_t bytes);
void upcri_write(upc_shared_t dst, const void *src, size_t bytes);
void upcri_read_strict(void *dst, upc_shared_t src, size_t bytes);
void upcri_write_strict(upc_shared_t dst, const void *src, size_t bytes);

EYOTI_INLINE upc_shared_t upcri_move(upcr_shared_ptr_t p, ptrdiff_t bytes) {
  upc_shared_t s = upcri_unpack(p);
  s.at.offset += (uint64_t)bytes;
  return s;
}

EYOTI_INLINE void upcr_get_shared(void *dst, upcr_shared_ptr_t src, ptrdiff_t offset,
                                  size_t bytes) {
  upc_shared_t s = upcri_move(src, offset);
  if (!eyot_get_mapped(dst, s.at, bytes)) upcri_read(dst, s, bytes);
}
EYOTI_INLINE void upcr_put_shared(upcr_shared_ptr_t dst, ptrdiff_t offset, const void *src,
                                  size_t bytes) {
  upc_shared_t s = upcri_move(dst, offset);
  if (!eyot_put_mapped(s.at, src, bytes)) upcri_write(s, src, bytes);
}
EYOTI_INLINE void upcr_get_shared_strict(void *dst, upcr_shared_ptr_t src, ptrdiff_t offset,
                                         size_t bytes) {
  upcri_read_strict(dst, upcri_move(src, offset), bytes);
}
EYOTI_INLINE void upcr_put_shared_strict(upcr_shared_ptr_t dst, ptrdiff_t offset, const void *src,
                                         size_t bytes) {
  upcri_write_strict(upcri_move(dst, offset), src, bytes);
}

/* Values: integers of 1 to 8 bytes in the lower bytes of a register, float, and double. */
typedef uint64_t upcr_register_value_t;
#define SIZEOF_UPCR_REGISTER_VALUE_T 8

EYOTI_INLINE upcr_register_value_t upcr_get_shared_val(upcr_shared_ptr_t src, ptrdiff_t offset,
                                                       size_t bytes) {
  upcr_register_value_t v = 0;
  upcr_get_shared(&v, src, offset, bytes);
  return v;
}
EYOTI_INLINE void upcr_put_shared_val(upcr_shared_ptr_t dst, ptrdiff_t offset,
                                      upcr_register_value_t value, size_t bytes) {
  upcr_put_shared(dst, offset, &value, bytes);
}
EYOTI_INLINE upcr_register_value_t upcr_get_shared_val_strict(upcr_shared_ptr_t src,
                                                              ptrdiff_t offset, size_t bytes) {
  upcr_register_value_t v = 0;
  upcr_get_shared_strict(&v, src, offset, bytes);
  return v;
}
EYOTI_INLINE void upcr_put_shared_val_strict(upcr_shared_ptr_t dst, ptrdiff_t offset,
                                             upcr_register_value_t value, size_t bytes) {
  upcr_put_shared_strict(dst, offset, &value, bytes);
}

/* clang-format off */
#define UPCRI_FLOATING(T)                                                                       \
  EYOTI_INLINE T upcr_get_shared_##T##val(upcr_shared_ptr_t src, ptrdiff_t offset) {            \
    T v;                                                                                        \
    upcr_get_shared(&v, src, offset, sizeof v);                                                 \
    return v;                                                                                   \
  }                                                                                             \
  EYOTI_INLINE void upcr_put_shared_##T##val(upcr_shared_ptr_t dst, ptrdiff_t offset, T value) { \
    upcr_put_shared(dst, offset, &value, sizeof value);                                         \
  }                                                                                             \
  EYOTI_INLINE T upcr_get_shared_##T##val_strict(upcr_shared_ptr_t src, ptrdiff_t offset) {     \
    T v;                                                                                        \
    upcr_get_shared_strict(&v, src, offset, sizeof v);                                          \
    return v;                                                                                   \
  }                                                                                             \
  EYOTI_INLINE void upcr_put_shared_##T##val_strict(upcr_shared_ptr_t dst, ptrdiff_t offset,    \
                                                    T value) {                                  \
    upcr_put_shared_strict(dst, offset, &value, sizeof value);                                  \
  }
/* clang-format on */
UPCRI_FLOATING(float)
UPCRI_FLOATING(double)
#undef UPCRI_FLOATING

/* The same through pointers without a phase, which have the same form. */
#define upcr_get_pshared upcr_get_shared
#define upcr_put_pshared upcr_put_shared
#define upcr_get_pshared_strict upcr_get_shared_strict
#define upcr_put_pshared_strict upcr_put_shared_strict
#define upcr_get_pshared_val upcr_get_shared_val
#define upcr_put_pshared_val upcr_put_shared_val
#define upcr_get_pshared_val_strict upcr_get_shared_val_strict
#define upcr_put_pshared_val_strict upcr_put_shared_val_strict
#define upcr_get_pshared_floatval upcr_get_shared_floatval
#define upcr_put_pshared_floatval upcr_put_shared_floatval
#define upcr_get_pshared_floatval_strict upcr_get_shared_floatval_strict
#define upcr_put_pshared_floatval_strict upcr_put_shared_floatval_strict
#define upcr_get_pshared_doubleval upcr_get_shared_doubleval
#define upcr_put_pshared_doubleval upcr_put_shared_doubleval
#define upcr_get_pshared_doubleval_strict upcr_get_shared_doubleval_strict
#define upcr_put_pshared_doubleval_strict upcr_put_shared_doubleval_strict

#ifdef __cplusplus
}
#endif
#endif
