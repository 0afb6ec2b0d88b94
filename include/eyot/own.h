/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/own.h - messages that pass the ownership of a buffer instead of its bytes.
 *
 * A unit allocates a buffer, fills it, and gives it away: its pointer becomes NULL, and whoever
 * takes it has the same memory. Within a node nothing is copied, whatever the length; between nodes
 * the bytes are sent, and the receiver gets a buffer of its own. At any time a buffer belongs to
 * one unit, which alone writes, gives, splits or frees it, and reads it unless it lends it to
 * others. Source: A. Friedley, "Shared Memory Optimizations for Distributed Memory Programming
 * Models", 2013, chapter 4. docs/ownership.md has protocols and costs. Thread rule: that of
 * eyot/init.h. */

/* Gives and takes are messages as those of eyot/msg.h: matched with them, by team, unit and tag, in
 * one order. A take that matches a send gets a buffer with the bytes that were sent; a receive that
 * matches a give gets a copy of the bytes, and the buffer is freed (Friedley 2013, section 4.2).
 * Probes find gives. Common errors: ESTATE (not initialized), and those of eyot/msg.h. */
#ifndef EYOT_OWN_H
#define EYOT_OWN_H

#include "msg.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_own_alloc makes a buffer of `bytes` bytes that the caller owns, aligned to 64 bytes;
 * contents are undefined. eyot_own_free releases a buffer that the caller owns, whoever has
 * allocated it, and sets *p to NULL; *p NULL: nothing. It stays with the caller for its next
 * eyot_own_alloc of that size, up to EYOT_OWN_POOL bytes; beyond that it goes back to the unit in
 * whose heap it lies. Called by one unit, non-blocking. Errors: EINVAL (NULL; bytes is 0), ENOMEM;
 * of free and give: EINVAL (no buffer of eyot_own_alloc), ESEG (the caller does not own it: it was
 * given away or freed, and the message says where). */
EYOT_RET int eyot_own_alloc(uint64_t bytes, void **p);
EYOT_RET int eyot_own_free(void **p);
/* eyot_own_split splits the buffer *p of the caller's into n parts, and sets *p to NULL. parts[i]
 * is an owned buffer of bytes[i] bytes, which begins where the one before ends: each can be given,
 * lent, split and freed as any other. Nothing is copied, and the memory is released with the last
 * part. Parts are aligned as their lengths make them. Non-blocking. Errors: as eyot_own_free;
 * EINVAL (NULL; n or a length is 0), ERANGE (the buffer is shorter), ENOMEM. */
EYOT_RET int eyot_own_split(void **p, uint32_t n, const uint64_t *bytes, void **parts);
/* eyot_own_bytes returns in *bytes how many bytes a buffer that the caller owns has space for.
 * Local. Errors: as eyot_own_free. */
EYOT_RET int eyot_own_bytes(const void *p, uint64_t *bytes);

/* eyot_own_give gives the buffer *p, with the message of its first `bytes` bytes, to unit `to` of
 * the team, and sets *p to NULL. It does not wait for the receiver, unless EYOT_MSG_EAGER is 0 or
 * too much is under way (as eyot_send). Errors: those of eyot_send and of eyot_own_free; ERANGE
 * (the buffer is shorter). After an error *p is the caller's, but for errors of the fabric. */
EYOT_RET int eyot_own_give(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p,
                           uint64_t bytes);
/* eyot_own_take takes a message, and writes its buffer, which the caller then owns, to *p.
 * Blocking. from may be EYOT_ANY_UNIT, tag EYOT_ANY_TAG; status may be NULL. Errors: those of
 * eyot_recv but ERANGE; ENOMEM (the message comes from another node, or was sent, and the heap has
 * no space: it is lost). */
EYOT_RET int eyot_own_take(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                           eyot_msg_status_t *status);
/* The _nb forms start a give or a take; eyot_msg_wait and the like complete it. *p of a give is
 * NULL on return; *p of a take is written when it is completed, and must stay until then. */
EYOT_RET int eyot_own_give_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p,
                              uint64_t bytes, eyot_msg_t *handle);
EYOT_RET int eyot_own_take_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                              eyot_msg_t *handle);
/* A layout: n blocks of `block` bytes in a buffer; block i begins `stride` bytes after the one
 * before (stride >= block), or, if at is not NULL, at at[i], where blocks of a take do not overlap.
 * eyot_own_give_layout gives a buffer with the message of the layout's blocks, in their order; of
 * other bytes nothing passes. eyot_own_take_layout takes a buffer that has the blocks of a message
 * where its own layout says: within a node, if both layouts agree, that of the give, else a copy.
 * Either matches takes, receives, gives and sends of the blocks in a row. at must stay until a
 * take is completed. Errors: those of gives and takes; EINVAL (NULL; n or block is 0; stride;
 * blocks of a take overlap), ERANGE (the buffer is shorter; the message is longer than the layout:
 * it is lost). */
typedef struct eyot_own_layout {
  uint64_t n, block, stride;
  const uint64_t *at;
} eyot_own_layout_t;
EYOT_RET int eyot_own_give_layout(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p,
                                  const eyot_own_layout_t *layout);
EYOT_RET int eyot_own_give_layout_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p,
                                     const eyot_own_layout_t *layout, eyot_msg_t *handle);
EYOT_RET int eyot_own_take_layout(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                                  const eyot_own_layout_t *layout, eyot_msg_status_t *status);
EYOT_RET int eyot_own_take_layout_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                                     const eyot_own_layout_t *layout, eyot_msg_t *handle);
/* eyot_own_mtake takes a message that eyot_mprobe has found. Blocking. */
EYOT_RET int eyot_own_mtake(eyot_msg_t *message, void **p, eyot_msg_status_t *status);

/* eyot_own_lend lends the first `bytes` bytes of a buffer of the caller's to n readers, members of
 * the team, by a message to each. It does not wait. Until *handle is completed, by eyot_msg_wait
 * and the like, the caller may read the buffer and lend it once more, but not write, give or free
 * it (EBUSY; the message names the call that has lent it). The handle completes when all readers of
 * the node have returned it, and all others have a copy. Errors: those of eyot_send_nb and
 * eyot_own_bytes; EINVAL (readers is NULL, or n is 0); ERANGE (the buffer is shorter). The
 * completion returns the error of a reader that could not be reached. */
EYOT_RET int eyot_own_lend(eyot_team_t team, const eyot_tunit_t *readers, uint32_t n, int32_t tag,
                           const void *p, uint64_t bytes, eyot_msg_t *handle);
/* eyot_own_borrow, eyot_own_borrow_nb and eyot_own_mborrow are takes of a buffer that the caller
 * may only read, and must return: of one that was lent, within a node, the owner's own; else, and
 * of what was sent, a copy. What was given is the caller's, and returned all the same. A take or a
 * receive that matches a lend gets a copy. Errors: those of the takes. */
EYOT_RET int eyot_own_borrow(eyot_team_t team, eyot_tunit_t from, int32_t tag, const void **p,
                             eyot_msg_status_t *status);
EYOT_RET int eyot_own_borrow_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, const void **p,
                                eyot_msg_t *handle);
EYOT_RET int eyot_own_mborrow(eyot_msg_t *message, const void **p, eyot_msg_status_t *status);
/* eyot_own_return returns what the caller has borrowed, and sets *p to NULL; *p NULL: nothing.
 * Non-blocking. Errors: EINVAL (NULL; not borrowed, or returned already). */
EYOT_RET int eyot_own_return(const void **p);
/* eyot_own_clone returns what the caller has borrowed, and writes a buffer of the caller's with the
 * same bytes to *mine: a copy, unless the caller has one already; *lent becomes NULL. Non-blocking.
 * Errors: EINVAL (NULL; not borrowed, or returned already), ENOMEM (it stays borrowed); after those
 * of the fabric *mine is the caller's. */
EYOT_RET int eyot_own_clone(const void **lent, void **mine);

/* Collectives of gives and takes; blocking, all members call them in the same order. Buffers go to
 * their place in rank order, and every pointer that was given is NULL on return. bytes[i] says how
 * many bytes the i-th has, on entry of what is given and on return of what is taken; NULL entries
 * give nothing, and are taken as NULL with 0 bytes.
 * scatter: the root gives buffers[i] to member i; each takes *mine. gather: each gives *mine to the
 * root, which takes buffers[i] from member i. alltoall: each gives buffers[i] to member i, and
 * takes into buffers[i] from it. Arrays have an entry a member; only the root's count in the first
 * two. All members meet before the first gives. Errors: those of gives and takes; EINVAL (NULL) and
 * all others of arguments, on all members, before a buffer is given; EMISMATCH on all: members pass
 * different roots or call another function; EMISMATCH of a taker alone: the giver could not give
 * that buffer, which it passed twice (its error is ESEG), or for which it had no memory. */
EYOT_RET int eyot_own_scatter(eyot_team_t team, eyot_tunit_t root, void **buffers, uint64_t *bytes,
                              void **mine, uint64_t *mine_bytes);
EYOT_RET int eyot_own_gather(eyot_team_t team, eyot_tunit_t root, void **mine, uint64_t mine_bytes,
                             void **buffers, uint64_t *bytes);
EYOT_RET int eyot_own_alltoall(eyot_team_t team, void **buffers, uint64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
