/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - a stream of choices: the answers of a run's strategy, question by question. For check/
 * and fabric_sim/explore.
 *
 * Why it exists: program, arguments, options and this stream determine a run; with it a failure is
 * replayed, shrunk, mutated and kept as a regression test. Memory: from snapshot/mem.h.
 *
 * Thread rule: one thread a stream. */
#ifndef EYOT_CHECK_STRATEGY_STREAM_H
#define EYOT_CHECK_STRATEGY_STREAM_H

#include <stdint.h>

struct chk_choice {
  uint32_t value, bound; /* value < bound, bound >= 2: questions with one answer are not asked */
};

struct chk_stream {
  struct chk_choice *at;
  uint32_t n, cap;
};

void chk_stream_init(struct chk_stream *s);
void chk_stream_fini(struct chk_stream *s);
static inline void chk_stream_clear(struct chk_stream *s) {
  s->n = 0;
}
/* Panics when out of memory. */
void chk_stream_grow(struct chk_stream *s);
static inline void chk_stream_add(struct chk_stream *s, uint32_t value, uint32_t bound) {
  if (s->n == s->cap) chk_stream_grow(s);
  s->at[s->n++] = (struct chk_choice){value, bound};
}
void chk_stream_copy(struct chk_stream *to, const struct chk_stream *from);
#endif
