/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch.c - allocates the scratch memory of a team's collectives, and sends and waits for the
 * signals in it (scratch.h). */

/* Why reuse is safe. A collective works in rounds; each round has a number that only grows, and a
 * signal sets its word to that number. Between two rounds of a team lies a barrier (the opening
 * exchange of a collective, or the one between its rounds), each put into scratch is either awaited
 * by its receiver through a signal of the same round or flushed before a barrier, and each get is
 * complete before its reader enters the next barrier. So in a round no member sees a put, a read or
 * a signal of another one, and a word needs no reset: greater or equal is enough. */
#include "coll/scratch.h"

#include <inttypes.h>

#include "gmem/gmem.h"
#include "sync/sync.h"

#define SCRATCH_MIN 1024u /* bytes of the first allocation */
#define SLOT_MIN 8u       /* the least that a slot gets, however many slots there are */
#define DATA_ALIGN 64u

uint64_t eyoti_scratch_chunk(uint64_t bytes, uint64_t slots) {
  EYOTI_ASSERT(slots > 0);
  uint64_t most = EYOTI_COLL_SCRATCH_MAX / slots / SLOT_MIN * SLOT_MIN;
  if (most < SLOT_MIN) most = SLOT_MIN;
  return bytes < most ? bytes : most;
}

uint32_t eyoti_scratch_levels(uint32_t size) {
  uint32_t levels = 0;
  while (levels < EYOTI_COLL_LEVELS_MAX && ((uint64_t)1 << levels) < size) levels++;
  return levels;
}

/* eyot_free and eyot_alloc enter their own names in diagnostics; afterwards the collective enters
 * its own again. */
static int scratch_drop(struct eyot_rt *rt, struct eyoti_team *t) {
  if (eyot_gptr_is_null(t->coll_scratch)) return EYOT_OK;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  eyot_gptr_t scratch = t->coll_scratch;
  t->coll_scratch = EYOT_GPTR_NULL;
  t->coll_scratch_bytes = 0;
  int rc = eyot_team_free(scratch);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

static int scratch_grow(struct eyot_rt *rt, struct eyoti_team *t, uint64_t need) {
  uint64_t bytes = SCRATCH_MIN;
  while (bytes < need) bytes *= 2;
  EYOTI_TRY(scratch_drop(rt, t));
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  eyot_gptr_t scratch;
  int rc = eyot_team_alloc(t->handle, bytes, &scratch);
  eyoti_rt_unnest(rt, nest);
  if (rc != EYOT_OK) return rc;
  t->coll_scratch = scratch;
  t->coll_scratch_bytes = bytes;
  return EYOT_OK;
}

static int resolve(const struct eyoti_scratch *s, uint32_t member, uint64_t off, uint64_t len,
                   struct fab_addr *out) {
  eyot_unit_t unit = {eyoti_team_unit(s->t, member)};
  return eyoti_gmem_resolve(
      s->rt, eyot_gptr_at(eyot_gptr_add(s->t->coll_scratch, (int64_t)off), unit), len, out);
}

int eyoti_scratch_open(struct eyot_rt *rt, struct eyoti_team *t, uint64_t data_bytes,
                       struct eyoti_scratch *s) {
  uint32_t levels = eyoti_scratch_levels(t->size);
  uint64_t words_bytes = ((uint64_t)levels + 1) * sizeof(uint64_t);
  uint64_t data_off = (words_bytes + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
  uint64_t need;
  if (__builtin_add_overflow(data_off, data_bytes, &need) || need > INT64_MAX / 2)
    return EYOTI_FAIL(EYOT_ENOMEM, "scratch of %" PRIu64 " bytes is more than memory can hold",
                      data_bytes);
  if (need > t->coll_scratch_bytes) EYOTI_TRY(scratch_grow(rt, t, need));
  struct eyoti_scratch opened = {
      .rt = rt, .t = t, .levels = levels, .bcast_word = levels, .data_off = data_off};
  EYOTI_TRY(resolve(&opened, t->me, 0, need, &opened.own));
  void *base;
  EYOTI_TRY(rt->fab->ops->seg_ptr(rt->fab, opened.own.seg, rt->fab->me, &base));
  opened.data = (char *)base + opened.own.off + data_off;
  *s = opened;
  return EYOT_OK;
}

int eyoti_scratch_round(struct eyoti_scratch *s, bool first) {
  if (!first) EYOTI_TRY(eyoti_sync_barrier(s->rt, s->t));
  s->round = ++s->t->coll_seq;
  return EYOT_OK;
}

int eyoti_scratch_at(const struct eyoti_scratch *s, uint32_t member, uint64_t off, uint64_t len,
                     struct fab_addr *out) {
  return resolve(s, member, s->data_off + off, len, out);
}

int eyoti_scratch_send(const struct eyoti_scratch *s, uint32_t member, uint64_t off,
                       const void *src, uint64_t len, uint32_t word, fab_req_t *req) {
  EYOTI_ASSERT(word <= s->bcast_word && member != s->t->me);
  struct fab_addr to;
  struct fab_sig sig = {.op = FAB_SIG_SET, .value = s->round};
  EYOTI_TRY(eyoti_scratch_at(s, member, off, len, &to));
  EYOTI_TRY(resolve(s, member, word * sizeof(uint64_t), sizeof(uint64_t), &sig.at));
  return fab_put_signal(s->rt->fab, to, src, len, &sig, req);
}

int eyoti_scratch_await(const struct eyoti_scratch *s, uint32_t word) {
  EYOTI_ASSERT(word <= s->bcast_word);
  return fab_wait_mem(s->rt->fab, s->own.seg, s->own.off + word * sizeof(uint64_t), FAB_GE,
                      s->round, FAB_FOREVER, NULL);
}

int eyoti_scratch_complete(const struct eyoti_scratch *s, const fab_req_t *reqs, uint32_t n) {
  int first = EYOT_OK;
  for (uint32_t i = 0; i < n; i++) {
    int rc = fab_req_end(s->rt->fab, FAB_ALL, reqs[i]);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

int eyoti_coll_start(struct eyot_rt *rt) {
  eyoti_teams_on_drop(rt, scratch_drop);
  return EYOT_OK;
}

/* Frees only the scratch of the team of all units: a team that the program did not destroy is a
 * leak that teams and gmem report, and units do not reach its end in any agreed order. */
int eyoti_coll_stop(struct eyot_rt *rt) {
  struct eyoti_team *all;
  EYOTI_TRY(eyoti_team_get(rt, EYOT_TEAM_ALL, &all));
  return scratch_drop(rt, all);
}
