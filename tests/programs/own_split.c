/* SPDX-License-Identifier: BSD-3-Clause */
/* own_split.c - buffers that are split into parts with owners of their own: own_split [ROUNDS]
 * [SEED], or own_split WHAT.
 *
 * In each round each member splits a buffer into parts of drawn lengths, some of them once more,
 * and gives, lends, sends, frees or keeps each; all members draw the same, so a member knows what
 * comes. What was taken is changed, or freed, in any order. many: more parts than tables begin
 * with; scatter: the root splits what it has packed; returns, records: with a small heap, memory
 * comes back when the last part is freed, whoever frees it; wrong: mistakes and their errors, with
 * EYOT_ERRORS=return; gone: a part is used after it was given. */
#include "programs/own_random.h"

#define PARTS 12u /* of a member and round */
#define MOST 64u  /* members */
static const uint64_t LENGTHS[] = {1, 7, 64, 100, 256, 300, 5000};
#define N_LENGTHS (sizeof LENGTHS / sizeof LENGTHS[0])

/* -- parts that all members have drawn --------------------------------------------------------- */

enum what { GIVE, LEND, SEND, FREE, KEEP, WHATS };
struct part {
  uint32_t from, to;
  enum what what;
  uint64_t key, bytes;
};

static struct part draw_part(uint32_t from) {
  uint64_t r = draw(&shared_random);
  return (struct part){.from = from,
                       .to = (from + (uint32_t)(r % 4)) % n,
                       .what = (enum what)(r / 4 % WHATS),
                       .key = r >> 32,
                       .bytes = LENGTHS[r / 64 % N_LENGTHS]};
}

/* -- what a member owns ------------------------------------------------------------------------ */

struct kept {
  void *p;
  uint64_t key, bytes;
};
static struct kept kept[4 * MOST * PARTS];
static uint32_t n_kept;

static void keep(void *p, uint64_t key, uint64_t bytes) {
  CHECK(n_kept < sizeof kept / sizeof kept[0]);
  verify_row(p, key, bytes);
  fill_row(p, key + 1, bytes);
  kept[n_kept++] = (struct kept){p, key + 1, bytes};
}

static void free_one(void) {
  uint32_t i = (uint32_t)(draw(&own_random) % n_kept);
  struct kept x = kept[i];
  kept[i] = kept[--n_kept];
  verify_row(x.p, x.key, x.bytes);
  OK(eyot_own_free(&x.p));
  CHECK(x.p == NULL);
}

/* Two parts of one that are freed apart. */
static void keep_halves(void *p, uint64_t key, uint64_t bytes) {
  uint64_t half[2] = {bytes / 2, bytes - bytes / 2};
  void *parts[2];
  OK(eyot_own_split(&p, 2, half, parts));
  CHECK(p == NULL && (char *)parts[1] == (char *)parts[0] + half[0]);
  verify_row(parts[0], key, half[0]);
  for (uint64_t i = 0; i < half[1]; i++)
    CHECK(((unsigned char *)parts[1])[i] == byte(key, half[0] + i));
  fill_row(parts[1], key + 9, half[1]);
  keep(parts[1], key + 9, half[1]);
  keep(parts[0], key, half[0]);
}

static void accept(const struct part *x) {
  const eyot_tunit_t from = tunit(x->from);
  const void *lent;
  void *p;
  char copy[5000];
  switch (draw(&own_random) % 3) {
    case 0:
      OK(eyot_own_take(EYOT_TEAM_ALL, from, 1, &p, NULL));
      if (x->bytes > 1 && draw(&own_random) % 2 == 0)
        keep_halves(p, x->key, x->bytes);
      else
        keep(p, x->key, x->bytes);
      break;
    case 1:
      OK(eyot_own_borrow(EYOT_TEAM_ALL, from, 1, &lent, NULL));
      verify_row(lent, x->key, x->bytes);
      OK(eyot_own_return(&lent));
      break;
    default:
      OK(eyot_recv(EYOT_TEAM_ALL, from, 1, copy, x->bytes, NULL));
      verify_row(copy, x->key, x->bytes);
  }
  while (n_kept > 0 && draw(&own_random) % 2 == 0) free_one();
}

/* -- rounds ------------------------------------------------------------------------------------ */

/* Splits a buffer as all have drawn. */
static void split(const struct part *x, void **parts) {
  uint64_t bytes[PARTS], all = 0, space;
  void *p;
  for (uint32_t i = 0; i < PARTS; i++) all += bytes[i] = x[i].bytes;
  OK(eyot_own_alloc(all, &p));
  char *at = p;
  for (uint32_t i = 0; i < PARTS; at += bytes[i++]) fill_row(at, x[i].key, bytes[i]);
  at = p;
  OK(eyot_own_split(&p, PARTS, bytes, parts));
  CHECK(p == NULL);
  for (uint32_t i = 0; i < PARTS; at += bytes[i++]) {
    OK(eyot_own_bytes(parts[i], &space));
    CHECK(parts[i] == at && space == bytes[i]);
  }
}

static void post(const struct part *x, void **p, eyot_msg_t *h) {
  const eyot_tunit_t to = tunit(x->to);
  *h = EYOT_MSG_DONE;
  if (x->what == GIVE) {
    OK(eyot_own_give_nb(EYOT_TEAM_ALL, to, 1, p, x->bytes, h));
    CHECK(*p == NULL);
  } else if (x->what == LEND) {
    OK(eyot_own_lend(EYOT_TEAM_ALL, &to, 1, 1, *p, x->bytes, h));
  } else if (x->what == SEND) {
    OK(eyot_send_nb(EYOT_TEAM_ALL, to, 1, *p, x->bytes, h));
  } else if (x->what == FREE) {
    OK(eyot_own_free(p));
  }
}

static void rounds_one(void) {
  static struct part all[MOST][PARTS];
  void *parts[PARTS];
  eyot_msg_t h[PARTS];
  for (uint32_t u = 0; u < n; u++)
    for (uint32_t i = 0; i < PARTS; i++) all[u][i] = draw_part(u);
  split(all[me], parts);
  for (uint32_t i = 0; i < PARTS; i++) post(&all[me][i], &parts[i], &h[i]);
  for (uint32_t u = 0; u < n; u++)
    for (uint32_t i = 0; i < PARTS; i++)
      if (all[u][i].to == me && all[u][i].what <= SEND) accept(&all[u][i]);
  OK(eyot_msg_wait_all(h, PARTS, NULL));
  for (uint32_t i = 0; i < PARTS; i++)
    if (parts[i] != NULL) keep(parts[i], all[me][i].key, all[me][i].bytes);
  while (n_kept > 0 && draw(&own_random) % 8 != 0) free_one();
}

/* -- others ------------------------------------------------------------------------------------ */

static void many(void) {
  enum { MANY = 1000 };
  static uint64_t bytes[MANY];
  static void *parts[MANY];
  void *p;
  uint64_t all = 0;
  for (uint32_t i = 0; i < MANY; i++) all += bytes[i] = 1 + i % 9;
  OK(eyot_own_alloc(all, &p));
  OK(eyot_own_split(&p, MANY, bytes, parts));
  for (uint32_t i = 0; i < MANY; i++) fill_row(parts[i], i, bytes[i]);
  for (uint32_t i = 0; i < MANY; i++) {
    uint32_t k = i * 7 % MANY;
    verify_row(parts[k], k, bytes[k]);
    OK(eyot_own_free(&parts[k]));
  }
}

/* The root packs one buffer for all, and gathers what they have made of it. */
static void scatter(void) {
  static uint64_t bytes[MOST];
  static void *parts[MOST];
  void *p, *mine;
  uint64_t mine_bytes, all = 0;
  for (uint32_t root = 0; root < n; root++) {
    for (uint32_t i = 0; i < n; i++) all += bytes[i] = 100 + 30 * i;
    if (me == root) {
      OK(eyot_own_alloc(all, &p));
      OK(eyot_own_split(&p, n, bytes, parts));
      for (uint32_t i = 0; i < n; i++) fill_row(parts[i], i, bytes[i]);
    }
    OK(eyot_own_scatter(EYOT_TEAM_ALL, tunit(root), parts, bytes, &mine, &mine_bytes));
    CHECK(mine_bytes == 100 + 30 * me);
    verify_row(mine, me, mine_bytes);
    fill_row(mine, me + root, mine_bytes);
    OK(eyot_own_gather(EYOT_TEAM_ALL, tunit(root), &mine, mine_bytes, parts, bytes));
    for (uint32_t i = 0; i < n && me == root; i++) {
      verify_row(parts[i], i + root, bytes[i]);
      OK(eyot_own_free(&parts[i]));
    }
  }
}

/* With a heap that holds a few: unit 0 gives all parts, keeps one, or frees the last one. */
static void returns(void) {
  enum { TURNS = 100, PIECE = 100000 };
  for (uint32_t i = 0; i < TURNS; i++) {
    static uint64_t bytes[MOST + 1];
    static void *parts[MOST + 1];
    void *p;
    for (uint32_t k = 0; k <= n; k++) bytes[k] = PIECE;
    if (me == 0) {
      OK(eyot_own_alloc((n + 1) * (uint64_t)PIECE, &p));
      OK(eyot_own_split(&p, n + 1, bytes, parts));
      for (uint32_t k = 1; k < n; k++) {
        fill_row(parts[k], k + i, PIECE);
        OK(eyot_own_give(EYOT_TEAM_ALL, tunit(k), 1, &parts[k], PIECE));
      }
      OK(eyot_own_free(&parts[0]));
      if (i % 2 == 0) OK(eyot_barrier(EYOT_TEAM_ALL));
      OK(eyot_own_free(&parts[n]));
    } else {
      OK(eyot_own_take(EYOT_TEAM_ALL, tunit(0), 1, &p, NULL));
      verify_row(p, me + i, PIECE);
      OK(eyot_own_free(&p));
      if (i % 2 == 0) OK(eyot_barrier(EYOT_TEAM_ALL));
    }
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
}

/* The records of splits come back too: here they are longer than what was split. */
static void records(void) {
  enum { TURNS = 400, MANY = 500 };
  static uint64_t bytes[MANY];
  static void *parts[MANY];
  void *p;
  for (uint32_t i = 0; i < MANY; i++) bytes[i] = 1;
  for (uint32_t i = 0; i < TURNS; i++) {
    OK(eyot_own_alloc(MANY, &p));
    OK(eyot_own_split(&p, MANY, bytes, parts));
    for (uint32_t k = 0; k < MANY; k++) OK(eyot_own_free(&parts[k]));
  }
}

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "own_split: unit %u: %s: %s, expected %s\n", me, what, eyot_strerror(rc),
          eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static void wrong(void) {
  const eyot_tunit_t other = tunit((me + 1) % n), before = tunit((me + n - 1) % n);
  const uint64_t zero[] = {8, 0}, far[] = {900, UINT64_MAX}, two[] = {500, 501}, odd[] = {3, 61};
  uint64_t space;
  const void *lent;
  void *p, *q, *parts[2], *none = NULL;
  eyot_msg_t h;
  OK(eyot_own_alloc(1024, &p));
  expect("p NULL", eyot_own_split(NULL, 2, two, parts), EYOT_EINVAL);
  expect("*p NULL", eyot_own_split(&none, 2, two, parts), EYOT_EINVAL);
  expect("no parts", eyot_own_split(&p, 0, two, parts), EYOT_EINVAL);
  expect("bytes NULL", eyot_own_split(&p, 2, NULL, parts), EYOT_EINVAL);
  expect("parts NULL", eyot_own_split(&p, 2, two, NULL), EYOT_EINVAL);
  expect("a part of 0", eyot_own_split(&p, 2, zero, parts), EYOT_EINVAL);
  expect("too long", eyot_own_split(&p, 2, far, parts), EYOT_ERANGE);
  OK(eyot_own_lend(EYOT_TEAM_ALL, &other, 1, 1, p, 8, &h));
  expect("split of what is lent", eyot_own_split(&p, 2, two, parts), EYOT_EBUSY);
  OK(eyot_own_borrow(EYOT_TEAM_ALL, before, 1, &lent, NULL));
  OK(eyot_own_return(&lent));
  OK(eyot_msg_wait(&h, NULL));
  q = p;
  expect("split", eyot_own_split(&p, 2, two, parts), EYOT_OK);
  CHECK(p == NULL && parts[0] == q);
  expect("give of too much", eyot_own_give(EYOT_TEAM_ALL, other, 1, &parts[1], 502), EYOT_ERANGE);
  expect("free of a part", eyot_own_free(&parts[0]), EYOT_OK);
  expect("free of what was freed", eyot_own_free(&q), EYOT_ESEG);
  p = parts[1];
  q = (char *)p + 1;
  expect("free of a middle", eyot_own_free(&q), EYOT_EINVAL);
  expect("split of a part", eyot_own_split(&parts[1], 2, odd, parts), EYOT_OK);
  q = parts[1];
  expect("bytes of a part", eyot_own_bytes(q, &space), EYOT_OK);
  CHECK(space == 61);
  expect("give of a part", eyot_own_give(EYOT_TEAM_ALL, other, 1, &parts[1], 61), EYOT_OK);
  expect("bytes of what was given", eyot_own_bytes(q, &space), EYOT_ESEG);
  expect("free of the rest", eyot_own_free(&parts[0]), EYOT_OK);
  OK(eyot_own_take(EYOT_TEAM_ALL, before, 1, &q, NULL));
  expect("free of the last", eyot_own_free(&q), EYOT_OK);
}

/* Unit 0 uses a part that it has given away. */
static void gone(void) {
  const uint64_t two[] = {500, 500};
  void *p, *q, *parts[2];
  if (me == 1) {
    OK(eyot_own_take(EYOT_TEAM_ALL, tunit(0), 1, &p, NULL));
    OK(eyot_own_free(&p));
  }
  if (me != 0) return;
  OK(eyot_own_alloc(1000, &p));
  OK(eyot_own_split(&p, 2, two, parts));
  q = parts[1];
  OK(eyot_own_give(EYOT_TEAM_ALL, tunit(1), 1, &parts[1], 500));
  CHECK(eyot_own_free(&q) == EYOT_ESEG);
  OK(eyot_own_free(&parts[0]));
}

static const struct own_other OTHERS[] = {{"many", many},       {"scatter", scatter},
                                          {"returns", returns}, {"records", records},
                                          {"wrong", wrong},     {"gone", gone}};

int main(int argc, char **argv) {
  uint64_t rounds = OWN_BEGIN(OTHERS);
  CHECK(n <= MOST);
  if (rounds == 0) return finish();
  for (uint64_t i = 0; i < rounds; i++) rounds_one();
  while (n_kept > 0) free_one();
  return finish();
}
