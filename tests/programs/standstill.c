/* SPDX-License-Identifier: BSD-3-Clause */
/* standstill.c - programs that come to a standstill, or never do: standstill WAY. The reports must
 * say why; see standstill.sh. */

/*   cycle       each unit waits for a word that the next unit has written before, and will not
 *               write again
 *   missing     the second unit to begin never starts eyot (needs --shared-globals): the others
 *               wait for it
 *   overwritten unit 0 reads its word after unit 1 has written 1, and then 2: it waits for 1
 *   reset       the same, but unit 0 itself sets the word to 0 between
 *   seen        unit 0 waits for the same value of a word twice; it comes once
 *   inner       unit 0 waits for a word; the others make memory for messages, in a collective
 *   locks       units 0 and 1 acquire two locks in opposite order
 *   graph TO... unit i waits for a word that unit TO[i] has written before (-: no unit has)
 *   any         unit 0 waits for any of two counters; unit 1 has added too little to the second
 *   poll        unit 0 polls with gets a word of unit 1 that no unit will write, the others wait
 *   spin        unit 0 computes for ever, the others wait
 *   swap        units poll a word with atomics in turns, each undoing what the other has done */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"

#define LATE_NS 100000

struct run {
  eyot_gptr_t words; /* two of each unit */
  uint32_t me, n;
};

static eyot_gptr_t word_of(const struct run *r, uint32_t unit, uint32_t i) {
  return eyot_gptr_add(eyot_gptr_at(r->words, (eyot_unit_t){unit % r->n}), (int64_t)i * 8);
}

static void set(const struct run *r, uint32_t unit, uint32_t i, uint64_t value) {
  OK(eyot_put(word_of(r, unit, i), &value, sizeof value));
  OK(eyot_flush_all(EYOT_REMOTE));
}

static void wait_for(const struct run *r, uint32_t i, eyot_cmp_t cmp, uint64_t value) {
  uint64_t seen = 0;
  int rc = eyot_wait_until(word_of(r, r->me, i), cmp, value, &seen); /* reported line */
  OK(rc);
}

static void cycle(const struct run *r) {
  set(r, r->me + r->n - 1, 0, 1);
  wait_for(r, 0, EYOT_CMP_GE, 1);
  wait_for(r, 0, EYOT_CMP_GE, 2); /* before it writes */
  set(r, r->me + r->n - 1, 0, 2);
}

static void overwritten(const struct run *r, bool by_itself) {
  if (r->me == 1) {
    set(r, 0, 0, 1);
    if (!by_itself) set(r, 0, 0, 2);
  }
  if (r->me != 0) return;
  OK(eyot_compute(LATE_NS));
  void *mine;
  OK(eyot_gptr_addr(word_of(r, 0, 0), &mine));
  if (by_itself) *(volatile uint64_t *)mine = 0;
  wait_for(r, 0, EYOT_CMP_EQ, 1);
}

/* 1 is written, seen, and taken back; the second wait is for another 1. The report must know that
 * nothing was missed. */
static void seen(const struct run *r) {
  if (r->me == 1) set(r, 0, 0, 1);
  if (r->me != 0) return;
  wait_for(r, 0, EYOT_CMP_EQ, 1);
  set(r, 0, 0, 0);
  wait_for(r, 0, EYOT_CMP_EQ, 1);
}

/* The first call of a team makes memory for messages, by an allocation that all members make. */
static void inner(const struct run *r) {
  uint64_t all[8] = {0};
  CHECK(r->n <= 8);
  if (r->me == 0) wait_for(r, 0, EYOT_CMP_EQ, 1);
  OK(eyot_allgather(EYOT_TEAM_ALL, &all[r->me], all, sizeof *all));
}

static void locks(const struct run *r) {
  eyot_lock_t lock[2];
  for (int i = 0; i < 2; i++) OK(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock[i]));
  if (r->me > 1) return;
  OK(eyot_lock_acquire(lock[r->me], EYOT_LOCK_EXCLUSIVE));
  OK(eyot_compute(LATE_NS));
  OK(eyot_lock_acquire(lock[1 - r->me], EYOT_LOCK_EXCLUSIVE));
}

static void graph(const struct run *r, char **to, uint32_t n) {
  CHECK(n == r->n);
  bool written = strcmp(to[r->me], "-") != 0;
  for (uint32_t i = 0; i < n; i++)
    if (strcmp(to[i], "-") != 0 && strtoul(to[i], NULL, 10) == r->me) set(r, i, 0, 1);
  if (written) wait_for(r, 0, EYOT_CMP_GE, 1);
  wait_for(r, 0, EYOT_CMP_GE, 2);
}

static void any(const struct run *r) {
  eyot_counter_t all[2], of_0[2];
  size_t index;
  for (int i = 0; i < 2; i++) {
    OK(eyot_counter_create(EYOT_TEAM_ALL, 2, &all[i]));
    of_0[i] = eyot_counter_at(all[i], (eyot_unit_t){0});
  }
  if (r->me == 1) OK(eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, of_0[1], 1));
  if (r->me == 0)
    OK(eyot_counter_wait_any(of_0, 2, &index));
  else
    wait_for(r, 0, EYOT_CMP_GE, 2);
}

static void poll(const struct run *r) {
  uint64_t value = 0;
  while (r->me == 0 && value == 0) OK(eyot_get(&value, word_of(r, 1, 0), sizeof value));
}

static void spin(const struct run *r) {
  while (r->me == 0) OK(eyot_compute(1000));
}

static void swap(const struct run *r) {
  uint64_t old = 0;
  while (old <= r->n) OK(eyot_swap_u64(word_of(r, 0, 0), r->me, &old));
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  static uint32_t begun; /* shared by all units in one way only */
  if (++begun == 2 && strcmp(way, "missing") == 0) return 0;
  OK(eyot_init(&argc, &argv));
  struct run r = {.me = eyot_me().id, .n = eyot_size()};
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 16, &r.words));
  if (strcmp(way, "cycle") == 0) cycle(&r);
  if (strcmp(way, "overwritten") == 0) overwritten(&r, false);
  if (strcmp(way, "reset") == 0) overwritten(&r, true);
  if (strcmp(way, "seen") == 0) seen(&r);
  if (strcmp(way, "inner") == 0) inner(&r);
  if (strcmp(way, "locks") == 0) locks(&r);
  if (strcmp(way, "graph") == 0) graph(&r, argv + 2, (uint32_t)(argc - 2));
  if (strcmp(way, "any") == 0) any(&r);
  if (strcmp(way, "poll") == 0) poll(&r);
  if (strcmp(way, "spin") == 0) spin(&r);
  if (strcmp(way, "swap") == 0) swap(&r);
  OK(eyot_finalize());
  return 0;
}
