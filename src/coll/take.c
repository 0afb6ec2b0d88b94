/* SPDX-License-Identifier: BSD-3-Clause */
/* take.c - implements take.h.
 *
 * Why it exists: other algorithms copy a block twice within a node, into a board and from there.
 * Blocks in the heap can be reached, so members first tell each other where theirs are; if all are
 * there, each takes what it needs, and all meet before the blocks are their owners' again. Else the
 * call goes on as if nobody had asked, and after a few such calls a team asks once in ASK_EVERY.
 * All members ask in the same calls and see the same offers, so all do the same.
 *
 * Operations: of a scatter, in which not all wait for all others, a comparison; the offers, as a
 * call of the function with short blocks; a comparison, in which all meet, or the call's own
 * operations. Source: A. Friedley 2013, section 3.2 (a shared heap needs one copy). */
#include "coll/take.h"

#include <stdlib.h>

#include "base/hash.h"
#include "coll/select.h"
#include "gmem/state.h"

#define ASK_MISSES 2u /* calls in vain, after which a team asks */
#define ASK_EVERY 16u /* once in so many, on average */

/* Where a member's block is; seg FAB_SEG_MAX: nobody else can reach it. */
struct offer {
  uint64_t seg, off;
};

static bool scatters(const struct eyoti_coll_call *c) {
  return c->args.function == EYOTI_COLL_SCATTER;
}
/* Whether a member offers a block for each, or one for all. */
static bool has_block_each(const struct eyoti_coll_call *c) {
  return c->args.function != EYOTI_COLL_ALLGATHER;
}

/* By the number of the channel's next operation, which is the same on all members, whatever has
 * become of the calls before. */
static bool may_ask(const struct eyoti_coll_team *ct) {
  return ct->take.misses < ASK_MISSES || eyoti_hash_mix(0, ct->blocking.number) % ASK_EVERY == 0;
}

EYOTI_APART bool eyoti_take_is_for(struct eyot_rt *rt, struct eyoti_team *t,
                                   const struct eyoti_coll_call *c) {
  struct eyoti_coll_take *k = &t->coll->take;
  const struct eyoti_coll_args *a = &c->args;
  if (__builtin_expect(a->bytes <= EYOTI_TAKE_MOST, 1) || a->form != EYOTI_COLL_BLOCKING ||
      rt->coll->check)
    return false;
  if (k->function != (uint32_t)a->function || k->bytes != a->bytes) {
    k->function = (uint32_t)a->function;
    k->bytes = a->bytes;
    k->chosen = eyoti_select_take(rt, t, c);
  }
  return k->chosen && may_ask(t->coll);
}

/* -- offers ------------------------------------------------------------------------------------ */

static struct offer offer_of(const struct eyot_rt *rt, const struct eyoti_coll_call *c,
                             uint32_t size) {
  struct offer o = {.seg = rt->gmem->seg};
  uint64_t blocks = has_block_each(c) ? size : 1;
  if (!eyoti_gmem_has(rt->gmem, c->in, blocks * c->args.bytes, &o.off)) o.seg = FAB_SEG_MAX;
  return o;
}

/* Marks the exchange of offers as a part of a call, so that its plan is not kept for calls of the
 * program with the same arguments. */
static const struct eyoti_coll_stages OFFERS = {1, NULL, NULL};

/* The members' offers; of a scatter the root's, at every place. */
static int ask(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
               eyoti_take_operation operation, struct offer *all) {
  struct offer *own = all + t->size;
  struct eyoti_coll_call x = *c;
  struct offer mine = {0};
  if (!scatters(c) || c->args.root == t->me) mine = offer_of(rt, c, t->size);
  for (uint32_t m = 0; m < t->size; m++) own[m] = mine;
  x.args.bytes = x.round_bytes = sizeof *own;
  x.stages = &OFFERS;
  x.in = own;
  x.out = all;
  EYOTI_TRY(operation(rt, t, &x, EYOT_OK));
  for (uint32_t m = 1; m < t->size && scatters(c); m++) all[m] = all[0];
  return EYOT_OK;
}

static bool can_take(const struct offer *all, uint32_t size) {
  for (uint32_t m = 0; m < size; m++)
    if (all[m].seg == FAB_SEG_MAX) return false;
  return true;
}

/* -- blocks ------------------------------------------------------------------------------------ */

/* Block `block` of what the member offers. */
static int take_block(struct eyot_rt *rt, const struct eyoti_team *t, const struct offer *all,
                      uint32_t member, uint64_t block, void *to, uint64_t bytes) {
  const struct offer *o = &all[member];
  struct fab_addr from =
      fab_at(eyoti_team_unit(t, member), (fab_seg_t)o->seg, o->off + block * bytes);
  return fab_get(rt->fab, to, from, bytes, NULL);
}

/* The caller's own block, unless it is there already, as in place. */
static void copy_own(const struct eyoti_team *t, const struct eyoti_coll_call *c) {
  uint64_t bytes = c->args.bytes;
  const char *own = (const char *)c->in + (has_block_each(c) ? t->me * bytes : 0);
  char *to = (char *)c->out + (scatters(c) ? 0 : t->me * bytes);
  if (to != own) memcpy(to, own, bytes);
}

/* Each begins with the member after it, so that no member is the first source of all. */
static int take_blocks(struct eyot_rt *rt, const struct eyoti_team *t,
                       const struct eyoti_coll_call *c, const struct offer *all) {
  uint64_t bytes = c->args.bytes, block = has_block_each(c) ? t->me : 0;
  char *out = c->out;
  if (!scatters(c) || c->args.root == t->me) copy_own(t, c);
  if (scatters(c))
    return c->args.root == t->me ? EYOT_OK
                                 : take_block(rt, t, all, c->args.root, block, out, bytes);
  for (uint32_t i = 1; i < t->size; i++) {
    uint32_t from = (uint32_t)(((uint64_t)t->me + i) % t->size);
    EYOTI_TRY(take_block(rt, t, all, from, block, out + from * bytes, bytes));
  }
  return EYOT_OK;
}

/* All meet, unless the call has failed here, as the others learn. */
static int meet(struct eyoti_team *t, struct eyoti_coll_call *c, uint32_t which, int rc) {
  struct eyoti_coll_team *ct = t->coll;
  uint32_t hash = eyoti_coll_hash(&c->args, which);
  if (ct->history != 0) hash = eyoti_coll_hash_after(hash, ct->history);
  ct->history = 0;
  if (rc == EYOT_OK) return eyoti_coll_confirm(&ct->blocking, &c->args, hash);
  (void)eyoti_coll_refuse(&ct->blocking, &c->args, hash, rc);
  return rc;
}

static int take_or_not(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                       eyoti_take_operation operation, struct offer *all) {
  enum { BEFORE = 1, AFTER };
  struct eyoti_coll_take *k = &t->coll->take;
  if (scatters(c)) EYOTI_TRY(meet(t, c, BEFORE, EYOT_OK));
  EYOTI_TRY(ask(rt, t, c, operation, all));
  if (!can_take(all, t->size)) {
    if (k->misses < ASK_MISSES) k->misses++;
    c->stage = 1;
    c->hash = eyoti_coll_hash(&c->args, AFTER);
    return operation(rt, t, c, EYOT_OK);
  }
  k->misses = 0;
  int rc = take_blocks(rt, t, c, all), rc_flush = fab_flush_end(rt->fab, FAB_ALL, FAB_LOCAL);
  return meet(t, c, AFTER, rc != EYOT_OK ? rc : rc_flush);
}

EYOTI_APART int eyoti_take_run(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                               eyoti_take_operation operation) {
  struct offer *all = malloc(2 * t->size * sizeof *all);
  if (all == NULL)
    return operation(rt, t, c,
                     EYOTI_FAIL(EYOT_ENOMEM, "no memory for the places of %u blocks", t->size));
  int rc = take_or_not(rt, t, c, operation, all);
  free(all);
  return rc;
}
