/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.c - the frame of the collectives of the MPI interface, in both forms. */
#include "interfaces/mpi/stage.h"

int face_collective(face_collective_fn *run, const struct face_args *a, struct eyot_mpi_comm *comm,
                    MPI_Request *request) {
  struct face_call c = {.comm = comm};
  FACE_TRY(face_comm(comm));
  const struct face_message none = {.comm = comm};
  if (request != NULL) FACE_TRY(face_request(FACE_COLL, &none, &c.q));
  int error = run(&c, a);
  if (c.q == NULL || error != MPI_SUCCESS) {
    if (c.q != NULL) face_request_end(c.q);
    face_stages_end(&c.stages, error == MPI_SUCCESS ? UINT64_MAX : 0);
    return error;
  }
  c.q->stages = c.stages;
  face_activate(c.q);
  *request = c.q;
  return MPI_SUCCESS;
}

int face_collective_init(face_collective_fn *run, const struct face_args *a,
                         struct eyot_mpi_comm *comm, MPI_Info info, MPI_Request *request) {
  struct face_call c = {.comm = comm};
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_info(info));
  FACE_CHECK_REQUEST(request);
  const struct face_message none = {.comm = comm};
  FACE_TRY(face_request(FACE_COLL, &none, &c.q));
  c.q->persistent = c.q->is_plan = true;
  int error = run(&c, a);
  c.q->stages = face_stages_turn(c.stages);
  if (error != MPI_SUCCESS) {
    c.q->is_plan = false; /* there is none to be freed */
    face_request_end(c.q);
    return error;
  }
  *request = c.q;
  return MPI_SUCCESS;
}
