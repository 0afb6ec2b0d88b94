/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi_heat.c - the halo exchange of heat3d by messages, for SimGrid's simulation of MPI (SMPI).
 * Compiled by smpicc with examples/heat3d instead of heat_halo.c, and with smpi_eyot.c
 * (suite_smpi.sh). See heat_halo.c for the protocol.
 *
 * Receives and sends of a step are posted at its start; a message needs no announcement. After the
 * last step each rank sends its block to rank 0, which verifies. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../examples/heat3d/heat3d.h"
#include "smpi_eyot.h"

enum { TAG_BLOCK = HEAT_FACES };

struct heat_halo {
  MPI_Request faces[2 * HEAT_FACES]; /* received, sent */
  MPI_Request block;
};

static struct heat_unit *unit; /* of this rank: SMPI gives each rank globals of its own */

int heat_halo_open(struct heat_unit *u) {
  uint64_t cells = heat_faces_slot(u);
  struct heat_halo *halo = u->halo = calloc(1, sizeof *halo);
  for (int i = 0; i < 2; i++) u->field[i] = malloc(cells * sizeof(double));
  u->faces = malloc(2 * HEAT_FACES * u->slot * sizeof(double));
  u->inbox = malloc(HEAT_FACES * u->slot * sizeof(double));
  if (halo == NULL || u->field[0] == NULL || u->field[1] == NULL || u->faces == NULL ||
      u->inbox == NULL)
    return heat_fail("private memory", EYOT_ENOMEM);
  halo->block = MPI_REQUEST_NULL;
  unit = u;
  return EYOT_OK;
}

int heat_halo_pack(struct heat_unit *u, uint32_t step) {
  return heat_faces_pack(u, step);
}

int heat_halo_announce(struct heat_unit *u) {
  (void)u;
  return EYOT_OK;
}

int heat_halo_await(struct heat_unit *u, uint32_t step) {
  (void)u, (void)step;
  return EYOT_OK;
}

int heat_halo_start(struct heat_unit *u, uint32_t step) {
  MPI_Request *requests = u->halo->faces;
  for (int face = 0; face < HEAT_FACES; face++) {
    int there = (int)u->grid.neighbor[face], cells = (int)heat_face_cells(&u->box, face);
    requests[face] = requests[HEAT_FACES + face] = MPI_REQUEST_NULL;
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    /* the tag is the sender's face */
    MPI_Irecv(u->inbox + (uint64_t)face * u->slot, cells, MPI_DOUBLE, there, face ^ 1,
              MPI_COMM_WORLD, &requests[face]);
    MPI_Isend(u->faces + heat_face_at(u, step, face), cells, MPI_DOUBLE, there, face,
              MPI_COMM_WORLD, &requests[HEAT_FACES + face]);
  }
  return EYOT_OK;
}

int heat_halo_finish(struct heat_unit *u, uint32_t step) {
  MPI_Waitall(2 * HEAT_FACES, u->halo->faces, MPI_STATUSES_IGNORE);
  return heat_faces_unpack(u, step);
}

int heat_halo_fetch(struct heat_unit *u, uint32_t step) {
  HEAT_TRY(heat_halo_start(u, step));
  return heat_halo_finish(u, step);
}

/* heat3d calls it when the blocks are final. */
void smpi_eyot_published(void) {
  struct heat_unit *u = unit;
  if (u->opts->verify && eyot_me().id != 0)
    MPI_Isend(u->field[u->opts->steps & 1], (int)heat_box_cells(&u->box), MPI_DOUBLE, 0, TAG_BLOCK,
              MPI_COMM_WORLD, &u->halo->block);
}

/* Whole blocks only: the verification reads no rows. */
int heat_halo_read(struct heat_unit *u, uint32_t from, const struct heat_rows *rows, double *to) {
  if (rows->rows != 1 || rows->first != 0) return heat_fail("rows of a block", EYOT_ENOTSUP);
  if (from == eyot_me().id)
    memcpy(to, u->field[u->opts->steps & 1], rows->cells * sizeof *to);
  else
    MPI_Recv(to, (int)rows->cells, MPI_DOUBLE, (int)from, TAG_BLOCK, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  return EYOT_OK;
}

int heat_halo_close(struct heat_unit *u) {
  MPI_Wait(&u->halo->block, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) free(u->field[i]);
  free(u->faces);
  free(u->inbox);
  free(u->halo);
  return EYOT_OK;
}
