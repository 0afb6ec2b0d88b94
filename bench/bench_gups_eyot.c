/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_gups_eyot.c - updates of the table of bench_gups by eyot. */
#include "../examples/gups/gups_stream.h"
#include "bench.h"
#include "bench_gups.h"

void ra_eyot_open(struct ra_table *t) {
  void *address;
  must(eyot_team_alloc(EYOT_TEAM_ALL, (ra_words(t) + 1) * sizeof(uint64_t), &t->g),
       "eyot_team_alloc");
  must(eyot_gptr_addr(eyot_gptr_at(t->g, eyot_me()), &address), "eyot_gptr_addr");
  t->mine = address;
}

void ra_eyot_close(struct ra_table *t) {
  must(eyot_team_free(t->g), "eyot_team_free");
}

void ra_eyot_update(const struct ra_table *t, uint64_t x, uint64_t n) {
  uint64_t words = ra_words(t), value, old;
  for (uint64_t k = 0; k < n; k++) {
    x = gups_next(x);
    uint64_t i = ra_index(t, x);
    eyot_gptr_t part = eyot_gptr_at(t->g, (eyot_unit_t){(uint32_t)(i >> t->log2_words)});
    eyot_gptr_t word = eyot_gptr_add(part, (int64_t)((i & (words - 1)) * sizeof value));
    int failed = eyot_get(&value, word, sizeof value);
    value ^= x;
    failed |= eyot_put(word, &value, sizeof value);
    failed |= eyot_fetch_add_u64(eyot_gptr_add(part, (int64_t)(words * sizeof value)), 1, &old);
    must(failed, "an update");
  }
}

void ra_eyot_finish(const struct ra_table *t) {
  (void)t;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

void ra_eyot_sync(const struct ra_table *t) {
  (void)t;
  must(eyot_sync(), "eyot_sync");
}
