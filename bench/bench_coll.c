/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll.c - collectives over the size of the message, for eyot, for MPI, and by hand on an MPI
 * shared window (bench_coll_floor.c, within a node), in one job.
 *
 *   eyotrun --fabric mpi -n N bench_coll [ROUNDS [few]]
 * A block has as many operations as take about BLOCK_NS. Broadcast and reduce have another root
 * each time, so that no unit runs ahead. Times are unit 0's. mpi_again: MPI a second time (A/A);
 * few: without it, few sizes, MPI after all else. The size is that of the vector; of gathers,
 * scatters, exchanges and reduce_scatter that of a block; n blocks are at most as long as the
 * longest vector. NAME_heap: within a node, of buffers in the heap. NAME_used: before each call the
 * program reads what it has received and writes what it sends, which is in the time; else lines
 * that nobody changes stay in the caches of those who have read them.
 * Lines: value WAY[@BYTES] WHAT_of_N_units[_on_M_nodes] us NUMBER. */
#include "bench_coll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_NS 2e6
enum { ROUNDS = 5, TIMES_LEAST = 4, TIMES_MAX = 5000, MOST_BYTES = 4194304 };
#define SLOW_NS 20000000u /* an operation that takes longer is made twice, not TIMES_LEAST times */
static const uint64_t SIZES[] = {8, 64, 512, 4096, 32768, 262144, 1048576, MOST_BYTES};
static const uint64_t FEW_SIZES[] = {8, 4096, 262144};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)
#define N_FEW (sizeof FEW_SIZES / sizeof *FEW_SIZES)

typedef void (*once_fn)(const struct buffers *b, uint64_t bytes, uint32_t i);

static void barrier_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)b, (void)bytes, (void)i;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}
static void barrier_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)b, (void)bytes, (void)i;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void broadcast_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){i % b->n}, b->to, bytes), "eyot_broadcast");
}
static void broadcast_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  MPI_Bcast(b->to, (int)bytes, MPI_BYTE, (int)(i % b->n), MPI_COMM_WORLD);
}
static void reduce_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  must(eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){i % b->n}, EYOT_DOUBLE, EYOT_SUM, b->from, b->to,
                   bytes / sizeof(double)),
       "eyot_reduce");
}
static void reduce_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  MPI_Reduce(b->from, b->to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM, (int)(i % b->n),
             MPI_COMM_WORLD);
}
static void allreduce_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, b->from, b->to, bytes / sizeof(double)),
       "eyot_allreduce");
}
static void allreduce_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  MPI_Allreduce(b->from, b->to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
/* Started, and waited for at once. */
static void allreduce_nb_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  eyot_coll_t op;
  (void)i;
  must(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, b->from, b->to,
                         bytes / sizeof(double), &op),
       "eyot_allreduce_nb");
  must(eyot_coll_wait(&op), "eyot_coll_wait");
}
static void allreduce_nb_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  MPI_Request request;
  (void)i;
  MPI_Iallreduce(b->from, b->to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void allgather_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  must(eyot_allgather(EYOT_TEAM_ALL, b->from, b->to, bytes), "eyot_allgather");
}
static void allgather_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  MPI_Allgather(b->from, (int)bytes, MPI_BYTE, b->to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  must(eyot_alltoall(EYOT_TEAM_ALL, b->from, b->to, bytes), "eyot_alltoall");
}
static void alltoall_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  MPI_Alltoall(b->from, (int)bytes, MPI_BYTE, b->to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* Which buffers have a block for each unit, of calls whose buffers are used between them. */
enum use { UNUSED = 0, USED, USED_IN, USED_OUT, USED_BOTH, USED_ONE };

enum { EYOT, MPI, MPI_AGAIN, FLOOR, N_WAYS };
#define ALL_WAYS ((1u << N_WAYS) - 1)
/* Of units that share processors MPI's calls come last: they take milliseconds of turns, and calls
 * that follow one are slower for as long. */
static const uint32_t WAYS_OF_FEW[] = {1u << EYOT | 1u << FLOOR, 1u << MPI};
static const char *const WAYS[] = {"eyot", "mpi", "mpi_again", "floor"};
static const struct {
  const char *name;
  once_fn once[N_WAYS];
  bool sized, blocks;
} WHATS[] = {
    {"barrier", {barrier_eyot, barrier_mpi, barrier_mpi, floor_barrier}, false, false},
    {"broadcast", {broadcast_eyot, broadcast_mpi, broadcast_mpi, floor_broadcast}, true, false},
    {"reduce", {reduce_eyot, reduce_mpi, reduce_mpi, floor_reduce}, true, false},
    {"allreduce", {allreduce_eyot, allreduce_mpi, allreduce_mpi, floor_allreduce}, true, false},
    {"allreduce_nb",
     {allreduce_nb_eyot, allreduce_nb_mpi, allreduce_nb_mpi, floor_allreduce},
     true,
     false},
    {"allgather", {allgather_eyot, allgather_mpi, allgather_mpi, floor_allgather}, true, true},
    {"alltoall", {alltoall_eyot, alltoall_mpi, alltoall_mpi, floor_alltoall}, true, true},
    {"gather", {gather_eyot, gather_mpi, gather_mpi, NULL}, true, true},
    {"scatter", {scatter_eyot, scatter_mpi, scatter_mpi, NULL}, true, true},
    {"gatherv", {gatherv_eyot, gatherv_mpi, gatherv_mpi, NULL}, true, true},
    {"scatterv", {scatterv_eyot, scatterv_mpi, scatterv_mpi, NULL}, true, true},
    {"allgatherv", {allgatherv_eyot, allgatherv_mpi, allgatherv_mpi, NULL}, true, true},
    {"alltoallv", {alltoallv_eyot, alltoallv_mpi, alltoallv_mpi, NULL}, true, true},
    {"alltoallw", {alltoallw_eyot, alltoallw_mpi, alltoallw_mpi, NULL}, true, true},
    {"reduce_scatter",
     {reduce_scatter_eyot, reduce_scatter_mpi, reduce_scatter_mpi, NULL},
     true,
     true},
    {"scan", {scan_eyot, scan_mpi, scan_mpi, NULL}, true, false},
    {"neighbor", {neighbor_eyot, neighbor_mpi, neighbor_mpi, NULL}, true, true},
    {"broadcast_heap",
     {broadcast_eyot, broadcast_mpi, broadcast_mpi, floor_broadcast},
     true,
     false},
    {"reduce_heap", {reduce_eyot, reduce_mpi, reduce_mpi, floor_reduce}, true, false},
    {"allreduce_heap",
     {allreduce_eyot, allreduce_mpi, allreduce_mpi, floor_allreduce},
     true,
     false},
    {"gather_heap", {gather_eyot, gather_mpi, gather_mpi, NULL}, true, true},
    {"allgather_heap", {allgather_eyot, allgather_mpi, allgather_mpi, floor_allgather}, true, true},
    {"alltoall_heap", {alltoall_eyot, alltoall_mpi, alltoall_mpi, floor_alltoall}, true, true},
    {"scatter_heap", {scatter_eyot, scatter_mpi, scatter_mpi, NULL}, true, true},
    {"broadcast_used", {broadcast_eyot, broadcast_mpi}, true, false},
    {"broadcast_heap_used", {broadcast_eyot, broadcast_mpi}, true, false},
    {"reduce_used", {reduce_eyot, reduce_mpi}, true, false},
    {"reduce_heap_used", {reduce_eyot, reduce_mpi}, true, false},
    {"allreduce_used", {allreduce_eyot, allreduce_mpi}, true, false},
    {"allreduce_heap_used", {allreduce_eyot, allreduce_mpi}, true, false},
    {"gather_used", {gather_eyot, gather_mpi}, true, true},
    {"gather_heap_used", {gather_eyot, gather_mpi}, true, true},
    {"scatter_used", {scatter_eyot, scatter_mpi}, true, true},
    {"scatter_heap_used", {scatter_eyot, scatter_mpi}, true, true},
    {"allgather_used", {allgather_eyot, allgather_mpi}, true, true},
    {"allgather_heap_used", {allgather_eyot, allgather_mpi}, true, true},
    {"alltoall_used", {alltoall_eyot, alltoall_mpi}, true, true},
    {"alltoall_heap_used", {alltoall_eyot, alltoall_mpi}, true, true}};
#define N_WHATS (sizeof WHATS / sizeof *WHATS)

static bool is_of(uint32_t what, const char *part) {
  return strstr(WHATS[what].name, part) != NULL;
}
static enum use use_of(uint32_t what) {
  if (!is_of(what, "_used")) return UNUSED;
  if (is_of(what, "broadcast")) return USED_ONE;
  if (is_of(what, "alltoall")) return USED_BOTH;
  return is_of(what, "scatter") ? USED_IN : is_of(what, "gather") ? USED_OUT : USED;
}

/* What the program does between two calls. */
static void use(const struct buffers *b, enum use how, uint64_t bytes, uint32_t i) {
  uint64_t words = bytes / sizeof(double);
  uint64_t in = words * (how == USED_IN || how == USED_BOTH ? b->n : 1);
  uint64_t out = words * (how == USED_OUT || how == USED_BOTH ? b->n : 1);
  volatile uint64_t *sink = &(uint64_t){0};
  uint64_t seen = 0;
  for (uint64_t k = 0; k < out; k++) seen ^= (uint64_t)b->to[k];
  *sink = seen;
  if (how != USED_ONE)
    for (uint64_t k = 0; k < in; k++) b->from[k] = (double)((i + k) % 8);
  else if (b->me == i % b->n)
    for (uint64_t k = 0; k < in; k++) b->to[k] = (double)((i + k) % 8);
}

static double timed(const struct buffers *b, uint32_t what, once_fn once, uint64_t bytes,
                    uint32_t times) {
  enum use how = use_of(what);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  double begin = wall_ns();
  for (uint32_t i = 0; i < times; i++) {
    if (how != UNUSED) use(b, how, bytes, i);
    once(b, bytes, i);
  }
  return (wall_ns() - begin) / times;
}

/* Unit 0's value, for all. */
static uint64_t of_unit_0(const struct buffers *b, uint64_t value) {
  uint64_t mine = b->me == 0 ? value : 0, all;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &all, 1), "eyot_allreduce");
  return all;
}

static uint32_t fitting(const struct buffers *b, double times) {
  return (uint32_t)of_unit_0(b, times > TIMES_MAX     ? TIMES_MAX
                                : times < TIMES_LEAST ? TIMES_LEAST
                                                      : (uint64_t)times);
}

/* All do so many as unit 0 finds fit. */
static uint32_t enough(const struct buffers *b, uint32_t what, once_fn once, uint64_t bytes) {
  uint64_t ns = of_unit_0(b, (uint64_t)timed(b, what, once, bytes, 2));
  if (ns >= SLOW_NS) return 2;
  (void)timed(b, what, once, bytes, TIMES_LEAST); /* each lane makes its boards at the first use */
  uint32_t more = fitting(b, BLOCK_NS / 8 / timed(b, what, once, bytes, TIMES_LEAST));
  return fitting(b, BLOCK_NS / timed(b, what, once, bytes, more));
}

/* Each way must give what eyot gives: the sums of a few small numbers are exact. */
static void verify(const struct buffers *b, uint32_t what, uint32_t way, uint64_t bytes) {
  double first, last;
  uint64_t words = bytes / sizeof(double) * (WHATS[what].blocks ? b->n : 1);
  for (uint32_t k = 0; k < 2; k++) {
    memset(b->to, 0, words * sizeof(double));
    if (is_of(what, "broadcast") && b->me == 0) memcpy(b->to, b->from, words * sizeof(double));
    WHATS[what].once[k == 0 ? EYOT : way](b, bytes, 0);
    if (k == 0) first = b->to[0], last = b->to[words - 1];
  }
  if (first != b->to[0] || last != b->to[words - 1])
    eyot_abort(1, "a collective gave another result");
}

static void measure(const struct buffers *b, uint32_t what, uint64_t bytes, uint32_t round,
                    uint32_t ways, uint32_t *times) {
  eyot_unit_t first;
  uint32_t mapped;
  struct buffers heap = *b;
  must(eyot_mapped_units(&first, &mapped), "eyot_mapped_units");
  if (is_of(what, "_heap")) {
    if (mapped < b->n) return;
    heap.from = b->heap_from, heap.to = b->heap_to;
    b = &heap;
  }
  for (uint32_t i = 0; i < N_WAYS; i++) {
    uint32_t w = (i + round) % N_WAYS;
    once_fn once = WHATS[what].once[w];
    if ((w == FLOOR && b->hand == NULL) || (ways >> w & 1) == 0 || once == NULL) continue;
    if (times[w] == 0 && WHATS[what].sized) verify(b, what, w, bytes);
    if (times[w] == 0) times[w] = enough(b, what, once, bytes);
    double ns = timed(b, what, once, bytes, times[w]);
    if (b->me != 0) continue;
    printf("value %s", WAYS[w]);
    if (WHATS[what].sized) printf("@%lu", bytes);
    printf(" %s_of_%u_units", WHATS[what].name, b->n);
    if (mapped < b->n) printf("_on_%u_nodes", (b->n - 1) / mapped + 1);
    printf(" us %.6g\n", ns * 1e-3);
  }
}

static void measure_all(const struct buffers *b, uint32_t rounds, bool few, uint32_t ways) {
  uint32_t times[N_WHATS][N_SIZES][N_WAYS] = {0}, n_sizes = few ? N_FEW : N_SIZES;
  for (uint32_t round = 0; round < rounds; round++)
    for (uint32_t what = 0; what < N_WHATS; what++)
      for (uint32_t k = 0; k < (WHATS[what].sized ? n_sizes : 1); k++) {
        uint64_t bytes = !WHATS[what].sized ? 0 : few ? FEW_SIZES[k] : SIZES[k];
        if (WHATS[what].blocks && bytes * b->n > MOST_BYTES) continue;
        measure(b, what, bytes, round, ways, times[what][k]);
      }
  fflush(stdout);
}

/* For some milliseconds after a start the system moves processes between the processors. */
static void warm_up(void) {
  for (uint32_t i = 0; i < TIMES_MAX; i++) must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static double *heap_open(eyot_gptr_t *memory) {
  void *own;
  must(eyot_team_alloc(EYOT_TEAM_ALL, MOST_BYTES, memory), "eyot_team_alloc");
  must(eyot_gptr_addr(eyot_gptr_at(*memory, eyot_me()), &own), "eyot_gptr_addr");
  return own;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct buffers b = {.me = eyot_me().id, .n = eyot_size()};
  bool few = argc == 3 && strcmp(argv[2], "few") == 0;
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || b.n < 2 || argc > (few ? 3 : 2)) {
    if (b.me == 0)
      fprintf(stderr,
              "bench_coll: needs two or more units on the mpi fabric: eyotrun --fabric mpi -n 2 "
              "bench_coll [ROUNDS [few]]\n");
    eyot_finalize();
    return 2;
  }
  int rounds = argc > 1 ? atoi(argv[1]) : 0;
  b.from = calloc(1, MOST_BYTES), b.to = calloc(1, MOST_BYTES);
  if (b.from == NULL || b.to == NULL) eyot_abort(1, "no memory");
  eyot_gptr_t heap[2];
  b.heap_from = heap_open(&heap[0]), b.heap_to = heap_open(&heap[1]);
  for (uint32_t i = 0; i < MOST_BYTES / sizeof(double); i++)
    b.heap_from[i] = b.from[i] = b.me + i % 7;
  b.hand = floor_open(b.me, b.n);
  neighbors_open(&b);
  warm_up();
  for (uint32_t i = 0; i < (few ? 2 : 1); i++)
    measure_all(&b, rounds > 0 ? (uint32_t)rounds : ROUNDS, few, few ? WAYS_OF_FEW[i] : ALL_WAYS);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  neighbors_close(&b);
  floor_close(b.hand);
  must(eyot_team_free(heap[1]), "eyot_team_free");
  must(eyot_team_free(heap[0]), "eyot_team_free");
  free(b.from);
  free(b.to);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
