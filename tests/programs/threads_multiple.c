/* SPDX-License-Identifier: BSD-3-Clause */
/* threads_multiple.c - at EYOT_THREAD_MULTIPLE the threads of a unit call eyot at any time: puts,
 * gets, atomics and signals of all at once, waits for what another thread of the same unit does,
 * allocations beside collectives, barriers of several teams at once, and collectives of several
 * teams that agree on the same ids and ranges.
 *
 *   threads_multiple [race|splits]
 *
 * race: the threads also change a variable of the program without order, for ThreadSanitizer.
 * splits: the threads only split their teams, at the same time, each into other parts. */
#include <pthread.h>
#include <string.h>

#include "programs/api_check.h"

#define THREADS 4u
#define TURNS 150u
#define SPLITS 100u
#define BLOCK 256u

/* The words of each unit's part: a counter, then for each thread a word for signals, an own word,
 * and a block. */
enum { COUNTER = 0, SIGNALS = 1, OWN = SIGNALS + THREADS, BLOCKS = OWN + THREADS };
#define BYTES (8 * BLOCKS + BLOCK * THREADS)

static eyot_gptr_t base;
static eyot_team_t team[THREADS];
static eyot_lock_t lock[THREADS];
static bool race;
static uint64_t unordered;

static eyot_gptr_t word_at(eyot_unit_t unit, uint32_t word) {
  return eyot_gptr_add(eyot_gptr_at(base, unit), 8 * (int64_t)word);
}

/* A block to the next unit, whose thread of the same number waits for it. */
static void pass_block(uint32_t thread, uint32_t turn) {
  const eyot_unit_t me = eyot_me(), next = {(me.id + 1) % eyot_size()};
  const int64_t off = 8 * BLOCKS + (int64_t)(thread * BLOCK);
  unsigned char out[BLOCK], in[BLOCK];
  uint64_t seen;
  memset(out, (int)(turn % 250 + 1), sizeof out);
  OK(eyot_put_signal(eyot_gptr_add(eyot_gptr_at(base, next), off), out, sizeof out,
                     word_at(next, SIGNALS + thread), EYOT_SIGNAL_SET, turn + 1));
  OK(eyot_wait_until(word_at(me, SIGNALS + thread), EYOT_CMP_GE, turn + 1, &seen));
  CHECK(seen == turn + 1);
  OK(eyot_get(in, eyot_gptr_add(eyot_gptr_at(base, me), off), sizeof in));
  CHECK(memcmp(in, out, sizeof in) == 0);
}

static void operate(uint32_t thread, uint32_t turn) {
  const eyot_unit_t next = {(eyot_me().id + 1) % eyot_size()};
  const eyot_gptr_t own = word_at(next, OWN + thread);
  uint64_t old, value = (uint64_t)thread << 32 | turn, seen = 0;
  eyot_handle_t h;
  OK(eyot_put(own, &value, sizeof value));
  OK(eyot_get(&seen, own, sizeof seen));
  CHECK(seen == value);
  OK(eyot_put_nb(own, &value, sizeof value, &h));
  OK(eyot_wait(&h, EYOT_REMOTE));
  OK(eyot_put_nbi(own, &value, sizeof value));
  OK(eyot_flush(next, EYOT_REMOTE));
  OK(eyot_fetch_add_u64(word_at((eyot_unit_t){0}, COUNTER), 1, &old));
  CHECK(eyot_now_ns() > 0);
}

/* Memory and groups of this thread alone. */
static void allocate(uint32_t thread) {
  eyot_gptr_t own;
  eyot_group_t *group;
  uint64_t value = thread, seen = 0;
  OK(eyot_alloc(64 + 8 * thread, &own));
  OK(eyot_put(own, &value, sizeof value));
  OK(eyot_get(&seen, own, sizeof seen));
  CHECK(seen == thread);
  OK(eyot_free(own));
  OK(eyot_team_group(EYOT_TEAM_ALL, &group));
  OK(eyot_group_add(group, (eyot_unit_t){0}));
  eyot_group_free(group);
}

/* Threads come to the collectives of their teams in different orders on different units. */
static void meet(uint32_t thread, uint32_t turn) {
  uint64_t one = thread + 1, sum = 0;
  OK(eyot_barrier(team[thread]));
  OK(eyot_allreduce(team[thread], EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  CHECK(sum == (uint64_t)eyot_size() * (thread + 1));
  OK(eyot_lock_acquire(lock[thread], EYOT_LOCK_EXCLUSIVE));
  OK(eyot_lock_release(lock[thread]));
  if (turn % 2 == 0) return;
  OK(eyot_barrier_notify(team[thread], NULL));
  pass_block(thread, turn);
  OK(eyot_barrier_wait(team[thread], NULL));
  OK(eyot_barrier(team[thread])); /* all have read their block */
}

/* Makes a segment, a team and a lock of this thread's team, and uses them while other threads make
 * theirs: each id and each place belongs to one of them. */
static void renew(uint32_t thread, uint32_t turn) {
  const uint32_t n = eyot_size(), me = eyot_me().id;
  const uint64_t mine = (uint64_t)thread << 32 | (uint64_t)turn << 8 | me, one = thread + turn;
  uint64_t seen = 0, sum = 0;
  eyot_gptr_t words;
  eyot_team_t sub;
  eyot_lock_t own;
  OK(eyot_team_alloc(team[thread], 4096 * (1 + turn % 3), &words));
  OK(eyot_team_split(team[thread], 0, &sub));
  OK(eyot_lock_create(sub, NULL, &own));
  OK(eyot_put(eyot_gptr_at(words, (eyot_unit_t){(me + 1) % n}), &mine, sizeof mine));
  OK(eyot_allreduce(sub, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  CHECK(sum == (uint64_t)n * (thread + turn));
  OK(eyot_lock_acquire(own, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_lock_release(own));
  OK(eyot_barrier(sub));
  OK(eyot_get(&seen, eyot_gptr_at(words, eyot_me()), sizeof seen));
  CHECK(seen == ((uint64_t)thread << 32 | turn << 8 | (me + n - 1) % n));
  OK(eyot_lock_destroy(&own));
  OK(eyot_team_destroy(&sub));
  OK(eyot_team_free(words));
}

static void *work(void *arg) {
  const uint32_t thread = *(const uint32_t *)arg;
  for (uint32_t i = 0; i < TURNS; i++) {
    operate(thread, i);
    if (i % 2 == 0) pass_block(thread, i);
    allocate(thread);
    meet(thread, i);
    if (i % 5 == 0) renew(thread, i);
    if (race) unordered++;
  }
  return NULL;
}

static void *split(void *arg) {
  const uint32_t thread = *(const uint32_t *)arg, n = eyot_size();
  for (uint32_t i = 0; i < SPLITS; i++) {
    const uint32_t parts = 1 + (thread + i) % n;
    eyot_tunit_t me;
    eyot_team_t part;
    uint32_t size;
    OK(eyot_team_split(team[thread], eyot_me().id % parts, &part));
    OK(eyot_team_size(part, &size));
    OK(eyot_team_me(part, &me));
    CHECK(size == (n - eyot_me().id % parts + parts - 1) / parts);
    CHECK(me.id == eyot_me().id / parts);
    OK(eyot_team_destroy(&part));
  }
  return NULL;
}

/* Waits for a word that another thread of the same unit puts. */
static void *await(void *arg) {
  uint64_t seen;
  (void)arg;
  OK(eyot_wait_until(word_at(eyot_me(), COUNTER), EYOT_CMP_EQ, 7, &seen));
  return NULL;
}

static void own_words(void) {
  pthread_t waiter;
  const uint64_t zero = 0, seven = 7;
  OK(eyot_put(word_at(eyot_me(), COUNTER), &zero, sizeof zero));
  CHECK(pthread_create(&waiter, NULL, await, NULL) == 0);
  OK(eyot_sync());
  OK(eyot_put(word_at(eyot_me(), COUNTER), &seven, sizeof seven));
  CHECK(pthread_join(waiter, NULL) == 0);
}

static void make(void) {
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &base));
  for (uint32_t i = 0; i < THREADS; i++) {
    OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team[i]));
    OK(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock[i]));
  }
}

static void unmake(void) {
  for (uint32_t i = 0; i < THREADS; i++) {
    OK(eyot_lock_destroy(&lock[i]));
    OK(eyot_team_destroy(&team[i]));
  }
  OK(eyot_team_free(base));
}

int main(int argc, char **argv) {
  pthread_t id[THREADS];
  uint32_t number[THREADS];
  uint64_t total;
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  attr.threads = EYOT_THREAD_MULTIPLE;
  race = argc > 1 && strcmp(argv[1], "race") == 0;
  bool splits = argc > 1 && strcmp(argv[1], "splits") == 0;
  OK(eyot_init_with(&argc, &argv, &attr));
  CHECK(eyot_thread_level() == EYOT_THREAD_MULTIPLE);
  make();
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < THREADS; i++) {
    number[i] = i;
    CHECK(pthread_create(&id[i], NULL, splits ? split : work, &number[i]) == 0);
  }
  for (uint32_t i = 0; i < THREADS; i++) CHECK(pthread_join(id[i], NULL) == 0);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_get(&total, word_at((eyot_unit_t){0}, COUNTER), sizeof total));
  CHECK(total == (splits ? 0 : (uint64_t)THREADS * TURNS * eyot_size()));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  /* entries would be changed while other threads read them */
  char *inlined;
  CHECK(!eyoti_fast_find(word_at(eyot_me(), COUNTER), 8, &inlined));
  own_words();
  OK(eyot_barrier(EYOT_TEAM_ALL));
  unmake();
  return finish();
}
