/* SPDX-License-Identifier: BSD-3-Clause */
/* group.c - groups of the MPI interface: lists of units in the order of ranks. */
#include "interfaces/mpi/group.h"

#include <stdlib.h>
#include <string.h>

FACE_PREDEFINED_HANDLE(groups)
struct eyot_mpi_group eyot_mpi_group_empty = {.live = FACE_LIVE};

int face_group(const struct eyot_mpi_group *group) {
  if (face_handle_known(FACE_HANDLE_GROUP, group) && group->live == FACE_LIVE) return MPI_SUCCESS;
  return face_handle_refuse(NULL, FACE_HANDLE_GROUP, "group", group);
}

int face_group_ranks(const struct eyot_mpi_group *group, int **rank_of) {
  size_t n = eyot_size();
  *rank_of = malloc(n * sizeof **rank_of);
  if (*rank_of == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a group");
  for (size_t i = 0; i < n; i++) (*rank_of)[i] = MPI_UNDEFINED;
  for (int r = 0; r < group->size; r++) (*rank_of)[group->unit[r]] = r;
  return MPI_SUCCESS;
}

static int space(int n, uint32_t **unit) {
  *unit = malloc((size_t)(n > 0 ? n : 1) * sizeof **unit);
  return *unit != NULL ? MPI_SUCCESS : face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a group");
}

/* Makes the group of `size` units, whose array becomes its own. */
static int make(uint32_t *unit, int size, MPI_Group *made) {
  if (size == 0) {
    free(unit);
    *made = MPI_GROUP_EMPTY;
    return MPI_SUCCESS;
  }
  struct eyot_mpi_group *g = malloc(sizeof *g);
  int error = g == NULL ? face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a group")
                        : face_handle_add(NULL, FACE_HANDLE_GROUP, g);
  if (error != MPI_SUCCESS) {
    free(g);
    free(unit);
    return error;
  }
  *g = (struct eyot_mpi_group){.live = FACE_LIVE, .size = size, .unit = unit};
  FACE_LINK(face.groups, g);
  *made = g;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_group, (MPI_Comm comm, MPI_Group *group)) {
  FACE_ENTER("MPI_Comm_group");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "group", group));
  uint32_t *unit;
  FACE_TRY(space(comm->size, &unit));
  for (int r = 0; r < comm->size; r++) {
    eyot_unit_t global = {0};
    int error = face_check(comm, eyot_team_l2g(comm->team, face_unit(comm, r), &global));
    if (error != MPI_SUCCESS) {
      free(unit);
      return error;
    }
    unit[r] = global.id;
  }
  return make(unit, comm->size, group);
}

/* The empty group stays: functions return it where a result has no member. */
FACE_DEFINE(int, Group_free, (MPI_Group * group)) {
  FACE_ENTER("MPI_Group_free");
  FACE_TRY(face_output(NULL, "group", group));
  FACE_TRY(face_group(*group));
  if (*group != MPI_GROUP_EMPTY) {
    (*group)->live = FACE_DEAD;
    free((*group)->unit);
    (*group)->unit = NULL;
    FACE_UNLINK(*group);
    face_bury(&face.dead_groups, FACE_HANDLE_GROUP, *group);
  }
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

void face_groups_end(void) {
  while (face.groups != NULL) {
    struct eyot_mpi_group *g = face.groups;
    face.groups = g->next;
    free(g->unit);
    free(g);
  }
  face_dead_end(&face.dead_groups);
}

/* -- queries ----------------------------------------------------------------------------------- */

FACE_DEFINE(int, Group_size, (MPI_Group group, int *size)) {
  FACE_ENTER("MPI_Group_size");
  FACE_TRY(face_group(group));
  FACE_TRY(face_output(NULL, "size", size));
  *size = group->size;
  return MPI_SUCCESS;
}

int face_group_me(const struct eyot_mpi_group *group) {
  uint32_t me = eyot_me().id;
  for (int r = 0; r < group->size; r++)
    if (group->unit[r] == me) return r;
  return MPI_UNDEFINED;
}

FACE_DEFINE(int, Group_rank, (MPI_Group group, int *rank)) {
  FACE_ENTER("MPI_Group_rank");
  FACE_TRY(face_group(group));
  FACE_TRY(face_output(NULL, "rank", rank));
  *rank = face_group_me(group);
  return MPI_SUCCESS;
}

static int check_rank(const struct eyot_mpi_group *group, int rank) {
  if (rank >= 0 && rank < group->size) return MPI_SUCCESS;
  if (group->size == 0)
    return face_fail(NULL, MPI_ERR_RANK, "a rank is %d, and the group is empty", rank);
  return face_fail(NULL, MPI_ERR_RANK, "a rank is %d, expected 0 to %d", rank, group->size - 1);
}

FACE_DEFINE(int, Group_translate_ranks,
            (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])) {
  FACE_ENTER("MPI_Group_translate_ranks");
  FACE_TRY(face_group(group1));
  FACE_TRY(face_group(group2));
  if (n < 0) return face_fail(NULL, MPI_ERR_ARG, "n is %d, expected 0 or more", n);
  if (n == 0) return MPI_SUCCESS;
  FACE_TRY(face_input(NULL, "ranks1", ranks1));
  FACE_TRY(face_output(NULL, "ranks2", ranks2));
  for (int i = 0; i < n; i++)
    if (ranks1[i] != MPI_PROC_NULL) FACE_TRY(check_rank(group1, ranks1[i]));
  int *rank_of;
  FACE_TRY(face_group_ranks(group2, &rank_of));
  for (int i = 0; i < n; i++)
    ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : rank_of[group1->unit[ranks1[i]]];
  free(rank_of);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Group_compare, (MPI_Group group1, MPI_Group group2, int *result)) {
  FACE_ENTER("MPI_Group_compare");
  FACE_TRY(face_group(group1));
  FACE_TRY(face_group(group2));
  FACE_TRY(face_output(NULL, "result", result));
  int *rank_of;
  FACE_TRY(face_group_ranks(group2, &rank_of));
  *result = group1->size == group2->size ? MPI_IDENT : MPI_UNEQUAL;
  for (int r = 0; *result != MPI_UNEQUAL && r < group1->size; r++) {
    int other = rank_of[group1->unit[r]];
    if (other != r) *result = other == MPI_UNDEFINED ? MPI_UNEQUAL : MPI_SIMILAR;
  }
  free(rank_of);
  return MPI_SUCCESS;
}

/* -- groups of members that are listed --------------------------------------------------------- */

/* The members with the n ranks in their order, or all others. */
static int choose(const struct eyot_mpi_group *group, int n, const int *ranks, bool included,
                  MPI_Group *made) {
  FACE_TRY(face_output(NULL, "newgroup", made));
  if (n > 0) FACE_TRY(face_input(NULL, "the array of ranks", ranks));
  uint32_t *unit;
  FACE_TRY(space(group->size, &unit));
  bool *listed = calloc((size_t)group->size + 1, 1);
  int error = MPI_SUCCESS, size = 0;
  if (listed == NULL) error = face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a group");
  for (int i = 0; error == MPI_SUCCESS && i < n; i++) {
    error = check_rank(group, ranks[i]);
    if (error == MPI_SUCCESS && listed[ranks[i]])
      error = face_fail(NULL, MPI_ERR_RANK, "rank %d is listed twice", ranks[i]);
    if (error != MPI_SUCCESS) break;
    listed[ranks[i]] = true;
    if (included) unit[size++] = group->unit[ranks[i]];
  }
  for (int r = 0; error == MPI_SUCCESS && !included && r < group->size; r++)
    if (!listed[r]) unit[size++] = group->unit[r];
  free(listed);
  if (error == MPI_SUCCESS) return make(unit, size, made);
  free(unit);
  return error;
}

static int check_list(const struct eyot_mpi_group *group, int n) {
  FACE_TRY(face_group(group));
  if (n >= 0) return MPI_SUCCESS;
  return face_fail(NULL, MPI_ERR_ARG, "n is %d, expected 0 or more", n);
}

FACE_DEFINE(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)) {
  FACE_ENTER("MPI_Group_incl");
  FACE_TRY(check_list(group, n));
  return choose(group, n, ranks, true, newgroup);
}

FACE_DEFINE(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)) {
  FACE_ENTER("MPI_Group_excl");
  FACE_TRY(check_list(group, n));
  return choose(group, n, ranks, false, newgroup);
}

/* The ranks of n ranges of first, last and stride, each of which is one of the group. */
static int list_ranges(const struct eyot_mpi_group *group, int n, int ranges[][3], int *ranks,
                       int *count) {
  *count = 0;
  if (n > 0) FACE_TRY(face_input(NULL, "the array of ranges", ranges));
  for (int i = 0; i < n; i++) {
    int64_t rank = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0)
      return face_fail(NULL, MPI_ERR_ARG, "range %d has the stride 0, expected another", i);
    for (; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      FACE_TRY(check_rank(group, (int)rank));
      if (*count == group->size)
        return face_fail(NULL, MPI_ERR_RANK, "ranges have a rank twice, the last in range %d", i);
      ranks[(*count)++] = (int)rank;
    }
  }
  return MPI_SUCCESS;
}

static int choose_ranges(const struct eyot_mpi_group *group, int n, int ranges[][3], bool included,
                         MPI_Group *made) {
  FACE_TRY(check_list(group, n));
  int count, *ranks = malloc(((size_t)group->size + 1) * sizeof *ranks);
  if (ranks == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a group");
  int error = list_ranges(group, n, ranges, ranks, &count);
  if (error == MPI_SUCCESS) error = choose(group, count, ranks, included, made);
  free(ranks);
  return error;
}

FACE_DEFINE(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)) {
  FACE_ENTER("MPI_Group_range_incl");
  return choose_ranges(group, n, ranges, true, newgroup);
}

FACE_DEFINE(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)) {
  FACE_ENTER("MPI_Group_range_excl");
  return choose_ranges(group, n, ranges, false, newgroup);
}

/* -- sets -------------------------------------------------------------------------------------- */

/* Adds the members of `from` that are, or are not, in the group of the table. */
static void add(const struct eyot_mpi_group *from, const int *rank_of, bool in, uint32_t *unit,
                int *size) {
  for (int r = 0; r < from->size; r++)
    if ((rank_of[from->unit[r]] != MPI_UNDEFINED) == in) unit[(*size)++] = from->unit[r];
}

static int check_sets(const struct eyot_mpi_group *a, const struct eyot_mpi_group *b,
                      const MPI_Group *made) {
  FACE_TRY(face_group(a));
  FACE_TRY(face_group(b));
  return face_output(NULL, "newgroup", made);
}

/* The members of `a` that are, or are not, in b. */
static int part(const struct eyot_mpi_group *a, const struct eyot_mpi_group *b, bool in,
                MPI_Group *made) {
  FACE_TRY(check_sets(a, b, made));
  int *rank_of, size = 0;
  uint32_t *unit;
  FACE_TRY(space(a->size, &unit));
  int error = face_group_ranks(b, &rank_of);
  if (error != MPI_SUCCESS) {
    free(unit);
    return error;
  }
  add(a, rank_of, in, unit, &size);
  free(rank_of);
  return make(unit, size, made);
}

FACE_DEFINE(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)) {
  FACE_ENTER("MPI_Group_union");
  FACE_TRY(check_sets(group1, group2, newgroup));
  int *rank_of, size = group1->size;
  uint32_t *unit;
  FACE_TRY(space(group1->size + group2->size, &unit));
  int error = face_group_ranks(group1, &rank_of);
  if (error != MPI_SUCCESS) {
    free(unit);
    return error;
  }
  if (size > 0) memcpy(unit, group1->unit, (size_t)size * sizeof *unit);
  add(group2, rank_of, false, unit, &size);
  free(rank_of);
  return make(unit, size, newgroup);
}

FACE_DEFINE(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)) {
  FACE_ENTER("MPI_Group_intersection");
  return part(group1, group2, true, newgroup);
}

FACE_DEFINE(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)) {
  FACE_ENTER("MPI_Group_difference");
  return part(group1, group2, false, newgroup);
}
