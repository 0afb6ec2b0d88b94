/* SPDX-License-Identifier: BSD-3-Clause */
/* seqlock.c - a sequence lock, which races by design: seqlock plain|marked, with 2 units. Unit 0
 * writes two values at unit 1 between two changes of a sequence number; unit 1 reads them by plain
 * loads and tries again if the number was odd or has changed. marked: the values are marked as
 * racy. */
#include <eyot/check.h>
#include <eyot/eyot.h>
#include <string.h>

enum { NUMBER = 0, VALUES, WORDS = 3 };
#define TRIES 3

#define MUST(call)                                          \
  do {                                                      \
    if ((call) != EYOT_OK) eyot_abort(9, "failed: " #call); \
  } while (0)

static eyot_gptr_t word(eyot_gptr_t all, int i) {
  return eyot_gptr_add(eyot_gptr_at(all, (eyot_unit_t){1}), i * 8);
}

static __attribute__((noinline)) void write_values(eyot_gptr_t all, uint64_t value) {
  const uint64_t values[2] = {value, value};
  MUST(eyot_put(word(all, VALUES), values, sizeof values));
}

static __attribute__((noinline)) uint64_t read_values(const uint64_t *own) {
  const volatile uint64_t *values = own + VALUES;
  return values[0] + values[1];
}

static void writer(eyot_gptr_t all) {
  uint64_t old;
  MUST(eyot_fetch_add_u64(word(all, NUMBER), 1, &old));
  write_values(all, 7);
  MUST(eyot_fetch_add_u64(word(all, NUMBER), 1, &old));
}

static void reader(eyot_gptr_t all, const uint64_t *own) {
  for (int i = 0; i < TRIES; i++) {
    uint64_t before, after;
    MUST(eyot_read_u64(word(all, NUMBER), &before));
    uint64_t sum = read_values(own);
    MUST(eyot_read_u64(word(all, NUMBER), &after));
    if (before % 2 == 0 && before == after && sum != 0 && sum != 14)
      eyot_check_fail("half of a write: %d", (int)sum);
  }
}

int main(int argc, char **argv) {
  MUST(eyot_init(&argc, &argv));
  if (argc != 2 || eyot_size() != 2) eyot_abort(9, "usage: seqlock plain|marked, with 2 units");
  eyot_gptr_t all;
  void *own;
  MUST(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * 8, &all));
  MUST(eyot_gptr_addr(eyot_gptr_at(all, eyot_me()), &own));
  if (strcmp(argv[1], "marked") == 0) eyot_check_racy((uint64_t *)own + VALUES, 16);
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_check_begin());
  if (eyot_me().id == 0)
    writer(all);
  else
    reader(all, own);
  MUST(eyot_check_end());
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_team_free(all));
  return eyot_finalize();
}
