/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_ops.c - operations of unit 0 while unit 1 waits inside eyot. See probe.h. */
#include "probe.h"

/* The compiler must not move work out of a loop. */
#define RELOAD(value) __asm__ volatile("" ::"r"(value) : "memory")

/* Before the time begins, nothing is in flight. */
#define KIND(kind, step)                                       \
  static double measure_##kind(struct probe *p, uint64_t n) {  \
    uint64_t value = 1;                                        \
    int failed = eyot_flush_all(EYOT_REMOTE);                  \
    uint64_t begin = eyot_now_ns();                            \
    for (uint64_t i = 0; i < n; i++) {                         \
      RELOAD(&value);                                          \
      step;                                                    \
    }                                                          \
    double ns = (double)(eyot_now_ns() - begin) - p->clock_ns; \
    probe_must(failed, #kind);                                 \
    return ns > 0 ? ns : 0;                                    \
  }

#define IT eyot_gptr_unit(p->there)
KIND(put, failed |= eyot_put(p->there, &value, sizeof value))
/* Bytes, and a word that nobody waits for. */
static const char MESSAGE[PROBE_LINE];
KIND(put_signal,
     failed |= eyot_put_signal(p->there, MESSAGE, sizeof MESSAGE,
                               eyot_gptr_add(p->there, 2 * PROBE_LINE), EYOT_SIGNAL_SET, i))
KIND(get, failed |= eyot_get(&value, p->there, sizeof value))
KIND(add, failed |= eyot_fetch_add_u64(p->there, 1, &value))
KIND(own_add, failed |= eyot_fetch_add_u64(p->here, 1, &value))
KIND(flush, failed |= eyot_flush(IT, EYOT_REMOTE))
KIND(held_wait, failed |= eyot_wait_until(p->turns, EYOT_CMP_GE, 0, &value))

/* The posting of operations, in groups whose completion is not in the time. */
#define POSTED(kind, step)                                               \
  static double measure_##kind(struct probe *p, uint64_t n) {            \
    static uint64_t values[PROBE_POSTS];                                 \
    int failed = eyot_flush_all(EYOT_REMOTE);                            \
    double ns = 0;                                                       \
    uint64_t groups = (n + PROBE_POSTS - 1) / PROBE_POSTS;               \
    for (uint64_t group = 0; group < groups; group++) {                  \
      uint64_t begin = eyot_now_ns();                                    \
      for (uint64_t i = 0; i < PROBE_POSTS; i++) {                       \
        RELOAD(values);                                                  \
        step;                                                            \
      }                                                                  \
      ns += (double)(eyot_now_ns() - begin) - p->clock_ns;               \
      failed |= eyot_flush(IT, EYOT_REMOTE);                             \
    }                                                                    \
    probe_must(failed, #kind);                                           \
    return ns > 0 ? ns * (double)n / (double)(groups * PROBE_POSTS) : 0; \
  }
POSTED(post_put, failed |= eyot_put_nbi(p->there, &values[i], sizeof values[i]))
POSTED(post_get, failed |= eyot_get_nbi(&values[i], p->there, sizeof values[i]))
POSTED(post_add, failed |= eyot_accumulate_nbi(p->there, EYOT_UINT64, EYOT_SUM, &values[i]))
POSTED(post_signal, failed |= eyot_put_signal_nbi(p->there, NULL, 0, p->there, EYOT_SIGNAL_SET, i))

/* Groups of operations with their flush. */
#define FLOOD(kind, step) \
  KIND(kind, step; if (i % PROBE_POSTS == PROBE_POSTS - 1) failed |= eyot_flush(IT, EYOT_REMOTE))
FLOOD(flood_put, failed |= eyot_put_nbi(p->there, &value, sizeof value))
FLOOD(flood_add, failed |= eyot_accumulate_nbi(p->there, EYOT_UINT64, EYOT_SUM, &value))

static const uint64_t WORDS[PROBE_POSTS];
KIND(add_array,
     failed |= eyot_accumulate_array(p->there, EYOT_UINT64, EYOT_SUM, WORDS, PROBE_POSTS))

#define ROW(kind, most) \
  { #kind, measure_##kind, NULL, most }
enum { QUICK = 1 << 17, SLOW = 1 << 12 };
const struct probe_kind PROBE_OPS[] = {
    ROW(put, QUICK),        ROW(get, QUICK),        ROW(add, QUICK),       ROW(flush, QUICK),
    ROW(held_wait, QUICK),  ROW(post_put, SLOW),    ROW(post_get, SLOW),   ROW(post_add, SLOW),
    ROW(post_signal, SLOW), ROW(flood_put, QUICK),  ROW(flood_add, QUICK), ROW(own_add, QUICK),
    ROW(add_array, SLOW),   ROW(put_signal, QUICK), {NULL, NULL, NULL, 0},
};
