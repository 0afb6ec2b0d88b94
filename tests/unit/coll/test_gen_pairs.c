/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gen_pairs.c - the plans of pairs (gen_pairs.c) and of long scans (gen_scan.c), executed by
 * plan_run.h: results are right, every message is awaited, and nobody sends to private memory what
 * the receiver does not expect, whatever members call and whatever lengths they name. */
#include "coll/runs.h"
#include "support/plan_run.h"

/* -- exchanges --------------------------------------------------------------------------------- */

/* Lengths of the blocks from one member to another, and how they lie in the buffers of a member. */
static uint64_t length[MEMBERS_MOST][MEMBERS_MOST];
struct buffer {
  uint64_t bytes[MEMBERS_MOST], at[MEMBERS_MOST], extent;
  struct eyoti_runs shape[MEMBERS_MOST];
  struct eyoti_coll_blocks blocks;
};
static struct buffer go[MEMBERS_MOST], come[MEMBERS_MOST];
/* By which plans, and the longest block to another member that is looked for. */
static eyoti_plan_gen exchange_gen = eyoti_gen_alltoallv_pairs;
static uint64_t moved_most = UINT64_MAX;
#define GREETED_MOST 8176u

static uint64_t draw_length(void) {
  static const uint64_t LENGTHS[] = {0, 1, 8, 100, 400, 4000, 8176, 8177, 8192, 20000, 70001};
  return LENGTHS[draw(sizeof LENGTHS / sizeof *LENGTHS)];
}

/* Blocks one after the other; runs: every second one as runs of 4 bytes, 12 apart, where it can. */
static void lay_out(struct buffer *b, bool runs) {
  b->extent = 0;
  for (uint32_t m = 0; m < job.size; m++) {
    uint64_t len = b->bytes[m];
    bool parted = runs && m % 2 == 0 && len > 0 && len % 4 == 0;
    b->at[m] = b->extent;
    b->shape[m] = (struct eyoti_runs){.run = parted ? 4 : len, .count = {1, 1, 1}};
    if (parted) b->shape[m].count[0] = len / 4, b->shape[m].stride[0] = 12;
    b->extent += parted ? 3 * len : len;
  }
  b->blocks = (struct eyoti_coll_blocks){b->bytes, b->at, runs ? b->shape : NULL};
}

static void exchange_begin(enum eyoti_coll_function function, bool runs) {
  for (uint32_t i = 0; i < job.size; i++) {
    for (uint32_t m = 0; m < job.size; m++)
      go[i].bytes[m] = length[i][m], come[i].bytes[m] = length[m][i];
    lay_out(&go[i], runs);
    lay_out(&come[i], runs);
  }
  for (uint32_t i = 0; i < job.size; i++) {
    struct eyoti_coll_args a = {.function = function, .in = &go[i].blocks, .out = &come[i].blocks};
    member_begin(i, &a, exchange_gen, go[i].extent, come[i].extent + 1);
  }
}

static void exchange_verify(void) {
  for (uint32_t to = 0; to < job.size; to++)
    for (uint32_t from = 0; from < job.size; from++) {
      uint64_t len = length[from][to];
      if (from != to && len > moved_most) continue;
      char *sent = malloc(len + 1), *got = malloc(len + 1);
      eyoti_runs_pack(&go[from].shape[to], job.member[from].in + go[from].at[to], sent, 0, len);
      eyoti_runs_pack(&come[to].shape[from], job.member[to].out + come[to].at[from], got, 0, len);
      assert_memory_equal(sent, got, len);
      free(sent);
      free(got);
    }
}

static void exchanges_move_blocks_of_any_length(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= 9; size++)
    for (uint32_t k = 0; k < 24; k++) {
      job_begin(size, size * 100 + k, k % 2 != 0);
      for (uint32_t i = 0; i < size * size; i++) length[i / size][i % size] = draw_length();
      exchange_begin(k % 3 == 0 ? EYOTI_COLL_ALLTOALLV : EYOTI_COLL_ALLTOALLW, k % 3 != 0);
      run_all();
      all_ended();
      exchange_verify();
      job_end();
    }
}

/* Of two members pieces have 2 MiB, of 24 members 174,760 bytes. */
static void blocks_in_runs_go_in_pieces(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 6; k++) {
    job_begin(2 + k / 2, k, k % 2 != 0);
    for (uint32_t i = 0; i < 16; i++) length[i / 4][i % 4] = i % 5 == 0 ? 40 : 5000000 - 400 * i;
    exchange_begin(EYOTI_COLL_ALLTOALLW, true);
    run_all();
    all_ended();
    exchange_verify();
    job_end();
  }
}

/* Lengths of one pair differ between its members, in all ways: shorter and longer than a slot. */
static void differ_up_to(uint32_t most) {
  static const uint64_t PAIRS[][2] = {{8, 9}, {0, 1}, {100, 9000}, {9000, 100}, {20000, 30000}};
  for (uint32_t size = 2; size <= most; size++)
    for (uint32_t k = 0; k < 5 * size; k++) {
      uint32_t from = k / 5, to = (from + 1 + k % (size - 1)) % size;
      job_begin(size, k, k % 2 != 0);
      for (uint32_t i = 0; i < size * size; i++) length[i / size][i % size] = draw_length();
      length[from][to] = PAIRS[k % 5][0];
      exchange_begin(EYOTI_COLL_ALLTOALLV, false);
      struct member *m = &job.member[to];
      come[to].bytes[from] = PAIRS[k % 5][1];
      lay_out(&come[to], false);
      eyoti_plan_free(m->plan);
      m->plan = eyoti_plan_make(&m->team, &m->args, exchange_gen);
      free(m->out);
      free(m->temp);
      m->op.base[EYOTI_OUT] = m->out = malloc(come[to].extent + 1);
      m->op.base[EYOTI_TEMP] = m->temp = malloc(m->plan->temp_bytes + 8);
      m->op.p = m->plan;
      run_all();
      for (uint32_t i = 0; i < size; i++) { /* nobody ends, and both ends of the pair know */
        const struct member *other = &job.member[i];
        assert_true(other->failed || other->pc < other->plan->steps);
        assert_true((i != from && i != to) || other->failed);
      }
      job_end();
    }
}

static void lengths_that_differ_are_found(void **state) {
  (void)state;
  differ_up_to(7);
}

/* Where nothing is sent to private memory: short blocks come, and both know of long ones. */
static void two_members_greet_each_other(void **state) {
  (void)state;
  exchange_gen = eyoti_gen_alltoallv_greet;
  moved_most = GREETED_MOST;
  for (uint32_t k = 0; k < 60; k++) {
    job_begin(2, k, k % 2 != 0);
    for (uint32_t i = 0; i < 4; i++) length[i / 2][i % 2] = draw_length();
    exchange_begin(k % 3 == 0 ? EYOTI_COLL_ALLTOALLV : EYOTI_COLL_ALLTOALLW, k % 3 != 0);
    for (uint32_t i = 0; i < 2; i++) assert_false(job.member[i].plan->direct);
    run_all();
    all_ended();
    exchange_verify();
    job_end();
  }
  differ_up_to(2);
  exchange_gen = eyoti_gen_alltoallv_pairs;
  moved_most = UINT64_MAX;
}

/* -- one root ---------------------------------------------------------------------------------- */

/* sizes: the root's; own: the members'. */
struct rooted {
  uint32_t root;
  bool gathers, uniform, greets;
  uint64_t own[MEMBERS_MOST];
};

static void rooted_begin(const struct rooted *r, struct buffer *at_root, struct buffer *told) {
  lay_out(at_root, false);
  for (uint32_t i = 0; i < job.size; i++) {
    bool is_root = i == r->root;
    told[i].bytes[i] = r->own[i];
    told[i].blocks = (struct eyoti_coll_blocks){told[i].bytes, told[i].bytes, NULL};
    struct eyoti_coll_args a = {.function = r->gathers ? EYOTI_COLL_GATHERV : EYOTI_COLL_SCATTERV,
                                .root = r->root,
                                .bytes = r->uniform ? r->own[0] : 0,
                                .in = r->uniform   ? NULL
                                      : r->gathers ? &told[i].blocks
                                      : is_root    ? &at_root->blocks
                                                   : NULL,
                                .out = r->uniform    ? NULL
                                       : !r->gathers ? &told[i].blocks
                                       : is_root     ? &at_root->blocks
                                                     : NULL};
    uint64_t all = at_root->extent + 1, mine = r->own[i] + 1;
    eyoti_plan_gen pairs = r->gathers ? eyoti_gen_gather_pairs : eyoti_gen_scatter_pairs;
    eyoti_plan_gen greet = r->gathers ? eyoti_gen_gather_greet : eyoti_gen_scatter_greet;
    member_begin(i, &a, r->greets ? greet : pairs, r->gathers || !is_root ? mine : all,
                 r->gathers && is_root ? all : mine);
  }
}

static void rooted_verify(const struct rooted *r, const struct buffer *at_root) {
  const struct member *root = &job.member[r->root];
  for (uint32_t i = 0; i < job.size; i++) {
    const struct member *m = &job.member[i];
    const char *sent = r->gathers ? m->in : root->in + at_root->at[i];
    const char *got = r->gathers ? root->out + at_root->at[i] : m->out;
    if (r->greets && i != r->root && r->own[i] > GREETED_MOST) continue;
    assert_memory_equal(sent, got, r->own[i]);
  }
}

static void blocks_go_to_a_root_and_from_it(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= 9; size++)
    for (uint32_t k = 0; k < 32; k++) {
      job_begin(size, size * 100 + k, k % 2 != 0);
      struct rooted r = {.root = k % size, .gathers = k / 2 % 2 != 0, .uniform = k / 4 % 2 != 0};
      uint64_t same = draw_length();
      for (uint32_t i = 0; i < size; i++)
        go[0].bytes[i] = r.own[i] = r.uniform ? same : draw_length();
      rooted_begin(&r, &go[0], come);
      run_all();
      all_ended();
      rooted_verify(&r, &go[0]);
      job_end();
    }
}

static void a_root_and_a_member_greet_each_other(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 60; k++) {
    job_begin(2, k, k % 2 != 0);
    struct rooted r = {.root = k / 2 % 2, .gathers = k / 4 % 2 != 0, .greets = true};
    for (uint32_t i = 0; i < 2; i++) go[0].bytes[i] = r.own[i] = draw_length();
    rooted_begin(&r, &go[0], come);
    for (uint32_t i = 0; i < 2; i++) assert_false(job.member[i].plan->direct);
    run_all();
    all_ended();
    rooted_verify(&r, &go[0]);
    job_end();
  }
}

/* A member names another length than the root: one of the two finds it, and nobody waits for a
 * message to private memory that does not come. */
static void a_root_and_a_member_compare_lengths(void **state) {
  (void)state;
  static const uint64_t PAIRS[][2] = {{8, 9}, {0, 1}, {100, 9000}, {9000, 100}, {20000, 30000}};
  for (uint32_t size = 2; size <= 6; size++)
    for (uint32_t k = 0; k < 20; k++) {
      bool greets = size == 2 && k >= 10;
      struct rooted r = {.root = k % size, .gathers = k / 5 % 2 != 0, .greets = greets};
      uint32_t who = (r.root + 1 + k % (size - 1)) % size;
      job_begin(size, k, k % 2 != 0);
      for (uint32_t i = 0; i < size; i++) go[0].bytes[i] = r.own[i] = draw_length();
      go[0].bytes[who] = PAIRS[k % 5][0];
      r.own[who] = PAIRS[k % 5][1];
      rooted_begin(&r, &go[0], come);
      run_all();
      assert_true(job.member[r.gathers ? r.root : who].failed);
      job_end();
    }
}

/* One member is in another call of the same number. */
static void another_call_gets_nothing(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= 6; size++)
    for (uint32_t who = 0; who < size; who++) {
      job_begin(size, who, false);
      for (uint32_t i = 0; i < size * size; i++) length[i / size][i % size] = 30000;
      exchange_begin(EYOTI_COLL_ALLTOALLV, false);
      struct member *m = &job.member[who];
      eyoti_plan_free(m->plan);
      free(m->temp);
      m->args.function = EYOTI_COLL_ALLTOALLW;
      m->args.out = m->args.in;
      m->plan = eyoti_plan_make(&m->team, &m->args, eyoti_gen_alltoallv_pairs);
      m->op.base[EYOTI_TEMP] = m->temp = malloc(m->plan->temp_bytes + 8);
      run_all();
      for (uint32_t i = 0; i < size; i++) assert_true(job.member[i].failed);
      job_end();
    }
}

/* -- blocks to all, and reductions ------------------------------------------------------------- */

static void gathers_reach_all(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= 9; size++)
    for (uint32_t k = 0; k < 12; k++) {
      job_begin(size, size * 100 + k, k % 2 != 0);
      for (uint32_t i = 0; i < size; i++) go[0].bytes[i] = draw_length();
      lay_out(&go[0], false);
      struct eyoti_coll_args a = {.function = EYOTI_COLL_ALLGATHERV, .out = &go[0].blocks};
      for (uint32_t i = 0; i < size; i++)
        member_begin(i, &a, eyoti_gen_allgatherv_pairs, go[0].bytes[i], go[0].extent + 1);
      run_all();
      all_ended();
      for (uint32_t i = 0; i < size; i++)
        for (uint32_t m = 0; m < size; m++)
          assert_memory_equal(job.member[i].out + go[0].at[m], job.member[m].in, go[0].bytes[m]);
      job_end();
    }
}

static uint64_t element(const char *buffer, uint64_t at) {
  uint64_t v;
  memcpy(&v, buffer + at, 8);
  return v;
}
/* The canonical tree over members base .. base + 2^k - 1, of elements that lie at `at`. */
static uint64_t tree(char *const *in, uint32_t end, uint32_t base, uint32_t k, uint64_t at) {
  if (k == 0) return element(in[base], at);
  uint32_t half = 1u << (k - 1);
  uint64_t left = tree(in, end, base, k - 1, at);
  return base + half < end ? combined(left, tree(in, end, base + half, k - 1, at)) : left;
}

static char **inputs(void) {
  char **in = calloc(job.size, sizeof *in);
  for (uint32_t i = 0; i < job.size; i++) {
    in[i] = malloc(job.member[i].in_bytes + 1);
    memcpy(in[i], job.member[i].in, job.member[i].in_bytes);
  }
  return in;
}
static void inputs_free(char **in) {
  for (uint32_t i = 0; i < job.size; i++) free(in[i]);
  free(in);
}

static void reduced_blocks_are_those_of_the_tree(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= 9; size++)
    for (uint32_t k = 0; k < 16; k++) {
      job_begin(size, size * 100 + k, k % 2 != 0);
      bool uniform = k / 2 % 2 != 0;
      uint64_t same = draw_length() / 8 * 8;
      for (uint32_t i = 0; i < size; i++) go[0].bytes[i] = uniform ? same : draw_length() / 8 * 8;
      lay_out(&go[0], false);
      struct eyoti_coll_args a = {.function = EYOTI_COLL_REDUCE_SCATTER,
                                  .combiner = {.width = 8},
                                  .bytes = uniform ? same : 0,
                                  .in = uniform ? NULL : &go[0].blocks};
      for (uint32_t i = 0; i < size; i++)
        member_begin(i, &a, eyoti_gen_reduce_scatter_pairs, go[0].extent, go[0].bytes[i] + 1);
      char **in = inputs();
      run_all();
      all_ended();
      for (uint32_t i = 0; i < size; i++)
        for (uint64_t at = 0; at < go[0].bytes[i]; at += 8)
          assert_true(element(job.member[i].out, at) == tree(in, size, 0, 5, go[0].at[i] + at));
      inputs_free(in);
      job_end();
    }
}

static void long_scans_are_those_of_the_tree(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= 21; size++)
    for (uint32_t k = 0; k < 8; k++) {
      bool inclusive = k % 2 != 0, in_place = k / 2 % 2 != 0;
      job_begin(size, size * 100 + k, k / 4 != 0);
      struct eyoti_coll_args a = {
          .function = EYOTI_COLL_SCAN, .combiner = {.width = 8}, .bytes = 72, .len = 72};
      for (uint32_t i = 0; i < size; i++)
        member_begin(i, &a, inclusive ? eyoti_gen_scan_direct : eyoti_gen_exscan_direct, 72,
                     in_place ? 0 : 72);
      char **in = inputs();
      run_all();
      all_ended();
      for (uint32_t i = 0; i < size; i++)
        for (uint64_t at = 0; at < 72 && (inclusive || i > 0); at += 8)
          assert_true(element(job.member[i].out, at) == tree(in, inclusive ? i + 1 : i, 0, 5, at));
      inputs_free(in);
      job_end();
    }
}

/* Of what no test moves: pieces of 2^30 bytes follow each other, each expected after the last. */
static void long_blocks_are_cut(void **state) {
  (void)state;
  const uint64_t piece = UINT64_C(1) << 30, len = 3 * piece + 5;
  job_begin(2, 1, false);
  length[0][0] = length[1][1] = 0;
  length[0][1] = length[1][0] = 8;
  exchange_begin(EYOTI_COLL_ALLTOALLV, false);
  go[0].bytes[1] = come[0].bytes[1] = len;
  struct eyoti_plan *p =
      eyoti_plan_make(&job.member[0].team, &job.member[0].args, eyoti_gen_alltoallv_pairs);
  uint64_t sent = 0;
  uint32_t sends = 0, expects = 0, awaits = 0;
  for (uint32_t i = 0; i < p->steps; i++) {
    const struct eyoti_step *s = &p->step[i];
    if (s->kind == EYOTI_STEP_AWAIT && s->chunk != EYOTI_HEAD) assert_int_equal(s->chunk, ++awaits);
    if (s->kind == EYOTI_STEP_EXPECT) {
      assert_int_equal(awaits, expects);
      assert_int_equal(s->chunk, ++expects);
    }
    if (s->kind != EYOTI_STEP_SEND) continue;
    assert_int_equal(s->chunk, ++sends);
    assert_true(s->len <= piece && s->from == sent);
    sent += s->len;
  }
  assert_true(sent == len);
  assert_int_equal(sends, 4);
  assert_int_equal(expects, 4);
  assert_int_equal(awaits, 4);
  eyoti_plan_free(p);
  job_end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchanges_move_blocks_of_any_length),
      cmocka_unit_test(blocks_in_runs_go_in_pieces),
      cmocka_unit_test(lengths_that_differ_are_found),
      cmocka_unit_test(two_members_greet_each_other),
      cmocka_unit_test(blocks_go_to_a_root_and_from_it),
      cmocka_unit_test(a_root_and_a_member_greet_each_other),
      cmocka_unit_test(a_root_and_a_member_compare_lengths),
      cmocka_unit_test(another_call_gets_nothing),
      cmocka_unit_test(gathers_reach_all),
      cmocka_unit_test(reduced_blocks_are_those_of_the_tree),
      cmocka_unit_test(long_scans_are_those_of_the_tree),
      cmocka_unit_test(long_blocks_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
