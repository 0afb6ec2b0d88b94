/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c - eyot_gather, eyot_allgather and eyot_alltoall, in their three forms: a block of
 * each member. */
#include <eyot/coll_nb.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coll/call.h"
#include "coll/gen.h"
#include "coll/global.h"
#include "coll/quick.h"
#include "coll/round.h"
#include "coll/several.h"

/* of a round's blocks of all members, but for the least */
#define BOARD_MOST (96u * 1024u)
#define BLOCK_LEAST 8u

/* Bytes of each block that a round moves, where boards hold a block of every member. */
static uint64_t block_round(const struct eyoti_team *t) {
  uint64_t most = BOARD_MOST / t->size / BLOCK_LEAST * BLOCK_LEAST;
  return most > BLOCK_LEAST ? most : BLOCK_LEAST;
}

/* send may be the caller's own block of recv. */
static int check_apart(const struct eyoti_team *t, const void *recv, const void *send,
                       uint64_t bytes) {
  const char *own = recv == NULL ? NULL : (const char *)recv + t->me * bytes;
  return eyoti_several_overlap(recv, bytes * t->size, send, bytes, own);
}

int eyoti_coll_do_gather(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, const void *send,
                         void *recv, uint64_t bytes, struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  bool is_root = t->me == root.id;
  int refused = eyoti_coll_check_root(t, root.id);
  if (refused == EYOT_OK) refused = eyoti_coll_check_buffers(send, recv, is_root, bytes, t->size);
  if (refused == EYOT_OK && is_root) refused = check_apart(t, recv, send, bytes);
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_GATHER, .root = root.id, .count = bytes, .bytes = bytes},
      .round_bytes = EYOTI_ROUND_MOST,
      .in = send,
      .out = recv,
      .reads = bytes,
      .writes = is_root ? bytes * t->size : 0,
      .seen_bytes = bytes};
  return eyoti_coll_do(rt, t, &c, refused, how);
}

static void alltoall_set_aside(const struct eyoti_coll_call *c) {
  memcpy(c->own, c->out, c->writes);
}

/* An alltoall in place sends a copy: blocks come in before those in their place have gone. */
static int alltoall_in_place(struct eyoti_coll_call *c) {
  void *copy = malloc(c->writes);
  if (copy == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a copy of the %" PRIu64 " bytes that are sent",
                      c->writes);
  c->own = copy;
  c->finish = free;
  c->set_aside = alltoall_set_aside;
  c->in = copy;
  c->reads = 0; /* they are where it writes */
  return EYOT_OK;
}

static int exchange_blocks(struct eyot_rt *rt, eyot_team_t team, struct eyoti_coll_call *c,
                           struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  uint64_t bytes = c->args.bytes;
  int refused = eyoti_coll_check_buffers(c->in, c->out, true, bytes, t->size);
  bool all = c->args.function == EYOTI_COLL_ALLTOALL;
  uint64_t sent = all ? t->size : 1, whole = bytes * t->size;
  if (refused == EYOT_OK)
    refused = all ? eyoti_several_overlap(c->out, whole, c->in, whole, c->out)
                  : check_apart(t, c->out, c->in, bytes);
  c->reads = bytes * sent;
  c->writes = whole;
  if (refused == EYOT_OK && all && whole > 0 && c->in == c->out) refused = alltoall_in_place(c);
  c->seen_bytes = bytes;
  c->round_bytes = block_round(t);
  return eyoti_coll_do(rt, t, c, refused, how);
}

int eyoti_coll_do_allgather(struct eyot_rt *rt, eyot_team_t team, const void *send, void *recv,
                            uint64_t bytes, struct eyoti_coll_how how) {
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_ALLGATHER, .count = bytes, .bytes = bytes},
      .gen = eyoti_gen_allgather_bruck,
      .in = send,
      .out = recv};
  return exchange_blocks(rt, team, &c, how);
}

int eyoti_coll_do_alltoall(struct eyot_rt *rt, eyot_team_t team, const void *send, void *recv,
                           uint64_t bytes, struct eyoti_coll_how how) {
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_ALLTOALL, .count = bytes, .bytes = bytes},
      .gen = eyoti_gen_alltoall_linear,
      .in = send,
      .out = recv};
  return exchange_blocks(rt, team, &c, how);
}

int eyot_gather(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_GATHER, root.id, 0, 0, bytes, send, recv);
  return eyoti_coll_do_gather(rt, team, root, send, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_gather_nb(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                   uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_gather(rt, team, root, send, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_gather_plan(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                     uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_gather(rt, team, root, send, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}

int eyot_allgather(eyot_team_t team, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_ALLGATHER, 0, 0, 0, bytes, send, recv);
  return eyoti_coll_do_allgather(rt, team, send, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_allgather_nb(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                      eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_allgather(rt, team, send, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_allgather_plan(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                        eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_allgather(rt, team, send, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}

int eyot_alltoall(eyot_team_t team, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_ALLTOALL, 0, 0, 0, bytes, send, recv);
  return eyoti_coll_do_alltoall(rt, team, send, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_alltoall_nb(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                     eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_alltoall(rt, team, send, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_alltoall_plan(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                       eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_alltoall(rt, team, send, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}
