/* SPDX-License-Identifier: BSD-3-Clause */
/* combine.c - implements combine.h.
 *
 * Source: D. Lewis, An OpenSHMEM Runtime for UPC, 2020, chapter VI (the local part of a reduction
 * by several threads of a node that has idle ones). */
#include "coll/combine.h"

#include <stddef.h>
#include <string.h>

#include "base/conf.h"
#include "base/workers.h"
#include "coll/call.h"

/* The order of combination of one element depends on these: other values give other bits. */
#define LANES_BYTES 512u
#define PIECE_BYTES (32u * 1024u)

#define PARTS 256u     /* pieces whose results are kept at a time */
#define WIDTH_MOST 32u /* bytes of an element of a built-in operator; arrays have no exact sums */

/* -- the threads ------------------------------------------------------------------------------- */

/* Units that are threads of a process have none but what the fabric says. */
int eyoti_combine_start(const struct eyot_rt *rt, struct eyoti_coll *coll) {
  uint64_t n = EYOTI_REDUCE_THREADS_AUTO;
  if (rt->fab->unit_exit == NULL) EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_REDUCE_THREADS, &n));
  coll->threads = n == EYOTI_REDUCE_THREADS_AUTO ? rt->fab->idle : (uint8_t)n;
  return EYOT_OK;
}

/* Of the unit; NULL: it has none. They are made at the first call. */
static struct eyoti_workers *workers_of(struct eyot_rt *rt) {
  struct eyoti_coll *coll = rt->coll;
  if (__builtin_expect(coll->threads == 0, 1)) return coll->workers;
  coll->workers = eyoti_workers_new(coll->threads);
  coll->threads = 0;
  return coll->workers;
}

/* -- combining --------------------------------------------------------------------------------- */

void eyoti_combine_one(const struct eyoti_combiner *c, void *acc, bool *has, const void *x) {
  if (*has)
    eyoti_combiner_run(c, acc, acc, x, 1);
  else
    memcpy(acc, x, c->width);
  *has = true;
}

/* A combiner's call for many elements costs little more than one for one element. Elements that
 * commute are therefore combined in lanes, of every so many-th element; then one half of the lanes
 * with the other. */
static void combine_piece(const struct eyoti_combiner *c, char *result, const char *x, uint64_t n) {
  _Alignas(max_align_t) char lane[LANES_BYTES];
  uint64_t lanes = sizeof lane / c->width, k;
  lanes = UINT64_C(1) << (63 - __builtin_clzll(lanes < n ? lanes : n));
  memcpy(lane, x, lanes * c->width);
  for (uint64_t i = lanes; i < n; i += k) {
    k = n - i < lanes ? n - i : lanes;
    eyoti_combiner_run(c, lane, lane, x + i * c->width, k);
  }
  while ((lanes /= 2) > 0) eyoti_combiner_run(c, lane, lane, lane + lanes * c->width, lanes);
  memcpy(result, lane, c->width);
}

/* Pieces of `each` elements, from x on, and their results. */
struct pieces {
  const struct eyoti_combiner *c;
  const char *x;
  uint64_t n, each;
  _Alignas(max_align_t) char result[PARTS * WIDTH_MOST];
};

static void items_piece(void *arg, uint64_t from, uint64_t to) {
  struct pieces *p = arg;
  for (uint64_t i = from; i < to; i++) {
    uint64_t at = i * p->each, n = p->n - at < p->each ? p->n - at : p->each;
    combine_piece(p->c, p->result + i * p->c->width, p->x + at * p->c->width, n);
  }
}

static void pieces_shared(struct eyoti_workers *workers, const struct eyoti_combiner *c, void *acc,
                          bool *has, const char *x, uint64_t n, uint64_t each) {
  struct pieces p; /* results are written before they are read */
  EYOTI_ASSERT(c->width <= WIDTH_MOST);
  p.c = c;
  p.each = each;
  for (uint64_t done = 0; done < n; done += p.n) {
    p.n = n - done < PARTS * each ? n - done : PARTS * each;
    p.x = x + done * c->width;
    uint64_t items = (p.n + each - 1) / each;
    eyoti_workers_run(workers, items_piece, &p, items, n < EYOTI_SHARED_LONG / c->width);
    for (uint64_t i = 0; i < items; i++) eyoti_combine_one(c, acc, has, p.result + i * c->width);
  }
}

void eyoti_combine_to_one(struct eyot_rt *rt, const struct eyoti_combiner *c, void *acc, bool *has,
                          const void *x, uint64_t n) {
  _Alignas(max_align_t) char result[LANES_BYTES];
  const char *from = x;
  if (!c->commutative || n == 1 || 2 * c->width > LANES_BYTES) {
    for (uint64_t i = 0; i < n; i++) eyoti_combine_one(c, acc, has, from + i * c->width);
    return;
  }
  uint64_t each = PIECE_BYTES / c->width;
  if (c->builtin != NULL && n >= EYOTI_SHARED_LEAST / c->width && workers_of(rt) != NULL) {
    pieces_shared(workers_of(rt), c, acc, has, from, n, each);
    return;
  }
  for (uint64_t i = 0; i < n; i += each) {
    combine_piece(c, result, from + i * c->width, n - i < each ? n - i : each);
    eyoti_combine_one(c, acc, has, result);
  }
}
