/* SPDX-License-Identifier: BSD-3-Clause */
/* envelope.c - whom a message of the MPI interface is for or from, and its status. */
#include "interfaces/mpi/stage.h"

int face_message_data(struct eyot_mpi_comm *comm, const void *buf, int count,
                      struct eyot_mpi_type *type, struct face_message *m) {
  FACE_TRY(face_bytes(comm, buf, count, type, &m->bytes));
  bool row = face_type_in_row(type, (uint64_t)count);
  m->buf = face_start_of(buf);
  if (row) m->buf = face_after(m->buf, type->part.at);
  m->type = row ? NULL : type;
  m->count = (uint64_t)count;
  m->comm = comm;
  return MPI_SUCCESS;
}

int face_message(bool receives, const void *buf, int count, struct eyot_mpi_type *type, int peer,
                 int tag, struct eyot_mpi_comm *comm, struct face_message *m) {
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_message_data(comm, buf, count, type, m));
  bool any_rank = receives && peer == MPI_ANY_SOURCE, any_tag = receives && tag == MPI_ANY_TAG;
  if (peer != MPI_PROC_NULL && !any_rank && (peer < 0 || peer >= comm->size))
    return face_fail(comm, MPI_ERR_RANK, "%s is %d, expected 0 to %d%s or MPI_PROC_NULL",
                     receives ? "source" : "dest", peer, comm->size - 1,
                     receives ? ", MPI_ANY_SOURCE" : "");
  if (tag < 0 && !any_tag)
    return face_fail(comm, MPI_ERR_TAG, "tag is %d, expected 0 or more%s", tag,
                     receives ? ", or MPI_ANY_TAG" : "");
  m->peer = peer;
  m->tag = tag;
  return MPI_SUCCESS;
}

eyot_tunit_t face_from(const struct face_message *m) {
  return m->peer == MPI_ANY_SOURCE ? EYOT_ANY_UNIT : face_unit(m->comm, m->peer);
}

void face_status(MPI_Status *status, const struct eyot_mpi_comm *comm,
                 const eyot_msg_status_t *from) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = face_rank(comm, from->from);
  status->MPI_TAG = from->tag;
  status->eyot_mpi_bytes = from->bytes;
  status->eyot_mpi_cancelled = 0;
}

void face_no_status(MPI_Status *status, int source, int tag) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->MPI_ERROR = MPI_SUCCESS;
  status->eyot_mpi_bytes = 0;
  status->eyot_mpi_cancelled = 0;
}
