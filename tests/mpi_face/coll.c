/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - collectives of the MPI interface against values that each rank computes for itself, on
 * MPI_COMM_WORLD and on communicators whose ranks are turned round, halved and shuffled. */
#include "mpi_face/check.h"

static MPI_Comm comm;
static int rank, size;

/* Element i of rank r: distinct for all. */
static int value(int r, int i) {
  return 1000 * r + 7 * i + 3;
}

static int *ints(int n) {
  int *a = malloc((size_t)(n + 1) * sizeof *a);
  if (a == NULL) abort();
  for (int i = 0; i <= n; i++) a[i] = -1;
  return a;
}

static void blocks(void) {
  int *in = ints(2 * size), *out = ints(2 * size), root = size - 1;
  out[0] = value(rank, 0);
  out[1] = value(rank, 1);
  MUST(MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, comm));
  for (int i = 0; rank == root && i < 2 * size; i++) CHECK(in[i] == value(i / 2, i % 2));
  CHECK(rank == root || in[0] == -1);
  MUST(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm));
  for (int i = 0; i < 2 * size; i++) CHECK(in[i] == value(i / 2, i % 2));
  for (int i = 0; i < 2 * size; i++) in[i] = i / 2 == rank ? value(rank, i % 2) : -1;
  MUST(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, comm));
  for (int i = 0; i < 2 * size; i++) CHECK(in[i] == value(i / 2, i % 2));
  for (int i = 0; i < 2 * size; i++) in[i] = value(i / 2, 5 + i % 2);
  MUST(MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, comm));
  CHECK(out[0] == value(rank, 5) && out[1] == value(rank, 6));
  for (int i = 0; i < size; i++) out[i] = value(rank, i);
  MUST(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm));
  for (int i = 0; i < size; i++) CHECK(in[i] == value(i, rank));
  MUST(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm));
  for (int i = 0; i < size; i++) CHECK(out[i] == value(i, rank));
  out[0] = rank == root ? 4711 : 0;
  MUST(MPI_Bcast(out, 1, MPI_INT, root, comm));
  CHECK(out[0] == 4711);
  free(in);
  free(out);
}

/* Rank r has r % 3 elements, with a gap behind each block. */
static void vectors(void) {
  int *counts = ints(size), *at = ints(size), total = 0;
  for (int r = 0; r < size; r++) {
    counts[r] = r % 3;
    at[r] = total;
    total += counts[r] + 1;
  }
  int *in = ints(total), mine[2] = {value(rank, 0), value(rank, 1)}, back[2] = {-1, -1};
  MUST(MPI_Allgatherv(mine, rank % 3, MPI_INT, in, counts, at, MPI_INT, comm));
  for (int r = 0; r < size; r++) {
    for (int i = 0; i < counts[r]; i++) CHECK(in[at[r] + i] == value(r, i));
    CHECK(in[at[r] + counts[r]] == -1);
  }
  for (int i = 0; i < total; i++) in[i] = -1;
  MUST(MPI_Gatherv(mine, rank % 3, MPI_INT, in, counts, at, MPI_INT, 0, comm));
  for (int r = 0; rank == 0 && r < size; r++)
    for (int i = 0; i < counts[r]; i++) CHECK(in[at[r] + i] == value(r, i));
  MUST(MPI_Scatterv(in, counts, at, MPI_INT, back, rank % 3, MPI_INT, 0, comm));
  for (int i = 0; i < rank % 3; i++) CHECK(back[i] == value(rank, i));
  CHECK(rank % 3 == 2 || back[1] == -1);

  /* To rank r go r % 3 elements from each. */
  int *got = ints(2 * size), *counts_in = ints(size), *at_in = ints(size);
  for (int r = 0; r < size; r++) {
    counts_in[r] = rank % 3;
    at_in[r] = 2 * r;
    for (int i = 0; i < counts[r]; i++) in[at[r] + i] = value(rank, 10 * r + i);
  }
  MUST(MPI_Alltoallv(in, counts, at, MPI_INT, got, counts_in, at_in, MPI_INT, comm));
  for (int r = 0; r < size; r++)
    for (int i = 0; i < rank % 3; i++) CHECK(got[2 * r + i] == value(r, 10 * rank + i));
  free(counts);
  free(at);
  free(in);
  free(got);
  free(counts_in);
  free(at_in);
}

/* Blocks that are sent may overlap; those that are received may lie in gaps between them. */
static void interleaved(void) {
  int *counts = ints(size), *same = ints(size), *even = ints(size), *odd = ints(size);
  int *a = ints(2 * size), *got = ints(2 * size), root = size - 1;
  for (int r = 0; r < size; r++) {
    counts[r] = 1;
    same[r] = 0;
    even[r] = 2 * r;
    odd[r] = 2 * r + 1;
    a[2 * r] = value(rank, r);
  }
  MUST(MPI_Alltoallv(a, counts, same, MPI_INT, got, counts, even, MPI_INT, comm));
  for (int r = 0; r < size; r++) CHECK(got[2 * r] == value(r, 0) && got[2 * r + 1] == -1);
  MUST(MPI_Alltoallv(a, counts, even, MPI_INT, a, counts, odd, MPI_INT, comm));
  for (int r = 0; r < size; r++)
    CHECK(a[2 * r] == value(rank, r) && a[2 * r + 1] == value(r, rank));
  a[1] = value(rank, 1);
  MUST(MPI_Allgatherv(a + 1, 1, MPI_INT, a, counts, even, MPI_INT, comm));
  for (int r = 0; r < size; r++) CHECK(a[2 * r] == value(r, 1));
  CHECK(a[1] == value(rank, 1));
  for (int r = 0; r < size; r++) counts[r] = 2;
  for (int i = 0; i < 2 * size; i++) a[i] = value(rank, i);
  for (int r = 0; r < size; r++) same[r] = r;
  MUST(MPI_Scatterv(a, counts, same, MPI_INT, got, 2, MPI_INT, root, comm));
  CHECK(got[0] == value(root, rank) && got[1] == value(root, rank + 1));
  free(counts);
  free(same);
  free(even);
  free(odd);
  free(a);
  free(got);
}

static void reductions(void) {
  double mine[2] = {rank + 1, -rank}, all[2] = {0, 0}, expected = size * (size + 1) / 2.0;
  MUST(MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, comm));
  CHECK(all[0] == expected && all[1] == size - expected);
  MUST(MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MIN, 0, comm));
  CHECK(rank != 0 || (all[0] == 1 && all[1] == 1 - size));
  MUST(MPI_Allreduce(MPI_IN_PLACE, mine, 1, MPI_DOUBLE, MPI_MAX, comm));
  CHECK(mine[0] == size);
  unsigned char bits = (unsigned char)(1 << rank % 8), or_of = 0;
  MUST(MPI_Allreduce(&bits, &or_of, 1, MPI_BYTE, MPI_BOR, comm));
  CHECK(or_of == (size >= 8 ? 255 : (1 << size) - 1));
  struct {
    int value, index;
  } pair = {(rank * 5 + 3) % 7, rank}, least, want = {7, 0};
  for (int r = size - 1; r >= 0; r--)
    if ((r * 5 + 3) % 7 <= want.value) want.value = (r * 5 + 3) % 7, want.index = r;
  MUST(MPI_Allreduce(&pair, &least, 1, MPI_2INT, MPI_MINLOC, comm));
  CHECK(least.value == want.value && least.index == want.index);

  int a = rank + 1, sum = -1;
  MUST(MPI_Scan(&a, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == (rank + 1) * (rank + 2) / 2);
  sum = -1;
  MUST(MPI_Exscan(&a, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == (rank == 0 ? -1 : rank * (rank + 1) / 2));
  int *out = ints(2 * size), block[2] = {-1, -1};
  for (int i = 0; i < 2 * size; i++) out[i] = i * (rank + 1);
  MUST(MPI_Reduce_scatter_block(out, block, 2, MPI_INT, MPI_SUM, comm));
  int factor = size * (size + 1) / 2;
  CHECK(block[0] == 2 * rank * factor && block[1] == (2 * rank + 1) * factor);
  MUST(MPI_Reduce_scatter_block(MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, comm));
  CHECK(out[0] == 2 * rank * factor && out[1] == (2 * rank + 1) * factor);
  free(out);
}

static void not_blocking(void) {
  int a = rank, sum = -1, word = rank == 0 ? 42 : 0, in = -1, done = 0;
  MPI_Request requests[4];
  MUST(MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, comm, &requests[0]));
  MUST(MPI_Iallreduce(&a, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]));
  MUST(MPI_Ibcast(&word, 1, MPI_INT, 0, comm, &requests[2]));
  MUST(MPI_Ibarrier(comm, &requests[3]));
  MUST(MPI_Send(&a, 1, MPI_INT, (rank + 1) % size, 0, comm));
  for (int i = 0; i < 4; i++) {
    int index = -1;
    MUST(MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index >= 0 && (done >> index & 1) == 0);
    if (index >= 0) done |= 1 << index;
  }
  CHECK(done == 15 && sum == size * (size - 1) / 2 && word == 42);
  CHECK(in == (rank + size - 1) % size);
}

/* No rank leaves MPI_Ibarrier before the last one has come to it. That one first exchanges messages
 * with rank 1 for a while, and then sees whether rank 0 has said that it left. */
static void barrier(void) {
  int word = 0, early = 0, last = size - 1;
  MPI_Request request;
  for (int i = 0; last > 1 && i < 20; i++) {
    if (rank == last) MUST(MPI_Send(&word, 1, MPI_INT, 1, 2, comm));
    if (rank == 1) MUST(MPI_Recv(&word, 1, MPI_INT, last, 2, comm, MPI_STATUS_IGNORE));
    if (rank == 1) MUST(MPI_Send(&word, 1, MPI_INT, last, 2, comm));
    if (rank == last) MUST(MPI_Recv(&word, 1, MPI_INT, 1, 2, comm, MPI_STATUS_IGNORE));
  }
  if (rank == last && last > 1) MUST(MPI_Iprobe(0, 1, comm, &early, MPI_STATUS_IGNORE));
  CHECK(!early);
  MUST(MPI_Ibarrier(comm, &request));
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (rank == 0 && last > 1) MUST(MPI_Send(&word, 1, MPI_INT, last, 1, comm));
  if (rank == last && last > 1) MUST(MPI_Recv(&word, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
}

static void all_on(MPI_Comm on) {
  comm = on;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  blocks();
  vectors();
  if (size <= 16) interleaved(); /* each has a word for each other */
  reductions();
  not_blocking();
  for (int i = 0; i < 6; i++) barrier(); /* the first calls of a team may wait for each other */
}

int main(void) {
  static const int keys[] = {3, 1, 4, 1, 5, 9, 2, 6};
  MPI_Comm turned, half, shuffled, copy;
  begin();
  all_on(MPI_COMM_WORLD);
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 3, -me, &turned));
  all_on(turned);
  MUST(MPI_Comm_split(MPI_COMM_WORLD, me % 2 == 0 ? 0 : MPI_UNDEFINED, 0, &half));
  CHECK((half == MPI_COMM_NULL) == (me % 2 == 1));
  if (half != MPI_COMM_NULL) all_on(half);
  MUST(MPI_Comm_split(turned, 1, keys[me % 8], &shuffled));
  MUST(MPI_Comm_dup(shuffled, &copy));
  all_on(copy);
  MUST(MPI_Comm_free(&copy));
  MUST(MPI_Comm_free(&shuffled));
  if (half != MPI_COMM_NULL) MUST(MPI_Comm_free(&half));
  MUST(MPI_Comm_free(&turned));
  return finish();
}
