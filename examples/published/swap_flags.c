/* SPDX-License-Identifier: BSD-3-Clause */
/* swap_flags.c - a model of figure 5.4 of A. Friedley, 2013: units in a ring, each packs into the
 * buffer of the next one, and flags say whether a buffer is free. As printed it is wrong:
 * docs/published-listings.md.
 *
 * A unit raises its own flag: its buffer may be filled. It waits for the flag of the unit that it
 * sends to, packs, and lowers a flag; when its own is lowered, it unpacks. The figure lowers the
 * flag of the unit that it receives from; figure 5.6 of the same chapter that of the target.
 *
 *   eyotcheck -n 3 ./swap_flags          finds the schedule that breaks it
 *   eyotcheck -n 3 ./swap_flags mended   finds none */
#include <eyot/eyot.h>
#include <stdio.h>
#include <string.h>

enum { VALUE = 1000 };

struct ring {
  uint32_t me, to, from;
  eyot_gptr_t flag, buffer; /* a word of each unit */
};

static void check(int code, const char *what) {
  if (code == EYOT_OK) return;
  fprintf(stderr, "swap_flags: %s: %s\n", what, eyot_strerror(code));
  eyot_abort(1, "swap_flags cannot continue");
}
#define TRY(call) check((call), #call)

static eyot_gptr_t at(eyot_gptr_t words, uint32_t unit) {
  return eyot_gptr_at(words, (eyot_unit_t){unit});
}

static void flag_set(const struct ring *r, uint32_t unit, uint64_t value) {
  uint64_t before;
  TRY(eyot_swap_u64(at(r->flag, unit), value, &before));
}

/* As in the figure, by reading the other unit's flag again and again. */
static void flag_await_raised(const struct ring *r, uint32_t unit) {
  uint64_t value = 0;
  do TRY(eyot_read_u64(at(r->flag, unit), &value));
  while (value != 1);
}

static void swap(const struct ring *r, bool mended) {
  uint64_t mine = VALUE + r->me, got = 0;
  flag_set(r, r->me, 1);
  flag_await_raised(r, r->to);
  TRY(eyot_put(at(r->buffer, r->to), &mine, sizeof mine));
  flag_set(r, mended ? r->to : r->from, 0);
  TRY(eyot_wait_until(at(r->flag, r->me), EYOT_CMP_EQ, 0, NULL));
  TRY(eyot_get(&got, at(r->buffer, r->me), sizeof got));
  if (got != VALUE + r->from)
    eyot_check_fail("unit %u unpacks %llu before unit %u has packed", r->me,
                    (unsigned long long)got, r->from);
}

int main(int argc, char **argv) {
  TRY(eyot_init(&argc, &argv));
  uint32_t n = eyot_size(), me = eyot_me().id;
  struct ring r = {.me = me, .to = (me + 1) % n, .from = (me + n - 1) % n};
  TRY(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &r.flag));
  TRY(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &r.buffer));
  eyot_check_begin();
  swap(&r, argc > 1 && strcmp(argv[1], "mended") == 0);
  eyot_check_end();
  if (me == 0) printf("swap_flags: each unit has the value of the one before it\n");
  TRY(eyot_team_free(r.buffer));
  TRY(eyot_team_free(r.flag));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
