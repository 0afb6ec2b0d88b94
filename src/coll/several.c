/* SPDX-License-Identifier: BSD-3-Clause */
/* several.c - blocks of several lengths (several.h). */
#include "coll/several.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "coll/round.h"
#include "coll/runs.h"

/* Of calls that do not block: what a board of 10 KiB holds beside its words, or of a larger one
 * (channel.h: three times as many bytes as words). */
#define NB_BOARD_MOST 7680u
#define NB_BLOCK_LEAST 24u

struct place {
  uint64_t at, bytes;
  uint32_t member; /* or side, of two buffers */
};

static int place_order(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Blocks that the caller has placed. */
static int check_apart(const uint64_t *bytes, const uint64_t *at, uint32_t size) {
  struct place *p = malloc(size * sizeof *p);
  if (p == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to compare %u blocks", size);
  uint32_t n = 0;
  for (uint32_t i = 0; i < size; i++)
    if (bytes[i] > 0) p[n++] = (struct place){at[i], bytes[i], i};
  qsort(p, n, sizeof *p, place_order);
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < n && rc == EYOT_OK; i++)
    if (p[i].at - p[i - 1].at < p[i - 1].bytes)
      rc = EYOTI_FAIL(EYOT_EINVAL,
                      "the block of member %u (%" PRIu64 " bytes at %" PRIu64
                      ") and that of member %u (at %" PRIu64 ") overlap",
                      p[i - 1].member, p[i - 1].bytes, p[i - 1].at, p[i].member, p[i].at);
  free(p);
  return rc;
}

static int refuse_extent(const char *name, uint32_t i, uint64_t length, const uint64_t *at) {
  if (at == NULL)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s of member %u is %" PRIu64
                      ", with those before it more than memory can hold",
                      name, i, length);
  return EYOTI_FAIL(EYOT_EINVAL,
                    "%s of member %u is %" PRIu64 ", which begins at %" PRIu64
                    ": it ends beyond what memory can hold",
                    name, i, length, at[i]);
}

static int fill(struct eyoti_several *s, uint32_t size, const uint64_t *lengths, const uint64_t *at,
                uint32_t width, bool apart, const char *name) {
  uint64_t *bytes = s->memory, *begin = s->memory + size, next = 0;
  for (uint32_t i = 0; i < size; i++) {
    uint64_t end;
    begin[i] = next;
    if (__builtin_mul_overflow(lengths[i], width, &bytes[i]) ||
        (at != NULL && __builtin_mul_overflow(at[i], width, &begin[i])) ||
        __builtin_add_overflow(begin[i], bytes[i], &end) || end > EYOTI_COLL_BYTES_MOST)
      return refuse_extent(name, i, lengths[i], at);
    next = end;
    if (bytes[i] > s->longest) s->longest = bytes[i];
    if (end > s->extent && bytes[i] > 0) s->extent = end;
    s->hash = eyoti_hash_mix(s->hash, bytes[i]);
  }
  s->blocks = (struct eyoti_coll_blocks){bytes, begin, NULL};
  return apart && at != NULL ? check_apart(bytes, begin, size) : EYOT_OK;
}

int eyoti_several_make(struct eyoti_several *s, uint32_t size, const uint64_t *lengths,
                       const uint64_t *at, uint32_t width, bool apart, const char *name) {
  *s = (struct eyoti_several){0};
  if (lengths == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL, expected a length for each of %u members", name,
                      size);
  s->memory = size <= EYOTI_SEVERAL_FEW ? s->few : malloc(2 * size * sizeof *s->memory);
  if (s->memory == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lengths of %u blocks", size);
  int rc = fill(s, size, lengths, at, width, apart, name);
  if (rc != EYOT_OK) eyoti_several_free(s);
  return rc;
}

static int fill_shaped(struct eyoti_several *s, uint32_t size, const eyot_block_t *blocks,
                       bool apart, const char *name) {
  uint64_t *bytes = s->memory, *begin = s->memory + size;
  for (uint32_t m = 0; m < size; m++) {
    uint64_t end;
    EYOTI_TRY(eyoti_runs_make(&s->shapes[m], &blocks[m], apart, name, m, &bytes[m], &end));
    begin[m] = blocks[m].at;
    if (bytes[m] > s->longest) s->longest = bytes[m];
    if (end > s->extent) s->extent = end;
    s->hash = eyoti_hash_mix(s->hash, bytes[m]);
  }
  s->blocks = (struct eyoti_coll_blocks){bytes, begin, s->shapes};
  return EYOT_OK;
}

int eyoti_several_shaped(struct eyoti_several *s, uint32_t size, const eyot_block_t *blocks,
                         bool apart, const char *name) {
  *s = (struct eyoti_several){0};
  if (blocks == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL, expected a block for each of %u members", name,
                      size);
  s->memory = size <= EYOTI_SEVERAL_FEW ? s->few : malloc(2 * size * sizeof *s->memory);
  s->shapes = malloc(size * sizeof *s->shapes);
  int rc = s->memory != NULL && s->shapes != NULL
               ? fill_shaped(s, size, blocks, apart, name)
               : EYOTI_FAIL(EYOT_ENOMEM, "no memory for the shapes of %u blocks", size);
  if (rc != EYOT_OK) eyoti_several_free(s);
  return rc;
}

void eyoti_several_free(struct eyoti_several *s) {
  if (s->memory != s->few) free(s->memory);
  free(s->shapes);
  *s = (struct eyoti_several){0};
}

uint64_t *eyoti_several_take(struct eyoti_several *s, uint32_t size) {
  uint64_t bytes = 2 * (uint64_t)size * sizeof *s->memory, *memory = s->memory;
  if (memory == s->few) {
    memory = malloc(bytes);
    if (memory == NULL)
      (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lengths of %u blocks", size);
    else
      memcpy(memory, s->few, bytes);
  }
  s->memory = NULL;
  return memory;
}

static void several_finish(void *own) {
  eyoti_several_free(own);
  free(own);
}

int eyoti_several_own(struct eyoti_coll_call *c, uint32_t size, const uint64_t *lengths,
                      const uint64_t *at, uint32_t width, const char *name,
                      const struct eyoti_several **out) {
  struct eyoti_several *s = malloc(sizeof *s);
  if (s == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lengths of %u blocks", size);
  int rc = eyoti_several_make(s, size, lengths, at, width, true, name);
  if (rc != EYOT_OK) {
    free(s);
    return rc;
  }
  c->own = s;
  c->finish = several_finish;
  *out = s;
  return EYOT_OK;
}

uint64_t eyoti_several_round(const struct eyoti_team *t, enum eyoti_coll_form form) {
  uint64_t most = NB_BOARD_MOST / t->size / 8 * 8;
  if (form == EYOTI_COLL_BLOCKING) return eyoti_round_blocks(t->size);
  return most > NB_BLOCK_LEAST ? most : NB_BLOCK_LEAST;
}

struct eyoti_coll_space eyoti_several_space(const struct eyoti_team *t, enum eyoti_coll_form form) {
  return (struct eyoti_coll_space){t->size, t->size * eyoti_several_round(t, form)};
}

int eyoti_several_differ(uint32_t member, uint64_t sends, uint64_t expected) {
  return EYOTI_FAIL(EYOT_EMISMATCH,
                    "member %u sends %" PRIu64 " bytes, this member expects %" PRIu64, member,
                    sends, expected);
}

int eyoti_several_null(const void *buffer, uint64_t bytes, const char *name) {
  if (buffer != NULL || bytes == 0) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL, expected %" PRIu64 " bytes", name, bytes);
}

int eyoti_several_buffer(const struct eyoti_several *s, const void *buffer, const char *name) {
  return eyoti_several_null(buffer, s->extent, name);
}

static int overlap(uint64_t a_bytes, uintptr_t a, uint64_t b_bytes, uintptr_t b) {
  return EYOTI_FAIL(EYOT_EINVAL,
                    "send and recv overlap otherwise than in place: %" PRIu64 " bytes at %#" PRIxPTR
                    ", and %" PRIu64 " at %#" PRIxPTR,
                    a_bytes, a, b_bytes, b);
}

/* Whether both buffers have bytes, and one begins before the other ends. */
static bool may_meet(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  if (a_bytes == 0 || b_bytes == 0 || a == NULL || b == NULL) return false;
  return x < y + b_bytes && y < x + a_bytes;
}

int eyoti_several_overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes,
                          const void *in_place) {
  if (b == in_place || !may_meet(a, a_bytes, b, b_bytes)) return EYOT_OK;
  return overlap(a_bytes, (uintptr_t)a, b_bytes, (uintptr_t)b);
}

static uint32_t place_side(struct place *p, uint32_t n, const struct eyoti_placed *x,
                           uint32_t side) {
  for (uint32_t i = 0; i < x->count; i++)
    if (x->bytes[i] > 0)
      p[n++] = (struct place){(uintptr_t)x->buffer + x->at[i], x->bytes[i], side};
  return n;
}

/* Blocks of one side may overlap each other: of those before, the one that ends last counts. */
static int meet_in_order(const struct place *p, uint32_t n) {
  const struct place *last[2] = {NULL, NULL};
  for (uint32_t i = 0; i < n; i++) {
    const struct place *before = last[!p[i].member], **mine = &last[p[i].member];
    if (before != NULL && p[i].at - before->at < before->bytes)
      return overlap(before->bytes, before->at, p[i].bytes, p[i].at);
    if (*mine == NULL || p[i].at + p[i].bytes > (*mine)->at + (*mine)->bytes) *mine = &p[i];
  }
  return EYOT_OK;
}

int eyoti_several_meet(const struct eyoti_placed *a, const struct eyoti_placed *b) {
  if (!may_meet(a->buffer, a->extent, b->buffer, b->extent)) return EYOT_OK;
  struct place *p = malloc(((size_t)a->count + b->count) * sizeof *p);
  if (p == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to compare %u blocks with %u", a->count, b->count);
  uint32_t n = place_side(p, place_side(p, 0, a, 0), b, 1);
  qsort(p, n, sizeof *p, place_order);
  int rc = meet_in_order(p, n);
  free(p);
  return rc;
}

int eyoti_several_meet_one(const struct eyoti_several *s, uint32_t size, const void *buffer,
                           const void *one, uint64_t bytes, uint32_t own) {
  static const uint64_t first = 0;
  const struct eyoti_placed several = eyoti_several_placed(s, size, buffer);
  const struct eyoti_placed alone = {one, &bytes, &first, 1, bytes};
  if (buffer != NULL && one == (const char *)buffer + s->blocks.at[own]) return EYOT_OK;
  return eyoti_several_meet(&several, &alone);
}
