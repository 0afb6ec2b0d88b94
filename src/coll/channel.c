/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.c - implements channel.h: layout of the boards, numbers, and their safe reuse. */

/* Layout of the first board: two poison words for each epoch, two opening words for each level,
 * words for announcements, where there are messages the number of the present operation, then the
 * epochs. Other boards hold epochs only. An epoch begins with words, as many whatever the plan, so
 * that no word is ever a plan's data.
 *
 * Words. A head is n << 32 | hash, a chunk n << 32 | its number: words only grow while numbers do,
 * and >= n << 32 is the condition that a message of operation n is there.
 *
 * Why epochs can be reused. Call an operation *together* if a member that has ended it knows that
 * all have begun it (an allreduce, or one that begins with a barrier: an opening). Members begin
 * operations in order, and before n they retire their puts of n - RETIRED and before: these are
 * complete at their targets (messages: below). So a member that has ended a together operation m
 * knows that every member has ended all operations before m, and that nothing of m - RETIRED or
 * before is still on its way; the same holds for m - RETIRED's readers (gets are complete when
 * their operation ends). Operation n uses the epoch of n - E again: it may begin if n - E <= m -
 * RETIRED for the last together m before it, which is the same on all members; else it opens with a
 * barrier of its own, which makes it together itself. E >= RETIRED + 1 lets a row of together
 * operations go without.
 *
 * Messages (fab_ops.message) are complete where they are sent. Those that members await have come
 * when these end the operation; others, of calls that differ, may come at any later time. A member
 * drops what comes for an epoch by an operation before its present one (`least`), and that covers
 * all: before an epoch is used again all members have begun later operations. Words of openings and
 * poison keep the greatest number, and an announcement is no message.
 *
 * Openings. One that the numbers ask for (eyoti_channel_unsafe) is entered by all members, whatever
 * they call and even if their arguments are refused: a member whose calls differ goes through all
 * levels too, with a hash that says so, and at the end all members know whether all hashes are
 * equal. One that a call asks for (eyoti_run_begin, `open`) may meet members in other calls, which
 * are not in it: then no member passes it, since each needs a message of every member.
 *   Where the control plane's exchange goes by nodes or by a counter, openings of the first kind
 * are such an exchange (opening.c). Not so in calls of several rounds, which a member may have left
 * before; and those of other channels do not block.
 *   So an opening is passed by all members or by none, and what depends on it, `together` and the
 * set of words of the next one, is the same on all, also after operations that failed. A member
 * that has passed opening n uses the other set in the next one, and cannot pass that before all
 * have passed n: nothing overwrites what a member still waits for. One that sees the number of a
 * later operation in its set knows that the sender never passes this opening, and leaves it.
 *   A signal of opening n is retired before operation n + RETIRED begins, or before an opening that
 * a call asks for.
 *
 * Poison. No member is E operations ahead of another, for it cannot pass an opening alone: so a
 * word of one epoch means one operation. Only the rounds of one call go beyond; all its members
 * have then begun it, and fail as well. A member that waits in an opening which the sender has
 * passed (the range begins later) ignores the poison, and waits for the message that must come.
 *
 * A failed operation leaves puts that nobody awaits. They are retired as all others, before the
 * epoch is used again; members that failed retire everything at once. */
#include "coll/channel.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gmem/common.h"
#include "sync/sync.h"
#include "teams/agree.h"

/* In teams with all epochs: a member's part of the first board, and the words of an epoch. Of
 * others the first board carries all short messages, and its hot part what an allreduce of 8 bytes
 * needs. */
#define FIRST_BYTES 2048u
#define FIRST_BYTES_MANY 5120u /* with EYOTI_EPOCHS_MANY */
#define FIRST_WORDS 144u       /* bytes */
#define SHORT_FIRST 1u         /* classes for short messages, */
#define LONG_FIRST 3u          /* and for all */
#define EPOCH_SHORT 1280u      /* bytes; and twice as many each */
#define EPOCH_LONG 2560u       /* bytes; and four times as many each */
#define REQUESTS_FIRST 16u     /* of an epoch that a flush does not complete */
#define REQUESTS_MOST 528u

_Static_assert(EYOTI_EPOCHS_MANY < EYOTI_CALLS_KEPT,
               "the calls of all members that wait for each other are known");

static uint64_t epoch_bytes(const struct eyoti_channel *ch, uint32_t class) {
  if (class < SHORT_FIRST) return ch->epoch_bytes;
  if (class < LONG_FIRST) return (uint64_t)EPOCH_SHORT << (class - SHORT_FIRST);
  return (uint64_t)EPOCH_LONG << (2 * (class - LONG_FIRST));
}
static bool has_messages(const struct eyoti_channel *ch) {
  return ch->rt->fab->ops->message != NULL;
}
static uint64_t epochs_off(const struct eyoti_channel *ch, uint32_t class) {
  if (class != 0) return 0;
  return eyoti_channel_least_off(ch) + (has_messages(ch) ? 8 : 0);
}

void eyoti_channel_init(struct eyoti_channel *ch, struct eyot_rt *rt, struct eyoti_team *t) {
  *ch = (struct eyoti_channel){.rt = rt, .t = t, .hot_bytes = eyoti_plan_hot(t->size)};
  while (ch->levels < 32 && ((uint64_t)1 << ch->levels) < t->size) ch->levels++;
  if (ch->hot_bytes != UINT64_MAX) {
    ch->epochs = EYOTI_EPOCHS_FEW;
    ch->epoch_bytes = EPOCH_SHORT << (LONG_FIRST - 1 - SHORT_FIRST);
    ch->epoch_words = ch->epoch_bytes / 2;
    return;
  }
  bool many = (rt->fab->caps & FAB_CAP_VIRTUAL_TIME) == 0;
  ch->epochs = many ? EYOTI_EPOCHS_MANY : EYOTI_EPOCHS;
  /* an allreduce of 8 bytes has a word and 8 bytes for each level, and for two more */
  uint32_t words = (ch->levels + 2) * 8;
  ch->epoch_words = words > FIRST_WORDS ? words : FIRST_WORDS;
  uint32_t first = many ? FIRST_BYTES_MANY : FIRST_BYTES;
  uint32_t fits = (first - (uint32_t)epochs_off(ch, 0)) / ch->epochs / 8 * 8;
  ch->epoch_bytes = fits > 2 * ch->epoch_words ? fits : 2 * ch->epoch_words;
}

uint64_t eyoti_channel_words_bytes(const struct eyoti_channel *ch, uint32_t class) {
  if (class < SHORT_FIRST) return ch->epoch_words;
  return epoch_bytes(ch, class) / (class < LONG_FIRST ? 2 : 4);
}

uint32_t eyoti_channel_class(const struct eyoti_channel *ch, const struct eyoti_plan *p) {
  if (p->class > 0) return p->class - 1u;
  for (uint32_t class = 0; class < EYOTI_CLASSES; class ++) {
    uint64_t words = eyoti_channel_words_bytes(ch, class);
    if (p->words * 8ull <= words && p->board_bytes <= epoch_bytes(ch, class) - words) return class;
  }
  EYOTI_PANIC("a plan needs a board of %" PRIu64 " bytes and %u words", p->board_bytes, p->words);
}

uint64_t eyoti_channel_board_bytes(const struct eyoti_channel *ch, uint32_t class) {
  return epochs_off(ch, class) + ch->epochs * epoch_bytes(ch, class);
}

int eyoti_channel_reserve(struct eyoti_channel *ch) {
  if (ch->larger == NULL) ch->larger = calloc(EYOTI_CLASSES - 1, sizeof *ch->larger);
  if (ch->larger != NULL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the boards of a team");
}

void eyoti_channel_set_board(struct eyoti_channel *ch, uint32_t class, uint64_t off) {
  struct fab_addr own = eyoti_gmem_heap_at(ch->rt, ch->rt->fab->me, off);
  *eyoti_channel_board(ch, class) = (struct eyoti_board){.memory = EYOT_GPTR_NULL,
                                                         .common = class > 0 ? off : 0,
                                                         .own = own,
                                                         .base = eyoti_gmem_mapped(ch->rt, own),
                                                         .aligned = true};
}

void eyoti_channel_drop_common(struct eyoti_channel *ch) {
  for (uint32_t i = 1; i < EYOTI_CLASSES; i++)
    if (eyoti_channel_has(ch, i) && eyoti_channel_board(ch, i)->common != 0)
      eyoti_common_free(ch->rt, eyoti_channel_board(ch, i)->common);
}

static EYOTI_APART int channel_made(struct eyoti_channel *ch, uint32_t class, eyot_gptr_t memory,
                                    uint64_t bytes) {
  struct eyoti_board *b = eyoti_channel_board(ch, class);
  b->memory = memory;
  EYOTI_TRY(eyoti_channel_at(ch, class, ch->rt->fab->me, 0, bytes, &b->own));
  void *base;
  EYOTI_TRY(ch->rt->fab->ops->seg_ptr(ch->rt->fab, b->own.seg, ch->rt->fab->me, b->own.off, &base));
  b->base = base;
  b->aligned = eyoti_gmem_is_aligned(ch->rt, memory);
  return EYOT_OK;
}

/* eyot_team_alloc and eyot_team_free enter their own names in diagnostics; afterwards the
 * collective enters its own again. */
static int board_alloc(struct eyot_rt *rt, const struct eyoti_team *t, uint64_t bytes, int error,
                       eyot_gptr_t *memory) {
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = eyoti_gmem_alloc_or(t->handle, bytes, error, memory);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

int eyoti_channel_make(struct eyoti_channel *ch, uint32_t class) {
  uint64_t bytes = eyoti_channel_board_bytes(ch, class);
  eyot_gptr_t memory;
  int reserved = class > 0 ? eyoti_channel_reserve(ch) : EYOT_OK;
  EYOTI_TRY(board_alloc(ch->rt, ch->t, bytes, reserved, &memory));
  return channel_made(ch, class, memory, bytes);
}

int eyoti_channel_refuse(const struct eyoti_team *t, uint64_t bytes, int error) {
  eyot_gptr_t none;
  return board_alloc(eyot_current, t, bytes, error, &none);
}

int eyoti_channel_drop(struct eyoti_channel *ch) {
  int first = eyoti_channel_retire(ch, ch->number);
  for (uint32_t i = 0; i < EYOTI_CLASSES; i++) {
    if (!eyoti_channel_has(ch, i) || eyot_gptr_is_null(eyoti_channel_board(ch, i)->memory))
      continue;
    struct eyoti_nest nest = eyoti_rt_nest(ch->rt);
    int rc = eyot_team_free(eyoti_channel_board(ch, i)->memory);
    eyoti_rt_unnest(ch->rt, nest);
    *eyoti_channel_board(ch, i) = (struct eyoti_board){.memory = EYOT_GPTR_NULL};
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

void eyoti_channel_release(struct eyoti_channel *ch) {
  for (uint32_t i = 0; i < EYOTI_CLASSES; i++) {
    if (!eyoti_channel_has(ch, i) || eyot_gptr_is_null(eyoti_channel_board(ch, i)->memory))
      continue;
    eyoti_gmem_release_own(ch->rt, eyoti_channel_board(ch, i)->memory);
    *eyoti_channel_board(ch, i) = (struct eyoti_board){.memory = EYOT_GPTR_NULL};
  }
}

void eyoti_channel_fini(struct eyoti_channel *ch) {
  for (uint32_t i = 0; i < sizeof ch->sent / sizeof *ch->sent; i++) free(ch->sent[i].req);
  free(ch->larger);
  free(ch->mapped);
  ch->larger = NULL;
  ch->mapped = NULL;
}

/* Where epochs have a cold part, the hot parts of all come first, so that they share pages. */
static struct eyoti_epoch epoch_parted(const struct eyoti_channel *ch, uint64_t off,
                                       uint32_t epoch) {
  uint64_t hot = ch->hot_bytes, words = off + epoch * 2 * hot, data = words + hot;
  uint64_t cold = off + ch->epochs * 2 * hot + epoch * (ch->epoch_bytes - 2 * hot);
  return (struct eyoti_epoch){.words = words,
                              .data = data,
                              .hot_bytes = (uint32_t)hot,
                              .cold_words = (uint32_t)(cold - (words + hot)),
                              .cold_data = (uint32_t)(cold + ch->epoch_words - hot - (data + hot))};
}

struct eyoti_epoch eyoti_channel_epoch(const struct eyoti_channel *ch, uint32_t class,
                                       uint32_t number) {
  uint64_t off = epochs_off(ch, class);
  uint32_t epoch = number % ch->epochs;
  if (class == 0 && ch->hot_bytes != UINT64_MAX) return epoch_parted(ch, off, epoch);
  off += epoch * epoch_bytes(ch, class);
  return (struct eyoti_epoch){.words = off, .data = off + eyoti_channel_words_bytes(ch, class)};
}

bool eyoti_channel_unsafe(const struct eyoti_channel *ch, uint32_t number) {
  uint32_t safe = ch->together > EYOTI_RETIRED ? ch->together - EYOTI_RETIRED : 0;
  return number > ch->epochs && number - ch->epochs > safe;
}

int eyoti_channel_next(struct eyoti_channel *ch) {
  struct fab *f = ch->rt->fab;
  uint32_t number = ++ch->number;
  if (!has_messages(ch)) return EYOT_OK;
  const struct fab_addr *own = &ch->first.own;
  struct fab_addr least = fab_at(own->unit, own->seg, own->off + eyoti_channel_least_off(ch));
  return f->ops->message_least(f, least, (uint64_t)number << 32);
}

/* -- puts -------------------------------------------------------------------------------------- */

static int sent_retire(struct fab *f, struct eyoti_sent *s) {
  int first = EYOT_OK;
  if (s->n == 0 && !s->flush) return EYOT_OK;
  for (uint32_t i = 0; i < s->n; i++) {
    int rc = fab_req_end(f, FAB_ALL, s->req[i]);
    if (first == EYOT_OK) first = rc;
  }
  if (s->flush) {
    int rc = fab_flush_end(f, FAB_ALL, FAB_REMOTE);
    if (first == EYOT_OK) first = rc;
  }
  s->n = s->drained = 0;
  s->flush = false;
  return first;
}

int eyoti_channel_retire(struct eyoti_channel *ch, uint32_t number) {
  int first = EYOT_OK;
  while (ch->retired < number) {
    int rc = sent_retire(ch->rt->fab, eyoti_channel_sent(ch, ++ch->retired));
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

/* Space for one more request; false: there is none, the put goes without. */
static bool sent_reserve(const struct eyoti_channel *ch, struct eyoti_sent *s) {
  if (s->n < s->cap) return true;
  if (ch->epochs == EYOTI_EPOCHS_FEW || s->cap >= REQUESTS_MOST) return false;
  uint32_t cap = s->cap == 0 ? REQUESTS_FIRST : 2 * s->cap;
  if (cap > REQUESTS_MOST) cap = REQUESTS_MOST;
  fab_req_t *req = realloc(s->req, cap * sizeof *req);
  if (req == NULL) return false;
  s->req = req;
  s->cap = cap;
  return true;
}

int eyoti_channel_at(struct eyoti_channel *ch, uint32_t class, fab_unit_t unit, uint64_t off,
                     uint64_t len, struct fab_addr *out) {
  const struct eyoti_board *b = eyoti_channel_board(ch, class);
  if (__builtin_expect(b->aligned, 1)) {
    *out = fab_at(unit, b->own.seg, b->own.off + off);
    return EYOT_OK;
  }
  eyot_gptr_t g = eyot_gptr_at(eyoti_channel_board(ch, class)->memory, (eyot_unit_t){unit});
  return eyoti_gmem_resolve(ch->rt, eyot_gptr_add(g, (int64_t)off), len, out);
}

/* Sends a message. Where there is no space for its request, a flush completes it. */
static int post_message(struct eyoti_channel *ch, struct fab_addr to, const void *from,
                        uint64_t len, const struct fab_sig *sig, const struct fab_addr *least) {
  struct eyoti_sent *s = eyoti_channel_sent(ch, ch->number);
  fab_req_t req;
  if (!sent_reserve(ch, s)) {
    s->flush = true;
    return fab_message(ch->rt->fab, to, from, len, sig, least, NULL);
  }
  EYOTI_TRY(fab_message(ch->rt->fab, to, from, len, sig, least, &req));
  if (req != 0) s->req[s->n++] = req;
  return EYOT_OK;
}

int eyoti_channel_send(struct eyoti_channel *ch, uint32_t class, fab_unit_t unit, uint64_t off,
                       const void *from, uint64_t len, uint64_t word_off, uint64_t value) {
  struct fab_addr start, least;
  EYOTI_TRY(eyoti_channel_at(ch, class, unit, 0, 0, &start));
  struct fab_addr to = fab_at(unit, start.seg, start.off + off);
  struct fab_sig sig = {
      .at = fab_at(unit, start.seg, start.off + word_off), .op = FAB_SIG_SET, .value = value};
  if (has_messages(ch))
    EYOTI_TRY(eyoti_channel_at(ch, 0, unit, eyoti_channel_least_off(ch), 8, &least));
  return post_message(ch, to, from, len, &sig, has_messages(ch) ? &least : NULL);
}

int eyoti_channel_raise(struct eyoti_channel *ch, fab_unit_t unit, uint64_t word_off,
                        uint64_t value) {
  struct fab_sig sig = {.op = FAB_SIG_SET, .value = value};
  EYOTI_TRY(eyoti_channel_at(ch, 0, unit, word_off, 8, &sig.at));
  return post_message(ch, sig.at, NULL, 0, &sig, NULL);
}

int eyoti_channel_set(struct eyoti_channel *ch, fab_unit_t unit, uint64_t word_off,
                      uint64_t value) {
  struct eyoti_sent *s = eyoti_channel_sent(ch, ch->number);
  struct fab_sig sig = {.op = FAB_SIG_SET, .value = value};
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_channel_at(ch, 0, unit, word_off, 8, &sig.at));
  bool followed = sent_reserve(ch, s);
  EYOTI_TRY(fab_put_signal(ch->rt->fab, sig.at, NULL, 0, &sig, followed ? &req : NULL));
  if (!followed) s->flush = true;
  if (req != 0) s->req[s->n++] = req;
  return EYOT_OK;
}

int eyoti_channel_send_apart(struct eyoti_channel *ch, uint32_t class, fab_unit_t unit,
                             const void *from, uint64_t len, uint64_t word_off, uint64_t value) {
  struct eyoti_sent *s = eyoti_channel_sent(ch, ch->number);
  struct fab *f = ch->rt->fab;
  struct fab_sig sig = {.op = FAB_SIG_SET, .value = value};
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_channel_at(ch, class, unit, word_off, 8, &sig.at));
  bool followed = sent_reserve(ch, s);
  EYOTI_TRY(f->ops->send(f, &sig, from, len, followed ? &req : NULL));
  if (!followed) s->flush = true;
  if (req != 0) s->req[s->n++] = req;
  return EYOT_OK;
}

/* A call that goes on inside others must end its step before another thread continues it. */
static int wait_sent(struct eyoti_channel *ch, fab_req_t req) {
  if (!ch->inside) return eyoti_threads_req_wait(ch->rt, req, FAB_LOCAL);
  return fab_req_wait(ch->rt->fab, req, FAB_LOCAL);
}

int eyoti_channel_drain(struct eyoti_channel *ch) {
  struct eyoti_sent *s = eyoti_channel_sent(ch, ch->number);
  int first = EYOT_OK;
  for (; s->drained < s->n; s->drained++) {
    int rc = wait_sent(ch, s->req[s->drained]);
    if (rc != EYOT_OK) fab_settle_set(ch->rt->fab, FAB_ALL);
    if (first == EYOT_OK) first = rc;
  }
  if (!s->flush) return first;
  int rc = fab_flush_end(ch->rt->fab, FAB_ALL, FAB_LOCAL);
  return first != EYOT_OK ? first : rc;
}

/* -- failed operations, and the end of numbers ------------------------------------------------- */

/* A call has more rounds than epochs: each word then stands for several. */
static int poison_send(struct eyoti_channel *ch, uint32_t member, enum eyoti_poison kind,
                       uint32_t number, uint32_t last) {
  uint64_t range = (uint64_t)last << 32 | number;
  for (uint32_t i = 0; i < ch->epochs && number + i <= last; i++)
    EYOTI_TRY(eyoti_channel_raise(ch, eyoti_team_unit(ch->t, member),
                                  eyoti_channel_poison_off(ch, kind, number + i), range));
  return EYOT_OK;
}

int eyoti_channel_poison(struct eyoti_channel *ch, uint32_t number, uint32_t last, bool skipped) {
  uint32_t size = ch->t->size;
  bool direct = size <= EYOTI_POISON_DIRECT;
  int first = EYOT_OK;
  for (uint64_t far = 1; far < size; far = direct ? far + 1 : 2 * far) {
    uint32_t member = (uint32_t)((ch->t->me + far) % size);
    int rc = poison_send(ch, member, EYOTI_POISON_FAILED, number, last);
    if (rc == EYOT_OK && (skipped || last > number))
      rc = poison_send(ch, member, EYOTI_POISON_SKIPPED, skipped ? number : number + 1, last);
    if (first == EYOT_OK) first = rc;
  }
  int rc = eyoti_channel_retire(ch, ch->number);
  return first != EYOT_OK ? first : rc;
}

int eyoti_channel_renew(struct eyoti_channel *ch, uint32_t most) {
  if (ch->number < most) return EYOT_OK;
  EYOTI_TRY(eyoti_channel_retire(ch, ch->number));
  EYOTI_TRY(eyoti_sync_barrier(ch->rt, ch->t));
  for (uint32_t i = 0; i < EYOTI_CLASSES; i++)
    if (eyoti_channel_has(ch, i))
      memset(eyoti_channel_board(ch, i)->base, 0, eyoti_channel_board_bytes(ch, i));
  ch->number = ch->together = ch->retired = 0;
  ch->second = false;
  return eyoti_sync_barrier(ch->rt, ch->t);
}
