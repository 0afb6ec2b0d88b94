/* SPDX-License-Identifier: BSD-3-Clause */
/* many_handles.c - makes and frees handles of each kind, more of them than are kept as dead ones,
 * among others that live on, and says whether the memory of the process has grown. */
#include <malloc.h>

#include "mpi_face/check.h"

enum { TURNS = 320, LIVING = 7 };

static MPI_Datatype types[LIVING];
static MPI_Comm comms[LIVING];
static MPI_Group groups[LIVING], world;
static MPI_Info infos[LIVING];

static void make(int i) {
  const int mine[1] = {me};
  char name[MPI_MAX_OBJECT_NAME];
  snprintf(name, sizeof name, "type %d", i);
  MUST(MPI_Type_vector(2, 1, 2, MPI_INT, &types[i]));
  MUST(MPI_Type_commit(&types[i]));
  MUST(MPI_Type_set_name(types[i], name));
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
  MUST(MPI_Group_incl(world, 1, mine, &groups[i]));
  MUST(MPI_Info_create(&infos[i]));
  MUST(MPI_Info_set(infos[i], "key", name));
}

static void use(int i) {
  int four[4] = {me, -1, me + 1, -1}, got[4] = {0}, rank, size;
  MUST(
      MPI_Sendrecv(four, 1, types[i], me, 3, got, 1, types[i], me, 3, comms[i], MPI_STATUS_IGNORE));
  CHECK(got[0] == me && got[1] == 0 && got[2] == me + 1 && got[3] == 0);
  MUST(MPI_Comm_rank(comms[i], &rank));
  MUST(MPI_Group_size(groups[i], &size));
  CHECK(rank == me && size == 1);
  MUST(MPI_Info_get_nkeys(infos[i], &size));
  CHECK(size == 1);
}

static void drop(int i) {
  MUST(MPI_Type_free(&types[i]));
  MUST(MPI_Comm_free(&comms[i]));
  MUST(MPI_Group_free(&groups[i]));
  MUST(MPI_Info_free(&infos[i]));
}

/* Handles are freed in another order than they were made in. */
static void turns(int n) {
  for (int t = 0; t < n; t++) {
    int i = t * t % LIVING;
    use(i);
    drop(i);
    make(i);
  }
}

static size_t in_use(void) {
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  return mallinfo2().uordblks;
}

int main(void) {
  begin();
  MUST(MPI_Comm_group(MPI_COMM_WORLD, &world));
  for (int i = 0; i < LIVING; i++) make(i);
  turns(TURNS);
  size_t before = in_use();
  turns(TURNS);
  size_t after = in_use();
  CHECK(after < before + 65536); /* 150 KiB and more a rank if handles stayed */
  for (int i = 0; i < LIVING; i++) drop(i);
  MUST(MPI_Group_free(&world));
  return finish();
}
