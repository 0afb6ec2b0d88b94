/* SPDX-License-Identifier: BSD-3-Clause */
/* lend.c - buffers that are lent to readers: lend [ROUNDS] [SEED], or lend WHAT.
 *
 * In each round all members draw the same loans: of each member some, of lengths from one byte to
 * far beyond what travels with an envelope, to some readers each, itself included. A reader
 * borrows, takes or receives, as it draws, looks at the bytes at once and again before it returns
 * or clones what it has borrowed, in any order. A buffer is lent twice at a time, and again with
 * other bytes when it is back. Gives and sends are borrowed too. wrong: mistakes and their errors,
 * with EYOT_ERRORS=return; after: a send after loans; left: a loan is not returned; freed: what is
 * lent is freed; freed_borrowed: what is borrowed is. */
#include "programs/own_random.h"

#define BUFFERS 3u /* of a member */
#define LOANS 5u   /* of a member and round; some are of the same buffer */
#define MOST 64u   /* members */
static const uint64_t LENGTHS[] = {1, 8, 256, 257, 5000, 60000};
#define N_LENGTHS (sizeof LENGTHS / sizeof LENGTHS[0])

/* -- a loan that all members have drawn -------------------------------------------------------- */

struct loan {
  uint32_t owner, buffer, n_readers;
  int32_t tag;
  uint64_t key, bytes;
  eyot_tunit_t reader[4];
};

static void draw_loan(struct loan *x, uint32_t owner, const uint64_t *keys) {
  uint64_t r = draw(&shared_random);
  x->owner = owner;
  x->buffer = (uint32_t)(r % BUFFERS);
  x->tag = (int32_t)(r / 8 % 2);
  x->key = keys[x->buffer];
  x->bytes = LENGTHS[r / 16 % N_LENGTHS];
  x->n_readers = 1 + (uint32_t)(r / 256 % 4);
  for (uint32_t i = 0; i < x->n_readers; i++)
    x->reader[i] = tunit((owner + (uint32_t)(draw(&shared_random) % 5)) % n);
}

/* -- readers ----------------------------------------------------------------------------------- */

struct held {
  const void *p;
  uint64_t key, bytes;
};
enum { HELD = 4096 };
static struct held held[HELD];
static uint32_t n_held;

static void hold(const void *p, const struct loan *x) {
  CHECK(p != NULL && n_held < HELD);
  held[n_held++] = (struct held){p, x->key, x->bytes};
}

static void return_one(void) {
  uint32_t i = (uint32_t)(draw(&own_random) % n_held);
  struct held x = held[i];
  held[i] = held[--n_held];
  verify_row(x.p, x.key, x.bytes);
  if (draw(&own_random) % 3 == 0) {
    void *mine;
    OK(eyot_own_clone(&x.p, &mine));
    verify_row(mine, x.key, x.bytes);
    fill_row(mine, ~x.key, x.bytes);
    OK(eyot_own_free(&mine));
  }
  OK(eyot_own_return(&x.p));
  CHECK(x.p == NULL);
}

static void borrow(const struct loan *x) {
  const eyot_tunit_t from = tunit(x->owner);
  eyot_msg_status_t s = {0};
  eyot_msg_t h = EYOT_MSG_DONE;
  const void *p = NULL;
  void *own = NULL, *copy = malloc(x->bytes);
  CHECK(copy != NULL);
  switch (draw(&own_random) % 6) {
    case 0:
    case 1:
      OK(eyot_own_borrow(EYOT_TEAM_ALL, from, x->tag, &p, &s));
      break;
    case 2:
      OK(eyot_own_borrow_nb(EYOT_TEAM_ALL, from, x->tag, &p, &h));
      OK(eyot_msg_wait(&h, &s));
      break;
    case 3:
      OK(eyot_mprobe(EYOT_TEAM_ALL, from, x->tag, &h, &s));
      CHECK(s.bytes == x->bytes);
      OK(eyot_own_mborrow(&h, &p, &s));
      break;
    case 4:
      OK(eyot_own_take(EYOT_TEAM_ALL, from, x->tag, &own, &s));
      verify_row(own, x->key, x->bytes);
      fill_row(own, ~x->key, x->bytes);
      OK(eyot_own_free(&own));
      break;
    default:
      OK(eyot_recv(EYOT_TEAM_ALL, from, x->tag, copy, x->bytes, &s));
      verify_row(copy, x->key, x->bytes);
  }
  free(copy);
  CHECK(s.bytes == x->bytes && s.from.id == x->owner && s.tag == x->tag && s.dropped == 0);
  if (p != NULL) {
    verify_row(p, x->key, x->bytes);
    hold(p, x);
  }
  while (n_held > 0 && draw(&own_random) % 2 == 0) return_one();
}

/* -- rounds ------------------------------------------------------------------------------------ */

static void loans(void *const *mine) {
  static struct loan all[MOST * LOANS];
  static uint64_t keys[MOST][BUFFERS];
  eyot_msg_t h[LOANS];
  for (uint32_t u = 0; u < n; u++) {
    for (uint32_t b = 0; b < BUFFERS; b++) keys[u][b] = draw(&shared_random) >> 32;
    for (uint32_t i = 0; i < LOANS; i++) draw_loan(&all[u * LOANS + i], u, keys[u]);
  }
  for (uint32_t b = 0; b < BUFFERS; b++) fill_row(mine[b], keys[me][b], LENGTHS[N_LENGTHS - 1]);
  for (uint32_t i = 0; i < LOANS; i++) {
    const struct loan *x = &all[me * LOANS + i];
    OK(eyot_own_lend(EYOT_TEAM_ALL, x->reader, x->n_readers, x->tag, mine[x->buffer], x->bytes,
                     &h[i]));
  }
  for (uint32_t i = 0; i < n * LOANS; i++)
    for (uint32_t r = 0; r < all[i].n_readers; r++)
      if (all[i].reader[r].id == me) borrow(&all[i]);
  while (n_held > 0) return_one();
  OK(eyot_msg_wait_all(h, LOANS, NULL));
}

/* What was given or sent is borrowed, around the ring; and a buffer that came from another member's
 * heap is lent. */
static void others(uint64_t key) {
  const eyot_tunit_t next = tunit((me + 1) % n), before = tunit((me + n - 1) % n);
  const uint32_t from = before.id;
  const uint64_t bytes = LENGTHS[key % N_LENGTHS];
  const void *a, *b, *c;
  void *p, *q;
  eyot_msg_t h[2];
  OK(eyot_own_alloc(bytes, &p));
  fill_row(p, key + me, bytes);
  OK(eyot_send_nb(EYOT_TEAM_ALL, next, 4, p, bytes, &h[0]));
  OK(eyot_own_borrow(EYOT_TEAM_ALL, before, 4, &a, NULL));
  OK(eyot_msg_wait(&h[0], NULL));
  verify_row(a, key + from, bytes);
  OK(eyot_own_give_nb(EYOT_TEAM_ALL, next, 5, &p, bytes, &h[0]));
  OK(eyot_own_borrow(EYOT_TEAM_ALL, before, 5, &b, NULL));
  OK(eyot_msg_wait(&h[0], NULL));
  verify_row(b, key + from, bytes);
  OK(eyot_own_return(&b));
  OK(eyot_own_alloc(bytes, &p));
  fill_row(p, key + 2 * me, bytes);
  OK(eyot_own_give_nb(EYOT_TEAM_ALL, next, 6, &p, bytes, &h[0]));
  OK(eyot_own_take(EYOT_TEAM_ALL, before, 6, &q, NULL));
  OK(eyot_msg_wait(&h[0], NULL));
  OK(eyot_own_lend(EYOT_TEAM_ALL, (eyot_tunit_t[]){next, before}, 2, 7, q, bytes, &h[1]));
  OK(eyot_own_borrow(EYOT_TEAM_ALL, before, 7, &b, NULL));
  OK(eyot_own_borrow(EYOT_TEAM_ALL, next, 7, &c, NULL));
  verify_row(b, key + 2 * ((me + 2 * n - 2) % n), bytes);
  verify_row(c, key + 2 * me, bytes);
  OK(eyot_own_return(&c));
  OK(eyot_own_return(&a));
  OK(eyot_own_return(&b));
  OK(eyot_msg_wait(&h[1], NULL));
  fill_row(q, 1, bytes);
  OK(eyot_own_free(&q));
}

/* -- mistakes ---------------------------------------------------------------------------------- */

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "lend: unit %u: %s: %s, expected %s\n", me, what, eyot_strerror(rc),
          eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static void wrong_lend(void *p) {
  const eyot_tunit_t other = tunit((me + 1) % n), outside[] = {other, {n}};
  eyot_msg_t h;
  void *none = NULL, *given;
  expect("no readers", eyot_own_lend(EYOT_TEAM_ALL, &other, 0, 1, p, 8, &h), EYOT_EINVAL);
  expect("readers NULL", eyot_own_lend(EYOT_TEAM_ALL, NULL, 1, 1, p, 8, &h), EYOT_EINVAL);
  expect("no handle", eyot_own_lend(EYOT_TEAM_ALL, &other, 1, 1, p, 8, NULL), EYOT_EINVAL);
  expect("to nobody", eyot_own_lend(EYOT_TEAM_ALL, outside, 2, 1, p, 8, &h), EYOT_EUNIT);
  expect("tag", eyot_own_lend(EYOT_TEAM_ALL, &other, 1, -1, p, 8, &h), EYOT_EINVAL);
  expect("too much", eyot_own_lend(EYOT_TEAM_ALL, &other, 1, 1, p, 5000, &h), EYOT_ERANGE);
  expect("nothing", eyot_own_lend(EYOT_TEAM_ALL, &other, 1, 1, none, 8, &h), EYOT_EINVAL);
  OK(eyot_own_alloc(8, &given));
  none = given;
  OK(eyot_own_free(&given));
  expect("what was freed", eyot_own_lend(EYOT_TEAM_ALL, &other, 1, 1, none, 8, &h), EYOT_ESEG);
}

static void wrong_return(const void *b) {
  const void *copy = b, *none = NULL, *foreign = &copy;
  void *mine = (void *)(uintptr_t)b;
  expect("return of NULL", eyot_own_return(NULL), EYOT_EINVAL);
  expect("return of nothing", eyot_own_return(&none), EYOT_OK);
  expect("return of what is no buffer", eyot_own_return(&foreign), EYOT_EINVAL);
  if (n > 1) {
    expect("free of a loan", eyot_own_free(&mine), EYOT_ESEG);
    expect("give of a loan", eyot_own_give(EYOT_TEAM_ALL, tunit(0), 1, &mine, 8), EYOT_ESEG);
  }
  expect("clone of NULL", eyot_own_clone(NULL, &mine), EYOT_EINVAL);
  expect("clone of nothing", eyot_own_clone(&none, &mine), EYOT_EINVAL);
  expect("clone to NULL", eyot_own_clone(&b, NULL), EYOT_EINVAL);
  expect("clone of what is no buffer", eyot_own_clone(&foreign, &mine), EYOT_EINVAL);
  expect("return", eyot_own_return(&b), EYOT_OK);
  expect("clone of what was returned", eyot_own_clone(&copy, &mine), EYOT_EINVAL);
  expect("return of what was returned", eyot_own_return(&copy), EYOT_EINVAL);
}

static void wrong(void) {
  const eyot_tunit_t other = tunit((me + 1) % n), before = tunit((me + n - 1) % n);
  const void *b;
  void *p, *q;
  uint64_t bytes;
  eyot_msg_t h, h2;
  expect("borrow to NULL", eyot_own_borrow(EYOT_TEAM_ALL, other, 1, NULL, NULL), EYOT_EINVAL);
  expect("borrow_nb to NULL", eyot_own_borrow_nb(EYOT_TEAM_ALL, other, 1, NULL, &h), EYOT_EINVAL);
  expect("mborrow to NULL", eyot_own_mborrow(&h, NULL, NULL), EYOT_EINVAL);
  OK(eyot_own_alloc(1000, &p));
  q = p;
  expect("return of an own one", eyot_own_return((const void **)(uintptr_t)&q), EYOT_EINVAL);
  wrong_lend(p);
  OK(eyot_own_lend(EYOT_TEAM_ALL, &other, 1, 1, p, 1000, &h));
  expect("a second loan", eyot_own_lend(EYOT_TEAM_ALL, &other, 1, 1, p, 8, &h2), EYOT_OK);
  expect("free of what is lent", eyot_own_free(&p), EYOT_EBUSY);
  expect("give of what is lent", eyot_own_give(EYOT_TEAM_ALL, other, 1, &p, 8), EYOT_EBUSY);
  expect("bytes of what is lent", eyot_own_bytes(p, &bytes), EYOT_OK);
  CHECK(p != NULL && bytes >= 1000);
  OK(eyot_own_borrow(EYOT_TEAM_ALL, before, 1, &b, NULL));
  wrong_return(b);
  OK(eyot_own_borrow(EYOT_TEAM_ALL, before, 1, &b, NULL));
  const void *copy = b;
  expect("clone", eyot_own_clone(&b, &q), EYOT_OK);
  CHECK(b == NULL);
  expect("return of what was cloned", eyot_own_return(&copy), EYOT_EINVAL);
  OK(eyot_own_free(&q));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  expect("free of what may be back", eyot_own_free(&p), EYOT_EBUSY);
  OK(eyot_msg_wait(&h, NULL));
  expect("free with another loan", eyot_own_free(&p), EYOT_EBUSY);
  OK(eyot_msg_wait(&h2, NULL));
  expect("free of what is back", eyot_own_free(&p), EYOT_OK);
}

/* After loans to many readers a send still waits for its receive. */
static void after(void) {
  const eyot_tunit_t readers[] = {{1}, {1}, {1}, {1}, {1}, {1}};
  enum { READERS = sizeof readers / sizeof readers[0] };
  const void *b;
  void *p;
  int value = 7;
  bool done;
  eyot_msg_t h;
  if (me == 1) {
    for (int i = 0; i < READERS; i++) {
      OK(eyot_own_borrow(EYOT_TEAM_ALL, tunit(0), 1, &b, NULL));
      OK(eyot_own_return(&b));
    }
    OK(eyot_recv(EYOT_TEAM_ALL, tunit(0), 2, &value, sizeof value, NULL));
    OK(eyot_recv(EYOT_TEAM_ALL, tunit(0), 1, &value, sizeof value, NULL));
  }
  if (me != 0) return;
  OK(eyot_own_alloc(8, &p));
  OK(eyot_own_lend(EYOT_TEAM_ALL, readers, READERS, 1, p, 8, &h));
  OK(eyot_msg_wait(&h, NULL));
  OK(eyot_own_free(&p));
  OK(eyot_ssend_nb(EYOT_TEAM_ALL, tunit(1), 1, &value, sizeof value, &h));
  OK(eyot_msg_test(&h, &done, NULL));
  CHECK(!done);
  OK(eyot_send(EYOT_TEAM_ALL, tunit(1), 2, &value, sizeof value));
  OK(eyot_msg_wait(&h, NULL));
}

/* Unit 0 lends, and unit 1 does not return it. */
static void left(void) {
  const void *b;
  void *p;
  eyot_msg_t h;
  if (me == 1) OK(eyot_own_borrow(EYOT_TEAM_ALL, tunit(0), 1, &b, NULL));
  if (me != 0) return;
  OK(eyot_own_alloc(8, &p));
  OK(eyot_own_lend(EYOT_TEAM_ALL, &(eyot_tunit_t){1}, 1, 1, p, 8, &h));
}

/* Unit 1 frees what it has borrowed. */
static void freed_borrowed(void) {
  const void *b;
  void *p;
  eyot_msg_t h;
  if (me == 1) {
    OK(eyot_own_borrow(EYOT_TEAM_ALL, tunit(0), 1, &b, NULL));
    p = (void *)(uintptr_t)b;
    CHECK(eyot_own_free(&p) == EYOT_ESEG);
    OK(eyot_own_return(&b));
  }
  if (me != 0) return;
  OK(eyot_own_alloc(8, &p));
  OK(eyot_own_lend(EYOT_TEAM_ALL, &(eyot_tunit_t){1}, 1, 1, p, 8, &h));
  OK(eyot_msg_wait(&h, NULL));
  OK(eyot_own_free(&p));
}

/* Unit 0 frees what it has lent. */
static void freed(void) {
  const void *b;
  void *p;
  eyot_msg_t h;
  if (me == 1) {
    OK(eyot_own_borrow(EYOT_TEAM_ALL, tunit(0), 1, &b, NULL));
    OK(eyot_own_return(&b));
  }
  if (me != 0) return;
  OK(eyot_own_alloc(8, &p));
  OK(eyot_own_lend(EYOT_TEAM_ALL, &(eyot_tunit_t){1}, 1, 1, p, 8, &h));
  CHECK(eyot_own_free(&p) == EYOT_EBUSY);
  OK(eyot_msg_wait(&h, NULL));
  OK(eyot_own_free(&p));
}

static const struct own_other OTHERS[] = {{"wrong", wrong},
                                          {"after", after},
                                          {"left", left},
                                          {"freed", freed},
                                          {"freed_borrowed", freed_borrowed}};

int main(int argc, char **argv) {
  uint64_t rounds = OWN_BEGIN(OTHERS);
  CHECK(n <= MOST);
  if (rounds == 0) return finish();
  void *mine[BUFFERS];
  for (uint32_t b = 0; b < BUFFERS; b++) OK(eyot_own_alloc(LENGTHS[N_LENGTHS - 1], &mine[b]));
  for (uint64_t i = 0; i < rounds; i++) {
    loans(mine);
    others(shared_random + i);
  }
  for (uint32_t b = 0; b < BUFFERS; b++) OK(eyot_own_free(&mine[b]));
  return finish();
}
