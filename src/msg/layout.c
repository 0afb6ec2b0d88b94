/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c - see layout.h. */
#include "msg/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "msg/state.h"

static uint64_t block_at(const eyot_own_layout_t *l, uint64_t i) {
  return l->at != NULL ? l->at[i] : i * l->stride;
}

int eyoti_layout_check(struct eyot_rt *rt, const eyot_own_layout_t *l, uint64_t *extent) {
  uint64_t end, most = 0;
  if (l == NULL || l->n == 0 || l->block == 0)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "%s",
                          l == NULL ? "layout is NULL" : "the layout has no element");
  if (l->at == NULL && l->n > 1 && l->stride < l->block)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "blocks of %" PRIu64 " bytes overlap at a stride of %" PRIu64, l->block,
                          l->stride);
  if (__builtin_mul_overflow(l->n, l->block, &end) ||
      (l->at == NULL && __builtin_mul_overflow(l->n - 1, l->stride, &end)))
    return EYOTI_MSG_FAIL(rt, EYOT_ERANGE, "the layout is longer than memory");
  for (uint64_t i = l->at != NULL ? 0 : l->n - 1; i < l->n; i++) {
    if (__builtin_add_overflow(block_at(l, i), l->block, &end))
      return EYOTI_MSG_FAIL(rt, EYOT_ERANGE, "block %" PRIu64 " of the layout is beyond memory", i);
    if (end > most) most = end;
  }
  *extent = most;
  return EYOT_OK;
}

static int overlap(struct eyot_rt *rt, const eyot_own_layout_t *l, uint64_t a, uint64_t b) {
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                        "blocks of the layout overlap: one begins at %" PRIu64 ", one at %" PRIu64
                        ", and each has %" PRIu64 " bytes",
                        a, b, l->block);
}

static int offset_order(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Whether each block begins behind the one before, or before it, as in most lists. */
static bool in_order(const eyot_own_layout_t *l) {
  uint64_t up = 1, down = 1;
  for (; up < l->n && l->at[up] >= l->at[up - 1] && l->at[up] - l->at[up - 1] >= l->block;) up++;
  if (up >= l->n) return true;
  for (;
       down < l->n && l->at[down - 1] >= l->at[down] && l->at[down - 1] - l->at[down] >= l->block;)
    down++;
  return down >= l->n;
}

int eyoti_layout_check_apart(struct eyot_rt *rt, const eyot_own_layout_t *l) {
  if (l->at == NULL || in_order(l)) return EYOT_OK;
  uint64_t *at = malloc(l->n * sizeof *at);
  if (at == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory to compare %" PRIu64 " blocks", l->n);
  memcpy(at, l->at, l->n * sizeof *at);
  qsort(at, l->n, sizeof *at, offset_order);
  int rc = EYOT_OK;
  for (uint64_t i = 1; i < l->n && rc == EYOT_OK; i++)
    if (at[i] - at[i - 1] < l->block) rc = overlap(rt, l, at[i - 1], at[i]);
  free(at);
  return rc;
}

bool eyoti_layouts_agree(const eyot_own_layout_t *a, const eyot_own_layout_t *b) {
  if (a->n != b->n || a->block != b->block) return false;
  if (a->at == NULL && b->at == NULL) return a->n == 1 || a->stride == b->stride;
  for (uint64_t i = 0; i < a->n; i++)
    if (block_at(a, i) != block_at(b, i)) return false;
  return true;
}

/* The bytes of block i, of the first `bytes` of all. */
static uint64_t block_len(const eyot_own_layout_t *l, uint64_t i, uint64_t bytes) {
  uint64_t left = bytes - i * l->block;
  return left < l->block ? left : l->block;
}

void eyoti_layout_pack(struct eyot_rt *rt, void *to, const void *from, const eyot_own_layout_t *l,
                       uint64_t bytes) {
  for (uint64_t i = 0; i * l->block < bytes; i++) {
    const char *block = (const char *)from + block_at(l, i);
    uint64_t len = block_len(l, i, bytes);
    memcpy((char *)to + i * l->block, block, len);
    eyoti_observe_reads(rt, block, len);
  }
  eyoti_observe_writes(rt, to, bytes);
}

void eyoti_layout_unpack(struct eyot_rt *rt, void *to, const void *from, const eyot_own_layout_t *l,
                         uint64_t bytes) {
  eyoti_observe_reads(rt, from, bytes);
  for (uint64_t i = 0; i * l->block < bytes; i++) {
    char *block = (char *)to + block_at(l, i);
    uint64_t len = block_len(l, i, bytes);
    memcpy(block, (const char *)from + i * l->block, len);
    eyoti_observe_writes(rt, block, len);
  }
}

int eyoti_layout_record(struct eyot_rt *rt, struct eyoti_owned *owned, const eyot_own_layout_t *l,
                        struct eyoti_owned **out) {
  const uint64_t at_bytes = l->at != NULL ? l->n * sizeof *l->at : 0;
  EYOTI_TRY(eyoti_owned_new(rt, sizeof(struct eyoti_laid) + at_bytes, out));
  struct eyoti_laid *laid = eyoti_owned_bytes(*out);
  *laid = (struct eyoti_laid){.owned = owned, .layout = *l};
  if (at_bytes > 0) {
    memcpy(laid->at, l->at, at_bytes);
    laid->layout.at = laid->at;
  }
  eyoti_owned_give(rt, *out); /* the receiver frees it */
  return EYOT_OK;
}
