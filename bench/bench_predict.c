/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_predict.c - the small workloads that suite_calibrate.sh measures on mpi and predicts in the
 * simulator: none of them is among the measurements of eyot-calibrate.
 *
 *   eyotrun -n N bench_predict
 * Lines: predict NAME NS, of one step; the clock is eyot_now_ns. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 65536, TRIPS = 2000, STEPS = 4000, WARM = 10 };

static eyot_gptr_t bytes, words;
static uint64_t turn;

static void must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}

/* One way of a message there and back: bytes with a signal, which the target waits for. The bytes
 * that came go back, so that each unit uses them. */
static double pingpong(uint64_t len, uint64_t n) {
  eyot_unit_t it = {1 - eyot_me().id};
  void *mine;
  must(eyot_gptr_addr(eyot_gptr_at(bytes, eyot_me()), &mine), "eyot_gptr_addr");
  uint64_t begin = 0;
  for (uint64_t i = 0; i < n + n / WARM; i++) {
    if (i == n / WARM) begin = eyot_now_ns();
    turn++;
    if (eyot_me().id == 1)
      must(eyot_wait_until(eyot_gptr_at(words, eyot_me()), EYOT_CMP_GE, turn, NULL), "wait");
    must(eyot_put_signal_nbi(eyot_gptr_at(bytes, it), mine, len, eyot_gptr_at(words, it),
                             EYOT_SIGNAL_SET, turn),
         "eyot_put_signal_nbi");
    if (eyot_me().id == 0)
      must(eyot_wait_until(eyot_gptr_at(words, eyot_me()), EYOT_CMP_GE, turn, NULL), "wait");
  }
  double ns = (double)(eyot_now_ns() - begin) / (double)n / 2;
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  return ns;
}

static double barriers(uint64_t n) {
  uint64_t begin = 0;
  for (uint64_t i = 0; i < n + n / WARM; i++) {
    if (i == n / WARM) begin = eyot_now_ns();
    must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  }
  return (double)(eyot_now_ns() - begin) / (double)n;
}

static double allreduces(uint64_t n) {
  double in = 1, out;
  uint64_t begin = 0;
  for (uint64_t i = 0; i < n + n / WARM; i++) {
    if (i == n / WARM) begin = eyot_now_ns();
    must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, &in, &out, 1), "eyot_allreduce");
  }
  return (double)(eyot_now_ns() - begin) / (double)n;
}

static void print(const char *name, double ns) {
  if (eyot_me().id == 0) printf("predict %s %.6g\n", name, ns);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (eyot_size() != 2) {
    if (eyot_me().id == 0) fprintf(stderr, "bench_predict: needs 2 units\n");
    eyot_finalize();
    return 2;
  }
  must(eyot_team_alloc(EYOT_TEAM_ALL, BYTES_MAX, &bytes), "eyot_team_alloc");
  must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof turn, &words), "eyot_team_alloc");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  print("pingpong_8B", pingpong(8, TRIPS));
  print("pingpong_4KiB", pingpong(4096, TRIPS));
  print("pingpong_64KiB", pingpong(BYTES_MAX, TRIPS / 4));
  print("barrier", barriers(STEPS));
  print("allreduce_8B", allreduces(STEPS));
  must(eyot_team_free(words), "eyot_team_free");
  must(eyot_team_free(bytes), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
