/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast.c - eyot_broadcast along a binomial tree: a member forwards the data that it received,
 * first to the child with the largest subtree. Source: Thakur, Rabenseifner, Gropp: Optimization
 * of collective communication operations in MPICH, IJHPCA 19(1), 2005. */
#include "coll/args.h"
#include "coll/tree.h"
#include "rt/observe.h"

/* Ranks are counted from the root, so that the tree is the same for any root. */
static uint32_t member_of(const struct eyoti_team *t, uint32_t root, uint32_t rank) {
  return (uint32_t)(((uint64_t)rank + root) % t->size);
}

int eyoti_tree_broadcast(const struct eyoti_scratch *s, uint32_t root, char *buf, uint64_t off,
                         uint64_t len) {
  const struct eyoti_team *t = s->t;
  uint32_t rank = (uint32_t)(((uint64_t)t->me + t->size - root) % t->size);
  /* The lowest set bit of a rank is its level: the bits below it select its children, and without
   * it the rank is the parent's. */
  uint64_t bit = 1;
  while (bit < t->size && (rank & bit) == 0) bit <<= 1;
  const char *source = buf;
  if (rank != 0) {
    EYOTI_TRY(eyoti_scratch_await(s, s->bcast_word));
    source = s->data + off;
  }
  fab_req_t reqs[EYOTI_COLL_LEVELS_MAX] = {0};
  uint32_t sent = 0;
  int rc = EYOT_OK;
  for (bit >>= 1; bit > 0 && rc == EYOT_OK; bit >>= 1) {
    if (rank + bit >= t->size) continue;
    rc = eyoti_scratch_send(s, member_of(t, root, (uint32_t)(rank + bit)), off, source, len,
                            s->bcast_word, &reqs[sent]);
    if (rc == EYOT_OK) sent++;
  }
  if (rank != 0) memcpy(buf, source, len);
  int rc_sent = eyoti_scratch_complete(s, reqs, sent);
  return rc != EYOT_OK ? rc : rc_sent;
}

int eyot_broadcast(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  eyoti_team_enter(rt, t, root.id, bytes);
  int refused = eyoti_coll_check_root(t, root.id);
  if (refused == EYOT_OK) refused = eyoti_coll_check_buffers(buf, NULL, false, bytes, 1);
  EYOTI_TRY(eyoti_coll_agree(
      rt, t,
      &(struct eyoti_coll_args){.function = EYOTI_COLL_BROADCAST, .root = root.id, .count = bytes},
      refused));
  if (bytes == 0 || t->size == 1) return EYOT_OK;
  bool is_root = t->me == root.id;
  if (is_root) eyoti_observe_reads(rt, buf, bytes);
  if (!is_root) eyoti_observe_writes(rt, buf, bytes);

  struct eyoti_scratch s;
  uint64_t chunk = eyoti_scratch_chunk(bytes, 1);
  EYOTI_TRY(eyoti_scratch_open(rt, t, chunk, &s));
  for (uint64_t at = 0; at < bytes; at += chunk) {
    uint64_t len = bytes - at < chunk ? bytes - at : chunk;
    EYOTI_TRY(eyoti_scratch_round(&s, at == 0));
    EYOTI_TRY(eyoti_tree_broadcast(&s, root.id, (char *)buf + at, 0, len));
  }
  if (!is_root) eyoti_observe_writes(rt, buf, bytes);
  return EYOT_OK;
}
