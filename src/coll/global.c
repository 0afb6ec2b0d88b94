/* SPDX-License-Identifier: BSD-3-Clause */
/* global.c - implements global.h, and the functions of eyot/coll_global.h that move blocks.
 *
 * A member's part of global memory is its own memory, so each is the collective on private memory,
 * on the members' own parts, between two barriers if the mode asks for them. In the collectives
 * nobody but a member itself reads or writes its part, from its call on until it returns: that is
 * MYSYNC at both ends. A permutation is one put a member, after all have told whom to. */
#include "coll/global.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gmem/gmem.h"
#include "rt/observe.h"

#define IN_MODES ((uint32_t)(EYOT_IN_ALLSYNC | EYOT_IN_MYSYNC | EYOT_IN_NOSYNC))
#define OUT_MODES ((uint32_t)(EYOT_OUT_ALLSYNC | EYOT_OUT_MYSYNC | EYOT_OUT_NOSYNC))

/* -- calls ------------------------------------------------------------------------------------- */

int eyoti_global_open(struct eyoti_global *g, struct eyot_rt *rt, eyot_team_t team,
                      enum eyoti_coll_function function, eyot_sync_t sync) {
  *g = (struct eyoti_global){.rt = rt, .team = team, .args = {.function = function}};
  g->one_way = function == EYOTI_COLL_GLOBAL_BROADCAST || function == EYOTI_COLL_GLOBAL_SCATTER ||
               function == EYOTI_COLL_GLOBAL_GATHER || function == EYOTI_COLL_GLOBAL_REDUCE;
  EYOTI_TRY(eyoti_team_get(rt, team, &g->t));
  EYOTI_TRY(eyoti_team_begin(rt, g->t, EYOTI_WORDS_COLL));
  uint32_t in = sync & IN_MODES, out = sync & OUT_MODES;
  g->args.sync = (in != 0 ? in : EYOT_IN_ALLSYNC) | (out != 0 ? out : EYOT_OUT_ALLSYNC);
  if ((sync & ~(IN_MODES | OUT_MODES)) != 0 || (in & (in - 1)) != 0 || (out & (out - 1)) != 0)
    g->refused = EYOTI_FAIL(EYOT_EINVAL,
                            "mode of synchronization %#x, expected one EYOT_IN_... or-ed with one "
                            "EYOT_OUT_...",
                            sync);
  return EYOT_OK;
}

uint32_t eyoti_global_rank(struct eyoti_global *g, eyot_gptr_t at, const char *what) {
  uint32_t rank = 0;
  if (g->refused == EYOT_OK && !eyoti_team_index(g->t, at.unit, &rank))
    g->refused = EYOTI_FAIL(EYOT_EUNIT, "%s is memory of unit %u, which is no member of %s", what,
                            at.unit, EYOTI_TEAM_WORDS(g->t));
  return rank;
}

void *eyoti_global_part(struct eyoti_global *g, eyot_gptr_t at, uint64_t count, uint64_t bytes) {
  struct fab_addr a;
  uint64_t all;
  void *own = &g->nothing;
  if (g->refused != EYOT_OK) return own;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    g->refused = EYOTI_FAIL(EYOT_EINVAL, "%" PRIu64 " times %" PRIu64 " bytes overflow 64 bits",
                            count, bytes);
    return own;
  }
  if (!eyot_gptr_is_null(at) && !eyoti_gptr_is_everywhere(at)) {
    g->refused = EYOTI_FAIL(EYOT_ESEG, "not every member has a part of %s",
                            eyoti_gmem_about(g->rt, at, (char[EYOTI_GONE]){0}));
    return own;
  }
  eyot_gptr_t mine = eyot_gptr_is_null(at) ? at : eyot_gptr_at(at, (eyot_unit_t){g->rt->fab->me});
  g->refused = eyoti_gmem_resolve(g->rt, mine, all, &a);
  if (g->refused != EYOT_OK) return own;
  own = eyoti_gmem_mapped(g->rt, a);
  if (own != NULL) return own;
  g->refused = EYOTI_FAIL(EYOT_EINVAL, "the memory is of no collective allocation");
  return &g->nothing;
}

void eyoti_global_apart(struct eyoti_global *g, const void *a, uint64_t a_bytes, const void *b,
                        uint64_t b_bytes, bool same) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  if (g->refused != EYOT_OK || a_bytes == 0 || b_bytes == 0 || (same && x == y)) return;
  if (x + a_bytes <= y || y + b_bytes <= x) return;
  g->refused = EYOTI_FAIL(EYOT_EINVAL, "dst and src overlap");
}

struct eyoti_coll_how eyoti_global_how(const struct eyoti_global *g) {
  return (struct eyoti_coll_how){EYOTI_COLL_BLOCKING, NULL, g->args.sync};
}

/* The blocking channel, for an operation that only compares, or is refused. */
static int channel_get(struct eyoti_global *g, struct eyoti_channel **ch) {
  EYOTI_TRY(eyoti_coll_open(g->rt, g->t));
  *ch = &g->t->coll->blocking;
  return eyoti_channel_renew(*ch, EYOTI_NUMBER_LAST);
}

/* An operation in which all members wait for each other. `rc` not 0: the call has failed here, as
 * the others learn. */
static int meet(struct eyoti_global *g, uint32_t which, int rc) {
  struct eyoti_channel *ch;
  if (g->t->size == 1) return rc;
  EYOTI_TRY(channel_get(g, &ch));
  uint32_t hash = eyoti_coll_hash(&g->args, which);
  if (rc == EYOT_OK) return eyoti_coll_confirm(ch, &g->args, hash);
  (void)eyoti_coll_refuse(ch, &g->args, hash, EYOT_EINVAL); /* whatever it was, it is logged */
  return rc;
}

/* A call's first operation decides whether the members are in the same call: one that fails ends
 * it, on all alike, so that they stay in step. In a function that only some members wait in it is a
 * barrier if there is one at the end. */
bool eyoti_global_enter(struct eyoti_global *g) {
  uint32_t sync = g->args.sync;
  g->entered = (sync & EYOT_IN_ALLSYNC) != 0 || (g->one_way && (sync & EYOT_OUT_ALLSYNC) != 0);
  if (g->entered) g->refused = meet(g, EYOT_IN_ALLSYNC, g->refused);
  g->over = g->entered && g->refused != EYOT_OK;
  return g->refused == EYOT_OK;
}

/* Where some members may not notice, the history of one-way calls tells of it. */
int eyoti_global_refuse(struct eyoti_global *g) {
  struct eyoti_channel *ch;
  if (g->t->size == 1 || g->over) return g->refused;
  EYOTI_TRY(channel_get(g, &ch));
  const struct eyoti_coll_call c = {.args = g->args};
  uint32_t hash = g->one_way && !g->entered
                      ? eyoti_coll_next_hash(g->t->coll, &c, NULL, &g->args, true)
                      : eyoti_coll_hash(&g->args, 0);
  (void)eyoti_coll_refuse(ch, &g->args, hash, EYOT_EINVAL);
  return g->refused;
}

int eyoti_global_leave(struct eyoti_global *g, int rc) {
  bool together = g->entered || rc == EYOT_OK; /* all members are here */
  if (g->over || !together || (g->args.sync & EYOT_OUT_ALLSYNC) == 0) return rc;
  return meet(g, EYOT_OUT_ALLSYNC, rc);
}

/* -- with a root ------------------------------------------------------------------------------- */

/* The root's own part of dst is a copy. */
static int broadcast(struct eyoti_global *g, uint32_t root, void *dst, void *src, uint64_t bytes) {
  bool is_root = g->t->me == root;
  if (!eyoti_global_enter(g)) return eyoti_global_refuse(g);
  int rc = eyoti_coll_do_broadcast(g->rt, g->team, (eyot_tunit_t){root}, is_root ? src : dst, bytes,
                                   eyoti_global_how(g));
  if (rc != EYOT_OK || !is_root) return rc;
  memcpy(dst, src, bytes);
  eyoti_observe_writes(g->rt, dst, bytes);
  return EYOT_OK;
}

int eyot_global_broadcast(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, uint64_t bytes,
                          eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_BROADCAST, sync));
  uint32_t root = g.args.root = eyoti_global_rank(&g, src, "src");
  bool is_root = g.t->me == root;
  g.args.count = bytes;
  void *to = eyoti_global_part(&g, dst, 1, bytes);
  void *from = is_root ? eyoti_global_part(&g, src, 1, bytes) : to;
  if (is_root) eyoti_global_apart(&g, to, bytes, from, bytes, false);
  return eyoti_global_leave(&g, broadcast(&g, root, to, from, bytes));
}

int eyot_global_scatter(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, uint64_t bytes,
                        eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_SCATTER, sync));
  uint32_t root = g.args.root = eyoti_global_rank(&g, src, "src"), n = g.t->size;
  bool is_root = g.t->me == root;
  g.args.count = bytes;
  void *to = eyoti_global_part(&g, dst, 1, bytes);
  void *from = is_root ? eyoti_global_part(&g, src, n, bytes) : to;
  if (is_root) eyoti_global_apart(&g, to, bytes, from, n * bytes, false);
  int rc = !eyoti_global_enter(&g) ? eyoti_global_refuse(&g)
                                   : eyoti_coll_do_scatter(rt, team, (eyot_tunit_t){root}, from, to,
                                                           bytes, eyoti_global_how(&g));
  return eyoti_global_leave(&g, rc);
}

int eyot_global_gather(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, uint64_t bytes,
                       eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_GATHER, sync));
  uint32_t root = g.args.root = eyoti_global_rank(&g, dst, "dst"), n = g.t->size;
  bool is_root = g.t->me == root;
  g.args.count = bytes;
  void *from = eyoti_global_part(&g, src, 1, bytes);
  void *to = is_root ? eyoti_global_part(&g, dst, n, bytes) : from;
  if (is_root) eyoti_global_apart(&g, to, n * bytes, from, bytes, false);
  int rc = !eyoti_global_enter(&g) ? eyoti_global_refuse(&g)
                                   : eyoti_coll_do_gather(rt, team, (eyot_tunit_t){root}, from, to,
                                                          bytes, eyoti_global_how(&g));
  return eyoti_global_leave(&g, rc);
}

/* -- without ----------------------------------------------------------------------------------- */

int eyot_global_gather_all(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, uint64_t bytes,
                           eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_GATHER_ALL, sync));
  g.args.count = bytes;
  void *to = eyoti_global_part(&g, dst, g.t->size, bytes);
  void *from = eyoti_global_part(&g, src, 1, bytes);
  eyoti_global_apart(&g, to, g.t->size * bytes, from, bytes, false);
  int rc = !eyoti_global_enter(&g)
               ? eyoti_global_refuse(&g)
               : eyoti_coll_do_allgather(rt, team, from, to, bytes, eyoti_global_how(&g));
  return eyoti_global_leave(&g, rc);
}

int eyot_global_exchange(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, uint64_t bytes,
                         eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_EXCHANGE, sync));
  uint32_t n = g.t->size;
  g.args.count = bytes;
  void *to = eyoti_global_part(&g, dst, n, bytes), *from = eyoti_global_part(&g, src, n, bytes);
  eyoti_global_apart(&g, to, n * bytes, from, n * bytes, false);
  int rc = !eyoti_global_enter(&g)
               ? eyoti_global_refuse(&g)
               : eyoti_coll_do_alltoall(rt, team, from, to, bytes, eyoti_global_how(&g));
  return eyoti_global_leave(&g, rc);
}

/* Whether to[0..n-1] are the ranks; on all members alike. */
static int check_permutation(const uint32_t *to, uint32_t n, bool *seen) {
  for (uint32_t m = 0; m < n; m++) {
    if (to[m] >= n)
      return EYOTI_FAIL(EYOT_EINVAL, "member %u names rank %u of %u members", m, to[m], n);
    if (seen[to[m]])
      return EYOTI_FAIL(EYOT_EINVAL, "two members name rank %u, expected a permutation", to[m]);
    seen[to[m]] = true;
  }
  return EYOT_OK;
}

/* All members tell where their blocks go, and have entered then; afterwards each puts its own. */
static int put_block(struct eyoti_global *g, eyot_gptr_t dst, const void *src, eyot_tunit_t to,
                     uint64_t bytes, bool *told) {
  uint32_t n = g->t->size, *all = calloc(n, sizeof *all + sizeof(bool));
  if (all == NULL && g->refused == EYOT_OK)
    g->refused = EYOTI_FAIL(EYOT_ENOMEM, "no memory for the ranks of %u members", n);
  int rc = g->refused != EYOT_OK ? eyoti_global_refuse(g)
                                 : eyoti_coll_do_allgather(g->rt, g->team, &to.id, all,
                                                           sizeof to.id, eyoti_global_how(g));
  if (rc == EYOT_OK) rc = check_permutation(all, n, (bool *)(void *)(all + n));
  free(all);
  struct fab_addr at;
  *told = rc == EYOT_OK;
  if (rc != EYOT_OK || bytes == 0) return rc;
  EYOTI_TRY(eyoti_gmem_resolve(
      g->rt, eyot_gptr_at(dst, (eyot_unit_t){eyoti_team_unit(g->t, to.id)}), bytes, &at));
  return fab_put_wait(g->rt->fab, at, src, bytes);
}

/* A put is complete at its target; only a barrier tells that the own part has got its block, so
 * MYSYNC has one at the end too. */
static int permute(struct eyoti_global *g, eyot_gptr_t dst, const void *src, eyot_tunit_t to,
                   uint64_t bytes) {
  bool told = false; /* all members know where all blocks go */
  int rc = put_block(g, dst, src, to, bytes, &told);
  return !told || (g->args.sync & EYOT_OUT_NOSYNC) != 0 ? rc : meet(g, EYOT_OUT_ALLSYNC, rc);
}

int eyot_global_permute(eyot_team_t team, eyot_gptr_t dst, eyot_gptr_t src, eyot_tunit_t to,
                        uint64_t bytes, eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_PERMUTE, sync));
  g.args.count = bytes;
  void *own = eyoti_global_part(&g, dst, 1, bytes), *from = eyoti_global_part(&g, src, 1, bytes);
  eyoti_global_apart(&g, own, bytes, from, bytes, false);
  return permute(&g, dst, from, to, bytes);
}
