/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.c - a unit whose parallel regions call eyot in the thread that started it: in the
 * simulator a region has one thread, and units that take turns inside dynamic loops each run their
 * own. */
#include <omp.h>
#include <string.h>

#include "programs/api_check.h"

#define TURNS 64

int main(int argc, char **argv) {
  eyot_gptr_t base;
  uint64_t total = 0;
  int threads = 0, seen = 0;
  OK(eyot_init(&argc, &argv));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &base));
  const int turns = TURNS + (int)eyot_me().id;
#pragma omp parallel for num_threads(4) schedule(dynamic, 1) reduction(+ : seen)
  for (int i = 0; i < turns; i++) {
    uint64_t old;
    seen++;
    if (i == 0) threads = omp_get_num_threads();
    if (omp_get_thread_num() == 0)
      OK(eyot_fetch_add_u64(
          eyot_gptr_at(base, (eyot_unit_t){(eyot_me().id + (uint32_t)i) % eyot_size()}), 1, &old));
  }
  CHECK(seen == turns && !omp_in_parallel());
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (strcmp(eyot_fabric_name(), "sim") == 0) {
    OK(eyot_get(&total, eyot_gptr_at(base, eyot_me()), sizeof total));
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &total, &total, 1));
    CHECK(threads == 1);
    CHECK(total == TURNS * (uint64_t)eyot_size() + (uint64_t)eyot_size() * (eyot_size() - 1) / 2);
  }
  OK(eyot_team_free(base));
  return finish();
}
