/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/exchange.h - fused exchange: what one member packs and another unpacks, along the edges of a
 * graph; between units of a node that share addresses, one loop that does both at once.
 *
 * The program describes each end of an edge by a small block of its own (pointers, indices,
 * counts), and gives three functions: pack and unpack, and `fused`, which has both blocks and moves
 * the data from where it lies to where it belongs, without a buffer. eyot chooses for each edge,
 * and orders the accesses. Source: A. Friedley, "Shared Memory Optimizations for Distributed Memory
 * Programming Models", 2013, sections 5.1 to 5.3. Common errors: ESTATE (not initialized); ESEG
 * (the exchange is null or destroyed). Thread rule: that of eyot/init.h, and one thread of a unit
 * at a time for one exchange. docs/exchange.md has the cost. */
#ifndef EYOT_EXCHANGE_H
#define EYOT_EXCHANGE_H

#include "neighbor.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An exchange: a value, equal on all members. */
typedef struct eyot_exchange_name {
  eyot_gptr_t at;
} eyot_exchange_t;
#define EYOT_EXCHANGE_NULL ((eyot_exchange_t){{0, 0, 0, 0}})

/* Who runs `fused`. The receiver: what it reads comes close to its processor, where it is used
 * next. The sender: best where it finds the data by an index list, which is close to it. */
typedef enum eyot_exchange_where {
  EYOT_EXCHANGE_AT_RECEIVER = 0,
  EYOT_EXCHANGE_AT_SENDER,
  EYOT_EXCHANGE_PACKED /* nobody: all edges pack and unpack */
} eyot_exchange_where_t;

/* The blocks of an edge may have up to so many bytes. */
#define EYOT_EXCHANGE_BLOCK_MAX 256u

/* The functions and sizes of an exchange, equal on all members but for the addresses and context.
 * They are called by the member that is named, inside its own call of an exchange, and may call
 * eyot, but not the same exchange.
 *
 * pack (by the sender) writes the message of an edge into the `space` bytes at buf, and returns its
 * length; if that is greater than space, what is in buf is dropped, and pack is called again with
 * the space that it has asked for. buf is aligned to 16 bytes.
 * unpack (by the receiver) moves the bytes to where they belong. All of a member's messages are
 * packed before its first unpack, so a message may be unpacked where one was packed.
 * fused does the work of both: `send` is the block that the sender has passed for the edge, and
 * `recv` that of the receiver; both are copies in the caller's memory. Pointers in the other
 * member's block must lead to memory that units of a node share (eyot/sheap.h). Functions of
 * different edges may run at the same time: where two members send from the places into which they
 * receive, each edge swaps a part of its own. NULL: all edges pack and unpack. */
typedef struct eyot_exchange_ops {
  uint64_t (*pack)(void *context, const void *send, void *buf, uint64_t space);
  void (*unpack)(void *context, const void *recv, const void *buf, uint64_t bytes);
  void (*fused)(void *context, const void *send, const void *recv);
  void *context; /* the caller's own */
  eyot_exchange_where_t where;
  uint32_t send_bytes, recv_bytes; /* of a block: 0..EYOT_EXCHANGE_BLOCK_MAX */
  /* of a packed message that is sent without a copy in between and an answer; longer ones may be
   * sent at any time, and cost an allocation and a get */
  uint64_t space_bytes;
} eyot_exchange_ops_t;

/* eyot_exchange_create makes an exchange along the edges of a graph or grid, which stays as long as
 * the exchange. Takes 128 bytes an edge of the caller's heap, twice its blocks, and for an edge
 * that packs four times space_bytes (twice at each end). Collective over the graph's team,
 * blocking. Errors: ESEG (the graph); EINVAL (NULL, `where`, sizes), ENOMEM; EMISMATCH (sizes,
 * `where`, or whether there is a `fused` differ); all but ESEG on all members. */
EYOT_RET int eyot_exchange_create(eyot_graph_t graph, const eyot_exchange_ops_t *ops,
                                  eyot_exchange_t *exchange);
/* eyot_exchange_create_all makes an exchange along edges from each member of a team to each, itself
 * included: block i of send is for member i, and block i of recv for what comes from it. Faster to
 * make, and takes less memory, than a graph of these edges. Collective over the team, blocking.
 * Errors: ETEAM; as eyot_exchange_create. */
EYOT_RET int eyot_exchange_create_all(eyot_team_t team, const eyot_exchange_ops_t *ops,
                                      eyot_exchange_t *exchange);
/* eyot_exchange_destroy releases an exchange, and sets *exchange to EYOT_EXCHANGE_NULL. Collective
 * over the team, blocking. Errors: EINVAL (NULL), EBUSY (a member has not waited for what
 * it has started), EMISMATCH (members name different exchanges); the last two on all members, and
 * the exchanges stay. */
EYOT_RET int eyot_exchange_destroy(eyot_exchange_t *exchange);

/* eyot_exchange sends and receives along all edges of the caller. send has a block of send_bytes
 * for each destination, recv one of recv_bytes for each source, in the order of
 * eyot_graph_neighbors or of the team's members; both are read before it returns, and may be NULL
 * if they have no bytes. On return the caller's messages have been packed, or their data moved, and
 * may be changed; and what it receives has come. Called by all members of the graph equally often;
 * blocking; waits for the caller's neighbours alone, which must not wait in a collective of the
 * team that the caller makes after it. Errors: EINVAL (NULL with bytes), EBUSY (one is started):
 * nobody is told, and the caller's neighbours wait for its next call; ENOMEM (a message is longer
 * than space_bytes), EMISMATCH (a pack has asked for more than it was given twice: on both ends;
 * over MPI a neighbour waits in such a collective: on all members, and no further one is possible),
 * and the fabric's. */
EYOT_RET int eyot_exchange(eyot_exchange_t exchange, const void *send, const void *recv);
/* eyot_exchange_start begins one, and does not wait; eyot_exchange_wait ends it;
 * eyot_exchange_test does what can be done now, and writes whether that was the end to *done. The
 * data must stay, and the places to which it goes must be free, from start to end. The three
 * functions run inside these calls alone, never inside others: a member that waits for something
 * else between start and wait keeps its neighbours waiting. Errors: as eyot_exchange; ESTATE (none
 * is started). */
EYOT_RET int eyot_exchange_start(eyot_exchange_t exchange, const void *send, const void *recv);
EYOT_RET int eyot_exchange_test(eyot_exchange_t exchange, bool *done);
EYOT_RET int eyot_exchange_wait(eyot_exchange_t exchange);

/* eyot_exchange_edges returns of how many edges of the caller `fused` moves the data, of those from
 * it (*sent) and those to it (*received). Local. Errors: EINVAL (NULL). */
EYOT_RET int eyot_exchange_edges(eyot_exchange_t exchange, uint32_t *sent, uint32_t *received);

#ifdef __cplusplus
}
#endif
#endif
