/* SPDX-License-Identifier: BSD-3-Clause */
/* check_owner.c - the detector `owner` of eyotcheck: accesses to buffers of eyot/own.h. In those
 * that are wrong a barrier stands between the two units' accesses, so that there is no race.
 * check_owner WHAT
 *
 *   right    buffers go round; each unit reads and writes what it owns
 *   write    unit 0 writes what it gave away; read, put, get: it reads, puts it, gets into it
 *   freed    unit 0 reads what it has freed
 *   other    unit 1 reads what unit 0 owns, whose address it has got by a message
 *   lend     units read what unit 0 has lent, and return it
 *   lender   unit 0 writes what it has lent; borrower, returned: unit 1 writes, or reads later
 *   split    unit 0 gives a part of what it splits to unit 1; part: it reads that part
 *   alloc    unit 0 writes, by a pointer that it has freed, into a buffer that unit 1 made of it */
#include <string.h>

#include "programs/api_check.h"

enum { BYTES = 600 };
static uint32_t me, n;

static eyot_tunit_t tunit(uint32_t id) {
  return (eyot_tunit_t){id};
}
static void meet(void) {
  eyot_sync();
  OK(eyot_barrier(EYOT_TEAM_ALL));
}
static void touch(const char *p, eyot_touch_t how) {
  OK(eyot_touch(p + 16, 8, how));
}
static char *made(void) {
  void *p;
  OK(eyot_own_alloc(BYTES, &p));
  touch(p, EYOT_TOUCH_WRITE);
  return p;
}
static void give(uint32_t to, char *p) {
  OK(eyot_own_give(EYOT_TEAM_ALL, tunit(to), 1, (void **)&p, BYTES));
}
static char *take(uint32_t from) {
  void *p;
  OK(eyot_own_take(EYOT_TEAM_ALL, tunit(from), 1, &p, NULL));
  return p;
}
static void drop(char *p) {
  OK(eyot_own_free((void **)&p));
}

static void right(void) {
  char *p = made();
  for (uint32_t i = 0; i < 3; i++) {
    give((me + 1) % n, p);
    p = take((me + n - 1) % n);
    touch(p, EYOT_TOUCH_READ);
    touch(p, EYOT_TOUCH_WRITE);
  }
  char got[BYTES];
  OK(eyot_send(EYOT_TEAM_ALL, tunit((me + 1) % n), 2, p, BYTES));
  OK(eyot_recv(EYOT_TEAM_ALL, tunit((me + n - 1) % n), 2, got, BYTES, NULL));
  OK(eyot_recv(EYOT_TEAM_ALL, tunit((me + n - 1) % n), 3, p, BYTES, NULL));
  drop(p);
}
static void right_again(void) {
  char *p = made();
  OK(eyot_send(EYOT_TEAM_ALL, tunit((me + 1) % n), 3, p, BYTES));
  drop(p);
  right();
  drop(made());
  /* Without a pool the memory of a buffer is anybody's when it has gone home. */
  eyot_gptr_t other;
  void *q;
  OK(eyot_alloc(1024, &other));
  OK(eyot_gptr_addr(other, &q));
  touch(q, EYOT_TOUCH_WRITE);
  OK(eyot_free(other));
}

static void after_give(eyot_touch_t how) {
  char *p = me == 0 ? made() : NULL, *mine = p;
  if (me == 0) give(1, p);
  if (me == 1) mine = take(0);
  if (me == 1) touch(mine, EYOT_TOUCH_WRITE);
  meet();
  if (me == 0) touch(p, how);
  meet();
  if (me == 1) touch(mine, EYOT_TOUCH_READ);
  if (me == 1) drop(mine);
}
static void after_write(void) {
  after_give(EYOT_TOUCH_WRITE);
}
static void after_read(void) {
  after_give(EYOT_TOUCH_READ);
}

static void transfer(bool get) {
  eyot_gptr_t there;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &there));
  char *p = me == 0 ? made() : NULL;
  there = eyot_gptr_at(there, (eyot_unit_t){1});
  if (me == 0) OK(eyot_put(there, p, BYTES));
  if (me == 0) OK(eyot_get(p, there, BYTES));
  if (me == 0) give(1, p);
  if (me == 1) drop(take(0));
  meet();
  if (me == 0) OK(get ? eyot_get(p + 16, there, 8) : eyot_put(there, p + 16, 8));
  meet();
  OK(eyot_team_free(there));
}
static void put(void) {
  transfer(false);
}
static void get(void) {
  transfer(true);
}

static void freed(void) {
  if (me != 0) return;
  char *p = made();
  drop(p);
  touch(p, EYOT_TOUCH_READ);
}

static void other(void) {
  char *p = me == 0 ? made() : NULL;
  meet();
  OK(eyot_broadcast(EYOT_TEAM_ALL, tunit(0), &p, sizeof p));
  if (me == 1) touch(p, EYOT_TOUCH_READ);
  meet();
  if (me == 0) drop(p);
}

/* Each other unit reads what unit 0 lends it. *old is what a reader has borrowed. */
static char *lend(const char **old, void (*between)(char *mine, const char *borrowed)) {
  eyot_tunit_t readers[8];
  eyot_msg_t handle;
  for (uint32_t i = 1; i < n; i++) readers[i - 1] = tunit(i);
  char *p = me == 0 ? made() : NULL;
  const void *b = NULL;
  if (me == 0) OK(eyot_own_lend(EYOT_TEAM_ALL, readers, n - 1, 1, p, BYTES, &handle));
  if (me != 0) OK(eyot_own_borrow(EYOT_TEAM_ALL, tunit(0), 1, &b, NULL));
  touch(me == 0 ? p : b, EYOT_TOUCH_READ);
  *old = b;
  if (between != NULL) between(p, b);
  if (me == 0) OK(eyot_msg_wait(&handle, NULL));
  if (me != 0) OK(eyot_own_return(&b));
  return p;
}
static void lend_and_write(void) {
  const char *old;
  char *p = lend(&old, NULL);
  if (me == 0) touch(p, EYOT_TOUCH_WRITE);
  if (me == 0) drop(p);
}
static void owner_writes(char *mine, const char *borrowed) {
  (void)borrowed;
  if (me == 0) touch(mine, EYOT_TOUCH_WRITE);
}
static void reader_writes(char *mine, const char *borrowed) {
  (void)mine;
  if (me == 1) touch(borrowed, EYOT_TOUCH_WRITE);
}
static void lender(void) {
  const char *old;
  char *p = lend(&old, owner_writes);
  if (me == 0) drop(p);
}
static void borrower(void) {
  const char *old;
  char *p = lend(&old, reader_writes);
  if (me == 0) drop(p);
}
static void returned(void) {
  const char *old;
  char *p = lend(&old, NULL);
  meet();
  if (me == 1) touch(old, EYOT_TOUCH_READ);
  meet();
  if (me == 0) drop(p);
}

static void split(bool wrong) {
  const uint64_t bytes[] = {BYTES / 2, BYTES / 2};
  void *whole = me == 0 ? made() : NULL, *part[2] = {NULL, NULL};
  if (me == 0) OK(eyot_own_split(&whole, 2, bytes, part));
  char *first = part[0], *second = part[1];
  if (me == 0) OK(eyot_own_give(EYOT_TEAM_ALL, tunit(1), 1, &part[1], BYTES / 2));
  if (me == 1) second = take(0);
  if (me == 1) touch(second, EYOT_TOUCH_WRITE);
  if (me == 0) touch(first, EYOT_TOUCH_WRITE);
  meet();
  if (me == 0 && wrong) touch(second, EYOT_TOUCH_READ);
  meet();
  if (me == 0) drop(first);
  if (me == 1) drop(second);
  meet();
  if (me < 2) drop(made());
}
static void split_right(void) {
  split(false);
}
static void part(void) {
  split(true);
}

static void alloc(void) {
  char *p = me == 0 ? made() : NULL, *old = p;
  if (me == 0) give(1, p);
  if (me == 1) drop(take(0));
  meet();
  if (me == 1) p = made();
  meet();
  if (me == 0) touch(old, EYOT_TOUCH_WRITE);
  meet();
  if (me == 1) drop(p);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } PROGRAMS[] = {{"right", right_again}, {"write", after_write}, {"read", after_read},
                  {"freed", freed},       {"other", other},       {"alloc", alloc},
                  {"put", put},           {"get", get},           {"lend", lend_and_write},
                  {"lender", lender},     {"borrower", borrower}, {"returned", returned},
                  {"split", split_right}, {"part", part}};
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  for (size_t i = 0; i < sizeof PROGRAMS / sizeof *PROGRAMS; i++)
    if (argc > 1 && strcmp(argv[1], PROGRAMS[i].name) == 0) PROGRAMS[i].run();
  OK(eyot_finalize());
  return 0;
}
