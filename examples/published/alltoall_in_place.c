/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_in_place.c - a model of figures 5.12 and B.6 of A. Friedley, 2013: a transposition whose
 * units read each other's blocks where they are. As printed it is wrong:
 * docs/published-listings.md.
 *
 * A unit says by a counter that its buffer is ready. It waits for the counter of each other unit,
 * and copies its block there into its own buffer. In the figure that buffer is the one that the
 * others read; here a mended unit has a second one.
 *
 *   eyotcheck -n 2 ./alltoall_in_place          finds the schedule that breaks it
 *   eyotcheck -n 2 ./alltoall_in_place mended   finds none */
#include <eyot/eyot.h>
#include <stdio.h>
#include <string.h>

enum { VALUE = 100 }; /* block b of unit u is VALUE * u + b */

static void check(int code, const char *what) {
  if (code == EYOT_OK) return;
  fprintf(stderr, "alltoall_in_place: %s: %s\n", what, eyot_strerror(code));
  eyot_abort(1, "alltoall_in_place cannot continue");
}
#define TRY(call) check((call), #call)

/* A word of an array that each unit has. */
static eyot_gptr_t at(eyot_gptr_t words, uint32_t unit, uint32_t index) {
  return eyot_gptr_add(eyot_gptr_at(words, (eyot_unit_t){unit}),
                       (int64_t)(index * sizeof(uint64_t)));
}

/* source and target: a block for each unit; ready: a counter of each unit. */
static void transpose(eyot_gptr_t source, eyot_gptr_t target, eyot_gptr_t ready) {
  uint32_t me = eyot_me().id;
  uint64_t before = 0, value = 0;
  TRY(eyot_fetch_add_u64(at(ready, me, 0), 1, &before));
  for (uint32_t unit = 0; unit < eyot_size(); unit++) {
    do TRY(eyot_read_u64(at(ready, unit, 0), &value));
    while (value <= before);
    TRY(eyot_get(&value, at(source, unit, me), sizeof value));
    TRY(eyot_put(at(target, me, unit), &value, sizeof value));
    if (value != VALUE * unit + me)
      eyot_check_fail("unit %u reads %llu as its block of unit %u, expected %u", me,
                      (unsigned long long)value, unit, VALUE * unit + me);
  }
}

int main(int argc, char **argv) {
  TRY(eyot_init(&argc, &argv));
  bool mended = argc > 1 && strcmp(argv[1], "mended") == 0;
  uint32_t n = eyot_size(), me = eyot_me().id;
  eyot_gptr_t first, second, ready;
  TRY(eyot_team_alloc(EYOT_TEAM_ALL, n * sizeof(uint64_t), &first));
  TRY(eyot_team_alloc(EYOT_TEAM_ALL, n * sizeof(uint64_t), &second));
  TRY(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &ready));
  for (uint32_t b = 0; b < n; b++) {
    uint64_t value = VALUE * me + b;
    TRY(eyot_put(at(first, me, b), &value, sizeof value));
  }
  TRY(eyot_barrier(EYOT_TEAM_ALL));
  eyot_check_begin();
  transpose(first, mended ? second : first, ready);
  eyot_check_end();
  if (me == 0) printf("alltoall_in_place: each unit has its blocks of all units\n");
  TRY(eyot_team_free(ready));
  TRY(eyot_team_free(second));
  TRY(eyot_team_free(first));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
