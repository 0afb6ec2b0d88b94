/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gen_multi.c - runs the plans of multi-object algorithms, parts and direct messages, of all
 * members of a team, with boards in memory and no fabric: every message is awaited, no word has two
 * senders, results are those of the canonical tree, whatever the number of units, the layout and
 * the radix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/gen.h"
#include "coll/gen_multi.h"
#include "teams/ranges.h"

enum { VALUES = 2 };

/* A message that lands where it is expected: what has been sent, and where it is expected. */
struct direct {
  const uint64_t *from;
  uint64_t *to;
  uint64_t len, expected;
  uint32_t sender, expects; /* plus 1 */
  bool landed;
};

struct member {
  struct eyoti_team team;
  struct eyoti_plan *plan;
  uint32_t pc;
  uint64_t *in, *out, *board, *temp;
  uint32_t *sender;      /* of each word, plus 1; 0: nothing has come */
  struct direct *direct; /* of each word */
  uint32_t lends;        /* direct messages that have not landed */
};

struct job {
  uint32_t size, root;
  bool any_order, in_place, late; /* late: direct messages land as late as they may */
  struct eyoti_layout layout;
  uint32_t radix;
  struct member *member;
};

/* What the generators see of a team is its size and units; the layout comes from here. */
static struct job job;

static uint64_t combined(uint64_t left, uint64_t right) {
  if (job.any_order) return left + right;
  uint64_t x = left * 0x9e3779b97f4a7c15u + right; /* no other order gives the same */
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

static uint64_t value_of(uint32_t member, uint32_t i) {
  return (uint64_t)(member + 1) * 1000003u + i * 7919u;
}

/* The canonical tree over members base .. base + 2^k - 1. */
static uint64_t tree(uint32_t base, uint32_t k, uint32_t i) {
  if (k == 0) return value_of(base, i);
  uint64_t half = (uint64_t)1 << (k - 1);
  uint64_t left = tree(base, k - 1, i);
  return base + half < job.size ? combined(left, tree((uint32_t)(base + half), k - 1, i)) : left;
}

static void gen_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_allreduce(p, a, &job.layout, job.radix, job.any_order);
}
static void gen_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_reduce(p, a, &job.layout, job.radix, job.any_order);
}
static void gen_alltoall(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_alltoall(p, a, &job.layout);
}
static void gen_allgather(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_allgather(p, a, &job.layout);
}
static void gen_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_broadcast(p, a, &job.layout, job.radix);
}

static void gen_broadcast_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_broadcast(p, a, &job.layout);
}

static void gen_allreduce_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_allreduce_nodes(p, a, &job.layout, job.any_order);
}
static void gen_reduce_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_reduce(p, a, &job.layout, job.any_order);
}

static void gen_allreduce_routers(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_routers_allreduce(p, a, &job.layout, job.any_order);
}
static void gen_reduce_routers(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_routers_reduce(p, a, &job.layout, job.any_order);
}

static uint64_t *ref_at(struct member *m, uint8_t base, uint64_t off) {
  uint64_t *at = base == EYOTI_IN     ? m->in
                 : base == EYOTI_OUT  ? m->out
                 : base == EYOTI_TEMP ? m->temp
                                      : m->board;
  assert_int_equal(off % 8, 0);
  return at + off / 8;
}

/* A direct message lands when both sides have come to it, or later, while one of them waits for
 * it: its source is read only then. */
static void land(struct member *m, uint32_t word) {
  struct direct *d = &m->direct[word];
  if (d->sender == 0 || d->expects == 0 || d->landed) return;
  d->landed = true;
  assert_int_equal(d->sender, d->expects);
  assert_int_equal(d->len, d->expected);
  assert_int_equal(m->sender[word], 0);
  memcpy(d->to, d->from, d->len);
  m->sender[word] = d->sender;
  job.member[d->sender - 1].lends--;
}

/* Those that the member has sent. */
static void land_all_of(const struct member *m) {
  for (uint32_t i = 0; i < job.size; i++)
    for (uint32_t w = 0; w < job.member[i].plan->words; w++)
      if (job.member[i].direct[w].sender == m->team.me + 1) land(&job.member[i], w);
}

/* The heads of all others. */
static bool await_each(struct member *m, uint32_t word) {
  for (uint32_t i = 0; i < job.size; i++)
    if (i != m->team.me && m->sender[word + i] == 0) return false;
  for (uint32_t i = 0; i < job.size; i++) {
    if (i == m->team.me) continue;
    assert_int_equal(m->sender[word + i], i + 1);
    m->sender[word + i] = UINT32_MAX;
  }
  return true;
}

/* One step; false: the message is not there. */
static bool step(struct member *m, const struct eyoti_step *s) {
  struct member *peer = &job.member[s->peer];
  uint64_t *to, *from;
  switch (s->kind) {
    case EYOTI_STEP_PUT:
      assert_int_equal(peer->sender[s->word], 0);
      assert_true(s->to + s->len <= peer->plan->board_bytes);
      if (s->len > 0)
        memcpy(ref_at(peer, EYOTI_BOARD, s->to), ref_at(m, s->from_in, s->from), s->len);
      peer->sender[s->word] = m->team.me + 1;
      return true;
    case EYOTI_STEP_AWAIT:
      land(m, s->word);
      if (m->sender[s->word] == 0) return false;
      assert_int_equal(m->sender[s->word], s->peer + 1);
      m->sender[s->word] = UINT32_MAX; /* awaited */
      return true;
    case EYOTI_STEP_AWAIT_EACH:
      return await_each(m, s->word);
    case EYOTI_STEP_SEND:
      assert_int_equal(peer->direct[s->word].sender, 0);
      peer->direct[s->word].sender = m->team.me + 1;
      peer->direct[s->word].from = ref_at(m, s->from_in, s->from);
      peer->direct[s->word].len = s->len;
      m->lends++;
      if (!job.late) land(peer, s->word);
      return true;
    case EYOTI_STEP_EXPECT:
      assert_int_equal(m->direct[s->word].expects, 0);
      m->direct[s->word].expects = s->peer + 1;
      m->direct[s->word].to = ref_at(m, s->to_in, s->to);
      m->direct[s->word].expected = s->len;
      if (!job.late) land(m, s->word);
      return true;
    case EYOTI_STEP_DRAIN:
      land_all_of(m);
      return m->lends == 0;
    case EYOTI_STEP_COPY:
      for (uint64_t i = 0; i < s->count; i++)
        memcpy(ref_at(m, s->to_in, s->to + i * s->to_stride),
               ref_at(m, s->from_in, s->from + i * s->from_stride), s->len);
      return true;
    case EYOTI_STEP_COMBINE:
      to = ref_at(m, s->to_in, s->to), from = ref_at(m, s->from_in, s->from);
      for (uint64_t i = 0; i < s->len; i++)
        to[i] = s->before ? combined(from[i], to[i]) : combined(to[i], from[i]);
      return true;
    default:
      fail_msg("a step of kind %u", s->kind);
      return false;
  }
}

/* Members take turns, each as far as it comes, the last ones first in every other turn. */
static void run_all(void) {
  uint32_t over = 0;
  for (uint32_t turn = 0; over < job.size; turn++) {
    bool moved = false;
    over = 0;
    for (uint32_t i = 0; i < job.size; i++) {
      struct member *m = &job.member[turn % 2 == 0 ? i : job.size - 1 - i];
      while (m->pc < m->plan->steps && step(m, &m->plan->step[m->pc])) m->pc++, moved = true;
      over += m->pc == m->plan->steps;
    }
    assert_true(moved || over == job.size);
  }
}

static void run_plans(eyoti_plan_gen gen, enum eyoti_coll_function function, uint64_t values) {
  struct eyoti_ranges *units;
  struct eyoti_coll_args a = {.function = function,
                              .root = job.root,
                              .type = EYOT_UINT64,
                              .op = EYOT_SUM,
                              .combiner = {.width = 8},
                              .count = values,
                              .bytes = values * 8,
                              .len = values * 8};
  assert_int_equal(eyoti_ranges_new(0, job.size, 1, &units), EYOT_OK);
  job.member = calloc(job.size, sizeof *job.member);
  for (uint32_t i = 0; i < job.size; i++) {
    struct member *m = &job.member[i];
    m->team = (struct eyoti_team){.size = job.size, .me = i, .units = units};
    m->plan = eyoti_plan_make(&m->team, &a, gen);
    assert_non_null(m->plan);
    assert_int_equal(m->plan->words, job.member[0].plan->words);
    assert_int_equal(m->plan->board_bytes, job.member[0].plan->board_bytes);
    m->board = calloc(1, m->plan->board_bytes + 8);
    m->temp = calloc(1, m->plan->temp_bytes + 8);
    m->sender = calloc(m->plan->words, sizeof *m->sender);
    m->direct = calloc(m->plan->words, sizeof *m->direct);
    m->in = calloc(values * job.size, 8);
    m->out = job.in_place ? m->in : calloc(values * job.size, 8);
    for (uint32_t k = 0; k < values * job.size; k++) m->in[k] = value_of(i, k);
    if (function == EYOTI_COLL_BROADCAST && i == job.root) memcpy(m->out, m->in, values * 8);
  }
  run_all();
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < job.size) levels++;
  for (uint32_t i = 0; i < job.size; i++) {
    struct member *m = &job.member[i];
    bool blocks = function == EYOTI_COLL_ALLTOALL || function == EYOTI_COLL_ALLGATHER;
    bool has = !blocks && (function != EYOTI_COLL_REDUCE || i == job.root);
    uint64_t mine = function == EYOTI_COLL_ALLTOALL ? i * values : 0; /* of a member's blocks */
    for (uint64_t k = 0; k < values * job.size && blocks; k++)
      assert_true(m->out[k] == value_of((uint32_t)(k / values), (uint32_t)(mine + k % values)));
    for (uint32_t k = 0; k < values && has; k++)
      assert_true(m->out[k] ==
                  (function == EYOTI_COLL_BROADCAST ? value_of(job.root, k) : tree(0, levels, k)));
    assert_int_equal(m->lends, 0);
    for (uint32_t w = 0; w < m->plan->words; w++)
      assert_true(m->sender[w] == 0 || m->sender[w] == UINT32_MAX);
    eyoti_plan_free(m->plan);
    free(m->in);
    if (!job.in_place) free(m->out);
    free(m->direct);
    free(m->board);
    free(m->temp);
    free(m->sender);
  }
  free(job.member);
  free(units);
}

static void lay_out(uint32_t size, uint32_t per_node, uint32_t radix) {
  job = (struct job){.size = size, .radix = radix};
  job.layout = eyoti_layout_regular(size, per_node);
}

static void every_layout_gives_the_canonical_tree(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 6; per_node++)
    for (uint32_t size = 2; size <= 40; size++)
      for (uint32_t radix = 2; radix <= 7; radix++) {
        lay_out(size, per_node, radix);
        run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 1);
        job.any_order = true;
        run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 1);
      }
}

static void nodes_of_a_machine_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint32_t SIZES[] = {24, 25, 47, 48, 49, 64, 600, 1000, 1024};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
    for (uint32_t radix = 3; radix <= 53; radix += 10) {
      lay_out(SIZES[i], 24, radix);
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, VALUES);
      job.any_order = true;
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, VALUES);
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 0);
    }
}

static void broadcast_reaches_all_from_any_root(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 5; per_node++)
    for (uint32_t size = 2; size <= 33; size++)
      for (uint32_t radix = 2; radix <= 8; radix += 2)
        for (uint32_t root = 0; root < size; root += 1 + size / 6) {
          lay_out(size, per_node, radix);
          job.root = root;
          run_plans(gen_broadcast, EYOTI_COLL_BROADCAST, VALUES);
        }
  lay_out(1024, 24, 43);
  job.root = 1023;
  run_plans(gen_broadcast, EYOTI_COLL_BROADCAST, VALUES);
}

static void reduce_gives_the_canonical_tree_to_any_root(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 5; per_node++)
    for (uint32_t size = 2; size <= 33; size++)
      for (uint32_t radix = 2; radix <= 8; radix += 2)
        for (uint32_t root = 0; root < size; root += 1 + size / 6) {
          lay_out(size, per_node, radix);
          job.root = root;
          run_plans(gen_reduce, EYOTI_COLL_REDUCE, 1);
          job.any_order = true;
          run_plans(gen_reduce, EYOTI_COLL_REDUCE, VALUES);
        }
  lay_out(1024, 24, 43);
  job.root = 1023;
  run_plans(gen_reduce, EYOTI_COLL_REDUCE, VALUES);
  run_plans(gen_reduce, EYOTI_COLL_REDUCE, 0);
}

static void nodes_exchange_all_blocks(void **state) {
  (void)state;
  for (uint32_t per_node = 2; per_node <= 7; per_node++)
    for (uint32_t size = per_node + 1; size <= 45; size++)
      for (uint64_t values = 1; values <= VALUES; values++) {
        lay_out(size, per_node, 2);
        run_plans(gen_alltoall, EYOTI_COLL_ALLTOALL, values);
        run_plans(gen_allgather, EYOTI_COLL_ALLGATHER, values);
      }
  lay_out(500, 24, 2);
  run_plans(gen_alltoall, EYOTI_COLL_ALLTOALL, 1);
  run_plans(gen_allgather, EYOTI_COLL_ALLGATHER, VALUES);
}

/* Vectors of fewer elements than units of a node, too, of which some have no part. */
static void parts_reach_all_and_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint64_t SIZES[] = {1, 9, 100, 1001};
  for (uint32_t per_node = 3; per_node <= 9; per_node += 2)
    for (uint32_t nodes = 1; nodes <= 9; nodes++)
      for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        for (uint32_t root = 0; root < per_node * nodes; root += 1 + per_node * nodes / 5) {
          lay_out(per_node * nodes, per_node, 2);
          job.root = root;
          run_plans(gen_broadcast_parts, EYOTI_COLL_BROADCAST, SIZES[k]);
        }
        for (uint32_t how = 0; how < 2; how++) {
          lay_out(per_node + nodes, per_node + nodes, 2);
          job.in_place = how != 0;
          run_plans(eyoti_parts_allreduce, EYOTI_COLL_ALLREDUCE, SIZES[k]);
        }
      }
}

/* Parts of several nodes, of which the tree over ranks has several blocks each; the longest vectors
 * go in two chunks. */
static void reductions_in_parts(uint64_t values) {
  for (uint32_t how = 0; how < 4; how++) {
    job.in_place = how % 2 != 0;
    job.any_order = how / 2 != 0;
    run_plans(gen_allreduce_parts, EYOTI_COLL_ALLREDUCE, values);
    run_plans(gen_reduce_parts, EYOTI_COLL_REDUCE, values);
  }
}
static void parts_of_nodes_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint64_t SIZES[] = {0, 1, 9, 100, 4200};
  for (uint32_t per_node = 3; per_node <= 7; per_node++)
    for (uint32_t nodes = 2; nodes <= 6; nodes++)
      for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        uint32_t size = per_node * nodes;
        if (SIZES[k] > 100 && size > 12) continue;
        lay_out(size, per_node, 2);
        job.root = (per_node * 5 + nodes * 3) % size;
        reductions_in_parts(SIZES[k]);
      }
  /* The last node has fewer members, of which some have several parts. */
  for (uint32_t per_node = 3; per_node <= 7; per_node++)
    for (uint32_t size = per_node + 1; size <= 3 * per_node; size++) {
      lay_out(size, per_node, 2);
      job.root = size - 1 - size % 3;
      reductions_in_parts(per_node + 20);
      if (per_node == 5 && size == 8) reductions_in_parts(4200);
    }
  lay_out(96, 24, 2);
  job.root = 95;
  reductions_in_parts(100);
}

/* Nodes lie on routers in order, from the middle of one on, or anywhere. */
static void reductions_over_routers(uint32_t size, uint32_t per_node, uint64_t values) {
  uint32_t nodes = (size - 1) / per_node + 1;
  const uint64_t order = eyoti_layout_in_order(nodes, 4), all = eyoti_layout_apart(nodes);
  const uint64_t routers[] = {order, eyoti_layout_in_order(nodes, 3) << 1 | 1,
                              (size * 0x9e3779b97f4a7c15u >> 8) | 1, 5};
  for (size_t i = 0; i < sizeof routers / sizeof *routers; i++)
    for (uint32_t how = 0; how < 4; how++) {
      lay_out(size, per_node, 2);
      job.layout.routers = routers[i] & all;
      if (job.layout.routers == 0) continue; /* all on one */
      job.root = (size * 7 + how) % size;
      job.in_place = how % 2 != 0;
      job.any_order = how / 2 != 0;
      run_plans(gen_allreduce_routers, EYOTI_COLL_ALLREDUCE, values);
      run_plans(gen_reduce_routers, EYOTI_COLL_REDUCE, values);
    }
}
static void routers_give_the_canonical_tree(void **state) {
  (void)state;
  for (uint32_t nodes = 3; nodes <= 9; nodes++)
    for (uint64_t values = 0; values <= 100; values = 11 * values + 1)
      reductions_over_routers(3 * nodes, 3, values);
  for (uint32_t size = 21; size <= 30; size++) /* the last node has fewer members */
    reductions_over_routers(size, 5, 55);
  reductions_over_routers(13, 3, 4200);
  reductions_over_routers(33 * 3 + 2, 3, 20);
}

/* Vectors of fewer elements than members, too, of which some have no part. */
static void direct_messages_land_where_they_belong(void **state) {
  (void)state;
  static const uint64_t SIZES[] = {1, 7, 100};
  for (uint32_t size = 2; size <= 21; size++)
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++)
      for (uint32_t root = 0; root < size; root += 1 + size / 4) {
        lay_out(size, 1, 2);
        job.root = root;
        run_plans(eyoti_gen_alltoall_direct, EYOTI_COLL_ALLTOALL, SIZES[k]);
        run_plans(eyoti_gen_allgather_direct, EYOTI_COLL_ALLGATHER, SIZES[k]);
        run_plans(eyoti_gen_broadcast_direct, EYOTI_COLL_BROADCAST, SIZES[k]);
        for (uint32_t how = 0; how < 4; how++) {
          job.in_place = how % 2 != 0;
          job.late = how / 2 != 0;
          run_plans(eyoti_gen_reduce_direct, EYOTI_COLL_REDUCE, SIZES[k]);
          run_plans(eyoti_gen_allreduce_direct, EYOTI_COLL_ALLREDUCE, SIZES[k]);
        }
      }
}

/* Any number of nodes takes ceil(log_radix nodes) rounds, in groups that differ by one node. */
static void groups_are_even(void **state) {
  (void)state;
  for (uint32_t nodes = 1; nodes <= 200; nodes++)
    for (uint32_t radix = 2; radix <= 16; radix++) {
      struct eyoti_groups g = eyoti_groups_by(nodes, radix);
      uint64_t reach = 1;
      for (uint32_t l = 0; l < g.levels; l++) reach *= radix;
      assert_true(reach >= nodes && (g.levels == 0 || reach / radix < nodes));
      assert_true(g.radix <= radix);
      for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t l = 0; l < g.levels; l++) {
          struct eyoti_nodes of = eyoti_groups_at(&g, l + 1, node);
          struct eyoti_nodes at = eyoti_groups_at(&g, l, node);
          uint32_t n = eyoti_groups_parts(&g, l, of), size = (of.end - of.first) / n;
          assert_true(n >= 1 && n <= g.radix && at.first <= node && node < at.end);
          assert_true(at.end - at.first == size || at.end - at.first == size + 1);
          if (l == 0) assert_int_equal(at.end - at.first, 1);
        }
    }
}

static void tree_of_a_node_is_the_postal_one(void **state) {
  (void)state;
  uint8_t parent[EYOTI_LAYOUT_CORES];
  eyoti_postal_tree(8, 1, parent); /* a message takes one step: the binomial tree */
  static const uint8_t BINOMIAL[] = {0, 0, 0, 1, 0, 1, 2, 3};
  for (uint32_t i = 1; i < 8; i++) assert_int_equal(parent[i], BINOMIAL[i]);
  eyoti_postal_tree(EYOTI_LAYOUT_CORES, 256, parent); /* one that takes longer than all: a star */
  for (uint32_t i = 1; i < EYOTI_LAYOUT_CORES; i++) assert_int_equal(parent[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_gives_the_canonical_tree),
      cmocka_unit_test(nodes_of_a_machine_give_the_canonical_tree),
      cmocka_unit_test(broadcast_reaches_all_from_any_root),
      cmocka_unit_test(reduce_gives_the_canonical_tree_to_any_root),
      cmocka_unit_test(nodes_exchange_all_blocks),
      cmocka_unit_test(parts_reach_all_and_give_the_canonical_tree),
      cmocka_unit_test(parts_of_nodes_give_the_canonical_tree),
      cmocka_unit_test(routers_give_the_canonical_tree),
      cmocka_unit_test(direct_messages_land_where_they_belong),
      cmocka_unit_test(groups_are_even),
      cmocka_unit_test(tree_of_a_node_is_the_postal_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
