/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall.c - eyot_alltoall: every member puts one block into each member's scratch. It begins
 * with the next member, so that no member is the first target of all. After a flush and a barrier
 * each copies its blocks out. */
#include "coll/args.h"
#include "coll/scratch.h"
#include "rt/observe.h"
#include "sync/sync.h"

/* Also after an error no put from the caller's buffer may be in flight on return. */
static int put_all(const struct eyoti_scratch *s, const char *send, uint64_t bytes, uint64_t len) {
  const struct eyoti_team *t = s->t;
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < t->size && rc == EYOT_OK; i++) {
    uint32_t member = (uint32_t)(((uint64_t)t->me + i) % t->size);
    struct fab_addr to;
    rc = eyoti_scratch_at(s, member, t->me * len, len, &to);
    if (rc == EYOT_OK) rc = fab_put(s->rt->fab, to, send + member * bytes, len, NULL);
  }
  int rc_flush = fab_flush_end(s->rt->fab, FAB_ALL, FAB_REMOTE);
  return rc != EYOT_OK ? rc : rc_flush;
}

int eyot_alltoall(eyot_team_t team, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  eyoti_team_enter(rt, t, FAB_COLLECTIVE_NONE, bytes);
  int refused = eyoti_coll_check_buffers(send, recv, true, bytes, t->size);
  EYOTI_TRY(eyoti_coll_agree(
      rt, t, &(struct eyoti_coll_args){.function = EYOTI_COLL_ALLTOALL, .count = bytes}, refused));
  if (bytes == 0) return EYOT_OK;
  eyoti_observe_reads(rt, send, bytes * t->size);
  eyoti_observe_writes(rt, recv, bytes * t->size);

  struct eyoti_scratch s;
  uint64_t chunk = eyoti_scratch_chunk(bytes, t->size);
  EYOTI_TRY(eyoti_scratch_open(rt, t, chunk * t->size, &s));
  for (uint64_t at = 0; at < bytes; at += chunk) {
    uint64_t len = bytes - at < chunk ? bytes - at : chunk;
    EYOTI_TRY(eyoti_scratch_round(&s, at == 0));
    EYOTI_TRY(put_all(&s, (const char *)send + at, bytes, len));
    EYOTI_TRY(eyoti_sync_barrier(rt, t));
    for (uint64_t member = 0; member < t->size; member++) {
      const char *block =
          member == t->me ? (const char *)send + member * bytes + at : s.data + member * len;
      memcpy((char *)recv + member * bytes + at, block, len);
    }
  }
  eyoti_observe_writes(rt, recv, bytes * t->size);
  return EYOT_OK;
}
