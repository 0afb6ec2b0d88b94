/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c - see copy.h. The C library has such stores too, from a size on that it computes from the
 * cache that the processor reports: a virtual machine may report that of many processors. The
 * system's own description is right more often, so the smaller of both counts. */
#include "rma/copy.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/conf.h"
#include "rma/rma.h"
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#define CACHES_MAX 8u
#define CACHE_SHARE 2u
#define LINE 64u
#define AHEAD_BYTES (16u * LINE) /* of what is read; hides the time that memory takes */

#ifdef __x86_64__
/* In KiB; 0: there is no such cache, or it holds instructions only. */
static uint64_t cache_kib(uint32_t index) {
  char path[96], type[32] = "";
  unsigned long kib = 0;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/type", index);
  FILE *f = fopen(path, "re");
  if (f == NULL) return 0;
  bool data = fscanf(f, "%31s", type) == 1 && strcmp(type, "Instruction") != 0;
  (void)fclose(f);
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/size", index);
  if (!data || (f = fopen(path, "re")) == NULL) return 0;
  if (fscanf(f, "%luK", &kib) != 1) kib = 0;
  (void)fclose(f);
  return kib;
}

static uint64_t last_cache_bytes(void) {
#ifdef _SC_LEVEL3_CACHE_SIZE
  long reported = sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
  long reported = 0; /* musl: only the system's files know */
#endif
  uint64_t bytes = reported > 0 ? (uint64_t)reported : 0, largest = 0;
  for (uint32_t i = 0; i < CACHES_MAX; i++) {
    uint64_t kib = cache_kib(i);
    if (kib > largest) largest = kib;
  }
  return largest != 0 && (bytes == 0 || largest * 1024 < bytes) ? largest * 1024 : bytes;
}

uint64_t eyoti_copy_stream_min(void) {
  /* tests of both ways on any machine; not an option of a run */
  const char *told = eyoti_conf_foreign_env("EYOTI_COPY_STREAM_BYTES");
  uint64_t bytes =
      told != NULL ? strtoull(told, NULL, 10) : last_cache_bytes() / CACHE_SHARE / LINE * LINE;
  return bytes != 0 ? bytes : UINT64_MAX;
}

void eyoti_copy_stream(void *to, const void *from, uint64_t len) {
  char *d = to;
  const char *s = from;
  uint64_t head = (LINE - (uintptr_t)d % LINE) % LINE;
  if (len < 2 * LINE || (uintptr_t)d - (uintptr_t)s < len || (uintptr_t)s - (uintptr_t)d < len) {
    memmove(to, from, len);
    return;
  }
  memcpy(d, s, head);
  d += head, s += head, len -= head;
  for (; len >= LINE; d += LINE, s += LINE, len -= LINE) {
    __m128i *line = (__m128i *)(void *)d;
    _mm_prefetch(s + AHEAD_BYTES, _MM_HINT_NTA);
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)s);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(s + LINE / 4));
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(s + LINE / 2));
    __m128i e = _mm_loadu_si128((const __m128i *)(const void *)(s + LINE / 4 * 3));
    _mm_stream_si128(line, a);
    _mm_stream_si128(line + 1, b);
    _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, e);
  }
  _mm_sfence(); /* such stores are not ordered with others */
  memcpy(d, s, len);
}
#else
uint64_t eyoti_copy_stream_min(void) {
  return UINT64_MAX;
}

void eyoti_copy_stream(void *to, const void *from, uint64_t len) {
  memmove(to, from, len);
}
#endif

void eyoti_copy_long(void *to, const void *from, uint64_t len) {
  const struct eyoti_rma *r = eyot_current->rma;
  if (r != NULL && len >= r->stream_bytes)
    eyoti_copy_stream(to, from, len);
  else
    memcpy(to, from, len);
}
