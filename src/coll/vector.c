/* SPDX-License-Identifier: BSD-3-Clause */
/* vector.c - eyot_scatter, and the collectives on blocks of several lengths: eyot_scatterv,
 * eyot_gatherv, eyot_allgatherv, eyot_collect. Each in three forms.
 *
 * All members must cut the same rounds, so all must know the longest block. Where lengths are known
 * at one side only, a first operation carries them to the other: so their difference is found
 * before any data is moved. A member that refuses there refuses its part of the second operation,
 * and all others learn of it. Where the fabric moves blocks of any length in one round, gatherv and
 * scatterv have that one operation, in which each pair compares its lengths (gen_pairs.c). */
#include <eyot/coll_nb.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "coll/gen.h"
#include "coll/global.h"
#include "coll/quick.h"
#include "coll/round.h"
#include "coll/select.h"
#include "coll/several.h"
#include "rt/observe.h"

static const char *place(const void *buffer, const uint64_t *at, uint64_t member) {
  return buffer == NULL || at == NULL ? buffer : (const char *)buffer + at[member];
}

/* -- blocks of one length ---------------------------------------------------------------------- */

int eyoti_coll_do_scatter(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, const void *send,
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
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_SCATTER, .root = root.id, .count = bytes, .bytes = bytes},
      .round_bytes = EYOTI_ROUND_MOST,
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
  EYOTI_QUICK(rt, team, EYOTI_COLL_SCATTER, root.id, 0, 0, bytes, send, recv);
  return eyoti_coll_do_scatter(rt, team, root, send, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_scatter_nb(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                    uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_scatter(rt, team, root, send, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_scatter_plan(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                      uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_scatter(rt, team, root, send, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}

/* -- lengths, and blocks after them ------------------------------------------------------------ */

/* The memory of a call. */
struct vector {
  struct eyoti_several s;        /* the blocks of a buffer that has one of each member */
  struct eyoti_coll_blocks told; /* of other buffers: only the own length is used */
  const void *send;
  void *recv;
  uint64_t own;              /* bytes of the member's block */
  uint64_t capacity, *sizes; /* of eyot_collect, */
  bool pairs;                /* and whether its blocks go between pairs */
  bool lent;                 /* by the function that was called */
  uint64_t all[];            /* the lengths of all members, after the first operation */
};
/* That of a call that blocks, of few members. */
union few {
  struct vector v;
  char memory[sizeof(struct vector) + EYOTI_SEVERAL_FEW * sizeof(uint64_t)];
};

static void vector_finish(void *own) {
  struct vector *v = own;
  eyoti_several_free(&v->s);
  if (!v->lent) free(v);
}

static int vector_new(struct eyoti_coll_call *c, const struct eyoti_team *t, uint64_t own,
                      enum eyoti_coll_form form, union few *few, struct vector **out) {
  bool lent = form == EYOTI_COLL_BLOCKING && t->size <= EYOTI_SEVERAL_FEW;
  struct vector *v = lent ? &few->v : calloc(1, sizeof *v + t->size * sizeof v->all[0]);
  if (lent) memset(few, 0, sizeof *few);
  if (v == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lengths of %u blocks", t->size);
  v->lent = lent;
  v->told = (struct eyoti_coll_blocks){v->all, v->all, NULL};
  v->send = c->in;
  v->recv = c->out;
  v->own = own;
  c->own = v;
  c->finish = vector_finish;
  if (c->stages->count > 1) c->later = eyoti_several_space(t, form);
  *out = v;
  return EYOT_OK;
}

/* The first operation: all members tell their lengths. It ends on all members or on none, so that
 * they begin the second one together whatever they have called. */
static int turn_lengths(struct eyoti_coll_call *c) {
  struct vector *v = c->own;
  c->args.count = 0;
  c->args.bytes = c->round_bytes = sizeof v->own;
  c->args.in = c->args.out = NULL;
  c->gen = eyoti_gen_allgather_bruck;
  c->in = &v->own;
  c->out = v->all;
  return EYOT_OK;
}

/* The second one, of blocks of all[] bytes. */
static void turn_blocks(struct eyoti_coll_call *c, const struct eyoti_team *t) {
  const struct vector *v = c->own;
  c->args.count = c->args.bytes = 0;
  for (uint32_t m = 0; m < t->size; m++) {
    c->args.count = eyoti_hash_mix(c->args.count, v->all[m]);
    if (v->all[m] > c->args.bytes) c->args.bytes = v->all[m];
  }
  c->round_bytes = eyoti_several_round(t, c->args.form);
  c->in = v->send;
  c->out = v->recv;
}

/* The only operation, where pairs compare their lengths. */
static void turn_pairs(struct eyoti_coll_call *c, const struct eyoti_team *t) {
  struct vector *v = c->own;
  v->all[t->me] = v->own;
  c->args.count = c->args.bytes = 0;
  c->round_bytes = 1;
  c->in = v->send;
  c->out = v->recv;
}

/* The first operation of two members has told the length of the block from one to the other. */
static uint64_t told_by_greeting(const struct eyoti_coll_call *c, const struct eyoti_team *t) {
  const struct vector *v = c->own;
  return t->me == c->args.root ? v->s.blocks.bytes[1 - t->me] : v->own;
}

/* The second one, if that is long. The root has its own block. */
static void turn_long(struct eyoti_coll_call *c, const struct eyoti_team *t) {
  struct vector *v = c->own;
  if (t->me == c->args.root) v->s.memory[t->me] = 0;
  c->args.bytes = told_by_greeting(c, t);
  c->args.count = eyoti_hash_mix(0, c->args.bytes);
  c->round_bytes = eyoti_several_round(t, c->args.form);
}

/* -- from one member to all -------------------------------------------------------------------- */

static int scatterv_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  const struct vector *v = c->own;
  bool is_root = t->me == c->args.root;
  if (stage == 0) return turn_lengths(c);
  turn_blocks(c, t);
  c->gen = eyoti_gen_scatter_linear;
  c->args.in = is_root ? &v->s.blocks : NULL;
  c->args.out = is_root ? NULL : &v->told;
  for (uint32_t m = 0; m < t->size && is_root; m++)
    if (v->all[m] != v->s.blocks.bytes[m])
      return EYOTI_FAIL(EYOT_EMISMATCH,
                        "this member sends %" PRIu64 " bytes to member %u, which expects %" PRIu64,
                        v->s.blocks.bytes[m], m, v->all[m]);
  return EYOT_OK;
}

static int scatterv_pairs_turn(struct eyoti_coll_call *c, const struct eyoti_team *t,
                               uint32_t stage) {
  const struct vector *v = c->own;
  bool is_root = t->me == c->args.root;
  (void)stage;
  turn_pairs(c, t);
  c->gen = eyoti_gen_scatter_pairs;
  c->args.in = is_root ? &v->s.blocks : NULL;
  c->args.out = &v->told;
  if (!is_root || v->s.blocks.bytes[t->me] == v->own) return EYOT_OK;
  return eyoti_several_differ(t->me, v->s.blocks.bytes[t->me], v->own);
}

static int scatterv_greet_turn(struct eyoti_coll_call *c, const struct eyoti_team *t,
                               uint32_t stage) {
  const struct vector *v = c->own;
  if (stage == 0) {
    EYOTI_TRY(scatterv_pairs_turn(c, t, stage));
    c->gen = eyoti_gen_scatter_greet;
    c->ends = !eyoti_pairs_is_long(t, c->args.form, told_by_greeting(c, t));
    return EYOT_OK;
  }
  turn_long(c, t);
  c->gen = eyoti_gen_scatter_linear;
  c->args.in = t->me == c->args.root ? &v->s.blocks : NULL;
  c->args.out = t->me == c->args.root ? NULL : &v->told;
  return EYOT_OK;
}

static int scatterv(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, const void *send,
                    const uint64_t *sizes, const uint64_t *at, void *recv, uint64_t bytes,
                    struct eyoti_coll_how how) {
  static const struct eyoti_coll_stages STAGES = {2, scatterv_turn, NULL};
  static const struct eyoti_coll_stages PAIRS = {1, scatterv_pairs_turn, NULL};
  static const struct eyoti_coll_stages GREET = {2, scatterv_greet_turn, NULL};
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  enum eyoti_algorithm algorithm = eyoti_select_operations(rt, t, EYOTI_COLL_SCATTERV, how.form);
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_SCATTERV,
               .root = root.id,
               .algorithm = eyoti_select_mark(algorithm)},
      .in = send,
      .out = recv,
      .writes = bytes,
      .stages = eyoti_several_stages(rt, algorithm, &STAGES, &PAIRS, &GREET)};
  bool is_root = t->me == root.id;
  struct vector *v = NULL;
  union few few;
  int refused = eyoti_coll_check_root(t, root.id);
  if (refused == EYOT_OK) refused = eyoti_several_null(recv, bytes, "recv");
  if (refused == EYOT_OK) refused = vector_new(&c, t, bytes, how.form, &few, &v);
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_make(&v->s, t->size, sizes, at, 1, false, "sizes");
  if (refused == EYOT_OK && is_root) refused = eyoti_several_buffer(&v->s, send, "send");
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_meet_one(&v->s, t->size, send, recv, bytes, t->me);
  if (refused == EYOT_OK) c.reads = v->s.extent;
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_scatterv(eyot_team_t team, eyot_tunit_t root, const void *send, const uint64_t *sizes,
                  const uint64_t *at, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  return scatterv(rt, team, root, send, sizes, at, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_scatterv_nb(eyot_team_t team, eyot_tunit_t root, const void *send, const uint64_t *sizes,
                     const uint64_t *at, void *recv, uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return scatterv(rt, team, root, send, sizes, at, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_scatterv_plan(eyot_team_t team, eyot_tunit_t root, const void *send, const uint64_t *sizes,
                       const uint64_t *at, void *recv, uint64_t bytes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return scatterv(rt, team, root, send, sizes, at, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}

/* -- from all members -------------------------------------------------------------------------- */

static int gatherv_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  const struct vector *v = c->own;
  bool is_root = t->me == c->args.root;
  if (stage == 0) return turn_lengths(c);
  turn_blocks(c, t);
  c->gen = eyoti_gen_gatherv_linear;
  c->args.in = is_root ? NULL : &v->told;
  c->args.out = is_root ? &v->s.blocks : NULL;
  for (uint32_t m = 0; m < t->size && is_root; m++)
    if (v->all[m] != v->s.blocks.bytes[m])
      return eyoti_several_differ(m, v->all[m], v->s.blocks.bytes[m]);
  return EYOT_OK;
}

static int gatherv_pairs_turn(struct eyoti_coll_call *c, const struct eyoti_team *t,
                              uint32_t stage) {
  const struct vector *v = c->own;
  bool is_root = t->me == c->args.root;
  (void)stage;
  turn_pairs(c, t);
  c->gen = eyoti_gen_gather_pairs;
  c->args.in = &v->told;
  c->args.out = is_root ? &v->s.blocks : NULL;
  if (!is_root || v->s.blocks.bytes[t->me] == v->own) return EYOT_OK;
  return eyoti_several_differ(t->me, v->own, v->s.blocks.bytes[t->me]);
}

static int gatherv_greet_turn(struct eyoti_coll_call *c, const struct eyoti_team *t,
                              uint32_t stage) {
  const struct vector *v = c->own;
  if (stage == 0) {
    EYOTI_TRY(gatherv_pairs_turn(c, t, stage));
    c->gen = eyoti_gen_gather_greet;
    c->ends = !eyoti_pairs_is_long(t, c->args.form, told_by_greeting(c, t));
    return EYOT_OK;
  }
  turn_long(c, t);
  c->gen = eyoti_gen_gatherv_linear;
  c->args.in = t->me == c->args.root ? NULL : &v->told;
  c->args.out = t->me == c->args.root ? &v->s.blocks : NULL;
  return EYOT_OK;
}

static int gatherv(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, const void *send,
                   uint64_t bytes, void *recv, const uint64_t *sizes, const uint64_t *at,
                   struct eyoti_coll_how how) {
  static const struct eyoti_coll_stages STAGES = {2, gatherv_turn, NULL};
  static const struct eyoti_coll_stages PAIRS = {1, gatherv_pairs_turn, NULL};
  static const struct eyoti_coll_stages GREET = {2, gatherv_greet_turn, NULL};
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  enum eyoti_algorithm algorithm = eyoti_select_operations(rt, t, EYOTI_COLL_GATHERV, how.form);
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_GATHERV,
               .root = root.id,
               .algorithm = eyoti_select_mark(algorithm)},
      .in = send,
      .out = recv,
      .reads = bytes,
      .stages = eyoti_several_stages(rt, algorithm, &STAGES, &PAIRS, &GREET)};
  bool is_root = t->me == root.id;
  struct vector *v = NULL;
  union few few;
  int refused = eyoti_coll_check_root(t, root.id);
  if (refused == EYOT_OK) refused = eyoti_several_null(send, bytes, "send");
  if (refused == EYOT_OK) refused = vector_new(&c, t, bytes, how.form, &few, &v);
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_make(&v->s, t->size, sizes, at, 1, true, "sizes");
  if (refused == EYOT_OK && is_root) refused = eyoti_several_buffer(&v->s, recv, "recv");
  if (refused == EYOT_OK && is_root)
    refused = eyoti_several_meet_one(&v->s, t->size, recv, send, bytes, t->me);
  if (refused == EYOT_OK) c.writes = v->s.extent;
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_gatherv(eyot_team_t team, eyot_tunit_t root, const void *send, uint64_t bytes, void *recv,
                 const uint64_t *sizes, const uint64_t *at) {
  EYOTI_ENTER(rt);
  return gatherv(rt, team, root, send, bytes, recv, sizes, at, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_gatherv_nb(eyot_team_t team, eyot_tunit_t root, const void *send, uint64_t bytes,
                    void *recv, const uint64_t *sizes, const uint64_t *at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return gatherv(rt, team, root, send, bytes, recv, sizes, at, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_gatherv_plan(eyot_team_t team, eyot_tunit_t root, const void *send, uint64_t bytes,
                      void *recv, const uint64_t *sizes, const uint64_t *at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return gatherv(rt, team, root, send, bytes, recv, sizes, at, EYOTI_HOW(PERSISTENT, handle));
}

static int allgatherv(struct eyot_rt *rt, eyot_team_t team, const void *send, void *recv,
                      const uint64_t *sizes, const uint64_t *at, struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_coll_call c = {.args = {.function = EYOTI_COLL_ALLGATHERV},
                              .round_bytes = eyoti_several_round(t, EYOTI_COLL_BLOCKING),
                              .in = send,
                              .out = recv};
  const struct eyoti_several *s = NULL;
  int refused = eyoti_several_own(&c, t->size, sizes, at, 1, "sizes", &s);
  if (s != NULL) {
    c.args.count = c.seen_bytes = s->hash;
    c.args.bytes = s->longest;
    c.args.out = &s->blocks;
    c.reads = s->blocks.bytes[t->me];
    c.writes = s->extent;
  }
  if (refused == EYOT_OK) refused = eyoti_several_null(send, c.reads, "send");
  if (refused == EYOT_OK) refused = eyoti_several_buffer(s, recv, "recv");
  if (refused == EYOT_OK) refused = eyoti_several_meet_one(s, t->size, recv, send, c.reads, t->me);
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_allgatherv(eyot_team_t team, const void *send, void *recv, const uint64_t *sizes,
                    const uint64_t *at) {
  EYOTI_ENTER(rt);
  return allgatherv(rt, team, send, recv, sizes, at, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_allgatherv_nb(eyot_team_t team, const void *send, void *recv, const uint64_t *sizes,
                       const uint64_t *at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return allgatherv(rt, team, send, recv, sizes, at, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_allgatherv_plan(eyot_team_t team, const void *send, void *recv, const uint64_t *sizes,
                         const uint64_t *at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return allgatherv(rt, team, send, recv, sizes, at, EYOTI_HOW(PERSISTENT, handle));
}

/* Blocks of all[] lengths, one after the other, in recv of `capacity` bytes. */
static int collect_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  struct vector *v = c->own;
  if (stage == 0) return turn_lengths(c);
  turn_blocks(c, t);
  c->gen = v->pairs ? eyoti_gen_allgatherv_pairs : eyoti_gen_allgatherv_linear;
  if (v->pairs) c->args.bytes = 0; /* one round */
  eyoti_several_free(&v->s);       /* of an earlier start */
  EYOTI_TRY(eyoti_several_make(&v->s, t->size, v->all, NULL, 1, true, "bytes"));
  c->args.out = &v->s.blocks;
  if (v->s.extent > v->capacity)
    return EYOTI_FAIL(EYOT_ERANGE, "the members send %" PRIu64 " bytes in all, recv has %" PRIu64,
                      v->s.extent, v->capacity);
  EYOTI_TRY(eyoti_several_buffer(&v->s, v->recv, "recv"));
  return eyoti_several_overlap(v->recv, v->s.extent, v->send, v->own,
                               place(v->recv, v->s.blocks.at, t->me));
}

static void collect_touch(struct eyot_rt *rt, const struct eyoti_team *t,
                          const struct eyoti_coll_call *c, bool over) {
  const struct vector *v = c->own;
  if (!over) {
    eyoti_observe_reads(rt, v->send, v->own);
    return;
  }
  eyoti_observe_writes(rt, v->recv, v->s.extent);
  if (v->sizes != NULL) memcpy(v->sizes, v->all, t->size * sizeof *v->sizes);
}

static int collect(struct eyot_rt *rt, eyot_team_t team, const void *send, uint64_t bytes,
                   void *recv, uint64_t capacity, uint64_t *sizes, struct eyoti_coll_how how) {
  static const struct eyoti_coll_stages STAGES = {2, collect_turn, collect_touch};
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  enum eyoti_algorithm algorithm = eyoti_select_operations(rt, t, EYOTI_COLL_COLLECT, how.form);
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_COLLECT, .algorithm = eyoti_select_mark(algorithm)},
      .in = send,
      .out = recv,
      .stages = &STAGES};
  struct vector *v = NULL;
  union few few;
  int refused = eyoti_several_null(send, bytes, "send");
  if (refused == EYOT_OK) refused = vector_new(&c, t, bytes, how.form, &few, &v);
  if (v != NULL) {
    v->capacity = capacity;
    v->sizes = sizes;
    v->pairs = algorithm == EYOTI_PAIRS;
    if (v->pairs) c.later = eyoti_pairs_space(t, how.form);
  }
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_collect(eyot_team_t team, const void *send, uint64_t bytes, void *recv, uint64_t capacity,
                 uint64_t *sizes) {
  EYOTI_ENTER(rt);
  return collect(rt, team, send, bytes, recv, capacity, sizes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_collect_nb(eyot_team_t team, const void *send, uint64_t bytes, void *recv,
                    uint64_t capacity, uint64_t *sizes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return collect(rt, team, send, bytes, recv, capacity, sizes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_collect_plan(eyot_team_t team, const void *send, uint64_t bytes, void *recv,
                      uint64_t capacity, uint64_t *sizes, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return collect(rt, team, send, bytes, recv, capacity, sizes, EYOTI_HOW(PERSISTENT, handle));
}
