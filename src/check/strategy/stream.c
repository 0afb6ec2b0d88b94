/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - growing and copying streams of choices (stream.h). Adding a choice is inline there,
 * since every step of every run adds one. */
#include "check/strategy/stream.h"

#include <string.h>

#include "base/check.h"
#include "check/snapshot/mem.h"

#define FIRST_CAP 64u /* choices of a small run: two units with a few operations each */

void chk_stream_init(struct chk_stream *s) {
  *s = (struct chk_stream){0};
}

void chk_stream_fini(struct chk_stream *s) {
  chk_free(s->at);
  chk_stream_init(s);
}

static void stream_reserve(struct chk_stream *s, uint32_t cap) {
  if (cap <= s->cap) return;
  struct chk_choice *at = chk_resize(s->at, cap * sizeof *at);
  if (!at) eyoti_no_memory(cap * sizeof *at, "a run of %u choices; lower --max-run", cap);
  s->at = at;
  s->cap = cap;
}

void chk_stream_grow(struct chk_stream *s) {
  if (s->cap > UINT32_MAX / 2) EYOTI_PANIC("a run of more than %u choices", s->cap);
  stream_reserve(s, s->cap ? s->cap * 2 : FIRST_CAP);
}

void chk_stream_copy(struct chk_stream *to, const struct chk_stream *from) {
  if (to == from) return;
  stream_reserve(to, from->n);
  if (from->n > 0) memcpy(to->at, from->at, from->n * sizeof *to->at);
  to->n = from->n;
}
