/* SPDX-License-Identifier: BSD-3-Clause */
/* cart.c - Cartesian topologies of the MPI interface: factors of MPI_Dims_create, and grids of one
 * to three dimensions whose ranks, borders and subgrids each rank computes for itself; on
 * MPI_COMM_WORLD and on a communicator whose ranks are turned round. */
#include "mpi_face/check.h"

static MPI_Comm comm;
static int rank, size;

static void factors(void) {
  static const struct {
    int n, ndims, in[3], out[3];
  } cases[] = {
      {1, 3, {0, 0, 0}, {1, 1, 1}}, {6, 2, {0, 0}, {3, 2}},        {7, 1, {0}, {7}},
      {7, 3, {0, 0, 0}, {7, 1, 1}}, {12, 2, {0, 0}, {4, 3}},       {16, 3, {0, 0, 0}, {4, 2, 2}},
      {6, 3, {0, 3, 0}, {2, 3, 1}}, {24, 3, {0, 0, 2}, {4, 3, 2}}, {60, 3, {0, 0, 0}, {5, 4, 3}},
      {36, 2, {0, 0}, {6, 6}},      {36, 3, {0, 0, 0}, {4, 3, 3}}, {8, 3, {2, 2, 2}, {2, 2, 2}},
      {1000, 3, {0}, {10, 10, 10}}, {18, 3, {0}, {3, 3, 2}},       {30, 2, {0, 2}, {15, 2}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int dims[3], same = 1;
    memcpy(dims, cases[i].in, sizeof dims);
    MUST(MPI_Dims_create(cases[i].n, cases[i].ndims, dims));
    for (int d = 0; d < cases[i].ndims; d++) same = same && dims[d] == cases[i].out[d];
    if (!same) fprintf(stderr, "%d in %d dimensions\n", cases[i].n, cases[i].ndims);
    CHECK(same);
  }
  MUST(MPI_Dims_create(1, 0, NULL));
}

/* A rank sends its world rank along the shift, and gets that of the source. */
static void ring(MPI_Comm grid, int source, int dest, int want) {
  int out, in = -1;
  MUST(MPI_Comm_rank(grid, &out));
  MUST(
      MPI_Sendrecv(&out, 1, MPI_INT, dest, 1, &in, 1, MPI_INT, source, 1, grid, MPI_STATUS_IGNORE));
  CHECK(in == want);
}

/* dims[0] x dims[1] x dims[2], periodic in the middle. */
static void grid(const int dims[3]) {
  int periods[3] = {0, 1, 0}, points = dims[0] * dims[1] * dims[2], status = -7, n = -1;
  MPI_Comm made, copy;
  MUST(MPI_Cart_create(comm, 3, dims, periods, 1, &made));
  CHECK((made == MPI_COMM_NULL) == (rank >= points));
  if (made == MPI_COMM_NULL) return;
  MUST(MPI_Comm_dup(made, &copy)); /* has the grid too */
  MUST(MPI_Topo_test(copy, &status));
  MUST(MPI_Cartdim_get(copy, &n));
  CHECK(status == MPI_CART && n == 3);
  MUST(MPI_Comm_size(copy, &n));
  CHECK(n == points);
  int at[3], got_dims[3], got_periods[3], got[3], r = -1;
  for (int i = 2, rest = rank; i >= 0; rest /= dims[i--]) at[i] = rest % dims[i];
  MUST(MPI_Cart_get(copy, 3, got_dims, got_periods, got));
  CHECK(memcmp(got, at, sizeof at) == 0 && memcmp(got_dims, dims, sizeof got_dims) == 0);
  CHECK(!got_periods[0] && got_periods[1] && !got_periods[2]);
  for (int other = 0; other < points; other++) {
    MUST(MPI_Cart_coords(made, other, 3, got));
    CHECK((got[0] * dims[1] + got[1]) * dims[2] + got[2] == other);
    got[1] -= 3 * dims[1];
    MUST(MPI_Cart_rank(made, got, &r));
    CHECK(r == other);
    got[1] += 7 * dims[1];
    MUST(MPI_Cart_rank(made, got, &r));
    CHECK(r == other);
  }
  for (int d = 0; d < 3; d++)
    for (int disp = -3; disp <= 3; disp++) {
      int source = -7, dest = -7, want[2];
      for (int k = 0; k < 2; k++) {
        int to[3] = {at[0], at[1], at[2]};
        to[d] += k == 0 ? -disp : disp;
        if (d == 1) to[1] = (to[1] + 12 * dims[1]) % dims[1];
        want[k] = to[d] < 0 || to[d] >= dims[d] ? MPI_PROC_NULL
                                                : (to[0] * dims[1] + to[1]) * dims[2] + to[2];
      }
      MUST(MPI_Cart_shift(made, d, disp, &source, &dest));
      CHECK(source == want[0] && dest == want[1]);
      ring(made, source, dest, source == MPI_PROC_NULL ? -1 : source);
    }
  MUST(MPI_Comm_free(&copy));
  MUST(MPI_Comm_free(&made));
}

/* Planes, lines and points of a grid: their members by the sum of a value of each. */
static void subgrids(const int dims[3]) {
  int periods[3] = {1, 0, 1}, points = dims[0] * dims[1] * dims[2];
  MPI_Comm made, part;
  MUST(MPI_Cart_create(comm, 3, dims, periods, 0, &made));
  if (made == MPI_COMM_NULL) return;
  for (int kept = 0; kept < 8; kept++) {
    int remain[3] = {kept & 1, kept & 2, kept & 4}, mine[3], sum = -1, want = 0, n = -1, k = 0;
    int got_dims[3], got_periods[3], got[3], last = -1, members = 0, before = 0, r = -1;
    MUST(MPI_Cart_sub(made, remain, &part));
    MUST(MPI_Cartdim_get(part, &n));
    CHECK(n == (kept & 1) + (kept >> 1 & 1) + (kept >> 2));
    MUST(MPI_Cart_coords(made, rank, 3, mine));
    for (int other = 0; other < points; other++) {
      int in = 1;
      MUST(MPI_Cart_coords(made, other, 3, got));
      for (int i = 0; i < 3; i++) in = in && (remain[i] || got[i] == mine[i]);
      want += in ? other + 1 : 0;
      members += in;
      before += in && other < rank;
    }
    int value = rank + 1;
    MUST(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, part));
    MUST(MPI_Comm_size(part, &last));
    MUST(MPI_Comm_rank(part, &r));
    CHECK(sum == want && last == members && r == before);
    MUST(MPI_Cart_get(part, 3, got_dims, got_periods, got));
    for (int i = 0; i < 3; i++) {
      if (!remain[i]) continue;
      CHECK(got_dims[k] == dims[i] && !got_periods[k] == !periods[i] && got[k] == mine[i]);
      k++;
    }
    MUST(MPI_Comm_free(&part));
  }
  MUST(MPI_Comm_free(&made));
}

static void all_on(MPI_Comm on) {
  int status = -7, dims[3] = {0, 0, 0};
  comm = on;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  MUST(MPI_Topo_test(comm, &status));
  CHECK(status == MPI_UNDEFINED);
  MUST(MPI_Dims_create(size, 3, dims));
  CHECK(dims[0] * dims[1] * dims[2] == size && dims[0] >= dims[1] && dims[1] >= dims[2]);
  grid(dims);
  grid((int[]){1, size, 1});
  grid((int[]){1, 1, (size + 1) / 2}); /* not all ranks */
  if (size >= 6) grid((int[]){2, 1, 3});
  subgrids(dims);
  if (size >= 6) subgrids((int[]){1, 3, 2});
  for (int half = 0; half < 2; half++) {
    int mapped = -7, points = half ? (size + 1) / 2 : size, periods[] = {0, 1};
    MUST(MPI_Cart_map(comm, 2, (int[]){1, points}, periods, &mapped));
    CHECK(mapped == (rank < points ? rank : MPI_UNDEFINED));
  }
  MPI_Comm point;
  MUST(MPI_Cart_create(comm, 0, NULL, NULL, 0, &point));
  CHECK((point == MPI_COMM_NULL) == (rank > 0));
  if (point != MPI_COMM_NULL) MUST(MPI_Comm_free(&point));
}

int main(void) {
  MPI_Comm turned;
  begin();
  factors();
  all_on(MPI_COMM_WORLD);
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 3, -me, &turned));
  all_on(turned);
  MUST(MPI_Comm_free(&turned));
  return finish();
}
