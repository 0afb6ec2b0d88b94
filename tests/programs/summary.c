/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - a program whose operations, distances and phases are known, so that summary.sh can
 * check every number of the simulator's summary.
 *
 * Four units on two nodes of two: unit 0 puts three times 8 bytes to unit 1 (same NUMA domain),
 * gets twice 16 bytes from itself, adds once on unit 2 (another node of the blade) and signals unit
 * 3 with 24 bytes. All of it is in phase "talk"; phase "think" computes 5 us on every unit. */
#include <eyot/eyot.h>

static void must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}

int main(void) {
  must(eyot_init(NULL, NULL), "init");
  eyot_gptr_t mine;
  must(eyot_team_alloc(EYOT_TEAM_ALL, 64, &mine), "alloc");
  must(eyot_phase("think"), "phase");
  must(eyot_compute(5000), "compute");
  must(eyot_phase("talk"), "phase");
  if (eyot_me().id == 0) {
    uint64_t words[3] = {1, 2, 3};
    eyot_unit_t u[4] = {{0}, {1}, {2}, {3}};
    for (int i = 0; i < 3; i++) must(eyot_put(eyot_gptr_at(mine, u[1]), words, 8), "put");
    for (int i = 0; i < 2; i++) must(eyot_get(words, eyot_gptr_at(mine, u[0]), 16), "get");
    must(eyot_fetch_add_u64(eyot_gptr_at(mine, u[2]), 1, words), "add");
    must(eyot_put_signal(eyot_gptr_at(mine, u[3]), words, 24,
                         eyot_gptr_add(eyot_gptr_at(mine, u[3]), 32), EYOT_SIGNAL_SET, 1),
         "signal");
  }
  must(eyot_phase(NULL), "phase");
  must(eyot_team_free(mine), "free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
