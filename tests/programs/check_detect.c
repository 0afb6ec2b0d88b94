/* SPDX-License-Identifier: BSD-3-Clause */
/* check_detect.c - programs with one mistake each for the detectors of eyotcheck, and correct ones
 * that look similar: check_detect CASE. Cases whose name ends in _ok are correct under every
 * schedule; the others have one mistake each (check_detect.cmake has the expected report). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/must.h"

#define BYTES 96
#define FAR_BYTES 400000 /* malloc maps it, and free unmaps it */

/* Memory of all units, and the next unit's part of it. */
struct place {
  eyot_gptr_t all, next, own;
  uint32_t me;
};

static struct place make(uint64_t bytes) {
  struct place p = {.me = eyot_me().id};
  MUST(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &p.all));
  p.next = eyot_gptr_at(p.all, (eyot_unit_t){(p.me + 1) % eyot_size()});
  p.own = eyot_gptr_at(p.all, eyot_me());
  return p;
}

static void release(const struct place *p) {
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_team_free(p->all));
}

/* -- sources ----------------------------------------------------------------------------------- */

static void source_flush(void) {
  struct place p = make(BYTES);
  unsigned char buffer[BYTES];
  memset(buffer, 1, sizeof buffer);
  MUST(eyot_put_nbi(p.next, buffer, sizeof buffer));
  buffer[40] = 2;
  MUST(eyot_flush_all(EYOT_LOCAL));
  release(&p);
}

/* A flush of one unit says nothing of a put to another. */
static void source_flush_other(void) {
  struct place p = make(BYTES);
  unsigned char buffer[BYTES];
  memset(buffer, 1, sizeof buffer);
  MUST(eyot_put_nbi(p.next, buffer, sizeof buffer));
  MUST(eyot_flush((eyot_unit_t){(p.me + 2) % eyot_size()}, EYOT_REMOTE));
  buffer[40] = 2;
  MUST(eyot_flush_all(EYOT_LOCAL));
  release(&p);
}

static void source_flush_ok(void) {
  struct place p = make(BYTES);
  unsigned char buffer[BYTES];
  memset(buffer, 1, sizeof buffer);
  MUST(eyot_put_nbi(p.next, buffer, sizeof buffer));
  MUST(eyot_flush_all(EYOT_LOCAL));
  buffer[40] = 2;
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&p);
}

static void source_handle(void) {
  struct place p = make(BYTES);
  uint64_t word = 7;
  eyot_handle_t h;
  MUST(eyot_put_nb(p.next, &word, sizeof word, &h));
  MUST(eyot_compute(1));
  word = 8;
  MUST(eyot_wait(&h, EYOT_REMOTE));
  release(&p);
}

static void source_handle_ok(void) {
  struct place p = make(BYTES);
  uint64_t word = 7;
  eyot_handle_t h;
  bool done = false;
  MUST(eyot_put_nb(p.next, &word, sizeof word, &h));
  MUST(eyot_wait(&h, EYOT_LOCAL));
  word = 8;
  while (!done) MUST(eyot_test(&h, EYOT_REMOTE, &done));
  MUST(eyot_put_nb(p.next, &word, sizeof word, &h));
  MUST(eyot_wait(&h, EYOT_REMOTE));
  word = 9;
  release(&p);
}

__attribute__((noinline)) static void put_from_frame(eyot_gptr_t to) {
  unsigned char gone[BYTES];
  memset(gone, 3, sizeof gone);
  MUST(eyot_put_nbi(to, gone, sizeof gone));
}

__attribute__((noinline)) static unsigned other_frame(unsigned x) {
  volatile unsigned char other[BYTES * 2];
  for (unsigned i = 0; i < sizeof other; i++) other[i] = (unsigned char)(x + i);
  return other[x];
}

static void source_frame(void) {
  struct place p = make(BYTES);
  put_from_frame(p.next);
  (void)other_frame(9);
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&p);
}

static void source_freed(void) {
  struct place p = make(FAR_BYTES);
  char *buffer = malloc(FAR_BYTES);
  if (buffer == NULL) exit(1);
  memset(buffer, 1, FAR_BYTES);
  MUST(eyot_put_nbi(p.next, buffer, FAR_BYTES));
  free(buffer);
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&p);
}

/* The reader's answer shows that the bytes have arrived. */
static void source_heard_ok(void) {
  struct place p = make(BYTES);
  uint64_t word = 5;
  if (p.me == 0) {
    MUST(eyot_put_signal_nbi(p.next, &word, sizeof word, eyot_gptr_add(p.next, 8), EYOT_SIGNAL_SET,
                             1));
    MUST(eyot_wait_until(eyot_gptr_add(p.own, 16), EYOT_CMP_EQ, 1, NULL));
    word = 6;
  } else if (p.me == 1) {
    MUST(eyot_wait_until(eyot_gptr_add(p.own, 8), EYOT_CMP_EQ, 1, NULL));
    eyot_gptr_t back = eyot_gptr_at(p.all, (eyot_unit_t){0});
    MUST(eyot_put_signal(back, NULL, 0, eyot_gptr_add(back, 16), EYOT_SIGNAL_SET, 1));
  }
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&p);
}

static void source_signal(void) {
  struct place p = make(BYTES);
  uint64_t words[4] = {1, 2, 3, 4};
  MUST(eyot_put_signal_nbi(p.next, words, sizeof words, eyot_gptr_add(p.next, 64), EYOT_SIGNAL_SET,
                           1));
  words[3] = 5;
  MUST(eyot_wait_until(eyot_gptr_add(p.own, 64), EYOT_CMP_EQ, 1, NULL));
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&p);
}

/* A store before the post, which may still be in the CPU's store buffer when the network reads the
 * source (order tso), or one after it. */
static void store_around(bool after) {
  struct place p = make(BYTES);
  void *mine;
  MUST(eyot_gptr_addr(eyot_gptr_add(p.own, 64), &mine));
  eyot_cpu_store(mine, 7);
  if (after) eyot_cpu_fence();
  MUST(eyot_put_nbi(p.next, mine, 8));
  if (after) eyot_cpu_store(mine, 8);
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&p);
}

static void source_stored(void) {
  store_around(true);
}
static void source_stored_ok(void) {
  store_around(false);
}

/* -- destinations ------------------------------------------------------------------------------ */

static void destination_get(void) {
  struct place p = make(BYTES);
  unsigned char buffer[BYTES];
  MUST(eyot_get_nbi(buffer, p.next, sizeof buffer));
  buffer[33] = 1;
  MUST(eyot_flush_all(EYOT_LOCAL));
  release(&p);
}

/* Between the post and the mistake the unit makes steps, so that the get may have landed before or
 * not: a search must try both. */
static void destination_late(void) {
  struct place p = make(8);
  uint64_t word = 0;
  MUST(eyot_check_begin());
  if (p.me == 0) {
    MUST(eyot_get_nbi(&word, p.next, sizeof word));
    for (int i = 0; i < 40; i++) MUST(eyot_progress());
    word = 1;
    MUST(eyot_flush_all(EYOT_LOCAL));
  }
  MUST(eyot_check_end());
  release(&p);
}

/* The value that is read too early was never written by any unit. */
static void destination_read(void) {
  struct place p = make(BYTES);
  uint64_t word = 0;
  eyot_handle_t h;
  MUST(eyot_get_nb(&word, p.next, sizeof word, &h));
  if (*(volatile uint64_t *)&word != 0) eyot_check_fail("read %#llx", (unsigned long long)word);
  MUST(eyot_wait(&h, EYOT_REMOTE));
  release(&p);
}

static void destination_ok(void) {
  struct place p = make(BYTES);
  unsigned char buffer[BYTES];
  uint64_t word, old;
  eyot_handle_t h;
  MUST(eyot_get_nbi(buffer, p.next, sizeof buffer));
  MUST(eyot_get_nb(&word, p.next, sizeof word, &h));
  MUST(eyot_wait(&h, EYOT_LOCAL));
  word++;
  MUST(eyot_wait(&h, EYOT_REMOTE));
  MUST(eyot_flush_all(EYOT_LOCAL));
  for (unsigned i = 0; i < sizeof buffer; i++)
    if (buffer[i] != 0) eyot_check_fail("byte %u is %u", i, buffer[i]);
  MUST(eyot_fetch_op(eyot_gptr_add(p.next, 8), EYOT_UINT64, EYOT_SUM, &(uint64_t){1}, &old));
  if (old != 0) eyot_check_fail("the value before is %llu", (unsigned long long)old);
  release(&p);
}

/* -- freed memory ------------------------------------------------------------------------------ */

static void range_collective(void) {
  struct place p = make(BYTES);
  uint64_t word = 1;
  MUST(eyot_put_nbi(p.next, &word, sizeof word));
  MUST(eyot_team_free(p.all));
  MUST(eyot_flush_all(EYOT_REMOTE));
}

static void range_collective_ok(void) {
  struct place p = make(BYTES);
  uint64_t word = 1;
  MUST(eyot_put_nbi(p.next, &word, sizeof word));
  MUST(eyot_flush_all(EYOT_REMOTE));
  MUST(eyot_team_free(p.all));
  struct place again = make(BYTES); /* the same memory again */
  MUST(eyot_put_nbi(again.next, &word, sizeof word));
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&again);
}

/* Unit 1 frees memory that it has shown to unit 0, without an answer from it. */
static void range_private(bool right) {
  struct place p = make(BYTES);
  eyot_gptr_t own;
  uint64_t word = 1;
  if (p.me == 1) {
    MUST(eyot_alloc(64, &own));
    eyot_gptr_t at = eyot_gptr_at(p.all, (eyot_unit_t){0});
    MUST(eyot_put_signal(at, &own, sizeof own, eyot_gptr_add(at, 64), EYOT_SIGNAL_SET, 1));
    if (right) MUST(eyot_wait_until(eyot_gptr_add(p.own, 64), EYOT_CMP_EQ, 1, NULL));
    MUST(eyot_free(own));
  } else if (p.me == 0) {
    void *mine;
    MUST(eyot_wait_until(eyot_gptr_add(p.own, 64), EYOT_CMP_EQ, 1, NULL));
    MUST(eyot_gptr_addr(p.own, &mine));
    memcpy(&own, mine, sizeof own);
    if (eyot_put_nbi(own, &word, sizeof word) == EYOT_OK) MUST(eyot_flush_all(EYOT_REMOTE));
    eyot_gptr_t at = eyot_gptr_at(p.all, (eyot_unit_t){1});
    MUST(eyot_put_signal(at, NULL, 0, eyot_gptr_add(at, 64), EYOT_SIGNAL_SET, 1));
  }
  release(&p);
}

static void range_free(void) {
  range_private(false);
}
static void range_free_ok(void) {
  range_private(true);
}

/* -- leaks ------------------------------------------------------------------------------------- */

static void leak_alloc(void) {
  eyot_gptr_t p;
  if (eyot_me().id == 1) MUST(eyot_alloc(24, &p));
}

static void leak_team_alloc(void) {
  (void)make(40);
}

static void leak_handle(void) {
  struct place p = make(BYTES);
  uint64_t word = 7;
  eyot_handle_t h;
  MUST(eyot_put_nb(p.next, &word, sizeof word, &h));
  MUST(eyot_flush_all(EYOT_REMOTE));
  release(&p);
}

static void leak_lock(void) {
  eyot_lock_t lock;
  MUST(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock));
}

static void leak_team(void) {
  eyot_team_t team;
  MUST(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 2, &team));
}

static void leak_counter(void) {
  eyot_counter_t c;
  MUST(eyot_counter_alloc(1, &c));
}

static void leak_registered(void) {
  static char memory[64];
  eyot_gptr_t p;
  MUST(eyot_register(memory, sizeof memory, &p));
}

static void leak_dynamic(void) {
  eyot_dynamic_t d;
  MUST(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &d));
}

static void leak_pscw(void) {
  eyot_pscw_t x;
  MUST(eyot_pscw_create(EYOT_TEAM_ALL, NULL, &x));
}

/* One of each kind of resource, and a collective that needs scratch. */
static void leak_ok(void) {
  static char memory[64];
  eyot_gptr_t registered, alone;
  eyot_lock_t lock, lock_alone;
  eyot_team_t team;
  eyot_counter_t counter, counter_of_team;
  eyot_dynamic_t dynamic;
  eyot_pscw_t pscw;
  uint64_t sum, one = 1;
  MUST(eyot_register(memory, sizeof memory, &registered));
  MUST(eyot_alloc(24, &alone));
  MUST(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock));
  MUST(eyot_lock_alloc(NULL, &lock_alone));
  MUST(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 2, &team));
  MUST(eyot_counter_alloc(1, &counter));
  MUST(eyot_counter_create(EYOT_TEAM_ALL, 1, &counter_of_team));
  MUST(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &dynamic));
  MUST(eyot_dynamic_attach(dynamic, memory, sizeof memory, NULL));
  MUST(eyot_pscw_create(EYOT_TEAM_ALL, NULL, &pscw));
  MUST(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  MUST(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  MUST(eyot_pscw_destroy(&pscw));
  MUST(eyot_dynamic_detach(dynamic, memory));
  MUST(eyot_dynamic_destroy(&dynamic));
  MUST(eyot_counter_destroy(&counter_of_team));
  MUST(eyot_counter_destroy(&counter));
  MUST(eyot_team_destroy(&team));
  MUST(eyot_lock_free(&lock_alone));
  MUST(eyot_lock_destroy(&lock));
  MUST(eyot_free(alone));
  MUST(eyot_unregister(registered));
}

/* In a run that the program itself begins and ends, only the resources made in between count. */
static void leak_in_run(bool leaks) {
  struct place before = make(8);
  eyot_gptr_t p;
  MUST(eyot_check_begin());
  MUST(eyot_alloc(24, &p));
  if (!leaks) MUST(eyot_free(p));
  MUST(eyot_check_end());
  if (leaks) MUST(eyot_free(p));
  release(&before);
}

static void leak_run(void) {
  leak_in_run(true);
}
static void leak_run_ok(void) {
  leak_in_run(false);
}

/* -- collective functions ---------------------------------------------------------------------- */

static void collective_name(void) {
  uint64_t a = 1, b;
  if (eyot_me().id == 1)
    (void)eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &a, &b, 1);
  else
    (void)eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &a, sizeof a);
}

static void collective_root(void) {
  uint64_t a = 1;
  (void)eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){eyot_me().id % 2}, &a, sizeof a);
}

static void collective_size(void) {
  eyot_gptr_t p;
  (void)eyot_team_alloc(EYOT_TEAM_ALL, eyot_me().id == 0 ? 16 : 8, &p);
}

/* The control plane cannot detect it: both are exchanges of no words. */
static void collective_end(void) {
  if (eyot_me().id == 0) MUST(eyot_barrier(EYOT_TEAM_ALL));
}

/* Two halves call different functions, all members of a half alike; teams follow each other under
 * one id. */
static void collective_ok(void) {
  uint64_t a = 1, b;
  eyot_team_t team;
  bool odd = eyot_me().id % 2 != 0;
  for (int i = 0; i < 2; i++) {
    MUST(eyot_team_split(EYOT_TEAM_ALL, odd, &team));
    if (odd)
      MUST(eyot_barrier(team));
    else
      MUST(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &a, &b, 1));
    MUST(eyot_team_destroy(&team));
  }
  /* where notify stands among the others is each member's own affair */
  if (odd) MUST(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  if (!odd) MUST(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  if (odd) MUST(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  for (bool done = odd; !done;) MUST(eyot_barrier_test(EYOT_TEAM_ALL, NULL, &done));
}

static void deadlock(void) {
  struct place p = make(8);
  if (p.me == 0) MUST(eyot_wait_until(p.own, EYOT_CMP_EQ, 1, NULL));
  release(&p);
}

static const struct {
  const char *name;
  void (*run)(void);
} CASES[] = {
    {"source_flush", source_flush},
    {"source_flush_other", source_flush_other},
    {"source_flush_ok", source_flush_ok},
    {"source_handle", source_handle},
    {"source_handle_ok", source_handle_ok},
    {"source_frame", source_frame},
    {"source_freed", source_freed},
    {"source_heard_ok", source_heard_ok},
    {"source_signal", source_signal},
    {"source_stored", source_stored},
    {"source_stored_ok", source_stored_ok},
    {"destination_get", destination_get},
    {"destination_read", destination_read},
    {"destination_late", destination_late},
    {"destination_ok", destination_ok},
    {"range_collective", range_collective},
    {"range_collective_ok", range_collective_ok},
    {"range_free", range_free},
    {"range_free_ok", range_free_ok},
    {"leak_alloc", leak_alloc},
    {"leak_team_alloc", leak_team_alloc},
    {"leak_handle", leak_handle},
    {"leak_lock", leak_lock},
    {"leak_team", leak_team},
    {"leak_counter", leak_counter},
    {"leak_registered", leak_registered},
    {"leak_dynamic", leak_dynamic},
    {"leak_pscw", leak_pscw},
    {"leak_ok", leak_ok},
    {"leak_run", leak_run},
    {"leak_run_ok", leak_run_ok},
    {"collective_name", collective_name},
    {"collective_root", collective_root},
    {"collective_size", collective_size},
    {"collective_end", collective_end},
    {"collective_ok", collective_ok},
    {"deadlock", deadlock},
};

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof CASES / sizeof *CASES; i++) {
    if (strcmp(argv[1], CASES[i].name) != 0) continue;
    MUST(eyot_init(NULL, NULL));
    CASES[i].run();
    MUST(eyot_finalize());
    return 0;
  }
  fprintf(stderr, "check_detect: no such case\n");
  return 2;
}
