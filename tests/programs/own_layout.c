/* SPDX-License-Identifier: BSD-3-Clause */
/* own_layout.c - gives and takes of elements that are not in a row: own_layout [ROUNDS] [SEED], or
 * own_layout WHAT.
 *
 * In each round each member gives or sends the blocks of drawn layouts, strided or indexed, to
 * another, which takes them by the same layout, by another one, or in a row. passes: within a node
 * a layout that agrees gets the buffer itself; kept: with a small heap, nothing stays behind;
 * wrong: mistakes and their errors, with EYOT_ERRORS=return. */
#include "programs/own_random.h"

#define MESSAGES 12u /* of a member and round */
#define BLOCKS_MOST 40u

/* -- layouts ----------------------------------------------------------------------------------- */

struct places {
  eyot_own_layout_t l;
  uint64_t at[BLOCKS_MOST];
};

static uint64_t place(const eyot_own_layout_t *l, uint64_t i) {
  return l->at != NULL ? l->at[i] : i * l->stride;
}

/* Blocks at a stride, in the reverse order, or in a row with one gap. */
static void draw_places(struct places *x, uint64_t blocks, uint64_t block, uint64_t r) {
  x->l = (eyot_own_layout_t){.n = blocks, .block = block, .stride = block + r / 4 % 3 * 5};
  if (r % 3 == 0) return;
  const uint64_t gap = r / 64 % blocks;
  for (uint64_t i = 0; i < blocks; i++)
    x->at[i] =
        r % 3 == 1 ? (blocks - 1 - i) * (block + r / 4 % 2 * 3) : i * block + (i > gap ? 7 : 0);
  x->l.at = x->at;
}

static uint64_t extent(const eyot_own_layout_t *l) {
  uint64_t most = 0;
  for (uint64_t i = 0; i < l->n; i++)
    if (place(l, i) + l->block > most) most = place(l, i) + l->block;
  return most;
}

static void fill(void *p, const eyot_own_layout_t *l, uint64_t key) {
  for (uint64_t i = 0; i < l->n * l->block; i++)
    ((unsigned char *)p)[place(l, i / l->block) + i % l->block] = byte(key, i);
}
static void verify(const void *p, const eyot_own_layout_t *l, uint64_t key) {
  for (uint64_t i = 0; i < l->n * l->block; i++)
    CHECK(((const unsigned char *)p)[place(l, i / l->block) + i % l->block] == byte(key, i));
}

static void *made(const eyot_own_layout_t *l, uint64_t key) {
  void *p;
  OK(eyot_own_alloc(extent(l), &p));
  fill(p, l, key);
  return p;
}

/* -- messages that all members have drawn ------------------------------------------------------ */

struct message {
  uint32_t from, to;
  uint64_t key;
  struct places places, row, other;
};

static void draw_message(struct message *x, uint32_t from) {
  uint64_t r = draw(&shared_random), blocks = 1 + r / 16 % BLOCKS_MOST,
           block = 1 + r / 4096 % (r % 5 == 0 ? 300 : 16);
  x->from = from;
  x->to = (from + (uint32_t)(r % 4)) % n;
  x->key = r >> 32;
  draw_places(&x->places, blocks, block, draw(&shared_random));
  draw_places(&x->other, blocks, block, draw(&shared_random));
  x->row.l = (eyot_own_layout_t){.n = 1, .block = blocks * block, .stride = blocks * block};
}

static void post(const struct message *x, eyot_msg_t *h) {
  const eyot_tunit_t to = tunit(x->to);
  const uint64_t bytes = x->row.l.block;
  void *p;
  *h = EYOT_MSG_DONE;
  switch (draw(&own_random) % 4) {
    case 0:
      p = made(&x->row.l, x->key);
      OK(eyot_send_nb(EYOT_TEAM_ALL, to, 1, p, bytes, h));
      OK(eyot_msg_wait(h, NULL));
      OK(eyot_own_free(&p));
      break;
    case 1:
      p = made(&x->row.l, x->key);
      OK(eyot_own_give_nb(EYOT_TEAM_ALL, to, 1, &p, bytes, h));
      break;
    default:
      p = made(&x->places.l, x->key);
      OK(eyot_own_give_layout_nb(EYOT_TEAM_ALL, to, 1, &p, &x->places.l, h));
  }
  CHECK(p == NULL);
}

static void accept(const struct message *x) {
  const eyot_tunit_t from = tunit(x->from);
  const uint64_t bytes = x->row.l.block;
  const eyot_own_layout_t *l = &x->row.l;
  eyot_msg_status_t s = {0};
  eyot_msg_t h;
  const void *lent;
  void *p = NULL, *copy = malloc(bytes);
  CHECK(copy != NULL);
  switch (draw(&own_random) % 6) {
    case 0:
    case 1:
      l = &x->places.l;
      OK(eyot_own_take_layout(EYOT_TEAM_ALL, from, 1, &p, l, &s));
      break;
    case 2:
      l = &x->other.l;
      OK(eyot_own_take_layout_nb(EYOT_TEAM_ALL, from, 1, &p, l, &h));
      OK(eyot_msg_wait(&h, &s));
      break;
    case 3:
      OK(eyot_own_take(EYOT_TEAM_ALL, from, 1, &p, &s));
      break;
    case 4:
      OK(eyot_own_borrow(EYOT_TEAM_ALL, from, 1, &lent, &s));
      verify(lent, l, x->key);
      OK(eyot_own_return(&lent));
      break;
    default:
      OK(eyot_recv(EYOT_TEAM_ALL, from, 1, copy, bytes, &s));
      verify(copy, l, x->key);
  }
  free(copy);
  CHECK(s.bytes == bytes && s.from.id == x->from && s.dropped == 0);
  if (p == NULL) return;
  verify(p, l, x->key);
  memset(p, 0, extent(l)); /* all of it is the taker's */
  OK(eyot_own_free(&p));
}

static void rounds_one(void) {
  struct message *all = malloc(n * MESSAGES * sizeof *all);
  eyot_msg_t h[MESSAGES];
  CHECK(all != NULL);
  for (uint32_t i = 0; i < n * MESSAGES; i++) draw_message(&all[i], i / MESSAGES);
  for (uint32_t i = 0; i < MESSAGES; i++) post(&all[me * MESSAGES + i], &h[i]);
  for (uint32_t i = 0; i < n * MESSAGES; i++)
    if (all[i].to == me) accept(&all[i]);
  OK(eyot_msg_wait_all(h, MESSAGES, NULL));
  free(all);
}

/* -- others ------------------------------------------------------------------------------------ */

/* The first block says where the buffer was. */
static void passes(void) {
  const uint64_t at[] = {0, 24, 48};
  const eyot_own_layout_t strided = {3, 8, 24, NULL}, indexed = {3, 8, 0, at},
                          row = {1, 24, 24, NULL};
  const eyot_own_layout_t *const LAYOUTS[][2] = {
      {&strided, &strided}, {&indexed, &indexed}, {&strided, &indexed}, {&row, &row}};
  for (int i = 0; i < 4 && me < 2; i++) {
    void *p;
    if (me == 0) {
      OK(eyot_own_alloc(100, &p));
      memcpy(p, &p, sizeof p);
      OK(eyot_own_give_layout(EYOT_TEAM_ALL, tunit(1), 1, &p, LAYOUTS[i][0]));
    } else {
      void *was;
      OK(eyot_own_take_layout(EYOT_TEAM_ALL, tunit(0), 1, &p, LAYOUTS[i][1], NULL));
      memcpy(&was, p, sizeof was);
      CHECK(p == was);
      OK(eyot_own_free(&p));
    }
  }
}

static void kept(void) {
  enum { TURNS = 300, N = 3000 };
  static uint64_t at[N];
  for (uint64_t i = 0; i < N; i++) at[i] = 20 * i;
  const eyot_own_layout_t l = {N, 8, 0, at}, other = {N, 8, 24, NULL};
  for (uint64_t i = 0; i < TURNS; i++) {
    void *p;
    if (me == 0) {
      p = made(&l, i);
      OK(eyot_own_give_layout(EYOT_TEAM_ALL, tunit(1), 1, &p, &l));
    } else if (me == 1) {
      const eyot_own_layout_t *as = i % 2 == 0 ? &l : &other;
      OK(eyot_own_take_layout(EYOT_TEAM_ALL, tunit(0), 1, &p, as, NULL));
      verify(p, as, i);
      OK(eyot_own_free(&p));
    }
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
}

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "own_layout: unit %u: %s: %s, expected %s\n", me, what, eyot_strerror(rc),
          eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static int give(void **p, const eyot_own_layout_t *l) {
  return eyot_own_give_layout(EYOT_TEAM_ALL, tunit((me + 1) % n), 1, p, l);
}
static int take(void **p, const eyot_own_layout_t *l) {
  return eyot_own_take_layout(EYOT_TEAM_ALL, tunit((me + n - 1) % n), 1, p, l, NULL);
}

static void wrong(void) {
  const uint64_t far[] = {0, UINT64_MAX - 3};
  const eyot_own_layout_t good = {4, 8, 24, NULL}, none = {0, 8, 8, NULL}, flat = {4, 0, 8, NULL},
                          over = {4, 8, 7, NULL}, many = {UINT64_MAX, 8, 8, NULL},
                          wide = {3, 8, UINT64_MAX / 2 + 8, NULL}, beyond = {2, 8, 0, far},
                          longer = {50, 8, 24, NULL}, less = {3, 8, 24, NULL},
                          more = {5, 8, 24, NULL};
  const eyot_own_layout_t *const EINVALS[] = {NULL, &none, &flat, &over}, *const ERANGES[] = {
                                                                              &many, &wide,
                                                                              &beyond};
  void *p, *q = NULL;
  eyot_msg_t h;
  const uint64_t same[] = {0, 32, 0}, half[] = {32, 0, 36}, twice[] = {16, 0, 9};
  const uint64_t *const OVERLAPS[] = {same, half, twice};
  for (int i = 0; i < 3; i++) {
    const eyot_own_layout_t l = {3, 8, 0, OVERLAPS[i]};
    expect("a take whose blocks overlap", take(&q, &l), EYOT_EINVAL);
    expect("a take that is started, whose blocks overlap",
           eyot_own_take_layout_nb(EYOT_TEAM_ALL, tunit(0), 1, &q, &l, &h), EYOT_EINVAL);
  }
  OK(eyot_own_alloc(512, &p));
  for (int i = 0; i < 4; i++) {
    expect("a wrong layout of a give", give(&p, EINVALS[i]), EYOT_EINVAL);
    expect("a wrong layout of a take", take(&q, EINVALS[i]), EYOT_EINVAL);
  }
  for (int i = 0; i < 3; i++) {
    expect("a layout beyond memory", give(&p, ERANGES[i]), EYOT_ERANGE);
    expect("a take beyond memory", take(&q, ERANGES[i]), EYOT_ERANGE);
  }
  expect("a layout beyond the buffer", give(&p, &longer), EYOT_ERANGE);
  expect("give of NULL", give(NULL, &good), EYOT_EINVAL);
  expect("give of nothing", give(&q, &good), EYOT_EINVAL);
  expect("take to NULL", take(NULL, &good), EYOT_EINVAL);
  expect("give to nobody", eyot_own_give_layout(EYOT_TEAM_ALL, tunit(n), 1, &p, &good), EYOT_EUNIT);
  expect("a tag", eyot_own_give_layout(EYOT_TEAM_ALL, tunit(0), -1, &p, &good), EYOT_EINVAL);
  expect("no handle", eyot_own_give_layout_nb(EYOT_TEAM_ALL, tunit(0), 1, &p, &good, NULL),
         EYOT_EINVAL);
  CHECK(p != NULL);
  fill(p, &good, 5);
  expect("a give", give(&p, &good), EYOT_OK);
  expect("a take that is too short", take(&q, &less), EYOT_ERANGE);
  CHECK(p == NULL && q == NULL);
  p = made(&good, 6);
  const uint64_t mixed[] = {40, 0, 32, 8};
  const eyot_own_layout_t any_order = {4, 8, 0, mixed};
  expect("a give", give(&p, &good), EYOT_OK);
  expect("a take of blocks in no order", take(&q, &any_order), EYOT_OK);
  verify(q, &any_order, 6);
  OK(eyot_own_free(&q));
  p = made(&good, 6);
  expect("a give", give(&p, &good), EYOT_OK);
  OK(eyot_own_take_layout_nb(EYOT_TEAM_ALL, tunit((me + n - 1) % n), 1, &q, &more, &h));
  expect("a take of less than its layout", eyot_msg_wait(&h, NULL), EYOT_OK);
  verify(q, &good, 6);
  expect("its free", eyot_own_free(&q), EYOT_OK);
}

static const struct own_other OTHERS[] = {{"passes", passes}, {"kept", kept}, {"wrong", wrong}};

int main(int argc, char **argv) {
  uint64_t rounds = OWN_BEGIN(OTHERS);
  for (uint64_t i = 0; i < rounds; i++) rounds_one();
  return finish();
}
