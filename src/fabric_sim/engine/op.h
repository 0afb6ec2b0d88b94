/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - one operation in flight, and the pool of all operations of a world (world.h). Both
 * engines, fault/ and explore/ use it.
 *
 * Why it exists: an operation lives from its post until its origin has seen its completion, longer
 * than any call. Thousands of units post millions of operations, so the pool reuses them without
 * malloc. An operation's address is stable; its generation makes the requests of retired ones
 * void. */
#ifndef EYOT_FABRIC_SIM_ENGINE_OP_H
#define EYOT_FABRIC_SIM_ENGINE_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fabric/fabric.h"

#define SIM_INLINE_BYTES 64u /* payloads up to this many bytes are stored inside the operation */
#define SIM_FEW_BYTES 16u    /* those of a put or get beside its address */
#define SIM_OP_CHUNK 8192u   /* operations per pool chunk: most of a large page */
#define SIM_OP_CHUNKS_MAX 16384u
#define SIM_OP_NONE UINT32_MAX /* in place of an index */

enum sim_op_kind { SIM_OP_PUT = 0, SIM_OP_GET, SIM_OP_AMO, SIM_OP_SIGNAL /* put with signal */ };
#define SIM_OP_KINDS 4u

enum sim_op_flag {
  SIM_F_INJECTED = 1u << 0, /* its times are final: the network has accepted all of it */
  SIM_F_REQ = 1u << 1,      /* the program holds a request for it */
  SIM_F_LISTED = 1u << 2,   /* in its origin's list of unfinished operations */
  SIM_F_FENCED = 1u << 3,   /* an order came after it, before it was visible */
  /* a same-node store: waiting for it ends at sent_ps although it is visible only at target_at */
  SIM_F_BUFFERED = 1u << 4,
  SIM_F_RELEASED = 1u << 5, /* BUFFERED, and the origin has waited for it */
  SIM_F_SPLIT = 1u << 6,    /* arrives in two parts */
  SIM_F_LANDS = 1u << 7,    /* has a result that lands at the origin at done_at */
  SIM_F_DELIVERED = 1u << 8,
  SIM_F_LANDED = 1u << 9,
  SIM_F_OFFERED = 1u << 10, /* untimed engine: no earlier operation delays it any more */
  /* timed engine: an order of its set alone came after it, and after all of the set before it */
  SIM_F_SET_ORDERED = 1u << 10,
  SIM_F_LOST = 1u << 11, /* lost by a fault: it has no effect when it arrives (fault/fault.h) */
  /* untimed engine: lost because a link is down; its origin sees the error when it would have
   * arrived */
  SIM_F_CUT = 1u << 12,
  /* timed engine: an order of its target, or of all, came after it, and after all before it */
  SIM_F_ORDERED = 1u << 13,
  SIM_F_ORDERED_ALL = 1u << 14,
  SIM_F_PENDING = 1u << 15, /* untimed engine: not locally complete */
  SIM_F_HELD = 1u << 15     /* timed engine: comes after one whose times are not known (flow.h) */
};

/* Of sim_op.sig_op: the runtime's own message (fab_sig.message). */
#define SIM_SIG_MESSAGE_BIT 1u

/* The words of a split put that arrive first. */
enum sim_split {
  SIM_SPLIT_HEAD = 0,
  SIM_SPLIT_TAIL,
  SIM_SPLIT_EVEN,
  SIM_SPLIT_ODD,
  SIM_SPLIT_ALL /* all words, then the signal */,
  SIM_SPLIT_EACH /* `cut` parts of every cut-th word; no draw chooses it */
};
#define SIM_SPLITS 5u

/* Three cache lines: the fields of the lists, of the times and of reaping; those that posting,
 * injection and delivery touch; the payload, if it is long and not that of a put or get of a word
 * or two (sim_op_payload). So small operations touch two lines, and reaping one.
 *
 * post_at, target_at and done_at order operations: in the timed engine they are virtual time in
 * picoseconds; in the untimed engine they are numbers of the origin's own sequence of posts, orders
 * and releases (explore/untimed_op.c). */
struct sim_op {
  /* the origin's operations in flight, and those of them to this target (inflight.h), in the order
   * of posting: indices; next also links free operations */
  uint32_t next, prev, next_to, prev_to;
  uint64_t post_at; /* the origin's clock when it passed the operation to the NIC */
  /* all of it is visible / the target memory is read / the atomic acts */
  uint64_t target_at;
  union {
    uint64_t done_at; /* the operation is complete in every respect */
    struct {          /* untimed engine (explore/untimed_op.c) */
      uint32_t ordered_at, set_ordered_at;
    };
  };
  uint32_t origin, target;
  uint32_t index, gen;
  uint16_t flags;
  fab_set_t set; /* FAB_SET_DEFAULT or another number */
  int16_t err;
  uint8_t kind;
  uint8_t width;

  union {
    uint64_t sent_ps; /* the source has been read */
    struct {          /* untimed engine (explore/untimed_op.c) */
      uint32_t first_proc;
      uint8_t parts, left; /* number of parts, and a bit for each that has not arrived */
      uint8_t unread;      /* its source has not been read (order tso) */
    };
  };
  uint64_t off, len;
  void *local; /* put: the source; get, amo: the destination (may be NULL for amo) */
  union {
    struct {
      uint64_t value;  /* signal: its value; amo: the operand, later the value before */
      uint64_t value2; /* signal: offset of its word; amo: the value to compare with */
    };
    unsigned char few[SIM_FEW_BYTES]; /* put, get: a payload of up to so many bytes */
  };
  uint32_t sig_seg; /* signal: segment of its word */
  uint32_t cut;     /* split: number of words in the head; while it is open: see flow.h */
  uint32_t seg;
  uint8_t amo_op;                           /* enum fab_amo_op */
  uint8_t sig_op;                           /* enum fab_sig_op, and SIM_SIG_MESSAGE_BIT of a set */
  uint8_t split;                            /* enum sim_split */
  bool floats : 1, narrow : 1, follows : 1; /* amo: see struct fab_amo */
  bool held_off : 1;  /* timed engine: it has waited for its target (away.h) */
  bool by_memory : 1; /* timed engine: its target is reached by memory (machine/net.h) */

  union {
    unsigned char bytes[SIM_INLINE_BYTES];
    unsigned char *heap; /* payload of more than SIM_INLINE_BYTES */
    uint64_t begin_ps;   /* of a long copy within a node: see flow.h */
  } u;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct sim_op, sent_ps) == 64, "lists and times have the first cache line");
_Static_assert(offsetof(struct sim_op, u) == 128, "the payload has the third cache line");
_Static_assert(sizeof(struct sim_op) == 192, "an operation is three cache lines");

struct sim_pool {
  struct sim_op **chunks;
  uint32_t free; /* index, or SIM_OP_NONE; the next one is prefetched */
  uint32_t n_chunks;
  uint32_t live;
};

void sim_pool_init(struct sim_pool *p);
void sim_pool_fini(struct sim_pool *p);
/* Adds free operations. Errors: EBUSY, ENOMEM (logged). */
int sim_pool_grow(struct sim_pool *p);
void sim_pool_put(struct sim_pool *p, struct sim_op *op);
/* Returns all `n` of a list by `next` from first to last. */
void sim_pool_put_list(struct sim_pool *p, struct sim_op *first, struct sim_op *last, uint32_t n);

/* Of a put with signal: whether it is one of the runtime's own messages. */
static inline bool sim_op_is_message(const struct sim_op *op) {
  return op->sig_op >> SIM_SIG_MESSAGE_BIT != 0;
}

/* Request ids: 31 bits of the generation in the upper half, index + 1 in the lower, so that 0 is no
 * request and the highest bit stays free. */
static inline fab_req_t sim_op_req(const struct sim_op *op) {
  return (uint64_t)(op->gen & INT32_MAX) << 32 | (op->index + 1u);
}
/* Returns the live operation of unit `origin` with that request, or NULL: unknown, foreign or
 * retired. */
struct sim_op *sim_pool_find(const struct sim_pool *p, fab_req_t req, uint32_t origin);

/* Returns the operation with that index, which the pool must have handed out before. */
static inline struct sim_op *sim_pool_at(const struct sim_pool *p, uint32_t index) {
  return &p->chunks[index / SIM_OP_CHUNK][index % SIM_OP_CHUNK];
}

/* Returns an operation with index and gen set, all else undefined; NULL: out of memory. */
static inline __attribute__((always_inline)) struct sim_op *sim_pool_get(struct sim_pool *p) {
  if (__builtin_expect(p->free == SIM_OP_NONE, 0) && sim_pool_grow(p) != 0) return NULL;
  struct sim_op *op = sim_pool_at(p, p->free);
  p->free = op->next;
  if (op->next != SIM_OP_NONE) {
    const struct sim_op *next = sim_pool_at(p, op->next);
    __builtin_prefetch(next, 1);
    __builtin_prefetch((const char *)next + 64, 1);
  }
  p->live++;
  op->gen++;
  return op;
}

/* Whether the operation puts an aligned word of 2, 4 or 8 bytes, which may end a wait as a signal
 * does. */
static inline bool sim_op_is_word_put(const struct sim_op *op) {
  return (op->kind == SIM_OP_PUT || op->kind == SIM_OP_SIGNAL) &&
         (op->len == 8 || op->len == 4 || op->len == 2) && op->off % op->len == 0;
}
/* Timed engine: when the operation, which the NIC has accepted, is locally complete; 0: at once.
 * One with a result has landed at done_at, and is seen just after. */
static inline uint64_t sim_op_local_ps(const struct sim_op *op) {
  if ((op->flags & SIM_F_LANDS) != 0) return op->done_at + 1;
  return op->kind != SIM_OP_AMO && op->len > SIM_INLINE_BYTES ? op->sent_ps + 1 : 0;
}

/* Whether it writes to the origin's memory, and how many bytes. */
static inline bool sim_op_has_result(const struct sim_op *op) {
  return op->kind == SIM_OP_GET || (op->kind == SIM_OP_AMO && op->local != NULL);
}
static inline uint64_t sim_op_result_bytes(const struct sim_op *op) {
  if (!sim_op_has_result(op)) return 0;
  return op->kind == SIM_OP_GET ? op->len : (op->narrow ? sizeof(uint32_t) : sizeof(uint64_t));
}

static inline unsigned char *sim_op_payload(struct sim_op *op) {
  if (op->len <= SIM_FEW_BYTES && (op->kind == SIM_OP_PUT || op->kind == SIM_OP_GET))
    return op->few;
  return op->len <= SIM_INLINE_BYTES ? op->u.bytes : op->u.heap;
}
/* Copies a payload: 8 bytes, the most frequent length, without a call. */
static inline void sim_op_copy(void *to, const void *from, uint64_t len) {
  if (__builtin_expect(len == sizeof(uint64_t), 1))
    memcpy(to, from, sizeof(uint64_t));
  else
    memcpy(to, from, len);
}
#endif
