/* SPDX-License-Identifier: BSD-3-Clause */
/* check_lin.c - shared objects on eyot, correct and wrong, which report their operations to
 * eyotcheck; only the linearizability check judges them: check_lin CASE. */

/* Cases:
 *  - lock_mcs, lock_tas, lock_ticket, lock_timed: eyot's. lock_own: by compare-and-swap in this
 *    program. lock_wrong: by a get and then a put.
 *  - register: a counter by atomics. register_wrong: by get and put. register_cut: the same,
 *    without end.
 *  - queue_lock: bounded, under a lock. queue_unlocked: without it when values are taken out.
 *  - queue_ticket: many writers, one reader; tickets by fetch-add, and a flag for each entry.
 *    queue_early: the flag is posted after the value, without an order. queue_empty: the reader
 *    takes an entry that is not filled for the end of the queue. queue_unseen: the writers also
 *    return when the network has the value, not when it is visible.
 *  - set: a table of keys, linear probing, by compare-and-swap. set_wrong: by get and put.
 *  - map: key and value in one word. map_wrong: the key by compare-and-swap, and then the value.
 *  - bad: calls that must be refused. pending: operations that never return. hard: a history that
 *    cannot be judged.
 * Only the case `bad` checks anything itself. */
#include <stdbool.h>
#include <string.h>

#include "programs/api_check.h"
#include "support/lock_kinds.h"

#define WORDS 16
#define CAPACITY 2u /* of queues: one value more is put in */
#define TABLE 4u
#define WRITES 40u

struct test {
  uint32_t me, n, object;
  eyot_lock_t lock;
  eyot_gptr_t words; /* of unit 0 */
};

static eyot_gptr_t word(const struct test *t, uint64_t i) {
  return eyot_gptr_add(t->words, (int64_t)i * 8);
}

static uint64_t call(const struct test *t, const char *op, uint64_t a, uint64_t b) {
  uint64_t id, args[3] = {a, b, 0};
  OK(eyot_check_call(t->object, op, args, &id));
  return id;
}

static void gave(uint64_t id, bool ok, uint64_t result) {
  OK(eyot_check_return(id, ok, result));
}

static void object(struct test *t, const char *model, uint64_t param) {
  OK(eyot_check_object(model, "it", param, &t->object));
}

/* -- locks ------------------------------------------------------------------------------------- */

/* The holder's work: if there were no step between its acquire and its call of release, no other
 * operation could come between them, and two holders would look like one after the other. */
static void hold(const struct test *t) {
  uint64_t before;
  OK(eyot_fetch_add_u64(word(t, 1), 1, &before));
}

static void release_told(const struct test *t) {
  hold(t);
  uint64_t id = call(t, "release", 0, 0);
  OK(eyot_lock_release(t->lock));
  gave(id, true, 0);
}

static void lock_eyot(struct test *t) {
  object(t, "lock", 0);
  for (int round = 0; round < 2; round++) {
    uint64_t id = call(t, "acquire", 0, 0);
    OK(eyot_lock_acquire(t->lock, EYOT_LOCK_EXCLUSIVE));
    gave(id, true, 0);
    release_told(t);
  }
}

static void lock_timed(struct test *t) {
  object(t, "lock", 0);
  uint64_t id = call(t, "acquire_timed", 0, 0);
  int rc = eyot_lock_acquire_timeout(t->lock, EYOT_LOCK_EXCLUSIVE, 100);
  CHECK(rc == EYOT_OK || rc == EYOT_ETIMEOUT);
  gave(id, rc == EYOT_OK, 0);
  if (rc == EYOT_OK) release_told(t);
}

/* One try each; a holder releases the lock. */
static void lock_by_hand(struct test *t, bool wrong) {
  uint64_t seen, one = 1;
  object(t, "lock", 0);
  uint64_t id = call(t, "try_acquire", 0, 0);
  if (wrong) {
    OK(eyot_get(&seen, word(t, 0), 8));
    if (seen == 0) OK(eyot_put(word(t, 0), &one, 8));
  } else {
    OK(eyot_cas_u64(word(t, 0), 0, 1, &seen));
  }
  gave(id, seen == 0, 0);
  if (seen != 0) return;
  hold(t);
  id = call(t, "release", 0, 0);
  OK(eyot_swap_u64(word(t, 0), 0, &seen));
  gave(id, true, 0);
}

static void lock_own(struct test *t) {
  lock_by_hand(t, false);
}
static void lock_wrong(struct test *t) {
  lock_by_hand(t, true);
}

/* -- a register -------------------------------------------------------------------------------- */

static void count(struct test *t, bool wrong) {
  uint64_t old, next;
  object(t, "register", 0);
  uint64_t id = call(t, "fetch_add", 1, 0);
  if (wrong) {
    OK(eyot_get(&old, word(t, 0), 8));
    next = old + 1;
    OK(eyot_put(word(t, 0), &next, 8));
  } else {
    OK(eyot_fetch_add_u64(word(t, 0), 1, &old));
  }
  gave(id, true, old);
  id = call(t, "read", 0, 0);
  if (wrong)
    OK(eyot_get(&old, word(t, 0), 8));
  else
    OK(eyot_read_u64(word(t, 0), &old));
  gave(id, true, old);
}

static void register_right(struct test *t) {
  count(t, false);
}
static void register_wrong(struct test *t) {
  count(t, true);
}

static void register_cut(struct test *t) {
  uint64_t seen = 0;
  count(t, true);
  while (seen < 100) OK(eyot_read_u64(word(t, 0), &seen));
}

/* -- queues: words 0 and 1 count values put in and taken out, the entries follow --------------- */

static void put_in(const struct test *t, uint64_t value) {
  uint64_t in, out, id = call(t, "enqueue", value, 0);
  OK(eyot_lock_acquire(t->lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_get(&in, word(t, 0), 8));
  OK(eyot_get(&out, word(t, 1), 8));
  bool room = in - out < CAPACITY;
  if (room) {
    OK(eyot_put(word(t, 2 + in % CAPACITY), &value, 8));
    in++;
    OK(eyot_put(word(t, 0), &in, 8));
  }
  OK(eyot_lock_release(t->lock));
  gave(id, room, 0);
}

static void take_out(const struct test *t, bool locked) {
  uint64_t in, out, value = 0, id = call(t, "dequeue", 0, 0);
  if (locked) OK(eyot_lock_acquire(t->lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_get(&in, word(t, 0), 8));
  OK(eyot_get(&out, word(t, 1), 8));
  bool any = in != out;
  if (any) {
    OK(eyot_get(&value, word(t, 2 + out % CAPACITY), 8));
    out++;
    OK(eyot_put(word(t, 1), &out, 8));
  }
  if (locked) OK(eyot_lock_release(t->lock));
  gave(id, any, value);
}

static void queue_bounded(struct test *t, bool locked) {
  object(t, "queue", CAPACITY);
  put_in(t, 1 + t->me);
  take_out(t, locked);
}

static void queue_lock(struct test *t) {
  queue_bounded(t, true);
}
static void queue_unlocked(struct test *t) {
  queue_bounded(t, false);
}

enum flaw { NONE, EARLY, UNSEEN, EMPTY };

/* Word 0 is the next ticket; entry i has its value in word 2 + 2 i and its flag in the next one. */
static void write_ticket(const struct test *t, enum flaw flaw) {
  uint64_t ticket, one = 1, value = 10 + t->me, id = call(t, "enqueue", value, 0);
  OK(eyot_fetch_add_u64(word(t, 0), 1, &ticket));
  if (flaw == EARLY) {
    OK(eyot_put_nbi(word(t, 2 + 2 * ticket), &value, 8));
    OK(eyot_accumulate_nbi(word(t, 3 + 2 * ticket), EYOT_UINT64, EYOT_SUM, &one));
    OK(eyot_flush_all(EYOT_REMOTE));
  } else {
    OK(eyot_put_signal(word(t, 2 + 2 * ticket), &value, 8, word(t, 3 + 2 * ticket), EYOT_SIGNAL_SET,
                       1));
    /* a put that has returned may still be in the network's store buffer */
    if (flaw != UNSEEN) OK(eyot_flush_all(EYOT_REMOTE));
  }
  gave(id, true, 0);
}

/* For unit 0, in whose memory the entries are. */
static void read_places(const struct test *t, enum flaw flaw) {
  for (uint64_t i = 0; i + 1 < t->n; i++) {
    uint64_t value = 0, id = call(t, "dequeue", 0, 0);
    bool filled = true;
    if (flaw >= UNSEEN)
      OK(eyot_test_until(word(t, 3 + 2 * i), EYOT_CMP_EQ, 1, NULL, &filled));
    else
      OK(eyot_wait_until(word(t, 3 + 2 * i), EYOT_CMP_EQ, 1, NULL));
    if (filled) OK(eyot_get(&value, word(t, 2 + 2 * i), 8));
    gave(id, filled, value);
    if (!filled) return;
  }
}

static void queue_tickets(struct test *t, enum flaw flaw) {
  object(t, "queue", 0);
  if (t->me == 0)
    read_places(t, flaw);
  else
    write_ticket(t, flaw);
}

static void queue_ticket(struct test *t) {
  queue_tickets(t, NONE);
}
static void queue_early(struct test *t) {
  queue_tickets(t, EARLY);
}
static void queue_unseen(struct test *t) {
  queue_tickets(t, UNSEEN);
}
static void queue_empty(struct test *t) {
  queue_tickets(t, EMPTY);
}

/* -- tables ------------------------------------------------------------------------------------ */

/* Puts `content` in the first free entry from the key's own on, unless the key is there. */
static bool put_key(const struct test *t, uint64_t key, uint64_t content, bool wrong,
                    uint64_t *place) {
  for (uint64_t i = 0; i < TABLE; i++) {
    *place = (key + i) % TABLE;
    uint64_t seen;
    if (wrong) {
      OK(eyot_get(&seen, word(t, *place), 8));
      if (seen == 0) OK(eyot_put(word(t, *place), &content, 8));
    } else {
      OK(eyot_cas_u64(word(t, *place), 0, content, &seen));
    }
    if (seen == 0) return true;
    if ((uint32_t)seen == key) return false;
  }
  return false;
}

static bool find_key(const struct test *t, uint64_t key, uint64_t *content, uint64_t *place) {
  for (uint64_t i = 0; i < TABLE; i++) {
    *place = (key + i) % TABLE;
    OK(eyot_read_u64(word(t, *place), content));
    if ((uint32_t)*content == key) return true;
    if (*content == 0) return false;
  }
  return false;
}

/* Keys 1 and 5 have the same entry, and units 0 and 2 the same key. */
static void add_and_look(struct test *t, bool wrong) {
  uint64_t key = t->me % 2 == 0 ? 1 : 1 + TABLE, place, content;
  object(t, "set", 0);
  uint64_t id = call(t, "add", key, 0);
  gave(id, put_key(t, key, key, wrong, &place), 0);
  id = call(t, "contains", key, 0);
  gave(id, find_key(t, key, &content, &place), 0);
}

static void set_right(struct test *t) {
  add_and_look(t, false);
}
static void set_wrong(struct test *t) {
  add_and_look(t, true);
}

static void map_right(struct test *t) {
  uint64_t value = 7 + t->me, place, content = 0;
  object(t, "map", 0);
  uint64_t id = call(t, "insert", 1, value);
  gave(id, put_key(t, 1, value << 32 | 1, false, &place), 0);
  id = call(t, "get", 1, 0);
  bool found = find_key(t, 1, &content, &place);
  gave(id, found, content >> 32);
}

/* The values follow the keys. */
static void map_wrong(struct test *t) {
  uint64_t value = 7 + t->me, place, content = 0, old;
  object(t, "map", 0);
  uint64_t id = call(t, "insert", 1, value);
  bool done = put_key(t, 1, 1, false, &place);
  if (done) OK(eyot_swap_u64(word(t, TABLE + place), value, &old));
  gave(id, done, 0);
  id = call(t, "get", 1, 0);
  bool found = find_key(t, 1, &content, &place);
  if (found) OK(eyot_read_u64(word(t, TABLE + place), &content));
  gave(id, found, content);
}

/* -- the calls themselves ---------------------------------------------------------------------- */

static void bad(struct test *t) {
  uint32_t other = 99;
  uint64_t id = 99;
  object(t, "register", 3);
  CHECK(eyot_check_object(NULL, "it", 0, &other) == EYOT_EINVAL);
  CHECK(eyot_check_object("lock", "it", 0, NULL) == EYOT_EINVAL);
  CHECK(eyot_check_call(t->object, NULL, NULL, &id) == EYOT_EINVAL);
  if (!eyot_check_active()) {
    CHECK(eyot_check_object("lick", "it", 0, &other) == EYOT_OK && other == 0);
    CHECK(eyot_check_call(17, "lick", NULL, &id) == EYOT_OK && id == 0 &&
          eyot_check_return(99, 1, 0) == EYOT_OK);
    return;
  }
  CHECK(eyot_check_object("lick", "it", 0, &other) == EYOT_EINVAL && other == 99);
  CHECK(eyot_check_object("lock", "a name of at most 31 bytes is it", 0, &other) == EYOT_EINVAL &&
        other == 99);
  OK(eyot_check_object("lock", "a name of at most 31 bytes is i", 0, &other));
  other = 99;
  CHECK(eyot_check_object("register", "it", 4, &other) == EYOT_EMISMATCH && other == 99);
  CHECK(eyot_check_call(17, "read", NULL, &id) == EYOT_EINVAL && id == 99);
  CHECK(eyot_check_call(t->object, "push", NULL, &id) == EYOT_EINVAL && id == 99);
  CHECK(eyot_check_call(t->object, "write", NULL, &id) == EYOT_EINVAL && id == 99);
  CHECK(eyot_check_return(99, 1, 0) == EYOT_EINVAL);
  CHECK(eyot_check_object("lock", "it", 0, &other) == EYOT_OK && other != t->object);
  uint64_t seen;
  OK(eyot_check_call(t->object, "read", NULL, &id));
  OK(eyot_read_u64(word(t, 0), &seen));
  /* another unit's operation, which may not have returned yet */
  if (id > 0) CHECK(eyot_check_return(0, 1, 3) == EYOT_EINVAL);
  OK(eyot_check_return(id, 1, 3));
  CHECK(eyot_check_return(id, 1, 3) == EYOT_EINVAL);
}

/* A pending write, whose return no unit has seen, has taken effect for some units. */
static void pending(struct test *t) {
  object(t, "register", 0);
  uint64_t seen, id = call(t, t->me == 0 ? "write" : "read", 5, 0);
  if (t->me == 0) {
    OK(eyot_swap_u64(word(t, 0), 5, &seen));
  } else {
    OK(eyot_read_u64(word(t, 0), &seen));
    gave(id, true, seen);
  }
}

/* Concurrent writes, and a read of a value that none of them wrote: to be sure of that, a search
 * would have to try each set of them. */
static void hard(struct test *t) {
  uint64_t ids[WRITES];
  object(t, "register", 0);
  for (uint64_t i = 0; i < WRITES; i++) ids[i] = call(t, "write", 1 + i, 0);
  for (uint64_t i = 0; i < WRITES; i++) gave(ids[i], true, 0);
  uint64_t id = call(t, "read", 0, 0);
  gave(id, true, 1000);
}

struct one {
  const char *name;
  void (*run)(struct test *t);
};

static const struct one ALL[] = {
    {"lock_timed", lock_timed},
    {"lock_own", lock_own},
    {"lock_wrong", lock_wrong},
    {"register", register_right},
    {"register_wrong", register_wrong},
    {"register_cut", register_cut},
    {"queue_lock", queue_lock},
    {"queue_unlocked", queue_unlocked},
    {"queue_ticket", queue_ticket},
    {"queue_early", queue_early},
    {"queue_unseen", queue_unseen},
    {"queue_empty", queue_empty},
    {"set", set_right},
    {"set_wrong", set_wrong},
    {"map", map_right},
    {"map_wrong", map_wrong},
    {"bad", bad},
    {"pending", pending},
    {"hard", hard},
};

int main(int argc, char **argv) {
  const struct one *one = NULL;
  for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++)
    if (argc == 2 && strcmp(ALL[i].name, argv[1]) == 0) one = &ALL[i];
  const struct lock_kind *kind =
      argc == 2 && strncmp(argv[1], "lock_", 5) == 0 ? lock_kind_named(argv[1] + 5, 0) : NULL;
  static const struct one LOCK = {"lock_KIND", lock_eyot};
  if (kind != NULL) one = &LOCK;
  if (one == NULL) {
    fprintf(stderr, "check_lin: call it with one case\n");
    return 2;
  }
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id, .n = eyot_size()};
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  if (kind != NULL) attr.kind = kind->kind;
  OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &t.lock));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * 8, &t.words));
  OK(eyot_check_begin());
  one->run(&t);
  OK(eyot_check_end());
  (void)eyot_errors_clear(); /* of `bad`, which has checked them */
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(t.words));
  OK(eyot_lock_destroy(&t.lock));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
