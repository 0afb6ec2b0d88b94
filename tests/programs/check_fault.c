/* SPDX-License-Identifier: BSD-3-Clause */
/* check_fault.c - the results of operations when units crash, are slow, or cannot be reached
 * (fabric.h, "Faults"): check_fault WAY. The faults come from EYOT_FAULT; see check_fault.cmake and
 * check_fault.sh. */

/*   every     units 1... post one operation of each kind to unit 0, which has crashed: each gets
 *             EPEERDOWN once, within the network's time to give up
 *   several   units 2... post to units 0 and 1, which have crashed: the flush of each returns an
 *             error, in any order, also long after the operations have ended
 *   sets      units 1... post in several operation sets to unit 0, which has crashed: the flush of
 *             each set, and no other, returns its error
 *   flight    unit 1 has operations under way to unit 0 when it crashes: each has taken effect or
 *             gets the error; no later one takes effect after one with an error
 *   alone     the others wait for a word that unit 0, which crashes, would have written: a
 *             time-out, no error
 *   forever   the same without time-out: a deadlock, whose report names the crash
 *   barrier   the others wait for it in a barrier: the same
 *   link      unit 0 puts to unit 1 and reads back, and prints how long that took, or the error
 *   work      each unit computes and meets the others, over and over; unit 0 prints the virtual
 *             time
 *   long      unit 0 computes once, for long, and prints the virtual time
 *   lost      unit 0 crashes with its signal; unit 1 waits for it without time-out, so that a
 *             lost signal is a deadlock
 *   ordered   unit 0 puts, orders, signals: whenever it crashes, unit 1 does not find the signal
 *             without the bytes
 *   leaks     like alone; each unit but the one that crashes loses a block (check_fault.cmake)
 *   token     for eyotcheck: a token is handed over in two steps, and if the holder crashes between
 *             them no unit has it
 *   token-ok  the same in one step, after which the new holder may get the hint or not */
#include <eyot/check.h>
#include <string.h>

#include "programs/api_check.h"

#define CRASH_NS 200000u     /* the crash that check_fault.cmake asks for */
#define GIVES_UP_NS 8500000u /* the network gives up after 8.389 ms */
#define WORDS 16u
#define LONG 12u /* words of a long transfer */
#define UNTOUCHED 77u
#define ROUNDS 50u
#define WORK_NS 20000u
#define LEAK_BYTES 4242u

struct run {
  eyot_gptr_t words; /* WORDS words of each unit */
  uint64_t *own;     /* the caller's words */
  uint32_t me, n;
};

static eyot_gptr_t word_of(const struct run *r, uint32_t unit, uint32_t i) {
  return eyot_gptr_add(eyot_gptr_at(r->words, (eyot_unit_t){unit % r->n}), (int64_t)i * 8);
}

static void is_down(int rc, uint64_t since_ns, const char *what) {
  if (rc != EYOT_EPEERDOWN)
    eyot_check_fail("%s to a crashed unit gave %s", what, eyot_strerror(rc));
  uint64_t took_ns = eyot_now_ns() - since_ns;
  if (took_ns > GIVES_UP_NS)
    eyot_check_fail("%s to a crashed unit took %llu ns", what, (unsigned long long)took_ns);
}

/* Waits until the crash has happened. The unit that will crash waits for it, too: no other unit
 * takes time. */
static void until_crash(const struct run *r) {
  CHECK(eyot_now_ns() < CRASH_NS);
  if (r->me == 0) (void)eyot_wait_until(word_of(r, 0, 0), EYOT_CMP_EQ, 1, NULL);
  CHECK(r->me != 0);
  OK(eyot_compute(CRASH_NS));
}

static void every(const struct run *r) {
  uint64_t some[LONG] = {1, 2, 3}, got[LONG], old = UNTOUCHED, now;
  until_crash(r);
  memset(got, UNTOUCHED, sizeof got);
  now = eyot_now_ns(), is_down(eyot_put(word_of(r, 0, 1), some, 8), now, "a put");
  now = eyot_now_ns(), is_down(eyot_put(word_of(r, 0, 1), some, sizeof some), now, "a long put");
  now = eyot_now_ns(), is_down(eyot_get(got, word_of(r, 0, 1), 8), now, "a get");
  now = eyot_now_ns(), is_down(eyot_get(got, word_of(r, 0, 1), sizeof got), now, "a long get");
  now = eyot_now_ns(), is_down(eyot_fetch_add_u64(word_of(r, 0, 1), 1, &old), now, "an atomic");
  now = eyot_now_ns(),
  is_down(eyot_put_signal(word_of(r, 0, 1), some, 8, word_of(r, 0, 2), EYOT_SIGNAL_SET, 1), now,
          "a put with signal");
  CHECK(old == UNTOUCHED && ((unsigned char *)got)[0] == UNTOUCHED &&
        ((unsigned char *)got)[sizeof got - 1] == UNTOUCHED);
  OK(eyot_flush_all(EYOT_REMOTE)); /* each operation has returned its error */
  eyot_handle_t h;
  OK(eyot_put_nb(word_of(r, 0, 1), some, 8, &h));
  now = eyot_now_ns(), is_down(eyot_wait(&h, EYOT_REMOTE), now, "a wait");
  OK(eyot_put_nbi(word_of(r, 0, 1), some, sizeof some));
  OK(eyot_put_nbi(word_of(r, 0, 3), some, 8));
  now = eyot_now_ns(), is_down(eyot_flush((eyot_unit_t){0}, EYOT_REMOTE), now, "a flush");
  OK(eyot_flush((eyot_unit_t){0}, EYOT_REMOTE)); /* once */
  bool done = false;
  OK(eyot_get_nb(got, word_of(r, 0, 1), 8, &h));
  now = eyot_now_ns();
  int rc = EYOT_OK;
  while (!done && rc == EYOT_OK) rc = eyot_test(&h, EYOT_REMOTE, &done);
  is_down(rc, now, "a test");
  /* the others are there */
  OK(eyot_put(word_of(r, r->me == r->n - 1 ? 1 : r->me + 1, 4), some, 8));
}

static void several(const struct run *r) {
  uint64_t some = 1;
  CHECK(r->n >= 4);
  if (r->me <= 1) (void)eyot_wait_until(word_of(r, r->me, 0), EYOT_CMP_EQ, 1, NULL);
  OK(eyot_compute(2 * CRASH_NS));
  for (uint32_t first = 0; first < 2; first++) {
    OK(eyot_put_nbi(word_of(r, 0, 1), &some, 8));
    OK(eyot_put_nbi(word_of(r, 1, 1), &some, 8));
    OK(eyot_compute(2 * GIVES_UP_NS));
    OK(eyot_put_nbi(word_of(r, r->me, 1), &some, 8));
    OK(eyot_flush((eyot_unit_t){r->me}, EYOT_LOCAL)); /* takes away what has ended */
    if (eyot_flush((eyot_unit_t){first}, EYOT_REMOTE) != EYOT_EPEERDOWN)
      eyot_check_fail("the flush of unit %u has no error of two units", first);
    if (eyot_flush((eyot_unit_t){1 - first}, EYOT_REMOTE) != EYOT_EPEERDOWN)
      eyot_check_fail("the flush of unit %u has no error after that of unit %u", 1 - first, first);
    OK(eyot_flush_all(EYOT_REMOTE));
  }
}

static void sets(const struct run *r) {
  static const eyot_strided_t shape = {8, 4, 16, 8};
  uint64_t some[LONG] = {1, 2, 3}, got = UNTOUCHED;
  eyot_gptr_t there = word_of(r, 0, 1);
  eyot_set_t a, b, c;
  until_crash(r);
  OK(eyot_set_create(&a));
  OK(eyot_set_create(&b));
  OK(eyot_set_create(&c));
  for (uint32_t round = 0; round < 4; round++) {
    OK(eyot_set_put(a, there, some, 8));
    OK(eyot_set_put_strided(b, there, some, &shape)); /* from a buffer of the library */
    if (round % 2 == 1) OK(eyot_compute(2 * GIVES_UP_NS));
    OK(eyot_set_put(c, word_of(r, r->me, 4), some, 8));
    OK(eyot_set_put_strided(c, word_of(r, r->me, 5), some, &shape));
    OK(eyot_set_flush_all(c, EYOT_REMOTE));
    OK(eyot_set_flush_all(EYOT_SET_DEFAULT, EYOT_REMOTE));
    uint64_t now = eyot_now_ns();
    is_down(eyot_set_flush_all(round < 2 ? a : b, EYOT_REMOTE), now, "a set's flush");
    OK(eyot_set_flush_all(round < 2 ? a : b, EYOT_REMOTE)); /* once */
    now = eyot_now_ns();
    is_down(eyot_set_flush(round < 2 ? b : a, (eyot_unit_t){0}, EYOT_REMOTE), now, "another's");
    OK(eyot_flush_all(EYOT_REMOTE));
  }
  OK(eyot_set_get(a, &got, there, 8));
  uint64_t now = eyot_now_ns();
  is_down(eyot_put_strided(there, some, &shape), now, "a strided put");
  OK(eyot_set_flush_all(b, EYOT_LOCAL));
  now = eyot_now_ns();
  is_down(eyot_set_flush_all(a, EYOT_LOCAL), now, "a local flush");
  CHECK(got == UNTOUCHED);
  OK(eyot_set_put(b, there, some, 8));
  OK(eyot_set_destroy(&a));
  is_down(eyot_set_destroy(&b), eyot_now_ns(), "destroy");
  OK(eyot_set_put(c, there, some, 8));
  is_down(eyot_flush_all(EYOT_REMOTE), eyot_now_ns(), "the flush of all");
  OK(eyot_set_destroy(&c));
}

/* Checks the result of one operation; after the first EPEERDOWN all others must fail, too. */
static bool told(int rc, bool *down, const char *what) {
  if (rc != EYOT_OK && rc != EYOT_EPEERDOWN) eyot_check_fail("%s gave %s", what, eyot_strerror(rc));
  if (*down && rc == EYOT_OK)
    eyot_check_fail("%s succeeded after an operation had found the unit down", what);
  *down |= rc != EYOT_OK;
  return rc == EYOT_OK;
}

/* Unit 1 passes words to unit 0 and reads them back. */
static void flight(const struct run *r) {
  uint64_t some[LONG] = {5, 6, 7}, got[LONG], old = UNTOUCHED;
  bool down = false;
  OK(eyot_compute(CRASH_NS));
  if (r->me == 0)
    for (uint32_t i = 0; i < 3; i++)
      (void)told(eyot_put(word_of(r, 1, 8 + i), some, 8), &down, "a put");
  if (r->me != 1) return;
  (void)told(eyot_put(word_of(r, 0, 0), some, sizeof some), &down, "the put");
  got[0] = UNTOUCHED;
  bool read = told(eyot_get(got, word_of(r, 0, 0), sizeof got), &down, "the get");
  if (read ? memcmp(got, some, sizeof got) != 0 : got[0] != UNTOUCHED)
    eyot_check_fail("the get has written %llu", (unsigned long long)got[0]);
  if (told(eyot_fetch_add_u64(word_of(r, 0, 0), 1, &old), &down, "the atomic") ? old != 5
                                                                               : old != UNTOUCHED)
    eyot_check_fail("the atomic gave %llu", (unsigned long long)old);
  OK(eyot_put_nbi(word_of(r, 0, 0), some, 8));
  (void)told(eyot_flush_all(EYOT_REMOTE), &down, "the flush");
  OK(eyot_flush_all(EYOT_REMOTE));
}

static void alone(const struct run *r) {
  until_crash(r);
  int rc = eyot_wait_until_timeout(word_of(r, r->me, 5), EYOT_CMP_EQ, 1, 1000, NULL);
  CHECK(rc == EYOT_ETIMEOUT);
}

static void leaks(const struct run *r) {
  static uint64_t *lost_block;
  lost_block = malloc(LEAK_BYTES);
  CHECK(lost_block != NULL);
  *lost_block = r->me;
  if (r->me != 0) lost_block = NULL;
  alone(r);
}

static void forever(const struct run *r) {
  uint64_t one = 1;
  if (r->me == 0)
    for (uint32_t i = 1; i < r->n; i++)
      OK(eyot_put_signal(word_of(r, i, 0), NULL, 0, word_of(r, i, 0), EYOT_SIGNAL_SET, one));
  until_crash(r);
  OK(eyot_wait_until(word_of(r, r->me, 0), EYOT_CMP_EQ, 2, NULL));
}

static void meet(const struct run *r) {
  until_crash(r);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* Prints the result of an exchange over the link. */
static void link_of(const struct run *r) {
  uint64_t value = 9, got = 0;
  OK(eyot_compute(CRASH_NS));
  if (r->me != 0) return;
  uint64_t now = eyot_now_ns();
  int rc = eyot_put(word_of(r, 1, 1), &value, 8);
  int back = eyot_get(&got, word_of(r, 1, 1), 8);
  uint64_t took_ns = eyot_now_ns() - now;
  CHECK(rc == EYOT_OK ? got == 9 : back != EYOT_OK || got == 0);
  printf("put %s, get %s, %s\n", eyot_errname(rc), eyot_errname(back),
         took_ns < 100000        ? "fast"
         : took_ns < GIVES_UP_NS ? "late"
                                 : "given up");
}

static void work(const struct run *r) {
  uint64_t now = eyot_now_ns();
  for (uint32_t i = 0; i < ROUNDS; i++) {
    OK(eyot_compute(WORK_NS));
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  if (r->me == 0) printf("%llu\n", (unsigned long long)((eyot_now_ns() - now) / 1000));
}

static void once_long(const struct run *r) {
  uint64_t now = eyot_now_ns();
  if (r->me != 0) return;
  OK(eyot_compute(500 * WORK_NS));
  printf("%llu\n", (unsigned long long)((eyot_now_ns() - now) / 1000));
}

static void lost(const struct run *r) {
  eyot_gptr_t word = word_of(r, 1, 2);
  if (r->me == 0) (void)eyot_put_signal(word, NULL, 0, word, EYOT_SIGNAL_SET, 1);
  if (r->me == 1) OK(eyot_wait_until(word_of(r, 1, 2), EYOT_CMP_EQ, 1, NULL));
}

static void ordered(const struct run *r) {
  uint64_t one = 1;
  if (r->me == 0) {
    OK(eyot_put_nbi(word_of(r, 1, 2), &one, 8));
    OK(eyot_order((eyot_unit_t){1}));
    OK(eyot_put_signal_nbi(word_of(r, 1, 3), NULL, 0, word_of(r, 1, 3), EYOT_SIGNAL_SET, 1));
    (void)eyot_flush_all(EYOT_REMOTE);
  } else if (r->me == 1 &&
             eyot_wait_until_timeout(word_of(r, 1, 3), EYOT_CMP_EQ, 1, 1000, NULL) == EYOT_OK) {
    CHECK(eyot_cpu_load(&r->own[2]) == 1);
    eyot_check_outcome("both");
  }
}

/* Unit 2 records which unit has the token: unit + 1, or 0 for none. Unit 0 has it and hands it to
 * unit 1, which takes it when it gets no hint in time. */
static void token(const struct run *r, bool wrong) {
  eyot_gptr_t record = word_of(r, 2, 0), hint = word_of(r, 1, 1);
  uint64_t old;
  CHECK(r->n >= 3);
  if (r->me == 0) {
    /* unit 2 has crashed, or unit 1 has taken it */
    if (eyot_cas_u64(record, 1, wrong ? 0 : 2, &old) != EYOT_OK || old != 1) return;
    (void)eyot_put_signal(hint, NULL, 0, hint, EYOT_SIGNAL_SET, 1);
  } else if (r->me == 1) {
    bool told = eyot_wait_until_timeout(hint, EYOT_CMP_EQ, 1, 1000, NULL) == EYOT_OK;
    int rc = told ? EYOT_OK : eyot_cas_u64(record, 1, 2, &old);
    eyot_check_outcome("unit 1: %s", told            ? "told"
                                     : rc != EYOT_OK ? eyot_errname(rc)
                                     : old == 1      ? "took it"
                                     : old == 2      ? "has it"
                                                     : "waits");
    if (told || rc != EYOT_OK || old != 0) return;
    /* the token is being handed over, so that the hint must come */
    OK(eyot_wait_until(hint, EYOT_CMP_EQ, 1, NULL));
  }
}

static const struct {
  const char *name;
  void (*body)(const struct run *r);
} WAYS[] = {{"every", every},     {"flight", flight},   {"alone", alone},     {"leaks", leaks},
            {"forever", forever}, {"barrier", meet},    {"link", link_of},    {"work", work},
            {"lost", lost},       {"ordered", ordered}, {"several", several}, {"long", once_long},
            {"sets", sets}};

static void go(const struct run *r, const char *way) {
  if (strncmp(way, "token", 5) == 0) {
    token(r, way[5] == '\0');
    return;
  }
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++)
    if (strcmp(way, WAYS[i].name) == 0) WAYS[i].body(r);
}

int main(int argc, char **argv) {
  struct run r;
  void *own;
  OK(eyot_init(&argc, &argv));
  r.me = eyot_me().id;
  r.n = eyot_size();
  CHECK(argc == 2 && r.n >= 2);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * sizeof(uint64_t), &r.words));
  OK(eyot_gptr_addr(word_of(&r, r.me, 0), &own));
  r.own = own;
  memset(r.own, 0, WORDS * sizeof(uint64_t));
  r.own[0] = r.me == 2;
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_check_begin());
  go(&r, argv[1]);
  OK(eyot_check_end());
  int rc = eyot_finalize(); /* it may also return the error of another unit's crash */
  return rc == EYOT_OK || rc == EYOT_EPEERDOWN ? 0 : 1;
}
