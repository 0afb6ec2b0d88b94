/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_waiting.c - one-sided operations to a target that waits, as targets of real programs do,
 * and does not poll: in eyot's barrier or for a word (eyot_wait_until) for eyot's operations, in
 * MPI_Barrier or MPI_Recv for MPI's.
 *
 *   eyotrun --fabric mpi -n 2 [--node-size 1 | --hosts A,B] bench_waiting PLACE [ROUNDS]
 * In each round unit 0 measures every operation in every way once, one way right after the other,
 * and every other round in the reverse order. Unit 1 waits until unit 0 has finished the block.
 * Each operation is remotely complete before the next; 1000_puts is that many in flight and a
 * flush. Lines: value PLACE_TARGET_OPERATION_{floor,eyot,again} time ns NUMBER, where TARGET is
 * in_barrier or in_wait and the floor is MPI. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define BLOCK_NS 2e6
enum { ROUNDS = 15, OPS_MAX = 1 << 14, FIRST = 4, BATCH = 1000 };
enum { DATA, COUNTER, SWAPPED, OVER, N_WORDS = 1024 };

struct bench {
  eyot_gptr_t words; /* unit 1's */
  MPI_Win window;    /* of as many words, in a lock_all epoch */
  uint64_t seq;      /* waits that have ended */
};

static eyot_gptr_t at(const struct bench *b, uint64_t word) {
  return eyot_gptr_add(b->words, (int64_t)(8 * word));
}

static MPI_Aint where(uint64_t word) {
  return (MPI_Aint)(8 * word);
}

static int flush(const struct bench *b) {
  return MPI_Win_flush(1, b->window);
}

static int eyot_step_put(const struct bench *b, uint64_t i) {
  return eyot_put(at(b, DATA), &i, sizeof i);
}
static int mpi_step_put(const struct bench *b, uint64_t i) {
  return MPI_Put(&i, 1, MPI_UINT64_T, 1, where(DATA), 1, MPI_UINT64_T, b->window) | flush(b);
}

static int eyot_step_get(const struct bench *b, uint64_t i) {
  return eyot_get(&i, at(b, DATA), sizeof i);
}
static int mpi_step_get(const struct bench *b, uint64_t i) {
  return MPI_Get(&i, 1, MPI_UINT64_T, 1, where(DATA), 1, MPI_UINT64_T, b->window) | flush(b);
}

static int eyot_step_add(const struct bench *b, uint64_t i) {
  return eyot_fetch_add_u64(at(b, COUNTER), 1, &i);
}
static int mpi_step_add(const struct bench *b, uint64_t i) {
  uint64_t one = 1;
  return MPI_Fetch_and_op(&one, &i, MPI_UINT64_T, 1, where(COUNTER), MPI_SUM, b->window) | flush(b);
}

static int eyot_step_swap(const struct bench *b, uint64_t i) {
  uint64_t seen;
  return eyot_cas_u64(at(b, SWAPPED), i, i + 1, &seen);
}
static int mpi_step_swap(const struct bench *b, uint64_t i) {
  uint64_t seen, next = i + 1;
  return MPI_Compare_and_swap(&next, &i, &seen, MPI_UINT64_T, 1, where(SWAPPED), b->window) |
         flush(b);
}

static int eyot_step_batch(const struct bench *b, uint64_t i) {
  int failed = 0;
  for (uint64_t k = 0; k < BATCH; k++) failed |= eyot_put_nbi(at(b, k % N_WORDS), &i, sizeof i);
  return failed | eyot_flush((eyot_unit_t){1}, EYOT_REMOTE);
}
static int mpi_step_batch(const struct bench *b, uint64_t i) {
  int failed = 0;
  for (uint64_t k = 0; k < BATCH; k++)
    failed |= MPI_Put(&i, 1, MPI_UINT64_T, 1, where(k % N_WORDS), 1, MPI_UINT64_T, b->window);
  return failed | flush(b);
}

typedef int (*step_fn)(const struct bench *b, uint64_t i);
static const struct {
  const char *name;
  step_fn eyot, mpi;
} OPERATIONS[] = {{"put", eyot_step_put, mpi_step_put},
                  {"get", eyot_step_get, mpi_step_get},
                  {"fetch_add", eyot_step_add, mpi_step_add},
                  {"compare_swap", eyot_step_swap, mpi_step_swap},
                  {"1000_puts", eyot_step_batch, mpi_step_batch}};
#define N_OPERATIONS (sizeof OPERATIONS / sizeof *OPERATIONS)

/* What unit 1 is in while unit 0 measures, and how unit 0 ends it. */
static void in_eyot_barrier(struct bench *b) {
  (void)b;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}
static void in_eyot_wait(struct bench *b) {
  b->seq++;
  if (eyot_me().id == 1)
    must(eyot_wait_until(at(b, N_WORDS), EYOT_CMP_GE, b->seq, NULL), "eyot_wait_until");
  else
    must(eyot_put_signal(b->words, NULL, 0, at(b, N_WORDS), EYOT_SIGNAL_SET, b->seq),
         "eyot_put_signal");
}
static void in_mpi_barrier(struct bench *b) {
  (void)b;
  must(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}
static void in_mpi_receive(struct bench *b) {
  int failed = eyot_me().id == 1
                   ? MPI_Recv(&b->seq, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                   : MPI_Send(&b->seq, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
  must(failed, "MPI_Send or MPI_Recv");
}

typedef void (*target_fn)(struct bench *b);
static const struct {
  const char *name;
  target_fn eyot, mpi;
} TARGETS[] = {{"in_barrier", in_eyot_barrier, in_mpi_barrier},
               {"in_wait", in_eyot_wait, in_mpi_receive}};
static const char *const WAYS[] = {"floor", "eyot", "again"};

/* ns of one of n steps. */
static double timed(const struct bench *b, step_fn step, uint64_t n) {
  int failed = 0;
  double begin = wall_ns();
  for (uint64_t i = 0; i < n; i++) failed |= step(b, i);
  double ns = (wall_ns() - begin) / (double)n;
  must(failed, "an operation");
  return ns;
}

/* Time for about BLOCK_NS; a first few operations let unit 1 begin to wait. */
static double block(const struct bench *b, step_fn step) {
  double first = timed(b, step, FIRST);
  for (double begin = wall_ns(); wall_ns() - begin < BLOCK_NS / 4;) first = timed(b, step, 1);
  double n = BLOCK_NS / first;
  return timed(b, step, n < 1 ? 1 : n > OPS_MAX ? OPS_MAX : (uint64_t)n);
}

static void measure(struct bench *b, const char *place, uint32_t target, uint32_t operation,
                    bool reverse) {
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t way = reverse ? 2 - i : i;
    bool eyot = way == 1;
    must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
    double ns = 0;
    if (eyot_me().id == 0)
      ns = block(b, eyot ? OPERATIONS[operation].eyot : OPERATIONS[operation].mpi);
    (eyot ? TARGETS[target].eyot : TARGETS[target].mpi)(b);
    if (eyot_me().id == 0)
      printf("value %s_%s_%s_%s time ns %.6g\n", place, TARGETS[target].name,
             OPERATIONS[operation].name, WAYS[way], ns);
  }
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || eyot_size() != 2 || argc < 2 || argc > 3) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_waiting: needs two units on the mpi fabric: eyotrun --fabric mpi -n 2 "
              "bench_waiting PLACE [ROUNDS]\n");
    eyot_finalize();
    return 2;
  }
  int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
  struct bench b = {0};
  void *own;
  must(eyot_team_alloc(EYOT_TEAM_ALL, 8 * (N_WORDS + 1), &b.words), "eyot_team_alloc");
  b.words = eyot_gptr_at(b.words, (eyot_unit_t){1});
  /* as eyot makes the windows of units that share no memory (src/fabric_real/mem/seg.c) */
  own = calloc(N_WORDS, 8);
  if (own == NULL) eyot_abort(1, "no memory");
  MPI_Win_create(own, 8 * N_WORDS, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b.window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, b.window);
  for (int round = 0; round < rounds; round++) {
    for (uint32_t target = 0; target < 2; target++)
      for (uint32_t operation = 0; operation < N_OPERATIONS; operation++)
        measure(&b, argv[1], target, operation, round % 2 != 0);
    fflush(stdout);
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  MPI_Win_unlock_all(b.window);
  MPI_Win_free(&b.window);
  free(own);
  must(eyot_team_free(eyot_gptr_at(b.words, (eyot_unit_t){0})), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
