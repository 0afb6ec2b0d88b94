/* SPDX-License-Identifier: BSD-3-Clause */
/* message.c - sends and receives of the MPI interface. */
#include "interfaces/mpi/face.h"

int face_message(bool receives, const void *buf, int count, struct eyot_mpi_type *type, int peer,
                 int tag, struct eyot_mpi_comm *comm, struct face_message *m) {
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_bytes(comm, buf, count, type, &m->bytes));
  bool any_rank = receives && peer == MPI_ANY_SOURCE, any_tag = receives && tag == MPI_ANY_TAG;
  if (peer != MPI_PROC_NULL && !any_rank && (peer < 0 || peer >= comm->size))
    return face_fail(comm, MPI_ERR_RANK, "%s is %d, expected 0 to %d%s or MPI_PROC_NULL",
                     receives ? "source" : "dest", peer, comm->size - 1,
                     receives ? ", MPI_ANY_SOURCE" : "");
  if (tag < 0 && !any_tag)
    return face_fail(comm, MPI_ERR_TAG, "tag is %d, expected 0 or more%s", tag,
                     receives ? ", or MPI_ANY_TAG" : "");
  m->buf = (void *)(uintptr_t)buf;
  m->peer = peer;
  m->tag = tag;
  m->comm = comm;
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

/* -- blocking ---------------------------------------------------------------------------------- */

FACE_DEFINE(int, Send,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  FACE_ENTER("MPI_Send");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  return face_check(comm, eyot_send(comm->team, face_unit(comm, dest), tag, buf, m.bytes));
}

FACE_DEFINE(int, Ssend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  FACE_ENTER("MPI_Ssend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  return face_check(comm, eyot_ssend(comm->team, face_unit(comm, dest), tag, buf, m.bytes));
}

FACE_DEFINE(int, Recv,
            (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)) {
  FACE_ENTER("MPI_Recv");
  struct face_message m;
  FACE_TRY(face_message(true, buf, count, type, source, tag, comm, &m));
  if (source == MPI_PROC_NULL) {
    face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  eyot_msg_status_t from;
  int rc = eyot_recv(comm->team, face_from(&m), tag, buf, m.bytes, &from);
  if (rc == EYOT_OK || rc == EYOT_ERANGE) face_status(status, comm, &from);
  return face_check(comm, rc);
}

/* -- not blocking ------------------------------------------------------------------------------ */

static int start_new(enum face_kind kind, const struct face_message *m, MPI_Request *request) {
  FACE_TRY(face_output(m->comm, "request", request));
  struct eyot_mpi_request *r;
  FACE_TRY(face_request(kind, m, &r));
  int error = face_start(r);
  if (error == MPI_SUCCESS)
    *request = r;
  else
    face_request_end(r);
  return error;
}

FACE_DEFINE(int, Isend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Isend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return start_new(FACE_SEND, &m, request);
}

FACE_DEFINE(int, Issend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Issend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return start_new(FACE_SSEND, &m, request);
}

FACE_DEFINE(int, Irecv,
            (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Irecv");
  struct face_message m;
  FACE_TRY(face_message(true, buf, count, type, source, tag, comm, &m));
  return start_new(FACE_RECV, &m, request);
}
