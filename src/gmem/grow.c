/* SPDX-License-Identifier: BSD-3-Clause */
/* grow.c - growth of the heap (state.h): asks the fabric for pages when an allocation reaches them
 * for the first time, or after they were returned.
 *
 * Why it exists: lack of memory should be an error of the allocation that needs it, not a signal at
 * a later store. One bit a step records which pages are there, so that the steady state costs one
 * check. Where no access can fail (sim) there is no table. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/conf.h"
#include "gmem/state.h"

#define WORD_BITS 64u

/* The bytes of the heap's segment. */
static uint64_t whole_bytes(const struct eyoti_gmem *m) {
  return m->size + EYOTI_GMEM_TAIL_BYTES;
}

int eyoti_gmem_grow_start(struct eyot_rt *rt) {
  struct eyoti_gmem *m = rt->gmem;
  uint64_t touch;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_HEAP_TOUCH, &touch));
  if (rt->fab->ops->seg_secure == NULL) return EYOT_OK;
  uint64_t steps = (whole_bytes(m) + EYOTI_GMEM_STEP - 1) / EYOTI_GMEM_STEP;
  m->granted = calloc((steps + WORD_BITS - 1) / WORD_BITS, sizeof *m->granted);
  if (m->granted == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep track of a heap of %" PRIu64 " bytes",
                      m->size);
  EYOTI_TRY(eyoti_gmem_secure(rt, m, 0, touch != 0 ? m->promised : m->first));
  return eyoti_gmem_secure(rt, m, m->size, EYOTI_GMEM_TAIL_BYTES);
}

void eyoti_gmem_grow_stop(struct eyoti_gmem *m) {
  free(m->granted);
  m->granted = NULL;
}

/* Secures steps first .. last, none of which is there. */
static int grant(struct eyot_rt *rt, struct eyoti_gmem *m, uint64_t first, uint64_t last) {
  uint64_t from = first * EYOTI_GMEM_STEP, to = (last + 1) * EYOTI_GMEM_STEP;
  if (to > whole_bytes(m)) to = whole_bytes(m);
  EYOTI_TRY(rt->fab->ops->seg_secure(rt->fab, m->seg, from, to - from));
  for (uint64_t i = first; i <= last; i++)
    m->granted[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
  return EYOT_OK;
}

static bool is_granted(const struct eyoti_gmem *m, uint64_t step) {
  return (m->granted[step / WORD_BITS] >> step % WORD_BITS & 1) != 0;
}

int eyoti_gmem_secure_slowly(struct eyot_rt *rt, uint64_t off, uint64_t len) {
  struct eyoti_gmem *m = rt->gmem;
  EYOTI_ASSERT(len > 0 && off < whole_bytes(m) && len <= whole_bytes(m) - off);
  uint64_t last = (off + len - 1) / EYOTI_GMEM_STEP;
  for (uint64_t i = off / EYOTI_GMEM_STEP; i <= last; i++) {
    uint64_t first = i;
    while (i <= last && !is_granted(m, i)) i++;
    if (i > first) EYOTI_TRY(grant(rt, m, first, i - 1));
  }
  return EYOT_OK;
}

void eyoti_gmem_forget(struct eyoti_gmem *m, uint64_t off, uint64_t len) {
  if (m->granted == NULL) return;
  for (uint64_t i = off / EYOTI_GMEM_STEP; i <= (off + len - 1) / EYOTI_GMEM_STEP; i++)
    m->granted[i / WORD_BITS] &= ~(UINT64_C(1) << i % WORD_BITS);
}

uint64_t eyoti_gmem_size_now(const struct eyoti_gmem *m) {
  bool front_alone = m->front != 0 && m->fresh[1].low == m->front;
  uint64_t low = m->fresh[front_alone ? 0 : 1].low;
  uint64_t reached = eyoti_gmem_round_up(low + (m->size - m->fresh[1].high), EYOTI_GMEM_STEP);
  if (reached > m->size) reached = m->size;
  return (reached > m->promised ? reached : m->promised) - m->first;
}

uint64_t eyoti_gmem_size_most(const struct eyoti_gmem *m) {
  return m->size - m->first;
}
