/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - what one member does in one round of a collective, as a flat list of steps. For the
 * generators (gen_*.c), which append the steps, and run.c, which executes them.
 *
 * Why it exists: an algorithm is written once, as a list that contains neither buffers nor numbers
 * of operations. The same list serves a blocking call, one that goes on inside other calls, and a
 * persistent one. A generator never touches the fabric. Source: Hoefler, Lumsdaine, Rehm:
 * Implementation and performance analysis of non-blocking collective operations for MPI, SC 2007
 * (schedules). */

/* Rules for a generator, void gen(struct eyoti_plan *p, const struct eyoti_coll_args *a):
 * - Steps run in the order in which they were appended. Only an await can stop the list.
 * - Messages land in the receiver's board: p->words words and p->board_bytes bytes, which are the
 *   plan's alone in this round and undefined at its start (words: hold no number of this round).
 *   Every member must ask for the same numbers of both: they follow from the arguments and the size
 *   of the team, never from the member's place in it.
 * - Every message ends with a signal in a word that its receiver awaits in the same plan. At the
 *   end of its plan a member has so received all that is sent to it.
 * - A word has one sender in a round. The first message between two members is a head: it carries
 *   the hash of the arguments, which the receiver compares. Later ones may be chunks: 1, 2, 3, ...
 *   in a word of their own. A chunk k that is there says nothing of chunks before k unless the
 *   sender has waited for something between them, or they have different words: two puts of one
 *   sender may overtake each other.
 * - A slot of the board is written twice in a round only if the receiver has told the sender in
 *   between (plan_signal) that it has used the first.
 * - What is put from BOARD stays untouched until the end of the plan, and then until the board is
 *   used again: no waiting. What is put from IN, OUT or TEMP must not be changed by a later step
 *   unless plan_drain stands between. The plan's end drains by itself.
 * - Messages up to EYOTI_PLAN_SMALL bytes are best put from BOARD (plan_stage copies them there).
 * - The order of combinations must not depend on arrival.
 * - A member without anything to do appends nothing. A team of one never gets here.
 * - A generator runs twice, and asks for the same each time: a plan takes no more memory than its
 *   steps need, at each of thousands of members. */
#ifndef EYOT_COLL_PLAN_H
#define EYOT_COLL_PLAN_H

#include "coll/args.h"

#define EYOTI_PLAN_SMALL 64u /* bytes; messages that a team's first board carries */
/* Of teams with more members, epochs have a hot part, which all members use, and a cold one, which
 * few members use: of thousands of simulated members, the hot parts share the page of the heap that
 * has the team's control words (teams/state.h). */
#define EYOTI_HOT_UNITS 4096u
/* The bytes of words that are hot, and of the board as many: what an allreduce of 8 bytes by
 * doubling uses. A generator reserves first what all members use. UINT64_MAX: all. */
static inline uint64_t eyoti_plan_hot(uint32_t size) {
  uint32_t levels = 0;
  if (size <= EYOTI_HOT_UNITS) return UINT64_MAX;
  while (levels < 32 && ((uint64_t)1 << levels) < size) levels++;
  return (levels + 2) * 8u;
}

/* IN, OUT: the caller's buffers of the function, from byte a->from of each block on (which a plan
 * does not see: byte 0 is the first of this round). OUT may be IN (in place). BOARD: the caller's
 * own board. TEMP: private memory of p->temp_bytes bytes, undefined at the start. */
enum eyoti_base { EYOTI_IN = 0, EYOTI_OUT, EYOTI_BOARD, EYOTI_TEMP, EYOTI_BASES };
struct eyoti_ref {
  enum eyoti_base base;
  uint64_t off; /* bytes */
};

enum eyoti_step_kind {
  EYOTI_STEP_PUT = 0,
  EYOTI_STEP_AWAIT,
  EYOTI_STEP_COPY,
  EYOTI_STEP_COMBINE,
  EYOTI_STEP_DRAIN,
  EYOTI_STEP_PUT_EACH,
  EYOTI_STEP_AWAIT_EACH,
  EYOTI_STEP_GET_EACH,
  EYOTI_STEP_PACK,
  EYOTI_STEP_UNPACK,
  EYOTI_STEP_SEND,
  EYOTI_STEP_EXPECT,
  EYOTI_STEP_NOTE,
  EYOTI_STEP_AGREE
};

#define EYOTI_HEAD 0u /* of chunk: the message is a head */

struct eyoti_step {
  uint8_t kind;    /* enum eyoti_step_kind */
  uint8_t from_in; /* enum eyoti_base of `from` */
  uint8_t to_in;   /* the same of `to`; PUT: BOARD, of the peer */
  bool before;     /* COMBINE */
  union {
    uint32_t word;  /* PUT, AWAIT, ..._EACH, SEND, EXPECT */
    uint32_t count; /* COPY: runs of len bytes */
  };
  union {
    struct {           /* PUT, AWAIT, SEND, EXPECT, AGREE */
      uint32_t chunk;  /* EYOTI_HEAD, or the number of a chunk */
      uint32_t peer;   /* a member of the team */
      fab_unit_t unit; /* the same as a unit */
    };
    struct { /* COPY; ..._EACH: of the members' blocks */
      uint64_t from_stride, to_stride;
    };
    struct { /* PACK, UNPACK */
      const struct eyoti_runs *shape;
      uint64_t piece; /* the first byte of the block that is moved */
    };
  };
  uint64_t from, to;
  uint64_t len; /* bytes; COMBINE: elements */
  /* NOTE: at `to` two numbers are written, `from` and `len`. AGREE: at `from` they must be `to` and
   * `len`. */
};

struct eyoti_plan;
struct eyoti_quick;
typedef void (*eyoti_plan_gen)(struct eyoti_plan *p, const struct eyoti_coll_args *a);

struct eyoti_plan {
  const struct eyoti_team *t;
  uint32_t size, me; /* the team's */
  struct eyoti_coll_args args;
  /* what the generator asks for */
  uint32_t words;
  uint64_t board_bytes;
  uint64_t hot_bytes; /* of the board: no reservation lies across its end */
  uint64_t temp_bytes;
  /* Whether a member that has ended the plan knows that all members have begun it. The same on all
   * members. False is always right, and costs a barrier every few calls. */
  bool symmetric;
  bool direct; /* it has steps that expect: of a call that fails they are withdrawn */
  /* the list */
  struct eyoti_step *step; /* NULL: the generator's first run, which counts the steps; or `code` */
  uint8_t *code;           /* of large teams the same list in few bytes (plan_code.h), or NULL */
  uint32_t steps;
  /* kept.c's own */
  eyoti_plan_gen asked; /* the generator of the call, before an algorithm was chosen */
  eyoti_plan_gen call;  /* of a whole call: its generator before anything was chosen, or NULL */
  uint32_t hash;        /* of args, after nothing */
  uint64_t used;        /* the time of its last use */
  uint32_t users;
  bool kept;
  bool whole;                       /* a blocking call has had no other operation */
  bool compares;                    /* its function is symmetric (args.h) */
  uint16_t awaits;                  /* eyoti_coll_awaits */
  bool slow;                        /* it cannot be run as quick.h says */
  uint8_t class;                    /* of its boards (channel.h), and one; 0: to be found */
  struct eyoti_coll_blocks in, out; /* of args, where it is kept: in memory of its own */
  uint64_t *own;                    /* that memory, or NULL */
  struct eyoti_quick *quick;        /* quick.c's own; NULL: none yet */
};

/* -- for generators ---------------------------------------------------------------------------- */

static inline struct eyoti_ref eyoti_ref(enum eyoti_base base, uint64_t off) {
  return (struct eyoti_ref){base, off};
}
/* The member `distance` places after (negative: before) the caller in the ring of members. */
static inline uint32_t eyoti_plan_member(const struct eyoti_plan *p, int64_t distance) {
  int64_t at = ((int64_t)p->me + distance) % (int64_t)p->size;
  return (uint32_t)(at < 0 ? at + (int64_t)p->size : at);
}
/* Reserves `n` words, or `bytes` bytes of the board or of TEMP (aligned to 8), for every member
 * alike. Returns the first word, or the reference. */
static inline uint32_t eyoti_plan_words(struct eyoti_plan *p, uint32_t n) {
  uint32_t first = p->words;
  p->words += n;
  return first;
}
static inline struct eyoti_ref eyoti_plan_board(struct eyoti_plan *p, uint64_t bytes) {
  uint64_t first = p->board_bytes, whole = (bytes + 7) / 8 * 8;
  if (first < p->hot_bytes && whole > p->hot_bytes - first) first = p->hot_bytes;
  p->board_bytes = first + whole;
  return eyoti_ref(EYOTI_BOARD, first);
}
static inline struct eyoti_ref eyoti_plan_temp(struct eyoti_plan *p, uint64_t bytes) {
  uint64_t first = p->temp_bytes;
  p->temp_bytes += (bytes + 7) / 8 * 8;
  return eyoti_ref(EYOTI_TEMP, first);
}
static inline struct eyoti_ref eyoti_ref_add(struct eyoti_ref r, uint64_t bytes) {
  r.off += bytes;
  return r;
}

/* Puts len bytes at `from` to `slot` (a BOARD reference) of the board of `peer`, and then sets
 * word `word` there: to the head if chunk is EYOTI_HEAD, else to that chunk. len 0: the signal
 * alone. peer is not the caller. */
void eyoti_plan_put(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref slot,
                    struct eyoti_ref from, uint64_t len, uint32_t word, uint32_t chunk);
/* The signal alone. */
void eyoti_plan_signal(struct eyoti_plan *p, uint32_t peer, uint32_t word, uint32_t chunk);
/* Waits until `peer` has set the caller's word so (of chunks: to this one or a later one). */
void eyoti_plan_await(struct eyoti_plan *p, uint32_t peer, uint32_t word, uint32_t chunk);
/* A part of the board with a copy of len bytes at `from`, for messages to any number of members. */
struct eyoti_ref eyoti_plan_stage(struct eyoti_plan *p, struct eyoti_ref from, uint64_t len);
/* Copies len bytes; to and from do not overlap, unless they are equal (nothing is done then). */
void eyoti_plan_copy(struct eyoti_plan *p, struct eyoti_ref to, struct eyoti_ref from,
                     uint64_t len);
/* Copies `count` runs of len bytes each, that begin to_stride and from_stride bytes apart. */
void eyoti_plan_copy_runs(struct eyoti_plan *p, struct eyoti_ref to, uint64_t to_stride,
                          struct eyoti_ref from, uint64_t from_stride, uint64_t len,
                          uint64_t count);
/* Copies bytes piece..piece+len-1 of a block in runs, whose first one is `piece` bytes before
 * `block`, to `packed`, or from there. The shape is the call's, and lives as long as the plan. */
void eyoti_plan_pack(struct eyoti_plan *p, struct eyoti_ref packed, const struct eyoti_runs *shape,
                     struct eyoti_ref block, uint64_t piece, uint64_t len);
void eyoti_plan_unpack(struct eyoti_plan *p, const struct eyoti_runs *shape, struct eyoti_ref block,
                       struct eyoti_ref packed, uint64_t piece, uint64_t len);
/* For plans that would have a step for each member. Each goes from the next member round to the one
 * before the caller. */
/* Puts len bytes at from + member * stride to slot + me * len of every other member's board, and
 * sets its word `word` + me to the head. */
void eyoti_plan_put_each(struct eyoti_plan *p, struct eyoti_ref slot, struct eyoti_ref from,
                         uint64_t stride, uint64_t len, uint32_t word);
/* Awaits the head of every other member in the caller's word `word` + member. */
void eyoti_plan_await_each(struct eyoti_plan *p, uint32_t word);
/* Gets len bytes at `slot` of every other member's board to `to` + member * stride, and waits for
 * them. The caller has learned from messages that they are there. */
void eyoti_plan_get_each(struct eyoti_plan *p, struct eyoti_ref to, uint64_t stride,
                         struct eyoti_ref slot, uint64_t len);
/* acc[i] = acc[i] OP operand[i] for n elements of a->type; ..._before: operand[i] OP acc[i]. */
void eyoti_plan_combine(struct eyoti_plan *p, struct eyoti_ref acc, struct eyoti_ref operand,
                        uint64_t n);
void eyoti_plan_combine_before(struct eyoti_plan *p, struct eyoti_ref acc, struct eyoti_ref operand,
                               uint64_t n);
/* Where the fabric has messages to private memory (fab_ops.send), in a call that has compared its
 * arguments before (call.h, `direct`), or to a member whose message has shown that it expects it:
 * sends len bytes at `from` to where `peer` expects them, and sets its word `word` to the head, or
 * that chunk; expects those of `peer` at `to`, which is not in the board. A message is expected
 * once; its await follows, and comes before the next chunk is expected. len is not 0. */
void eyoti_plan_send(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref from, uint64_t len,
                     uint32_t word, uint32_t chunk);
void eyoti_plan_expect(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref to, uint64_t len,
                       uint32_t word, uint32_t chunk);
/* Writes two numbers at `to`: the bytes that the caller sends to a member, and that it expects. */
void eyoti_plan_note(struct eyoti_plan *p, struct eyoti_ref to, uint64_t sends, uint64_t expects);
/* The numbers of `peer`, at `from`, must be these: else the call fails with EMISMATCH. */
void eyoti_plan_agree(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref from, uint64_t sends,
                      uint64_t expects);
/* Waits until the bytes of all puts so far from IN, OUT and TEMP may be changed. */
void eyoti_plan_drain(struct eyoti_plan *p);

/* -- for the engine ---------------------------------------------------------------------------- */

/* Makes the plan of one round. NULL: no memory (logged). */
struct eyoti_plan *eyoti_plan_make(const struct eyoti_team *t, const struct eyoti_coll_args *a,
                                   eyoti_plan_gen gen);
void eyoti_plan_free(struct eyoti_plan *p);
/* Whether a plan that is kept is of these blocks of several lengths, or there are none in both. */
bool eyoti_plan_has_blocks(const struct eyoti_plan *p, const struct eyoti_coll_args *b,
                           uint64_t from);
/* Gives the plan blocks of its own instead of the call's, so that it can be kept. false: it cannot
 * be: it is of blocks in runs, of a later round, or of a large team, or there is no memory. */
bool eyoti_plan_own(struct eyoti_plan *p);
#endif
