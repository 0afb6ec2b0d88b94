/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h - copies that are long compared with the caches.
 *
 * Why it exists: a copy that fills the last cache reads each line of its target from memory before
 * it overwrites it, and drives out what the program works on. Stores past the caches do neither;
 * shorter copies are slower by them, because the target may be in a cache. */
#ifndef EYOT_RMA_COPY_H
#define EYOT_RMA_COPY_H

#include <stdbool.h>
#include <stdint.h>

/* From so many bytes on stores past the caches win: half of the last cache. UINT64_MAX: its
 * size is not known, or the processor has no such stores. */
uint64_t eyoti_copy_stream_min(void);
/* As memmove, and what it has stored is visible before what the caller stores later. */
void eyoti_copy_stream(void *to, const void *from, uint64_t len);

#if defined(__SANITIZE_THREAD__)
#define EYOTI_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EYOTI_TSAN 1
#endif
#endif

/* Copies an aligned word by atomics in builds for ThreadSanitizer, which does not know that a put
 * of one is not torn and synchronizes with the thread that waits for it. False: the caller
 * copies. */
static inline bool eyoti_copy_word(void *to, const void *from, uint64_t len) {
#ifdef EYOTI_TSAN
  const uintptr_t both = (uintptr_t)to | (uintptr_t)from;
  if (len == 8 && both % 8 == 0) {
    /* pairs with fab_word_load */
    __atomic_store_n((uint64_t *)to, __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    return true;
  }
  if (len == 4 && both % 4 == 0) {
    /* pairs as above */
    __atomic_store_n((uint32_t *)to, __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    return true;
  }
#else
  (void)to, (void)from, (void)len;
#endif
  return false;
}
#endif
