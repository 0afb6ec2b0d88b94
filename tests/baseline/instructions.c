/* SPDX-License-Identifier: BSD-3-Clause */
/* instructions.c - one operation N times, for tests/baseline/instructions.sh, which counts the
 * instructions that N more of them execute.
 *   instructions put|get|put_nbi|fetch_add|flush|barrier|allreduce|mcs|hier|rw|epoch|tas|ticket N
 * Operations of one unit are those of unit 0 on the next one (itself, if it is alone); the others
 * wait in a barrier. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static eyot_gptr_t there;
static uint64_t word;
static eyot_lock_t lock;

static void must(int rc, const char *what) {
  if (rc != EYOT_OK) eyot_abort(1, what);
}

static void put(void) {
  must(eyot_put(there, &word, sizeof word), "eyot_put");
}
static void get(void) {
  must(eyot_get(&word, there, sizeof word), "eyot_get");
}
static void put_nbi(void) {
  must(eyot_put_nbi(there, &word, sizeof word), "eyot_put_nbi");
}
static void fetch_add(void) {
  must(eyot_fetch_add_u64(there, 1, &word), "eyot_fetch_add_u64");
}
static void flush(void) {
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
}
static void barrier(void) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static void allreduce(void) {
  uint64_t sum;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &word, &sum, 1), "eyot_allreduce");
}

static void hold(void) {
  must(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE), "eyot_lock_acquire");
  must(eyot_lock_release(lock), "eyot_lock_release");
}

static void hold_at(void) {
  must(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, (eyot_tunit_t){0}), "eyot_lock_acquire_at");
  must(eyot_lock_release_at(lock, (eyot_tunit_t){0}), "eyot_lock_release_at");
}

static const struct {
  const char *name;
  void (*call)(void);
  bool all; /* each unit calls it */
  eyot_lock_kind_t kind;
} CALLS[] = {
    {"put", put, false, 0},
    {"get", get, false, 0},
    {"put_nbi", put_nbi, false, 0},
    {"fetch_add", fetch_add, false, 0},
    {"flush", flush, false, 0},
    {"barrier", barrier, true, 0},
    {"allreduce", allreduce, true, 0},
    {"mcs", hold, false, EYOT_LOCK_MCS},
    {"hier", hold, false, EYOT_LOCK_HIER},
    {"rw", hold, false, EYOT_LOCK_RW},
    {"epoch", hold_at, false, EYOT_LOCK_EPOCH},
    {"tas", hold, false, EYOT_LOCK_TAS},
    {"ticket", hold, false, EYOT_LOCK_TICKET},
};
#define N_CALLS (sizeof CALLS / sizeof *CALLS)

/* Callgrind counts in here. */
__attribute__((noinline)) static void repeat(void (*call)(void), int n) {
  for (int i = 0; i < n; i++) call();
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  size_t which = 0;
  while (which < N_CALLS && (argc < 3 || strcmp(argv[1], CALLS[which].name) != 0)) which++;
  if (which == N_CALLS) {
    fprintf(stderr, "usage: instructions CALL N\n");
    return 2;
  }
  eyot_gptr_t words;
  must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof word, &words), "eyot_team_alloc");
  there = eyot_gptr_at(words, (eyot_unit_t){(eyot_me().id + 1) % eyot_size()});
  if (CALLS[which].call == hold || CALLS[which].call == hold_at) {
    eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
    attr.kind = CALLS[which].kind;
    must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock), "eyot_lock_create");
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (CALLS[which].all || eyot_me().id == 0) repeat(CALLS[which].call, atoi(argv[2]));
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (CALLS[which].call == hold || CALLS[which].call == hold_at)
    must(eyot_lock_destroy(&lock), "eyot_lock_destroy");
  must(eyot_team_free(words), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
