/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.c - groups of the MPI interface and the communicators made of them, against lists of world
 * ranks; on MPI_COMM_WORLD and on a communicator whose ranks are turned round. Info objects. */
#include "mpi_face/check.h"

enum { MOST = 64 };

static MPI_Comm comm;
static MPI_Group world, base;
static int rank, size;

/* The group has these world ranks, in this order; it is freed. */
static void check_group(int line, MPI_Group group, int n, const int *want) {
  int got_size = -1, got[MOST], each[MOST], my_rank = -1, wanted = MPI_UNDEFINED, bad = 0;
  MUST(MPI_Group_size(group, &got_size));
  CHECK(got_size == n);
  for (int i = 0; i < n; i++) each[i] = i;
  if (got_size == n) MUST(MPI_Group_translate_ranks(group, n, each, world, got));
  for (int i = 0; i < n && got_size == n; i++) {
    bad += got[i] != want[i];
    if (want[i] == me) wanted = i;
  }
  MUST(MPI_Group_rank(group, &my_rank));
  bad += my_rank != wanted;
  if (bad > 0) fprintf(stderr, "groups.c:%d: the group has other members\n", line);
  CHECK(bad == 0);
  CHECK((group == MPI_GROUP_EMPTY) == (n == 0));
  MUST(MPI_Group_free(&group));
  CHECK(group == MPI_GROUP_NULL);
}
#define GROUP(group, n, want) check_group(__LINE__, group, n, want)

/* The world rank of a rank of comm. */
static int world_of(int r) {
  return comm == MPI_COMM_WORLD ? r : size - 1 - r;
}

static void lists(void) {
  int n = size < MOST ? size : MOST, ranks[MOST], want[MOST], k = 0, others = 0;
  MPI_Group group;
  for (int r = n - 1; r >= 0; r -= 2) { /* downwards, each second one */
    ranks[k] = r;
    want[k++] = world_of(r);
  }
  MUST(MPI_Group_incl(base, k, ranks, &group));
  GROUP(group, k, want);
  MUST(MPI_Group_range_incl(base, 1, (int[][3]){{n - 1, 0, -2}}, &group));
  GROUP(group, k, want);
  for (int r = 0; r < n; r++)
    if ((n - 1 - r) % 2 == 1) want[others++] = world_of(r);
  MUST(MPI_Group_excl(base, k, ranks, &group));
  GROUP(group, others, want);
  MUST(MPI_Group_range_excl(base, 1, (int[][3]){{n - 1, 0, -2}}, &group));
  GROUP(group, others, want);
  for (int r = 0; r < n; r++) want[r] = world_of((r + n / 2) % n);
  MUST(MPI_Group_range_incl(base, n / 2 > 0 ? 2 : 1,
                            (int[][3]){{n / 2, n - 1, 1}, {0, n / 2 - 1, 1}}, &group));
  GROUP(group, n, want);
  MUST(MPI_Group_incl(base, 0, NULL, &group));
  GROUP(group, 0, NULL);
  MUST(MPI_Group_excl(base, 0, NULL, &group));
  for (int r = 0; r < n; r++) want[r] = world_of(r);
  GROUP(group, n, want);
}

/* Two groups that overlap: 0..2n/3 upwards, n-1..n/3 downwards. */
static void sets(void) {
  int a = 2 * size / 3, b = size / 3, want[MOST], n = 0, result = -1;
  MPI_Group low, high, group, copy;
  MUST(MPI_Group_range_incl(base, 1, (int[][3]){{0, a, 1}}, &low));
  MUST(MPI_Group_range_incl(base, 1, (int[][3]){{size - 1, b, -1}}, &high));
  MUST(MPI_Group_union(low, high, &group));
  for (int r = 0; r <= a; r++) want[n++] = world_of(r);
  for (int r = size - 1; r > a; r--) want[n++] = world_of(r);
  GROUP(group, n, want);
  MUST(MPI_Group_intersection(low, high, &group));
  n = 0;
  for (int r = b; r <= a; r++) want[n++] = world_of(r);
  GROUP(group, n, want);
  MUST(MPI_Group_intersection(high, low, &group));
  n = 0;
  for (int r = a; r >= b; r--) want[n++] = world_of(r);
  GROUP(group, n, want);
  MUST(MPI_Group_difference(high, low, &group));
  n = 0;
  for (int r = size - 1; r > a; r--) want[n++] = world_of(r);
  GROUP(group, n, want);
  MUST(MPI_Group_difference(low, low, &group));
  GROUP(group, 0, NULL);
  MUST(MPI_Group_union(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &group));
  GROUP(group, 0, NULL);
  MUST(MPI_Group_compare(low, low, &result));
  CHECK(result == MPI_IDENT);
  MUST(MPI_Group_compare(base, high, &result));
  CHECK(result == (size == 1 ? MPI_IDENT : b == 0 ? MPI_SIMILAR : MPI_UNEQUAL));
  MUST(MPI_Group_range_incl(base, 1, (int[][3]){{size - 1, 0, -1}}, &copy));
  MUST(MPI_Group_compare(base, copy, &result));
  CHECK(result == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
  MUST(MPI_Group_compare(copy, MPI_GROUP_EMPTY, &result));
  CHECK(result == MPI_UNEQUAL);
  int some[] = {0, MPI_PROC_NULL, size - 1}, got[3] = {7, 7, 7};
  MUST(MPI_Group_translate_ranks(copy, 3, some, low, got));
  CHECK(got[0] == (size - 1 <= a ? size - 1 : MPI_UNDEFINED));
  CHECK(got[1] == MPI_PROC_NULL && got[2] == 0);
  MUST(MPI_Group_free(&low));
  MUST(MPI_Group_free(&high));
  MUST(MPI_Group_free(&copy));
}

/* The members' ranks in `made` are those of the group, and it works. */
static void check_comm(MPI_Comm made, MPI_Group group) {
  int in = -1, mine = -1, n = -1, size_of = -1, first = -1, sum = -1, result = -1;
  MPI_Group of;
  MUST(MPI_Group_rank(group, &in));
  MUST(MPI_Group_size(group, &n));
  CHECK((made == MPI_COMM_NULL) == (in == MPI_UNDEFINED));
  if (made == MPI_COMM_NULL) return;
  MUST(MPI_Comm_rank(made, &mine));
  MUST(MPI_Comm_size(made, &size_of));
  CHECK(mine == in && size_of == n);
  MUST(MPI_Comm_group(made, &of));
  MUST(MPI_Group_compare(of, group, &result));
  CHECK(result == MPI_IDENT);
  MUST(MPI_Group_free(&of));
  MUST(MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, made));
  CHECK(sum == mine * (mine + 1) / 2);
  first = me;
  MUST(MPI_Bcast(&first, 1, MPI_INT, 0, made));
  int zero = 0, want = -1;
  MUST(MPI_Group_translate_ranks(group, 1, &zero, world, &want));
  CHECK(first == want);
  MUST(MPI_Comm_free(&made));
}

static void communicators(void) {
  MPI_Group some, mine;
  MPI_Comm made;
  MUST(MPI_Group_range_incl(base, 1, (int[][3]){{size - 1, 0, -2}}, &some));
  MUST(MPI_Comm_create(comm, some, &made));
  check_comm(made, some);
  MUST(MPI_Comm_create(comm, MPI_GROUP_EMPTY, &made));
  CHECK(made == MPI_COMM_NULL);
  /* Even and odd ranks in one call. */
  MUST(MPI_Group_range_incl(
      base, 1, (int[][3]){{rank % 2, rank % 2 + (size - 1 - rank % 2) / 2 * 2, 2}}, &mine));
  MUST(MPI_Comm_create(comm, mine, &made));
  check_comm(made, mine);
  /* The members alone call. */
  made = MPI_COMM_NULL;
  if ((size - 1 - rank) % 2 == 0) MUST(MPI_Comm_create_group(comm, some, 3, &made));
  check_comm(made, some);
  MUST(MPI_Comm_create_group(comm, mine, 4, &made));
  check_comm(made, mine);
  MUST(MPI_Group_free(&some));
  MUST(MPI_Group_free(&mine));
}

/* The ranks of a node: those with the same processor name, in the order of keys. */
static void nodes(void) {
  char name[MPI_MAX_PROCESSOR_NAME], *all = calloc((size_t)size, sizeof name);
  int length, here = 0, before = 0, got = -1, n = -1;
  MPI_Comm made;
  if (all == NULL) abort();
  memset(name, 0, sizeof name);
  MUST(MPI_Get_processor_name(name, &length));
  MUST(MPI_Allgather(name, sizeof name, MPI_CHAR, all, sizeof name, MPI_CHAR, comm));
  for (int r = 0; r < size; r++) {
    int same = strcmp(&all[(size_t)r * sizeof name], name) == 0;
    here += same;
    before += same && r > rank;
  }
  MUST(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &made));
  MUST(MPI_Comm_rank(made, &got));
  MUST(MPI_Comm_size(made, &n));
  CHECK(got == before && n == here);
  MUST(MPI_Comm_free(&made));
  MUST(MPI_Comm_split_type(comm, rank == 0 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL,
                           &made));
  CHECK((made == MPI_COMM_NULL) == (rank != 0));
  if (made != MPI_COMM_NULL) MUST(MPI_Comm_free(&made));
  free(all);
}

/* The last rank passes a group with one rank more than the others, or in another order. */
static void mistaken(void) {
  MPI_Comm made, on;
  MPI_Group few, turned;
  if (size < 3) return;
  MUST(MPI_Comm_dup(comm, &on));
  MUST(MPI_Comm_set_errhandler(on, MPI_ERRORS_RETURN));
  MUST(MPI_Group_range_incl(base, 1, (int[][3]){{0, size - 2, 1}}, &few));
  int code = MPI_Comm_create(on, rank == size - 1 ? base : few, &made), class = -1;
  MUST(MPI_Error_class(code, &class));
  CHECK(class == MPI_ERR_GROUP && made == MPI_COMM_NULL);
  MUST(MPI_Group_range_incl(base, 2, (int[][3]){{0, 0, 1}, {size - 1, 1, -1}}, &turned));
  code = MPI_Comm_create(on, rank == size - 1 ? turned : base, &made);
  MUST(MPI_Error_class(code, &class));
  CHECK(class == MPI_ERR_GROUP && made == MPI_COMM_NULL);
  MUST(MPI_Comm_create(on, few, &made)); /* the communicator works on */
  CHECK((made == MPI_COMM_NULL) == (rank == size - 1));
  if (made != MPI_COMM_NULL) MUST(MPI_Comm_free(&made));
  MUST(MPI_Comm_free(&on));
  MUST(MPI_Group_free(&few));
  MUST(MPI_Group_free(&turned));
}

static void infos(void) {
  MPI_Info info;
  char value[8] = "before";
  int flag = -1;
  MUST(MPI_Info_create(&info));
  MUST(MPI_Info_set(info, "no_locks", "true"));
  MUST(MPI_Info_set(info, "other", "a long value"));
  MUST(MPI_Info_set(info, "no_locks", "false"));
  MUST(MPI_Info_get(info, "none", 7, value, &flag));
  CHECK(!flag && strcmp(value, "before") == 0);
  MUST(MPI_Info_get(info, "no_locks", 7, value, &flag));
  CHECK(flag && strcmp(value, "false") == 0);
  MUST(MPI_Info_get(info, "other", 6, value, &flag));
  CHECK(flag && strcmp(value, "a long") == 0);
  MUST(MPI_Info_delete(info, "no_locks"));
  MUST(MPI_Info_get(info, "no_locks", 7, value, &flag));
  CHECK(!flag);
  MUST(MPI_Info_free(&info));
  CHECK(info == MPI_INFO_NULL);
}

static void all_on(MPI_Comm on) {
  comm = on;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  MUST(MPI_Comm_group(comm, &base));
  lists();
  sets();
  communicators();
  mistaken();
  nodes();
  MUST(MPI_Group_free(&base));
}

int main(void) {
  MPI_Comm turned;
  begin();
  if (n_ranks > MOST) abort();
  MUST(MPI_Comm_group(MPI_COMM_WORLD, &world));
  all_on(MPI_COMM_WORLD);
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 3, -me, &turned));
  all_on(turned);
  MUST(MPI_Comm_free(&turned));
  infos();
  MUST(MPI_Group_free(&world));
  return finish();
}
