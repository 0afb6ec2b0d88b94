/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl.c - implements ctl.h: the layout of a block, and the dissemination exchange over it, by
 * signals or, among mapped members, by the CPU's stores. */

/* The layout, and why slots can be reused.
 *
 * A round has, in each of two parities: a flag, a slot in which the payload of the one sender of
 * that round lands, and a slot from which the own payload leaves. Exchange k uses parity k mod 2.
 * Why a slot may be reused two exchanges later: a unit enters k+2 after it has completed k+1, thus
 * after all have entered k+1, thus after all have received what was sent to them in k. Flags have
 * two parities for the same reason that payloads have: the signals of k and k+1 of one sender are
 * unordered, and with one word the later might be overwritten by the earlier.
 *
 * A flag holds the number of the exchange and, in its lower bits, the shape: the number of words,
 * their operators and the tag. Members with different shapes are in different functions. A member
 * that receives another shape than its own continues with SHAPE_MIXED; so, as with any idempotent
 * operator, all know at the end, without any further message. */
#include <string.h>

#include "base/check.h"
#include "fabric/ctl_central.h"
#include "fabric/ctl_nodes.h"
#include "fabric/forward.h"

#define PARITIES EYOTI_CTL_PARITIES
#define ROUNDS_MAX 32u
#define WORD_BYTES 8u
#define PAYLOAD_BYTES EYOTI_CTL_PAYLOAD_BYTES

#define SHAPE_BITS EYOTI_CTL_SHAPE_BITS
#define SHAPE_MIXED EYOTI_CTL_SHAPE_MIXED
#define SHAPE_LAST (1u << (SHAPE_BITS - 1)) /* eyoti_ctl_end */
#define SEQ_ANEW (UINT64_C(1) << 39)        /* no set has made so many; ctl_central.c has 40 bits */
#define TAG_SHIFT (3 + 2 * (EYOTI_CTL_WORDS - 1)) /* where the operator of the last word is */

_Static_assert(PAYLOAD_BYTES == 32, "a payload is small enough for every fabric to send inline");
_Static_assert(EYOTI_CTL_MIN < 4 && EYOTI_CTL_WORDS < 7 && 3 + 2 * EYOTI_CTL_WORDS < SHAPE_BITS,
               "a shape is a number below SHAPE_LAST, and with it one below SHAPE_MIXED");
_Static_assert((uint32_t)EYOTI_CTL_TAGS << TAG_SHIFT <= SHAPE_LAST, "a shape has room for a tag");

static uint32_t rounds_of(uint32_t size) {
  uint32_t rounds = 0;
  while (rounds < ROUNDS_MAX && ((uint64_t)1 << rounds) < size) rounds++;
  return rounds;
}

/* Offsets within a block: all flags, then all landing slots, then all leaving slots. */
static uint64_t flag_at(uint32_t round, uint32_t parity) {
  return ((uint64_t)round * PARITIES + parity) * WORD_BYTES;
}
static uint64_t land_at(uint32_t rounds, uint32_t round, uint32_t parity) {
  return flag_at(rounds, 0) + ((uint64_t)round * PARITIES + parity) * PAYLOAD_BYTES;
}
static uint64_t leave_at(uint32_t rounds, uint32_t round, uint32_t parity) {
  return land_at(rounds, rounds, 0) + ((uint64_t)round * PARITIES + parity) * PAYLOAD_BYTES;
}

uint64_t eyoti_ctl_bytes(uint32_t size) {
  uint32_t rounds = rounds_of(size);
  return rounds == 0 ? WORD_BYTES : leave_at(rounds, rounds, 0);
}

uint64_t eyoti_ctl_flag_bytes(uint32_t size) {
  return flag_at(rounds_of(size), 0);
}

uint64_t eyoti_ctl_combine(enum eyoti_ctl_op op, uint64_t a, uint64_t b) {
  switch (op) {
    case EYOTI_CTL_OR:
      return a | b;
    case EYOTI_CTL_AND:
      return a & b;
    case EYOTI_CTL_MAX:
      return a > b ? a : b;
    case EYOTI_CTL_MIN:
      return a < b ? a : b;
  }
  EYOTI_PANIC("unknown control operator %d", (int)op);
}

/* The shape of an exchange; 0: a barrier without a tag. */
static uint32_t shape_of(const struct eyoti_ctl_step *s) {
  uint32_t shape = 0;
  for (uint32_t i = 0; i < s->n; i++) shape = shape << 2 | (uint32_t)s->ops[i];
  return shape << 3 | s->n | (uint32_t)s->tag << TAG_SHIFT;
}

/* Reports to a detector that treats exchanges as one step each; it ignores the messages in between.
 * Members whose calls an endpoint in front of the fabric sees report too, as all do or none. */
static void exchange_report(struct fab *f, const struct fab_exchange *x,
                            enum fab_exchange_step step) {
  struct fab *own = *eyoti_forward_last(&f);
  (void)own->ops->check->exchange(own, x, step);
}
static void step_of(struct fab *f, const struct eyoti_ctl *c, enum fab_exchange_step step) {
  struct fab_exchange x = {.first = c->members.unit_at(c->members.set, 0),
                           .seg = c->seg,
                           .members = c->members.size,
                           .off = c->off,
                           .seq = c->seq};
  exchange_report(f, &x, step);
}
static inline bool is_observed(const struct fab *f) {
  return __builtin_expect(f->ops->check != NULL, 0) && f->ops->check->exchange != NULL;
}

/* The member 2^round after the caller. */
static inline fab_unit_t ctl_peer(const struct eyoti_ctl *c, uint32_t round) {
  uint64_t to_far = c->members.my_index + ((uint64_t)1 << round); /* less than twice the size */
  return c->members.unit_at(
      c->members.set, (uint32_t)(to_far < c->members.size ? to_far : to_far - c->members.size));
}

uint32_t eyoti_ctl_writer(const struct eyoti_ctl *c, fab_seg_t seg, uint64_t off) {
  uint32_t by = c->nodes != NULL ? eyoti_ctl_nodes_writer(c->nodes, seg, off) : UINT32_MAX;
  uint32_t size = c->members.size;
  if (by != UINT32_MAX || c->where == EYOTI_CTL_CENTRAL || seg != c->seg || off < c->off ||
      off - c->off >= eyoti_ctl_flag_bytes(size))
    return by;
  uint64_t before = (uint64_t)1 << (off - c->off) / flag_at(1, 0); /* members; less than the size */
  return c->members.unit_at(c->members.set,
                            (uint32_t)((c->members.my_index + size - before) % size));
}

/* -- the quick path of members that are all mapped here ---------------------------------------- */
/* The same words at the same addresses, written by the CPU, as a signal of such a fabric is.
 * Members that use signals meanwhile (because an endpoint counts or observes their operations) do
 * not notice. */

/* ENOTSUP is no error: there is no quick path. */
static __attribute__((noinline)) int find_mapped(struct fab *f, struct eyoti_ctl *c,
                                                 uint32_t rounds) {
  void *part;
  c->where = EYOTI_CTL_SIGNALED;
  if (rounds > EYOTI_CTL_MAPPED_ROUNDS || is_observed(f) || c->differ_at_end != NULL)
    return EYOT_OK;
  EYOTI_TRY(f->ops->seg_ptr(f, c->seg, f->me, 0, &part));
  c->own = part;
  for (uint32_t round = 0; round < rounds; round++) {
    int rc = f->ops->seg_ptr(f, c->seg, ctl_peer(c, round), 0, &part);
    if (rc != EYOT_OK) return rc == EYOT_ENOTSUP ? EYOT_OK : rc;
    c->mapped[round] = part;
  }
  c->rounds = rounds;
  c->where = EYOTI_CTL_MAPPED;
  return EYOT_OK;
}

/* Units that share processors use the central counter, also while an observer sees their
 * operations, or signals, which wake a unit that sleeps. The quick path of others is chosen once no
 * observer sees their operations. */
static int find_where(struct fab *f, struct eyoti_ctl *c, uint32_t rounds) {
  if (eyoti_ctl_central_applies(f, c)) {
    c->where = EYOTI_CTL_CENTRAL;
    return EYOT_OK;
  }
  return f->cpu_atomics && !f->oversubscribed ? find_mapped(f, c, rounds) : EYOT_OK;
}

bool eyoti_ctl_is_short(struct fab *f, const struct eyoti_ctl *c) {
  return c->by_nodes || eyoti_ctl_central_applies(f, c);
}

static inline bool is_mapped(const struct fab *f, const struct eyoti_ctl *c) {
  return c->where == EYOTI_CTL_MAPPED && f->cpu_atomics;
}

static inline void send_mapped(const struct eyoti_ctl *c, uint32_t rounds,
                               const struct eyoti_ctl_step *s) {
  uint32_t parity = (uint32_t)(c->seq % PARITIES), round = s->round;
  char *block = c->mapped[round] + c->off;
  if (s->n > 0) memcpy(block + land_at(rounds, round, parity), s->words, s->n * sizeof s->words[0]);
  /* Pairs with the acquire loads of look_mapped and of the fabric's wait. */
  __atomic_store_n((uint64_t *)(void *)(block + flag_at(round, parity)),
                   c->seq << SHAPE_BITS | s->shape, __ATOMIC_RELEASE);
}

/* Reads the own flag of a round up to spin_limit times; false: the fabric must wait. */
static inline bool look_mapped(const struct fab *f, const struct eyoti_ctl *c, uint32_t round,
                               uint64_t *flag) {
  const uint64_t *word =
      (const uint64_t *)(const void *)(c->own + c->off +
                                       flag_at(round, (uint32_t)(c->seq % PARITIES)));
  const uint64_t wanted = c->seq << SHAPE_BITS;
  for (uint32_t spins = 0;; spins++) {
    *flag = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (__builtin_expect(*flag >= wanted, 1)) return true;
    if (spins >= f->spin_limit) return false;
    fab_relax();
  }
}

/* The offset in the block of the word that an exchange waits for in its present round. */
static inline uint64_t awaited_at(const struct eyoti_ctl *c, const struct eyoti_ctl_step *s) {
  return s->central ? EYOTI_CTL_CENTRAL_FLAG_OFF : flag_at(s->round, (uint32_t)(c->seq % PARITIES));
}
static inline uint32_t rounds_in(const struct eyoti_ctl *c, const struct eyoti_ctl_step *s) {
  return s->central ? 1 : rounds_of(c->members.size);
}

/* The exchange's own messages are INSIDE for a detector. */
static inline int put(struct fab *f, const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                      const struct eyoti_ctl_message *m) {
  size_t len = s->n * sizeof s->words[0];
  if (len > 0) memcpy(m->leave, s->words, len);
  struct fab_sig sig = {.at = fab_at(m->to, m->seg, m->flag),
                        .op = FAB_SIG_SET,
                        .value = c->seq << SHAPE_BITS | s->shape};
  struct fab_addr land = fab_at(m->to, m->seg, m->land);
  if (!is_observed(f))
    return fab_message(f, land, len > 0 ? m->leave : NULL, len, &sig, NULL, NULL);
  exchange_report(f, NULL, FAB_EXCHANGE_INSIDE);
  int rc = fab_message(f, land, len > 0 ? m->leave : NULL, len, &sig, NULL, NULL);
  exchange_report(f, NULL, FAB_EXCHANGE_OUTSIDE);
  return rc;
}
int eyoti_ctl_put(struct fab *f, const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                  const struct eyoti_ctl_message *m) {
  return put(f, c, s, m);
}

/* Sends to the member 2^round after the caller. */
static inline int ctl_send(struct fab *f, const struct eyoti_ctl *c, uint32_t rounds,
                           const struct eyoti_ctl_step *s) {
  if (is_mapped(f, c)) {
    send_mapped(c, rounds, s);
    return EYOT_OK;
  }
  uint32_t parity = (uint32_t)(c->seq % PARITIES), round = s->round;
  __builtin_prefetch(s->block + flag_at(round, parity)); /* read after the send */
  struct eyoti_ctl_message m = {.to = ctl_peer(c, round),
                                .seg = c->seg,
                                .flag = c->off + flag_at(round, parity),
                                .land = c->off + land_at(rounds, round, parity),
                                .leave = s->block + leave_at(rounds, round, parity)};
  return put(f, c, s, &m);
}

/* Waits for the flag of the round. */
static int wait_observed(struct fab *f, const struct eyoti_ctl *c, fab_seg_t seg, uint64_t flag_off,
                         uint64_t timeout_ns, uint64_t *flag) {
  exchange_report(f, NULL, FAB_EXCHANGE_INSIDE);
  int rc = fab_wait_mem(f, seg, flag_off, FAB_GE, c->seq << SHAPE_BITS, timeout_ns, flag);
  exchange_report(f, NULL, FAB_EXCHANGE_OUTSIDE);
  return rc;
}
static inline int wait_for(struct fab *f, const struct eyoti_ctl *c, fab_seg_t seg,
                           uint64_t flag_off, uint64_t timeout_ns, uint64_t *flag) {
  if (is_observed(f)) return wait_observed(f, c, seg, flag_off, timeout_ns, flag);
  return fab_wait_mem(f, seg, flag_off, FAB_GE, c->seq << SHAPE_BITS, timeout_ns, flag);
}
int eyoti_ctl_wait(struct fab *f, const struct eyoti_ctl *c, fab_seg_t seg, uint64_t off,
                   uint64_t timeout_ns, uint64_t *flag) {
  return wait_for(f, c, seg, off, timeout_ns, flag);
}

static inline void take(struct eyoti_ctl_step *s, uint64_t flag, const void *land) {
  if ((flag & SHAPE_MIXED) != s->shape) s->shape = SHAPE_MIXED;
  if (s->n == 0) return;
  uint64_t heard[EYOTI_CTL_WORDS];
  memcpy(heard, land, s->n * sizeof heard[0]);
  for (uint32_t i = 0; i < s->n; i++)
    s->words[i] = eyoti_ctl_combine(s->ops[i], s->words[i], heard[i]);
}
void eyoti_ctl_take(struct eyoti_ctl_step *s, uint64_t flag, const void *land) {
  take(s, flag, land);
}

/* Receives from the member 2^round before. ETIMEOUT: not yet. */
static inline int hear(struct fab *f, const struct eyoti_ctl *c, uint32_t rounds,
                       uint64_t timeout_ns, struct eyoti_ctl_step *s) {
  uint32_t parity = (uint32_t)(c->seq % PARITIES), round = s->round;
  uint64_t flag;
  if (s->central) {
    EYOTI_TRY(fab_wait_mem(f, c->seg, c->off + awaited_at(c, s), FAB_GE, c->seq << SHAPE_BITS,
                           timeout_ns, &flag));
    eyoti_ctl_central_take(s, flag);
    return EYOT_OK;
  }
  if (!is_mapped(f, c) || !look_mapped(f, c, round, &flag))
    EYOTI_TRY(wait_for(f, c, c->seg, c->off + flag_at(round, parity), timeout_ns, &flag));
  take(s, flag, s->block + land_at(rounds, round, parity));
  return EYOT_OK;
}

void eyoti_ctl_end(struct eyoti_ctl *c, bool *differ) {
  c->differ_at_end = differ;
  if (c->where == EYOTI_CTL_MAPPED) c->where = EYOTI_CTL_SIGNALED; /* has the same words */
}

void eyoti_ctl_anew(struct eyoti_ctl *c) {
  EYOTI_ASSERT(c->seq < SEQ_ANEW);
  c->seq = SEQ_ANEW;
}

/* Not inlined: its text would lie on the stack of every unit that exchanges. */
__attribute__((cold, noinline)) int eyoti_ctl_differ(const struct fab *f,
                                                     const struct eyoti_ctl *c) {
#define MIXED "%s in its place; all members call the same collective functions in the same order"
  const struct eyoti_ctl_held *by = c->held; /* the call that runs may be another one */
  const char *what = by != NULL ? by->what : NULL;
  char other[EYOTI_CTL_OTHER_BYTES];
  eyoti_ctl_other(c, what, other);
  const char *text =
      other[0] != '\0' ? other : "another member of the team called another collective function";
  if (c->differ_at_end != NULL) *c->differ_at_end = true;
  if (what != NULL)
    eyoti_log_at(EYOTI_LOG_ERROR, what, by->site, EYOT_EMISMATCH, MIXED, text);
  else
    eyoti_log(EYOTI_LOG_ERROR, f->note.what, EYOT_EMISMATCH, MIXED, text);
  return EYOT_EMISMATCH;
}

int eyoti_ctl_begin(struct fab *f, struct eyoti_ctl *c, struct eyoti_ctl_step *s) {
  EYOTI_ASSERT(s->n <= EYOTI_CTL_WORDS && (s->n == 0 || s->ops != NULL) &&
               (s->n < EYOTI_CTL_WORDS || s->tag == EYOTI_CTL_PLAIN) &&
               c->members.my_index < c->members.size);
  uint32_t rounds = rounds_of(c->members.size);
  if (__builtin_expect(c->where == EYOTI_CTL_UNKNOWN, 0)) {
    if (c->held != NULL) c->held->settle(c->held);
    EYOTI_TRY(find_where(f, c, rounds));
  }
  void *base = c->own;
  if (!is_mapped(f, c)) EYOTI_TRY(f->ops->seg_ptr(f, c->seg, f->me, 0, &base));
  s->block = (char *)base + c->off;
  s->round = 0;
  s->shape = shape_of(s) | (c->differ_at_end != NULL && !s->earlier ? SHAPE_LAST : 0);
  s->central = c->where == EYOTI_CTL_CENTRAL;
  s->nodes = c->nodes != NULL &&
             (c->by_nodes ? s->ask != EYOTI_CTL_DISSEMINATE : s->ask == EYOTI_CTL_BY_NODES);
  c->seq++;
  if (s->central) {
    int refused = eyoti_ctl_central_enter(f, c, s);
    if (refused != EYOT_OK) c->seq--;
    return refused;
  }
  if (rounds > 0 && is_observed(f)) step_of(f, c, FAB_EXCHANGE_ENTERS);
  int rc = EYOT_OK;
  if (s->nodes)
    rc = eyoti_ctl_nodes_begin(f, c, s);
  else if (rounds > 0)
    rc = ctl_send(f, c, rounds, s);
  if (rc != EYOT_OK) c->seq--; /* no member was notified */
  return rc;
}

/* One round: receives it, and sends the next. After an error the round can be received again: the
 * operators are idempotent. */
static inline int pass(struct fab *f, const struct eyoti_ctl *c, uint32_t rounds,
                       uint64_t timeout_ns, struct eyoti_ctl_step *s) {
  EYOTI_TRY(hear(f, c, rounds, timeout_ns, s));
  if (++s->round == rounds) {
    if (is_observed(f)) step_of(f, c, FAB_EXCHANGE_LEAVES);
    return EYOT_OK;
  }
  int rc = ctl_send(f, c, rounds, s);
  if (rc != EYOT_OK) s->round--;
  return rc;
}

static int advance_nodes(struct fab *f, const struct eyoti_ctl *c, uint64_t timeout_ns,
                         struct eyoti_ctl_step *s) {
  EYOTI_TRY(eyoti_ctl_nodes_advance(f, c, s, timeout_ns));
  if (is_observed(f)) step_of(f, c, FAB_EXCHANGE_LEAVES);
  return EYOT_OK;
}

int eyoti_ctl_advance(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s,
                      uint64_t timeout_ns) {
  uint32_t rounds = rounds_in(c, s);
  if (s->nodes) EYOTI_TRY(advance_nodes(f, c, timeout_ns, s));
  while (!s->nodes && s->round < rounds) EYOTI_TRY(pass(f, c, rounds, timeout_ns, s));
  return s->shape == SHAPE_MIXED ? eyoti_ctl_differ(f, c) : EYOT_OK;
}

int eyoti_ctl_pass(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s) {
  uint32_t rounds = rounds_in(c, s);
  EYOTI_ASSERT(!s->nodes && s->round < rounds);
  return pass(f, c, rounds, 0, s);
}

const uint64_t *eyoti_ctl_awaits(const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                                 struct fab_cond *cond) {
  if (s->nodes) return eyoti_ctl_nodes_awaits(c, s, cond);
  if (s->round >= rounds_in(c, s)) return NULL;
  uint64_t at = awaited_at(c, s);
  *cond = eyoti_ctl_cond(c, c->seg, c->off + at);
  return (const uint64_t *)(const void *)(s->block + at);
}

int eyoti_ctl_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                       uint32_t *which) {
  if (!is_observed(f)) return fab_wait_any(f, conds, n, timeout_ns, which);
  exchange_report(f, NULL, FAB_EXCHANGE_INSIDE);
  int rc = fab_wait_any(f, conds, n, timeout_ns, which);
  exchange_report(f, NULL, FAB_EXCHANGE_OUTSIDE);
  return rc;
}

/* Why the next exchanges are right: a member leaves exchange k with the number k, whether it has
 * begun it or not, and nothing that it sent in k is under way. The words of k + 1 are of the other
 * parity, so members that are still in k lose none, and k + 2 begins after all have entered k + 1,
 * thus after all have left k. (Of a member that had completed k, a message to one that left may
 * still be under way: it must not take longer than k + 1.) */
void eyoti_ctl_leave(struct fab *f, struct eyoti_ctl *c, bool entered) {
  if (!entered) c->seq++;
  (void)fab_flush_end(f, FAB_ALL, FAB_REMOTE);
}

/* A whole exchange on the quick path: the same as begin and advance, without the state that only
 * steps need. Inlined with a constant n for barriers, which copy nothing. An error (the fabric's
 * wait) leaves the exchange unfinished, as in advance. */
static inline __attribute__((always_inline)) int exchange_mapped(struct fab *f, struct eyoti_ctl *c,
                                                                 const enum eyoti_ctl_op *ops,
                                                                 uint64_t *words, uint32_t n,
                                                                 enum eyoti_ctl_tag tag) {
  const struct eyoti_ctl_step asked = {.ops = ops, .n = (uint16_t)n, .tag = (uint8_t)tag};
  uint32_t shape = shape_of(&asked), parity = (uint32_t)(++c->seq % PARITIES);
  for (uint32_t round = 0; round < c->rounds; round++) {
    char *there = c->mapped[round] + c->off;
    uint64_t *land = (uint64_t *)(void *)(there + land_at(c->rounds, round, parity)), flag;
    for (uint32_t i = 0; i < n; i++) land[i] = words[i];
    /* Pairs with the acquire loads of look_mapped and of the fabric's wait. */
    __atomic_store_n((uint64_t *)(void *)(there + flag_at(round, parity)),
                     c->seq << SHAPE_BITS | shape, __ATOMIC_RELEASE);
    if (!look_mapped(f, c, round, &flag))
      EYOTI_TRY(wait_for(f, c, c->seg, c->off + flag_at(round, parity), FAB_FOREVER, &flag));
    if ((flag & SHAPE_MIXED) != shape) shape = SHAPE_MIXED;
    const uint64_t *heard =
        (const uint64_t *)(const void *)(c->own + c->off + land_at(c->rounds, round, parity));
    for (uint32_t i = 0; i < n; i++) words[i] = eyoti_ctl_combine(ops[i], words[i], heard[i]);
  }
  return shape == SHAPE_MIXED ? eyoti_ctl_differ(f, c) : EYOT_OK;
}

static __attribute__((noinline)) int exchange_words_mapped(struct fab *f, struct eyoti_ctl *c,
                                                           const enum eyoti_ctl_op *ops,
                                                           uint64_t *words, uint32_t n) {
  return exchange_mapped(f, c, ops, words, n, EYOTI_CTL_PLAIN);
}

/* The exchanges of allocating and freeing. */
#define MAXIMA(n)                                                                                  \
  static __attribute__((noinline)) int exchange_##n##_maxima_mapped(                               \
      struct fab *f, struct eyoti_ctl *c, uint64_t *words) {                                       \
    const enum eyoti_ctl_op ops[4] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX, EYOTI_CTL_MAX, EYOTI_CTL_MAX}; \
    return exchange_mapped(f, c, ops, words, n, EYOTI_CTL_PLAIN);                                  \
  }
MAXIMA(2)
MAXIMA(4)

static int exchange_mapped_any(struct fab *f, struct eyoti_ctl *c, const enum eyoti_ctl_op *ops,
                               uint64_t *words, uint32_t n) {
  static const enum eyoti_ctl_op MAX[4] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX, EYOTI_CTL_MAX,
                                           EYOTI_CTL_MAX};
  if (n == 4 && memcmp(ops, MAX, sizeof MAX) == 0) return exchange_4_maxima_mapped(f, c, words);
  if (n == 2 && memcmp(ops, MAX, sizeof MAX / 2) == 0) return exchange_2_maxima_mapped(f, c, words);
  return exchange_words_mapped(f, c, ops, words, n);
}

int eyoti_ctl_exchange(struct fab *f, struct eyoti_ctl *c, const enum eyoti_ctl_op *ops,
                       uint64_t *words, uint32_t n) {
  EYOTI_ASSERT(n <= EYOTI_CTL_WORDS && (n == 0 || (ops != NULL && words != NULL)));
  if (f->note.what == NULL) f->note.what = __func__;
  if (is_mapped(f, c))
    return n == 0 ? exchange_mapped(f, c, NULL, NULL, 0, EYOTI_CTL_PLAIN)
                  : exchange_mapped_any(f, c, ops, words, n);
  struct eyoti_ctl_step s;
  s.ops = ops;
  s.n = (uint16_t)n;
  s.ask = EYOTI_CTL_ANY;
  s.tag = EYOTI_CTL_PLAIN;
  s.earlier = false;
  if (n > 0) memcpy(s.words, words, n * sizeof *words);
  EYOTI_TRY(eyoti_ctl_begin(f, c, &s));
  EYOTI_TRY(eyoti_ctl_advance(f, c, &s, FAB_FOREVER));
  if (n > 0) memcpy(words, s.words, n * sizeof *words);
  return EYOT_OK;
}

int eyoti_ctl_barrier_of(struct fab *f, struct eyoti_ctl *c, enum eyoti_ctl_tag tag) {
  if (f->note.what == NULL) f->note.what = __func__;
  if (is_mapped(f, c)) return exchange_mapped(f, c, NULL, NULL, 0, tag);
  struct eyoti_ctl_step s = {.ask = EYOTI_CTL_ANY, .tag = (uint8_t)tag};
  EYOTI_TRY(eyoti_ctl_begin(f, c, &s));
  return eyoti_ctl_advance(f, c, &s, FAB_FOREVER);
}

int eyoti_ctl_barrier_by(struct fab *f, struct eyoti_ctl *c, enum eyoti_ctl_ask ask) {
  if (c->nodes == NULL || ask == EYOTI_CTL_ANY) return eyoti_ctl_exchange(f, c, NULL, NULL, 0);
  struct eyoti_ctl_step s = {.ask = (uint8_t)ask};
  EYOTI_TRY(eyoti_ctl_begin(f, c, &s));
  return eyoti_ctl_advance(f, c, &s, FAB_FOREVER);
}
