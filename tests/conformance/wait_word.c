/* SPDX-License-Identifier: BSD-3-Clause */
/* wait_word.c - conformance: waits for words of every type, in segments and in attached memory,
 * that are ended by puts and by results; what such a wait makes visible; waits for some of
 * many. */
#include <string.h>

#include "conformance/conformance.h"

#define WORD (CONF_CTRL)
#define KEY (CONF_CTRL + 32u)
#define TURN (CONF_CTRL + 48u)
#define SOURCE (CONF_CTRL + 64u)
#define DATA (CONF_CTRL + 4096u)
#define LONG 200u
#define TYPES 4u
#define MANY 300u
#define MANY_AT (CONF_CTRL + 512u)

static struct fab_cond cond_of(fab_seg_t seg, uint64_t off, enum fab_word type, enum fab_cmp cmp,
                               uint64_t value) {
  return (struct fab_cond){.seg = seg, .cmp = cmp, .off = off, .value = value, .type = type};
}

/* -- types ------------------------------------------------------------------------------------- */

/* What the comparison says, by the C language's types. */
static bool expected(enum fab_word type, enum fab_cmp cmp, uint64_t word, uint64_t value) {
  int sign = 0; /* of word - value */
  switch (type) {
    case FAB_U64:
      sign = (word > value) - (word < value);
      break;
    case FAB_I64:
      sign = ((int64_t)word > (int64_t)value) - ((int64_t)word < (int64_t)value);
      break;
    case FAB_U32:
      sign = ((uint32_t)word > (uint32_t)value) - ((uint32_t)word < (uint32_t)value);
      break;
    case FAB_I32:
      sign = ((int32_t)word > (int32_t)value) - ((int32_t)word < (int32_t)value);
      break;
  }
  return cmp == FAB_EQ   ? sign == 0
         : cmp == FAB_NE ? sign != 0
         : cmp == FAB_LT ? sign < 0
         : cmp == FAB_LE ? sign <= 0
         : cmp == FAB_GT ? sign > 0
                         : sign >= 0;
}

static uint64_t value_of(enum fab_word type, uint64_t bits) {
  return type == FAB_U32   ? (uint32_t)bits
         : type == FAB_I32 ? (uint64_t)(int64_t)(int32_t)bits
                           : bits;
}

static int look(struct conf_ctx *c, const struct fab_cond *k, uint64_t bits) {
  uint64_t seen = 1234567;
  uint32_t index = 99;
  bool holds = expected(k->type, k->cmp, bits, k->value);
  int rc = fab_wait_word(c->f, k, 0, &seen);
  CONF_CHECK(c, rc == (holds ? 0 : EYOT_ETIMEOUT), "type %d: is %#llx (cmp %d) %#llx? got %s",
             (int)k->type, (unsigned long long)bits, (int)k->cmp, (unsigned long long)k->value,
             conf_code(rc));
  CONF_CHECK(c, seen == (holds ? value_of(k->type, bits) : 1234567),
             "type %d: the wait says that it saw %#llx in %#llx", (int)k->type,
             (unsigned long long)seen, (unsigned long long)bits);
  rc = fab_wait_any(c->f, k, 1, 0, &index);
  CONF_CHECK(c, rc == (holds ? 0 : EYOT_ETIMEOUT), "type %d: a list of one gave %s", (int)k->type,
             conf_code(rc));
  if (holds) CONF_TRY(c, fab_wait_word(c->f, k, FAB_FOREVER, NULL));
  return 0;
}

/* The words beside it have all bits set, or none: they are not looked at. */
static int types(struct conf_ctx *c) {
  static const uint64_t BITS[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0x1ull << 63, ~0ull};
  enum { N_BITS = sizeof BITS / sizeof *BITS };
  for (uint32_t i = 0; i < TYPES * N_BITS * 2; i++) {
    enum fab_word type = (enum fab_word)(i % TYPES);
    uint32_t bytes = fab_word_bytes(type);
    uint64_t bits = BITS[i / TYPES % N_BITS], off = WORD + (i / (TYPES * N_BITS)) * bytes;
    memset(c->mem + WORD, i % 3 == 0 ? 0xff : 0, 16);
    const struct fab_amo set = {.op = FAB_AMO_SWAP, .width = bytes, .operand = bits};
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
    CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, c->me, off), &set, NULL));
    for (uint32_t v = 0; v < N_BITS; v++)
      for (uint32_t cmp = FAB_EQ; cmp <= FAB_GE; cmp++) {
        const struct fab_cond k = cond_of(c->seg, off, type, (enum fab_cmp)cmp, BITS[v]);
        CONF_PASS(look(c, &k, bits));
      }
  }
  return 0;
}

static int misuse(struct conf_ctx *c) {
  const struct {
    struct fab_cond cond;
    int code;
  } BAD[] = {{{c->seg, FAB_GE, WORD + 2, 0, FAB_U32}, EYOT_EALIGN},
             {{c->seg, FAB_GE, WORD + 4, 0, FAB_I64}, EYOT_EALIGN},
             {{c->seg, FAB_GE, CONF_SEG_BYTES, 0, FAB_I32}, EYOT_ERANGE},
             {{c->seg, FAB_GE, WORD, 0, (enum fab_word)TYPES}, EYOT_EINVAL},
             {{c->seg, (enum fab_cmp)(FAB_GE + 1), WORD, 0, FAB_U32}, EYOT_EINVAL}};
  const struct fab_cond good = cond_of(c->seg, WORD, FAB_U64, FAB_GE, 0);
  uint32_t index = 99;
  conf_hush(c, true);
  for (uint32_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    const struct fab_cond conds[] = {good, BAD[i].cond};
    CONF_REFUSED(c, fab_wait_word(c->f, &BAD[i].cond, FAB_FOREVER, NULL), BAD[i].code);
    CONF_REFUSED(c, fab_wait_any(c->f, conds, 2, FAB_FOREVER, &index), BAD[i].code);
  }
  conf_hush(c, false);
  const struct fab_cond last = cond_of(c->seg, CONF_SEG_BYTES - 4, FAB_U32, FAB_GE, 0);
  CONF_TRY(c, fab_wait_word(c->f, &last, 0, NULL));
  return 0;
}

/* -- puts end waits ---------------------------------------------------------------------------- */

/* A put of `len` bytes, `at` bytes after (or before) the word, and the wait that it ends. */
struct shape {
  enum fab_word type;
  int32_t at;
  uint32_t len;
  uint32_t shift; /* the value of round r is r << shift */
};
static const struct shape SHAPES[] = {
    {FAB_U64, 0, 8, 0},   {FAB_I64, 0, 4, 0}, {FAB_U64, 4, 4, 32},  {FAB_U64, 7, 1, 56},
    {FAB_U32, 0, 4, 0},   {FAB_I32, 0, 8, 0}, {FAB_U32, -4, 8, 0},  {FAB_U64, -8, 24, 0},
    {FAB_U32, -4, 16, 0}, {FAB_I32, 0, 2, 0}, {FAB_I64, -3, 13, 0}, {FAB_U64, -600, 1200, 0}};
#define N_SHAPES (sizeof SHAPES / sizeof *SHAPES)
#define MIDDLE (DATA + 4096u)

/* Writes the value of a round at the partner's word, by a put of that shape: all other bytes are
 * 0. By a blocking put, or one that a flush completes. */
static int put_shape(struct conf_ctx *c, uint32_t to, const struct shape *s, uint64_t r,
                     uint64_t off) {
  unsigned char src[1200] = {0};
  uint64_t value = r << s->shift;
  for (uint32_t b = 0; b < fab_word_bytes(s->type); b++) {
    int64_t i = (int64_t)b - s->at;
    if (i >= 0 && i < s->len) src[i] = (unsigned char)(value >> 8 * b);
  }
  const struct fab_addr dst = conf_at(c, to, (uint64_t)((int64_t)off + s->at));
  if (r % 2 == 0) {
    CONF_TRY(c, fab_put_wait(c->f, dst, src, s->len));
  } else {
    CONF_TRY(c, fab_put(c->f, dst, src, s->len, NULL));
    CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE));
  }
  return 0;
}

static int put_ping_pong(struct conf_ctx *c, uint32_t partner, uint64_t turn) {
  for (uint32_t i = 0; i < N_SHAPES; i++) {
    const struct shape *s = &SHAPES[i];
    uint64_t off = MIDDLE + (s->at == -4 ? 4 : 0), rounds = c->o.rounds / 10 + 2;
    memset(c->mem + DATA, 0, 8192);
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
    CONF_PASS(conf_meet(c, partner, turn, i + 1));
    for (uint64_t r = 1; r <= rounds; r++) {
      const struct fab_cond k = cond_of(c->seg, off, s->type, FAB_EQ, r << s->shift);
      if (c->me > partner) CONF_PASS(put_shape(c, partner, s, r, off));
      if (r % 3 == 0) CONF_TRY(c, c->f->ops->compute(c->f, 2000));
      int rc = fab_wait_word(c->f, &k, c->o.timeout_ns, NULL);
      CONF_CHECK(c, rc == 0, "a put of %u bytes, %d after a word of type %d, round %llu: %s",
                 s->len, s->at, (int)s->type, (unsigned long long)r, conf_code(rc));
      if (c->me < partner) CONF_PASS(put_shape(c, partner, s, r, off));
    }
    CONF_PASS(conf_meet(c, partner, turn + 8, i + 1));
  }
  return 0;
}

static int puts_wake(struct conf_ctx *c) {
  for (uint32_t far = 0; far < 2; far++) {
    uint32_t partner = conf_partner(c, far != 0 ? conf_far(c) : 1);
    if (partner != UINT32_MAX) CONF_PASS(put_ping_pong(c, partner, TURN + 16ull * far));
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

/* The result of a get, or of an atomic, that lands in the unit's own memory ends its wait. */
static int results_wake(struct conf_ctx *c) {
  uint32_t from = conf_peer(c, 2);
  uint64_t *word = (uint64_t *)(void *)(c->mem + WORD);
  for (uint64_t r = 1; r <= c->o.rounds / 4 + 4; r++) {
    const struct fab_amo set = {.op = FAB_AMO_SWAP, .width = 8, .operand = r},
                         read = {.op = FAB_AMO_READ, .width = 8};
    CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, c->me, SOURCE), &set, NULL));
    CONF_PASS(conf_barrier(c));
    if (r % 2 == 0)
      CONF_TRY(c, fab_get(c->f, word, conf_at(c, from, SOURCE), 8, NULL));
    else
      CONF_TRY(c, fab_amo(c->f, conf_at(c, from, SOURCE), &read, word, NULL));
    const struct fab_cond k = cond_of(c->seg, WORD, FAB_I64, FAB_EQ, r);
    /* mpi completes them at the latest in a flush */
    int rc = fab_wait_word(c->f, &k, 1000000, NULL);
    CONF_TRY(c, fab_flush(c->f, from, FAB_REMOTE));
    CONF_CHECK(c, rc == 0 || (rc == EYOT_ETIMEOUT && (c->f->caps & FAB_CAP_VIRTUAL_TIME) == 0),
               "round %llu: waiting for a result gave %s", (unsigned long long)r, conf_code(rc));
    CONF_TRY(c, fab_wait_word(c->f, &k, c->o.timeout_ns, NULL));
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

/* -- what a put that ends a wait makes visible ------------------------------------------------- */

enum { BLOCKING = 0, FLUSHED, ORDERED, ORDERED_ALL, WAYS };

/* The bytes, what makes them visible before the flag, and the flag, by a put of `bytes`. Sources
 * lie in memory that outlives the case: a flush that does not wait leaves them in flight. */
static int send_message(struct conf_ctx *c, uint32_t to, uint32_t way, uint64_t flag_off,
                        uint32_t bytes, uint64_t r) {
  char *src = c->mem + DATA + 8192, *value = src + 256;
  const struct fab_addr data = conf_at(c, to, DATA + 1), flag = conf_at(c, to, flag_off);
  memset(src, (int)(r % 250 + 1), LONG);
  memcpy(value, &r, sizeof r);
  if (way == BLOCKING)
    CONF_TRY(c, fab_put_wait(c->f, data, src, LONG));
  else
    CONF_TRY(c, fab_put(c->f, data, src, LONG, NULL));
  if (way == FLUSHED) CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE));
  if (way == ORDERED) CONF_TRY(c, fab_order(c->f, to));
  if (way == ORDERED_ALL) CONF_TRY(c, fab_order(c->f, FAB_ALL));
  if (r % 2 == 0) {
    CONF_TRY(c, fab_put_wait(c->f, flag, value, bytes));
  } else {
    CONF_TRY(c, fab_put(c->f, flag, value, bytes, NULL));
  }
  CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE)); /* the next round writes the sources */
  return 0;
}

static int flag_message(struct conf_ctx *c) {
  uint64_t sent = 0, rounds = c->o.rounds / 8 + 2;
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    for (uint64_t i = 0; i < rounds * WAYS; i++) {
      uint64_t r = ++sent;
      uint32_t to = conf_peer(c, k), bytes = i / WAYS % 2 == 0 ? 8 : 4;
      /* of 4 bytes in either half; 8-byte flags elsewhere, so that widths are not mixed */
      uint64_t at = bytes == 8 ? WORD : WORD + 8 + 4 * (i / WAYS / 2 % 2);
      const struct fab_cond flag = cond_of(c->seg, at, bytes == 8 ? FAB_U64 : FAB_I32, FAB_EQ, r);
      CONF_PASS(send_message(c, to, (uint32_t)(i % WAYS), at, bytes, r));
      CONF_TRY(c, fab_wait_word(c->f, &flag, c->o.timeout_ns, NULL));
      for (uint32_t b = 0; b < LONG; b++)
        CONF_CHECK(c, (unsigned char)c->mem[DATA + 1 + b] == r % 250 + 1,
                   "round %llu: a put of %u bytes ended the wait, byte %u that came before it "
                   "(way %llu) is not there",
                   (unsigned long long)r, bytes, b, (unsigned long long)(i % WAYS));
      CONF_PASS(conf_barrier(c));
    }
  return 0;
}

/* The unit that sees the flag tells a third one, which reads the bytes at the first. */
static int flag_chain(struct conf_ctx *c) {
  uint32_t writer = 0, reader = 1, third = 2;
  for (uint64_t r = 1; r <= c->o.rounds / 2 + 2; r++) {
    const struct fab_cond flag = cond_of(c->seg, WORD, FAB_I64, FAB_EQ, r);
    uint64_t got = 0;
    if (c->me == writer) {
      CONF_TRY(c, fab_put_wait(c->f, conf_at(c, reader, SOURCE), &r, 8));
      CONF_TRY(c, fab_put_wait(c->f, conf_at(c, reader, WORD), &r, 8));
    } else if (c->me == reader) {
      CONF_TRY(c, fab_wait_word(c->f, &flag, c->o.timeout_ns, NULL));
      CONF_TRY(c, fab_put_wait(c->f, conf_at(c, third, WORD), &r, 8));
    } else if (c->me == third) {
      CONF_TRY(c, fab_wait_word(c->f, &flag, c->o.timeout_ns, NULL));
      CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, reader, SOURCE), 8));
      CONF_CHECK(c, got == r, "round %llu: after two flags the bytes say %llu",
                 (unsigned long long)r, (unsigned long long)got);
    }
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

/* -- attached memory --------------------------------------------------------------------------- */

static int attached_turn(struct conf_ctx *c, uint32_t to, uint64_t key, uint32_t way, uint64_t r) {
  const struct fab_addr at = fab_at(to, FAB_SEG_ATTACHED, key + 8ull * way);
  const struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = r};
  const struct fab_amo set = {.op = FAB_AMO_SWAP, .width = way == 2 ? 4 : 8, .operand = r};
  if (way == 0) CONF_TRY(c, fab_put_signal_wait(c->f, at, NULL, 0, &sig));
  if (way == 1 || way == 2) CONF_TRY(c, fab_amo_wait(c->f, at, &set, NULL));
  if (way == 3) CONF_TRY(c, fab_put_wait(c->f, at, &r, 8));
  if (way == 4) CONF_TRY(c, fab_put_wait(c->f, fab_at(to, at.seg, at.off + 4), &r, 4));
  return 0;
}

/* Ping-pong over words of attached memory: each is changed by one kind of operation. */
static int attached_words(struct conf_ctx *c) {
  enum { N = 5 };
  static const enum fab_word TYPE[N] = {FAB_U64, FAB_I64, FAB_U32, FAB_U64, FAB_I32};
  _Alignas(64) uint64_t mem[N] = {0};
  uint32_t partner = conf_partner(c, conf_far(c));
  uint64_t key, theirs;
  CONF_TRY(c, c->f->ops->attach(c->f, mem, sizeof mem, &key));
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, c->me, KEY), &key, 8));
  CONF_PASS(conf_barrier(c));
  if (partner != UINT32_MAX) {
    CONF_TRY(c, fab_get_wait(c->f, &theirs, conf_at(c, partner, KEY), 8));
    for (uint64_t r = 1; r <= c->o.rounds / 8 + 2; r++)
      for (uint32_t way = 0; way < N; way++) {
        const struct fab_cond k =
            cond_of(FAB_SEG_ATTACHED, key + 8ull * way + (way == 4 ? 4 : 0), TYPE[way], FAB_EQ, r);
        uint32_t index = 99;
        if (c->me > partner) CONF_PASS(attached_turn(c, partner, theirs, way, r));
        int rc = r % 2 == 0 ? fab_wait_word(c->f, &k, c->o.timeout_ns, NULL)
                            : fab_wait_any(c->f, &k, 1, c->o.timeout_ns, &index);
        CONF_CHECK(c, rc == 0, "waiting for attached word %u, round %llu, gave %s", way,
                   (unsigned long long)r, conf_code(rc));
        if (c->me < partner) CONF_PASS(attached_turn(c, partner, theirs, way, r));
      }
  }
  CONF_PASS(conf_barrier(c));
  conf_hush(c, true);
  const struct fab_cond odd = cond_of(FAB_SEG_ATTACHED, key + 2, FAB_U32, FAB_GE, 0),
                        beyond = cond_of(FAB_SEG_ATTACHED, key + sizeof mem, FAB_U32, FAB_GE, 0);
  CONF_REFUSED(c, fab_wait_word(c->f, &odd, 0, NULL), EYOT_EALIGN);
  CONF_REFUSED(c, fab_wait_word(c->f, &beyond, 0, NULL), EYOT_ERANGE);
  CONF_TRY(c, c->f->ops->detach(c->f, key));
  const struct fab_cond gone = cond_of(FAB_SEG_ATTACHED, key, FAB_U32, FAB_GE, 0);
  CONF_REFUSED(c, fab_wait_word(c->f, &gone, 0, NULL), EYOT_ERANGE);
  conf_hush(c, false);
  return 0;
}

/* -- some of many ------------------------------------------------------------------------------ */

/* Of many words of all types those that are 1: all of them, or as many as there is room for. The
 * order of the list is not that of the addresses. */
static int some(struct conf_ctx *c) {
  struct fab_cond conds[MANY];
  uint32_t index[MANY], room, held, n = 0;
  for (uint32_t i = 0; i < MANY; i++)
    conds[i] =
        cond_of(c->seg, MANY_AT + 8ull * (i * 7 % MANY), (enum fab_word)(i % TYPES), FAB_EQ, 1);
  for (uint32_t r = 0; r < 8; r++) {
    for (uint32_t i = n = 0; i < MANY; i++) {
      uint64_t one = conf_random(c) % 4 == 0 || (i == 123 && n == 0);
      memcpy(c->mem + conds[i].off, &one, 8);
      n += one != 0;
    }
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
    room = r % 2 == 0 ? MANY : n / 2 + 1;
    held = room;
    memset(index, 0xff, sizeof index);
    CONF_TRY(c, fab_wait_some(c->f, conds, MANY, r % 3 == 0 ? 0 : FAB_FOREVER, index, &held));
    CONF_CHECK(c, held == (n < room ? n : room), "%u of %u words were said to hold, room for %u",
               held, n, room);
    for (uint32_t k = 0; k < held; k++) {
      CONF_CHECK(c, index[k] < MANY && (k == 0 || index[k] > index[k - 1]),
                 "index %u comes after %u", index[k], k > 0 ? index[k - 1] : 0);
      CONF_CHECK(c, conf_load(c, conds[index[k]].off) == 1, "word %u does not hold", index[k]);
    }
    CONF_CHECK(c, held == MANY || index[held] == UINT32_MAX, "more was written than held");
  }
  return 0;
}

/* Each unit waits for many words of its own, and one after the other is put, from the last on. */
static int many_wake(struct conf_ctx *c) {
  struct fab_cond conds[MANY];
  uint32_t to = conf_peer(c, 1), n = MANY, index = 0;
  const uint64_t one = 1;
  for (uint32_t i = 0; i < MANY; i++)
    conds[i] = cond_of(c->seg, MANY_AT + 8ull * (i * 7 % MANY), FAB_I32, FAB_NE, 0);
  CONF_PASS(conf_barrier(c));
  for (uint32_t r = 0; r < 12; r++) {
    uint32_t i = MANY - 1 - r * 23;
    const struct fab_addr at = conf_at(c, to, conds[i].off);
    bool first = c->me % 2 == 0; /* the others wait before they put */
    if (first) CONF_TRY(c, fab_put_wait(c->f, at, &one, r % 2 == 0 ? 8 : 4));
    CONF_TRY(c, fab_wait_any(c->f, conds, n, c->o.timeout_ns, &index));
    CONF_CHECK(c, index == i, "woken by word %u, expected %u", index, i);
    if (!first) CONF_TRY(c, fab_put_wait(c->f, at, &one, r % 2 == 0 ? 8 : 4));
    n = i;
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

const struct conf_case conf_cases_wait_word[] = {
    {"wait_compares_words_by_type", 1, types},
    {"wait_word_misuse_is_refused", 1, misuse},
    {"wait_ends_by_puts_that_cover_the_word", 2, puts_wake},
    {"wait_ends_by_results_that_land", 1, results_wake},
    {"wait_ended_by_a_put_shows_the_data", 1, flag_message},
    {"wait_ended_by_a_put_passes_visibility_on", 3, flag_chain},
    {"wait_for_attached_words", 2, attached_words},
    {"wait_some_returns_all_that_hold", 1, some},
    {"wait_any_of_many_words_wakes", 1, many_wake},
    {NULL, 0, NULL},
};
