/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_run.c - carries out neighbourhood collectives: messages, credits, differing calls.
 *
 * On each edge a call sends its block in pieces of a slot, at least one message. Message m (0, 1,
 * ...) of an edge takes slot m mod EYOTI_EDGE_SLOTS, in turn m / EYOTI_EDGE_SLOTS + 1 of it. It is
 * a put with signal into the slot; the signal sets the slot's word to turn, whether it is the
 * call's last message, and the hash of what both ends must agree on. */

/* Long blocks, where the fabric has messages to private memory (fab_ops.send): one message an edge,
 * without bytes, of a hash with LONG_BIT. The receiver expects the block when its call begins, and
 * allows it by a word that has the message's number and the hash; the sender sends it when it sees
 * that. One who sees another hash sends nothing, and the receiver, who learns of that from the
 * message, drops what it expects; of a long block that it does not expect it says so. So each
 * message with LONG_BIT has one answer, and nobody waits for a block that is not sent. All messages
 * of a call are taken before it waits for long blocks, so these hold up nobody's messages.
 *
 * Messages (fab_ops.message) are complete where they are sent; neighbor_make.c ends the graph. */

/* Words. turn << 24 | last << 23 | hash: they only grow, and a message is there when the word is at
 * least turn << 24. The receiver reads messages of a call until the last one, whatever it expects
 * itself: so calls that differ, in bytes too, stay together message by message, nobody waits for
 * one that does not come, and the next call works. A member whose arguments were refused takes part
 * with one message an edge, of hash 0, and drops what comes.
 *
 * Credits. A message may be sent when the one that had its slot before is used up (copied out).
 * The receiver says so by a signal that sets the slot's credit word to the turn. That signal is
 * saved where both are neighbours of each other and the message is the only one of its call: calls
 * of a graph go on one after the other, so the first message of call n from the peer says that it
 * has used up all messages of calls before n. What a member knows without signals in call n: before
 * that message, all of the calls before n - 1 (it has ended n - 1, so it has the peer's message of
 * that); after it, all of the calls before n. A signal that was not saved is awaited all the same
 * before its slot is used again, so that a word has one on its way at most: of two, the earlier one
 * might come last, and the word would stay at its turn.
 *
 * Why it does not stand still. Sends and receives go on beside each other, each piece by piece and
 * within a piece edge by edge. Take members that all wait, of these the ones in the earliest call
 * n, and of their positions the earliest piece k. A send at k waits for the credit of an earlier
 * piece, or of an earlier call. Earlier pieces of n are received everywhere, as no receive is
 * before k, and their calls have several messages, so signals are on their way. Of an earlier call
 * the receiver, which is in n or later, has used up all; if no signal says so, the peer's first
 * message in n does, and that has come if k > 0. If k = 0 the slot's message before is EDGE_SLOTS
 * >= 2 older: either of a call before n - 1, or of a call of several messages. A receive at k waits
 * for a sender in n, at k, which does not wait. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "coll/neighbor.h"
#include "rt/observe.h"

#define TURN_SHIFT 24u
#define LAST_BIT (UINT64_C(1) << 23)
#define HASH_MASK (LAST_BIT - 1)
#define HASH_REFUSED 0u
/* Of a hash, where the fabric has messages to private memory: the block is long. */
#define LONG_BIT UINT64_C(1)
#define LONG_MOST (UINT64_C(1) << 30) /* bytes; longer ones take slots */
#define ALLOW_SHIFT 23u               /* of the word that allows a long block: message + 1, hash */
#define MESSAGES_MOST (UINT64_C(1) << 42)
_Static_assert(EYOTI_EDGE_SLOTS >= 2, "the first message of a call needs no message of the same");

static uint32_t slot_of(uint64_t message) {
  return (uint32_t)(message % EYOTI_EDGE_SLOTS);
}
static uint64_t turn_of(uint64_t message) {
  return message / EYOTI_EDGE_SLOTS + 1;
}

static uint64_t block_len(const struct eyoti_graph_blocks *b, uint32_t block) {
  return b->bytes != NULL ? b->bytes[block] : b->len;
}
static char *block_at(const struct eyoti_graph_blocks *b, uint32_t block) {
  return b->base + (b->at != NULL ? b->at[block] : block * b->stride);
}
/* Whether a block lands where it belongs, without slots. */
static bool is_long(const struct eyoti_exchange *x, uint64_t len) {
  return x->g->rt->fab->ops->send != NULL && len > EYOTI_SLOT_BYTES && len <= LONG_MOST;
}
/* Messages of a block, by the slots of its edge. */
static uint64_t pieces_of(const struct eyoti_exchange *x, uint64_t len, uint32_t slot_bytes) {
  return len == 0 || is_long(x, len) ? 1 : (len - 1) / slot_bytes + 1;
}
static uint64_t piece_len(uint64_t len, uint64_t piece, uint32_t slot_bytes) {
  uint64_t at = piece * slot_bytes;
  return at >= len ? 0 : len - at < slot_bytes ? len - at : slot_bytes;
}

static uint64_t hash_of(const struct eyoti_exchange *x, uint64_t len) {
  uint64_t h = eyoti_hash_mix(eyoti_hash_mix(0, (uint64_t)x->function), len);
  h = (h ^ h >> 23 ^ h >> 46) & HASH_MASK;
  if (x->g->rt->fab->ops->send != NULL) h = (h & ~LONG_BIT) | (is_long(x, len) ? LONG_BIT : 2);
  return h != HASH_REFUSED ? h : 1;
}

/* -- waiting ----------------------------------------------------------------------------------- */

static uint64_t *word_at(const struct eyoti_graph *g, uint64_t off) {
  return (uint64_t *)(void *)(g->base + off);
}
static struct fab_cond cond_of(const struct eyoti_graph *g, uint64_t off, uint64_t value) {
  return (struct fab_cond){
      .seg = g->own.seg, .cmp = FAB_GE, .off = g->own.off + off, .value = value, .type = FAB_U64};
}

static uint64_t word_off(const struct eyoti_graph *g, uint32_t edge, uint64_t message) {
  return eyoti_graph_word(g, edge, slot_of(message));
}
static uint64_t credit_off(const struct eyoti_graph *g, uint32_t edge, uint64_t message) {
  return eyoti_graph_credit(g, edge, slot_of(message));
}

/* Of long blocks: the count of the message whose block is there, and what the receiver allows. */
static uint64_t landed_off(const struct eyoti_graph *g, uint32_t edge) {
  return eyoti_graph_word(g, edge, EYOTI_EDGE_LONG);
}
static uint64_t allowed_off(const struct eyoti_graph *g, uint32_t edge) {
  return eyoti_graph_credit(g, edge, EYOTI_EDGE_LONG);
}

/* What the call waits for: the next message if one is to come, first, else a long block; and the
 * credit of the next send if there is one, else leave to send a long block. */
static uint32_t awaits(const struct eyoti_exchange *x, struct fab_cond cond[EYOTI_WATCH_CONDS],
                       const uint64_t *word[EYOTI_WATCH_CONDS]) {
  const struct eyoti_graph *g = x->g;
  uint32_t n = 0;
  if (!x->begun) return 0;
  if (x->left_in > 0) {
    uint64_t m = g->in[x->edge_in].got, off = word_off(g, x->edge_in, m);
    cond[n] = cond_of(g, off, turn_of(m) << TURN_SHIFT);
    word[n++] = word_at(g, off);
  } else if (x->landing > 0) {
    uint32_t i = 0;
    while (!g->in[i].expects) i++;
    cond[n] = cond_of(g, landed_off(g, i), g->in[i].got);
    word[n++] = word_at(g, landed_off(g, i));
  }
  if (x->more_out) {
    uint64_t m = g->out[x->edge_out].sent, off = credit_off(g, x->edge_out, m);
    cond[n] = cond_of(g, off, turn_of(m) - 1);
    word[n++] = word_at(g, off);
  } else if (x->asking > 0) {
    uint32_t i = 0;
    while (!g->out[i].asks) i++;
    cond[n] = cond_of(g, allowed_off(g, i), g->out[i].sent << ALLOW_SHIFT);
    word[n++] = word_at(g, allowed_off(g, i));
  }
  return n;
}

/* Waits for one of the words, or looks; *which: its index. ETIMEOUT: none is there. */
static int await(struct fab *f, const struct fab_cond *cond, const uint64_t *const *word,
                 uint32_t n, bool wait, uint32_t *which) {
  for (uint32_t spins = 0; f->cpu_atomics; spins++) {
    for (*which = 0; *which < n; ++*which) /* pairs with the sender's signal */
      if (__atomic_load_n(word[*which], __ATOMIC_ACQUIRE) >= cond[*which].value) return EYOT_OK;
    if (!wait || spins >= f->spin_limit) break;
    fab_relax();
  }
  if (wait) return fab_wait_any(f, cond, n, FAB_FOREVER, which);
  for (uint32_t i = 0; i < n; i++) /* hints: the fabric's look acquires */
    if (__atomic_load_n(word[i], __ATOMIC_RELAXED) >= cond[i].value)
      return fab_wait_any(f, cond, n, 0, which);
  return EYOT_ETIMEOUT;
}

/* -- sending ----------------------------------------------------------------------------------- */

/* Whether the receiver tells that a message of the edge is used up; single: it is the only one of
 * its call. */
static bool is_told(bool back, bool single) {
  return !back || !single;
}

/* Whether the slot of the edge's next message is free, by what the caller knows without a look. */
static bool slot_known_free(const struct eyoti_graph *g, const struct eyoti_edge_out *e) {
  if (e->sent < EYOTI_EDGE_SLOTS) return true;
  if ((e->told >> slot_of(e->sent) & 1u) != 0) return false;
  const struct eyoti_edge_in *b = &g->in[e->back];
  return e->sent - EYOTI_EDGE_SLOTS < (b->got > b->begin ? e->begin : e->before);
}

/* ETIMEOUT: it is not free yet. */
static int slot_free(const struct eyoti_exchange *x) {
  const struct eyoti_graph *g = x->g;
  const struct eyoti_edge_out *e = &g->out[x->edge_out];
  if (slot_known_free(g, e)) return EYOT_OK;
  uint64_t off = credit_off(g, x->edge_out, e->sent);
  struct fab_cond cond = cond_of(g, off, turn_of(e->sent) - 1);
  const uint64_t *word = word_at(g, off);
  uint32_t which;
  return await(g->rt->fab, &cond, &word, 1, false, &which);
}

static int release(struct eyoti_graph *g, struct eyoti_edge_out *e, uint32_t slot) {
  fab_req_t req = e->req[slot];
  e->req[slot] = 0;
  return req == 0 ? EYOT_OK : fab_req_release(g->rt->fab, e->words.unit, req);
}

static int send_piece(struct eyoti_exchange *x, struct eyoti_edge_out *e, bool last) {
  struct eyoti_graph *g = x->g;
  uint32_t slot = slot_of(e->sent);
  uint64_t len = x->refused != EYOT_OK ? 0 : block_len(&x->from, e->block);
  uint64_t bytes = is_long(x, len) ? 0 : piece_len(len, x->piece_out, e->slot_bytes);
  uint64_t hash = x->refused != EYOT_OK ? HASH_REFUSED : hash_of(x, len);
  const char *from =
      bytes == 0 ? NULL : block_at(&x->from, e->block) + (uint64_t)x->piece_out * e->slot_bytes;
  struct fab_sig sig = {.at = fab_at(e->words.unit, e->words.seg, e->words.off + slot * 8u),
                        .op = FAB_SIG_SET,
                        .value = turn_of(e->sent) << TURN_SHIFT | (last ? LAST_BIT : 0) | hash};
  struct fab_addr to =
      fab_at(e->slots.unit, e->slots.seg, e->slots.off + (uint64_t)slot * e->slot_bytes);
  EYOTI_TRY(release(g, e, slot));
  EYOTI_TRY(fab_message(g->rt->fab, to, from, bytes, &sig, NULL, bytes > 0 ? &e->req[slot] : NULL));
  bool told = is_told(e->back != EYOTI_EDGE_NONE, x->piece_out == 0 && last);
  e->told = (uint8_t)((e->told & ~(1u << slot)) | (unsigned)told << slot);
  e->sent++;
  e->asks = is_long(x, len);
  if (e->asks) x->asking++;
  return EYOT_OK;
}

/* Moves on to the next edge that has such a piece. */
static void next_out(struct eyoti_exchange *x, uint32_t edge) {
  const struct eyoti_graph *g = x->g;
  for (uint32_t round = 0; round < 2; round++) {
    for (; edge < g->n_out; edge++) {
      uint64_t len = x->refused != EYOT_OK ? 0 : block_len(&x->from, g->out[edge].block);
      if (x->piece_out >= pieces_of(x, len, g->out[edge].slot_bytes)) continue;
      x->edge_out = edge;
      return;
    }
    x->piece_out++;
    edge = 0;
  }
  x->more_out = false;
}

/* Sends what may be sent. */
static int send_on(struct eyoti_exchange *x) {
  while (x->more_out) {
    struct eyoti_edge_out *e = &x->g->out[x->edge_out];
    int rc = slot_free(x);
    if (rc == EYOT_ETIMEOUT) return EYOT_OK;
    if (rc != EYOT_OK) return rc;
    uint64_t len = x->refused != EYOT_OK ? 0 : block_len(&x->from, e->block);
    EYOTI_TRY(send_piece(x, e, x->piece_out + 1 == pieces_of(x, len, e->slot_bytes)));
    next_out(x, x->edge_out + 1);
  }
  return EYOT_OK;
}

/* -- long blocks ------------------------------------------------------------------------------- */

/* Expects the block of the edge's next message, or drops it (dst NULL). */
static int expect(const struct eyoti_exchange *x, uint32_t edge, void *dst, uint64_t len) {
  const struct eyoti_graph *g = x->g;
  struct fab *f = g->rt->fab;
  uint64_t off = g->own.off + landed_off(g, edge);
  struct fab_sig sig = {
      .at = fab_at(g->own.unit, g->own.seg, off), .op = FAB_SIG_SET, .value = g->in[edge].got + 1};
  return f->ops->expect(f, g->in[edge].credits.unit, &sig, dst, len, NULL);
}

/* hash: of the block that the caller expects; HASH_REFUSED: it takes none. */
static int allow(const struct eyoti_exchange *x, const struct eyoti_edge_in *e, uint64_t hash) {
  struct fab_addr at = e->credits;
  at.off += EYOTI_EDGE_LONG * 8u;
  struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = (e->got + 1) << ALLOW_SHIFT | hash};
  return fab_message(x->g->rt->fab, at, NULL, 0, &sig, NULL, NULL);
}

/* At the begin of a call: all long blocks that it expects. */
static int expect_all(struct eyoti_exchange *x) {
  struct eyoti_graph *g = x->g;
  for (uint32_t i = 0; i < g->n_in; i++) {
    struct eyoti_edge_in *e = &g->in[i];
    uint64_t len = x->refused != EYOT_OK ? 0 : block_len(&x->to, e->block);
    e->expects = is_long(x, len);
    if (!e->expects) continue;
    EYOTI_TRY(expect(x, i, block_at(&x->to, e->block), len));
    EYOTI_TRY(allow(x, e, hash_of(x, len)));
  }
  return EYOT_OK;
}

/* The message of a call has come that has a long block, or is to have one. */
static int take_long(struct eyoti_exchange *x, struct eyoti_edge_in *e, uint64_t hash, bool right) {
  if (e->expects && right) {
    x->landing++;
    return EYOT_OK;
  }
  bool expected = e->expects;
  e->expects = false;
  if (expected) return expect(x, x->edge_in, NULL, 0); /* the sender sees another hash */
  return hash != HASH_REFUSED && (hash & LONG_BIT) != 0 ? allow(x, e, HASH_REFUSED) : EYOT_OK;
}

/* Sends those that receivers allow. */
static int ask_on(struct eyoti_exchange *x) {
  struct eyoti_graph *g = x->g;
  struct fab *f = g->rt->fab;
  for (uint32_t i = 0; i < g->n_out && x->asking > 0; i++) {
    struct eyoti_edge_out *e = &g->out[i];
    uint64_t said = e->asks ? eyoti_load_own(word_at(g, allowed_off(g, i))) : 0;
    if (!e->asks || said >> ALLOW_SHIFT < e->sent) continue;
    uint64_t len = block_len(&x->from, e->block);
    struct fab_addr at = e->words;
    at.off += EYOTI_EDGE_LONG * 8u;
    struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = e->sent};
    e->asks = false;
    x->asking--;
    if ((said & HASH_MASK) != hash_of(x, len)) continue; /* the receiver reports it */
    EYOTI_TRY(
        f->ops->send(f, &sig, block_at(&x->from, e->block), len, &e->req[slot_of(e->sent - 1)]));
  }
  return EYOT_OK;
}

static void land_on(struct eyoti_exchange *x) {
  struct eyoti_graph *g = x->g;
  for (uint32_t i = 0; i < g->n_in && x->landing > 0 && x->left_in == 0; i++) {
    if (!g->in[i].expects || eyoti_load_own(word_at(g, landed_off(g, i))) < g->in[i].got) continue;
    g->in[i].expects = false;
    x->landing--;
  }
}

/* -- receiving --------------------------------------------------------------------------------- */

static void differs(struct eyoti_exchange *x, const struct eyoti_edge_in *e, uint64_t hash) {
  const struct eyoti_graph *g = x->g;
  if (x->rc != EYOT_OK || x->refused != EYOT_OK) return;
  if (hash == HASH_REFUSED)
    x->rc = EYOTI_FAIL(EYOT_EMISMATCH,
                       "edge %u -> %u of %s: the sender's arguments were refused, see its log",
                       e->member, g->t->me, EYOTI_TEAM_WORDS(g->t));
  else
    x->rc = EYOTI_FAIL(EYOT_EMISMATCH,
                       "edge %u -> %u of %s: the receiver called %s with %" PRIu64
                       " bytes from there, the sender another function or with other bytes",
                       e->member, g->t->me, EYOTI_TEAM_WORDS(g->t), eyoti_coll_name(x->function),
                       block_len(&x->to, e->block));
}

/* Tells the sender that the message is used up, unless it will know. */
static int give_back(struct eyoti_graph *g, const struct eyoti_edge_in *e, bool single) {
  if (!is_told(e->back, single)) return EYOT_OK;
  struct fab_addr at =
      fab_at(e->credits.unit, e->credits.seg, e->credits.off + slot_of(e->got) * 8u);
  struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = turn_of(e->got)};
  return fab_message(g->rt->fab, at, NULL, 0, &sig, NULL, NULL);
}

/* Uses up the next message of the edge, which is there. */
static int take(struct eyoti_exchange *x) {
  struct eyoti_graph *g = x->g;
  struct eyoti_edge_in *e = &g->in[x->edge_in];
  uint64_t value = eyoti_load_own(word_at(g, word_off(g, x->edge_in, e->got)));
  uint64_t piece = e->got - e->begin, hash = value & HASH_MASK;
  uint64_t len = x->refused != EYOT_OK ? 0 : block_len(&x->to, e->block);
  uint32_t slot_bytes = eyoti_slot_bytes(g->wide);
  bool last = (value & LAST_BIT) != 0;
  EYOTI_ASSERT(value >> TURN_SHIFT == turn_of(e->got));
  bool right = hash == hash_of(x, len) && last == (piece + 1 == pieces_of(x, len, slot_bytes));
  if (!right) differs(x, e, hash);
  if (piece == 0 && g->rt->fab->ops->send != NULL) EYOTI_TRY(take_long(x, e, hash, right));
  uint64_t bytes = x->rc == EYOT_OK && !is_long(x, len) ? piece_len(len, piece, slot_bytes) : 0;
  if (bytes > 0)
    memcpy(block_at(&x->to, e->block) + piece * slot_bytes,
           g->base + g->slots_off +
               ((uint64_t)x->edge_in * EYOTI_EDGE_SLOTS + slot_of(e->got)) * slot_bytes,
           bytes);
  EYOTI_TRY(give_back(g, e, piece == 0 && last));
  e->got++;
  e->done = last;
  if (last) x->left_in--;
  while (x->left_in > 0) { /* the next edge with messages to come */
    x->edge_in = x->edge_in + 1 < g->n_in ? x->edge_in + 1 : 0;
    if (!g->in[x->edge_in].done) break;
  }
  return EYOT_OK;
}

/* -- a call ------------------------------------------------------------------------------------ */

static int exchange_begin(struct eyoti_exchange *x) {
  struct eyoti_graph *g = x->g;
  x->begun = true;
  x->rc = EYOT_OK;
  x->piece_out = x->edge_out = x->edge_in = 0;
  x->more_out = g->n_out > 0;
  x->left_in = g->n_in;
  x->asking = x->landing = 0;
  for (uint32_t i = 0; i < g->n_out; i++) {
    struct eyoti_edge_out *e = &g->out[i];
    uint64_t len = x->refused != EYOT_OK ? 0 : block_len(&x->from, e->block);
    e->before = e->begin;
    e->begin = e->sent;
    if (e->sent + pieces_of(x, len, e->slot_bytes) <= MESSAGES_MOST) continue;
    return EYOTI_FAIL(EYOT_ERANGE,
                      "edge %u -> %u has carried %" PRIu64 " messages, its most: make a new graph",
                      g->t->me, e->member, e->sent);
  }
  for (uint32_t i = 0; i < g->n_in; i++) {
    g->in[i].begin = g->in[i].got;
    g->in[i].done = false;
  }
  return expect_all(x);
}

static int exchange_steps(struct eyoti_exchange *x, bool wait) {
  struct fab_cond cond[EYOTI_WATCH_CONDS];
  const uint64_t *word[EYOTI_WATCH_CONDS];
  if (!x->begun) EYOTI_TRY(exchange_begin(x));
  for (;;) {
    uint32_t which, n;
    EYOTI_TRY(send_on(x));
    if (x->asking > 0) EYOTI_TRY(ask_on(x));
    if (x->landing > 0) land_on(x);
    if ((n = awaits(x, cond, word)) == 0) return EYOT_OK;
    EYOTI_TRY(await(x->g->rt->fab, cond, word, n, wait, &which));
    if (which == 0 && x->left_in > 0) EYOTI_TRY(take(x));
  }
}

/* The puts from the caller's buffer are locally complete, and messages that a fabric holds back
 * until the unit waits are on their way. */
static int exchange_end(struct eyoti_exchange *x, int first) {
  struct eyoti_graph *g = x->g;
  struct fab *f = g->rt->fab;
  for (uint32_t i = 0; i < g->n_out; i++)
    for (uint32_t slot = 0; slot < EYOTI_EDGE_SLOTS; slot++) {
      int rc = release(g, &g->out[i], slot);
      if (first == EYOT_OK) first = rc;
    }
  if ((f->caps & FAB_CAP_VIRTUAL_TIME) == 0 && f->local.n < f->n) {
    int rc = f->ops->progress(f);
    if (first == EYOT_OK) first = rc;
  }
  x->begun = false;
  return first;
}

static int exchange_go(struct eyoti_line *l, struct eyoti_work *w, bool wait) {
  struct eyoti_exchange *x = (struct eyoti_exchange *)(void *)w;
  struct eyoti_graph *g = (struct eyoti_graph *)(void *)l;
  if (g->broken)
    return EYOTI_FAIL(EYOT_ESTATE, "an earlier call on the graph has failed half-way: destroy it");
  int rc = exchange_steps(x, wait);
  if (rc == EYOT_ETIMEOUT && !wait) return rc;
  rc = exchange_end(x, rc);
  g->broken = rc != EYOT_OK;
  if (rc != EYOT_OK) return rc;
  return x->refused != EYOT_OK ? x->refused : x->rc;
}

static uint32_t exchange_awaits(const struct eyoti_work *w, struct fab_cond cond[EYOTI_WATCH_CONDS],
                                const uint64_t *word[EYOTI_WATCH_CONDS]) {
  return awaits((const struct eyoti_exchange *)(const void *)w, cond, word);
}

const struct eyoti_line_ops eyoti_exchange_ops = {exchange_go, exchange_awaits};

void eyoti_exchange_start(struct eyoti_exchange *x) {
  x->begun = false;
  eyoti_line_add(&x->g->line, &x->other.work);
}
