/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - the messages of one unit: its peers, what it has started, what has arrived and what
 * waits for its match. For the files of src/msg only; one thread of the unit at a time uses it.
 *
 * Nothing here has a size that depends on the number of units: a peer is made when the unit first
 * sends to it, receives from it by its name, or hears from it. */
#ifndef EYOT_MSG_STATE_H
#define EYOT_MSG_STATE_H

#include "base/idtab.h"
#include "gmem/owned.h"
#include "msg/index.h"
#include "msg/wire.h"
#include "sync/watch.h"
#include "teams/teams.h"

#define EYOTI_MSG_BUCKETS_FIRST 8u

/* Logs an error under the name of the public function that was called. */
#define EYOTI_MSG_FAIL(rt, code, ...) \
  (eyoti_log(EYOTI_LOG_ERROR, (rt)->fab->note.what, (code), __VA_ARGS__), (code))

/* Kinds of keys, by what they leave open; 0: nothing. */
#define EYOTI_MSG_OPEN_FROM 1u
#define EYOTI_MSG_OPEN_TAG 2u
#define EYOTI_MSG_KINDS 4u

enum eyoti_msg_role { EYOTI_MSG_SEND = 0, EYOTI_MSG_RECV, EYOTI_MSG_FOUND };

/* A send or a receive that was started, or a message that a probe took out of matching. */
struct eyoti_msg_op {
  struct eyoti_msg_op *next;   /* in the list that it is in */
  struct eyoti_msg_op *before; /* in m->ready */
  enum eyoti_msg_role role;
  bool over;       /* rc is its result */
  bool background; /* the layer's own: its call has returned, and it is freed when it is over */
  bool posted;     /* a receive that waits for its match */
  bool ready;      /* it is in m->ready */
  bool laid;       /* its buffer has its layout already */
  bool direct;     /* a send by direct.c; a receive: its bytes land by themselves */
  bool handed;     /* it has left this unit */
  bool shared;     /* a send: its blocks were copied; a receive: they are to be */
  bool lean;       /* a posted receive: nothing after `bytes` is set (eyoti_msg_op_fill) */
  int rc;
  uint32_t to; /* a send's peer; of a receive that has its match, whose heap has the bytes */
  eyot_msg_t handle;
  const char *what; /* the public function that has started it, and its place */
  const void *site;
  struct eyoti_team *team;
  size_t any_at; /* where in the array of a wait for any its handle probably is */
  struct eyoti_msg_arrival *found;
  struct eyoti_owned *lent; /* of a loan, and of its messages to readers: its buffer */
  void **place;             /* of a take: where its pointer goes; NULL: it is none */
  eyot_own_layout_t layout; /* of a take; n 0: it has none */
  eyot_msg_status_t status;
  struct eyoti_msg_key key; /* of a send, from is the caller */
  /* of one that eyoti_msg_op_new_lean has made, nothing from here on is set */
  uint64_t stamp;               /* the order of receives */
  struct eyoti_msg_entry entry; /* among those that are posted */
  struct eyoti_msg_peer *from;  /* of one that is posted: whom it names, or NULL */
  void *buf;
  uint64_t bytes;             /* of a receive, the size of buf */
  struct eyoti_owned *owned;  /* the buffer of a give, while it is this unit's; that of a take */
  struct eyoti_msg_op *loan;  /* of a message to a reader */
  struct eyoti_owned *record; /* of the layout of a give, or NULL */
  bool borrows;               /* a take that only borrows */
  bool counted;               /* a receive: its sender counts readers, and this one is done */
  struct eyoti_msg_ends ends; /* of a receive: its match's, whose bytes it gets now */
  fab_req_t req;              /* of that get; of a send that is direct, MPI's use of its bytes */
  void *scratch;              /* where they land, if there are too many for buf */
  bool attended;              /* a send: its call waits for it, if it has to be waited for */
  bool waits;                 /* a send: its call may return only when it is over */
  uint64_t done, value;       /* the word of ends that it waits for; done 0: none */
  uint64_t ledger;            /* a send that may be shared (share.h), or 0 */
  uint64_t copy, buffered;    /* its copy in the heap, or 0; bytes that count as buffered */
  uint16_t image_len;
  char image[EYOTI_MSG_IMAGE];
};

/* What the unit has borrowed (loan.c). */
struct eyoti_msg_loan {
  struct eyoti_msg_loan *next; /* in its bin */
  struct eyoti_owned *owned;
  uint64_t bytes;
  fab_unit_t from; /* adds 1 to this unit's word `done`; 0: the buffer is a copy of the reader's */
  uint64_t done;
};
#define EYOTI_MSG_LOAN_BINS 64u /* by the buffer's address */

/* The last loans that were returned, for messages. */
#define EYOTI_MSG_RETURNED 8u
struct eyoti_msg_returned {
  const void *p, *site; /* the buffer; the call */
  bool cloned;          /* which has made it, or a copy, the unit's own */
};

struct eyoti_msg_queue {
  struct eyoti_msg_op *head, *tail;
};

/* Operations that are over and whose handles were not completed, in the order of their ends. */
struct eyoti_msg_ready {
  struct eyoti_msg_op *head, *tail;
  uint64_t added;
};
/* What waits for any remember (any.c). */
struct eyoti_msg_any {
  size_t last;    /* where the handle was that one of them completed last: programs put a new one
                     there */
  size_t waits;   /* where one was that is not over */
  uint32_t sends; /* handles of sends */
  uint64_t read;  /* handles that were read so far; for tests */
};

/* A message by the key of those receives of a kind that get it (arrivals.c). */
struct eyoti_msg_hashed {
  struct eyoti_msg_entry entry;
  struct eyoti_msg_arrival *arrival;
};
/* A message that has arrived, and no receive has matched. */
struct eyoti_msg_arrival {
  struct eyoti_msg_arrival *earlier, *later; /* in the order of arrival */
  struct eyoti_msg_hashed exact, *open;      /* open: one for each kind but 0, or NULL */
  struct eyoti_msg_key key;
  struct eyoti_msg_head head;
  struct eyoti_msg_ends ends;
  char bytes[]; /* head.len of them */
};

/* The area of a peer to which the caller sends (ring_out.c). */
#define EYOTI_MSG_AFTER 64u /* more than slots, so that no entry that is needed is overwritten */
struct eyoti_msg_area {
  uint64_t off, bytes;
  uint64_t head;                   /* the bytes that were used so far, those left out included */
  uint64_t after[EYOTI_MSG_AFTER]; /* head after the message of that number */
};
_Static_assert(EYOTI_MSG_AFTER > EYOTI_MSG_SLOTS_MAX, "see above");

struct eyoti_msg_peer {
  struct eyoti_msg_peer *chain; /* in its bucket */
  struct eyoti_msg_peer *next_busy;
  fab_unit_t unit;
  /* messages to it */
  struct eyoti_msg_reply *mine; /* in the caller's heap, at `reply`; NULL: it was sent nothing */
  uint64_t reply, knocks;
  uint64_t ring, sent; /* the ring at the peer, 0: none; messages that were put into it */
  uint64_t to_at;      /* in the ring, where the next message goes */
  uint64_t limit;      /* of sent: what the credit that was read last allows */
  char *mapped;        /* the ring, where the caller has it mapped, or NULL */
  uint32_t slots;
  bool grew;                   /* the ring is the wider one */
  struct eyoti_msg_area *area; /* at the peer, or NULL */
  int failed; /* the error of a message whose send had returned; later sends return it */
  bool busy;  /* messages wait for the answer to a knock, or for a free slot */
  struct eyoti_msg_queue waiting;
  /* messages from it */
  uint64_t theirs; /* its reply; 0: it has not knocked */
  char *from;      /* its ring, in the caller's heap at from_off; NULL: none */
  uint64_t from_off, taken, credited;
  uint64_t from_at;      /* in the ring, where the next message comes */
  uint64_t *credit_word; /* of the peer's reply, where the caller has it mapped, or NULL */
  bool credit_added;     /* the fabric adds to it, and may not have done so yet */
  uint32_t from_slots, wide_slots;
  char *wide; /* the wider one, while no message has come there */
  uint64_t wide_off;
  char *from_area; /* its area here, or NULL */
  uint64_t area_next, area_owed;
  uint32_t envelopes; /* that an area would have saved */
  uint32_t posted;    /* receives and probes that wait for it by its name */
};

/* A record of the caller's heap, and the knock that it serves or has served. */
struct eyoti_msg_own_record {
  uint64_t off, number;
  struct eyoti_msg_peer *peer;
};

/* The member of a team that a short message of that place named last. */
#define EYOTI_MSG_RECENT 8u /* places, by the member */
struct eyoti_msg_recent {
  eyot_team_t team;
  eyot_tunit_t unit;
  struct eyoti_msg_peer *peer; /* NULL: none */
  struct eyoti_team *of;       /* the team, when it was asked for last */
};

/* The place of a call, and its word, which messages carry (rt/place.h). */
struct eyoti_msg_made {
  const void *site;
  uint64_t word;
};

struct eyoti_msgs {
  fab_unit_t me, n_units;
  struct eyoti_msg_peer **bucket; /* by unit; n_buckets, a power of two */
  uint32_t n_buckets, n_peers;
  struct eyoti_msg_recent recent[EYOTI_MSG_RECENT];
  struct eyoti_msg_made made;
  /* peers that have a ring here, and those of them that are posted for, in one order (ring_in.c) */
  struct eyoti_msg_peer **ringed, **wanted;
  uint32_t n_ringed, n_wanted, ringed_cap; /* the capacity of both */
  struct eyoti_msg_peer *busy; /* a list by next_busy; `busy` says whether one still is */
  struct eyoti_idtab ops;      /* handles */
  struct eyoti_msg_op *spare;
  struct eyoti_msg_ready ready;
  struct eyoti_msg_any any;
  /* matching */
  struct eyoti_msg_index posted, arrived;
  uint32_t hashed; /* bits: the kinds by which messages are in arrived */
  struct eyoti_msg_arrival *first, *last, *spare_arrival;
  uint32_t n_spare_arrivals;
  uint64_t stamp;
  uint32_t n_posted; /* receives that wait for their match */
  uint32_t n_open;   /* of these, that leave something open */
  bool open_hashed;  /* they are in posted; else in this list, in their order: */
  struct eyoti_msg_entry *open_first, *open_last;
  uint32_t wild_wants; /* receives and probes that name no unit */
  uint32_t new_wants;  /* those that name one without a ring here */
  bool ends;           /* takes all, and answers nothing: all units are past their last call */
  struct eyoti_msg_queue getting; /* receives whose bytes are on their way */
  struct eyoti_msg_queue landing; /* those whose bytes land by themselves */
  struct eyoti_msg_queue sent;    /* background sends that wait for their words: n_sent */
  uint32_t n_sent;
  uint64_t buffered; /* bytes of background sends */
  /* own knocks (knock.c): n_records of them, of which the first n_knocking may be under way */
  struct eyoti_msg_own_record *record;
  uint32_t n_records, n_knocking;
  uint64_t reply_next; /* where the next peer's reply goes, while some are left */
  uint32_t n_replies, replies_left;
  /* knocks of others */
  uint64_t *linked_word;
  uint64_t taken; /* of them */
  uint32_t n_lists;
  uint64_t chain[EYOTI_MSG_LISTS_MOST]; /* of each list, the next record to read; 0: none */
  uint64_t heard;                       /* a greater value of the word is news */
  bool lost_warned;
  /* words by which receivers say that a send is done */
  uint64_t *free_done; /* their offsets */
  uint32_t n_free_done, done_cap;
  uint64_t done_values;
  uint64_t *free_ledger; /* of messages that both sides copy (share.h) */
  uint32_t n_free_ledger, ledger_cap;
  struct eyoti_msg_loan *loans[EYOTI_MSG_LOAN_BINS];
  uint32_t n_loans, n_returned;        /* now; so far */
  struct eyoti_msg_returned *returned; /* EYOTI_MSG_RETURNED, in turn; NULL: none, or no memory */
  int failed; /* the first error of what went on without a call that returns it */
  /* what the unit waits for inside other calls */
  struct eyoti_watch watch;
  bool watched;
  struct fab_cond *conds;
  const uint64_t **words;
  uint32_t conds_cap;
  uint32_t n_grown, n_areas; /* wider rings, and areas, that were given */
  char *image;               /* of a message that goes to an area; made at first use */
  uint64_t eager, most_buffered, slots, slots_most, area_bytes, block; /* options */
  uint64_t stored_end; /* sends of fewer bytes go by stores (express.c) */
};

/* state.c: the state, made at first use. Errors: ENOMEM, EINVAL (an option). */
int eyoti_msg_get(struct eyot_rt *rt, struct eyoti_msgs **out);
/* For a public function: no other call of the unit continues messages until leave, which lets all
 * calls do so if something is on its way; it returns rc. */
void eyoti_msg_enter(struct eyoti_msgs *m);
int eyoti_msg_leave(struct eyot_rt *rt, struct eyoti_msgs *m, int rc);
/* Calls of the unit continue nothing any more, if nothing is on its way. Not between enter and
 * leave of a call that has begun something. */
void eyoti_msg_unwatch(struct eyot_rt *rt, struct eyoti_msgs *m);
/* The same if nothing has changed that other calls wait for. */
static inline int eyoti_msg_unchanged(struct eyot_rt *rt, struct eyoti_msgs *m, int rc) {
  if (__builtin_expect(m->watched, 0)) eyoti_msg_unwatch(rt, m);
  m->watch.held = false;
  return rc;
}
/* The peer of a unit, made at first use. Errors: ENOMEM. */
int eyoti_msg_peer(struct eyot_rt *rt, struct eyoti_msgs *m, fab_unit_t unit,
                   struct eyoti_msg_peer **out);
/* The same, or NULL if it was not made. Local. */
struct eyoti_msg_peer *eyoti_msg_peer_find(const struct eyoti_msgs *m, fab_unit_t unit);
/* A word of a queue node's page at `unit` (eyoti_msg_head_off, EYOTI_MSG_LINKED_OFF). */
static inline struct fab_addr eyoti_msg_word_at(struct eyot_rt *rt, fab_unit_t unit, uint64_t off) {
  return eyoti_gmem_sync_at(rt, unit, off);
}

/* words.c. Sets a word at a peer, or adds to it; complete here on return. Errors: the fabric's. */
int eyoti_msg_signal(struct eyot_rt *rt, struct fab_addr at, enum fab_sig_op op, uint64_t value);
/* Bytes and a word that a peer waits for: they leave although the caller may make no further call.
 * src may be used again on return. Errors: the fabric's. */
int eyoti_msg_put_word(struct eyot_rt *rt, struct fab_addr dst, const void *src, uint64_t len,
                       const struct fab_sig *sig);
/* A word of the own heap by which a peer says that an operation is done, and the value that it gets
 * then; values only grow, so a word may serve one operation after another. Errors: ENOMEM. */
int eyoti_msg_done_take(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
void eyoti_msg_done_give(struct eyoti_msgs *m, struct eyoti_msg_op *op);

/* direct.c: whether a long message to that unit goes by the fabric's own messages. Local. */
bool eyoti_msg_direct_can(struct eyot_rt *rt, fab_unit_t to, uint64_t bytes);
/* Sends the bytes, after the envelope. Errors: the fabric's. */
int eyoti_msg_direct_send(struct eyot_rt *rt, struct eyoti_msg_op *op);
/* The receiver lets the bytes, `len`, land. Errors: ENOMEM. */
int eyoti_msg_direct_expect(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                            uint64_t len);
/* The word, of the own heap, that says that they have; waits for it; ends the use of it. */
const uint64_t *eyoti_msg_direct_word(struct eyot_rt *rt, const struct eyoti_msg_op *op);
int eyoti_msg_direct_wait(struct eyot_rt *rt, const struct eyoti_msg_op *op);
void eyoti_msg_direct_end(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* They no longer land; buf is the caller's again. */
void eyoti_msg_direct_withdraw(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* At eyot_finalize: what no receive has matched is dropped, and its sender told. Local. */
int eyoti_msg_direct_refuse(struct eyot_rt *rt);

/* op.c: a new operation, zeroed but for its image. Errors: ENOMEM. */
int eyoti_msg_op_new(struct eyot_rt *rt, struct eyoti_msgs *m, enum eyoti_msg_role role,
                     struct eyoti_msg_op **out);
/* The same for a receive that is over at once, or gets a short message as a rule: nothing after its
 * key is set. fill: what is after its buffer is zeroed, for one that gets another message. */
int eyoti_msg_op_new_lean(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op **out);
static inline void eyoti_msg_op_fill(struct eyoti_msg_op *op) {
  const size_t from = offsetof(struct eyoti_msg_op, owned);
  if (op->lean) memset((char *)op + from, 0, offsetof(struct eyoti_msg_op, image) - from);
  op->lean = false;
}
/* Gives it a handle. Errors: EBUSY, ENOMEM. */
int eyoti_msg_op_name(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* Frees it, and its handle. */
void eyoti_msg_op_free(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* The operation of a handle, or NULL. */
struct eyoti_msg_op *eyoti_msg_op_of(const struct eyoti_msgs *m, eyot_msg_t handle);
/* Ends an operation: one in the background is freed. */
void eyoti_msg_op_end(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op, int rc);
/* Its handle can be completed from now on. */
static inline void eyoti_msg_ready_add(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  struct eyoti_msg_ready *r = &m->ready;
  op->ready = true;
  op->next = NULL;
  op->before = r->tail;
  if (r->tail != NULL)
    r->tail->next = op;
  else
    r->head = op;
  r->tail = op;
  r->added++;
}
static inline void eyoti_msg_ready_remove(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  struct eyoti_msg_ready *r = &m->ready;
  op->ready = false;
  if (op->before != NULL)
    op->before->next = op->next;
  else
    r->head = op->next;
  if (op->next != NULL)
    op->next->before = op->before;
  else
    r->tail = op->before;
}
void eyoti_msg_queue_add(struct eyoti_msg_queue *q, struct eyoti_msg_op *op);
void eyoti_msg_queue_remove(struct eyoti_msg_queue *q, struct eyoti_msg_op *op);

/* arrivals.c: at the end. */
void eyoti_msg_arrivals_free(struct eyoti_msgs *m);

/* match.c: local. */
/* A message has come: gives it to the earliest receive that matches, or keeps it. Errors:
 * ENOMEM. */
int eyoti_msg_arrive(struct eyot_rt *rt, struct eyoti_msgs *m, fab_unit_t from, const char *image);
/* The same of a peer's message whose bytes are in its slot, if the earliest receive that matches
 * names sender and tag and gets them whole. False: this is none, and nothing was done. */
bool eyoti_msg_arrive_inside(struct eyot_rt *rt, struct eyoti_msgs *m,
                             const struct eyoti_msg_peer *p, const char *image);
/* Gives a message to a receive: copies its bytes, or begins to get them. */
void eyoti_msg_deliver(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                       const struct eyoti_msg_arrival *a, const char *bytes);
/* The earliest posted receive that matches, or NULL. */
struct eyoti_msg_op *eyoti_msg_posted_for(const struct eyoti_msgs *m,
                                          const struct eyoti_msg_key *is);
/* Posts a receive. Errors: ENOMEM. */
int eyoti_msg_post(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* Takes a posted receive back. */
void eyoti_msg_unpost(struct eyoti_msgs *m, struct eyoti_msg_op *op);

/* loan.c: a receive has borrowed what is in op->owned; done 0: that is a copy of the caller's own.
 * Errors: ENOMEM. */
int eyoti_msg_borrowed(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_op *op,
                       fab_unit_t from, uint64_t done);
/* Where the loan of that buffer stands, of several the shortest, so that others cover what was lent
 * in any order of returns; *most: the bytes of the longest. Takes one out, which the caller
 * returns, or makes its own (cloned). Local. Errors: EINVAL (logged). */
int eyoti_msg_loan_find(struct eyot_rt *rt, const void *p, struct eyoti_msg_loan ***out,
                        uint64_t *most);
struct eyoti_msg_loan eyoti_msg_loan_remove(struct eyot_rt *rt, struct eyoti_msg_loan **at,
                                            bool cloned);
/* At eyot_finalize: warns of what the unit has not returned. Local. */
void eyoti_msg_loans_left(struct eyot_rt *rt, const struct eyoti_msgs *m);
void eyoti_msg_loans_free(struct eyoti_msgs *m);

/* out.c: sends. */
/* Starts a send whose to, key, buf and bytes are set; sync: it is over when it is matched. It may
 * be over on return; if it is not, and does not wait, the caller makes it one of the background.
 * Errors: ENOMEM. */
int eyoti_msg_start(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op, bool sync);
/* Starts a loan's message to a reader, which is then of the background; its loan is charged with
 * errors of the fabric. Errors: ENOMEM, that of an earlier message; then op is the caller's. */
int eyoti_msg_start_lent(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* Gives a loan of `readers` messages its word. Errors: ENOMEM. */
int eyoti_msg_loan_word(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *loan,
                        uint32_t readers);
/* A reader of the loan cannot be reached. Local. */
void eyoti_msg_loan_lost(struct eyoti_msg_op *loan, int rc);
/* The call that has started the send returns before it is over: from now on the layer completes
 * it. */
void eyoti_msg_background(struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* Hands over what can be handed over now. */
void eyoti_msg_push(struct eyot_rt *rt, struct eyoti_msgs *m);
/* Looks at so many background sends, each at most once, and frees those that are done. */
void eyoti_msg_reap(struct eyot_rt *rt, struct eyoti_msgs *m, uint32_t most);
#define EYOTI_MSG_REAPED_AT_A_TIME 4u /* by a send that has memory for what it adds */
/* True if the send is complete; sets `over`. */
bool eyoti_msg_is_sent(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);

/* in.c: takes what has come and the unit wants, and answers. Errors: ENOMEM, the fabric's. */
int eyoti_msg_pull(struct eyot_rt *rt, struct eyoti_msgs *m);
/* For reports of a wait: `knocked` of struct eyoti_about_message. */
uint32_t eyoti_msg_knocked(struct eyot_rt *rt);
static inline bool eyoti_msg_wants_new(const struct eyoti_msgs *m) {
  return m->ends || m->wild_wants > 0 || m->new_wants > 0;
}
/* The receives whose bytes are on their way: waits for these, or for the oldest of them, or ends
 * those whose bytes have come; and says so to their senders. landed: of those that land. */
void eyoti_msg_landed(struct eyot_rt *rt, struct eyoti_msgs *m);
void eyoti_msg_finish(struct eyot_rt *rt, struct eyoti_msgs *m);
void eyoti_msg_finish_oldest(struct eyot_rt *rt, struct eyoti_msgs *m);
void eyoti_msg_finish_done(struct eyot_rt *rt, struct eyoti_msgs *m);

/* wait.c: continues all that can go on without another unit; or even without a wait for bytes that
 * are on their way, which stay so. Errors: as eyoti_msg_pull. */
int eyoti_msg_advance(struct eyot_rt *rt, struct eyoti_msgs *m);
int eyoti_msg_poll(struct eyot_rt *rt, struct eyoti_msgs *m);
/* Waits until something has come that the unit wants: a message, an answer, or the end of one of n
 * operations, of which some may be NULL. `about`, what reports of waiting say of it: a key of the
 * first of them, or of a probe. Errors: ETIMEOUT (not logged), ENOMEM, the fabric's. */
int eyoti_msg_await(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *const *ops,
                    size_t n, uint64_t timeout_ns);
/* True if the operation is over. */
bool eyoti_msg_is_over(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* Continues messages until one of n operations is over: *index; NULL ones are none. Errors: as
 * eyoti_msg_await. */
int eyoti_msg_wait_for(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *const *ops,
                       size_t n, uint64_t timeout_ns, size_t *index);
/* Continues messages until another operation that has a handle is over; about: a receive that is
 * not, for reports. No handle of a send is waited for. Errors: as eyoti_msg_await. */
int eyoti_msg_wait_ready(struct eyot_rt *rt, struct eyoti_msgs *m,
                         const struct eyoti_msg_op *about);
/* Sets the words that other calls wait for. Without memory for them, they continue nothing. */
void eyoti_msg_watch_renew(struct eyot_rt *rt, struct eyoti_msgs *m);
/* Writes "of 8 bytes from unit 3, tag 7" for messages of errors. */
#define EYOTI_MSG_WORDS 96u
const char *eyoti_msg_words(const struct eyoti_msg_key *key, uint64_t bytes,
                            char text[EYOTI_MSG_WORDS]);
#endif
