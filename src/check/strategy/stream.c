/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - the stream of choices: an array that grows.
 *
 * Why it exists: see stream.h. Adding is inline, since every step of every run adds; what
 * happens seldom is here. */
#include "check/strategy/stream.h"

#include <string.h>

#include "base/check.h"
#include "check/snapshot/mem.h"

#define FIRST_CAP 64u /* choices of a small run: two units with a handful of operations each */

void ec_stream_init(struct ec_stream *s) {
  *s = (struct ec_stream){0};
}

void ec_stream_fini(struct ec_stream *s) {
  ec_free(s->at);
  ec_stream_init(s);
}

static void reserve(struct ec_stream *s, uint32_t cap) {
  if (cap <= s->cap) return;
  struct ec_choice *at = ec_resize(s->at, cap * sizeof *at);
  if (!at) EYOTI_PANIC("no memory for a stream of %u choices", cap);
  s->at = at;
  s->cap = cap;
}

void ec_stream_grow(struct ec_stream *s) {
  if (s->cap > UINT32_MAX / 2) EYOTI_PANIC("a run of more than %u choices", s->cap);
  reserve(s, s->cap ? s->cap * 2 : FIRST_CAP);
}

void ec_stream_copy(struct ec_stream *to, const struct ec_stream *from) {
  if (to == from) return;
  reserve(to, from->n);
  if (from->n > 0) memcpy(to->at, from->at, from->n * sizeof *to->at);
  to->n = from->n;
}
