/* SPDX-License-Identifier: BSD-3-Clause */
/* message.c - sends and receives of the MPI interface. */
#include <stdlib.h>

#include "interfaces/mpi/stage.h"

/* -- blocking ---------------------------------------------------------------------------------- */

typedef int (*send_fn)(eyot_team_t, eyot_tunit_t, int32_t, const void *, uint64_t);

static int send_by(send_fn send, const struct face_message *m) {
  if (m->peer == MPI_PROC_NULL) return MPI_SUCCESS;
  struct face_stage *stages = NULL;
  void *row;
  FACE_TRY(face_message_row(m, FACE_IN, &stages, &row));
  int rc = send(m->comm->team, face_unit(m->comm, m->peer), m->tag, row, m->bytes);
  face_stages_end(&stages, 0);
  return face_check(m->comm, rc);
}

/* A receive is over, with what eyot has returned. */
static int received(const struct face_message *m, int rc, const eyot_msg_status_t *from,
                    struct face_stage **stages, MPI_Status *status) {
  bool some = rc == EYOT_OK || rc == EYOT_ERANGE;
  face_stages_end(stages, some ? from->bytes : 0);
  if (some) face_status(status, m->comm, from);
  return face_check(m->comm, rc);
}

static int receive(const struct face_message *m, MPI_Status *status) {
  if (m->peer == MPI_PROC_NULL) {
    face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  eyot_msg_status_t from = {0};
  struct face_stage *stages = NULL;
  void *row;
  FACE_TRY(face_message_row(m, FACE_OUT, &stages, &row));
  int rc = eyot_recv(m->comm->team, face_from(m), m->tag, row, m->bytes, &from);
  return received(m, rc, &from, &stages, status);
}

FACE_DEFINE(int, Send,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  FACE_ENTER("MPI_Send");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return send_by(eyot_send, &m);
}

FACE_DEFINE(int, Rsend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  FACE_ENTER("MPI_Rsend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return send_by(eyot_send, &m);
}

FACE_DEFINE(int, Ssend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  FACE_ENTER("MPI_Ssend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return send_by(eyot_ssend, &m);
}

FACE_DEFINE(int, Recv,
            (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)) {
  FACE_ENTER("MPI_Recv");
  struct face_message m;
  FACE_TRY(face_message(true, buf, count, type, source, tag, comm, &m));
  return receive(&m, status);
}

static int exchange(const struct face_message *out, const struct face_message *in,
                    MPI_Status *status) {
  if (out->peer == MPI_PROC_NULL) return receive(in, status);
  if (in->peer == MPI_PROC_NULL) {
    FACE_TRY(send_by(eyot_send, out));
    return receive(in, status);
  }
  eyot_msg_status_t from = {0};
  struct face_stage *sent = NULL, *stages = NULL;
  void *out_row, *in_row;
  FACE_TRY(face_message_row(out, FACE_IN, &sent, &out_row));
  int error = face_message_row(in, FACE_OUT, &stages, &in_row);
  if (error != MPI_SUCCESS) {
    face_stages_end(&sent, 0);
    return error;
  }
  int rc = eyot_sendrecv(out->comm->team, face_unit(out->comm, out->peer), out->tag, out_row,
                         out->bytes, face_from(in), in->tag, in_row, in->bytes, &from);
  face_stages_end(&sent, 0);
  return received(in, rc, &from, &stages, status);
}

FACE_DEFINE(int, Sendrecv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status *status)) {
  FACE_ENTER("MPI_Sendrecv");
  struct face_message out, in;
  FACE_TRY(face_message(false, sendbuf, sendcount, sendtype, dest, sendtag, comm, &out));
  FACE_TRY(face_message(true, recvbuf, recvcount, recvtype, source, recvtag, comm, &in));
  return exchange(&out, &in, status);
}

FACE_DEFINE(int, Sendrecv_replace,
            (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
             int recvtag, MPI_Comm comm, MPI_Status *status)) {
  FACE_ENTER("MPI_Sendrecv_replace");
  struct face_message out, in;
  FACE_TRY(face_message(false, buf, count, type, dest, sendtag, comm, &out));
  FACE_TRY(face_message(true, buf, count, type, source, recvtag, comm, &in));
  struct face_stage *stages = NULL;
  void *copy;
  FACE_TRY(face_memory(comm, out.bytes, &stages, &copy));
  face_type_pack(type, (uint64_t)count, face_start_of(buf), copy, out.bytes);
  out.buf = copy;
  out.type = NULL;
  int error = exchange(&out, &in, status);
  face_stages_end(&stages, 0);
  return error;
}

/* -- not blocking, and persistent -------------------------------------------------------------- */

int face_request_make(enum face_kind kind, bool persistent, const struct face_message *m,
                      MPI_Request *request) {
  FACE_TRY(face_output(m->comm, "request", request));
  struct eyot_mpi_request *r;
  FACE_TRY(face_request(kind, m, &r));
  r->persistent = persistent;
  int error = persistent ? MPI_SUCCESS : face_start(r);
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
  return face_request_make(FACE_SEND, false, &m, request);
}

FACE_DEFINE(int, Irsend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Irsend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_request_make(FACE_SEND, false, &m, request);
}

FACE_DEFINE(int, Issend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Issend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_request_make(FACE_SSEND, false, &m, request);
}

FACE_DEFINE(int, Send_init,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Send_init");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_request_make(FACE_SEND, true, &m, request);
}

FACE_DEFINE(int, Rsend_init,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Rsend_init");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_request_make(FACE_SEND, true, &m, request);
}

FACE_DEFINE(int, Ssend_init,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Ssend_init");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_request_make(FACE_SSEND, true, &m, request);
}

FACE_DEFINE(int, Irecv,
            (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Irecv");
  struct face_message m;
  FACE_TRY(face_message(true, buf, count, type, source, tag, comm, &m));
  return face_request_make(FACE_RECV, false, &m, request);
}

FACE_DEFINE(int, Recv_init,
            (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Recv_init");
  struct face_message m;
  FACE_TRY(face_message(true, buf, count, type, source, tag, comm, &m));
  return face_request_make(FACE_RECV, true, &m, request);
}
