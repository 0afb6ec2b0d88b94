/* SPDX-License-Identifier: BSD-3-Clause */
/* bad_words.c - mistakes of which each message must name the memory, the object and the line:
 * bad_words WAY [LOCK_KIND | clear]. Lines that messages name are marked; tests/support/words.sh
 * looks them up. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "programs/api_check.h"
#include "support/lock_kinds.h"

#define BYTES 64u

static eyot_gptr_t grid(void) {
  eyot_gptr_t g;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &g)); /* made here */
  OK(eyot_name(g, "grid"));
  return g;
}

static eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;

static eyot_lock_t queue(void) {
  eyot_lock_t lock;
  OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock)); /* lock made here */
  return lock;
}

/* The program ignores every code. */
static void ignore(int code) {
  (void)code;
}

static void range(void) {
  uint64_t word = 0;
  eyot_gptr_t g = eyot_gptr_at(grid(), (eyot_unit_t){0}), own;
  OK(eyot_alloc(24, &own));
  ignore(eyot_put(eyot_gptr_add(g, -8), &word, 8)); /* range here */
  ignore(eyot_put(eyot_gptr_add(own, -8), &word, 8));
  ignore(eyot_get(&word, eyot_gptr_add(own, 24), 8));
  ignore(eyot_fetch_add_u64(eyot_gptr_add(g, BYTES), 1, &word));
  OK(eyot_free(own));
}

static void lock_twice(void) {
  eyot_lock_t lock = queue();
  ignore(eyot_lock_release(lock)); /* release here */
  if (eyot_me().id == 0) {
    OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    ignore(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE)); /* acquire here */
    CHECK(eyot_me().id == 0);                             /* and keeps it */
  }
}

/* Unit 0 keeps the lock and waits for a word that no unit writes; the others wait for the lock. */
static void standstill(void) {
  eyot_gptr_t g = grid();
  eyot_lock_t lock = queue();
  OK(eyot_name(lock.at, "queue"));
  if (eyot_me().id == 0) OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0)
    OK(eyot_wait_until(eyot_gptr_at(eyot_gptr_add(g, 8), eyot_me()), EYOT_CMP_EQ, 1, NULL));
  OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE)); /* waits here */
}

/* Unit 0 waits for a signed word of 4 bytes that unit 1 has put, with another value. */
static void typed(void) {
  const int32_t four = -4;
  eyot_gptr_t mine = eyot_gptr_at(eyot_gptr_add(grid(), 12), eyot_me());
  const eyot_cond_t five = {
      .word = mine, .type = EYOT_INT32, .cmp = EYOT_CMP_LT, .value = (uint64_t)-5};
  if (eyot_me().id == 1) OK(eyot_put(eyot_gptr_at(mine, (eyot_unit_t){0}), &four, 4));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) OK(eyot_wait_until_word(&five, EYOT_FOREVER, NULL));
}

static void race(void) {
  uint64_t word = eyot_me().id;
  eyot_gptr_t g = eyot_gptr_at(eyot_gptr_add(grid(), 16), (eyot_unit_t){0});
  if (eyot_me().id < 2) OK(eyot_put(g, &word, 8)); /* race here */
}

static void alive(void) {
  eyot_counter_t counter;
  eyot_team_t team;
  eyot_group_t *all;
  eyot_gptr_t g = grid();
  (void)queue();
  OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &counter)); /* counter made here */
  OK(eyot_group_range(0, eyot_size(), 1, &all));
  OK(eyot_team_create(EYOT_TEAM_ALL, all, &team)); /* team made here */
  eyot_group_free(all);
  static uint64_t word;
  eyot_handle_t handle;
  OK(eyot_put_nb(eyot_gptr_at(g, (eyot_unit_t){0}), &word, 8, &handle)); /* handle made here */
}

static void names(void) {
  eyot_gptr_t g = grid(), own;
  OK(eyot_alloc(8, &own));
  OK(eyot_name(own, "own"));
  OK(eyot_name(own, ""));
  CHECK(eyot_name(g, NULL) == EYOT_EINVAL && eyot_name(EYOT_GPTR_NULL, "x") == EYOT_ESEG);
  eyot_gptr_t other = own;
  other.unit = (eyot_me().id + 1) % eyot_size();
  if (eyot_size() > 1) CHECK(eyot_name(other, "x") == EYOT_EUNIT);
  OK(eyot_free(own));
  CHECK(eyot_name(own, "x") == EYOT_ESEG);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(g));
  CHECK(eyot_name(g, "x") == EYOT_ESEG);
  CHECK(eyot_errors_clear() == (eyot_size() > 1 ? 5 : 4) && eyot_errors_clear() == 0);
}

/* As many teams of two units as docs/limits.md says, and one more. */
static void teams(void) {
  eyot_team_t t;
  uint32_t made = 0;
  int rc;
  while ((rc = eyot_team_split(EYOT_TEAM_ALL, 0, &t)) == EYOT_OK) made++; /* full here */
  CHECK(rc == EYOT_ENOMEM && made == 16384);
}

/* Uses what was released, and releases it once more. */
static void gone(void) {
  static uint64_t word, bytes[4];
  eyot_gptr_t g = grid(), own, registered;
  eyot_lock_t lock = queue(), lock_copy = lock;
  eyot_counter_t counter, counter_copy;
  eyot_team_t team, team_copy;
  OK(eyot_alloc(24, &own));
  OK(eyot_register(bytes, sizeof bytes, &registered));
  OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &counter));
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team)); /* split here */
  counter_copy = eyot_counter_at(counter, eyot_me());
  team_copy = team;
  OK(eyot_team_free(g));                                         /* grid freed here */
  OK(eyot_free(own));                                            /* own freed here */
  OK(eyot_unregister(registered));                               /* unregistered here */
  OK(eyot_lock_destroy(&lock));                                  /* lock destroyed here */
  OK(eyot_counter_destroy(&counter));                            /* counter destroyed here */
  OK(eyot_team_destroy(&team));                                  /* team destroyed here */
  ignore(eyot_put(eyot_gptr_at(g, (eyot_unit_t){0}), &word, 8)); /* late put here */
  ignore(eyot_team_free(g));
  ignore(eyot_get(&word, own, 8));
  ignore(eyot_free(own));
  ignore(eyot_get(&word, registered, 8));
  ignore(eyot_unregister(registered));
  ignore(eyot_lock_acquire(lock_copy, EYOT_LOCK_EXCLUSIVE));
  ignore(eyot_counter_wait(counter_copy));
  ignore(eyot_barrier(team_copy));
  /* more releases than are remembered */
  for (int i = 0; i < 40; i++) {
    eyot_gptr_t other;
    OK(eyot_alloc(8, &other));
    OK(eyot_free(other));
  }
  ignore(eyot_put(own, &word, 8));
}

/* What unit 0 has made. */
struct far {
  eyot_gptr_t box, plain, registered;
  eyot_lock_t lock;
  eyot_counter_t counter;
};

static void far_make(struct far *f) {
  static uint64_t bytes[4];
  OK(eyot_alloc(24, &f->box)); /* box made here */
  OK(eyot_name(f->box, "box"));
  OK(eyot_alloc(40, &f->plain)); /* plain made here */
  OK(eyot_name(f->plain, "a name that is much longer than 31 bytes"));
  OK(eyot_register(bytes, sizeof bytes, &f->registered)); /* registered here */
  OK(eyot_lock_alloc(NULL, &f->lock));                    /* far lock made here */
  OK(eyot_counter_alloc(1, &f->counter));                 /* far counter made here */
}

static void far_release(struct far *f) {
  OK(eyot_free(f->box)); /* box freed here */
  OK(eyot_free(f->plain));
  OK(eyot_unregister(f->registered));    /* far unregistered here */
  OK(eyot_lock_free(&f->lock));          /* far lock freed here */
  OK(eyot_counter_destroy(&f->counter)); /* far counter freed here */
}

/* Unit 1 misuses what unit 0 has made, and then what it has released and overwritten. */
static void far(void) {
  uint64_t word[2] = {0};
  struct far f;
  if (eyot_me().id == 0) far_make(&f);
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &f, sizeof f));
  struct far left = f, copy = f;
  if (eyot_me().id == 1) {
    ignore(eyot_put(eyot_gptr_add(f.box, 20), word, 8)); /* far put here */
    ignore(eyot_fetch_add_u64(eyot_gptr_add(f.box, 4), 1, word));
    ignore(eyot_wait_until(eyot_gptr_add(f.box, 8), EYOT_CMP_EQ, 1, word));
    ignore(eyot_put_signal(f.box, word, 8, eyot_gptr_add(f.box, 12), EYOT_SIGNAL_SET, 1));
    ignore(eyot_get(word, eyot_gptr_add(f.plain, -8), 8));
    ignore(eyot_get(word, eyot_gptr_add(f.registered, 32), 8));
    ignore(eyot_free(f.box));
    ignore(eyot_name(f.plain, "mine"));
    ignore(eyot_unregister(f.registered));
    ignore(eyot_free(f.registered));
    ignore(eyot_unregister(f.box));
    ignore(eyot_unregister((eyot_gptr_t){0}));
    ignore(eyot_lock_free(&copy.lock));
    ignore(eyot_counter_wait(f.counter));
    OK(eyot_lock_acquire(f.lock, EYOT_LOCK_EXCLUSIVE));
    ignore(eyot_lock_acquire(f.lock, EYOT_LOCK_EXCLUSIVE));
    OK(eyot_lock_release(f.lock));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) far_release(&left);
  if (eyot_me().id == 0) OK(eyot_alloc(400, &left.box));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 1) {
    ignore(eyot_fetch_add_u64(f.box, 1, word)); /* far late add here */
    ignore(eyot_get(word, f.registered, 8));
    ignore(eyot_free(f.plain));
    ignore(eyot_lock_acquire(f.lock, EYOT_LOCK_EXCLUSIVE));
    ignore(eyot_counter_wait(f.counter));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) OK(eyot_free(left.box));
}

/* Unit 1 waits for a lock of unit 0, which unit 0 keeps. */
static void far_wait(void) {
  eyot_lock_t lock;
  if (eyot_me().id == 0) {
    OK(eyot_lock_alloc(&attr, &lock)); /* kept lock made here */
    OK(eyot_name(lock.at, "kept"));
    OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  }
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &lock, sizeof lock));
  if (eyot_me().id == 1) OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE)); /* far waits here */
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* Overwrites the word of a lock: no queue node has such a name. */
static void panics(void) {
  attr.home = 0;
  const uint64_t none = UINT64_MAX;
  eyot_lock_t lock = queue();
  if (eyot_me().id == 0) OK(eyot_put(eyot_gptr_at(lock.at, (eyot_unit_t){0}), &none, 8));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 1) OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE)); /* panics here */
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* Does other steps in each run of eyotcheck: the position in a file is not restored. */
static void fickle(void) {
  uint64_t word = 0;
  eyot_gptr_t g = grid();
  int file = open("/proc/self/exe", O_RDONLY);
  OK(eyot_check_begin());
  for (long i = (long)lseek(file, 1, SEEK_CUR) % 3; i > 0; i--)
    OK(eyot_put(eyot_gptr_at(g, (eyot_unit_t){0}), &word, 8)); /* fickle here */
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_check_end());
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } WAYS[] = {{"range", range},  {"lock", lock_twice},   {"standstill", standstill},
              {"typed", typed},  {"race", race},         {"alive", alive},
              {"names", names},  {"teams", teams},       {"gone", gone},
              {"far", far},      {"far_wait", far_wait}, {"panics", panics},
              {"fickle", fickle}};
  const char *way = argc >= 2 ? argv[1] : "";
  const struct lock_kind *kind = argc == 3 ? lock_kind_named(argv[2], 0) : NULL;
  if (kind != NULL) attr.kind = kind->kind;
  if (strcmp(way, "early") == 0) eyot_check_fail("before eyot_init"); /* early here */
  OK(eyot_init(&argc, &argv));
  for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++)
    if (strcmp(way, WAYS[i].name) == 0) WAYS[i].run();
  if (argc == 3 && strcmp(argv[2], "clear") == 0) CHECK(eyot_errors_clear() > 0);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  return eyot_finalize() == EYOT_OK ? 0 : 1; /* finish() would clear the errors */
}
