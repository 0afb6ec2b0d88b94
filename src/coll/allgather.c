/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather.c - eyot_allgather by Bruck's algorithm, for any number p of members.
 *
 * In step k every member sends the blocks that it has, its own first, to the member 2^k before it;
 * after ceil(log2 p) steps all members have all blocks. Slot j of a member's scratch holds the
 * block of the member j places after it, so that every step is one contiguous put.
 *
 * Source: Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications
 * in multiport message-passing systems, TPDS 8(11), 1997. */
#include "coll/args.h"
#include "coll/scratch.h"
#include "rt/observe.h"

/* One round: brings `len` bytes of each member's block into the slots of all. A slot that is being
 * sent is not written again in the round. */
static int bruck(const struct eyoti_scratch *s, const char *block, uint64_t len) {
  const struct eyoti_team *t = s->t;
  fab_req_t reqs[EYOTI_COLL_LEVELS_MAX] = {0};
  uint32_t sent = 0;
  int rc = EYOT_OK;
  memcpy(s->data, block, len);
  for (uint32_t step = 0; step < s->levels && rc == EYOT_OK; step++) {
    uint64_t have = (uint64_t)1 << step;
    uint64_t count = have < t->size - have ? have : t->size - have;
    uint32_t to = (uint32_t)((t->me + t->size - have) % t->size);
    rc = eyoti_scratch_send(s, to, have * len, s->data, count * len, step, &reqs[sent]);
    if (rc != EYOT_OK) break;
    sent++;
    rc = eyoti_scratch_await(s, step);
  }
  int rc_sent = eyoti_scratch_complete(s, reqs, sent);
  return rc != EYOT_OK ? rc : rc_sent;
}

int eyot_allgather(eyot_team_t team, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  eyoti_team_enter(rt, t, FAB_COLLECTIVE_NONE, bytes);
  int refused = eyoti_coll_check_buffers(send, recv, true, bytes, t->size);
  EYOTI_TRY(eyoti_coll_agree(
      rt, t, &(struct eyoti_coll_args){.function = EYOTI_COLL_ALLGATHER, .count = bytes}, refused));
  if (bytes == 0) return EYOT_OK;
  eyoti_observe_reads(rt, send, bytes);
  eyoti_observe_writes(rt, recv, bytes * t->size);

  struct eyoti_scratch s;
  uint64_t chunk = eyoti_scratch_chunk(bytes, t->size);
  EYOTI_TRY(eyoti_scratch_open(rt, t, chunk * t->size, &s));
  for (uint64_t at = 0; at < bytes; at += chunk) {
    uint64_t len = bytes - at < chunk ? bytes - at : chunk;
    EYOTI_TRY(eyoti_scratch_round(&s, at == 0));
    EYOTI_TRY(bruck(&s, (const char *)send + at, len));
    for (uint64_t slot = 0; slot < t->size; slot++)
      memcpy((char *)recv + (t->me + slot) % t->size * bytes + at, s.data + slot * len, len);
  }
  eyoti_observe_writes(rt, recv, bytes * t->size);
  return EYOT_OK;
}
