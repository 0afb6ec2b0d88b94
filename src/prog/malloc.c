/* SPDX-License-Identifier: BSD-3-Clause */
/* malloc.c - malloc and its kin in the shared heap, for programs that are linked by eyotcc
 * --shared-malloc (A. Friedley 2013, section 2.4.1): what the program allocates while it runs as a
 * unit can be used by all units of its node.
 *
 * The calls are wrapped when the program is linked (-Wl,--wrap=...), so only its own are changed.
 * What eyot cannot serve - before eyot_init, after eyot_finalize, in other threads, when the heap
 * is full - the C library does; and memory that the C library has given out, to the program or to
 * its libraries, goes back there. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gmem/shared_malloc.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define ALIGN 16u /* of malloc, as of the C library */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void __real_free(void *p);
int __real_posix_memalign(void **p, size_t align, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
void *__real_memalign(size_t align, size_t bytes);
size_t __real_malloc_usable_size(void *p);
void *__real__Znwm(size_t bytes) __attribute__((weak));
void *__real__Znam(size_t bytes) __attribute__((weak));
void __real__ZdlPv(void *p) __attribute__((weak));
void __real__ZdaPv(void *p) __attribute__((weak));

void *__wrap_malloc(size_t bytes) {
  void *p = eyoti_shared_malloc(bytes, ALIGN);
  return p != NULL ? p : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes) {
  size_t all;
  void *p = __builtin_mul_overflow(n, bytes, &all) ? NULL : eyoti_shared_malloc(all, ALIGN);
  return p != NULL ? memset(p, 0, all) : __real_calloc(n, bytes);
}

void __wrap_free(void *p) {
  if (p != NULL && !eyoti_shared_free(p)) __real_free(p);
}

void *__wrap_realloc(void *p, size_t bytes) {
  uint64_t had = eyoti_shared_size(p);
  if (p == NULL) return __wrap_malloc(bytes);
  if (had == 0) return __real_realloc(p, bytes); /* stays with the C library */
  if (bytes == 0) {
    __wrap_free(p);
    return NULL;
  }
  if (bytes <= had && 2 * bytes > had) return p;
  void *more = __wrap_malloc(bytes);
  if (more == NULL) return NULL;
  memcpy(more, p, bytes < had ? bytes : had);
  __wrap_free(p);
  return more;
}

void *__wrap_reallocarray(void *p, size_t n, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(n, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return __wrap_realloc(p, all);
}

static int is_power(size_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

int __wrap_posix_memalign(void **p, size_t align, size_t bytes) {
  void *got = is_power(align) && align % sizeof(void *) == 0
                  ? eyoti_shared_malloc(bytes, align > ALIGN ? align : ALIGN)
                  : NULL;
  if (got == NULL) return __real_posix_memalign(p, align, bytes);
  *p = got;
  return 0;
}

void *__wrap_memalign(size_t align, size_t bytes) {
  void *p = is_power(align) ? eyoti_shared_malloc(bytes, align > ALIGN ? align : ALIGN) : NULL;
  return p != NULL ? p : __real_memalign(align, bytes);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes) {
  void *p = is_power(align) ? eyoti_shared_malloc(bytes, align > ALIGN ? align : ALIGN) : NULL;
  return p != NULL ? p : __real_aligned_alloc(align, bytes);
}

size_t __wrap_malloc_usable_size(void *p) {
  uint64_t bytes = eyoti_shared_size(p);
  return bytes != 0 ? bytes : __real_malloc_usable_size(p);
}

/* operator new, new[], delete, delete[], and the sized forms of the last two. */
void *__wrap__Znwm(size_t bytes) {
  void *p = eyoti_shared_malloc(bytes, ALIGN);
  return p != NULL ? p : __real__Znwm(bytes);
}
void *__wrap__Znam(size_t bytes) {
  void *p = eyoti_shared_malloc(bytes, ALIGN);
  return p != NULL ? p : __real__Znam(bytes);
}
void __wrap__ZdlPv(void *p) {
  if (p != NULL && !eyoti_shared_free(p)) __real__ZdlPv(p);
}
void __wrap__ZdaPv(void *p) {
  if (p != NULL && !eyoti_shared_free(p)) __real__ZdaPv(p);
}
void __wrap__ZdlPvm(void *p, size_t bytes) {
  (void)bytes;
  __wrap__ZdlPv(p);
}
void __wrap__ZdaPvm(void *p, size_t bytes) {
  (void)bytes;
  __wrap__ZdaPv(p);
}
