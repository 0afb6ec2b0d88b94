/* SPDX-License-Identifier: BSD-3-Clause */
/* private.c - memory that one unit allocates for all to access (eyot_alloc): from the top of the
 * heap, each block after a header with its generation and length (label.h).
 *
 * Accesses to the own and to mapped memory read the header, so that use after free and range errors
 * are found there; so do all accesses where the fabric can read any memory for free (sim). Other
 * remote ones are checked against the heap's bounds, or, with EYOT_CHECK=1, fetch the header
 * first. */
#include <inttypes.h>
#include <string.h>

#include "gmem/label.h"

#define KIND "memory of eyot_alloc"
#define HEADER_BYTES EYOTI_GMEM_ALIGN
#define BYTE_MASK (((uint64_t)1 << EYOTI_PRIVATE_BITS) - 1)
#define BLOCKS_MAX ((uint64_t)1 << (EYOTI_PLACE_LOW_BITS + EYOTI_PLACE_HIGH_BITS))
#define PLACE_LOW_MASK ((UINT64_C(1) << EYOTI_PLACE_LOW_BITS) - 1)

/* The heap offset of the block (not of its header) that a pointer names; 0 if there can be none. */
static uint64_t private_block_of(const struct eyoti_gmem *m, eyot_gptr_t g) {
  uint64_t from_end = eyoti_gptr_place(g) * EYOTI_GMEM_ALIGN;
  return from_end > 0 && from_end <= m->size - m->first - HEADER_BYTES ? m->size - from_end : 0;
}

/* The pointer to the start of the block at an offset. */
static eyot_gptr_t private_gptr(const struct eyoti_gmem *m, fab_unit_t unit, uint64_t block,
                                uint64_t gen) {
  uint64_t number = (m->size - block) / EYOTI_GMEM_ALIGN;
  return (eyot_gptr_t){.offset = eyoti_gen_high(gen) | (number & PLACE_LOW_MASK)
                                                           << EYOTI_PRIVATE_BITS,
                       .unit = unit,
                       .seg = (uint16_t)(EYOTI_SEG_PRIVATE + (number >> EYOTI_PLACE_LOW_BITS)),
                       .gen = (uint16_t)gen};
}

eyot_gptr_t eyoti_gmem_private_at(const struct eyot_rt *rt, fab_unit_t unit, uint64_t block,
                                  const struct eyoti_glabel *h) {
  return private_gptr(rt->gmem, unit, block, h->gen);
}

int eyot_alloc(uint64_t bytes, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  if (gptr == NULL) return EYOTI_FAIL(EYOT_EINVAL, "gptr is NULL");
  return eyoti_gmem_private_new(rt, bytes, EYOTI_GMEM_ALIGN, EYOTI_GMEM_ZEROED, gptr);
}

int eyoti_gmem_private_new(struct eyot_rt *rt, uint64_t bytes, uint64_t align, uint32_t how,
                           eyot_gptr_t *gptr) {
  struct eyoti_gmem *m = rt->gmem;
  if (bytes == 0) return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL, "bytes is 0");
  uint64_t len =
      bytes <= BYTE_MASK ? HEADER_BYTES + eyoti_gmem_round_up(bytes, EYOTI_GMEM_ALIGN) : UINT64_MAX;
  uint64_t off;
  bool counts = (how & EYOTI_GMEM_UNCOUNTED) == 0;
  if (!eyoti_extents_highest(&m->space, len, align, &off) && !counts) return EYOT_ENOMEM;
  if (!eyoti_extents_highest(&m->space, len, align, &off))
    return EYOTI_GMEM_FAIL(
        rt, EYOT_ENOMEM,
        "%" PRId64 " bytes: the largest free place in the heap, which grows to %" PRIu64
        ", has %" PRIu64 "; raise EYOT_HEAP_MAX",
        (int64_t)bytes, eyoti_gmem_size_most(m), eyoti_extents_largest_free(&m->space, NULL));
  uint64_t number = (m->size - off - HEADER_BYTES) / EYOTI_GMEM_ALIGN;
  if (number >= BLOCKS_MAX && !counts) return EYOT_ENOMEM;
  if (number >= BLOCKS_MAX)
    return EYOTI_GMEM_FAIL(rt, EYOT_ENOMEM,
                           "%" PRIu64 " bytes: only the last %" PRIu64
                           " bytes of a heap serve eyot_alloc",
                           bytes, BLOCKS_MAX * EYOTI_GMEM_ALIGN);
  EYOTI_TRY(eyoti_gmem_secure(rt, m, off, len));
  EYOTI_TRY(eyoti_gmem_take(m, off, len, EYOTI_GMEM_FROM_TOP | how));
  m->private_gen++;
  if (counts) m->private_used += len;
  struct eyoti_glabel h = eyoti_glabel_new(rt, (uint32_t)m->private_gen, bytes);
  memcpy(eyoti_gmem_at(m, off), &h, sizeof h);
  eyoti_observe_memory(rt, m->seg, off, len, true);
  if (counts) eyoti_observe_made(rt, KIND, number, bytes);
  eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_PRIVATE,
                                          .id = number,
                                          .gen = (uint32_t)m->private_gen,
                                          .seg = m->seg,
                                          .off = off + HEADER_BYTES,
                                          .len_bytes = bytes,
                                          .counts = counts});
  *gptr = private_gptr(m, rt->fab->me, off + HEADER_BYTES, m->private_gen);
  return EYOT_OK;
}

/* The start of the block that it means. */
static eyot_gptr_t private_start(eyot_gptr_t g) {
  g.offset -= (uint64_t)eyoti_gptr_private_bytes(g);
  return g;
}

static bool private_is_alive(const struct eyoti_glabel *h, eyot_gptr_t g) {
  return h->magic == EYOTI_GLABEL_MAGIC && h->gen == eyoti_gmem_private_gen(g);
}

bool eyoti_gmem_private_label(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_glabel *l) {
  g = private_start(g);
  uint64_t block = private_block_of(rt->gmem, g);
  return block != 0 && eyoti_gmem_look(rt, g.unit, block - HEADER_BYTES, l, sizeof *l) &&
         private_is_alive(l, g);
}

static int private_before(struct eyot_rt *rt, eyot_gptr_t g) {
  char of[EYOTI_WORDS];
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "the pointer is to offset %" PRId64 " of %s",
                         eyoti_gptr_private_bytes(g), eyoti_gmem_words(rt, private_start(g), of));
}

static int private_check_header(struct eyot_rt *rt, const struct eyoti_glabel *h, eyot_gptr_t g,
                                uint64_t len) {
  char of[EYOTI_WORDS];
  bool other = !private_is_alive(h, g);
  if (other && eyoti_gptr_private_bytes(g) < 0) return private_before(rt, g);
  if (other)
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "memory of unit %u that does not exist: %s", g.unit,
                           eyoti_gmem_gone(rt, g, "it was freed, or never allocated by eyot_alloc",
                                           (char[EYOTI_GONE]){0}));
  uint64_t byte = g.offset & BYTE_MASK;
  if (len > h->len || byte > h->len - len)
    return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE, "%" PRId64 " bytes at offset %" PRId64 " of %s",
                           (int64_t)len, eyoti_gptr_private_bytes(g),
                           eyoti_gmem_words(rt, private_start(g), of));
  return EYOT_OK;
}

int eyot_free(eyot_gptr_t gptr) {
  EYOTI_ENTER(rt);
  struct eyoti_gmem *m = rt->gmem;
  if (!eyoti_gptr_is_private(gptr))
    return EYOTI_FAIL(EYOT_ESEG, "%s is not from eyot_alloc",
                      eyoti_gmem_unlike(rt, gptr, (char[EYOTI_GONE]){0}));
  if (gptr.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT, "the memory is unit %u's, and only the owner may free it: %s",
                      gptr.unit, eyoti_gmem_about(rt, gptr, (char[EYOTI_GONE]){0}));
  struct eyoti_glabel h;
  uint64_t block = private_block_of(m, gptr);
  if (block == 0 || (gptr.offset & BYTE_MASK) != 0)
    return EYOTI_FAIL(EYOT_ESEG,
                      "the pointer is not the start of a block, but to offset %" PRId64 " of %s",
                      eyoti_gptr_private_bytes(gptr),
                      eyoti_gmem_about(rt, private_start(gptr), (char[EYOTI_GONE]){0}));
  memcpy(&h, eyoti_gmem_at(m, block - HEADER_BYTES), sizeof h);
  EYOTI_TRY(private_check_header(rt, &h, gptr, 0));
  return eyoti_gmem_private_drop(rt, gptr, block, &h, true);
}

int eyoti_gmem_private_drop(struct eyot_rt *rt, eyot_gptr_t gptr, uint64_t block,
                            const struct eyoti_glabel *label, bool counted) {
  struct eyoti_gmem *m = rt->gmem;
  struct eyoti_glabel h = *label;
  uint64_t len;
  eyoti_glabel_release(rt, eyoti_gptr_place(gptr), &h);
  memset(eyoti_gmem_at(m, block - HEADER_BYTES), 0, sizeof h);
  if (!eyoti_gmem_give(rt, block - HEADER_BYTES, &len))
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "the block was freed before");
  if (counted) m->private_used -= len;
  eyoti_observe_memory(rt, m->seg, block - HEADER_BYTES, len, false);
  if (counted) eyoti_observe_released(rt, KIND, eyoti_gptr_place(gptr));
  eyoti_made_drop(rt, EYOTI_MADE_PRIVATE, eyoti_gptr_place(gptr));
  return EYOT_OK;
}

void eyoti_gmem_private_leave(struct eyot_rt *rt, eyot_gptr_t g) {
  struct eyoti_glabel h;
  if (eyot_gptr_is_null(g) || !eyoti_gmem_private_label(rt, g, &h)) return;
  rt->gmem->private_used -= HEADER_BYTES + eyoti_gmem_round_up(h.len, EYOTI_GMEM_ALIGN);
}

int eyoti_gmem_resolve_private(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                               struct fab_addr *out) {
  const struct eyoti_gmem *m = rt->gmem;
  uint64_t block = private_block_of(m, g), byte = g.offset & BYTE_MASK;
  if (block == 0 && eyoti_gptr_private_bytes(g) < 0) return private_before(rt, g);
  if (block == 0)
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "memory of unit %u that eyot_alloc cannot have given out",
                           g.unit);
  struct fab_addr at = fab_at(g.unit, m->seg, block - HEADER_BYTES);
  const char *mapped = eyoti_gmem_mapped(rt, at);
  struct eyoti_glabel h;
  if (mapped != NULL) {
    memcpy(&h, mapped, sizeof h);
    EYOTI_TRY(private_check_header(rt, &h, g, len));
  } else if (rt->fab->ops->seg_look != NULL) {
    EYOTI_TRY(rt->fab->ops->seg_look(rt->fab, at, &h, sizeof h));
    EYOTI_TRY(private_check_header(rt, &h, g, len));
  } else if (m->check) {
    EYOTI_TRY(fab_get_wait(rt->fab, &h, at, sizeof h));
    EYOTI_TRY(private_check_header(rt, &h, g, len));
  } else if (eyoti_gptr_private_bytes(g) < 0) {
    return private_before(rt, g);
  } else if (len > m->size - block || byte > m->size - block - len) {
    return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                           "%" PRId64 " bytes at offset %" PRId64
                           " go beyond the heap of unit %u: %s",
                           (int64_t)len, eyoti_gptr_private_bytes(g), g.unit,
                           eyoti_gmem_about(rt, private_start(g), (char[EYOTI_GONE]){0}));
  }
  *out = fab_at(g.unit, m->seg, block + byte);
  return EYOT_OK;
}
