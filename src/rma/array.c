/* SPDX-License-Identifier: BSD-3-Clause */
/* array.c - accumulates over arrays (eyot/atomic.h), in one of two ways: element by element with
 * the fabric's atomics, or under a lock of the target unit: get, combine, put.
 *
 * Element by element, each element is atomic against every other atomic; it costs one atomic an
 * element, and is used where the fabric has the operation and n is at most EYOT_BULK_ATOMIC. The
 * lock costs two transfers, however many elements there are. Source: Gerstenberger, Besta, Hoefler:
 * Enabling highly-scalable remote memory access programming with MPI-3 one sided, SC 2013, section
 * 2.4. */
#include <eyot/atomic.h>
#include <inttypes.h>

#include "rma/amo.h"
#include "rt/observe.h"

#define BATCH 64u /* atomics in flight that fetch old values */
/* bytes that are fetched, combined and written back at a time under the lock */
#define CHUNK_BYTES 4096u
#define BACKOFF_FIRST_NS 500u /* about the time of one compare-and-swap */
#define BACKOFF_LAST_NS 64000u

struct update {
  struct fab_addr at;
  eyot_type_t type;
  eyot_op_t op;
  uint32_t width;
  const char *src; /* NULL for EYOT_NOOP */
  char *old;       /* NULL: old values are not wanted */
  uint64_t n;
};

static struct fab_amo element_amo(const struct update *u, enum fab_amo_op op, uint64_t i) {
  struct fab_amo amo = {.op = op, .width = u->width};
  if (u->src != NULL) amo.operand = eyoti_bits_load(u->src + i * u->width, u->width);
  return amo;
}

static struct fab_addr element_at(const struct update *u, uint64_t i) {
  return fab_at(u->at.unit, u->at.seg, u->at.off + i * u->width);
}

/* Posts the atomics on elements [first, first+n) and completes them at the target, also after an
 * error: the fabric may still write to old_bits. */
static int batch(struct eyot_rt *rt, const struct update *u, enum fab_amo_op op, uint64_t first,
                 uint64_t n, uint64_t *old_bits) {
  int rc = EYOT_OK;
  for (uint64_t i = 0; i < n && rc == EYOT_OK; i++) {
    struct fab_amo amo = element_amo(u, op, first + i);
    amo.follows = i > 0;
    rc = fab_amo(rt->fab, element_at(u, first + i), &amo, old_bits != NULL ? &old_bits[i] : NULL,
                 NULL);
  }
  int rc_flush = fab_flush_end(rt->fab, u->at.unit, FAB_REMOTE);
  return rc != EYOT_OK ? rc : rc_flush;
}

static int word_by_word(struct eyot_rt *rt, const struct update *u, enum fab_amo_op op) {
  if (u->old == NULL) return batch(rt, u, op, 0, u->n, NULL);
  uint64_t bits[BATCH];
  for (uint64_t first = 0; first < u->n; first += BATCH) {
    uint64_t n = u->n - first < BATCH ? u->n - first : BATCH;
    EYOTI_TRY(batch(rt, u, op, first, n, bits));
    for (uint64_t i = 0; i < n; i++)
      eyoti_bits_store(u->old + (first + i) * u->width, bits[i], u->width);
  }
  return EYOT_OK;
}

/* The back-off is declared as computation: virtual time passes in the simulator, and all fabrics
 * make progress. */
static int lock(struct eyot_rt *rt, struct fab_addr word) {
  struct fab_amo cas = {
      .op = FAB_AMO_CAS, .width = 8, .operand = (uint64_t)rt->fab->me + 1, .compare = 0};
  uint64_t wait_ns = BACKOFF_FIRST_NS;
  for (;;) {
    uint64_t holder;
    EYOTI_TRY(fab_amo_wait(rt->fab, word, &cas, &holder));
    if (holder == 0) return EYOT_OK;
    EYOTI_ASSERT(holder != cas.operand);
    EYOTI_TRY(rt->fab->ops->compute(rt->fab, wait_ns));
    if (wait_ns < BACKOFF_LAST_NS) wait_ns *= 2;
  }
}

/* The write-back was remotely complete, so the next holder of the lock sees it. */
static int unlock(struct eyot_rt *rt, struct fab_addr word) {
  struct fab_amo swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = 0};
  return fab_amo_wait(rt->fab, word, &swap, NULL);
}

static int fetch_combine_write(struct eyot_rt *rt, const struct update *u) {
  _Alignas(8) char chunk[CHUNK_BYTES], operand[CHUNK_BYTES];
  uint64_t per_chunk = CHUNK_BYTES / u->width;
  for (uint64_t first = 0; first < u->n; first += per_chunk) {
    uint64_t n = u->n - first < per_chunk ? u->n - first : per_chunk, bytes = n * u->width;
    EYOTI_TRY(fab_get_wait(rt->fab, chunk, element_at(u, first), bytes));
    if (u->src != NULL) memcpy(operand, u->src + first * u->width, bytes);
    if (u->old != NULL) memcpy(u->old + first * u->width, chunk, bytes);
    if (u->op == EYOT_NOOP) continue;
    eyoti_combine(u->type, u->op, chunk, operand, n);
    EYOTI_TRY(fab_put_wait(rt->fab, element_at(u, first), chunk, bytes));
  }
  return EYOT_OK;
}

static int under_lock(struct eyot_rt *rt, const struct update *u) {
  struct fab_addr word = eyoti_gmem_lock_word(rt, u->at.unit);
  EYOTI_TRY(lock(rt, word));
  int rc = fetch_combine_write(rt, u);
  int rc_unlock = unlock(rt, word);
  return rc != EYOT_OK ? rc : rc_unlock;
}

static int accumulate(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                      const void *src, void *old, uint64_t n) {
  struct update u = {.type = type,
                     .op = op,
                     .width = eyoti_type_width(type),
                     .src = op == EYOT_NOOP ? NULL : src,
                     .old = old,
                     .n = n};
  EYOTI_TRY(eyoti_amo_resolve(rt, dst, type, op, n, &u.at));
  if (src == NULL && op != EYOT_NOOP && n > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "source is NULL, expected %" PRIu64 " elements of %s", n,
                      eyoti_type_name(type));
  if (n == 0) return EYOT_OK;
  if (u.src != NULL) eyoti_observe_reads(rt, u.src, n * u.width);
  enum fab_amo_op direct;
  bool by_word = eyoti_type_is_integer(type) && eyoti_amo_direct(type, op, &direct) &&
                 n <= rt->rma->bulk_atomic;
  EYOTI_TRY(by_word ? word_by_word(rt, &u, direct) : under_lock(rt, &u));
  if (old != NULL) eyoti_observe_writes(rt, old, n * u.width);
  return EYOT_OK;
}

int eyot_accumulate_array(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *src,
                          uint64_t n) {
  EYOTI_ENTER(rt);
  return accumulate(rt, dst, type, op, src, NULL, n);
}

int eyot_get_accumulate_array(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *src,
                              void *old, uint64_t n) {
  EYOTI_ENTER(rt);
  if (old == NULL && n > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "old is NULL, expected room for %" PRIu64 " elements", n);
  return accumulate(rt, dst, type, op, src, old, n);
}
