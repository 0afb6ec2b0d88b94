/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_shared.c - the halo exchange of heat3d by MPI alone, with locality in mind: loads and stores
 * through a shared window within a node, one-sided operations on a second window, over the same
 * memory, between nodes. Linked with examples/heat3d instead of heat_halo.c, as bench_heat_shared,
 * to compare times and lines of code. See heat_halo.c for the protocol.
 *
 * Each word has one announcer, so it is changed either by stores or by MPI, never by both. MPI's
 * errors end the job. */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../examples/heat3d/heat3d.h"
#include "heat_nodes.h"

struct heat_halo {
  MPI_Comm node;
  MPI_Win shared, window;
  char *near[HEAT_FACES]; /* the neighbor's memory, NULL if it is on another node */
  MPI_Aint field[2], faces, ready;
  MPI_Request get[HEAT_FACES];
};

/* Finds the neighbors whose memory is in the shared window. */
static void find_near(struct heat_unit *u) {
  struct heat_halo *halo = u->halo;
  MPI_Group all, node;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(halo->node, &node);
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    int unit = (int)u->grid.neighbor[face], rank, displacement;
    MPI_Aint bytes;
    MPI_Group_translate_ranks(all, 1, &unit, node, &rank);
    if (rank != MPI_UNDEFINED)
      MPI_Win_shared_query(halo->shared, rank, &bytes, &displacement, &halo->near[face]);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&node);
}

int heat_halo_open(struct heat_unit *u) {
  MPI_Aint field_bytes = (MPI_Aint)(heat_faces_slot(u) * sizeof(double)),
           face_bytes = (MPI_Aint)(2 * HEAT_FACES * u->slot * sizeof(double));
  struct heat_halo *halo = u->halo = calloc(1, sizeof *halo);
  char *base = NULL;
  uint32_t me = eyot_me().id;
  if (halo == NULL) return heat_fail("private memory", EYOT_ENOMEM);
  halo->field[1] = field_bytes;
  halo->faces = 2 * field_bytes;
  halo->ready = halo->faces + face_bytes;
  MPI_Aint bytes = halo->ready + HEAT_FACES * (MPI_Aint)sizeof(uint64_t);
  MPI_Comm_split(MPI_COMM_WORLD, (int)heat_node(me), (int)me, &halo->node);
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, halo->node, &base, &halo->shared);
  MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &halo->window);
  find_near(u);
  for (int i = 0; i < 2; i++) u->field[i] = (void *)(base + halo->field[i]);
  u->faces = (void *)(base + halo->faces);
  memset(base + halo->ready, 0, HEAT_FACES * sizeof(uint64_t));
  u->inbox = malloc(HEAT_FACES * u->slot * sizeof(double));
  if (u->inbox == NULL) return heat_fail("memory for the neighbors' faces", EYOT_ENOMEM);
  MPI_Win_lock_all(0, halo->shared);
  MPI_Win_lock_all(0, halo->window);
  MPI_Win_sync(halo->shared);
  MPI_Win_sync(halo->window);
  MPI_Barrier(MPI_COMM_WORLD);
  return EYOT_OK;
}

int heat_halo_pack(struct heat_unit *u, uint32_t step) {
  HEAT_TRY(heat_faces_pack(u, step));
  MPI_Win_sync(u->halo->shared);
  MPI_Win_sync(u->halo->window);
  return EYOT_OK;
}

int heat_halo_announce(struct heat_unit *u) {
  static const uint64_t one = 1;
  struct heat_halo *halo = u->halo;
  if (u->opts->sync == HEAT_BARRIER) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(halo->shared);
    return EYOT_OK;
  }
  for (int face = 0; face < HEAT_FACES; face++) {
    MPI_Aint word = halo->ready + (face ^ 1) * (MPI_Aint)sizeof one;
    if (halo->near[face] != NULL)
      __atomic_fetch_add((uint64_t *)(void *)(halo->near[face] + word), one, __ATOMIC_RELEASE);
    else if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
      MPI_Accumulate(&one, 1, MPI_UINT64_T, (int)u->grid.neighbor[face], word, 1, MPI_UINT64_T,
                     MPI_SUM, halo->window);
  }
  MPI_Win_flush_local_all(halo->window);
  return EYOT_OK;
}

/* The count of a neighbor's announcements. */
static uint64_t announced(struct heat_unit *u, int face) {
  struct heat_halo *halo = u->halo;
  MPI_Aint word = halo->ready + face * (MPI_Aint)sizeof(uint64_t);
  uint64_t seen = 0;
  if (halo->near[face] != NULL) {
    char *base = (char *)u->field[0];
    return __atomic_load_n((uint64_t *)(void *)(base + word), __ATOMIC_ACQUIRE);
  }
  int me = (int)eyot_me().id;
  MPI_Fetch_and_op(NULL, &seen, MPI_UINT64_T, me, word, MPI_NO_OP, halo->window);
  MPI_Win_flush(me, halo->window);
  return seen;
}

int heat_halo_await(struct heat_unit *u, uint32_t step) {
  if (u->opts->sync == HEAT_BARRIER) return EYOT_OK;
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    while (announced(u, face) <= step) {
      int there; /* other units' operations on this one's memory need MPI to run here */
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
      sched_yield();
    }
  }
  return EYOT_OK;
}

/* Copies the face of a neighbor of this node, or starts a get. */
static MPI_Request get_face(struct heat_unit *u, uint32_t step, int face) {
  struct heat_halo *halo = u->halo;
  uint64_t cells = heat_face_cells(&u->box, face);
  double *here = u->inbox + (uint64_t)face * u->slot;
  MPI_Aint there = halo->faces + (MPI_Aint)(heat_face_at(u, step, face ^ 1) * sizeof(double));
  MPI_Request request = MPI_REQUEST_NULL;
  if (halo->near[face] != NULL)
    memcpy(here, halo->near[face] + there, cells * sizeof(double));
  else if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
    MPI_Rget(here, (int)cells, MPI_DOUBLE, (int)u->grid.neighbor[face], there, (int)cells,
             MPI_DOUBLE, halo->window, &request);
  return request;
}

int heat_halo_fetch(struct heat_unit *u, uint32_t step) {
  for (int face = 0; face < HEAT_FACES; face++) {
    MPI_Request request = get_face(u, step, face);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return heat_faces_unpack(u, step);
}

int heat_halo_start(struct heat_unit *u, uint32_t step) {
  for (int face = 0; face < HEAT_FACES; face++) u->halo->get[face] = get_face(u, step, face);
  return EYOT_OK;
}

int heat_halo_finish(struct heat_unit *u, uint32_t step) {
  MPI_Status status[HEAT_FACES]; /* gcc 12 takes MPI_STATUSES_IGNORE for an array of none */
  MPI_Waitall(HEAT_FACES, u->halo->get, status);
  return heat_faces_unpack(u, step);
}

int heat_halo_read(struct heat_unit *u, uint32_t unit, const struct heat_rows *rows, double *to) {
  struct heat_halo *halo = u->halo;
  for (uint64_t row = 0; row < rows->rows; row++) {
    MPI_Aint first = (rows->first + (int64_t)row * rows->there) * (MPI_Aint)sizeof(double);
    MPI_Get(to + (int64_t)row * rows->here, (int)rows->cells, MPI_DOUBLE, (int)unit,
            halo->field[u->opts->steps & 1] + first, (int)rows->cells, MPI_DOUBLE, halo->window);
  }
  MPI_Win_flush((int)unit, halo->window);
  return EYOT_OK;
}

int heat_halo_close(struct heat_unit *u) {
  struct heat_halo *halo = u->halo;
  MPI_Win_unlock_all(halo->window);
  MPI_Win_unlock_all(halo->shared);
  MPI_Win_free(&halo->window);
  MPI_Win_free(&halo->shared);
  MPI_Comm_free(&halo->node);
  free(u->inbox);
  free(halo);
  u->inbox = NULL;
  u->halo = NULL;
  return EYOT_OK;
}
