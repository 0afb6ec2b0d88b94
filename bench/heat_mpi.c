/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_mpi.c - the halo exchange of heat3d by MPI alone, one window for all processes ("flat": no
 * process looks where another one is). Linked with examples/heat3d instead of heat_halo.c, as
 * bench_heat_mpi, to compare times and lines of code. See heat_halo.c for the protocol.
 *
 * The window is MPI_Win_allocate's, and where units are on virtual nodes MPI_Win_create's: MPI
 * knows nothing of these and would pass by shared memory what a network is to carry. MPI's errors
 * end the job. */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../examples/heat3d/heat3d.h"
#include "heat_nodes.h"

struct heat_halo {
  MPI_Win window;
  char *memory; /* of MPI_Win_create */
  MPI_Aint field[2], faces, ready;
  MPI_Request get[HEAT_FACES];
};

int heat_halo_open(struct heat_unit *u) {
  MPI_Aint field_bytes = (MPI_Aint)(heat_faces_slot(u) * sizeof(double)),
           face_bytes = (MPI_Aint)(2 * HEAT_FACES * u->slot * sizeof(double));
  struct heat_halo *halo = u->halo = calloc(1, sizeof *halo);
  char *base = NULL;
  if (halo == NULL) return heat_fail("private memory", EYOT_ENOMEM);
  halo->field[1] = field_bytes;
  halo->faces = 2 * field_bytes;
  halo->ready = halo->faces + face_bytes;
  MPI_Aint bytes = halo->ready + HEAT_FACES * (MPI_Aint)sizeof(uint64_t);
  if (heat_one_node()) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &halo->window);
  } else {
    base = halo->memory = malloc((size_t)bytes);
    if (base == NULL) return heat_fail("memory of the window", EYOT_ENOMEM);
    MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &halo->window);
  }
  for (int i = 0; i < 2; i++) u->field[i] = (void *)(base + halo->field[i]);
  u->faces = (void *)(base + halo->faces);
  memset(base + halo->ready, 0, HEAT_FACES * sizeof(uint64_t));
  u->inbox = malloc(HEAT_FACES * u->slot * sizeof(double));
  if (u->inbox == NULL) return heat_fail("memory for the neighbors' faces", EYOT_ENOMEM);
  MPI_Win_lock_all(0, halo->window);
  MPI_Win_sync(halo->window);
  MPI_Barrier(MPI_COMM_WORLD);
  return EYOT_OK;
}

int heat_halo_pack(struct heat_unit *u, uint32_t step) {
  HEAT_TRY(heat_faces_pack(u, step));
  MPI_Win_sync(u->halo->window);
  return EYOT_OK;
}

int heat_halo_announce(struct heat_unit *u) {
  static const uint64_t one = 1;
  struct heat_halo *halo = u->halo;
  if (u->opts->sync == HEAT_BARRIER) {
    MPI_Barrier(MPI_COMM_WORLD);
    return EYOT_OK;
  }
  for (int face = 0; face < HEAT_FACES; face++)
    if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
      MPI_Accumulate(&one, 1, MPI_UINT64_T, (int)u->grid.neighbor[face],
                     halo->ready + (face ^ 1) * (MPI_Aint)sizeof one, 1, MPI_UINT64_T, MPI_SUM,
                     halo->window);
  MPI_Win_flush_local_all(halo->window);
  return EYOT_OK;
}

int heat_halo_await(struct heat_unit *u, uint32_t step) {
  struct heat_halo *halo = u->halo;
  int me = (int)eyot_me().id;
  if (u->opts->sync == HEAT_BARRIER) return EYOT_OK;
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    MPI_Aint word = halo->ready + face * (MPI_Aint)sizeof(uint64_t);
    for (uint64_t seen = 0;;) {
      MPI_Fetch_and_op(NULL, &seen, MPI_UINT64_T, me, word, MPI_NO_OP, halo->window);
      MPI_Win_flush(me, halo->window);
      if (seen > step) break;
      sched_yield();
    }
  }
  return EYOT_OK;
}

static MPI_Request get_face(struct heat_unit *u, uint32_t step, int face) {
  struct heat_halo *halo = u->halo;
  int cells = (int)heat_face_cells(&u->box, face), unit = (int)u->grid.neighbor[face];
  MPI_Aint there = halo->faces + (MPI_Aint)(heat_face_at(u, step, face ^ 1) * sizeof(double));
  MPI_Request request;
  MPI_Rget(u->inbox + (uint64_t)face * u->slot, cells, MPI_DOUBLE, unit, there, cells, MPI_DOUBLE,
           halo->window, &request);
  return request;
}

int heat_halo_fetch(struct heat_unit *u, uint32_t step) {
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    MPI_Request request = get_face(u, step, face);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return heat_faces_unpack(u, step);
}

int heat_halo_start(struct heat_unit *u, uint32_t step) {
  for (int face = 0; face < HEAT_FACES; face++)
    u->halo->get[face] =
        u->grid.neighbor[face] != HEAT_NO_NEIGHBOR ? get_face(u, step, face) : MPI_REQUEST_NULL;
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
  MPI_Win_unlock_all(u->halo->window);
  MPI_Win_free(&u->halo->window);
  free(u->halo->memory);
  free(u->inbox);
  free(u->halo);
  u->inbox = NULL;
  u->halo = NULL;
  return EYOT_OK;
}
