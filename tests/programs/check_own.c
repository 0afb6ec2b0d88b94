/* SPDX-License-Identifier: BSD-3-Clause */
/* check_own.c - small programs for eyotcheck: buffers whose ownership passes.
 * check_own WHAT [count=N], of 2 to 4 units; what each does stands before its function. Wrong are
 * write, read, part, lender and borrower: accesses to what was given, lent or borrowed; given and
 * passed_on: gives of what is lent, or borrowed; not_...: the same, which expect the errors. */
#include <string.h>

#include "programs/api_check.h"

#define MOST 4u

static uint32_t me, n;
static uint64_t count = 2;

static eyot_tunit_t tunit(uint32_t id) {
  return (eyot_tunit_t){id};
}
static uint64_t *made(uint64_t value) {
  uint64_t *p;
  OK(eyot_own_alloc(600, (void **)&p));
  p[0] = value;
  p[74] = ~value;
  return p;
}
/* 600 bytes: more than what travels with an envelope. */
static void give(uint32_t to, uint64_t *p) {
  OK(eyot_own_give(EYOT_TEAM_ALL, tunit(to), 1, (void **)&p, 600));
}
static uint64_t *take(uint32_t from) {
  uint64_t *p;
  eyot_msg_status_t s;
  eyot_tunit_t unit = from == UINT32_MAX ? EYOT_ANY_UNIT : tunit(from);
  OK(eyot_own_take(EYOT_TEAM_ALL, unit, 1, (void **)&p, &s));
  EXPECT(s.bytes == 600 && p[74] == ~p[0]);
  return p;
}
/* Unit 0 uses its old pointer while unit 1, which has taken the buffer, writes it. */
static void after_give(eyot_touch_t how) {
  uint64_t *p = me == 0 ? made(1) : NULL;
  if (me == 0) give(1, p);
  if (me == 1) p = take(0);
  OK(eyot_touch(p, 8, me == 0 ? how : EYOT_TOUCH_WRITE));
  if (me == 1) OK(eyot_own_free((void **)&p));
}
static void after_write(void) {
  after_give(EYOT_TOUCH_WRITE);
}
static void after_read(void) {
  after_give(EYOT_TOUCH_READ);
}

static void drop(uint64_t *p) {
  OK(eyot_own_free((void **)&p));
}

/* Unit 0 gives a buffer to unit 1, which changes it and gives it back. */
static void pass(void) {
  for (uint64_t i = 0; i < count; i++) {
    if (me == 0) {
      uint64_t *p = made(10 * i);
      give(1, p);
      p = take(1);
      EXPECT(p[0] == 10 * i + 1);
      drop(p);
    } else if (me == 1) {
      uint64_t *p = take(0);
      EXPECT(p[0] == 10 * i);
      p[0]++;
      p[74] = ~p[0];
      give(0, p);
    }
  }
}

/* Units 1 and 2 give to unit 0, which takes from any. */
static void wild(void) {
  if (me != 0) {
    give(0, made(me));
    return;
  }
  uint64_t *a = take(UINT32_MAX), *b = take(UINT32_MAX);
  EXPECT(a != b && a[0] + b[0] == 3);
  eyot_check_outcome("first %u", (unsigned)a[0]);
  drop(a);
  drop(b);
}

/* A give is received, and a send is taken, in the order of the sends. */
static void mixed(void) {
  uint64_t got[75] = {0};
  for (uint64_t i = 0; i < count; i++) {
    if (me == 0) {
      uint64_t *p = made(i);
      give(1, p);
      p = made(100 + i);
      OK(eyot_send(EYOT_TEAM_ALL, tunit(1), 1, p, 600));
      drop(p);
    } else if (me == 1) {
      OK(eyot_recv(EYOT_TEAM_ALL, tunit(0), 1, got, sizeof got, NULL));
      EXPECT(got[0] == i && got[74] == ~i);
      uint64_t *p = take(0);
      EXPECT(p[0] == 100 + i);
      drop(p);
    }
  }
}

/* Unit 1 frees what unit 0 gives it, while that one allocates more. */
static void home(void) {
  uint64_t *kept[MOST] = {NULL};
  for (uint64_t i = 0; i < count; i++) {
    if (me == 0) {
      give(1, made(50 + i));
      kept[i % MOST] = made(i);
    } else if (me == 1) {
      uint64_t *p = take(0);
      EXPECT(p[0] == 50 + i);
      drop(p);
    }
  }
  for (uint64_t i = 0; i < count && i < MOST && me == 0; i++) {
    EXPECT(kept[i][0] == i && kept[i][74] == ~i);
    drop(kept[i]);
  }
}

/* Two units give to each other at the same time, and free what they got. */
static void both(void) {
  for (uint64_t i = 0; i < count && me < 2; i++) {
    give(1 - me, made(100 * me + i));
    uint64_t *p = take(1 - me);
    EXPECT(p[0] == 100 * (1 - me) + i);
    drop(p);
  }
}

/* A take is cancelled while a give is on its way: two outcomes. */
static void cancel(void) {
  eyot_msg_t h;
  uint64_t *p = NULL;
  bool cancelled;
  if (me == 1) give(0, made(7));
  if (me != 0) return;
  OK(eyot_own_take_nb(EYOT_TEAM_ALL, tunit(1), 1, (void **)&p, &h));
  OK(eyot_progress());
  OK(eyot_msg_cancel(&h, &cancelled));
  eyot_check_outcome(cancelled ? "cancelled" : "matched");
  if (cancelled)
    p = take(1);
  else
    OK(eyot_msg_wait(&h, NULL));
  EXPECT(p[0] == 7 && p[74] == ~UINT64_C(7));
  drop(p);
}

/* A take that is posted goes on in a barrier. */
static void posted(void) {
  eyot_msg_t h = EYOT_MSG_DONE;
  uint64_t *p = NULL;
  if (me == 0) OK(eyot_own_take_nb(EYOT_TEAM_ALL, tunit(1), 1, (void **)&p, &h));
  if (me == 1) give(0, made(7));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_msg_wait(&h, NULL));
  if (me != 0) return;
  EXPECT(p != NULL && p[0] == 7);
  drop(p);
}

/* Each gives to each. */
static void all(void) {
  void *buffers[MOST];
  uint64_t bytes[MOST];
  for (uint64_t k = 0; k < count; k++) {
    for (uint32_t i = 0; i < n; i++) buffers[i] = made(1000 * k + 10 * me + i), bytes[i] = 600;
    OK(eyot_own_alltoall(EYOT_TEAM_ALL, buffers, bytes));
    for (uint32_t i = 0; i < n; i++) {
      EXPECT(*(uint64_t *)buffers[i] == 1000 * k + 10 * i + me);
      drop(buffers[i]);
    }
  }
}

/* -- loans ------------------------------------------------------------------------------------- */

static void lend(const uint64_t *p, eyot_msg_t *h) {
  const eyot_tunit_t readers[MOST] = {{1}, {2}, {3}};
  OK(eyot_own_lend(EYOT_TEAM_ALL, readers, n - 1, 1, p, 600, h));
}
static const uint64_t *borrow(void) {
  const uint64_t *p;
  eyot_msg_status_t s;
  OK(eyot_own_borrow(EYOT_TEAM_ALL, tunit(0), 1, (const void **)&p, &s));
  OK(eyot_touch(p, 600, EYOT_TOUCH_READ));
  EXPECT(s.bytes == 600 && p[74] == ~p[0]);
  return p;
}
static void back(const uint64_t *p) {
  OK(eyot_own_return((const void **)&p));
}
static void change(uint64_t *p, uint64_t value) {
  OK(eyot_touch(p, 600, EYOT_TOUCH_WRITE));
  p[0] = value;
  p[74] = ~value;
}

/* Unit 0 lends a buffer to all others, reads it, and changes it when it is back. */
static void lend_all(void) {
  uint64_t *p = me == 0 ? made(7) : NULL;
  for (uint64_t i = 0; i < count; i++) {
    eyot_msg_t h;
    if (me == 0) {
      change(p, i);
      lend(p, &h);
      OK(eyot_touch(p, 600, EYOT_TOUCH_READ));
      EXPECT(p[0] == i);
      OK(eyot_msg_wait(&h, NULL));
    } else {
      const uint64_t *b = borrow();
      EXPECT(b[0] == i);
      back(b);
    }
  }
  if (me == 0) drop(p);
}

/* Unit 0 lends a buffer to all others, who change copies while it changes its own. */
static void clones(void) {
  uint64_t *p = me == 0 ? made(5) : NULL;
  for (uint64_t i = 0; i < count; i++) {
    eyot_msg_t h;
    if (me == 0) {
      lend(p, &h);
      OK(eyot_msg_wait(&h, NULL));
      change(p, 6 + i);
      continue;
    }
    const uint64_t *b = borrow();
    uint64_t *own;
    OK(eyot_own_clone((const void **)&b, (void **)&own));
    EXPECT(b == NULL && own[0] == 5 + i && own[74] == ~own[0]);
    change(own, 90);
    drop(own);
  }
  if (me == 0) drop(p);
}

/* Two loans of a buffer, each of which all others answer in another way. */
static void copies(void) {
  uint64_t got[75] = {0};
  eyot_msg_t h[2];
  if (me == 0) {
    uint64_t *p = made(9);
    for (int i = 0; i < 2; i++) lend(p, &h[i]);
    OK(eyot_msg_wait(&h[1], NULL));
    OK(eyot_msg_wait(&h[0], NULL));
    change(p, 10);
    drop(p);
    return;
  }
  if (me == 1) {
    uint64_t *p = take(0);
    change(p, 11);
    OK(eyot_recv(EYOT_TEAM_ALL, tunit(0), 1, got, sizeof got, NULL));
    EXPECT(got[0] == 9 && got[74] == ~UINT64_C(9));
    drop(p);
    return;
  }
  const uint64_t *a = borrow(), *b = borrow();
  EXPECT(a[0] == 9 && b[0] == 9);
  back(a);
  back(b);
}

/* A unit writes what unit 0 has lent to all others. */
static void lent_write(uint32_t writer) {
  uint64_t *p = me == 0 ? made(9) : NULL;
  eyot_msg_t h;
  if (me == 0) {
    lend(p, &h);
    if (writer == 0) change(p, 1);
    OK(eyot_msg_wait(&h, NULL));
    drop(p);
  } else {
    const uint64_t *b;
    OK(eyot_own_borrow(EYOT_TEAM_ALL, tunit(0), 1, (const void **)&b, NULL));
    if (writer == me) OK(eyot_touch(b, 8, EYOT_TOUCH_WRITE));
    back(b);
  }
}
static void lender(void) {
  lent_write(0);
}
static void borrower(void) {
  lent_write(1);
}

/* A unit gives, to another one, what unit 0 has lent to all others. The give must fail with the
 * code, and all have the buffer as before; expected EYOT_OK: it ends the run. */
static void lent_give(uint32_t giver, int expected) {
  uint64_t *p = me == 0 ? made(9) : NULL;
  const uint64_t *b = NULL;
  eyot_msg_t h = EYOT_MSG_DONE;
  if (me == 0)
    lend(p, &h);
  else
    b = borrow();
  if (giver == me) {
    void *at = me == 0 ? (void *)p : (void *)(uintptr_t)b;
    const void *was = at;
    int rc = eyot_own_give(EYOT_TEAM_ALL, tunit(me == 0 ? 1 : 0), 1, &at, 600);
    if (expected == EYOT_OK) OK(rc);
    EXPECT(rc == expected && at == was);
  }
  if (me != 0) EXPECT(b[0] == 9 && b[74] == ~UINT64_C(9));
  if (me != 0) back(b);
  OK(eyot_msg_wait(&h, NULL));
  if (me == 0) EXPECT(p[0] == 9 && p[74] == ~UINT64_C(9));
  if (me == 0) drop(p);
}
static void given(void) {
  lent_give(0, EYOT_OK);
}
static void passed_on(void) {
  lent_give(1, EYOT_OK);
}
static void not_given(void) {
  lent_give(0, EYOT_EBUSY);
}
static void not_passed_on(void) {
  lent_give(1, EYOT_ESEG);
}

/* -- parts ------------------------------------------------------------------------------------- */

/* 300 and 300 bytes of a buffer. */
static void halve(uint64_t *p, void **parts) {
  const uint64_t bytes[] = {304, 296};
  OK(eyot_own_split((void **)&p, 2, bytes, parts));
  EXPECT(p == NULL);
}

static void part_write(void *p, uint64_t value) {
  OK(eyot_touch(p, 296, EYOT_TOUCH_WRITE));
  *(uint64_t *)p = value;
}

/* Units 0 and 1 write a part each, and free it; whoever is the last can use the whole again. */
static void split(void) {
  for (uint64_t i = 0; i < count && me < 2; i++) {
    void *parts[2];
    if (me == 0) {
      halve(made(i), parts);
      OK(eyot_own_give(EYOT_TEAM_ALL, tunit(1), 1, &parts[1], 296));
    } else {
      OK(eyot_own_take(EYOT_TEAM_ALL, tunit(0), 1, &parts[0], NULL));
    }
    part_write(parts[0], 77 + me);
    EXPECT(*(uint64_t *)parts[0] == 77 + me);
    OK(eyot_own_free(&parts[0]));
    uint64_t *p = made(50 + me);
    change(p, 60 + me);
    EXPECT(p[0] == 60 + me);
    drop(p);
  }
}

/* Unit 0 writes a part that it has given away. */
static void part(void) {
  void *parts[2];
  if (me == 0) {
    halve(made(1), parts);
    void *gone = parts[1];
    OK(eyot_own_give(EYOT_TEAM_ALL, tunit(1), 1, &parts[1], 296));
    part_write(gone, 2);
    OK(eyot_own_free(&parts[0]));
  } else if (me == 1) {
    OK(eyot_own_take(EYOT_TEAM_ALL, tunit(0), 1, &parts[0], NULL));
    part_write(parts[0], 3);
    OK(eyot_own_free(&parts[0]));
  }
}

/* -- layouts ----------------------------------------------------------------------------------- */

/* Unit 0 gives blocks at a stride twice; unit 1 takes them by the same layout, and by another one.
 */
static void layout(void) {
  const eyot_own_layout_t strided = {5, 8, 120, NULL}, dense = {5, 8, 16, NULL};
  for (uint64_t i = 0; i < 2 * count && me < 2; i++) {
    const eyot_own_layout_t *l = me == 0 || i % 2 == 0 ? &strided : &dense;
    uint64_t *p = me == 0 ? made(i) : NULL;
    if (me == 0) {
      for (uint64_t k = 0; k < 5; k++) p[k * 15] = 10 * i + k;
      OK(eyot_own_give_layout(EYOT_TEAM_ALL, tunit(1), 1, (void **)&p, l));
    } else {
      OK(eyot_own_take_layout(EYOT_TEAM_ALL, tunit(0), 1, (void **)&p, l, NULL));
      OK(eyot_touch(p, 72, EYOT_TOUCH_WRITE));
      for (uint64_t k = 0; k < 5; k++) EXPECT(p[k * l->stride / 8] == 10 * i + k);
      drop(p);
    }
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} TESTS[] = {{"pass", pass},
             {"wild", wild},
             {"mixed", mixed},
             {"home", home},
             {"both", both},
             {"cancel", cancel},
             {"posted", posted},
             {"all", all},
             {"write", after_write},
             {"read", after_read},
             {"lend", lend_all},
             {"copies", copies},
             {"clones", clones},
             {"split", split},
             {"part", part},
             {"layout", layout},
             {"lender", lender},
             {"borrower", borrower},
             {"given", given},
             {"not_given", not_given},
             {"not_passed_on", not_passed_on},
             {"passed_on", passed_on}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  if (argc > 2 && strncmp(argv[2], "count=", 6) == 0) count = strtoull(argv[2] + 6, NULL, 10);
  size_t i = 0;
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || n > MOST || n < 2) {
    if (me == 0) fputs("usage: check_own WHAT [count=N], of 2 to 4 units\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  TESTS[i].run();
  return finish();
}
