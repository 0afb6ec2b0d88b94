/* SPDX-License-Identifier: BSD-3-Clause */
/* spinlock.c - a ticket lock over eyot's public calls: it passes all its tests, and is wrong.
 * docs/checking.md finds out why.
 *
 *   eyotrun --fabric sim -n 8 --seeds 100 ./spinlock       nothing is seen
 *   eyotcheck -n 2 ./spinlock                              finds the schedule that breaks it
 *   eyotcheck -n 2 --strategy exhaustive ./spinlock mended shows that the mended lock is right */
#include <eyot/eyot.h>
#include <stdio.h>
#include <string.h>

/* The words of each unit. The ticket to be drawn next and the counter that the lock guards are used
 * on unit 0 only. */
enum { TICKET = 0, COUNTER = 8, RELEASES = 16, PART_BYTES = 24 };

static void must(int code, const char *what) {
  if (code != EYOT_OK) {
    fprintf(stderr, "spinlock: %s: %s\n", what, eyot_strerror(code));
    eyot_abort(1, what);
  }
}

static eyot_gptr_t word(eyot_gptr_t part, uint32_t unit, int offset) {
  return eyot_gptr_add(eyot_gptr_at(part, (eyot_unit_t){unit}), offset);
}

/* Draws a ticket and waits, in memory of its own, until the lock was released as many times. */
static uint64_t acquire(eyot_gptr_t part) {
  uint64_t ticket;
  must(eyot_fetch_add_u64(word(part, 0, TICKET), 1, &ticket), "eyot_fetch_add_u64");
  must(eyot_wait_until(word(part, eyot_me().id, RELEASES), EYOT_CMP_EQ, ticket, NULL),
       "eyot_wait_until");
  return ticket;
}

/* Tells all units, behind everything that the holder has written. */
static void release(eyot_gptr_t part, bool mended) {
  const uint64_t one = 1;
  must(eyot_flush_all(mended ? EYOT_REMOTE : EYOT_LOCAL), "eyot_flush_all");
  for (uint32_t i = 0; i < eyot_size(); i++)
    must(eyot_accumulate_nbi(word(part, i, RELEASES), EYOT_UINT64, EYOT_SUM, &one),
         "eyot_accumulate_nbi");
}

/* Whoever has ticket t is the t-th to add 1, from 0, so it must find t. */
static void count(eyot_gptr_t part, bool mended) {
  uint64_t ticket = acquire(part), value;
  must(eyot_get(&value, word(part, 0, COUNTER), sizeof value), "eyot_get");
  if (value != ticket)
    eyot_check_fail("with ticket %lu the counter is %lu", (unsigned long)ticket,
                    (unsigned long)value);
  value++;
  must(eyot_put_nbi(word(part, 0, COUNTER), &value, sizeof value), "eyot_put_nbi");
  release(part, mended);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  bool mended = argc > 1 && strcmp(argv[1], "mended") == 0;
  eyot_gptr_t part;
  must(eyot_team_alloc(EYOT_TEAM_ALL, PART_BYTES, &part), "eyot_team_alloc");
  must(eyot_check_begin(), "eyot_check_begin");
  count(part, mended);
  must(eyot_check_end(), "eyot_check_end");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (eyot_me().id == 0) printf("spinlock: %u units have counted\n", eyot_size());
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
