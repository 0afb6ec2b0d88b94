/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.c - the plans that a team keeps for calls that are repeated (call.h). */
#include "coll/call.h"
#include "coll/select.h"

static bool plan_is(const struct eyoti_plan *p, const struct eyoti_coll_args *b, uint64_t from,
                    uint64_t len) {
  const struct eyoti_coll_args *a = &p->args;
  if (!eyoti_plan_has_blocks(p, b, from)) return false;
  return a->form == b->form && a->sync == b->sync && a->len == len && a->count == b->count &&
         a->bytes == b->bytes && a->root == b->root && a->combiner.token == b->combiner.token &&
         a->combiner.width == b->combiner.width && a->function == b->function;
}

/* The choice of an algorithm and the making of its plan go deep. */
struct wanted_plan {
  const struct eyoti_team *t;
  const struct eyoti_coll_call *c;
  struct eyoti_coll_args a; /* of the round */
  struct eyoti_plan *p;     /* NULL: no memory */
};

static void plan_make(void *wanted) {
  struct wanted_plan *w = wanted;
  w->p = eyoti_plan_make(w->t, &w->a, eyoti_select(eyot_current, w->t, w->c, &w->a));
}

/* Whether the place is for the plans of such operations. */
static bool is_place(uint32_t i, bool blocks, bool offers) {
  if (offers) return i >= EYOTI_PLANS_PLAIN + EYOTI_PLANS_BLOCKS;
  if (blocks) return i >= EYOTI_PLANS_PLAIN && i < EYOTI_PLANS_PLAIN + EYOTI_PLANS_BLOCKS;
  return i < EYOTI_PLANS_PLAIN;
}

int eyoti_coll_plan(struct eyoti_team *t, const struct eyoti_coll_call *c, uint64_t from,
                    uint64_t len, struct eyoti_plan **out) {
  struct eyoti_coll_team *ct = t->coll;
  bool blocks = c->args.in != NULL || c->args.out != NULL;
  struct eyoti_plan **oldest = NULL; /* of the places that no call uses */
  for (uint32_t i = 0; i < EYOTI_PLANS_KEPT; i++) {
    struct eyoti_plan *p = ct->kept[i];
    if (p != NULL && p->asked == c->gen && plan_is(p, &c->args, from, len)) {
      p->used = ++ct->uses;
      p->users++;
      *out = p;
      return EYOT_OK;
    }
    if ((p != NULL && p->users > 0) || !is_place(i, blocks, c->offers)) continue;
    if (oldest == NULL || (*oldest != NULL && (p == NULL || p->used < (*oldest)->used)))
      oldest = &ct->kept[i];
  }
  struct wanted_plan wanted = {.t = t, .c = c, .a = c->args};
  struct eyoti_coll_args *a = &wanted.a;
  a->from = from;
  a->len = len;
  fab_deep(eyot_current->fab, plan_make, &wanted);
  struct eyoti_plan *p = wanted.p;
  if (p == NULL) return EYOT_ENOMEM;
  p->asked = c->gen;
  p->class = (uint8_t)(eyoti_channel_class(&ct->blocking, p) + 1);
  p->hash = eyoti_coll_hash(&p->args, 0);
  p->compares = eyoti_coll_is_symmetric(p->args.function);
  p->awaits = (uint16_t)(p->symmetric ? EYOTI_WORDS_ALL
                                      : eyoti_coll_awaits(p->args.function, p->me == p->args.root));
  p->users = 1;
  p->used = ++ct->uses;
  *out = p;
  if (p->steps > EYOTI_PLAN_KEPT_STEPS || oldest == NULL || !eyoti_plan_own(p)) return EYOT_OK;
  if (ct->last == *oldest) ct->last = NULL;
  if (ct->before == *oldest) ct->before = NULL;
  eyoti_plan_free(*oldest);
  *oldest = p;
  p->kept = true;
  return EYOT_OK;
}

void eyoti_coll_plan_done(struct eyoti_team *t, struct eyoti_plan *p) {
  (void)t;
  if (--p->users == 0 && !p->kept) eyoti_plan_free(p);
}

int eyoti_coll_combiner(struct eyot_rt *rt, const struct eyoti_team *t, struct eyoti_coll_args *a) {
  const struct eyoti_plan *p = t->coll != NULL ? t->coll->last : NULL;
  /* one of the program's may have been freed */
  bool again = p != NULL && p->args.type == a->type && p->args.op == a->op &&
               p->args.function == a->function && p->args.combiner.builtin != NULL;
  if (!again) return eyoti_combiner_find(rt, a->type, a->op, &a->combiner);
  a->combiner = p->args.combiner;
  return EYOT_OK;
}

static bool is_again(const struct eyoti_plan *p, const struct eyoti_coll_call *c) {
  return p != NULL && p->whole && p->call == c->gen && plan_is(p, &c->args, 0, c->args.bytes);
}

struct eyoti_plan *eyoti_coll_again(struct eyoti_coll_team *ct, struct eyoti_coll_call *c) {
  struct eyoti_plan *p = ct->last;
  if (c->stages != NULL || c->stage != 0) return NULL; /* a later operation has another hash */
  if (!is_again(p, c)) {
    uint32_t i = 0;
    while (i < EYOTI_PLANS_KEPT && !is_again(ct->kept[i], c)) i++;
    if (i == EYOTI_PLANS_KEPT) return NULL;
    p = ct->kept[i];
  }
  eyoti_coll_comes(ct, p);
  if (c->round_bytes < c->args.bytes) c->round_bytes = c->args.bytes; /* as was chosen then */
  c->args.algorithm = p->args.algorithm;
  c->args.radix = p->args.radix;
  p->used = ++ct->uses;
  p->users++;
  return p;
}

void eyoti_coll_made_again(struct eyoti_coll_team *ct, struct eyoti_plan *p, eyoti_plan_gen gen) {
  p->whole = true;
  p->call = gen;
  eyoti_coll_comes(ct, p);
}
