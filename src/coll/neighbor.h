/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor.h - a graph on one unit, the memory through which its edges carry messages, and the rule
 * by which slots are used again. For the files neighbor*.c. neighbor_run.c has the protocol. */
#ifndef EYOT_COLL_NEIGHBOR_H
#define EYOT_COLL_NEIGHBOR_H

#include <eyot/neighbor.h>

#include "coll/lane.h"
#include "teams/compare.h"

/* Layout of a member's block (eyot_alloc), of which nothing depends on the team's size:
 *   names    of the edges to it, then of those from it: read by the other ends at creation
 *   credits  edge_words words for each edge from it, set by the receivers: EYOTI_EDGE_SLOTS, and
 *            where the fabric has messages EYOTI_EDGE_LONG and EYOTI_EDGE_END
 *   words    as many for each edge to it, set by the senders
 *   slots    EYOTI_EDGE_SLOTS for each edge to it, of so many bytes as the member has chosen
 * The team's allocation, which names the graph, only says where each member's block is. */
#define EYOTI_EDGE_SLOTS 4u
#define EYOTI_SLOT_BYTES 8192u
/* In a job of one node whose units are processes, of members with up to EYOTI_WIDE_EDGES edges to
 * them: a slot that is written again soon waits for lines of its reader's cache. */
#define EYOTI_SLOT_BYTES_WIDE 32768u
#define EYOTI_WIDE_EDGES 16u
/* Words after those of slots: of long blocks, and of the end of the graph. */
#define EYOTI_EDGE_LONG EYOTI_EDGE_SLOTS
#define EYOTI_EDGE_END (EYOTI_EDGE_SLOTS + 1)
#define EYOTI_EDGE_NONE UINT32_MAX

/* An edge as one of its ends names it: the member at the other end, and a number that tells edges
 * between the two apart. index: among the edges of that side. */
struct eyoti_edge_name {
  uint32_t member, tag, index;
  uint32_t block; /* of the buffers */
};
/* What the other members read first. */
struct eyoti_graph_place {
  struct fab_addr at; /* of the block */
  uint32_t n_in : 31, wide : 1;
  uint32_t n_out;
};
static inline struct eyoti_graph_place eyoti_graph_place_of(struct fab_addr at, uint32_t n_in,
                                                            uint32_t n_out, bool wide) {
  return (struct eyoti_graph_place){
      .at = at, .n_in = n_in & (UINT32_MAX >> 1), .wide = wide, .n_out = n_out};
}
static inline uint32_t eyoti_slot_bytes(bool wide) {
  return wide ? EYOTI_SLOT_BYTES_WIDE : EYOTI_SLOT_BYTES;
}

/* An edge from the caller. Counts are of messages, from the beginning of the graph. */
struct eyoti_edge_out {
  struct fab_addr words, slots; /* at the receiver */
  uint32_t member, block;
  uint32_t far;    /* its number among the edges to that member */
  uint32_t back;   /* an edge from the same member to the caller, or EYOTI_EDGE_NONE */
  uint64_t sent;   /* messages */
  uint64_t begin;  /* sent, at the begin of the present call */
  uint64_t before; /* the same of the call before */
  uint32_t slot_bytes;
  bool asks;    /* the present call has a long block that the receiver has not allowed yet */
  uint8_t told; /* a bit for each slot: the receiver tells that its message is used up */
  fab_req_t req[EYOTI_EDGE_SLOTS]; /* of slots, that are not locally complete; or 0 */
};
/* An edge to the caller. */
struct eyoti_edge_in {
  struct fab_addr credits; /* at the sender */
  uint32_t member, block;
  uint32_t far;   /* its number among the edges from that member */
  bool back;      /* there is an edge from the caller to the same member */
  bool done;      /* the present call has received its last message */
  bool expects;   /* a long block of the present call is expected, or landing */
  uint64_t got;   /* messages that are used up */
  uint64_t begin; /* got, at the begin of the present call */
};

struct eyoti_cart {
  uint32_t ndims;
  uint32_t dims[EYOT_CART_DIMS_MAX];
  bool periodic[EYOT_CART_DIMS_MAX];
};

struct eyoti_graph {
  struct eyoti_line line; /* first: its calls */
  eyot_graph_t name;
  struct eyoti_graph *next;
  struct eyot_rt *rt;
  struct eyoti_team *t;
  struct eyoti_cart *cart;        /* NULL: no grid */
  uint32_t sources, destinations; /* blocks of the buffers; of a grid, also those of no member */
  uint32_t n_in, n_out;           /* edges */
  struct eyoti_edge_in *in;       /* in the order of blocks */
  struct eyoti_edge_out *out;
  eyot_gptr_t memory;  /* the block; null: there are no edges */
  struct fab_addr own; /* the same */
  char *base;
  uint32_t edge_words;
  bool wide; /* its slots are EYOTI_SLOT_BYTES_WIDE long */
  uint64_t credits_off, words_off, slots_off;
  uint32_t outstanding; /* calls that were started and not completed, and */
  uint32_t handles;     /* those that have a handle, plans too */
  uint32_t users;       /* exchanges along its edges */
  bool watched;
  bool broken; /* the fabric has failed in the middle of a call */
};

/* The words of slots or others of an edge, in the caller's block. */
static inline uint64_t eyoti_graph_word(const struct eyoti_graph *g, uint32_t edge, uint32_t word) {
  return g->words_off + ((uint64_t)edge * g->edge_words + word) * 8;
}
static inline uint64_t eyoti_graph_credit(const struct eyoti_graph *g, uint32_t edge,
                                          uint32_t word) {
  return g->credits_off + ((uint64_t)edge * g->edge_words + word) * 8;
}
/* Finds a graph of this unit. Errors: ESEG (logged). */
int eyoti_graph_find(struct eyot_rt *rt, eyot_graph_t name, struct eyoti_graph **out);
/* neighbor_make.c: makes a graph of the edges that the caller names; `in` and `out` are in the
 * order of blocks, and sorted by this call. `arguments`: a hash of what is equal on all members;
 * `refused`: the (logged) error of the caller's arguments. Takes `cart`. Collective, blocking. */
struct eyoti_graph_edges {
  struct eyoti_edge_name *in, *out;
  uint32_t n_in, n_out;
  uint32_t sources, destinations;
};
int eyoti_graph_make(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_graph_edges *e,
                     struct eyoti_cart *cart, uint64_t arguments, int refused, eyot_graph_t *graph);
/* Compares the function and a hash over the team (teams/compare.h). Collective. Errors: EMISMATCH,
 * with `what` they passed; that of any member. */
int eyoti_graph_compare(struct eyot_rt *rt, struct eyoti_team *t, enum eyoti_compare_in in,
                        uint64_t hash, const char *what, int error);
/* At finalize: ends the calls of all graphs; frees what is left, and warns of it. */
void eyoti_graphs_drain(struct eyot_rt *rt);
void eyoti_graphs_stop(struct eyot_rt *rt);

/* Blocks of a buffer: of several lengths, or of len bytes each, stride bytes apart. */
struct eyoti_graph_blocks {
  char *base;
  uint64_t *bytes, *at; /* by block; NULL: all have one length */
  uint64_t len, stride;
  uint64_t extent; /* bytes of the buffer */
};

/* A call: neighbor_run.c's. */
struct eyoti_exchange {
  struct eyoti_other other; /* first: the work in the graph's line */
  struct eyoti_graph *g;
  enum eyoti_coll_function function;
  struct eyoti_graph_blocks from, to;
  int refused; /* or the (logged) error of the caller's arguments: it moves nothing */
  /* where it is */
  bool begun;
  int rc;                       /* what it has found */
  uint32_t piece_out, edge_out; /* what is sent next; edge_out n_out and */
  bool more_out;                /* no edge has more pieces: all is sent */
  uint32_t edge_in, left_in;    /* what is received next; edges with messages to come */
  uint32_t asking, landing;     /* edges with long blocks that are not sent, or not there */
};

/* Queues the call. Local. */
void eyoti_exchange_start(struct eyoti_exchange *x);
extern const struct eyoti_line_ops eyoti_exchange_ops;
#endif
