/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_overlap.c - overhead and application availability of a transfer: how much of its time the
 * processor can compute, after the Sandia micro-benchmark as Zhou (section 7.2.2) uses it.
 *
 *   eyotrun --fabric mpi -n 2 bench_overlap PLACE_NAME ROUNDS [mpi|private]
 * Unit 0 posts a non-blocking put or get to unit 1, computes, and waits for remote completion.
 * Unit 1 sleeps, and lets the fabric progress every NAP_US; such delays are part of base. With
 * `private` the origin's buffer is from malloc, else in global memory, which progress processes
 * map. With `mpi` MPI_Rput and MPI_Rget with a flush, on a window of MPI_Win_allocate, run
 * alternately. PLACE_NAME becomes part of the names of cases, and PLACE of those of metrics. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { ROUNDS_MAX = 1000, BLOCKS = 9, BLOCKS_LEAST = 4, NAP_US = 500, WORK_LOG_MAX = 30 };
#define BLOCK_NS 1e6 /* a measurement lasts at least so long */
#define LONG_ENOUGH 1.5
#define SAME 1.15

static const uint64_t SIZES[] = {1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
#define N_SIZES (sizeof SIZES / sizeof SIZES[0])

struct side {
  bool mpi;
  eyot_gptr_t there;
  MPI_Win window;
};

/* About 1 ns a step, without memory accesses. */
static void work(uint64_t steps) {
  uint64_t x = steps;
  for (uint64_t i = 0; i < steps; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
}

static void transfer_eyot(const struct side *s, bool put, void *here, uint64_t bytes,
                          uint64_t steps) {
  eyot_handle_t h;
  must(put ? eyot_put_nb(s->there, here, bytes, &h) : eyot_get_nb(here, s->there, bytes, &h),
       put ? "eyot_put_nb" : "eyot_get_nb");
  work(steps);
  must(eyot_wait(&h, EYOT_REMOTE), "eyot_wait");
}

static void transfer_mpi(const struct side *s, bool put, void *here, uint64_t bytes,
                         uint64_t steps) {
  MPI_Request r;
  if (put)
    MPI_Rput(here, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, s->window, &r);
  else
    MPI_Rget(here, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, s->window, &r);
  work(steps);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  if (put) MPI_Win_flush(1, s->window);
}

/* Mean ns of a transfer, with `steps` of work after its post. */
static double transfers(const struct side *s, bool put, void *here, uint64_t bytes, uint64_t steps,
                        uint64_t n) {
  double begin = wall_ns();
  for (uint64_t i = 0; i < n; i++) {
    if (s->mpi)
      transfer_mpi(s, put, here, bytes, steps);
    else
      transfer_eyot(s, put, here, bytes, steps);
  }
  return (wall_ns() - begin) / (double)n;
}

static double works(uint64_t steps, uint64_t n) {
  double begin = wall_ns();
  for (uint64_t i = 0; i < n; i++) work(steps);
  return (wall_ns() - begin) / (double)n;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *x, uint32_t n) {
  qsort(x, n, sizeof *x, ascending);
  return x[n / 2];
}

/* Finds the number of transfers, and the work that makes one take LONG_ENOUGH times base, by
 * doubling. */
static void find_sizes(const struct side *s, bool put, void *here, uint64_t bytes, uint64_t *n,
                       uint64_t *steps) {
  double base = 0;
  (void)transfers(s, put, here, bytes, 0, 3);
  for (*n = 1; *n < 1u << 20; *n *= 2)
    if ((base = transfers(s, put, here, bytes, 0, *n)) * (double)*n >= BLOCK_NS) break;
  for (*steps = 32; *steps < 1ull << WORK_LOG_MAX; *steps *= 2)
    if (transfers(s, put, here, bytes, *steps, *n) > LONG_ENOUGH * base) break;
}

/* base is a transfer without work; overhead is a transfer with work, minus the work alone, and
 * availability is 1 - overhead / base, all of medians of interleaved blocks: 100 % if the transfer
 * continued by itself, 0 % if all of it had to wait for the processor. base is measured before and
 * after the two others. A block in which it changed by more than SAME is discarded, because other
 * programs had the processors; if too few blocks are left, nothing is printed. */
static void measure(const char *name, const struct side *s, bool put, void *here, uint64_t bytes) {
  double base[BLOCKS], with[BLOCKS], alone[BLOCKS];
  uint64_t n, steps;
  uint32_t kept = 0;
  find_sizes(s, put, here, bytes, &n, &steps);
  for (uint32_t i = 0; i < BLOCKS; i++) {
    double before = transfers(s, put, here, bytes, 0, n);
    with[kept] = transfers(s, put, here, bytes, steps, n);
    alone[kept] = works(steps, n);
    double after = transfers(s, put, here, bytes, 0, n);
    base[kept] = (before + after) / 2;
    kept += after <= before * SAME && before <= after * SAME;
  }
  if (kept < BLOCKS_LEAST) return;
  double base_ns = median(base, kept), overhead_ns = median(with, kept) - median(alone, kept);
  const char *way = put ? "put" : "get", *by = s->mpi ? "mpi" : "eyot";
  int place = (int)strcspn(name, "_");
  printf("value %s_%s_%s@%llu base_wall_%.*s us %.4f\n", name, way, by, (unsigned long long)bytes,
         place, name, base_ns * 1e-3);
  printf("value %s_%s_%s@%llu overhead_wall_%.*s us %.4f\n", name, way, by,
         (unsigned long long)bytes, place, name, overhead_ns * 1e-3);
  printf("value %s_%s_%s@%llu availability_%.*s %% %.2f\n", name, way, by,
         (unsigned long long)bytes, place, name, 100 * (1 - overhead_ns / base_ns));
}

/* Unit 1: sleeps until unit 0 sets its last word. */
static void sleep_until_told(const volatile uint64_t *over, bool mpi) {
  while (*over == 0) {
    nanosleep(&(struct timespec){0, NAP_US * 1000l}, NULL);
    must(eyot_progress(), "eyot_progress");
    int flag;
    if (mpi) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  bool with_mpi = argc == 4 && strcmp(argv[3], "mpi") == 0,
       is_private = argc == 4 && strcmp(argv[3], "private") == 0;
  uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || eyot_size() != 2 || rounds < 1 ||
      rounds > ROUNDS_MAX || (argc == 4 && !with_mpi && !is_private) || argc > 4) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_overlap: needs two units on the mpi fabric: eyotrun --fabric mpi -n 2 "
              "bench_overlap PLACE_NAME ROUNDS [mpi|private]\n");
    eyot_finalize();
    return 2;
  }
  uint64_t most = SIZES[N_SIZES - 1], one = 1;
  struct side own = {.mpi = false}, peer = {.mpi = true};
  eyot_gptr_t part, over;
  void *mine, *over_here, *memory, *own_memory = NULL;
  must(eyot_team_alloc(EYOT_TEAM_ALL, most, &part), "eyot_team_alloc");
  must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &over), "eyot_team_alloc");
  must(eyot_gptr_addr(eyot_gptr_at(over, eyot_me()), &over_here), "eyot_gptr_addr");
  own.there = eyot_gptr_at(part, (eyot_unit_t){1});
  *(uint64_t *)over_here = 0;
  if (with_mpi) {
    MPI_Win_allocate((MPI_Aint)most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &peer.window);
    MPI_Win_lock_all(0, peer.window);
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (eyot_me().id == 0) {
    must(eyot_gptr_addr(eyot_gptr_at(part, eyot_me()), &mine), "eyot_gptr_addr");
    if (is_private && (mine = own_memory = malloc(most)) == NULL) must(EYOT_ENOMEM, "malloc");
    memset(mine, 1, most);
    for (uint64_t round = 0; round < rounds; round++) {
      for (uint32_t i = 0; i < 2 * N_SIZES; i++) {
        measure(argv[1], &own, i % 2 == 0, mine, SIZES[i / 2]);
        if (with_mpi) measure(argv[1], &peer, i % 2 == 0, mine, SIZES[i / 2]);
      }
      fflush(stdout);
    }
    must(eyot_put(eyot_gptr_at(over, (eyot_unit_t){1}), &one, sizeof one), "eyot_put");
  } else {
    sleep_until_told(over_here, with_mpi);
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (with_mpi) {
    MPI_Win_unlock_all(peer.window);
    MPI_Win_free(&peer.window);
  }
  free(own_memory);
  must(eyot_team_free(over), "eyot_team_free");
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
