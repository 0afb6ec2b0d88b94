/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_growth.c - the memory that the runtime and the simulator allocate for a unit, counted by
 * malloc. All units pass a barrier, split the machine's team twice, allocate on each team and put
 * to a distant unit; then unit 0 prints the bytes. Run it with --shared-globals, so that copies of
 * the program don't count. */
#include <malloc.h>

#include "programs/api_check.h"

#define COLORS 16u
#define PART_BYTES 256u

static uint64_t allocated(void) {
  struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t n = eyot_size(), me = eyot_me().id;
  eyot_team_t rows, columns;
  eyot_gptr_t all, row, column;
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_split(EYOT_TEAM_ALL, me % COLORS, &columns));
  OK(eyot_team_split(EYOT_TEAM_ALL, me / COLORS, &rows));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, PART_BYTES, &all));
  OK(eyot_team_alloc(columns, PART_BYTES, &column));
  OK(eyot_team_alloc(rows, PART_BYTES, &row));
  uint64_t word = me;
  OK(eyot_put(eyot_gptr_at(all, (eyot_unit_t){(me + n / 2) % n}), &word, sizeof word));
  OK(eyot_barrier(columns));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) printf("%lu bytes allocated\n", (unsigned long)allocated());
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(row));
  OK(eyot_team_free(column));
  OK(eyot_team_free(all));
  OK(eyot_team_destroy(&rows));
  OK(eyot_team_destroy(&columns));
  return finish();
}
