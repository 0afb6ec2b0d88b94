/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_match.c - matching of messages and receives against lists that are searched from their
 * beginnings, and the work that it takes with 40,000 of either: chains of the hash are short, and
 * lists are left for the hash. */
#include "msg/arrivals.h"
#include "unit/api_unit.h"

#define MANY 40000u
#define CHAIN_MOST 12u /* entries of one bucket */
#define TEAMS 2u
#define PEERS 4u
#define TAGS 12

/* -- a unit without a fabric ------------------------------------------------------------------- */

static struct eyoti_msgs *unit_new(void) {
  struct eyoti_msgs *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->n_buckets = EYOTI_MSG_BUCKETS_FIRST;
  m->bucket = calloc(m->n_buckets, sizeof(struct eyoti_msg_peer *));
  assert_non_null(m->bucket);
  eyoti_msg_index_init(&m->posted);
  eyoti_msg_index_init(&m->arrived);
  return m;
}

static void unit_free(struct eyoti_msgs *m) {
  assert_int_equal(m->n_posted + m->n_open + m->wild_wants + m->new_wants, 0);
  for (uint32_t i = 0; i < m->n_buckets; i++)
    while (m->bucket[i] != NULL) {
      struct eyoti_msg_peer *p = m->bucket[i];
      assert_int_equal(p->posted, 0);
      m->bucket[i] = p->chain;
      free(p);
    }
  free(m->bucket);
  eyoti_msg_arrivals_free(m);
  eyoti_msg_index_fini(&m->posted);
  free(m);
}

/* While there is none, what matching would allocate next is refused. */
static bool memory_is_short;
static void no_memory(const struct eyoti_msgs *m) {
  if (memory_is_short) fake_alloc_fail_after(1 + m->stamp % 3);
}

static struct eyoti_msg_op *post(struct eyoti_msgs *m, struct eyoti_msg_key key) {
  struct eyoti_msg_op *op = calloc(1, sizeof *op);
  assert_non_null(op);
  op->key = key;
  no_memory(m);
  assert_int_equal(eyoti_msg_post(NULL, m, op), EYOT_OK);
  fake_alloc_fail_after(0);
  return op;
}

static void unpost(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  eyoti_msg_unpost(m, op);
  free(op);
}

static struct eyoti_msg_arrival *arrive(struct eyoti_msgs *m, struct eyoti_msg_key key) {
  struct eyoti_msg_arrival *a = eyoti_msg_arrival_new(m, 0);
  assert_non_null(a);
  a->key = key;
  a->head.len = 0;
  no_memory(m);
  eyoti_msg_keep(m, a);
  fake_alloc_fail_after(0);
  return a;
}

static void take(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  eyoti_msg_take(m, a);
  eyoti_msg_arrival_free(m, a);
}

/* -- the model --------------------------------------------------------------------------------- */

#define LISTED_MOST 600u

struct model {
  struct eyoti_msg_op *op[LISTED_MOST]; /* posted, in their order */
  struct eyoti_msg_key want[LISTED_MOST];
  struct eyoti_msg_arrival *arrival[LISTED_MOST]; /* kept, in their order */
  struct eyoti_msg_key is[LISTED_MOST];
  uint32_t n_ops, n_arrivals;
};

static bool model_matches(struct eyoti_msg_key want, struct eyoti_msg_key is) {
  return want.team == is.team && (want.from == UINT32_MAX || want.from == is.from) &&
         (want.tag == -1 || want.tag == is.tag);
}

static void op_remove(struct model *o, uint32_t i) {
  o->n_ops--;
  memmove(&o->op[i], &o->op[i + 1], (o->n_ops - i) * sizeof o->op[0]);
  memmove(&o->want[i], &o->want[i + 1], (o->n_ops - i) * sizeof o->want[0]);
}

static void arrival_remove(struct model *o, uint32_t i) {
  o->n_arrivals--;
  memmove(&o->arrival[i], &o->arrival[i + 1], (o->n_arrivals - i) * sizeof o->arrival[0]);
  memmove(&o->is[i], &o->is[i + 1], (o->n_arrivals - i) * sizeof o->is[0]);
}

static void message_comes(struct eyoti_msgs *m, struct model *o, struct eyoti_msg_key key) {
  struct eyoti_msg_op *op = eyoti_msg_posted_for(m, &key);
  uint32_t i = 0;
  while (i < o->n_ops && !model_matches(o->want[i], key)) i++;
  assert_ptr_equal(op, i < o->n_ops ? o->op[i] : NULL);
  if (op != NULL) {
    unpost(m, op);
    op_remove(o, i);
  } else {
    o->is[o->n_arrivals] = key;
    o->arrival[o->n_arrivals++] = arrive(m, key);
  }
}

/* probe: the message stays. */
static void receive_asks(struct eyoti_msgs *m, struct model *o, struct eyoti_msg_key key,
                         bool probe) {
  no_memory(m);
  struct eyoti_msg_arrival *a = eyoti_msg_find(m, &key);
  fake_alloc_fail_after(0);
  uint32_t i = 0;
  while (i < o->n_arrivals && !model_matches(key, o->is[i])) i++;
  assert_ptr_equal(a, i < o->n_arrivals ? o->arrival[i] : NULL);
  if (probe) return;
  if (a != NULL) {
    take(m, a);
    arrival_remove(o, i);
  } else {
    o->want[o->n_ops] = key;
    o->op[o->n_ops++] = post(m, key);
  }
}

static struct eyoti_msg_key key_drawn(uint64_t *s) {
  return (struct eyoti_msg_key){draw(s) % TEAMS, (fab_unit_t)(draw(s) % PEERS),
                                (int32_t)(draw(s) % TAGS)};
}

/* Of `open` in 8 receives something is left open. */
static struct eyoti_msg_key want_drawn(uint64_t *s, uint64_t open) {
  struct eyoti_msg_key key = key_drawn(s);
  if (draw(s) % 8 >= open) return key;
  uint64_t kind = 1 + draw(s) % 3;
  if ((kind & 1) != 0) key.from = EYOTI_MSG_ANY_FROM;
  if ((kind & 2) != 0) key.tag = EYOT_ANY_TAG;
  return key;
}

static void model_run(uint64_t seed) {
  uint64_t s = seed;
  struct eyoti_msgs *m = unit_new();
  struct model *o = calloc(1, sizeof *o);
  assert_non_null(o);
  for (fab_unit_t u = 0; u < PEERS; u++) unpost(m, post(m, (struct eyoti_msg_key){0, u, 0}));
  for (uint32_t phase = 0; phase < 12; phase++) {
    /* more messages than receives, or fewer, so that either wait */
    uint64_t messages = draw(&s) % 9, open = draw(&s) % 9;
    memory_is_short = draw(&s) % 3 == 0;
    for (uint32_t i = 0; i < 400; i++) {
      uint64_t what = draw(&s) % 16;
      if (what == 0 && o->n_ops > 0) {
        uint32_t k = (uint32_t)(draw(&s) % o->n_ops);
        unpost(m, o->op[k]);
        op_remove(o, k);
      } else if (what == 1) {
        receive_asks(m, o, want_drawn(&s, open), true);
      } else if (draw(&s) % 8 < messages ? o->n_arrivals < LISTED_MOST : o->n_ops == LISTED_MOST) {
        if (o->n_arrivals < LISTED_MOST) message_comes(m, o, key_drawn(&s));
      } else if (o->n_ops < LISTED_MOST) {
        receive_asks(m, o, want_drawn(&s, open), false);
      }
    }
  }
  memory_is_short = false;
  while (o->n_ops > 0) {
    unpost(m, o->op[0]);
    op_remove(o, 0);
  }
  unit_free(m);
  free(o);
}

static void receives_and_messages_match_as_lists_do(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) model_run(seed);
}

/* -- work -------------------------------------------------------------------------------------- */

static void chains_are_short(const struct eyoti_msg_index *ix) {
  assert_true(ix->keys >= MANY);
  for (uint32_t i = 0; i < 1u << ix->bits; i++) {
    uint32_t n = 0;
    for (const struct eyoti_msg_entry *e = ix->bucket[i]; e != NULL; e = e->chain) n++;
    assert_true(n <= CHAIN_MOST);
  }
}

/* Keys as programs have them: by tag, by sender, by both. */
static struct eyoti_msg_key key_of(uint32_t i, uint32_t way) {
  if (way == 0) return (struct eyoti_msg_key){1, 3, (int32_t)i};
  if (way == 1) return (struct eyoti_msg_key){1, i, 7};
  if (way == 2) return (struct eyoti_msg_key){1, i / 200, (int32_t)(i % 200)};
  return (struct eyoti_msg_key){1, i % 16, (int32_t)(i << 12)};
}

static void many_receives_are_found_by_short_chains(void **state) {
  (void)state;
  struct eyoti_msg_op **op = calloc(MANY, sizeof(struct eyoti_msg_op *));
  assert_non_null(op);
  for (uint32_t way = 0; way < 4; way++) {
    struct eyoti_msgs *m = unit_new();
    for (uint32_t i = 0; i < MANY; i++) op[i] = post(m, key_of(i, way));
    chains_are_short(&m->posted);
    for (uint32_t i = MANY; i-- > 0;) {
      const struct eyoti_msg_key key = key_of(i, way);
      assert_ptr_equal(eyoti_msg_posted_for(m, &key), op[i]);
      unpost(m, op[i]);
    }
    unit_free(m);
  }
  free(op);
}

static void many_receives_of_any_unit_are_found_by_short_chains(void **state) {
  (void)state;
  struct eyoti_msg_op **op = calloc(MANY, sizeof(struct eyoti_msg_op *));
  assert_non_null(op);
  struct eyoti_msgs *m = unit_new();
  for (uint32_t i = 0; i < MANY; i++)
    op[i] = post(m, (struct eyoti_msg_key){1, EYOTI_MSG_ANY_FROM, (int32_t)i});
  chains_are_short(&m->posted);
  assert_null(m->open_first); /* no list is read */
  for (uint32_t i = MANY; i-- > 0;) {
    const struct eyoti_msg_key key = {1, i % 64, (int32_t)i};
    assert_ptr_equal(eyoti_msg_posted_for(m, &key), op[i]);
    unpost(m, op[i]);
  }
  assert_false(m->open_hashed);
  unit_free(m);
  free(op);
}

/* Of one key; taken back from the last one on, and from the middle. */
static void receives_of_one_key_are_taken_back_in_any_order(void **state) {
  (void)state;
  struct eyoti_msg_op **op = calloc(MANY, sizeof(struct eyoti_msg_op *));
  assert_non_null(op);
  struct eyoti_msgs *m = unit_new();
  const struct eyoti_msg_key key = {1, 2, 3};
  for (uint32_t i = 0; i < MANY; i++) op[i] = post(m, key);
  assert_int_equal(m->posted.keys, 1);
  for (uint32_t i = MANY; i-- > MANY / 2;) unpost(m, op[i]);
  for (uint32_t i = MANY / 4; i < MANY / 2; i++) unpost(m, op[i]);
  for (uint32_t i = 0; i < MANY / 4; i++) {
    assert_ptr_equal(eyoti_msg_posted_for(m, &key), op[i]);
    unpost(m, op[i]);
  }
  unit_free(m);
  free(op);
}

/* kind: what the receives leave open. */
static void messages_taken_backwards(uint32_t kind) {
  struct eyoti_msg_arrival **a = calloc(MANY, sizeof(struct eyoti_msg_arrival *));
  assert_non_null(a);
  struct eyoti_msgs *m = unit_new();
  for (uint32_t i = 0; i < MANY; i++) {
    const uint32_t from = kind == EYOTI_MSG_OPEN_TAG ? i : 3;
    a[i] = arrive(m, (struct eyoti_msg_key){1, from, (int32_t)i});
  }
  assert_int_equal(m->hashed, 0); /* nobody has asked */
  for (uint32_t i = MANY; i-- > 0;) {
    const struct eyoti_msg_key key = eyoti_msg_key_open(&a[i]->key, kind);
    assert_ptr_equal(eyoti_msg_find(m, &key), a[i]);
    if (i == MANY - 1) chains_are_short(&m->arrived);
    assert_int_equal(m->hashed, 1u << kind);
    take(m, a[i]);
  }
  assert_int_equal(m->hashed, 0);
  assert_int_equal(m->arrived.keys, 0);
  unit_free(m);
  free(a);
}

static void many_messages_are_found_by_short_chains(void **state) {
  (void)state;
  messages_taken_backwards(0);
  messages_taken_backwards(EYOTI_MSG_OPEN_FROM);
  messages_taken_backwards(EYOTI_MSG_OPEN_TAG);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(receives_and_messages_match_as_lists_do),
      cmocka_unit_test(many_receives_are_found_by_short_chains),
      cmocka_unit_test(many_receives_of_any_unit_are_found_by_short_chains),
      cmocka_unit_test(receives_of_one_key_are_taken_back_in_any_order),
      cmocka_unit_test(many_messages_are_found_by_short_chains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
