/* SPDX-License-Identifier: BSD-3-Clause */
/* quick_call.c - public functions whose call is one of those before: they need no description of
 * the call (quick.h). Whatever is out of the ordinary is left to call.c, which finds it again. */
#include "coll/past.h"
#include "coll/quick.h"

static bool apart(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  return a != NULL && b != NULL && (x + a_bytes <= y || y + b_bytes <= x);
}

/* Whether the buffers are as they should be; others may be right too. */
static bool has_buffers(const struct eyoti_team *t, const struct eyoti_quick_call *q,
                        uint64_t bytes) {
  uint64_t whole = bytes * t->size;
  switch (q->function) {
    case EYOTI_COLL_BROADCAST:
      return q->in != NULL;
    case EYOTI_COLL_REDUCE:
      if (t->me != q->root) return q->in != NULL;
      return (q->in == q->out && q->in != NULL) || apart(q->in, bytes, q->out, bytes);
    case EYOTI_COLL_ALLREDUCE:
    case EYOTI_COLL_SCAN:
    case EYOTI_COLL_EXSCAN:
      return (q->in == q->out && q->in != NULL) || apart(q->in, bytes, q->out, bytes);
    case EYOTI_COLL_GATHER:
      return t->me != q->root ? q->in != NULL : apart(q->in, bytes, q->out, whole);
    case EYOTI_COLL_ALLGATHER:
      return apart(q->in, bytes, q->out, whole);
    case EYOTI_COLL_SCATTER:
      return t->me != q->root ? q->out != NULL : apart(q->in, whole, q->out, bytes);
    case EYOTI_COLL_REDUCE_SCATTER_BLOCK:
      return apart(q->in, whole, q->out, bytes);
    case EYOTI_COLL_ALLTOALL:
      return apart(q->in, whole, q->out, whole);
    default:
      return false;
  }
}

static inline bool is_of(const struct eyoti_plan *p, const struct eyoti_quick_call *q) {
  const struct eyoti_coll_args *a = &p->args;
  return a->root == q->root && a->count == q->count && a->function == q->function &&
         a->type == q->type && a->op == q->op && p->whole && p->quick != NULL &&
         a->form == EYOTI_COLL_BLOCKING && a->sync == 0 && a->in == NULL && a->out == NULL;
}

static inline bool reduces(enum eyoti_coll_function function) {
  return function == EYOTI_COLL_REDUCE || function == EYOTI_COLL_ALLREDUCE ||
         function == EYOTI_COLL_SCAN || function == EYOTI_COLL_EXSCAN ||
         function == EYOTI_COLL_REDUCE_SCATTER_BLOCK;
}

/* The two calls made last are found at once, as those of two roots in turn. An operator of the
 * program may have been freed. */
static struct eyoti_plan *find(struct eyoti_coll_team *ct, const struct eyoti_quick_call *q) {
  struct eyoti_plan *p = ct->last;
  if (p == NULL || !is_of(p, q)) {
    p = ct->before;
    uint32_t i = 0;
    while (p == NULL || !is_of(p, q)) {
      if (i == EYOTI_PLANS_PLAIN) return NULL;
      p = ct->kept[i++];
    }
  }
  return reduces(q->function) && p->args.combiner.builtin == NULL ? NULL : p;
}

bool eyoti_quick_called(struct eyot_rt *rt, eyot_team_t team, const struct eyoti_quick_call *q,
                        int *rc) {
  struct eyoti_team *t;
  if (!eyoti_quick_may(rt->fab) || rt->observed || rt->coll->check || q->count == 0) return false;
  if (!eyoti_team_find(rt, team, &t) || t->coll == NULL || eyoti_team_is_apart(t)) return false;
  struct eyoti_coll_team *ct = t->coll;
  struct eyoti_channel *ch = &ct->blocking;
  struct eyoti_plan *p = find(ct, q);
  if (p == NULL || ch->number >= EYOTI_NUMBER_LAST || !has_buffers(t, q, p->args.bytes))
    return false;
  eyoti_quick_fetch(ch, p);
  eyoti_coll_comes(ct, p);
  p->used = ++ct->uses;
  p->users++; /* calls that go on inside this one make plans too */
  *rc = eyoti_team_begin(rt, t, EYOTI_WORDS_COLL | p->awaits);
  if (*rc == EYOT_OK) {
    eyoti_team_begins_at(t, q->root);
    eyoti_team_passes(t, p->hash, p->awaits);
    uint32_t hash = eyoti_coll_again_hash(rt, ct, p);
    *rc = eyoti_quick_run(ch, p, q->in, q->out, &p->args.combiner, hash);
  }
  eyoti_coll_plan_done(t, p);
  return true;
}
