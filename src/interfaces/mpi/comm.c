/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c - communicators of the MPI interface: each is a team of eyot, and a map of ranks where
 * MPI_Comm_split has ordered them otherwise than by unit. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/buffer.h"
#include "interfaces/mpi/group.h"

FACE_DEFINE(int, Comm_rank, (MPI_Comm comm, int *rank)) {
  FACE_ENTER("MPI_Comm_rank");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "rank", rank));
  *rank = comm->me;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_size, (MPI_Comm comm, int *size)) {
  FACE_ENTER("MPI_Comm_size");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "size", size));
  *size = comm->size;
  return MPI_SUCCESS;
}

/* -- made and freed ---------------------------------------------------------------------------- */

static int link_made(struct eyot_mpi_comm *c) {
  c->live = FACE_LIVE;
  FACE_LINK(face.made, c);
  return face_handle_add(c, FACE_HANDLE_COMM, c);
}

static int end_comm(struct eyot_mpi_comm *c) {
  FACE_TRY(face_attrs_remove(c));
  FACE_TRY(face_graph_remove(c));
  FACE_TRY(face_check(c, eyot_team_destroy(&c->team)));
  free(c->unit);
  free(c->rank);
  free(c->cart);
  free(c->whole);
  c->unit = c->rank = NULL;
  c->cart = NULL;
  c->whole = NULL;
  c->live = FACE_DEAD;
  FACE_UNLINK(c);
  face_bury(&face.dead_comms, FACE_HANDLE_COMM, c);
  return MPI_SUCCESS;
}

void face_comms_end(void) {
  face_attrs_end(MPI_COMM_WORLD);
  if (MPI_COMM_SELF->team.id != EYOT_TEAM_NULL.id && MPI_COMM_SELF->pending == 0 &&
      eyot_team_destroy(&MPI_COMM_SELF->team) != EYOT_OK)
    face_failed();
  while (face.made != NULL) {
    struct eyot_mpi_comm *c = face.made;
    face.made = c->next;
    free(c->unit); /* teams that are left end with eyot */
    free(c->rank);
    free(c->cart);
    free(c->whole);
    face_graph_end(c);
    face_attrs_end(c);
    free(c);
  }
  face_dead_end(&face.dead_comms);
}

static int copy_order(const struct eyot_mpi_comm *from, struct eyot_mpi_comm *to) {
  if (from->unit == NULL) return MPI_SUCCESS;
  size_t bytes = (size_t)from->size * sizeof *to->unit;
  to->unit = malloc(bytes);
  to->rank = malloc(bytes);
  if (to->unit == NULL || to->rank == NULL)
    return face_fail(from, MPI_ERR_NO_MEM, "no memory for the ranks of a communicator");
  memcpy(to->unit, from->unit, bytes);
  memcpy(to->rank, from->rank, bytes);
  return MPI_SUCCESS;
}

static int new_comm(const struct eyot_mpi_comm *from, struct eyot_mpi_comm **made) {
  *made = calloc(1, sizeof **made);
  if (*made == NULL) return face_fail(from, MPI_ERR_NO_MEM, "no memory for a communicator");
  (*made)->handler = from->handler;
  return MPI_SUCCESS;
}

static int duplicate(struct eyot_mpi_comm *comm, MPI_Comm *newcomm) {
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "newcomm", newcomm));
  struct eyot_mpi_comm *c;
  FACE_TRY(new_comm(comm, &c));
  c->me = comm->me;
  c->size = comm->size;
  FACE_TRY(copy_order(comm, c));
  FACE_TRY(face_cart_copy(comm, c));
  FACE_TRY(face_whole_copy(comm, c));
  FACE_TRY(face_graph_copy(comm, c));
  eyot_group_t *group = NULL;
  int rc = eyot_team_group(comm->team, &group);
  if (rc == EYOT_OK) rc = eyot_team_create(comm->team, group, &c->team);
  eyot_group_free(group);
  FACE_TRY(face_check(comm, rc));
  FACE_TRY(link_made(c));
  if (face_graph_early != NULL) FACE_TRY(face_graph_early(c));
  int error = face_attrs_copy(comm, c);
  *newcomm = error == MPI_SUCCESS ? c : MPI_COMM_NULL;
  return error;
}

FACE_DEFINE(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Comm_dup");
  return duplicate(comm, newcomm);
}

FACE_DEFINE(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Comm_dup_with_info");
  FACE_TRY(face_info(info));
  return duplicate(comm, newcomm);
}

/* There are no intercommunicators. */
FACE_DEFINE(int, Comm_test_inter, (MPI_Comm comm, int *flag)) {
  FACE_ENTER("MPI_Comm_test_inter");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "flag", flag));
  *flag = 0;
  return MPI_SUCCESS;
}

struct split_place {
  int32_t key, before; /* before: the rank in the old communicator */
  uint32_t unit;
};

static int compare_places(const void *a, const void *b) {
  const struct split_place *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return p->before < q->before ? -1 : p->before > q->before;
}

/* Ranks of a new team by the keys of its members: a map, unless they are in order. */
static int order_by_key(struct eyot_mpi_comm *c, struct split_place mine) {
  size_t n = (size_t)c->size;
  struct split_place *all = malloc(n * sizeof *all);
  c->unit = malloc(n * sizeof *c->unit);
  c->rank = malloc(n * sizeof *c->rank);
  if (all == NULL || c->unit == NULL || c->rank == NULL)
    return face_fail(c, MPI_ERR_NO_MEM, "no memory for the ranks of a communicator");
  int rc = eyot_allgather(c->team, &mine, all, sizeof mine);
  if (rc == EYOT_OK) qsort(all, n, sizeof *all, compare_places);
  bool ordered = true;
  for (uint32_t i = 0; rc == EYOT_OK && i < n; i++) {
    c->unit[i] = all[i].unit;
    c->rank[all[i].unit] = i;
    ordered = ordered && all[i].unit == i;
  }
  free(all);
  FACE_TRY(face_check(c, rc));
  c->me = (int)c->rank[mine.unit];
  if (!ordered) return MPI_SUCCESS;
  free(c->unit);
  free(c->rank);
  c->unit = c->rank = NULL;
  return MPI_SUCCESS;
}

int face_split(struct eyot_mpi_comm *comm, uint32_t color, int key, MPI_Comm *newcomm) {
  struct eyot_mpi_comm *c;
  FACE_TRY(new_comm(comm, &c));
  int error = face_check(comm, eyot_team_split(comm->team, color, &c->team));
  if (error != MPI_SUCCESS || color == EYOT_COLOR_NONE) {
    free(c);
    *newcomm = MPI_COMM_NULL;
    return error;
  }
  FACE_TRY(link_made(c));
  eyot_tunit_t me;
  uint32_t size;
  FACE_TRY(face_check(comm, eyot_team_me(c->team, &me)));
  FACE_TRY(face_check(comm, eyot_team_size(c->team, &size)));
  c->size = (int)size;
  FACE_TRY(order_by_key(c, (struct split_place){key, comm->me, me.id}));
  *newcomm = c;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Comm_split");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "newcomm", newcomm));
  if (color < 0 && color != MPI_UNDEFINED)
    return face_fail(comm, MPI_ERR_ARG, "color is %d, expected 0 or more, or MPI_UNDEFINED", color);
  return face_split(comm, color == MPI_UNDEFINED ? EYOT_COLOR_NONE : (uint32_t)color, key, newcomm);
}

FACE_DEFINE(int, Comm_split_type,
            (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Comm_split_type");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_info(info));
  FACE_TRY(face_output(comm, "newcomm", newcomm));
  if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
    return face_fail(comm, MPI_ERR_ARG,
                     "split_type is %d, expected MPI_COMM_TYPE_SHARED or MPI_UNDEFINED",
                     split_type);
  eyot_place_t place;
  FACE_TRY(face_check(comm, eyot_locate(eyot_me(), &place)));
  return face_split(comm,
                    split_type == MPI_UNDEFINED ? EYOT_COLOR_NONE : place.id[EYOT_DOMAIN_NODE], key,
                    newcomm);
}

/* -- of groups --------------------------------------------------------------------------------- */

/* Checks that the members of the group are some of comm's. `member` gets the number in the team of
 * each, and is to be freed. */
static int members_of(const struct eyot_mpi_comm *comm, const struct eyot_mpi_group *group,
                      uint32_t **member) {
  FACE_TRY(face_group(group));
  *member = malloc(((size_t)group->size + 1) * sizeof **member);
  if (*member == NULL)
    return face_fail(comm, MPI_ERR_NO_MEM, "no memory for the ranks of a communicator");
  eyot_group_t *of_comm = NULL;
  int error = face_check(comm, eyot_team_group(comm->team, &of_comm));
  for (int r = 0; error == MPI_SUCCESS && r < group->size; r++) {
    eyot_unit_t unit = {group->unit[r]};
    if (!eyot_group_has(of_comm, unit))
      error = face_fail(comm, MPI_ERR_GROUP, "rank %d of group is no member of comm", r);
    else
      error = face_check(comm, eyot_group_index(of_comm, unit, &(*member)[r]));
  }
  eyot_group_free(of_comm);
  if (error != MPI_SUCCESS) free(*member);
  return error;
}

static uint64_t hash_of(const struct eyot_mpi_group *group) {
  uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, of words */
  for (int r = 0; r < group->size; r++) h = (h ^ group->unit[r]) * 0x100000001b3u;
  return h;
}

/* Whether the members of a new communicator have all passed its members as their group. */
static int check_same(const struct eyot_mpi_comm *comm, const struct eyot_mpi_comm *made,
                      const struct eyot_mpi_group *group) {
  const uint64_t h = hash_of(group), mine[3] = {h, ~h, made->size != group->size};
  uint64_t most[3];
  FACE_TRY(face_check(comm, eyot_allreduce(made->team, EYOT_UINT64, EYOT_MAX, mine, most, 3)));
  if (most[0] == ~most[1] && most[2] == 0) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_GROUP,
                   "ranks that pass a group with the same first member pass different ones (that "
                   "of this rank has %d members); expected the same group on all of its members",
                   group->size);
}

/* Groups that differ have no members in common: the first member's number tells them apart. */
FACE_DEFINE(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Comm_create");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "newcomm", newcomm));
  uint32_t *member;
  FACE_TRY(members_of(comm, group, &member));
  int rank = face_group_me(group);
  uint32_t color = rank == MPI_UNDEFINED ? EYOT_COLOR_NONE : member[0];
  free(member);
  FACE_TRY(face_split(comm, color, rank, newcomm));
  struct eyot_mpi_comm *made = *newcomm;
  if (made == MPI_COMM_NULL) return MPI_SUCCESS;
  int error = check_same(comm, made, group);
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  *newcomm = MPI_COMM_NULL;
  (void)end_comm(made); /* the error has been handled */
  return error;
}

/* Ranks of a new team in the order of the group. */
static int order_by_group(struct eyot_mpi_comm *c, const struct eyot_mpi_group *group) {
  size_t n = (size_t)c->size;
  c->unit = malloc(n * sizeof *c->unit);
  c->rank = malloc(n * sizeof *c->rank);
  if (c->unit == NULL || c->rank == NULL)
    return face_fail(c, MPI_ERR_NO_MEM, "no memory for the ranks of a communicator");
  bool ordered = true;
  for (uint32_t r = 0; r < n; r++) {
    eyot_tunit_t member = {0};
    FACE_TRY(face_check(c, eyot_team_g2l(c->team, (eyot_unit_t){group->unit[r]}, &member)));
    c->unit[r] = member.id;
    c->rank[member.id] = r;
    ordered = ordered && member.id == r;
  }
  if (!ordered) return MPI_SUCCESS;
  free(c->unit);
  free(c->rank);
  c->unit = c->rank = NULL;
  return MPI_SUCCESS;
}

static int create_team(struct eyot_mpi_comm *comm, const struct eyot_mpi_group *group, int tag,
                       eyot_team_t *team) {
  uint32_t *member;
  FACE_TRY(members_of(comm, group, &member));
  free(member);
  eyot_unit_t *units = malloc((size_t)group->size * sizeof *units);
  if (units == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for a communicator");
  for (int r = 0; r < group->size; r++) units[r] = (eyot_unit_t){group->unit[r]};
  eyot_group_t *g = NULL;
  int rc = eyot_group_from(units, (uint32_t)group->size, &g);
  if (rc == EYOT_OK) rc = eyot_team_create_group(comm->team, g, (uint64_t)tag, team);
  eyot_group_free(g);
  free(units);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Comm_create_group");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_group(group));
  FACE_TRY(face_output(comm, "newcomm", newcomm));
  if (tag < 0) return face_fail(comm, MPI_ERR_TAG, "tag is %d, expected 0 or more", tag);
  *newcomm = MPI_COMM_NULL;
  int me = face_group_me(group);
  if (me == MPI_UNDEFINED) return MPI_SUCCESS;
  struct eyot_mpi_comm *c;
  FACE_TRY(new_comm(comm, &c));
  int error = create_team(comm, group, tag, &c->team);
  if (error != MPI_SUCCESS) {
    free(c);
    return error;
  }
  FACE_TRY(link_made(c));
  c->me = me;
  c->size = group->size;
  FACE_TRY(order_by_group(c, group));
  *newcomm = c;
  return MPI_SUCCESS;
}

/* -- freed ------------------------------------------------------------------------------------- */

FACE_DEFINE(int, Comm_free, (MPI_Comm * comm)) {
  FACE_ENTER("MPI_Comm_free");
  FACE_TRY(face_output(NULL, "comm", comm));
  FACE_TRY(face_comm(*comm));
  if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
    return face_fail(*comm, MPI_ERR_COMM, "comm is %s, which cannot be freed",
                     *comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
  FACE_TRY(face_buffer_wait(*comm));
  if ((*comm)->pending > 0)
    return face_fail(*comm, MPI_ERR_COMM,
                     "%u requests of comm are not complete: complete them before it is freed",
                     (*comm)->pending);
  FACE_TRY(end_comm(*comm));
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/* -- comparison --------------------------------------------------------------------- */

static int global_of(const struct eyot_mpi_comm *c, int rank, uint32_t *unit) {
  eyot_unit_t global = {0};
  int rc = eyot_team_l2g(c->team, face_unit(c, rank), &global);
  *unit = global.id;
  return face_check(c, rc);
}

FACE_DEFINE(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int *result)) {
  FACE_ENTER("MPI_Comm_compare");
  FACE_TRY(face_comm(comm1));
  FACE_TRY(face_comm(comm2));
  FACE_TRY(face_output(comm1, "result", result));
  bool same = comm1->size == comm2->size, ordered = same;
  for (int i = 0; same && comm1 != comm2 && i < comm1->size; i++) {
    uint32_t a, b;
    FACE_TRY(global_of(comm1, i, &a));
    FACE_TRY(global_of(comm2, i, &b));
    ordered = ordered && a == b;
    eyot_unit_t first = {0}, second = {0}; /* members in the order of units */
    FACE_TRY(face_check(comm1, eyot_team_l2g(comm1->team, (eyot_tunit_t){(uint32_t)i}, &first)));
    FACE_TRY(face_check(comm2, eyot_team_l2g(comm2->team, (eyot_tunit_t){(uint32_t)i}, &second)));
    same = first.id == second.id;
  }
  if (comm1 == comm2)
    *result = MPI_IDENT;
  else if (!same)
    *result = MPI_UNEQUAL;
  else
    *result = ordered ? MPI_CONGRUENT : MPI_SIMILAR;
  return MPI_SUCCESS;
}

/* -- names ------------------------------------------------------------------------------------- */

FACE_DEFINE(int, Comm_set_name, (MPI_Comm comm, const char *comm_name)) {
  FACE_ENTER("MPI_Comm_set_name");
  FACE_TRY(face_comm(comm));
  if (comm_name == NULL) return face_fail(comm, MPI_ERR_ARG, "comm_name is NULL, expected a name");
  size_t length = strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1); /* what is longer is cut */
  memmove(comm->name, comm_name, length);
  comm->name[length] = '\0';
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_get_name, (MPI_Comm comm, char *comm_name, int *resultlen)) {
  FACE_ENTER("MPI_Comm_get_name");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "comm_name", comm_name));
  FACE_TRY(face_output(comm, "resultlen", resultlen));
  *resultlen = (int)strlen(comm->name);
  memcpy(comm_name, comm->name, (size_t)*resultlen + 1);
  return MPI_SUCCESS;
}
