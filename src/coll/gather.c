/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c - eyot_gather: members copy their block into their own scratch, and after a barrier the
 * root gets all blocks directly into its buffer, so that no member needs memory for more than its
 * own block. */
#include "coll/args.h"
#include "coll/scratch.h"
#include "rt/observe.h"
#include "sync/sync.h"

/* Gets are complete on return: the next barrier lets the members reuse their scratch. The order of
 * members begins with the root. */
static int fetch_all(const struct eyoti_scratch *s, const char *send, char *recv, uint64_t bytes,
                     uint64_t at, uint64_t len) {
  const struct eyoti_team *t = s->t;
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < t->size && rc == EYOT_OK; i++) {
    uint32_t member = (uint32_t)(((uint64_t)t->me + i) % t->size);
    struct fab_addr from;
    rc = eyoti_scratch_at(s, member, 0, len, &from);
    if (rc == EYOT_OK) rc = fab_get(s->rt->fab, recv + member * bytes + at, from, len, NULL);
  }
  memcpy(recv + t->me * bytes + at, send + at, len);
  int rc_flush = fab_flush_end(s->rt->fab, FAB_ALL, FAB_LOCAL);
  return rc != EYOT_OK ? rc : rc_flush;
}

int eyot_gather(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  eyoti_team_enter(rt, t, root.id, bytes);
  bool is_root = t->me == root.id;
  int refused = eyoti_coll_check_root(t, root.id);
  if (refused == EYOT_OK) refused = eyoti_coll_check_buffers(send, recv, is_root, bytes, t->size);
  EYOTI_TRY(eyoti_coll_agree(
      rt, t,
      &(struct eyoti_coll_args){.function = EYOTI_COLL_GATHER, .root = root.id, .count = bytes},
      refused));
  if (bytes == 0) return EYOT_OK;
  eyoti_observe_reads(rt, send, bytes);
  if (is_root) eyoti_observe_writes(rt, recv, bytes * t->size);

  struct eyoti_scratch s;
  uint64_t chunk = eyoti_scratch_chunk(bytes, 1);
  EYOTI_TRY(eyoti_scratch_open(rt, t, chunk, &s));
  for (uint64_t at = 0; at < bytes; at += chunk) {
    uint64_t len = bytes - at < chunk ? bytes - at : chunk;
    EYOTI_TRY(eyoti_scratch_round(&s, at == 0));
    if (!is_root) memcpy(s.data, (const char *)send + at, len);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* pairs with the root's gets, after the barrier */
    EYOTI_TRY(eyoti_sync_barrier(rt, t));
    if (is_root) EYOTI_TRY(fetch_all(&s, send, recv, bytes, at, len));
  }
  if (is_root) eyoti_observe_writes(rt, recv, bytes * t->size);
  return EYOT_OK;
}
