/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - an exchange on one unit, and what its edges have in global memory. For the files of
 * src/fused. run.c has the protocol.
 *
 * Each end of an edge has two slots in a block of its own unit, which the other end alone writes:
 * exchange k uses slot k mod 2. A slot is a word, which is set to k, and a body: the other end's
 * block of the program, or a packed message. */
#ifndef EYOT_FUSED_STATE_H
#define EYOT_FUSED_STATE_H

#include <eyot/exchange.h>

#include "base/hash.h"
#include "coll/neighbor.h"

#define EYOTI_FUSED_SLOTS 2u
#define EYOTI_FUSED_BODY 16u /* bytes of a slot before its body */

/* Before the bytes of a packed message. */
struct eyoti_fused_head {
  uint64_t bytes;  /* EYOTI_FUSED_REFUSED: the sender has failed, and has said so */
  uint64_t source; /* where they are in the sender's heap; 0: they follow */
};
#define EYOTI_FUSED_REFUSED UINT64_MAX

/* What one end does in each exchange. */
enum eyoti_fused_role {
  EYOTI_FUSED_SHOWS = 0, /* sends its block; waits until the other end has moved the data */
  EYOTI_FUSED_MOVES,     /* waits for the other end's block, moves the data, says so */
  EYOTI_FUSED_PACKS,     /* waits until a slot is free, packs, sends */
  EYOTI_FUSED_UNPACKS    /* waits for a message, unpacks it, says so */
};

/* What an end waits for in the exchange that is under way. */
enum eyoti_fused_phase {
  EYOTI_FUSED_OVER = 0,
  EYOTI_FUSED_TURN, /* the word of its slot: see its role */
  EYOTI_FUSED_FETCH /* PACKS, after a long message: until the receiver has got it */
};

/* One end of an edge. */
struct eyoti_fused_end {
  struct fab_addr far;    /* the slots at the other end */
  uint64_t slots;         /* its own: offset in the block; after them, of PACKS, two in
                                       which messages are packed */
  uint64_t awaited;       /* the value of the word that it waits for */
  uint64_t copy;          /* FETCH: what was packed, in the heap */
  uint32_t member, block; /* the other end, and the place in the program's arrays */
  bool out;               /* the edge is from the caller */
  uint8_t role;           /* enum eyoti_fused_role */
  uint8_t phase;          /* enum eyoti_fused_phase */
};

/* Requests of packed messages of an exchange that may not be locally complete: the last ones. */
#define EYOTI_FUSED_LENT 64u
struct eyoti_fused_lent {
  fab_req_t req[EYOTI_FUSED_LENT]; /* message i in place i modulo their number */
  uint32_t n;                      /* messages */
};

struct eyoti_fused {
  eyot_exchange_t name;
  struct eyoti_fused *next;
  struct eyot_rt *rt;
  struct eyoti_graph *g; /* NULL: edges from each member of the team to each */
  struct eyoti_team *t;
  eyot_exchange_ops_t ops;
  uint64_t number;  /* of exchanges that were started */
  bool started;     /* and not ended */
  bool inside;      /* one of its functions runs */
  const void *site; /* of the call that started it last */
  int failed;       /* the first error of the exchange that is under way */
  uint32_t to_pack; /* PACKS ends of it that have not packed: before them nothing is unpacked */
  uint32_t n_in, n_out;
  uint32_t sources, destinations; /* blocks of the program */
  struct eyoti_fused_end *end;    /* those to the caller, then those from it */
  struct eyoti_fused_lent lent[EYOTI_FUSED_SLOTS];
  uint64_t message_bytes; /* the body of a packed message with space_bytes */
  char *send, *recv;      /* copies of the program's blocks */
  eyot_gptr_t memory;     /* the unit's block; null: there are no edges */
  struct fab_addr own;    /* the same */
  char *base;
};

static inline uint32_t eyoti_fused_ends(const struct eyoti_fused *x) {
  return x->n_in + x->n_out;
}
_Static_assert((EYOTI_FUSED_SHOWS ^ 1) == EYOTI_FUSED_MOVES &&
                   (EYOTI_FUSED_PACKS ^ 1) == EYOTI_FUSED_UNPACKS,
               "the roles of the two ends of an edge differ in their lowest bit");
/* Bytes of a slot of an end with that role: what the other end sends there. */
static inline uint64_t eyoti_fused_stride(const struct eyoti_fused *x, uint32_t role, bool out) {
  uint64_t body = 0;
  if (role == EYOTI_FUSED_UNPACKS) body = x->message_bytes;
  if (role == EYOTI_FUSED_MOVES) body = out ? x->ops.recv_bytes : x->ops.send_bytes;
  return EYOTI_FUSED_BODY + (body + 15) / 16 * 16;
}
/* Of the end's slots together, which share no line with those that another unit writes. */
static inline uint64_t eyoti_fused_slots_bytes(const struct eyoti_fused *x,
                                               const struct eyoti_fused_end *e) {
  return (EYOTI_FUSED_SLOTS * eyoti_fused_stride(x, e->role, e->out) + 63) / 64 * 64;
}
static inline uint64_t eyoti_fused_own_slot(const struct eyoti_fused *x,
                                            const struct eyoti_fused_end *e, uint64_t number) {
  return e->slots + number % EYOTI_FUSED_SLOTS * eyoti_fused_stride(x, e->role, e->out);
}
static inline const char *eyoti_fused_body(const struct eyoti_fused *x,
                                           const struct eyoti_fused_end *e) {
  return x->base + eyoti_fused_own_slot(x, e, x->number) + EYOTI_FUSED_BODY;
}
/* The program's block for an end. */
static inline const void *eyoti_fused_block(const struct eyoti_fused *x,
                                            const struct eyoti_fused_end *e) {
  return e->out ? x->send + (uint64_t)e->block * x->ops.send_bytes
                : x->recv + (uint64_t)e->block * x->ops.recv_bytes;
}

/* Sets the word of the present exchange at the other end, and before it len bytes of the body; src
 * may be used again on return if req is NULL. */
int eyoti_fused_say(struct eyoti_fused *x, const struct eyoti_fused_end *e, const void *src,
                    uint64_t len, fab_req_t *req);
/* The caller's own loads and stores come before what it posts next. */
int eyoti_fused_sync(struct eyoti_fused *x);

/* pack.c: PACKS when a slot is free, PACKS when a long message was got, and UNPACKS when a message
 * is there. */
int eyoti_fused_pack(struct eyoti_fused *x, struct eyoti_fused_end *e);
int eyoti_fused_fetched(struct eyoti_fused *x, struct eyoti_fused_end *e);
int eyoti_fused_unpack(struct eyoti_fused *x, struct eyoti_fused_end *e);
/* Until the stages of the slot that the present exchange uses are the caller's again. */
int eyoti_fused_lent_end(struct eyoti_fused *x, uint64_t number);
/* Until all that the caller has sent was used. For eyot_exchange_destroy. */
int eyoti_fused_settle(struct eyoti_fused *x);

/* Around a function of the program. */
static inline struct eyoti_nest eyoti_fused_enter(struct eyoti_fused *x) {
  x->inside = true;
  return eyoti_rt_nest(x->rt);
}
static inline void eyoti_fused_leave(struct eyoti_fused *x, struct eyoti_nest nest) {
  eyoti_rt_unnest(x->rt, nest);
  x->inside = false;
}

/* all.c, for exchanges without a graph: the ends, in the order in which they are used; and, when
 * all members have made their blocks, where the other ends have their slots. all_publish says the
 * same of the caller's. */
uint64_t eyoti_fused_all_bytes(const struct eyoti_fused *x); /* of the team's allocation */
void eyoti_fused_all_ends(struct eyoti_fused *x);
int eyoti_fused_all_publish(const struct eyoti_fused *x);
int eyoti_fused_all_find(struct eyoti_fused *x);
/* make.c: what the caller does at the end of an edge to or from the member. */
enum eyoti_fused_role eyoti_fused_role_of(const struct eyoti_fused *x, bool out, uint32_t member);
/* A member's part of the team's allocation, which names the exchange. */
int eyoti_fused_part_at(const struct eyoti_fused *x, uint32_t member, uint64_t off, uint64_t len,
                        struct fab_addr *out);

/* Finds an exchange of this unit. Errors: ESEG (logged). */
int eyoti_fused_find(struct eyot_rt *rt, eyot_exchange_t name, struct eyoti_fused **out);
#endif
