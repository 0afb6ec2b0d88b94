/* SPDX-License-Identifier: BSD-3-Clause */
/* take.c - implements take.h.
 *
 * Why it exists: other algorithms copy a block twice within a node, into a board and from there.
 * Blocks in the heap can be reached, so members first tell each other where theirs are; if all are
 * there, each takes what it needs, and all meet before the blocks are their owners' again. Else the
 * call goes on as if nobody had asked, and after a few such calls a team asks once in ASK_EVERY.
 * All members ask in the same calls and see the same offers, so all do the same.
 *
 * Operations: the offers, which all gather, and which compare the calls; a comparison, in which all
 * meet after the copies (take_ways.c), or the call's own operations. Source: A. Friedley 2013,
 * section 3.2 (a shared heap needs one copy). */
#include "coll/take.h"

#include <stdlib.h>

#include "base/hash.h"
#include "coll/gen.h"
#include "coll/select.h"
#include "coll/take_ways.h"
#include "gmem/state.h"

#define ASK_MISSES 2u /* calls in vain, after which a team asks */
#define ASK_EVERY 16u /* once in so many, on average */
#define OFFER_BYTES sizeof(struct eyoti_take_offer)

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
      rt->coll->check || a->combiner.wire != NULL)
    return false;
  if (k->function != (uint32_t)a->function || k->bytes != a->bytes) {
    k->function = (uint32_t)a->function;
    k->bytes = a->bytes;
    k->chosen = eyoti_take_way(a->function) != NULL && eyoti_select_take(rt, t, c);
    if (k->chosen && !k->asked) k->linear = eyoti_select_linear(rt, t, OFFER_BYTES);
    k->asked = k->asked || k->chosen;
  }
  return k->chosen && may_ask(t->coll);
}

/* -- offers ------------------------------------------------------------------------------------ */

static struct eyoti_take_place place_of(const struct eyot_rt *rt, const void *p, uint64_t bytes) {
  struct eyoti_take_place at = {.seg = rt->gmem->seg};
  if (!eyoti_gmem_has(rt->gmem, p, bytes, &at.off)) at.seg = FAB_SEG_MAX;
  return at;
}

static struct eyoti_take_offer offer_of(const struct eyoti_taking *x,
                                        const struct eyoti_take_way *w) {
  const struct eyoti_coll_call *c = x->c;
  struct eyoti_take_offer o = {{FAB_SEG_MAX, 0}, {FAB_SEG_MAX, 0}};
  uint64_t bytes = c->args.bytes, all = bytes * x->t->size;
  if (x->memory == NULL) return o;
  if (eyoti_take_is_of(c, w->in, x->t->me)) o.in = place_of(x->rt, c->in, w->in_each ? all : bytes);
  if (eyoti_take_is_of(c, w->out, x->t->me))
    o.out = place_of(x->rt, c->out, w->out_each ? all : bytes);
  return o;
}

/* Marks the exchange of offers as a part of a call, so that its plan is not kept for calls of the
 * program with the same arguments. */
static const struct eyoti_coll_stages OFFERS = {1, NULL, NULL};

/* An allgather, with the call's arguments, so that members whose calls differ hear of it. */
static int ask(struct eyoti_team *t, const struct eyoti_taking *x, const struct eyoti_take_way *w,
               eyoti_take_operation operation, struct eyoti_take_offer *all) {
  struct eyoti_take_offer own = offer_of(x, w);
  struct eyoti_coll_call ask = *x->c;
  ask.args.bytes = ask.round_bytes = sizeof own;
  ask.stages = &OFFERS;
  ask.gen = t->coll->take.linear ? eyoti_gen_allgather_linear : eyoti_gen_allgather_bruck;
  ask.has_gen = ask.offers = true;
  ask.in = &own;
  ask.out = all;
  return operation(x->rt, t, &ask, EYOT_OK);
}

static bool can_take(const struct eyoti_taking *x, const struct eyoti_take_way *w) {
  for (uint32_t m = 0; m < x->t->size; m++) {
    if (eyoti_take_is_of(x->c, w->in, m) && x->all[m].in.seg == FAB_SEG_MAX) return false;
    if (eyoti_take_is_of(x->c, w->out, m) && x->all[m].out.seg == FAB_SEG_MAX) return false;
  }
  return true;
}

/* -- the call ---------------------------------------------------------------------------------- */

/* All meet, unless the call has failed here, as the others learn. */
static int meet(struct eyoti_team *t, const struct eyoti_coll_call *c, uint32_t which, int rc) {
  struct eyoti_coll_team *ct = t->coll;
  uint32_t hash = eyoti_coll_hash(&c->args, which);
  if (ct->history != 0) hash = eyoti_coll_hash_after(hash, ct->history);
  ct->history = ct->one_way = 0;
  if (rc == EYOT_OK) return eyoti_coll_confirm(&ct->blocking, &c->args, hash);
  (void)eyoti_coll_refuse(&ct->blocking, &c->args, hash, rc);
  return rc;
}

static int take_or_not(const struct eyoti_taking *x, struct eyoti_team *t,
                       struct eyoti_coll_call *c, eyoti_take_operation operation,
                       struct eyoti_take_offer *all) {
  enum { UNTAKEN = 1, TAKEN };
  const struct eyoti_take_way *w = eyoti_take_way(c->args.function);
  struct eyoti_coll_take *k = &t->coll->take;
  EYOTI_TRY(ask(t, x, w, operation, all));
  if (!can_take(x, w)) {
    if (k->misses < ASK_MISSES) k->misses++;
    c->stage = 1;
    c->hash = eyoti_coll_hash(&c->args, UNTAKEN);
    return operation(x->rt, t, c, EYOT_OK);
  }
  k->misses = 0;
  return meet(t, c, TAKEN, w->copy(x));
}

/* Without memory for operands nothing is offered, so that no member has to end a call whose copies
 * the others have begun. */
EYOTI_APART int eyoti_take_run(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                               eyoti_take_operation operation) {
  uint64_t bytes = eyoti_take_memory(eyoti_take_way(c->args.function), &c->args, t->size);
  struct eyoti_take_offer *all = malloc(t->size * sizeof *all);
  if (all == NULL)
    return operation(rt, t, c,
                     EYOTI_FAIL(EYOT_ENOMEM, "no memory for the places of %u blocks", t->size));
  const struct eyoti_taking x = {rt, t, c, all, malloc(bytes + 1)};
  int rc = take_or_not(&x, t, c, operation, all);
  free(x.memory);
  free(all);
  return rc;
}
