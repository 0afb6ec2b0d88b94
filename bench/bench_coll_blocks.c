/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll_blocks.c - the operations of bench_coll that have no floor by hand: blocks to and from
 * one root, blocks of several lengths or in runs, scans, and exchanges with neighbours. Lengths of
 * the vector forms are all the same, so that the rows compare with those of the other forms; the
 * blocks of alltoallw are columns of 64 bytes, half a row apart. */
#include "bench_coll.h"

#define RUN_BYTES 64u

/* Lengths and places, of MPI and of eyot, for blocks of `bytes` bytes. */
struct lengths {
  uint64_t each[COLL_UNITS_MAX];
  int counts[COLL_UNITS_MAX], places[COLL_UNITS_MAX];
};
static void lengths_of(const struct buffers *b, uint64_t bytes, struct lengths *l) {
  for (uint32_t m = 0; m < b->n; m++) {
    l->each[m] = bytes;
    l->counts[m] = (int)bytes;
    l->places[m] = (int)(bytes * m);
  }
}

void gather_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  must(eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){i % b->n}, b->from, b->to, bytes), "eyot_gather");
}
void gather_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  MPI_Gather(b->from, (int)bytes, MPI_BYTE, b->to, (int)bytes, MPI_BYTE, (int)(i % b->n),
             MPI_COMM_WORLD);
}
void scatter_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  must(eyot_scatter(EYOT_TEAM_ALL, (eyot_tunit_t){i % b->n}, b->from, b->to, bytes),
       "eyot_scatter");
}
void scatter_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  MPI_Scatter(b->from, (int)bytes, MPI_BYTE, b->to, (int)bytes, MPI_BYTE, (int)(i % b->n),
              MPI_COMM_WORLD);
}
void gatherv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  lengths_of(b, bytes, &l);
  must(eyot_gatherv(EYOT_TEAM_ALL, (eyot_tunit_t){i % b->n}, b->from, bytes, b->to, l.each, NULL),
       "eyot_gatherv");
}
void gatherv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  lengths_of(b, bytes, &l);
  MPI_Gatherv(b->from, (int)bytes, MPI_BYTE, b->to, l.counts, l.places, MPI_BYTE, (int)(i % b->n),
              MPI_COMM_WORLD);
}
void scatterv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  lengths_of(b, bytes, &l);
  must(eyot_scatterv(EYOT_TEAM_ALL, (eyot_tunit_t){i % b->n}, b->from, l.each, NULL, b->to, bytes),
       "eyot_scatterv");
}
void scatterv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  lengths_of(b, bytes, &l);
  MPI_Scatterv(b->from, l.counts, l.places, MPI_BYTE, b->to, (int)bytes, MPI_BYTE, (int)(i % b->n),
               MPI_COMM_WORLD);
}
void allgatherv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  (void)i;
  lengths_of(b, bytes, &l);
  must(eyot_allgatherv(EYOT_TEAM_ALL, b->from, b->to, l.each, NULL), "eyot_allgatherv");
}
void allgatherv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  (void)i;
  lengths_of(b, bytes, &l);
  MPI_Allgatherv(b->from, (int)bytes, MPI_BYTE, b->to, l.counts, l.places, MPI_BYTE,
                 MPI_COMM_WORLD);
}
void alltoallv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  (void)i;
  lengths_of(b, bytes, &l);
  must(eyot_alltoallv(EYOT_TEAM_ALL, b->from, l.each, NULL, b->to, l.each, NULL), "eyot_alltoallv");
}
void alltoallv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct lengths l;
  (void)i;
  lengths_of(b, bytes, &l);
  MPI_Alltoallv(b->from, l.counts, l.places, MPI_BYTE, b->to, l.counts, l.places, MPI_BYTE,
                MPI_COMM_WORLD);
}

/* Each block is bytes / RUN_BYTES runs, which begin as far apart as all members' runs take. */
void alltoallw_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  eyot_block_t go[COLL_UNITS_MAX], come[COLL_UNITS_MAX];
  uint64_t run = bytes < RUN_BYTES ? bytes : RUN_BYTES;
  (void)i;
  for (uint32_t m = 0; m < b->n; m++) {
    go[m] = (eyot_block_t){
        .at = run * m, .run_bytes = run, .count = {bytes / run}, .stride = {(int64_t)(run * b->n)}};
    come[m] = (eyot_block_t){.at = bytes * m, .run_bytes = bytes};
  }
  must(eyot_alltoallw(EYOT_TEAM_ALL, b->from, go, b->to, come), "eyot_alltoallw");
}
void alltoallw_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  MPI_Datatype go[COLL_UNITS_MAX], come[COLL_UNITS_MAX], column;
  int ones[COLL_UNITS_MAX], counts[COLL_UNITS_MAX], from[COLL_UNITS_MAX], to[COLL_UNITS_MAX];
  uint64_t run = bytes < RUN_BYTES ? bytes : RUN_BYTES;
  (void)i;
  MPI_Type_vector((int)(bytes / run), (int)run, (int)(run * b->n), MPI_BYTE, &column);
  MPI_Type_commit(&column);
  for (uint32_t m = 0; m < b->n; m++) {
    go[m] = column, come[m] = MPI_BYTE;
    ones[m] = 1, counts[m] = (int)bytes;
    from[m] = (int)(run * m), to[m] = (int)(bytes * m);
  }
  MPI_Alltoallw(b->from, ones, from, go, b->to, counts, to, come, MPI_COMM_WORLD);
  MPI_Type_free(&column);
}
void reduce_scatter_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  must(eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, b->from, b->to,
                                 bytes / sizeof(double)),
       "eyot_reduce_scatter_block");
}
void reduce_scatter_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  MPI_Reduce_scatter_block(b->from, b->to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD);
}
void scan_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  must(eyot_scan(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, b->from, b->to, bytes / sizeof(double)),
       "eyot_scan");
}
void scan_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  MPI_Scan(b->from, b->to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* A ring in both directions: with two units, two edges between them each way. */
void neighbors_open(struct buffers *b) {
  uint32_t dims[1] = {b->n};
  int mpi_dims[1] = {(int)b->n}, periods[1] = {1};
  must(eyot_cart_create(EYOT_TEAM_ALL, 1, dims, (const bool[1]){true}, &b->ring),
       "eyot_cart_create");
  MPI_Cart_create(MPI_COMM_WORLD, 1, mpi_dims, periods, 0, &b->ring_mpi);
}
void neighbors_close(struct buffers *b) {
  must(eyot_graph_destroy(&b->ring), "eyot_graph_destroy");
  MPI_Comm_free(&b->ring_mpi);
}
void neighbor_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  must(eyot_neighbor_alltoall(b->ring, b->from, b->to, bytes), "eyot_neighbor_alltoall");
}
void neighbor_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  MPI_Neighbor_alltoall(b->from, (int)bytes, MPI_BYTE, b->to, (int)bytes, MPI_BYTE, b->ring_mpi);
}
