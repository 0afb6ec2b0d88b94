/* SPDX-License-Identifier: BSD-3-Clause */
/* quick.c - implements quick.h, but for messages between nodes (quick_message.c).
 *
 * Who takes part. The units of a job of one node: no message goes through MPI. If they have a
 * processor each, a store is all that a waiter needs, as no unit sleeps; if they share processors,
 * the fabric waits, and wakes units that sleep, and openings are run.c's. An endpoint that must see
 * all operations (eyot/count.h, eyotcheck) says that the processor's stores may not stand for them.
 *
 * Words are written and awaited as in run.c, whose rules hold; channel.c says when an epoch may be
 * used again. Units with a processor each open here too. */
#include "coll/quick.h"

#include <stdlib.h>
#include <string.h>

#include "coll/choose.h"
#include "coll/quick_parts.h"
#include "coll/run_parts.h"
#include "gmem/gmem.h"

#define LONGEST 4096u /* bytes of a message; what longer ones take of run.c does not count */

/* -- what can be run so ------------------------------------------------------------------------ */

static bool find_members(struct eyoti_channel *ch) {
  const struct eyoti_team *t = ch->t;
  if (ch->mapped != NULL) return true;
  if (!ch->first.aligned || (ch->mapped = malloc(t->size * sizeof *ch->mapped)) == NULL)
    return false;
  for (uint32_t i = 0; i < t->size; i++) {
    const struct fab_addr *own = &ch->first.own;
    struct fab_addr at = fab_at(eyoti_team_unit(t, i), own->seg, own->off);
    ch->mapped[i] = eyoti_gmem_mapped(ch->rt, at);
    if (ch->mapped[i] != NULL) continue;
    free(ch->mapped);
    ch->mapped = NULL;
    return false;
  }
  return true;
}

static bool can_step(const struct eyoti_step *s, bool messages) {
  switch ((enum eyoti_step_kind)s->kind) {
    case EYOTI_STEP_PUT_EACH:
      return !messages && s->len <= LONGEST;
    case EYOTI_STEP_PUT:
    case EYOTI_STEP_COPY:
      return s->len <= LONGEST;
    case EYOTI_STEP_AWAIT_EACH:
      return !messages;
    case EYOTI_STEP_AWAIT:
    case EYOTI_STEP_COMBINE:
    case EYOTI_STEP_DRAIN:
      return true;
    default:
      return false;
  }
}

/* Whether the members' boards can be reached by stores. */
static bool can_store(struct eyoti_channel *ch, const struct eyoti_plan *p) {
  const struct fab *f = ch->rt->fab;
  if (f->local.n < f->n || !find_members(ch)) return false;
  const struct eyoti_board *b = eyoti_channel_board(ch, eyoti_channel_class(ch, p));
  return b->aligned && b->own.seg == ch->first.own.seg;
}

static bool can_all(struct eyoti_channel *ch, const struct eyoti_plan *p, bool messages) {
  if (p->code != NULL || ch->hot_bytes != UINT64_MAX || p->args.combiner.wire != NULL) return false;
  if (p->temp_bytes > EYOTI_TEMP_SMALL) return false;
  if (p->args.bytes > EYOTI_TAKE_MOST) return false; /* call.c asks in some (take.h) */
  for (uint32_t i = 0; i < p->steps; i++)
    if (!can_step(&p->step[i], messages)) return false;
  return messages || can_store(ch, p);
}

static bool sends(const struct eyoti_step *s) {
  return s->kind == EYOTI_STEP_PUT || s->kind == EYOTI_STEP_PUT_EACH;
}

/* A copy is made for messages that leave later. One that has left with the next step needs none,
 * unless another step uses it too. */
static bool is_staged(const struct eyoti_plan *p, uint32_t i) {
  const struct eyoti_step *s = &p->step[i], *next = s + 1;
  if (s->kind != EYOTI_STEP_COPY || s->to_in != EYOTI_BOARD || s->count != 1) return false;
  if (i + 1 == p->steps || next->kind != EYOTI_STEP_PUT || next->from_in != EYOTI_BOARD ||
      next->from != s->to || next->len != s->len)
    return false;
  for (uint32_t k = i + 2; k < p->steps; k++) {
    const struct eyoti_step *x = &p->step[k];
    bool uses = sends(x) || x->kind == EYOTI_STEP_COPY || x->kind == EYOTI_STEP_COMBINE;
    if (uses && (x->from_in == EYOTI_BOARD || (!sends(x) && x->to_in == EYOTI_BOARD))) return false;
  }
  return true;
}

static void find_steps(const struct eyoti_channel *ch, const struct eyoti_plan *p,
                       struct eyoti_quick *k) {
  for (uint32_t i = 0; i < p->steps; i++) {
    const struct eyoti_step *s = &p->step[i];
    bool is_put = s->kind == EYOTI_STEP_PUT;
    k->step[i] = (struct eyoti_quick_step){.to = is_put ? ch->mapped[s->peer] + k->board : NULL,
                                           .staged = is_staged(p, i)};
  }
}

static void find_first(const struct eyoti_plan *p, struct eyoti_quick *k) {
  uint32_t i = p->steps > 1 && k->step[0].staged ? 1 : 0;
  if (i == p->steps || p->step[i].kind != EYOTI_STEP_PUT) return;
  k->to = k->step[i].to + k->words + p->step[i].to;
  k->word = k->step[i].to + p->step[i].word * 8ull;
}

bool eyoti_quick_look(struct eyoti_channel *ch, struct eyoti_plan *p) {
  const struct fab *f = ch->rt->fab;
  bool messages = f->ops->message != NULL;
  p->slow = true;
  if (!can_all(ch, p, messages)) return false;
  struct eyoti_quick *k = malloc(sizeof *k + (messages ? 0 : p->steps * sizeof k->step[0]));
  if (k == NULL) return false; /* the general way needs none */
  uint32_t class = eyoti_channel_class(ch, p);
  const struct eyoti_board *b = eyoti_channel_board(ch, class);
  struct eyoti_epoch first = eyoti_channel_epoch(ch, class, 0);
  *k = (struct eyoti_quick){.own = b->base + first.words,
                            .board = (int64_t)(b->own.off - ch->first.own.off + first.words),
                            .first = first.words,
                            .epoch = eyoti_channel_epoch(ch, class, 1).words - first.words,
                            .words = first.data - first.words,
                            .class = class,
                            .messages = messages,
                            .wakes = !messages && f->spin_limit == 0};
  if (!messages) find_steps(ch, p, k);
  if (!messages) find_first(p, k);
  p->quick = k;
  p->slow = false;
  return true;
}

/* -- messages ---------------------------------------------------------------------------------- */

/* The operation under way: no address of it is taken, so that it is in registers. */
struct quick {
  struct eyoti_channel *ch;
  const struct eyoti_plan *p;
  const struct eyoti_quick *k;
  uint64_t head, least; /* of its messages; of any of them */
  uint64_t at;          /* of its epoch, from the first */
  char *const *base;    /* of references */
};

/* The word is the message's last: its receiver's load pairs with it. */
static inline void set(char *word, uint64_t value) {
  __atomic_store_n((uint64_t *)(void *)word, value, __ATOMIC_RELEASE);
}

static inline uint64_t load(const char *word) {
  return __atomic_load_n((const uint64_t *)(const void *)word, __ATOMIC_ACQUIRE);
}

/* Its receiver may sleep, where units share processors. */
static inline void wake(struct quick q, fab_unit_t unit) {
  if (__builtin_expect(q.k->wakes, 0)) fab_wake(q.ch->rt->fab, unit);
}

uint64_t eyoti_quick_await(struct eyoti_channel *ch, uint32_t class, uint64_t off, uint64_t least) {
  uint64_t poison = eyoti_channel_poison_off(ch, EYOTI_POISON_FAILED, ch->number);
  const struct fab_cond conds[2] = {eyoti_run_cond(ch, class, off, least),
                                    eyoti_run_cond(ch, 0, poison, eyoti_run_head(ch->number, 0))};
  uint32_t which;
  int rc = fab_wait_any(ch->rt->fab, conds, 2, EYOTI_PATIENCE_NS, &which);
  if (rc != EYOT_OK || which != 0) return 0;
  const char *word = eyoti_channel_board(ch, class)->base + off;
  return eyoti_load_own((const uint64_t *)(const void *)word);
}

/* The word's value, once it is `least` or more; less: run.c has to wait. */
static inline uint64_t await_least(struct quick q, const char *word, uint64_t least) {
  uint64_t seen = load(word);
  if (seen >= least) return seen;
  if (q.k->wakes)
    return eyoti_quick_await(q.ch, q.k->class,
                             (uint64_t)(word - eyoti_channel_board(q.ch, q.k->class)->base), least);
  for (uint32_t spins = q.ch->rt->fab->spin_limit; seen < least && spins > 0; spins--) {
    fab_relax();
    seen = load(word);
  }
  return seen;
}

/* Awaits `least` or more in a word of the caller's. False: run.c has to wait, or to find out what
 * another value means. exact: what it must be; 0: a chunk of the operation. */
static inline bool arrives(struct quick q, const char *word, uint64_t least, uint64_t exact) {
  uint64_t seen = await_least(q, word, least);
  if (seen < least) return false;
  if (exact != 0) return seen == exact;
  return seen >> 32 == least >> 32 && (uint32_t)seen <= EYOTI_HASH_LEAST;
}

/* -- the operation ----------------------------------------------------------------------------- */

/* All levels from *level on. */
static bool open(struct quick q, uint32_t *level) {
  struct eyoti_channel *ch = q.ch;
  uint64_t off = eyoti_channel_opening_off(ch, ch->second);
  for (; *level < ch->levels; ++*level, off += 8) {
    set(ch->mapped[eyoti_run_level_to(ch->t, *level)] + off, q.head);
    if (!arrives(q, ch->first.base + off, q.least, q.head)) return false;
  }
  ch->together = ch->number;
  ch->second = !ch->second;
  return true;
}

/* To the board whose first epoch is at `to`. */
static inline void put(struct quick q, char *to, const char *from, uint64_t len, uint64_t slot,
                       uint64_t word, uint64_t value) {
  to += q.at;
  if (len > 0) eyoti_quick_copy(to + q.k->words + slot, from, len);
  set(to + word * 8, value);
}

static inline void put_one(struct quick q, const struct eyoti_step *s, char *to) {
  put(q, to, q.base[s->from_in] + s->from, s->len, s->to, s->word,
      eyoti_quick_value(q.head, s->chunk));
  wake(q, s->unit);
}

static void put_each(struct quick q, const struct eyoti_step *s) {
  const struct eyoti_plan *p = q.p;
  const char *from = q.base[s->from_in] + s->from;
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t member = eyoti_plan_member(p, i);
    put(q, q.ch->mapped[member] + q.k->board, from + member * s->from_stride, s->len,
        s->to + p->me * s->len, (uint64_t)s->word + p->me, q.head);
    wake(q, eyoti_team_unit(p->t, member));
  }
}

static inline bool await_one(struct quick q, const struct eyoti_step *s) {
  const char *word = q.k->own + q.at + s->word * 8ull;
  return s->chunk == EYOTI_HEAD ? arrives(q, word, q.least, q.head)
                                : arrives(q, word, q.least | s->chunk, 0);
}

static bool await_each(struct quick q, const struct eyoti_step *s, uint32_t *each) {
  for (; *each < q.p->size - 1; ++*each) {
    uint64_t word = s->word + (uint64_t)eyoti_plan_member(q.p, 1 + (int64_t)*each);
    if (!arrives(q, q.k->own + q.at + word * 8, q.least, q.head)) return false;
  }
  *each = 0;
  return true;
}

/* All steps from at->pc on. False: one waits. */
static inline bool run(struct quick q, const struct eyoti_combiner *by,
                       struct eyoti_quick_point *at) {
  const struct eyoti_step *s = q.p->step, *end = s + q.p->steps;
  const struct eyoti_quick_step *x = q.k->step;
  bool goes = true;
  for (; s < end; s++, x++) {
    switch ((enum eyoti_step_kind)s->kind) {
      case EYOTI_STEP_PUT:
        put_one(q, s, x->to);
        break;
      case EYOTI_STEP_AWAIT:
        goes = await_one(q, s);
        break;
      case EYOTI_STEP_COPY:
        if (!x->staged) {
          eyoti_quick_copies(q.base, s);
          break;
        }
        put(q, x[1].to, q.base[s->from_in] + s->from, s->len, s[1].to, s[1].word,
            eyoti_quick_value(q.head, s[1].chunk));
        s++, x++;
        wake(q, s->unit);
        break;
      case EYOTI_STEP_COMBINE:
        eyoti_quick_combine(q.base, by, s);
        break;
      case EYOTI_STEP_PUT_EACH:
        put_each(q, s);
        break;
      case EYOTI_STEP_AWAIT_EACH:
        goes = await_each(q, s, &at->each);
        break;
      default: /* a drain, of copies that are complete */
        break;
    }
    if (__builtin_expect(!goes, 0)) break;
  }
  at->pc = (uint32_t)(s - q.p->step);
  return goes;
}

int eyoti_quick_go_on(struct eyoti_channel *ch, const struct eyoti_plan *p,
                      char *const base[EYOTI_BASES], const struct eyoti_combiner *by,
                      struct eyoti_quick_point at, int rc) {
  struct eyoti_coll_args args = p->args;
  struct eyoti_coll_op r;
  args.combiner = *by;
  eyoti_run_set(&r, ch, p, &args, ch->hash[ch->number % ch->epochs]);
  r.all_open = r.opens = at.opens;
  r.opened = at.opened;
  if (at.opens) r.level = at.level;
  r.sent = at.sent;
  r.pushes = r.lends = at.lends;
  r.pc = at.pc;
  r.each = at.each;
  memcpy(r.temp, base[EYOTI_TEMP], sizeof r.temp);
  eyoti_run_buffers(&r, base[EYOTI_IN], base[EYOTI_OUT], r.temp);
  rc = rc == EYOT_OK ? eyoti_run_go(&r, true) : eyoti_run_stop(&r, rc);
  eyoti_coll_failed(ch->t, &args, rc);
  return rc;
}

/* By stores. */
static int run_stores(struct eyoti_channel *ch, const struct eyoti_plan *p,
                      char *const base[EYOTI_BASES], const struct eyoti_combiner *by, uint64_t at,
                      uint32_t hash) {
  uint32_t number = ch->number;
  struct quick q = {.ch = ch,
                    .p = p,
                    .k = p->quick,
                    .head = eyoti_run_head(number, hash),
                    .least = eyoti_run_head(number, 0),
                    .at = at,
                    .base = base};
  struct eyoti_quick_point stands = {.opens = eyoti_channel_unsafe(ch, number)};
  int rc = eyoti_quick_retire(ch);
  if (__builtin_expect(rc != EYOT_OK, 0)) return eyoti_quick_go_on(ch, p, base, by, stands, rc);
  if (stands.opens && q.k->wakes) return eyoti_quick_go_on(ch, p, base, by, stands, EYOT_OK);
  if (stands.opens) {
    stands.sent = true;
    if (!open(q, &stands.level)) return eyoti_quick_go_on(ch, p, base, by, stands, EYOT_OK);
    stands.opens = stands.sent = false;
    stands.opened = true;
  }
  if (__builtin_expect(!run(q, by, &stands), 0))
    return eyoti_quick_go_on(ch, p, base, by, stands, EYOT_OK);
  if (p->symmetric) ch->together = number;
  return EYOT_OK;
}

/* Of calls in a row the next epoch is the one after the last. */
static inline uint32_t epoch_of(struct eyoti_quick *k, uint32_t number, uint32_t epochs) {
  uint32_t at = number == k->at_of + 1 ? k->at + 1 : number % epochs;
  k->at_of = number;
  return k->at = at == epochs ? 0 : at;
}

/* For writing, which the compiler's own does not say on every processor. */
static inline void fetch(const char *line) {
#ifdef __x86_64__
  __asm__ volatile("prefetchw %0" : : "m"(*line));
#else
  __builtin_prefetch(line, 1);
#endif
}

void eyoti_quick_fetch(const struct eyoti_channel *ch, const struct eyoti_plan *p) {
  const struct eyoti_quick *k = p->quick;
  if (k->to == NULL || p->symmetric) return; /* of an exchange both write at once */
  uint64_t at = (ch->number + 1) % ch->epochs * k->epoch;
  fetch(k->word + at);
  fetch(k->to + at);
}

int eyoti_quick_run(struct eyoti_channel *ch, const struct eyoti_plan *p, const void *in, void *out,
                    const struct eyoti_combiner *by, uint32_t hash) {
  struct eyoti_quick *k = p->quick;
  int rc = k->messages ? eyoti_channel_next(ch) : (++ch->number, EYOT_OK);
  uint32_t epoch = epoch_of(k, ch->number, ch->epochs);
  uint64_t temp[EYOTI_TEMP_SMALL / 8], at = epoch * k->epoch; /* temp is undefined */
  char *const base[EYOTI_BASES] = {[EYOTI_IN] = (char *)(uintptr_t)in,
                                   [EYOTI_OUT] = out,
                                   [EYOTI_BOARD] = k->own + at + k->words,
                                   [EYOTI_TEMP] = (char *)temp};
  ch->hash[epoch] = hash;
  if (k->messages) return eyoti_quick_messages(ch, p, base, by, at, hash, rc);
  return run_stores(ch, p, base, by, at, hash);
}
