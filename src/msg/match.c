/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c - matches messages and receives (state.h). All queues are the receiver's own, so matching
 * needs no communication: Friedley 2013, section 3.1 ("a second, private queue").
 *
 * Arrivals are in bins by team, sender and tag, and in one list in the order of their coming, which
 * receives of any unit or tag read. Receives that name both are in bins too; others in one list.
 * Which of two receives is the earlier one their stamps say. Messages of one sender come in the
 * order in which it has sent them (out.c), and bins keep it. */
#include <stdlib.h>
#include <string.h>

#include "gmem/sheap.h"
#include "msg/layout.h"
#include "msg/share.h"

/* The high bits of a sum of products, which take the time of one multiplication. The factors are
 * odd: the golden ratio's 64 bits, and two of splitmix64. */
static uint32_t bin_of(const struct eyoti_msg_key *k) {
  uint64_t h = k->team * 0x9e3779b97f4a7c15u + k->from * 0xbf58476d1ce4e5b9u +
               (uint32_t)k->tag * 0x94d049bb133111ebu;
  return (uint32_t)(h >> (64 - EYOTI_MSG_BINS_BITS));
}

static bool key_is_exact(const struct eyoti_msg_key *k) {
  return k->from != EYOTI_MSG_ANY_FROM && k->tag != EYOT_ANY_TAG;
}

/* Whether a receive that asks for `want` gets the message. */
static bool key_matches(const struct eyoti_msg_key *want, const struct eyoti_msg_key *is) {
  return want->team == is->team && (want->from == EYOTI_MSG_ANY_FROM || want->from == is->from) &&
         (want->tag == EYOT_ANY_TAG || want->tag == is->tag);
}

/* -- arrivals ---------------------------------------------------------------------------------- */

struct eyoti_msg_arrival *eyoti_msg_find(const struct eyoti_msgs *m,
                                         const struct eyoti_msg_key *key) {
  bool exact = key_is_exact(key);
  struct eyoti_msg_arrival *a = exact ? m->arrived[bin_of(key)].head : m->first;
  while (a != NULL && !key_matches(key, &a->key)) a = exact ? a->next : a->later;
  return a;
}

void eyoti_msg_take(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  struct eyoti_msg_bin *bin = &m->arrived[bin_of(&a->key)];
  struct eyoti_msg_arrival *before = NULL;
  for (struct eyoti_msg_arrival *b = bin->head; b != a; b = b->next) {
    EYOTI_ASSERT(b != NULL);
    before = b;
  }
  if (before != NULL)
    before->next = a->next;
  else
    bin->head = a->next;
  if (bin->tail == a) bin->tail = before;
  if (a->earlier != NULL)
    a->earlier->later = a->later;
  else
    m->first = a->later;
  if (a->later != NULL)
    a->later->earlier = a->earlier;
  else
    m->last = a->earlier;
}

static void arrival_keep(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  struct eyoti_msg_bin *bin = &m->arrived[bin_of(&a->key)];
  a->next = a->later = NULL;
  if (bin->tail != NULL)
    bin->tail->next = a;
  else
    bin->head = a;
  bin->tail = a;
  a->earlier = m->last;
  if (m->last != NULL)
    m->last->later = a;
  else
    m->first = a;
  m->last = a;
}

/* -- receives ---------------------------------------------------------------------------------- */

static struct eyoti_msg_op *first_that_matches(const struct eyoti_msg_queue *q,
                                               const struct eyoti_msg_key *is) {
  struct eyoti_msg_op *op = q->head;
  while (op != NULL && !key_matches(&op->key, is)) op = op->next;
  return op;
}

/* The earliest posted receive that matches, or NULL. */
static struct eyoti_msg_op *posted_for(const struct eyoti_msgs *m, const struct eyoti_msg_key *is) {
  struct eyoti_msg_op *exact = first_that_matches(&m->posted[bin_of(is)], is),
                      *wild = first_that_matches(&m->wild, is);
  if (exact == NULL || wild == NULL) return exact != NULL ? exact : wild;
  return exact->stamp < wild->stamp ? exact : wild;
}

static struct eyoti_msg_queue *queue_of(struct eyoti_msgs *m, const struct eyoti_msg_op *op) {
  return key_is_exact(&op->key) ? &m->posted[bin_of(&op->key)] : &m->wild;
}

int eyoti_msg_want(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_key *key) {
  struct eyoti_msg_peer *p;
  if (key->from == EYOTI_MSG_ANY_FROM) {
    m->wild_wants++;
    return EYOT_OK;
  }
  EYOTI_TRY(eyoti_msg_peer(rt, m, key->from, &p));
  p->posted++;
  m->new_wants += p->from == NULL;
  return EYOT_OK;
}

void eyoti_msg_unwant(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_key *key) {
  struct eyoti_msg_peer *p;
  if (key->from == EYOTI_MSG_ANY_FROM) {
    m->wild_wants--;
    return;
  }
  int rc = eyoti_msg_peer(rt, m, key->from, &p);
  EYOTI_ASSERT(rc == EYOT_OK); /* eyoti_msg_want has made it */
  p->posted--;
  m->new_wants -= p->from == NULL;
}

int eyoti_msg_post(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  EYOTI_TRY(eyoti_msg_want(rt, m, &op->key));
  op->stamp = ++m->stamp;
  op->posted = true;
  m->n_posted++;
  eyoti_msg_queue_add(queue_of(m, op), op);
  return EYOT_OK;
}

void eyoti_msg_unpost(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  EYOTI_ASSERT(op->posted);
  eyoti_msg_queue_remove(queue_of(m, op), op);
  eyoti_msg_unwant(rt, m, &op->key);
  op->posted = false;
  m->n_posted--;
}

/* -- delivery ---------------------------------------------------------------------------------- */

static void op_status(struct eyoti_msg_op *op, const struct eyoti_msg_arrival *a, uint64_t bytes) {
  uint32_t from;
  bool member = eyoti_team_index(op->team, a->key.from, &from);
  EYOTI_ASSERT(member); /* only members know the team's id */
  op->status = (eyot_msg_status_t){.from = {from}, .tag = a->key.tag, .bytes = bytes};
  if (bytes <= op->bytes) return;
  op->status.bytes = op->bytes;
  op->status.dropped = bytes - op->bytes;
}

/* What a give with a layout names, or NULL. */
static struct eyoti_laid *arrival_laid(const struct eyoti_msg_arrival *a) {
  if ((a->head.kind & EYOTI_MSG_LAID) == 0) return NULL;
  return eyoti_owned_bytes((struct eyoti_owned *)(uintptr_t)a->ends.source);  // NOLINT: of the node
}

static struct eyoti_owned *arrival_buffer(const struct eyoti_msg_arrival *a) {
  const struct eyoti_laid *laid = arrival_laid(a);
  return laid != NULL ? laid->owned
                      : (struct eyoti_owned *)(uintptr_t)a->ends.source;  // NOLINT: as above
}

/* Whether the operation gets the sender's buffer itself. */
static bool op_gets_buffer(const struct eyoti_msg_op *op, const struct eyoti_msg_arrival *a) {
  if (op->place == NULL || (a->head.kind & EYOTI_MSG_GIVEN) == 0) return false;
  if ((a->head.kind & EYOTI_MSG_LENT) != 0) return op->borrows;
  const struct eyoti_laid *laid = arrival_laid(a);
  return laid == NULL || (op->layout.n > 0 && eyoti_layouts_agree(&op->layout, &laid->layout));
}

/* Frees the record of a layout. */
static int laid_return(struct eyot_rt *rt, struct eyoti_laid *laid) {
  return laid != NULL ? eyoti_owned_return(rt, (struct eyoti_owned *)(void *)laid - 1) : EYOT_OK;
}

/* A take gets the buffer that was given, or one for the bytes that were sent; one that borrows is
 * noted. Errors: ENOMEM. */
static int op_take(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                   const struct eyoti_msg_arrival *a, bool gets, uint64_t bytes) {
  bool is_loan = gets && (a->head.kind & EYOTI_MSG_LENT) != 0;
  EYOTI_TRY(eyoti_owned_pool(rt));
  if (gets) {
    op->owned = arrival_buffer(a);
    op->laid = (a->head.kind & EYOTI_MSG_LAID) != 0;
    if (!is_loan) eyoti_owned_adopt(rt, op->owned);
    EYOTI_TRY(laid_return(rt, arrival_laid(a)));
  } else {
    EYOTI_TRY(eyoti_owned_new(rt, bytes, &op->owned));
    op->buf = eyoti_owned_bytes(op->owned);
  }
  op->bytes = bytes;
  if (!op->borrows) return EYOT_OK;
  int rc = eyoti_msg_borrowed(rt, m, op, a->key.from, is_loan ? a->ends.done : 0);
  if (rc != EYOT_OK && !is_loan) (void)eyoti_owned_drop(rt, op->owned);
  return rc;
}

/* A receive gets a copy of what was given, and the buffer goes home. So does whoever gets bytes of
 * what was lent, and that stays. */
static int op_copy_given(struct eyot_rt *rt, const struct eyoti_msg_op *op,
                         const struct eyoti_msg_arrival *a) {
  struct eyoti_owned *o = arrival_buffer(a);
  struct eyoti_laid *laid = arrival_laid(a);
  if (laid != NULL) {
    eyoti_layout_pack(rt, op->buf, eyoti_owned_bytes(o), &laid->layout, op->status.bytes);
  } else if (op->status.bytes > 0) {
    memcpy(op->buf, eyoti_owned_bytes(o), op->status.bytes);
    eyoti_observe_reads(rt, eyoti_owned_bytes(o), op->status.bytes);
    eyoti_observe_writes(rt, op->buf, op->status.bytes);
    EYOTI_TRY(eyoti_sheap_copied(rt, op->status.bytes));
  }
  if ((a->head.kind & EYOTI_MSG_LENT) != 0) return EYOT_OK;
  EYOTI_TRY(eyoti_owned_pool(rt));
  EYOTI_TRY(laid_return(rt, laid));
  return eyoti_owned_return(rt, o);
}

/* Brings the bytes to the operation, or begins to get them. */
static int op_bytes(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                    const struct eyoti_msg_arrival *a, const char *bytes, uint64_t len) {
  if ((a->head.kind & EYOTI_MSG_GIVEN) != 0) return op_copy_given(rt, op, a);
  if ((a->head.kind & EYOTI_MSG_DIRECT) != 0) return eyoti_msg_direct_expect(rt, m, op, len);
  if (op->status.bytes == 0) return EYOT_OK;
  if ((a->head.kind & EYOTI_MSG_LONG) == 0) {
    memcpy(op->buf, bytes, op->status.bytes);
    eyoti_observe_writes(rt, op->buf, op->status.bytes);
    if (op->status.bytes <= EYOTI_MSG_INLINE) return EYOT_OK; /* in the line with its envelope */
    return eyoti_sheap_copied(rt, op->status.bytes);
  }
  if ((a->head.kind & EYOTI_MSG_SHARED) != 0 && eyoti_msg_share_takes(rt, op, len)) {
    op->shared = true; /* which finish_oldest does, or finish_done */
    return EYOT_OK;
  }
  return fab_get(rt->fab, op->buf, eyoti_gmem_heap_at(rt, op->to, a->ends.source), op->status.bytes,
                 &op->req);
}

void eyoti_msg_deliver(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                       const struct eyoti_msg_arrival *a, const char *bytes) {
  uint64_t len = eyoti_msg_bytes(&a->head, &a->ends);
  const uint16_t kind = a->head.kind;
  bool gets = op_gets_buffer(op, a);
  int rc = op->place != NULL ? op_take(rt, m, op, a, gets, len) : EYOT_OK;
  op_status(op, a, len);
  if (rc != EYOT_OK) op->status.bytes = op->status.dropped = 0;
  op->key = a->key;
  op->ends = a->ends;
  op->to = (kind & EYOTI_MSG_LENT) != 0 ? (fab_unit_t)a->ends.value : a->key.from;
  op->counted = (kind & EYOTI_MSG_LENT) != 0 && (rc != EYOT_OK || !gets);
  if (rc != EYOT_OK && !gets && (kind & EYOTI_MSG_LAID) != 0)
    (void)op_copy_given(rt, op, a); /* no bytes; what was given is freed */
  op->rc = rc == EYOT_OK && !gets ? op_bytes(rt, m, op, a, bytes, len) : rc;
  /* of one that cannot be reached: its sender waits on */
  bool lost = rc == EYOT_OK && op->rc != EYOT_OK && (kind & EYOTI_MSG_LONG) != 0;
  if (!lost && ((kind & (EYOTI_MSG_SYNC | EYOTI_MSG_LONG)) != 0 || op->counted))
    eyoti_msg_queue_add(op->direct ? &m->landing : &m->getting, op); /* its sender waits */
  else
    eyoti_msg_op_end(rt, m, op, op->rc);
}

int eyoti_msg_arrive(struct eyot_rt *rt, struct eyoti_msgs *m, fab_unit_t from, const char *image) {
  struct eyoti_msg_arrival a = {0};
  memcpy(&a.head, image, sizeof a.head);
  image += sizeof a.head;
  if (a.head.kind != EYOTI_MSG_INSIDE) {
    memcpy(&a.ends, image, sizeof a.ends);
    image += sizeof a.ends;
  }
  EYOTI_ASSERT(sizeof a.head + a.head.len <= EYOTI_MSG_AREA_IMAGE && a.head.tag >= 0);
  a.key = (struct eyoti_msg_key){a.head.team, from, a.head.tag};
  struct eyoti_msg_op *op = posted_for(m, &a.key);
  if (op != NULL) {
    eyoti_msg_unpost(rt, m, op);
    eyoti_msg_deliver(rt, m, op, &a, image);
    return EYOT_OK;
  }
  struct eyoti_msg_arrival *kept = malloc(sizeof *kept + a.head.len);
  if (kept == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory to keep a message %s",
                          eyoti_msg_words(&a.key, a.head.len, (char[EYOTI_MSG_WORDS]){0}));
  *kept = a;
  memcpy(kept->bytes, image, a.head.len);
  arrival_keep(m, kept);
  return EYOT_OK;
}
