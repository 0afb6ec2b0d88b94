/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - the exchanges between all members whose blocks have several lengths or lie in runs:
 * eyot_alltoallv, eyot_alltoallw and eyot_alltoall_strided.
 *
 * The first two take three operations: each member tells the others what it sends them, so that a
 * difference is found before any data is moved; all learn the longest block, so that they cut the
 * same rounds; the blocks are moved. Where the fabric moves blocks of any length in one round, one
 * operation does all of it (gen_pairs.c). Of the last function all blocks have one length, which is
 * an argument. */
#include <eyot/coll_nb.h>
#include <inttypes.h>
#include <stdlib.h>

#include "coll/gen.h"
#include "coll/runs.h"
#include "coll/select.h"
#include "coll/several.h"
#include "rt/observe.h"

/* The memory of a call. */
struct exchange_call {
  struct eyoti_several go, come;
  struct eyoti_combiner max;
  const void *send;
  void *recv;
  struct eyoti_several *lies; /* in place: where blocks are that are sent, else NULL; */
  char *aside;                /* `go` is of this copy, where they follow each other */
  uint32_t size;              /* members */
  uint64_t longest;           /* block of this member, */
  uint64_t most;              /* and of all, after the second operation */
  uint64_t told[];            /* what the members send to this one, after the first */
};

static void exchange_finish(void *own) {
  struct exchange_call *x = own;
  eyoti_several_free(&x->go);
  eyoti_several_free(&x->come);
  if (x->lies != NULL) eyoti_several_free(x->lies);
  free(x->lies);
  free(x->aside);
  free(x);
}

static int exchange_new(struct eyot_rt *rt, struct eyoti_coll_call *c, const struct eyoti_team *t,
                        struct exchange_call **out) {
  struct exchange_call *x = calloc(1, sizeof *x + t->size * sizeof x->told[0]);
  if (x == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lengths of %u blocks", t->size);
  x->send = c->in;
  x->recv = c->out;
  x->size = t->size;
  c->own = x;
  c->finish = exchange_finish;
  *out = x;
  return eyoti_combiner_find(rt, EYOT_UINT64, EYOT_MAX, &x->max);
}

/* -- operations -------------------------------------------------------------------------------- */

static int turn_lengths(struct eyoti_coll_call *c, const struct exchange_call *x) {
  c->args.bytes = c->round_bytes = sizeof x->told[0];
  c->gen = eyoti_gen_alltoall_linear;
  c->in = x->go.blocks.bytes;
  c->out = (void *)(uintptr_t)x->told;
  return EYOT_OK;
}

static int turn_longest(struct eyoti_coll_call *c, struct exchange_call *x,
                        const struct eyoti_team *t) {
  c->args.type = EYOT_UINT64;
  c->args.op = EYOT_MAX;
  c->args.combiner = x->max;
  c->args.bytes = c->round_bytes = sizeof x->longest;
  c->gen = eyoti_gen_allreduce_binomial;
  c->in = &x->longest;
  c->out = &x->most;
  for (uint32_t m = 0; m < t->size; m++)
    if (x->told[m] != x->come.blocks.bytes[m])
      return eyoti_several_differ(m, x->told[m], x->come.blocks.bytes[m]);
  return EYOT_OK;
}

/* Blocks of up to `bytes` bytes. */
static void turn_blocks(struct eyoti_coll_call *c, const struct exchange_call *x, uint64_t bytes,
                        uint64_t round_bytes) {
  c->args.bytes = bytes;
  c->args.in = &x->go.blocks;
  c->args.out = &x->come.blocks;
  c->gen = eyoti_gen_alltoallv_linear;
  c->round_bytes = round_bytes;
  c->in = x->send;
  c->out = x->recv;
}

static int exchange_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  struct exchange_call *x = c->own;
  c->args = (struct eyoti_coll_args){
      .function = c->args.function, .form = c->args.form, .algorithm = c->args.algorithm};
  if (stage == 0) return turn_lengths(c, x);
  if (stage == 1) return turn_longest(c, x, t);
  turn_blocks(c, x, x->most, eyoti_several_round(t, c->args.form));
  return EYOT_OK;
}

/* The only operation, where pairs compare their lengths. */
static int pairs_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  const struct exchange_call *x = c->own;
  uint64_t sends = x->go.blocks.bytes[t->me], expects = x->come.blocks.bytes[t->me];
  (void)stage;
  turn_blocks(c, x, 0, 1);
  c->gen = eyoti_gen_alltoallv_pairs;
  return sends == expects ? EYOT_OK : eyoti_several_differ(t->me, sends, expects);
}

/* Where the fabric has no messages to private memory, two members greet each other, and a second
 * operation brings long blocks. Each has its own block then. */
static int greet_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  struct exchange_call *x = c->own;
  uint64_t goes = x->go.blocks.bytes[1 - t->me], comes = x->come.blocks.bytes[1 - t->me];
  uint64_t most = goes > comes ? goes : comes;
  if (stage == 0) {
    EYOTI_TRY(pairs_turn(c, t, stage));
    c->gen = eyoti_gen_alltoallv_greet;
    c->ends = !eyoti_pairs_is_long(t, c->args.form, most);
    return EYOT_OK;
  }
  x->go.memory[t->me] = x->come.memory[t->me] = 0;
  turn_blocks(c, x, most, eyoti_several_round(t, c->args.form));
  return EYOT_OK;
}

/* -- what a call touches: runs, not what lies between them ------------------------------------- */

static void read_run(void *rt, const char *run, uint64_t bytes) {
  eyoti_observe_reads(rt, run, bytes);
}
static void written_run(void *rt, const char *run, uint64_t bytes) {
  eyoti_observe_writes(rt, run, bytes);
}

static void touch_runs(struct eyot_rt *rt, const struct eyoti_coll_blocks *b, const char *buffer,
                       uint32_t size, void (*each)(void *rt, const char *run, uint64_t bytes)) {
  for (uint32_t m = 0; m < size; m++)
    if (b->bytes[m] > 0) eyoti_runs_each(&b->shape[m], buffer + b->at[m], each, rt);
}

static void exchange_touch(struct eyot_rt *rt, const struct eyoti_team *t,
                           const struct eyoti_coll_call *c, bool over) {
  const struct exchange_call *x = c->own;
  if (__builtin_expect(!rt->observed, 1)) return;
  const struct eyoti_coll_blocks *sent = x->aside == NULL ? &x->go.blocks : &x->lies->blocks;
  if (!over) touch_runs(rt, sent, x->aside == NULL ? x->send : x->recv, t->size, read_run);
  touch_runs(rt, &x->come.blocks, x->recv, t->size, written_run);
}

/* -- in place ---------------------------------------------------------------------------------- */

/* Whether each block of several lengths is received where the one to that member was. Else blocks
 * of either side may lie in the other's gaps. */
static bool is_in_place(const struct exchange_call *x) {
  const struct eyoti_coll_blocks *go = &x->go.blocks, *come = &x->come.blocks;
  if (x->send != x->recv) return false;
  for (uint32_t m = 0; m < x->size; m++)
    if (go->bytes[m] != come->bytes[m] || (go->bytes[m] > 0 && go->at[m] != come->at[m]))
      return false;
  return true;
}

static int lies_new(struct exchange_call *x) {
  x->lies = calloc(1, sizeof *x->lies);
  if (x->lies != NULL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lengths of %u blocks", x->size);
}

static void exchange_set_aside(const struct eyoti_coll_call *c) {
  const struct exchange_call *x = c->own;
  const struct eyoti_coll_blocks *b = &x->lies->blocks;
  for (uint32_t m = 0; m < x->size; m++)
    if (b->bytes[m] > 0)
      eyoti_runs_move(b->shape != NULL ? &b->shape[m] : NULL, (const char *)x->recv + b->at[m],
                      NULL, x->aside + x->go.blocks.at[m], b->bytes[m]);
}

/* Blocks come in before those in their place have gone, so the call sends a copy. */
static int exchange_in_place(struct eyoti_coll_call *c, struct exchange_call *x) {
  uint64_t *at = x->go.memory + x->size, next = 0;
  for (uint32_t m = 0; m < x->size; m++) {
    uint64_t bytes = x->go.blocks.bytes[m];
    at[m] = next;
    next += bytes;
    if (next > EYOTI_COLL_BYTES_MOST)
      return EYOTI_FAIL(EYOT_EINVAL, "the blocks to send are more than memory can hold");
    if (x->go.shapes != NULL)
      x->go.shapes[m] = (struct eyoti_runs){.run = bytes, .count = {1, 1, 1}};
  }
  if (next == 0) return EYOT_OK;
  x->aside = malloc(next);
  if (x->aside == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a copy of the %" PRIu64 " bytes to send", next);
  x->send = x->aside;
  c->set_aside = exchange_set_aside;
  return EYOT_OK;
}

/* -- lengths by member ------------------------------------------------------------------------- */

/* Blocks in runs are compared from their buffers' first bytes to their last ones. */
static int check_exchange(struct eyoti_coll_call *c, struct exchange_call *x, uint32_t size) {
  EYOTI_TRY(eyoti_several_buffer(&x->go, x->send, "send"));
  EYOTI_TRY(eyoti_several_buffer(&x->come, x->recv, "recv"));
  if (x->lies != NULL) return exchange_in_place(c, x);
  const struct eyoti_placed go = eyoti_several_placed(&x->go, size, x->send);
  const struct eyoti_placed come = eyoti_several_placed(&x->come, size, x->recv);
  if (x->go.shapes == NULL) return eyoti_several_meet(&go, &come);
  return eyoti_several_overlap(x->send, x->go.extent, x->recv, x->come.extent, NULL);
}

/* `refused`: of the blocks, which x has otherwise. */
static int exchange(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                    struct exchange_call *x, int refused, struct eyoti_coll_how how) {
  if (refused == EYOT_OK) refused = check_exchange(c, x, t->size);
  if (refused == EYOT_OK) {
    x->longest = x->go.longest > x->come.longest ? x->go.longest : x->come.longest;
    c->reads = x->go.extent;
    c->writes = x->come.extent;
    if (c->stages->count > 1) c->later = eyoti_several_space(t, how.form);
  }
  return eyoti_coll_do(rt, t, c, refused, how);
}

/* How a function's blocks travel. */
struct manner {
  enum eyoti_coll_function function;
  struct eyoti_coll_stages stages, pairs, greet; /* the last two: of EYOTI_PAIRS */
};

static struct eyoti_coll_call exchange_by(struct eyot_rt *rt, const struct eyoti_team *t,
                                          const struct manner *m, const void *send, void *recv,
                                          enum eyoti_coll_form form) {
  enum eyoti_algorithm algorithm = eyoti_select_operations(rt, t, m->function, form);
  return (struct eyoti_coll_call){
      .args = {.function = m->function, .algorithm = eyoti_select_mark(algorithm)},
      .in = send,
      .out = recv,
      .stages = eyoti_several_stages(rt, algorithm, &m->stages, &m->pairs, &m->greet)};
}

/* The arguments that both sides have. */
struct side {
  const uint64_t *sizes, *at;
};

static int alltoallv(struct eyot_rt *rt, eyot_team_t team, const void *send, struct side go,
                     void *recv, struct side come, struct eyoti_coll_how how) {
  static const struct manner MANNER = {
      EYOTI_COLL_ALLTOALLV, {3, exchange_turn, NULL}, {1, pairs_turn, NULL}, {2, greet_turn, NULL}};
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_coll_call c = exchange_by(rt, t, &MANNER, send, recv, how.form);
  struct exchange_call *x = NULL;
  int refused = exchange_new(rt, &c, t, &x);
  if (refused == EYOT_OK)
    refused = eyoti_several_make(&x->go, t->size, go.sizes, go.at, 1, false, "send_sizes");
  if (refused == EYOT_OK)
    refused = eyoti_several_make(&x->come, t->size, come.sizes, come.at, 1, true, "recv_sizes");
  if (refused == EYOT_OK && is_in_place(x)) refused = lies_new(x);
  if (refused == EYOT_OK && x->lies != NULL)
    refused = eyoti_several_make(x->lies, t->size, go.sizes, go.at, 1, false, "send_sizes");
  return exchange(rt, t, &c, x, refused, how);
}

int eyot_alltoallv(eyot_team_t team, const void *send, const uint64_t *send_sizes,
                   const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                   const uint64_t *recv_at) {
  EYOTI_ENTER(rt);
  return alltoallv(rt, team, send, (struct side){send_sizes, send_at}, recv,
                   (struct side){recv_sizes, recv_at}, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_alltoallv_nb(eyot_team_t team, const void *send, const uint64_t *send_sizes,
                      const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                      const uint64_t *recv_at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoallv(rt, team, send, (struct side){send_sizes, send_at}, recv,
                   (struct side){recv_sizes, recv_at}, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_alltoallv_plan(eyot_team_t team, const void *send, const uint64_t *send_sizes,
                        const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                        const uint64_t *recv_at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoallv(rt, team, send, (struct side){send_sizes, send_at}, recv,
                   (struct side){recv_sizes, recv_at}, EYOTI_HOW(PERSISTENT, handle));
}

/* -- blocks in runs ---------------------------------------------------------------------------- */

static int alltoallw(struct eyot_rt *rt, eyot_team_t team, const void *send, const eyot_block_t *go,
                     void *recv, const eyot_block_t *come, struct eyoti_coll_how how) {
  static const struct manner MANNER = {EYOTI_COLL_ALLTOALLW,
                                       {3, exchange_turn, exchange_touch},
                                       {1, pairs_turn, exchange_touch},
                                       {2, greet_turn, exchange_touch}};
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_coll_call c = exchange_by(rt, t, &MANNER, send, recv, how.form);
  struct exchange_call *x = NULL;
  int refused = exchange_new(rt, &c, t, &x);
  if (refused == EYOT_OK) refused = eyoti_several_shaped(&x->go, t->size, go, false, "send_blocks");
  if (refused == EYOT_OK)
    refused = eyoti_several_shaped(&x->come, t->size, come, true, "recv_blocks");
  if (refused == EYOT_OK && send == recv) refused = lies_new(x);
  if (refused == EYOT_OK && x->lies != NULL)
    refused = eyoti_several_shaped(x->lies, t->size, go, false, "send_blocks");
  return exchange(rt, t, &c, x, refused, how);
}

int eyot_alltoallw(eyot_team_t team, const void *send, const eyot_block_t *send_blocks, void *recv,
                   const eyot_block_t *recv_blocks) {
  EYOTI_ENTER(rt);
  return alltoallw(rt, team, send, send_blocks, recv, recv_blocks, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_alltoallw_nb(eyot_team_t team, const void *send, const eyot_block_t *send_blocks,
                      void *recv, const eyot_block_t *recv_blocks, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoallw(rt, team, send, send_blocks, recv, recv_blocks, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_alltoallw_plan(eyot_team_t team, const void *send, const eyot_block_t *send_blocks,
                        void *recv, const eyot_block_t *recv_blocks, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoallw(rt, team, send, send_blocks, recv, recv_blocks, EYOTI_HOW(PERSISTENT, handle));
}

/* Elements that are a stride apart, in a buffer. */
struct spacing {
  uint64_t stride, n, bytes;
};

static int spread_make(struct eyoti_several *s, uint32_t size, const struct spacing *e, bool apart,
                       const char *name) {
  uint64_t far;
  if (e->stride > INT64_MAX || __builtin_mul_overflow(e->stride, e->n, &far) ||
      __builtin_mul_overflow(far, size, &far) || far > EYOTI_COLL_BYTES_MOST)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%u blocks of %" PRIu64 " elements %" PRIu64
                      " bytes apart in %s are more than memory can hold",
                      size, e->n, e->stride, name);
  eyot_block_t *b = calloc(size, sizeof *b);
  if (b == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the shapes of %u blocks", size);
  for (uint64_t m = 0; m < size; m++) {
    b[m] = (eyot_block_t){.at = m * e->n * e->stride, .run_bytes = e->n > 0 ? e->bytes : 0};
    b[m].count[0] = e->n;
    b[m].stride[0] = (int64_t)e->stride;
  }
  int rc = eyoti_several_shaped(s, size, b, apart, name);
  free(b);
  return rc;
}

/* Buffers overlap only if elements do: where strides are equal, one may lie in the other's gaps. */
static int check_strided(struct eyoti_coll_call *c, struct exchange_call *x,
                         const struct spacing *go, const struct spacing *come) {
  EYOTI_TRY(eyoti_several_buffer(&x->go, x->send, "send"));
  EYOTI_TRY(eyoti_several_buffer(&x->come, x->recv, "recv"));
  if (x->lies != NULL) return exchange_in_place(c, x);
  if (go->stride == come->stride && go->stride > 0) {
    uint64_t s = (uintptr_t)x->send % go->stride, r = (uintptr_t)x->recv % go->stride;
    uint64_t apart = (r + go->stride - s) % go->stride;
    if (apart >= go->bytes && apart + go->bytes <= go->stride) return EYOT_OK;
  }
  return eyoti_several_overlap(x->send, x->go.extent, x->recv, x->come.extent, NULL);
}

static int strided_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  (void)stage;
  turn_blocks(c, c->own, c->args.count, eyoti_several_round(t, EYOTI_COLL_BLOCKING));
  return EYOT_OK;
}

static int alltoall_strided(struct eyot_rt *rt, eyot_team_t team, const void *send,
                            struct spacing go, void *recv, struct spacing come,
                            struct eyoti_coll_how how) {
  static const struct eyoti_coll_stages STAGES = {1, strided_turn, exchange_touch};
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_coll_call c = {.args = {.function = EYOTI_COLL_ALLTOALL_STRIDED},
                              .in = send,
                              .out = recv,
                              .stages = &STAGES};
  struct exchange_call *x = NULL;
  int refused = exchange_new(rt, &c, t, &x);
  if (refused == EYOT_OK && come.stride < come.bytes && come.n > 0)
    refused = EYOTI_FAIL(EYOT_EINVAL,
                         "recv_stride is %" PRIu64 ", expected the %" PRIu64
                         " bytes of an element or more",
                         come.stride, come.bytes);
  if (refused == EYOT_OK) refused = spread_make(&x->go, t->size, &go, false, "send");
  if (refused == EYOT_OK) refused = spread_make(&x->come, t->size, &come, true, "recv");
  if (refused == EYOT_OK && send == recv) refused = lies_new(x);
  if (refused == EYOT_OK && x->lies != NULL)
    refused = spread_make(x->lies, t->size, &go, false, "send");
  if (refused == EYOT_OK) refused = check_strided(&c, x, &go, &come);
  if (refused == EYOT_OK) c.args.count = c.seen_bytes = x->go.longest;
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_alltoall_strided(eyot_team_t team, const void *send, uint64_t send_stride, void *recv,
                          uint64_t recv_stride, uint64_t n, uint64_t bytes) {
  EYOTI_ENTER(rt);
  return alltoall_strided(rt, team, send, (struct spacing){send_stride, n, bytes}, recv,
                          (struct spacing){recv_stride, n, bytes}, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_alltoall_strided_nb(eyot_team_t team, const void *send, uint64_t send_stride, void *recv,
                             uint64_t recv_stride, uint64_t n, uint64_t bytes,
                             eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoall_strided(rt, team, send, (struct spacing){send_stride, n, bytes}, recv,
                          (struct spacing){recv_stride, n, bytes}, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_alltoall_strided_plan(eyot_team_t team, const void *send, uint64_t send_stride, void *recv,
                               uint64_t recv_stride, uint64_t n, uint64_t bytes,
                               eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoall_strided(rt, team, send, (struct spacing){send_stride, n, bytes}, recv,
                          (struct spacing){recv_stride, n, bytes}, EYOTI_HOW(PERSISTENT, handle));
}
