/* SPDX-License-Identifier: BSD-3-Clause */
/* own.c - buffers whose ownership passes: own [ROUNDS] [SEED], or own WHAT.
 *
 * In each round all members draw the same messages between all pairs, of lengths from one byte to
 * far beyond what travels with an envelope; each is given or sent, and taken or received, in any
 * combination, as its two ends draw. What is taken is changed and given on to a third member, so
 * buffers lie in heaps of others than those that free them. Then the collectives, with buffers that
 * are missing. wrong: mistakes and their errors, with EYOT_ERRORS=return; left: keeps a buffer;
 * received: buffers that are received must be free for others; returns: all units but the first
 * free what that one has given them, again and again, in a small heap. */
#include "programs/own_random.h"

#define MOST 6u /* messages of a pair and round */
static const uint64_t LENGTHS[] = {1, 8, 100, 256, 257, 5000, 60000, 0};
#define N_LENGTHS (sizeof LENGTHS / sizeof LENGTHS[0])

static void *made(uint64_t key, uint64_t bytes) {
  void *p;
  uint64_t space;
  OK(eyot_own_alloc(bytes > 0 ? bytes : 1, &p));
  CHECK(((uintptr_t)p & 63) == 0);
  OK(eyot_own_bytes(p, &space));
  CHECK(space >= bytes);
  fill_row(p, key, bytes);
  return p;
}

/* -- pairs ------------------------------------------------------------------------------------- */

struct message {
  uint32_t from, to;
  int32_t tag;
  uint64_t key, bytes;
};

static struct message drawn(uint32_t from, uint32_t to, uint32_t i) {
  uint64_t r = draw(&shared_random);
  return (struct message){.from = from,
                          .to = to,
                          .tag = (int32_t)(r % 2),
                          .key = r >> 32 ^ i,
                          .bytes = LENGTHS[r / 2 % N_LENGTHS]};
}

static void post(const struct message *x, eyot_msg_t *h) {
  const eyot_tunit_t to = {x->to};
  void *p = made(x->key, x->bytes);
  switch (draw(&own_random) % 4) {
    case 0:
      OK(eyot_own_give(EYOT_TEAM_ALL, to, x->tag, &p, x->bytes));
      break;
    case 1:
      OK(eyot_own_give_nb(EYOT_TEAM_ALL, to, x->tag, &p, x->bytes, h));
      break;
    case 2:
      OK(eyot_send(EYOT_TEAM_ALL, to, x->tag, p, x->bytes));
      break;
    default:
      OK(eyot_send_nb(EYOT_TEAM_ALL, to, x->tag, p, x->bytes, h));
      OK(eyot_msg_wait(h, NULL));
  }
  OK(eyot_own_free(&p));
  CHECK(p == NULL);
}

static void accept(const struct message *x) {
  const eyot_tunit_t from = {x->from};
  eyot_msg_status_t s = {0};
  eyot_msg_t h = EYOT_MSG_DONE;
  void *p = NULL;
  char *copy = malloc(x->bytes + 1);
  bool taken = true;
  CHECK(copy != NULL);
  switch (draw(&own_random) % 4) {
    case 0:
      OK(eyot_own_take(EYOT_TEAM_ALL, from, x->tag, &p, &s));
      break;
    case 1:
      OK(eyot_own_take_nb(EYOT_TEAM_ALL, from, x->tag, &p, &h));
      OK(eyot_msg_wait(&h, &s));
      break;
    case 2:
      OK(eyot_mprobe(EYOT_TEAM_ALL, from, x->tag, &h, &s));
      CHECK(s.bytes == x->bytes);
      OK(eyot_own_mtake(&h, &p, &s));
      break;
    default:
      taken = false;
      OK(eyot_recv(EYOT_TEAM_ALL, from, x->tag, copy, x->bytes, &s));
  }
  CHECK(s.bytes == x->bytes && s.from.id == x->from && s.tag == x->tag && s.dropped == 0);
  verify_row(taken ? p : copy, x->key, x->bytes);
  free(copy);
  OK(eyot_own_free(&p));
}

/* Messages to the members before come first, so that some are posted before they are expected. */
static void pairs(void) {
  enum { PAIRS = 4096 };
  static struct message out[PAIRS], in[PAIRS];
  static eyot_msg_t h[PAIRS];
  uint32_t n_out = 0, n_in = 0;
  for (uint32_t a = 0; a < n; a++)
    for (uint32_t d = 0; d < 3 && d < n; d++) {
      uint32_t b = (a + d * d) % n, many = (uint32_t)(draw(&shared_random) % MOST);
      for (uint32_t i = 0; i < many; i++) {
        struct message x = drawn(a, b, i);
        if (a == me) out[n_out++] = x;
        if (b == me) in[n_in++] = x;
      }
    }
  CHECK(n_out <= PAIRS && n_in <= PAIRS);
  uint32_t i = 0, k = 0;
  memset(h, 0, sizeof h);
  /* a blocking send of a long message waits for its receive: as many sends as all buffer */
  while (i < n_out) post(&out[i], &h[i]), i++;
  while (k < n_in) accept(&in[k]), k++;
  OK(eyot_msg_wait_all(h, n_out, NULL));
}

/* A buffer goes around the ring, and each member adds to it. */
static void around(void) {
  const eyot_tunit_t next = {(me + 1) % n}, before = {(me + n - 1) % n};
  uint64_t *p, bytes = 40000;
  eyot_msg_status_t s;
  OK(eyot_own_alloc(bytes, (void **)&p));
  p[0] = me;
  p[4999] = 1;
  for (uint32_t i = 0; i < n; i++) {
    OK(eyot_own_give(EYOT_TEAM_ALL, next, 9, (void **)&p, bytes));
    CHECK(p == NULL);
    OK(eyot_own_take(EYOT_TEAM_ALL, before, 9, (void **)&p, &s));
    CHECK(s.bytes == bytes && p[0] == (me + n - 1 - i) % n && p[4999] == i + 1);
    p[4999]++;
  }
  CHECK(p[0] == me);
  OK(eyot_own_free((void **)&p));
}

/* -- collectives ------------------------------------------------------------------------------- */

static uint64_t piece(uint64_t key, uint32_t from, uint32_t to) {
  return LENGTHS[(key + from * 3 + to * 5) % N_LENGTHS];
}
static bool missing(uint64_t key, uint32_t from, uint32_t to) {
  return (key + from + 2 * to) % 5 == 0;
}
static void collectives(uint64_t key) {
  void **buffers = calloc(n, sizeof *buffers), *mine = NULL;
  uint64_t *bytes = calloc(n, sizeof *bytes), mine_bytes = 99;
  uint32_t root = (uint32_t)(key % n);
  CHECK(buffers != NULL && bytes != NULL);
  for (uint32_t i = 0; i < n && me == root; i++) {
    bytes[i] = piece(key, root, i);
    buffers[i] = missing(key, root, i) ? NULL : made(key + i, bytes[i]);
  }
  OK(eyot_own_scatter(EYOT_TEAM_ALL, (eyot_tunit_t){root}, buffers, bytes, &mine, &mine_bytes));
  CHECK((mine == NULL) == missing(key, root, me));
  CHECK(mine_bytes == (mine == NULL ? 0 : piece(key, root, me)));
  if (mine != NULL) verify_row(mine, key + me, mine_bytes);
  for (uint32_t i = 0; i < n; i++) CHECK(buffers[i] == NULL);
  OK(eyot_own_gather(EYOT_TEAM_ALL, (eyot_tunit_t){root}, &mine, mine_bytes, buffers, bytes));
  CHECK(mine == NULL);
  for (uint32_t i = 0; i < n && me == root; i++) {
    CHECK((buffers[i] == NULL) == missing(key, root, i));
    CHECK(bytes[i] == (buffers[i] == NULL ? 0 : piece(key, root, i)));
    if (buffers[i] != NULL) verify_row(buffers[i], key + i, bytes[i]);
    OK(eyot_own_free(&buffers[i]));
  }
  for (uint32_t i = 0; i < n; i++) {
    bytes[i] = piece(key, me, i);
    buffers[i] = missing(key, me, i) ? NULL : made(key + me * 7 + i, bytes[i]);
  }
  OK(eyot_own_alltoall(EYOT_TEAM_ALL, buffers, bytes));
  for (uint32_t i = 0; i < n; i++) {
    CHECK((buffers[i] == NULL) == missing(key, i, me));
    CHECK(bytes[i] == (buffers[i] == NULL ? 0 : piece(key, i, me)));
    if (buffers[i] != NULL) verify_row(buffers[i], key + i * 7 + me, bytes[i]);
    OK(eyot_own_free(&buffers[i]));
  }
  free(buffers);
  free(bytes);
}

/* -- mistakes ---------------------------------------------------------------------------------- */

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "own: unit %u: %s: %s, expected %s\n", me, what, eyot_strerror(rc),
          eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

/* Collectives in which one member makes a mistake: all get an error, no buffer moves, and the next
 * collective is right. */
static void wrong_collectives(void) {
  void **buffers = calloc(n, sizeof *buffers), *mine = NULL, *p;
  uint64_t *bytes = calloc(n, sizeof *bytes), mine_bytes;
  const uint32_t odd = n - 1;
  const eyot_tunit_t zero = {0}, root = {me == odd && n > 1 ? 1 : 0};
  const bool wrong_one = me == odd;
  CHECK(buffers != NULL && bytes != NULL);
  OK(eyot_own_alloc(100, &p));
  const int differ = n > 1 ? EYOT_EMISMATCH : EYOT_OK;
  expect("scatters of two roots",
         eyot_own_scatter(EYOT_TEAM_ALL, root, buffers, bytes, &mine, &mine_bytes), differ);
  expect("gathers of two roots", eyot_own_gather(EYOT_TEAM_ALL, root, &mine, 0, buffers, bytes),
         differ);
  expect("two functions",
         wrong_one && n > 1 ? eyot_own_alltoall(EYOT_TEAM_ALL, buffers, bytes)
                            : eyot_own_gather(EYOT_TEAM_ALL, zero, &mine, 0, buffers, bytes),
         differ);
  expect("a root without arrays",
         eyot_own_scatter(EYOT_TEAM_ALL, zero, me == 0 ? NULL : buffers, bytes, &mine, &mine_bytes),
         EYOT_EINVAL);
  expect("a root without a place",
         eyot_own_gather(EYOT_TEAM_ALL, zero, &mine, 0, buffers, me == 0 ? NULL : bytes),
         EYOT_EINVAL);
  expect(
      "a member without a place",
      eyot_own_scatter(EYOT_TEAM_ALL, zero, buffers, bytes, wrong_one ? NULL : &mine, &mine_bytes),
      EYOT_EINVAL);
  expect("a member without arrays",
         eyot_own_alltoall(EYOT_TEAM_ALL, wrong_one ? NULL : buffers, bytes), EYOT_EINVAL);
  void *give = wrong_one ? p : NULL;
  expect("a length beyond the buffer",
         eyot_own_gather(EYOT_TEAM_ALL, zero, &give, 5000, buffers, bytes), EYOT_ERANGE);
  CHECK(give == (wrong_one ? p : NULL));
  if (n > 2) { /* the second of two equal buffers cannot be given */
    if (me == 0) buffers[1] = buffers[2] = p;
    int rc = eyot_own_scatter(EYOT_TEAM_ALL, zero, buffers, bytes, &mine, &mine_bytes);
    expect("a buffer twice", rc, me == 0 ? EYOT_ESEG : me == 2 ? EYOT_EMISMATCH : EYOT_OK);
    if (me == 1) OK(eyot_own_free(&mine));
  }
  if (n <= 2 || me != 0) OK(eyot_own_free(&p));
  free(buffers);
  free(bytes);
  collectives(7);
}

static void wrong(void) {
  const eyot_tunit_t other = {(me + 1) % n}, before = {(me + n - 1) % n}, outside = {n};
  uint64_t bytes;
  eyot_msg_t h;
  void *p, *q, *none = NULL, *foreign = &bytes;
  expect("alloc of 0", eyot_own_alloc(0, &p), EYOT_EINVAL);
  expect("alloc to NULL", eyot_own_alloc(8, NULL), EYOT_EINVAL);
  expect("alloc of too much", eyot_own_alloc(UINT64_C(1) << 50, &p), EYOT_ENOMEM);
  expect("alloc of all", eyot_own_alloc(UINT64_MAX, &p), EYOT_ENOMEM);
  expect("free of NULL", eyot_own_free(NULL), EYOT_EINVAL);
  expect("free of nothing", eyot_own_free(&none), EYOT_OK);
  expect("free of what is no buffer", eyot_own_free(&foreign), EYOT_EINVAL);
  OK(eyot_own_alloc(100, &p));
  q = (char *)p + 64;
  expect("free of a middle", eyot_own_free(&q), EYOT_EINVAL);
  expect("bytes to NULL", eyot_own_bytes(p, NULL), EYOT_EINVAL);
  expect("give of too much", eyot_own_give(EYOT_TEAM_ALL, other, 1, &p, 5000), EYOT_ERANGE);
  expect("give to nobody", eyot_own_give(EYOT_TEAM_ALL, outside, 1, &p, 8), EYOT_EUNIT);
  expect("give with a tag below 0", eyot_own_give(EYOT_TEAM_ALL, other, -1, &p, 8), EYOT_EINVAL);
  expect("give of NULL", eyot_own_give(EYOT_TEAM_ALL, other, 1, NULL, 8), EYOT_EINVAL);
  expect("give of nothing", eyot_own_give(EYOT_TEAM_ALL, other, 1, &none, 8), EYOT_EINVAL);
  expect("no handle", eyot_own_give_nb(EYOT_TEAM_ALL, other, 1, &p, 8, NULL), EYOT_EINVAL);
  expect("take to NULL", eyot_own_take(EYOT_TEAM_ALL, other, 1, NULL, NULL), EYOT_EINVAL);
  expect("take_nb to NULL", eyot_own_take_nb(EYOT_TEAM_ALL, other, 1, NULL, &h), EYOT_EINVAL);
  CHECK(p != NULL); /* is the caller's still */
  q = p;
  expect("a give", eyot_own_give(EYOT_TEAM_ALL, other, 1, &p, 8), EYOT_OK);
  expect("a give of what was given", eyot_own_give(EYOT_TEAM_ALL, other, 1, &q, 8), EYOT_ESEG);
  expect("bytes of what was given", eyot_own_bytes(q, &bytes), EYOT_ESEG);
  expect("free of what was given", eyot_own_free(&q), EYOT_ESEG);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  expect("a take", eyot_own_take(EYOT_TEAM_ALL, before, 1, &p, NULL), EYOT_OK);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (n > 1) expect("free of another one's", eyot_own_free(&q), EYOT_ESEG);
  q = p;
  expect("a free", eyot_own_free(&p), EYOT_OK);
  expect("a second free", eyot_own_free(&q), EYOT_ESEG);
  OK(eyot_own_alloc(8, &p)); /* of the unit's own heap */
  q = p;
  expect("a free at home", eyot_own_free(&p), EYOT_OK);
  expect("a second free at home", eyot_own_free(&q), EYOT_ESEG);
  expect("no arrays", eyot_own_alltoall(EYOT_TEAM_ALL, NULL, &bytes), EYOT_EINVAL);
  expect("no place", eyot_own_scatter(EYOT_TEAM_ALL, other, &p, &bytes, NULL, &bytes), EYOT_EINVAL);
  expect("no buffer", eyot_own_gather(EYOT_TEAM_ALL, other, NULL, 8, &p, &bytes), EYOT_EINVAL);
  expect("no root", eyot_own_gather(EYOT_TEAM_ALL, outside, &p, 8, &p, &bytes), EYOT_EUNIT);
  wrong_collectives();
}

static void left(void) {
  (void)made(1, 8);
}

/* With a heap that holds a few buffers: each must come back to unit 0, or to the pool of who has
 * freed it. */
enum { TURNS = 200 };
static const uint64_t LARGE = UINT64_C(256) << 10;

static void received(void) {
  static char copy[1 << 18];
  for (uint32_t i = 0; i < TURNS; i++) {
    if (me == 0) {
      void *p = made(i, LARGE);
      OK(eyot_own_give(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 1, &p, LARGE));
    } else if (me == 1) {
      OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, copy, LARGE, NULL));
      verify_row(copy, i, LARGE);
    }
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
}

static void returns(void) {
  for (uint32_t i = 0; i < TURNS; i++) {
    for (uint32_t to = 1; to < n && me == 0; to++) {
      void *p = made(i, LARGE);
      OK(eyot_own_give(EYOT_TEAM_ALL, (eyot_tunit_t){to}, 1, &p, LARGE));
    }
    if (me > 0) {
      void *p;
      OK(eyot_own_take(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 1, &p, NULL));
      verify_row(p, i, LARGE);
      OK(eyot_own_free(&p));
    }
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
}

static const struct own_other OTHERS[] = {
    {"wrong", wrong}, {"received", received}, {"returns", returns}, {"left", left}};

int main(int argc, char **argv) {
  uint64_t rounds = OWN_BEGIN(OTHERS);
  for (uint64_t i = 0; i < rounds; i++) {
    pairs();
    around();
    collectives(shared_random + i);
    if (draw(&shared_random) % 2 == 0) OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  return finish();
}
