/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_sizes.c - put and get over the size of a message, after figures 6.5 to 6.7, 6.10 and 6.11
 * of Zhou: latency with remote completion, and the bandwidth of many operations that one flush
 * completes; for eyot and for MPI on memory of the same kind, in one job.
 *
 *   eyotrun --fabric mpi -n 2 [--node-size 1 | --hosts A,B] bench_sizes PLACE [ROUNDS]
 * Unit 1 lets MPI progress (MPI_Iprobe) until it is stopped, for the operations of all ways. The
 * ways take turns in each round, with blocks of about BLOCK_NS each; another way begins each round.
 * PLACE becomes part of the names. Lines: value WAY@BYTES WHAT_PLACE UNIT NUMBER; for the sizes
 * that have a goal also value PLACE_WHAT_BYTES_{floor,eyot,again} time ns NUMBER, for node.awk,
 * where MPI is the floor. */
#include "bench_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"

#define BLOCK_NS 1e6
/* short, so that other programs interrupt few blocks */
#define ASKED_BLOCK_NS 3e5
enum { ROUNDS = 7, ASKED_ROUNDS = 101, OPS_MAX = 1 << 20, FLOOD_OPS = 64, FLOOD_BYTES = 1 << 25 };

static const uint64_t SIZES[] = {1, 8, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
static const uint64_t ASKED[] = {8, 1024, 65536};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)
#define N_ASKED (sizeof ASKED / sizeof *ASKED)
#define MOST_BYTES 4194304
static const char *const NAMES[N_WHATS] = {"put_latency", "get_latency", "put_bandwidth",
                                           "get_bandwidth"};

static bool floods(enum what what) {
  return what == PUT_BANDWIDTH || what == GET_BANDWIDTH;
}

static uint64_t flood_ops(uint64_t bytes) {
  return bytes * FLOOD_OPS > FLOOD_BYTES ? FLOOD_BYTES / bytes : FLOOD_OPS;
}

/* ns of `times` latencies or floods. */
static double timed(const struct span *s, way_fn go, enum what what, uint64_t bytes,
                    uint64_t times) {
  double begin = wall_ns();
  if (floods(what))
    for (uint64_t i = 0; i < times; i++) go(s, bytes, flood_ops(bytes));
  else
    go(s, bytes, times);
  return wall_ns() - begin;
}

/* Finds the number of operations of a block; also warms up. */
static uint64_t block(const struct span *s, way_fn go, enum what what, uint64_t bytes,
                      double block_ns) {
  uint64_t n = 1;
  while (n < OPS_MAX && timed(s, go, what, bytes, n) < block_ns) n *= 2;
  return n;
}

static bool measured(const struct span *s, uint32_t way, enum what what) {
  return WAYS[way].go[what] != NULL && (s->mapped != NULL || !WAYS[way].mapped_only);
}

static void measure(const struct span *s, const char *place, enum what what, uint64_t bytes,
                    uint32_t round, uint64_t *n) {
  for (uint32_t i = 0; i < N_WAYS; i++) {
    uint32_t w = (i + round) % N_WAYS;
    if (!measured(s, w, what)) continue;
    way_fn go = WAYS[w].go[what];
    if (n[w] == 0) n[w] = block(s, go, what, bytes, BLOCK_NS);
    double ns = timed(s, go, what, bytes, n[w]) / (double)n[w];
    if (floods(what))
      printf("value %s@%lu %s_%s MB/s %.6g\n", WAYS[w].name, bytes, NAMES[what], place,
             (double)(bytes * flood_ops(bytes)) / ns * 1e3);
    else
      printf("value %s@%lu %s_%s us %.6g\n", WAYS[w].name, bytes, NAMES[what], place, ns * 1e-3);
  }
}

/* Measures MPI, eyot, and MPI again, in the reverse order in every other round. */
static void measure_goal(const struct span *s, const char *place) {
  static const struct {
    uint32_t way;
    const char *name;
  } TURNS[] = {{WAY_MPI, "floor"}, {WAY_EYOT, "eyot"}, {WAY_AGAIN, "again"}};
  for (enum what what = PUT_LATENCY; what <= GET_LATENCY; what++)
    for (uint32_t k = 0; k < N_ASKED; k++) {
      uint64_t n = block(s, WAYS[WAY_MPI].go[what], what, ASKED[k], ASKED_BLOCK_NS);
      (void)block(s, WAYS[WAY_EYOT].go[what], what, ASKED[k], ASKED_BLOCK_NS);
      for (uint32_t round = 0; round < ASKED_ROUNDS; round++)
        for (uint32_t i = 0; i < 3; i++) {
          uint32_t turn = round % 2 == 0 ? i : 2 - i;
          double ns = timed(s, WAYS[TURNS[turn].way].go[what], what, ASKED[k], n) / (double)n;
          printf("value %s_%.3s_%luB_%s time ns %.6g\n", place, NAMES[what], ASKED[k],
                 TURNS[turn].name, ns);
        }
    }
}

static void measure_all(const struct span *s, const char *place, uint32_t rounds) {
  uint64_t n[N_WHATS][N_SIZES][N_WAYS] = {0};
  for (uint32_t round = 0; round < rounds; round++) {
    for (enum what what = 0; what < N_WHATS; what++)
      for (uint32_t k = 0; k < N_SIZES; k++) measure(s, place, what, SIZES[k], round, n[what][k]);
    fflush(stdout);
  }
  if (s->mapped == NULL) measure_goal(s, place);
  fflush(stdout);
}

/* Makes MPI's window, with one lock_all epoch, by the calls that eyot makes its segments with
 * (src/fabric_real/mem/seg.c): a shared window if both units share a node, else MPI_Win_create over
 * memory of the unit. */
static void open_window(struct span *s, bool one_node) {
  void *own;
  MPI_Aint bytes;
  int unit_bytes;
  if (one_node) {
    MPI_Win_allocate_shared(MOST_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &s->window);
    MPI_Win_shared_query(s->window, 1, &bytes, &unit_bytes, &s->mapped);
  } else {
    own = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (own == MAP_FAILED) eyot_abort(1, "no memory");
    MPI_Win_create(own, MOST_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &s->window);
  }
  memset(own, 0, MOST_BYTES);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, s->window);
}

/* Unit 1: serves until unit 0 sets its word. */
static void serve(const volatile uint64_t *over) {
  int flag;
  while (*over == 0)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || eyot_size() != 2 || argc < 2 || argc > 3) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_sizes: needs two units on the mpi fabric: eyotrun --fabric mpi -n 2 "
              "bench_sizes PLACE [ROUNDS]\n");
    eyot_finalize();
    return 2;
  }
  int rounds = argc > 2 ? atoi(argv[2]) : 0;
  struct span s = {0};
  eyot_gptr_t part, over;
  void *over_here;
  eyot_domain_t common;
  uint64_t one = 1;
  must(eyot_team_alloc(EYOT_TEAM_ALL, MOST_BYTES, &part), "eyot_team_alloc");
  must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof one, &over), "eyot_team_alloc");
  must(eyot_gptr_addr(eyot_gptr_at(over, eyot_me()), &over_here), "eyot_gptr_addr");
  s.there = eyot_gptr_at(part, (eyot_unit_t){1});
  must(eyot_distance((eyot_unit_t){0}, (eyot_unit_t){1}, &common), "eyot_distance");
  open_window(&s, common <= EYOT_DOMAIN_NODE);
  s.here = aligned_alloc(4096, MOST_BYTES);
  if (s.here == NULL) eyot_abort(1, "no memory");
  memset(s.here, 1, MOST_BYTES);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (eyot_me().id == 0) {
    measure_all(&s, argv[1], rounds > 0 ? (uint32_t)rounds : ROUNDS);
    must(eyot_put(eyot_gptr_at(over, (eyot_unit_t){1}), &one, sizeof one), "eyot_put");
  } else {
    serve(over_here);
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  MPI_Win_unlock_all(s.window);
  MPI_Win_free(&s.window);
  free(s.here);
  must(eyot_team_free(over), "eyot_team_free");
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
