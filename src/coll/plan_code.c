/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_code.c - implements plan_code.h. A step is a byte with its kind, its bases and `before`, and
 * then the numbers that steps of the kind have, each in groups of 7 bits, the lowest first (the
 * unsigned LEB128 of DWARF 5, section 7.6). */
#include "coll/plan_code.h"

#include <stdlib.h>
#include <string.h>

#define KIND_BITS 3u
#define BASE_BITS 2u
#define FROM_SHIFT KIND_BITS
#define TO_SHIFT (FROM_SHIFT + BASE_BITS)
#define BEFORE_SHIFT (TO_SHIFT + BASE_BITS)
#define BASE_MASK ((1u << BASE_BITS) - 1)
#define KINDS (EYOTI_STEP_DRAIN + 1u) /* that have a code */
#define NUMBERS_MOST 6u
#define GROUP_BITS 7u
#define GROUP_MORE (1u << GROUP_BITS)
#define NUMBER_BYTES_MOST 10u
#define STEP_BYTES_MOST (1u + NUMBERS_MOST * NUMBER_BYTES_MOST)

_Static_assert(KINDS <= 1u << KIND_BITS, "a kind fits its bits");
_Static_assert((unsigned)EYOTI_BASES <= 1u << BASE_BITS, "a base fits its bits");
_Static_assert(BEFORE_SHIFT == 7, "the first byte is full");

/* The numbers of a step. Returns how many there are. */
static uint32_t numbers_of(const struct eyoti_step *s, uint64_t n[NUMBERS_MOST]) {
  switch ((enum eyoti_step_kind)s->kind) {
    case EYOTI_STEP_PUT:
      n[5] = s->from, n[4] = s->to, n[3] = s->len; /* fall through */
    case EYOTI_STEP_AWAIT:
      n[2] = s->peer, n[1] = s->chunk, n[0] = s->word;
      return s->kind == EYOTI_STEP_PUT ? 6 : 3;
    case EYOTI_STEP_COPY:
      n[5] = s->from_stride, n[4] = s->to_stride, n[3] = s->count; /* fall through */
    case EYOTI_STEP_COMBINE:
      n[2] = s->from, n[1] = s->to, n[0] = s->len;
      return s->kind == EYOTI_STEP_COPY ? 6 : 3;
    default:
      return 0;
  }
}

static void numbers_to(const struct eyoti_plan *p, const uint64_t n[NUMBERS_MOST],
                       struct eyoti_step *s) {
  switch ((enum eyoti_step_kind)s->kind) {
    case EYOTI_STEP_PUT:
      s->unit = eyoti_team_unit(p->t, (uint32_t)n[2]);
      s->from = n[5], s->to = n[4], s->len = n[3]; /* fall through */
    case EYOTI_STEP_AWAIT:
      s->peer = (uint32_t)n[2], s->chunk = (uint32_t)n[1], s->word = (uint32_t)n[0];
      return;
    case EYOTI_STEP_COPY:
      s->from_stride = n[5], s->to_stride = n[4], s->count = (uint32_t)n[3]; /* fall through */
    case EYOTI_STEP_COMBINE:
      s->from = n[2], s->to = n[1], s->len = n[0];
      return;
    default:
      return;
  }
}

static uint32_t number_put(uint8_t *to, uint64_t n) {
  uint32_t i = 0;
  for (; n >= GROUP_MORE; n >>= GROUP_BITS) to[i++] = (uint8_t)(n | GROUP_MORE);
  to[i++] = (uint8_t)n;
  return i;
}
static uint32_t number_get(const uint8_t *from, uint64_t *n) {
  uint32_t i = 0, shift = 0;
  *n = 0;
  for (; (from[i] & GROUP_MORE) != 0; shift += GROUP_BITS)
    *n |= (uint64_t)(from[i++] & (GROUP_MORE - 1)) << shift;
  *n |= (uint64_t)from[i++] << shift;
  return i;
}

static uint32_t step_encode(const struct eyoti_step *s, uint8_t to[STEP_BYTES_MOST]) {
  uint64_t n[NUMBERS_MOST];
  uint32_t numbers = numbers_of(s, n), at = 0;
  to[at++] = (uint8_t)((unsigned)s->kind | (unsigned)s->from_in << FROM_SHIFT |
                       (unsigned)s->to_in << TO_SHIFT | (unsigned)s->before << BEFORE_SHIFT);
  for (uint32_t i = 0; i < numbers; i++) at += number_put(to + at, n[i]);
  return at;
}

uint32_t eyoti_plan_decode(const struct eyoti_plan *p, uint32_t at, struct eyoti_step *out) {
  uint64_t n[NUMBERS_MOST];
  uint8_t first = p->code[at++];
  *out = (struct eyoti_step){.kind = first & ((1u << KIND_BITS) - 1),
                             .from_in = first >> FROM_SHIFT & BASE_MASK,
                             .to_in = first >> TO_SHIFT & BASE_MASK,
                             .before = first >> BEFORE_SHIFT != 0};
  uint32_t numbers = numbers_of(out, n);
  for (uint32_t i = 0; i < numbers; i++) at += number_get(p->code + at, &n[i]);
  numbers_to(p, n, out);
  return at;
}

void eyoti_plan_encode(struct eyoti_plan *p) {
  uint8_t step[STEP_BYTES_MOST];
  size_t bytes = 0, at = 0;
  for (uint32_t i = 0; i < p->steps; i++) {
    if (p->step[i].kind >= KINDS) return;
    bytes += step_encode(&p->step[i], step);
  }
  if (bytes > UINT32_MAX || (p->code = eyoti_slack_new(bytes > 0 ? bytes : 1)) == NULL) return;
  for (uint32_t i = 0; i < p->steps; i++) {
    uint32_t len = step_encode(&p->step[i], step);
    memcpy(p->code + at, step, len);
    at += len;
  }
  free(p->step);
  p->step = NULL;
}
