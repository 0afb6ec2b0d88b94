/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c - probes of the MPI interface, and receives of the messages that they have found. */
#include <stdlib.h>

#include "interfaces/mpi/stage.h"

struct eyot_mpi_message {
  uint32_t live;
  eyot_msg_t msg;
  struct eyot_mpi_comm *comm;
};
FACE_PREDEFINED_HANDLE(messages)
struct eyot_mpi_message eyot_mpi_message_no_proc = {.live = FACE_LIVE};

static int check(int source, int tag, struct eyot_mpi_comm *comm, struct face_message *m) {
  return face_message(true, NULL, 0, MPI_BYTE, source, tag, comm, m);
}

FACE_DEFINE(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status)) {
  FACE_ENTER("MPI_Probe");
  struct face_message m;
  FACE_TRY(check(source, tag, comm, &m));
  face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
  if (source == MPI_PROC_NULL) return MPI_SUCCESS;
  eyot_msg_status_t from = {0};
  FACE_TRY(face_check(comm, eyot_probe(comm->team, face_from(&m), tag, &from)));
  face_status(status, comm, &from);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)) {
  FACE_ENTER("MPI_Iprobe");
  struct face_message m;
  FACE_TRY(check(source, tag, comm, &m));
  FACE_TRY(face_output(comm, "flag", flag));
  bool found = true;
  eyot_msg_status_t from = {0};
  if (source == MPI_PROC_NULL) {
    face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
  } else {
    FACE_TRY(face_check(comm, eyot_iprobe(comm->team, face_from(&m), tag, &found, &from)));
    if (found) face_status(status, comm, &from);
  }
  *flag = found;
  return MPI_SUCCESS;
}

/* -- found messages ---------------------------------------------------------------------------- */

static int new_message(struct eyot_mpi_comm *comm, struct eyot_mpi_message **made) {
  *made = malloc(sizeof **made);
  int error = *made == NULL ? face_fail(comm, MPI_ERR_NO_MEM, "no memory for a message")
                            : face_handle_add(comm, FACE_HANDLE_MESSAGE, *made);
  if (error != MPI_SUCCESS) {
    free(*made);
    return error;
  }
  **made = (struct eyot_mpi_message){.live = FACE_LIVE, .comm = comm};
  return MPI_SUCCESS;
}

static int find(int source, int tag, struct eyot_mpi_comm *comm, bool *found, bool blocks,
                MPI_Message *message, MPI_Status *status) {
  struct face_message m;
  FACE_TRY(check(source, tag, comm, &m));
  FACE_TRY(face_output(comm, "message", message));
  *found = true;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  struct eyot_mpi_message *made;
  FACE_TRY(new_message(comm, &made));
  eyot_msg_status_t from = {0};
  eyot_tunit_t unit = face_from(&m);
  int rc = blocks ? eyot_mprobe(comm->team, unit, tag, &made->msg, &from)
                  : eyot_improbe(comm->team, unit, tag, found, &made->msg, &from);
  if (rc != EYOT_OK || !*found) {
    face_handle_remove(FACE_HANDLE_MESSAGE, made);
    free(made);
    return face_check(comm, rc);
  }
  *message = made;
  face_status(status, comm, &from);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Mprobe,
            (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)) {
  FACE_ENTER("MPI_Mprobe");
  bool found;
  return find(source, tag, comm, &found, true, message, status);
}

FACE_DEFINE(int, Improbe,
            (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
             MPI_Status *status)) {
  FACE_ENTER("MPI_Improbe");
  FACE_TRY(face_output(comm, "flag", flag));
  bool found;
  FACE_TRY(find(source, tag, comm, &found, false, message, status));
  *flag = found;
  return MPI_SUCCESS;
}

static int check_found(const void *buf, int count, struct eyot_mpi_type *type,
                       const MPI_Message *message, struct face_message *m) {
  FACE_TRY(face_output(NULL, "message", message));
  if (!face_handle_known(FACE_HANDLE_MESSAGE, *message))
    return face_handle_refuse(NULL, FACE_HANDLE_MESSAGE, "message", *message);
  struct eyot_mpi_comm *comm = (*message)->comm;
  FACE_TRY(face_message_data(comm != NULL ? comm : MPI_COMM_WORLD, buf, count, type, m));
  m->peer = *message == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : 0;
  m->tag = 0;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Mrecv,
            (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)) {
  FACE_ENTER("MPI_Mrecv");
  struct face_message m;
  FACE_TRY(check_found(buf, count, type, message, &m));
  struct eyot_mpi_message *found = *message;
  if (found == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  struct face_stage *stages = NULL;
  void *row;
  FACE_TRY(face_message_row(&m, FACE_OUT, &stages, &row));
  *message = MPI_MESSAGE_NULL;
  eyot_msg_status_t from = {0};
  int rc = eyot_mrecv(&found->msg, row, m.bytes, &from);
  face_number_end(found);
  face_handle_remove(FACE_HANDLE_MESSAGE, found);
  free(found);
  bool some = rc == EYOT_OK || rc == EYOT_ERANGE;
  face_stages_end(&stages, some ? from.bytes : 0);
  if (some) face_status(status, m.comm, &from);
  return face_check(m.comm, rc);
}

FACE_DEFINE(int, Imrecv,
            (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)) {
  FACE_ENTER("MPI_Imrecv");
  struct face_message m;
  FACE_TRY(check_found(buf, count, type, message, &m));
  struct eyot_mpi_message *found = *message;
  FACE_TRY(face_output(m.comm, "request", request));
  struct eyot_mpi_request *r;
  FACE_TRY(face_request(FACE_MRECV, &m, &r));
  r->nobody = m.peer == MPI_PROC_NULL;
  r->msg = EYOT_MSG_DONE;
  int rc = EYOT_OK;
  if (!r->nobody) {
    void *row;
    int error = face_message_row(&m, FACE_OUT, &r->stages, &row);
    if (error != MPI_SUCCESS) {
      face_request_end(r);
      return error;
    }
    rc = eyot_mrecv_nb(&found->msg, row, m.bytes);
    r->msg = found->msg;
    face_number_end(found);
    face_handle_remove(FACE_HANDLE_MESSAGE, found);
    free(found);
  }
  *message = MPI_MESSAGE_NULL;
  if (rc != EYOT_OK) {
    face_request_end(r);
    return face_check(m.comm, rc);
  }
  face_activate(r);
  *request = r;
  return MPI_SUCCESS;
}
