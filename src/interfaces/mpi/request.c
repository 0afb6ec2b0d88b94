/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c - requests of the MPI interface and their completion. A request that has ended goes
 * back to a list of the process, so that its handle is recognized until the next one takes it. */
#include <stdlib.h>

#include "interfaces/mpi/face.h"

int face_request(enum face_kind kind, const struct face_message *m,
                 struct eyot_mpi_request **made) {
  struct eyot_mpi_request *r = face.idle;
  if (r != NULL)
    face.idle = r->next;
  else if ((r = malloc(sizeof *r)) == NULL)
    return face_fail(m->comm, MPI_ERR_NO_MEM, "no memory for a request");
  *r = (struct eyot_mpi_request){.live = FACE_LIVE, .kind = kind, .with = *m};
  *made = r;
  return MPI_SUCCESS;
}

void face_request_end(struct eyot_mpi_request *r) {
  r->live = FACE_DEAD;
  r->next = face.idle;
  face.idle = r;
}

int face_start(struct eyot_mpi_request *r) {
  const struct face_message *m = &r->with;
  r->cancelled = false;
  r->nobody = m->peer == MPI_PROC_NULL;
  r->msg = EYOT_MSG_DONE;
  r->active = true;
  if (r->nobody) return MPI_SUCCESS;
  int rc;
  if (r->kind == FACE_RECV)
    rc = eyot_recv_nb(m->comm->team, face_from(m), m->tag, m->buf, m->bytes, &r->msg);
  else if (r->kind == FACE_SEND)
    rc =
        eyot_send_nb(m->comm->team, face_unit(m->comm, m->peer), m->tag, m->buf, m->bytes, &r->msg);
  else
    rc = eyot_ssend_nb(m->comm->team, face_unit(m->comm, m->peer), m->tag, m->buf, m->bytes,
                       &r->msg);
  r->active = rc == EYOT_OK;
  return face_check(m->comm, rc);
}

static int check_request(const MPI_Request *request) {
  FACE_TRY(face_output(NULL, "request", request));
  if (*request == MPI_REQUEST_NULL || (*request)->live == FACE_LIVE) return MPI_SUCCESS;
  return face_fail(NULL, MPI_ERR_REQUEST,
                   "request has been completed or freed before: its handle was copied");
}

static bool is_active(const MPI_Request *request) {
  return *request != MPI_REQUEST_NULL && (*request)->active;
}

/* The request is complete: writes its status, and ends it unless it is persistent. */
static int complete(MPI_Request *request, int rc, const eyot_msg_status_t *from,
                    MPI_Status *status) {
  struct eyot_mpi_request *r = *request;
  const struct eyot_mpi_comm *comm = r->with.comm;
  bool received = r->kind == FACE_RECV || r->kind == FACE_MRECV;
  if (r->nobody && received)
    face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
  else if (received && !r->cancelled && (rc == EYOT_OK || rc == EYOT_ERANGE))
    face_status(status, comm, from);
  else
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
  if (status != MPI_STATUS_IGNORE) status->eyot_mpi_cancelled = r->cancelled;
  r->active = false;
  if (!r->persistent) {
    face_request_end(r);
    *request = MPI_REQUEST_NULL;
  }
  return face_check(comm, rc);
}

static int wait_for(MPI_Request *request, MPI_Status *status) {
  if (!is_active(request)) {
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  struct eyot_mpi_request *r = *request;
  eyot_msg_status_t from = {0};
  int rc = r->kind == FACE_COLL ? eyot_coll_wait(&r->coll) : eyot_msg_wait(&r->msg, &from);
  return complete(request, rc, &from, status);
}

static int test_for(MPI_Request *request, bool *done, MPI_Status *status) {
  *done = true;
  if (!is_active(request)) {
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  struct eyot_mpi_request *r = *request;
  eyot_msg_status_t from = {0};
  int rc =
      r->kind == FACE_COLL ? eyot_coll_test(&r->coll, done) : eyot_msg_test(&r->msg, done, &from);
  if (rc == EYOT_OK && !*done) return MPI_SUCCESS;
  *done = true;
  return complete(request, rc, &from, status);
}

FACE_DEFINE(int, Wait, (MPI_Request * request, MPI_Status *status)) {
  FACE_ENTER("MPI_Wait");
  FACE_TRY(check_request(request));
  return wait_for(request, status);
}

FACE_DEFINE(int, Test, (MPI_Request * request, int *flag, MPI_Status *status)) {
  FACE_ENTER("MPI_Test");
  FACE_TRY(check_request(request));
  FACE_TRY(face_output(NULL, "flag", flag));
  bool done;
  int error = test_for(request, &done, status);
  *flag = done;
  return error;
}

static int check_requests(int count, const MPI_Request *requests) {
  if (count < 0) return face_fail(NULL, MPI_ERR_COUNT, "count is %d, expected 0 or more", count);
  for (int i = 0; i < count; i++) FACE_TRY(check_request(&requests[i]));
  return MPI_SUCCESS;
}

/* The class of one of several requests goes into its status. */
static int note_error(MPI_Status *status, int error) {
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
  return error == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

static MPI_Status *status_of(MPI_Status *statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

FACE_DEFINE(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[])) {
  FACE_ENTER("MPI_Waitall");
  FACE_TRY(check_requests(count, requests));
  int worst = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    MPI_Status *status = status_of(statuses, i);
    int error = note_error(status, wait_for(&requests[i], status));
    if (error != MPI_SUCCESS) worst = error;
  }
  return worst;
}

void face_forget(void) {
  while (face.idle != NULL) {
    struct eyot_mpi_request *r = face.idle;
    face.idle = r->next;
    free(r);
  }
}
