/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/access.h - strict and relaxed accesses to shared objects (UPC 5.1.2.3 and B.2).
 * One thread calls. */
#ifndef EYOT_UPC_ACCESS_H
#define EYOT_UPC_ACCESS_H

#include "pointer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions below these macros. `bytes`: of the object. */
void upci_put(upc_shared_t dst, const void *src, size_t bytes);
void upci_get(void *dst, upc_shared_t src, size_t bytes);
void upci_put_strict(upc_shared_t dst, const void *src, size_t bytes);
void upci_get_strict(void *dst, upc_shared_t src, size_t bytes);

/* UPC 5.1.2.3, paragraphs 3 to 5. Relaxed accesses of one thread to the same bytes, one of which is
 * a write, keep their order; all others may be seen in any order by other threads. Strict accesses
 * of all threads have one order, which agrees with each thread's program; a strict access also
 * orders the thread's relaxed ones before and after it. Aligned objects of 4 and 8 bytes are
 * accessed atomically, others byte by byte.
 *
 *   upc_relaxed_put(int, p, 3);   *p = 3 of a relaxed p
 *   int x = upc_strict_get(int, p);
 *
 * A get may be the value of a put, as in *p = *q: the macros' variables have other names. */
#define upc_relaxed_put(type, p, value)                           \
  do {                                                            \
    const type upci_new = (value);                                \
    const upc_shared_t upci_at = (p);                             \
    if (!eyot_put_mapped(upci_at.at, &upci_new, sizeof upci_new)) \
      upci_put(upci_at, &upci_new, sizeof upci_new);              \
  } while (0)
#define upc_relaxed_get(type, p)                                     \
  (__extension__({                                                   \
    type upci_value;                                                 \
    const upc_shared_t upci_p = (p);                                 \
    if (!eyot_get_mapped(&upci_value, upci_p.at, sizeof upci_value)) \
      upci_get(&upci_value, upci_p, sizeof upci_value);              \
    upci_value;                                                      \
  }))
#define upc_strict_put(type, p, value)                \
  do {                                                \
    const type upci_new = (value);                    \
    upci_put_strict((p), &upci_new, sizeof upci_new); \
  } while (0)
#define upc_strict_get(type, p)                           \
  (__extension__({                                        \
    type upci_value;                                      \
    upci_get_strict(&upci_value, (p), sizeof upci_value); \
    upci_value;                                           \
  }))
/* upc_fence completes all accesses of the caller: a strict access without an object (UPC 6.6.1,
 * paragraph 5). */
void upc_fence(void);

#ifdef __cplusplus
}
#endif
#endif
