/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - a stream of choices: what a run's strategy answered, question by question.
 *
 * Why it exists: program, arguments, options and this make a run; with it a failure is replayed,
 * shrunk, mutated and kept as a regression test. Memory: from snapshot/mem.h. */
#ifndef EYOT_CHECK_STRATEGY_STREAM_H
#define EYOT_CHECK_STRATEGY_STREAM_H

#include <stdint.h>

struct ec_choice {
  uint32_t value, bound; /* value < bound, bound >= 2: questions with one answer are not asked */
};

struct ec_stream {
  struct ec_choice *at;
  uint32_t n, cap;
};

void ec_stream_init(struct ec_stream *s);
void ec_stream_fini(struct ec_stream *s);
static inline void ec_stream_clear(struct ec_stream *s) {
  s->n = 0;
}
/* Panics when out of memory. */
void ec_stream_grow(struct ec_stream *s);
static inline void ec_stream_add(struct ec_stream *s, uint32_t value, uint32_t bound) {
  if (s->n == s->cap) ec_stream_grow(s);
  s->at[s->n++] = (struct ec_choice){value, bound};
}
void ec_stream_copy(struct ec_stream *to, const struct ec_stream *from);
#endif
