/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ctl.c - the control plane: exchanges of 1 to 17 units under every order of deliveries. */
#include "base/check.h"
#include "fabric/ctl.h"
#include "fabric/ctl_nodes.h"
#include "unit/api_unit.h"

#define EXCHANGES 24u

static fab_unit_t same(const void *set, uint32_t index) {
  (void)set;
  return index;
}

/* Every second unit, backwards: the set defines the meaning of an index. */
static fab_unit_t every_second_backwards(const void *set, uint32_t index) {
  const uint32_t *size = set;
  return (*size - 1 - index) * 2;
}

/* A value that depends on unit and exchange, so that the payload of another one is noticed. */
static uint64_t value_of(uint32_t index, uint64_t k) {
  uint64_t state = (uint64_t)index << 32 | k;
  return draw(&state);
}

static void exchange_all_operators(struct fab *f, struct eyoti_ctl *c, uint64_t k) {
  static const enum eyoti_ctl_op OPS[4] = {EYOTI_CTL_OR, EYOTI_CTL_AND, EYOTI_CTL_MAX,
                                           EYOTI_CTL_MIN};
  uint32_t n = (uint32_t)(k % 5); /* none: a barrier */
  uint64_t mine = value_of(c->members.my_index, k), words[4] = {mine, mine, mine, mine},
           want[4] = {0, UINT64_MAX, 0, UINT64_MAX};
  for (uint32_t i = 0; i < c->members.size; i++) {
    uint64_t v = value_of(i, k);
    want[0] |= v;
    want[1] &= v;
    if (v > want[2]) want[2] = v;
    if (v < want[3]) want[3] = v;
  }
  ok(eyoti_ctl_exchange(f, c, OPS, words, n));
  for (uint32_t i = 0; i < n; i++) assert_int_equal(words[i], want[i]);
}

struct shared {
  uint32_t entered; /* exchanges entered by all units together: shows that a barrier waits */
  bool half;        /* only every second unit is a member */
  uint64_t before;  /* exchanges, as if there had been so many */
};

static void ctl_main(struct fab *f, void *arg) {
  struct shared *s = arg;
  fab_seg_t seg;
  uint32_t size = s->half ? (f->n + 1) / 2 : f->n;
  uint64_t bytes = eyoti_ctl_bytes(size);
  ok(f->ops->seg_create(f, 128 + bytes, &seg));
  if (s->half && f->me % 2 != 0) return;
  struct eyoti_ctl c = {.members = {.size = size, .my_index = f->me, .unit_at = same},
                        .seg = seg,
                        .off = 64,
                        .seq = s->before};
  if (s->half) {
    c.members = (struct eyoti_ctl_set){size, size - 1 - f->me / 2, every_second_backwards, &size};
  }
  for (uint64_t k = 1; k <= EXCHANGES; k++) {
    s->entered++;
    exchange_all_operators(f, &c, k);
    assert_true(s->entered >= k * size);
    if (f->me == k % f->n) f->ops->progress(f); /* the units are not in step */
  }
  /* The block ends where it says. */
  void *base;
  const char zero[64] = {0};
  ok(f->ops->seg_ptr(f, seg, f->me, 0, &base));
  assert_memory_equal(base, zero, 64);
  assert_memory_equal((char *)base + 64 + bytes, zero, 64);
}

static void run_exchanges(uint32_t n, enum fake_mode mode, uint64_t seed, uint64_t before) {
  struct shared s = {0, seed % 3 == 0, before};
  struct fake_opts o = {
      .n = n, .seed = seed, .mode = mode, .mapped = seed % 2 != 0, .oversubscribed = seed % 4 == 1};
  /* members that all share a node use a central counter; others do not */
  if (o.oversubscribed) o.units_per_node = seed % 8 == 1 ? n : 0;
  int end = fake_run(&o, ctl_main, &s);
  if (end != FAKE_DONE)
    print_error("n %u mode %d seed %llu before %llu: %s\n", n, (int)mode, (unsigned long long)seed,
                (unsigned long long)before, fake_message());
  assert_int_equal(end, FAKE_DONE);
}

static void exchange_combines_words_under_every_order(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 17; n++)
    for (int mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++)
      for (uint64_t seed = 1; seed <= 12; seed++) run_exchanges(n, (enum fake_mode)mode, seed, 0);
}

/* Numbers of exchanges pass 2^32; that of the central counter, which has 40 bits, wraps; the last
 * ones before 2^52. */
static void exchanges_work_to_their_end(void **state) {
  (void)state;
  static const uint64_t BEFORE[] = {(UINT64_C(1) << 32) - 8, (UINT64_C(1) << 40) - 8,
                                    (UINT64_C(1) << 52) - EXCHANGES - 1};
  for (int i = 0; i < 3; i++)
    for (uint32_t n = 2; n <= 9; n++)
      for (uint64_t seed = 1; seed <= 12; seed++)
        run_exchanges(n, (enum fake_mode)(FAKE_EAGER + seed % 3), seed, BEFORE[i]);
}

static void control_block_grows_by_a_round_a_doubling(void **state) {
  (void)state;
  assert_true(eyoti_ctl_bytes(1) > 0);
  /* One round more for each doubling. */
  for (uint32_t rounds = 1; rounds <= 20; rounds++)
    assert_int_equal(eyoti_ctl_bytes(1u << rounds), rounds * 144);
  assert_int_equal(eyoti_ctl_bytes(5), eyoti_ctl_bytes(8));
  assert_int_equal(eyoti_ctl_bytes(UINT32_MAX), 32 * 144);
}

/* -- by nodes ---------------------------------------------------------------------------------- */

struct by_nodes {
  struct shared all;
  struct eyoti_ctl_nodes_shape shape;
};

/* Exchanges by nodes, and barriers by dissemination between them. */
static void nodes_main(struct fab *f, void *arg) {
  struct by_nodes *x = arg;
  struct shared *s = &x->all;
  fab_seg_t seg;
  void *base;
  const struct eyoti_ctl_nodes_shape *shape = &x->shape;
  uint64_t block = eyoti_ctl_bytes(f->n), all = eyoti_ctl_nodes_bytes(shape),
           first = eyoti_ctl_nodes_first_bytes(shape), at = block + all;
  ok(f->ops->seg_create(f, at + first + 64, &seg));
  ok(f->ops->seg_ptr(f, seg, f->me, 0, &base));
  struct eyoti_ctl c = {.members = {.size = f->n, .my_index = f->me, .unit_at = same},
                        .seg = seg,
                        .seq = s->before,
                        .by_nodes = true};
  c.nodes = eyoti_ctl_nodes_make(shape, &c.members);
  assert_non_null(c.nodes);
  eyoti_ctl_nodes_place(c.nodes, (struct eyoti_ctl_nodes_place){seg, block, (char *)base + block},
                        (struct eyoti_ctl_nodes_place){seg, at, (char *)base + at});
  for (uint64_t k = 1; k <= EXCHANGES; k++) {
    s->entered++;
    if (k % 7 == 0)
      ok(eyoti_ctl_barrier_by(f, &c, EYOTI_CTL_DISSEMINATE));
    else
      exchange_all_operators(f, &c, k);
    assert_true(s->entered >= k * f->n);
    if (f->me == k % f->n) f->ops->progress(f);
  }
  const char zero[64] = {0};
  assert_memory_equal((char *)base + at + first, zero, 64);
  bool is_first = eyoti_ctl_nodes_is_first(shape, f->me);
  if (shape->placed == NULL) assert_int_equal(is_first, f->me % shape->per_node == 0);
  for (uint64_t i = 0; i < first && !is_first; i++) assert_int_equal(((char *)base)[at + i], 0);
  eyoti_ctl_nodes_free(c.nodes);
}

static void run_shape(struct by_nodes *x, bool mapped, enum fake_mode mode, uint64_t seed) {
  struct fake_opts o = {.n = x->shape.size,
                        .seed = seed,
                        .mode = mode,
                        .mapped = mapped,
                        .units_per_node = x->shape.per_node,
                        .max_steps = 10000000};
  int end = fake_run(&o, nodes_main, x);
  if (end != FAKE_DONE)
    print_error("n %u per node %u radix %u mode %d seed %llu: %s\n", o.n, x->shape.per_node,
                x->shape.radix, (int)mode, (unsigned long long)seed, fake_message());
  assert_int_equal(end, FAKE_DONE);
}

static void run_by_nodes(uint32_t n, uint32_t per_node, uint32_t radix, enum fake_mode mode,
                         uint64_t seed) {
  struct by_nodes x = {.shape = {.size = n, .per_node = per_node, .radix = radix}};
  run_shape(&x, seed % 2 != 0, mode, seed);
}

/* All numbers of nodes and units up to 30 in one order, some in all. */
static void exchange_by_nodes_combines_words_under_every_order(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 7; per_node++)
    for (uint32_t n = per_node + 1; n <= 30; n++)
      for (uint32_t radix = 2; radix <= 8; radix += 2)
        run_by_nodes(n, per_node, radix, FAKE_REORDER, n);
  for (uint32_t n = 2; n <= 30; n += 7)
    for (int mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++)
      for (uint64_t seed = 1; seed <= 8; seed++)
        run_by_nodes(n, n / 2 < 3 ? 1 : 3, 2 + (uint32_t)(seed % 3), (enum fake_mode)mode, seed);
}

/* Member i is on node[i]. */
static void run_placed(const uint32_t *node, uint32_t n, uint32_t radix, enum fake_mode mode,
                       uint64_t seed) {
  struct eyoti_placement *placed = eyoti_placement_make(node, n);
  assert_non_null(placed);
  struct by_nodes x = {
      .shape = {.size = n, .per_node = placed->most, .radix = radix, .placed = placed}};
  run_shape(&x, false, mode, seed);
  free(placed);
}

/* Runs of other lengths, members dealt out to nodes in turn, and any nodes. */
static void exchange_by_nodes_works_where_members_lie_unevenly(void **state) {
  (void)state;
  enum { MOST = 30 };
  static const uint32_t RUN[] = {3, 1, 5, 1, 2, 7}; /* members of nodes, again and again */
  uint32_t runs[MOST], dealt[MOST], any[MOST], random = 7;
  for (uint32_t i = 0, node = 0, end = RUN[0]; i < MOST; i++) {
    if (i == end) end += RUN[++node % (sizeof RUN / sizeof RUN[0])];
    runs[i] = node;
  }
  for (uint32_t n = 3; n <= MOST; n++)
    for (uint32_t radix = 2; radix <= 8; radix += 2) {
      enum fake_mode mode = (enum fake_mode)(FAKE_EAGER + (int)(n + radix / 2) % 3);
      for (uint32_t i = 0; i < n; i++) dealt[i] = i % (n / 3 + 1);
      for (uint32_t i = 0; i < n; i++) any[i] = (random = random * 1103515245 + 12345) >> 16 & 7;
      run_placed(runs, n, radix, mode, n);
      run_placed(&runs[MOST - n], n, radix, mode, n);
      run_placed(dealt, n, radix, mode, n);
      run_placed(any, n, radix, mode, n);
    }
}

static uint32_t at_24(const struct fab *f) {
  (void)f;
  return 24;
}
static uint32_t at_32(const struct fab *f) {
  (void)f;
  return 32;
}
static uint32_t at_2(const struct fab *f) {
  (void)f;
  return 2;
}
static uint32_t at_none(const struct fab *f) {
  (void)f;
  return 0;
}
static uint32_t at_all(const struct fab *f) {
  return f->n;
}

static void nodes_choose_by_model(void **state) {
  (void)state;
  struct fab_ops ops = {.per_node = at_24};
  struct fab f = {.ops = &ops, .n = 1024};
  bool quicker;
  struct eyoti_ctl_nodes_shape shape = eyoti_ctl_nodes_choose(&f, 1024, &quicker);
  assert_true(quicker && shape.per_node == 24 && shape.size == 1024 && shape.radix >= 2);
  ops.per_node = at_none; /* units lie otherwise */
  shape = eyoti_ctl_nodes_choose(&f, 1024, &quicker);
  assert_true(!quicker && shape.per_node == 0);
  ops.per_node = at_all; /* one node */
  shape = eyoti_ctl_nodes_choose(&f, 1024, &quicker);
  assert_true(!quicker && shape.per_node == 0);
  ops.per_node = at_2; /* two messages by dissemination, three by nodes */
  shape = eyoti_ctl_nodes_choose(&f, 4, &quicker);
  assert_true(!quicker && shape.per_node == 2);
}

static void placed_nodes_choose_by_model(void **state) {
  (void)state;
  enum { NODES = 32, CORES = 32, SIZE = NODES * CORES };
  static uint32_t node[SIZE];
  struct fab_ops ops = {.per_node = at_none};
  struct fab f = {.ops = &ops, .n = SIZE};
  bool quicker;
  uint32_t first, radix[3];
  for (uint32_t kind = 0; kind < 3; kind++) { /* whole nodes; one of one unit; dealt out */
    first = kind == 1 ? CORES - 1 : 0;
    for (uint32_t i = first; i < SIZE; i++) node[i] = kind == 2 ? i % NODES : i / CORES;
    struct eyoti_placement *placed = eyoti_placement_make(&node[first], SIZE - first);
    assert_non_null(placed);
    struct eyoti_ctl_nodes_shape s = eyoti_ctl_nodes_choose_placed(&f, placed, &quicker);
    assert_true(quicker && s.placed == placed && s.per_node == CORES && s.size == SIZE - first);
    radix[kind] = s.radix;
    free(placed);
  }
  assert_int_equal(radix[0], radix[2]);
  assert_true(radix[1] < radix[0]); /* all messages of a node are one unit's */
  ops.per_node = at_32;
  assert_int_equal(eyoti_ctl_nodes_choose(&f, SIZE, &quicker).radix, radix[0]);
}

static uint32_t one_node_of(uint32_t n, uint32_t others) {
  uint32_t *node = calloc(n + others, sizeof *node);
  struct fab_ops ops = {.per_node = at_none};
  struct fab f = {.ops = &ops, .n = n + others};
  bool quicker = true;
  assert_non_null(node);
  for (uint32_t i = 0; i < others; i++) node[n + i] = 1;
  struct eyoti_placement *placed = eyoti_placement_make(node, n + others);
  assert_non_null(placed);
  uint32_t per_node = eyoti_ctl_nodes_choose_placed(&f, placed, &quicker).per_node;
  assert_true(per_node > 0 || !quicker);
  free(placed);
  free(node);
  return per_node;
}

static void one_node_and_full_nodes_have_none(void **state) {
  (void)state;
  assert_int_equal(one_node_of(40, 0), 0);
  assert_int_equal(one_node_of(EYOTI_POSTAL_MOST, 3), EYOTI_POSTAL_MOST);
  assert_int_equal(one_node_of(EYOTI_POSTAL_MOST + 1, 3), 0);
}

static void fail_main(struct fab *f, void *arg) {
  uint32_t *refused = arg;
  fab_seg_t seg;
  if (f->ops->seg_create(f, eyoti_ctl_bytes(f->n), &seg) != EYOT_OK) return;
  struct eyoti_ctl c = {.members = {.size = f->n, .my_index = f->me, .unit_at = same}, .seg = seg};
  enum eyoti_ctl_op op = EYOTI_CTL_MAX;
  for (int k = 0; k < 3; k++) {
    uint64_t word = f->me;
    int rc = eyoti_ctl_exchange(f, &c, &op, &word, 1);
    if (rc == EYOT_EFABRIC) (*refused)++;
    if (rc != EYOT_OK) return;
    assert_int_equal(word, f->n - 1);
  }
}

/* The fabric's error is returned; data that did not arrive is not read. */
static void failing_fabric_is_returned(void **state) {
  (void)state;
  uint32_t refused = 0;
  (void)fake_run(&(struct fake_opts){.n = 3, .seed = 1}, fail_main, &refused);
  uint64_t calls = fake_calls();
  assert_int_equal(refused, 0);
  for (uint64_t nth = 1; nth <= calls; nth++) {
    (void)fake_run(
        &(struct fake_opts){
            .n = 3, .seed = nth, .mode = FAKE_REORDER, .fail_op = nth, .quiet = true},
        fail_main, &refused);
  }
  assert_true(refused >= calls / 2);
}

static void mixed_main(struct fab *f, void *arg) {
  uint32_t *told = arg;
  fab_seg_t seg;
  ok(f->ops->seg_create(f, eyoti_ctl_bytes(f->n), &seg));
  struct eyoti_ctl c = {.members = {.size = f->n, .my_index = f->me, .unit_at = same}, .seg = seg};
  static const enum eyoti_ctl_op OPS[2] = {EYOTI_CTL_MAX, EYOTI_CTL_MIN};
  uint64_t words[2] = {f->me, f->me};
  ok(eyoti_ctl_exchange(f, &c, OPS, words, 2));
  if (eyoti_ctl_exchange(f, &c, OPS, words, f->me == f->n / 2 ? 1 : 2) == EYOT_EMISMATCH) ++*told;
  ok(eyoti_ctl_exchange(f, &c, NULL, NULL, 0)); /* it was complete */
}

/* One member is in another function: all get the error, in any order of arrival, and continue. */
static void exchange_with_a_stranger_is_a_mismatch_on_all(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    uint32_t told = 0, n = 3 + (uint32_t)seed % 4;
    struct fake_opts o = {.n = n,
                          .seed = seed,
                          .units_per_node = n,
                          .mapped = true,
                          .oversubscribed = seed % 2 != 0,
                          .quiet = true};
    assert_int_equal(fake_run(&o, mixed_main, &told), FAKE_DONE);
    assert_int_equal(told, n);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchange_combines_words_under_every_order),
      cmocka_unit_test(exchanges_work_to_their_end),
      cmocka_unit_test(exchange_by_nodes_combines_words_under_every_order),
      cmocka_unit_test(exchange_by_nodes_works_where_members_lie_unevenly),
      cmocka_unit_test(nodes_choose_by_model),
      cmocka_unit_test(placed_nodes_choose_by_model),
      cmocka_unit_test(one_node_and_full_nodes_have_none),
      cmocka_unit_test(control_block_grows_by_a_round_a_doubling),
      cmocka_unit_test(failing_fabric_is_returned),
      cmocka_unit_test(exchange_with_a_stranger_is_a_mismatch_on_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
