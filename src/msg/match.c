/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c - matches messages and receives (state.h). All queues are the receiver's own, so matching
 * needs no communication: Friedley 2013, section 3.1 ("a second, private queue").
 *
 * Posted receives are in a hash of queues by team, sender and tag, also those that leave the sender
 * or the tag open: a message asks under each of the up to four keys that could get it, and goes to
 * the receive that was posted first, as stamps say. Messages that none gets: arrivals.c. Messages
 * of one sender come in the order in which it has sent them (out.c), and queues keep it. */
#include <stdlib.h>
#include <string.h>

#include "gmem/sheap.h"
#include "msg/arrivals.h"
#include "msg/layout.h"
#include "msg/post.h"
#include "msg/ring.h"
#include "msg/share.h"

#define OPEN_LISTED 16u

/* -- receives ---------------------------------------------------------------------------------- */

static inline struct eyoti_msg_op *op_of(struct eyoti_msg_entry *e) {
  if (e == NULL) return NULL;
  return (struct eyoti_msg_op *)(void *)((char *)e - offsetof(struct eyoti_msg_op, entry));
}

/* A few receives that leave something open are in a list; of many, each is under its key. */
static struct eyoti_msg_op *first_open(const struct eyoti_msgs *m, const struct eyoti_msg_key *is) {
  struct eyoti_msg_op *first = NULL;
  if (!m->open_hashed) {
    struct eyoti_msg_entry *e = m->open_first;
    while (e != NULL && !eyoti_msg_key_matches(&e->key, is)) e = e->next;
    return op_of(e);
  }
  for (uint32_t kind = 1; kind < EYOTI_MSG_KINDS; kind++) {
    const struct eyoti_msg_key key = eyoti_msg_key_open(is, kind);
    struct eyoti_msg_op *op = op_of(eyoti_msg_index_find(&m->posted, &key));
    if (op != NULL && (first == NULL || op->stamp < first->stamp)) first = op;
  }
  return first;
}

struct eyoti_msg_op *eyoti_msg_posted_for(const struct eyoti_msgs *m,
                                          const struct eyoti_msg_key *is) {
  struct eyoti_msg_op *exact = NULL, *open;
  if (m->n_posted > m->n_open) exact = op_of(eyoti_msg_index_find(&m->posted, is));
  if (m->n_open == 0) return exact;
  open = first_open(m, is);
  if (exact == NULL || open == NULL) return exact != NULL ? exact : open;
  return exact->stamp < open->stamp ? exact : open;
}

static void open_list_add(struct eyoti_msgs *m, struct eyoti_msg_entry *e) {
  e->next = NULL;
  e->before = m->open_last;
  if (e->before != NULL)
    e->before->next = e;
  else
    m->open_first = e;
  m->open_last = e;
}

static void open_list_remove(struct eyoti_msgs *m, struct eyoti_msg_entry *e) {
  if (e->before != NULL)
    e->before->next = e->next;
  else
    m->open_first = e->next;
  if (e->next != NULL)
    e->next->before = e->before;
  else
    m->open_last = e->before;
}

static void open_hash(struct eyoti_msgs *m) {
  for (struct eyoti_msg_entry *e = m->open_first, *next; e != NULL; e = next) {
    next = e->next;
    eyoti_msg_index_add(&m->posted, e, &e->key);
  }
  m->open_first = m->open_last = NULL;
  m->open_hashed = true;
}

static void open_add(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  op->entry.key = op->key;
  if (m->n_open++ == OPEN_LISTED && !m->open_hashed) open_hash(m);
  if (m->open_hashed)
    eyoti_msg_index_add(&m->posted, &op->entry, &op->key);
  else
    open_list_add(m, &op->entry);
}

static void open_remove(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  m->n_open--;
  if (!m->open_hashed) {
    open_list_remove(m, &op->entry);
    return;
  }
  eyoti_msg_index_remove(&m->posted, &op->entry);
  m->open_hashed = m->n_open > 0;
}

int eyoti_msg_post(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  EYOTI_TRY(eyoti_msg_want(rt, m, &op->key, &op->from));
  op->stamp = ++m->stamp;
  op->posted = true;
  m->n_posted++;
  if (eyoti_msg_kind(&op->key) != 0)
    open_add(m, op);
  else
    eyoti_msg_index_add(&m->posted, &op->entry, &op->key);
  return EYOT_OK;
}

void eyoti_msg_unpost(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  EYOTI_ASSERT(op->posted);
  if (eyoti_msg_kind(&op->key) != 0)
    open_remove(m, op);
  else
    eyoti_msg_index_remove(&m->posted, &op->entry);
  eyoti_msg_unwant(m, op->from);
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
  eyoti_msg_op_fill(op);
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

bool eyoti_msg_arrive_inside(struct eyot_rt *rt, struct eyoti_msgs *m,
                             const struct eyoti_msg_peer *p, const char *image) {
  struct eyoti_msg_head head;
  memcpy(&head, image, sizeof head);
  const struct eyoti_msg_key key = {head.team, p->unit, head.tag};
  if (head.kind != EYOTI_MSG_INSIDE || m->n_open > 0) return false;
  struct eyoti_msg_op *op = op_of(eyoti_msg_index_find(&m->posted, &key));
  if (op == NULL || op->place != NULL || head.len > op->bytes) return false;
  eyoti_msg_unpost_named(m, op);
  eyoti_msg_copy_short(op->buf, image + sizeof head, head.len);
  op->status.tag = head.tag; /* from: whom it names */
  op->status.bytes = head.len;
  eyoti_msg_op_end(rt, m, op, EYOT_OK);
  return true;
}

int eyoti_msg_arrive(struct eyot_rt *rt, struct eyoti_msgs *m, fab_unit_t from, const char *image) {
  struct eyoti_msg_arrival a;
  a.ends = (struct eyoti_msg_ends){0};
  memcpy(&a.head, image, sizeof a.head);
  image += sizeof a.head;
  if (a.head.kind != EYOTI_MSG_INSIDE) {
    memcpy(&a.ends, image, sizeof a.ends);
    image += sizeof a.ends;
  }
  EYOTI_ASSERT(sizeof a.head + a.head.len <= EYOTI_MSG_AREA_IMAGE && a.head.tag >= 0);
  a.key = (struct eyoti_msg_key){a.head.team, from, a.head.tag};
  struct eyoti_msg_op *op = eyoti_msg_posted_for(m, &a.key);
  if (op != NULL) {
    eyoti_msg_unpost(m, op);
    eyoti_msg_deliver(rt, m, op, &a, image);
    return EYOT_OK;
  }
  struct eyoti_msg_arrival *kept = eyoti_msg_arrival_new(m, a.head.len);
  if (kept == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory to keep a message %s",
                          eyoti_msg_words(&a.key, a.head.len, (char[EYOTI_MSG_WORDS]){0}));
  kept->key = a.key;
  kept->head = a.head;
  kept->ends = a.ends;
  memcpy(kept->bytes, image, a.head.len);
  eyoti_msg_keep(m, kept);
  return EYOT_OK;
}
