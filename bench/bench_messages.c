/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_messages.c - barriers, and a flood of puts of 8 bytes, in the simulator: what smpi_work.c
 * does with MPI's messages (suite_smpi.sh compares the two simulators' cost).
 *
 *   bench_messages barrier TIMES     so many barriers; nobody leaves one before all have come
 *   bench_messages flood MESSAGES    so many puts of 8 bytes from each unit to the one half way
 * Both verify what they can see, and unit 0 prints one line with the virtual time. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}

static void barriers(long times) {
  uint64_t mine = 0;
  for (long i = 0; i < times; i++) {
    mine = eyot_now_ns();
    must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  }
  uint64_t left = eyot_now_ns(), last;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &last, 1), "eyot_allreduce");
  if (left < last) eyot_abort(1, "a unit has left a barrier before another has come");
  if (eyot_me().id == 0) printf("barriers: verified\n");
}

static void flood(uint64_t messages) {
  uint32_t me = eyot_me().id, n = eyot_size(), to = (me + n / 2) % n, from = (me + n - n / 2) % n;
  uint64_t bytes = messages * sizeof(uint64_t);
  uint64_t *out = malloc(bytes);
  eyot_gptr_t in;
  void *mine;
  if (out == NULL) eyot_abort(1, "no memory");
  must(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &in), "eyot_team_alloc");
  eyot_gptr_t there = eyot_gptr_at(in, (eyot_unit_t){to});
  for (uint64_t i = 0; i < messages; i++) {
    out[i] = ((uint64_t)me << 32) + i + 1;
    must(eyot_put_nbi(eyot_gptr_add(there, (int64_t)(i * sizeof *out)), &out[i], sizeof *out),
         "eyot_put_nbi");
  }
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_gptr_addr(eyot_gptr_at(in, eyot_me()), &mine), "eyot_gptr_addr");
  for (uint64_t i = 0; i < messages; i++)
    if (((uint64_t *)mine)[i] != ((uint64_t)from << 32) + i + 1)
      eyot_abort(1, "a message has wrong bytes");
  if (me == 0) printf("flood: verified\n");
  must(eyot_team_free(in), "eyot_team_free");
  free(out);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  long count = argc == 3 ? atol(argv[2]) : 0;
  bool barrier = argc == 3 && strcmp(argv[1], "barrier") == 0;
  if (count < 1 || count > 1000000 || (!barrier && strcmp(argv[1], "flood") != 0))
    eyot_abort(2, "usage: bench_messages barrier|flood COUNT");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  uint64_t begin = eyot_now_ns();
  if (barrier)
    barriers(count);
  else
    flood((uint64_t)count);
  if (eyot_me().id == 0)
    printf("units %u virtual_us %.3f\n", eyot_size(), (double)(eyot_now_ns() - begin) / 1e3);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
