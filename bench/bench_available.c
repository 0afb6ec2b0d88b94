/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_available.c - overhead and application availability of a transfer in virtual time, after
 * the Sandia micro-benchmark as Zhou (section 7.2.2) uses it. bench_overlap measures it in wall
 * time on mpi, against the noise of a real machine.
 *
 *   eyotrun --fabric sim --platform xc40 -n 2 [--units-per-node 1] bench_available PLACE
 * Unit 0 posts a put or a get to unit 1, computes, and waits for remote completion. The work is
 * doubled until that takes more than one and a half times base, a transfer without work; then
 * overhead is the time less the work, and availability 1 - overhead / base. Unit 1 waits in a
 * barrier. Lines: value {put|get}@BYTES availability_virtual_PLACE % NUMBER. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { WORK_LEAST_NS = 16 };
static const uint64_t SIZES[] = {1024, 4096, 16384, 65536, 262144, 1048576};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

static uint64_t transfer(eyot_gptr_t there, bool put, void *here, uint64_t bytes, uint64_t work) {
  eyot_handle_t h;
  uint64_t begin = eyot_now_ns();
  must(put ? eyot_put_nb(there, here, bytes, &h) : eyot_get_nb(here, there, bytes, &h),
       put ? "eyot_put_nb" : "eyot_get_nb");
  must(eyot_compute(work), "eyot_compute");
  must(eyot_wait(&h, EYOT_REMOTE), "eyot_wait");
  return eyot_now_ns() - begin;
}

static void measure(const char *place, eyot_gptr_t there, bool put, void *here, uint64_t bytes) {
  uint64_t base = transfer(there, put, here, bytes, 0), work = WORK_LEAST_NS, all;
  while ((all = transfer(there, put, here, bytes, work)) * 2 <= base * 3) work *= 2;
  printf("value %s@%llu availability_virtual_%s %% %.4g\n", put ? "put" : "get",
         (unsigned long long)bytes, place, 100 * (1 - (double)(all - work) / (double)base));
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (strcmp(eyot_fabric_name(), "sim") != 0 || eyot_size() != 2 || argc != 2) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_available: needs two simulated units: eyotrun --fabric sim -n 2 "
              "bench_available PLACE\n");
    eyot_finalize();
    return 2;
  }
  uint64_t most = SIZES[N_SIZES - 1];
  eyot_gptr_t part;
  must(eyot_team_alloc(EYOT_TEAM_ALL, most, &part), "eyot_team_alloc");
  void *mine;
  must(eyot_gptr_addr(eyot_gptr_at(part, eyot_me()), &mine), "eyot_gptr_addr");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (eyot_me().id == 0)
    for (uint32_t i = 0; i < 2 * N_SIZES; i++)
      measure(argv[1], eyot_gptr_at(part, (eyot_unit_t){1}), i % 2 == 0, mine, SIZES[i / 2]);
  fflush(stdout);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
