/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_far.c - random accesses of unit 0 to its own memory, over tables that its caches hold
 * and do not hold. See probe.h. The address of a get follows from the value of the one before, as
 * that of a search does. That of a put or an atomic does not, so the processor works at several at
 * once, as far as they let it. */
#include "probe.h"
#include "samples.h"

/* Brings the smaller tables where the cache holds them: other measurements have used it since. */
static void warm(const struct probe *p, uint64_t bytes) {
  uint64_t value;
  for (uint64_t at = 0; at < bytes && bytes < PROBE_FAR_BYTES; at += PROBE_LINE)
    probe_must(eyot_get(&value, eyot_gptr_add(p->table, (int64_t)at), sizeof value), "eyot_get");
}

/* Each kind has a sequence of its own: it would find the lines of another with the same one in the
 * cache. */
#define FAR(kind, bytes, seed, step)                                               \
  static double measure_##kind(struct probe *p, uint64_t n) {                      \
    static uint64_t at = UINT64_C(88172645463325252) * (seed);                     \
    uint64_t value = 0, old;                                                       \
    int failed = 0;                                                                \
    warm(p, bytes);                                                                \
    uint64_t begin = eyot_now_ns();                                                \
    for (uint64_t i = 0; i < n; i++) {                                             \
      uint64_t word = (probe_random(&at) + value) % ((bytes) / sizeof value);      \
      eyot_gptr_t there = eyot_gptr_add(p->table, (int64_t)(word * sizeof value)); \
      step;                                                                        \
    }                                                                              \
    double ns = (double)(eyot_now_ns() - begin) - p->clock_ns;                     \
    probe_must(failed, #kind);                                                     \
    (void)old;                                                                     \
    return ns > 0 ? ns : 0;                                                        \
  }
/* The table holds zeros, and `value` stays 0. */
#define FARS(name, bytes)                                                    \
  FAR(name##_put, bytes, 1, failed |= eyot_put(there, &value, sizeof value)) \
  FAR(name##_get, bytes, 3, failed |= eyot_get(&value, there, sizeof value)) \
  FAR(name##_add, bytes, 5, failed |= eyot_fetch_add_u64(there, 0, &old))
FARS(cached, 1 << 14)
FARS(far_1, 1 << 22)
FARS(far_2, PROBE_FAR_BYTES)
FAR(part_get, SAMPLES_PART_BYTES, 7, failed |= eyot_get(&value, there, sizeof value))

/* Puts to pages that were not used before: the other unit's part of the table is not cleared. When
 * none is left the last time stands again. */
static double measure_fresh_page(struct probe *p, uint64_t n) {
  enum { PAGE = 4096 };
  static uint64_t used;
  static double last;
  const uint64_t value = 0;
  if (used + n > PROBE_FAR_BYTES / PAGE) return last * (double)n;
  int failed = 0;
  uint64_t begin = eyot_now_ns();
  for (uint64_t i = 0; i < n; i++, used++)
    failed |= eyot_put(eyot_gptr_add(p->its_table, (int64_t)(used * PAGE)), &value, sizeof value);
  double ns = (double)(eyot_now_ns() - begin) - p->clock_ns;
  probe_must(failed, "eyot_put");
  last = ns > 0 ? ns / (double)n : 0;
  return last * (double)n;
}

enum { PAGES_MAX = 32 };
#define ROW(kind) \
  { #kind, measure_##kind, NULL, 1 << 17 }
const struct probe_kind PROBE_FAR[] = {
    ROW(cached_put),
    ROW(cached_get),
    ROW(cached_add),
    ROW(far_1_put),
    ROW(far_1_get),
    ROW(far_1_add),
    ROW(far_2_put),
    ROW(far_2_get),
    ROW(far_2_add),
    ROW(part_get),
    {"fresh_page", measure_fresh_page, NULL, PAGES_MAX},
    {NULL, NULL, NULL, 0},
};
