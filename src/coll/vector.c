/* SPDX-License-Identifier: BSD-3-Clause */
/* vector.c - eyot_scatter, and the collectives on blocks of several lengths: eyot_scatterv,
 * eyot_gatherv, eyot_allgatherv, eyot_collect, eyot_alltoallv.
 *
 * All members must cut the same rounds, so all must know the longest block. Where lengths are known
 * at one side only, a first operation carries them to the other: so their difference is found
 * before any data is moved. A member that refuses there refuses its part of the second operation,
 * and all others learn of it. */
#include <eyot/coll_nb.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "coll/call.h"
#include "coll/gen.h"
#include "coll/several.h"
#include "rt/observe.h"

#define BOARD_MOST (96u * 1024u)
#define ROUND_BYTES (24u * 1024u)
#define TREE_MOST 256u /* bytes of a block that scatter sends along the tree */
#define BLOCK_LEAST 8u

/* Bytes of each block that a round moves, where boards hold a block of every member. */
static uint64_t round_bytes(const struct eyoti_team *t) {
  uint64_t most = BOARD_MOST / t->size / BLOCK_LEAST * BLOCK_LEAST;
  if (most > ROUND_BYTES) return ROUND_BYTES;
  return most > BLOCK_LEAST ? most : BLOCK_LEAST;
}

static const char *place(const void *buffer, const uint64_t *at, uint64_t member) {
  return buffer == NULL || at == NULL ? buffer : (const char *)buffer + at[member];
}

/* -- what members tell each other first -------------------------------------------------------- */

struct first {
  struct eyot_rt *rt;
  struct eyoti_team *t;
  enum eyoti_coll_function function;
  uint32_t root;
};

static int first_run(const struct first *f, eyoti_plan_gen gen, const void *in, void *out,
                     uint64_t bytes, int refused) {
  struct eyoti_coll_call c = {.args = {.function = f->function, .root = f->root, .bytes = bytes},
                              .gen = gen,
                              .round_bytes = round_bytes(f->t),
                              .in = in,
                              .out = out};
  return eyoti_coll_run(f->rt, f->t, &c, refused);
}

/* Sets all[] to the words of all members. */
static int share_all(const struct first *f, uint64_t own, uint64_t *all, int refused) {
  return first_run(f, eyoti_gen_allgather_bruck, &own, all, sizeof own, refused);
}

static int share_longest(const struct first *f, uint64_t own, uint64_t *longest, int refused) {
  struct eyoti_coll_call c = {
      .args = {.function = f->function, .type = EYOT_UINT64, .op = EYOT_MAX, .bytes = sizeof own},
      .gen = eyoti_gen_allreduce_binomial,
      .round_bytes = sizeof own,
      .in = &own,
      .out = longest};
  EYOTI_TRY(eyoti_combiner_find(f->rt, EYOT_UINT64, EYOT_MAX, &c.args.combiner));
  return eyoti_coll_run(f->rt, f->t, &c, refused);
}

static uint64_t *words_of(uint32_t n, int *refused) {
  uint64_t *w = calloc(n, sizeof *w);
  if (w == NULL && *refused == EYOT_OK)
    *refused = EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lengths of %u blocks", n);
  return w;
}

static int differ(uint32_t member, uint64_t sends, uint64_t expected) {
  return EYOTI_FAIL(EYOT_EMISMATCH,
                    "member %u sends %" PRIu64 " bytes, this member expects %" PRIu64, member,
                    sends, expected);
}

/* The second operation. */
static int move(const struct first *f, struct eyoti_coll_call *c, int refused) {
  c->args.function = f->function;
  c->args.root = f->root;
  c->round_bytes = round_bytes(f->t);
  if (f->t->size == 1 && refused == EYOT_OK) {
    if (c->args.in != NULL) c->in = place(c->in, c->args.in->at, 0);
    if (c->args.out != NULL) c->out = (char *)(uintptr_t)place(c->out, c->args.out->at, 0);
  }
  return eyoti_coll_run(f->rt, f->t, c, refused);
}

/* -- from one member to all -------------------------------------------------------------------- */

static int scatter(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, const void *send,
                   void *recv, uint64_t bytes, struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  bool is_root = t->me == root.id;
  const void *any = is_root ? send : recv; /* the others' send is not used */
  int refused = eyoti_coll_check_root(t, root.id);
  if (refused == EYOT_OK) refused = eyoti_coll_check_buffers(any, recv, true, bytes, t->size);
  const char *own = is_root && send != NULL ? (const char *)send + t->me * bytes : NULL;
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_overlap(send, bytes * t->size, recv, bytes, own);
  bool tree = bytes <= TREE_MOST;
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_SCATTER, .root = root.id, .count = bytes, .bytes = bytes},
      .gen = tree ? eyoti_gen_scatter_tree : eyoti_gen_scatter_linear,
      .round_bytes = tree ? round_bytes(t) : ROUND_BYTES,
      .in = send,
      .out = recv,
      .reads = is_root ? bytes * t->size : 0,
      .writes = bytes,
      .seen_bytes = bytes};
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_scatter(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                 uint64_t bytes) {
  EYOTI_ENTER(rt);
  return scatter(rt, team, root, send, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_scatter_nb(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                    uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return scatter(rt, team, root, send, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_scatter_plan(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                      uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return scatter(rt, team, root, send, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}

static int scatter_several(const struct first *f, const struct eyoti_several *s, const void *send,
                           void *recv, uint64_t bytes, int refused) {
  bool is_root = f->t->me == f->root;
  uint64_t *all = words_of(f->t->size, &refused);
  if (is_root && refused == EYOT_OK) memcpy(all, s->blocks.bytes, f->t->size * sizeof *all);
  int rc = first_run(f, eyoti_gen_broadcast_binomial, all, all, f->t->size * sizeof *all, refused);
  if (rc == EYOT_OK) {
    struct eyoti_coll_blocks told = {all, all}; /* of receivers only the own length is used */
    struct eyoti_coll_call c = {.gen = eyoti_gen_scatter_linear, .in = send, .out = recv};
    c.args.in = is_root ? &s->blocks : NULL;
    c.args.out = is_root ? NULL : &told;
    for (uint32_t m = 0; m < f->t->size; m++)
      if (all[m] > c.args.bytes) c.args.bytes = all[m];
    if (all[f->t->me] != bytes) refused = differ(f->root, all[f->t->me], bytes);
    rc = move(f, &c, refused);
  }
  free(all);
  return rc;
}

int eyot_scatterv(eyot_team_t team, eyot_tunit_t root, const void *send, const uint64_t *sizes,
                  const uint64_t *at, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  struct first f = {.rt = rt, .function = EYOTI_COLL_SCATTERV, .root = root.id};
  EYOTI_TRY(eyoti_team_get(rt, team, &f.t));
  eyoti_team_enter(rt, f.t, root.id, 0);
  bool is_root = f.t->me == root.id;
  struct eyoti_several s = {0};
  int refused = eyoti_coll_check_root(f.t, root.id);
  if (refused == EYOT_OK) refused = eyoti_several_null(recv, bytes, "recv");
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_make(&s, f.t->size, sizes, at, 1, "sizes");
  if (refused == EYOT_OK && is_root) refused = eyoti_several_buffer(&s, send, "send");
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_overlap(send, s.extent, recv, bytes, place(send, s.blocks.at, f.t->me));
  if (refused == EYOT_OK) eyoti_observe_reads(rt, send, s.extent);
  if (refused == EYOT_OK) eyoti_observe_writes(rt, recv, bytes);
  int rc = scatter_several(&f, &s, send, recv, bytes, refused);
  if (rc == EYOT_OK) eyoti_observe_writes(rt, recv, bytes);
  eyoti_several_free(&s);
  return rc;
}

/* -- from all members -------------------------------------------------------------------------- */

/* The lengths of all members are in all[]. */
static int gather_several(const struct first *f, struct eyoti_coll_call *c, const uint64_t *all,
                          int refused) {
  struct eyoti_coll_blocks told = {all, all}; /* of senders only the own length is used */
  if (c->args.out == NULL) c->args.in = &told;
  c->args.count = 0;
  c->args.bytes = 0;
  for (uint32_t m = 0; m < f->t->size; m++) {
    c->args.count = eyoti_hash_mix(c->args.count, all[m]);
    if (all[m] > c->args.bytes) c->args.bytes = all[m];
    if (c->args.out != NULL && c->args.out->bytes[m] != all[m] && refused == EYOT_OK)
      refused = differ(m, all[m], c->args.out->bytes[m]);
  }
  return move(f, c, refused);
}

int eyot_gatherv(eyot_team_t team, eyot_tunit_t root, const void *send, uint64_t bytes, void *recv,
                 const uint64_t *sizes, const uint64_t *at) {
  EYOTI_ENTER(rt);
  struct first f = {.rt = rt, .function = EYOTI_COLL_GATHERV, .root = root.id};
  EYOTI_TRY(eyoti_team_get(rt, team, &f.t));
  eyoti_team_enter(rt, f.t, root.id, 0);
  bool is_root = f.t->me == root.id;
  struct eyoti_several s = {0};
  int refused = eyoti_coll_check_root(f.t, root.id);
  if (refused == EYOT_OK) refused = eyoti_several_null(send, bytes, "send");
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_make(&s, f.t->size, sizes, at, 1, "sizes");
  if (refused == EYOT_OK && is_root) refused = eyoti_several_buffer(&s, recv, "recv");
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_overlap(recv, s.extent, send, bytes, place(recv, s.blocks.at, f.t->me));
  if (refused == EYOT_OK) eyoti_observe_reads(rt, send, bytes);
  if (refused == EYOT_OK && is_root) eyoti_observe_writes(rt, recv, s.extent);
  uint64_t *all = words_of(f.t->size, &refused);
  int rc = share_all(&f, bytes, all, refused);
  struct eyoti_coll_call c = {.gen = eyoti_gen_gatherv_linear, .in = send, .out = recv};
  c.args.out = is_root ? &s.blocks : NULL;
  if (rc == EYOT_OK) rc = gather_several(&f, &c, all, EYOT_OK);
  if (rc == EYOT_OK && is_root) eyoti_observe_writes(rt, recv, s.extent);
  free(all);
  eyoti_several_free(&s);
  return rc;
}

int eyot_allgatherv(eyot_team_t team, const void *send, void *recv, const uint64_t *sizes,
                    const uint64_t *at) {
  EYOTI_ENTER(rt);
  struct first f = {.rt = rt, .function = EYOTI_COLL_ALLGATHERV};
  EYOTI_TRY(eyoti_team_get(rt, team, &f.t));
  struct eyoti_several s = {0};
  int refused = eyoti_several_make(&s, f.t->size, sizes, at, 1, "sizes");
  uint64_t own = refused == EYOT_OK ? s.blocks.bytes[f.t->me] : 0;
  if (refused == EYOT_OK) refused = eyoti_several_null(send, own, "send");
  if (refused == EYOT_OK) refused = eyoti_several_buffer(&s, recv, "recv");
  if (refused == EYOT_OK)
    refused = eyoti_several_overlap(recv, s.extent, send, own, place(recv, s.blocks.at, f.t->me));
  eyoti_team_enter(rt, f.t, FAB_COLLECTIVE_NONE, s.hash);
  if (refused == EYOT_OK) eyoti_observe_reads(rt, send, own);
  if (refused == EYOT_OK) eyoti_observe_writes(rt, recv, s.extent);
  struct eyoti_coll_call c = {.args = {.count = s.hash, .bytes = s.longest, .out = &s.blocks},
                              .gen = eyoti_gen_allgatherv_linear,
                              .in = send,
                              .out = recv};
  int rc = move(&f, &c, refused);
  if (rc == EYOT_OK) eyoti_observe_writes(rt, recv, s.extent);
  eyoti_several_free(&s);
  return rc;
}

/* Blocks of all[] lengths, one after the other, in recv of `capacity` bytes. */
static int collect_blocks(const struct first *f, const void *send, void *recv, uint64_t capacity,
                          const uint64_t *all) {
  struct eyoti_several s = {0};
  int refused = eyoti_several_make(&s, f->t->size, all, NULL, 1, "bytes");
  uint64_t own = all[f->t->me];
  if (refused == EYOT_OK && s.extent > capacity)
    refused =
        EYOTI_FAIL(EYOT_ERANGE, "the members send %" PRIu64 " bytes in all, recv has %" PRIu64,
                   s.extent, capacity);
  if (refused == EYOT_OK) refused = eyoti_several_buffer(&s, recv, "recv");
  if (refused == EYOT_OK)
    refused = eyoti_several_overlap(recv, s.extent, send, own, place(recv, s.blocks.at, f->t->me));
  if (refused == EYOT_OK) eyoti_observe_writes(f->rt, recv, s.extent);
  struct eyoti_coll_call c = {.args = {.count = s.hash, .bytes = s.longest, .out = &s.blocks},
                              .gen = eyoti_gen_allgatherv_linear,
                              .in = send,
                              .out = recv};
  int rc = move(f, &c, refused);
  if (rc == EYOT_OK) eyoti_observe_writes(f->rt, recv, s.extent);
  eyoti_several_free(&s);
  return rc;
}

int eyot_collect(eyot_team_t team, const void *send, uint64_t bytes, void *recv, uint64_t capacity,
                 uint64_t *sizes) {
  EYOTI_ENTER(rt);
  struct first f = {.rt = rt, .function = EYOTI_COLL_COLLECT};
  EYOTI_TRY(eyoti_team_get(rt, team, &f.t));
  eyoti_team_enter(rt, f.t, FAB_COLLECTIVE_NONE, 0);
  int refused = eyoti_several_null(send, bytes, "send");
  if (refused == EYOT_OK) eyoti_observe_reads(rt, send, bytes);
  uint64_t *all = words_of(f.t->size, &refused);
  int rc = share_all(&f, bytes, all, refused);
  if (rc == EYOT_OK) rc = collect_blocks(&f, send, recv, capacity, all);
  if (rc == EYOT_OK && sizes != NULL) memcpy(sizes, all, f.t->size * sizeof *sizes);
  free(all);
  return rc;
}

/* -- from all members to all ------------------------------------------------------------------- */

static int alltoall_several(const struct first *f, struct eyoti_coll_call *c, uint64_t longest,
                            int refused) {
  uint64_t *come = words_of(f->t->size, &refused);
  const uint64_t *go = c->args.in != NULL ? c->args.in->bytes : NULL;
  int rc = first_run(f, eyoti_gen_alltoall_linear, go, come, sizeof *come, refused);
  if (rc == EYOT_OK && f->t->size == 1) come[0] = go[0];
  if (rc == EYOT_OK) rc = share_longest(f, longest, &c->args.bytes, EYOT_OK);
  for (uint32_t m = 0; m < f->t->size && rc == EYOT_OK && refused == EYOT_OK; m++)
    if (come[m] != c->args.out->bytes[m]) refused = differ(m, come[m], c->args.out->bytes[m]);
  if (rc == EYOT_OK) rc = move(f, c, refused);
  free(come);
  return rc;
}

int eyot_alltoallv(eyot_team_t team, const void *send, const uint64_t *send_sizes,
                   const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                   const uint64_t *recv_at) {
  EYOTI_ENTER(rt);
  struct first f = {.rt = rt, .function = EYOTI_COLL_ALLTOALLV};
  EYOTI_TRY(eyoti_team_get(rt, team, &f.t));
  eyoti_team_enter(rt, f.t, FAB_COLLECTIVE_NONE, 0);
  struct eyoti_several go = {0}, come = {0};
  int refused = eyoti_several_make(&go, f.t->size, send_sizes, send_at, 1, "send_sizes");
  if (refused == EYOT_OK)
    refused = eyoti_several_make(&come, f.t->size, recv_sizes, recv_at, 1, "recv_sizes");
  if (refused == EYOT_OK) refused = eyoti_several_buffer(&go, send, "send");
  if (refused == EYOT_OK) refused = eyoti_several_buffer(&come, recv, "recv");
  if (refused == EYOT_OK) refused = eyoti_several_overlap(send, go.extent, recv, come.extent, NULL);
  if (refused == EYOT_OK) eyoti_observe_reads(rt, send, go.extent);
  if (refused == EYOT_OK) eyoti_observe_writes(rt, recv, come.extent);
  struct eyoti_coll_call c = {.args = {.in = &go.blocks, .out = &come.blocks},
                              .gen = eyoti_gen_alltoallv_linear,
                              .in = send,
                              .out = recv};
  uint64_t longest = go.longest > come.longest ? go.longest : come.longest;
  int rc = alltoall_several(&f, &c, longest, refused);
  if (rc == EYOT_OK) eyoti_observe_writes(rt, recv, come.extent);
  eyoti_several_free(&go);
  eyoti_several_free(&come);
  return rc;
}
