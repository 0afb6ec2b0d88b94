/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c - requests of the MPI interface and their completion. A request that has ended goes
 * back to a list of the process, so that its handle is recognized until the next one takes it. */
#include <stdio.h>
#include <stdlib.h>

#include "interfaces/mpi/buffer.h"
#include "interfaces/mpi/op.h"
#include "interfaces/mpi/stage.h"

int face_request(enum face_kind kind, const struct face_message *m,
                 struct eyot_mpi_request **made) {
  struct eyot_mpi_request *r = face.idle, *before;
  if (r != NULL) {
    face.idle = r->next;
    before = r->made;
  } else {
    if ((r = malloc(sizeof *r)) == NULL)
      return face_fail(m->comm, MPI_ERR_NO_MEM, "no memory for a request");
    int error = face_handle_add(m->comm, FACE_HANDLE_REQUEST, r);
    if (error != MPI_SUCCESS) {
      free(r);
      return error;
    }
    before = face.requests;
    face.requests = r;
  }
  *r = (struct eyot_mpi_request){.live = FACE_LIVE, .kind = kind, .with = *m, .made = before};
  r->call = eyot_caller_mark(&r->site);
  if (m->type != NULL) face_type_hold(m->type);
  *made = r;
  return MPI_SUCCESS;
}

void face_request_end(struct eyot_mpi_request *r) {
  if (r->pair != NULL) face_pair_done(r->pair);
  r->pair = NULL;
  if (r->fold != NULL) face_fold_end(r->fold);
  r->fold = NULL;
  if (r->is_plan) (void)face_check(r->with.comm, eyot_coll_free(&r->coll));
  face_stages_end(&r->stages, 0);
  if (r->with.type != NULL) face_type_release(r->with.type);
  r->live = FACE_DEAD;
  r->next = face.idle;
  face.idle = r;
}

static int start_plan(struct eyot_mpi_request *r) {
  r->written = false;
  face_stages_again(r->stages);
  int rc = eyot_coll_start(r->coll);
  if (rc == EYOT_OK) face_activate(r);
  return face_check(r->with.comm, rc);
}

int face_start(struct eyot_mpi_request *r) {
  const struct face_message *m = &r->with;
  if (r->is_plan) return start_plan(r);
  r->cancelled = false;
  r->nobody = m->peer == MPI_PROC_NULL;
  r->msg = EYOT_MSG_DONE;
  if (r->kind == FACE_BSEND) FACE_TRY(face_buffer_send(m));
  if (r->nobody || r->kind == FACE_BSEND) {
    face_activate(r);
    return MPI_SUCCESS;
  }
  eyot_team_t team = m->comm->team;
  void *row;
  int rc;
  FACE_TRY(face_message_row(m, r->kind == FACE_RECV ? FACE_OUT : FACE_IN, &r->stages, &row));
  if (r->kind == FACE_RECV)
    rc = eyot_recv_nb(team, face_from(m), m->tag, row, m->bytes, &r->msg);
  else if (r->kind == FACE_SEND)
    rc = eyot_send_nb(team, face_unit(m->comm, m->peer), m->tag, row, m->bytes, &r->msg);
  else
    rc = eyot_ssend_nb(team, face_unit(m->comm, m->peer), m->tag, row, m->bytes, &r->msg);
  if (rc == EYOT_OK)
    face_activate(r);
  else
    face_stages_end(&r->stages, 0);
  return face_check(m->comm, rc);
}

int face_check_request(const MPI_Request *request) {
  FACE_TRY(face_output(NULL, "request", request));
  const struct eyot_mpi_request *r = *request;
  if (r == MPI_REQUEST_NULL) return MPI_SUCCESS;
  if (face_handle_known(FACE_HANDLE_REQUEST, r) && r->live == FACE_LIVE) return MPI_SUCCESS;
  return face_handle_refuse(NULL, FACE_HANDLE_REQUEST, "request", r);
}

int face_check_requests(int count, const MPI_Request *requests) {
  if (count < 0) return face_fail(NULL, MPI_ERR_COUNT, "count is %d, expected 0 or more", count);
  for (int i = 0; i < count; i++)
    if (requests == NULL || requests[i] != MPI_REQUEST_NULL)
      FACE_TRY(face_check_request(&requests[i]));
  return MPI_SUCCESS;
}

/* The status of a request that has ended with rc. */
static void write_status(const struct eyot_mpi_request *r, int rc, const eyot_msg_status_t *from,
                         MPI_Status *status) {
  bool received = r->kind == FACE_RECV || r->kind == FACE_MRECV;
  if (r->nobody && received)
    face_no_status(status, MPI_PROC_NULL, MPI_ANY_TAG);
  else if (received && !r->cancelled && (rc == EYOT_OK || rc == EYOT_ERANGE))
    face_status(status, r->with.comm, from);
  else
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
  if (status != MPI_STATUS_IGNORE) status->eyot_mpi_cancelled = r->cancelled;
}

void face_finish(struct eyot_mpi_request *r, int rc, const eyot_msg_status_t *from) {
  if (r->fold != NULL && rc == EYOT_OK && !r->written) face_fold_combine(r->fold);
  if (r->is_plan) {
    if (rc == EYOT_OK && !r->written) face_stages_out(r->stages);
    r->written = true;
    return;
  }
  if (r->fold != NULL) face_fold_end(r->fold);
  r->fold = NULL;
  uint64_t bytes = rc == EYOT_OK || rc == EYOT_ERANGE ? UINT64_MAX : 0;
  if (bytes > 0 && face_is_message(r)) bytes = r->cancelled ? 0 : from->bytes;
  face_stages_end(&r->stages, bytes);
}

int face_complete(MPI_Request *request, int rc, const eyot_msg_status_t *from, MPI_Status *status) {
  struct eyot_mpi_request *r = *request;
  struct eyot_mpi_comm *comm = r->with.comm;
  write_status(r, rc, from, status);
  face_over(r);
  face.over--;
  r->active = r->over = false;
  comm->pending--;
  face_finish(r, rc, from);
  if (!r->persistent) {
    face_request_end(r);
    *request = MPI_REQUEST_NULL;
  }
  return face_check(comm, rc);
}

/* One that eyot has completed in a call that has left it to the program. */
static int complete_tested(MPI_Request *request, MPI_Status *status) {
  struct eyot_mpi_request *r = *request;
  const eyot_msg_status_t got = r->got;
  int error = r->error;
  r->tested = false;
  (void)face_complete(request, EYOT_OK, &got,
                      status); /* the error was handled where it was found */
  return error;
}

static int request_wait(struct eyot_mpi_request *r, eyot_msg_status_t *from) {
  return r->kind == FACE_COLL ? eyot_coll_wait(&r->coll) : eyot_msg_wait(&r->msg, from);
}

static int request_test(struct eyot_mpi_request *r, bool *done, eyot_msg_status_t *from) {
  return r->kind == FACE_COLL ? eyot_coll_test(&r->coll, done) : eyot_msg_test(&r->msg, done, from);
}

int face_wait(MPI_Request *request, MPI_Status *status) {
  if (!face_is_active(*request)) {
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  struct eyot_mpi_request *r = *request;
  if (r->tested) return complete_tested(request, status);
  eyot_msg_status_t from = {0};
  int rc = request_wait(r, &from);
  return face_complete(request, rc, &from, status);
}

int face_test(MPI_Request *request, bool *done, MPI_Status *status) {
  *done = true;
  if (!face_is_active(*request)) {
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  struct eyot_mpi_request *r = *request;
  if (r->tested) return complete_tested(request, status);
  eyot_msg_status_t from = {0};
  int rc = request_test(r, done, &from);
  if (rc == EYOT_OK && !*done) return MPI_SUCCESS;
  *done = true;
  return face_complete(request, rc, &from, status);
}

/* eyot has completed it, with r->got; it is left to the program. */
static int settled(struct eyot_mpi_request *r, int rc) {
  r->tested = true;
  face_over(r);
  face_finish(r, rc, &r->got);
  return r->error = face_check(r->with.comm, rc);
}

int face_peek(struct eyot_mpi_request *r, bool *done) {
  *done = true;
  if (r->tested) return r->error;
  int rc = request_test(r, done, &r->got);
  if (rc == EYOT_OK && !*done) return MPI_SUCCESS;
  *done = true;
  return settled(r, rc);
}

int face_settle(struct eyot_mpi_request *r) {
  return settled(r, request_wait(r, &r->got));
}

/* -- one request ------------------------------------------------------------------------------- */

FACE_DEFINE(int, Wait, (MPI_Request * request, MPI_Status *status)) {
  FACE_ENTER("MPI_Wait");
  FACE_TRY(face_check_request(request));
  return face_wait(request, status);
}

FACE_DEFINE(int, Test, (MPI_Request * request, int *flag, MPI_Status *status)) {
  FACE_ENTER("MPI_Test");
  FACE_TRY(face_check_request(request));
  FACE_TRY(face_output(NULL, "flag", flag));
  bool done;
  int error = face_test(request, &done, status);
  *flag = done;
  return error;
}

FACE_DEFINE(int, Request_get_status, (MPI_Request request, int *flag, MPI_Status *status)) {
  FACE_ENTER("MPI_Request_get_status");
  FACE_TRY(face_check_request(&request));
  FACE_TRY(face_output(NULL, "flag", flag));
  *flag = 1;
  if (!face_is_active(request)) {
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return MPI_SUCCESS;
  }
  bool done;
  int error = face_peek(request, &done);
  *flag = done;
  if (done) write_status(request, EYOT_OK, &request->got, status);
  return error;
}

static int start_again(const MPI_Request *request) {
  FACE_TRY(face_check_request(request));
  struct eyot_mpi_request *r = *request;
  if (r == MPI_REQUEST_NULL || !r->persistent)
    return face_fail(NULL, MPI_ERR_REQUEST,
                     "request is %s, expected one of MPI_Send_init, MPI_Recv_init and the like",
                     r == MPI_REQUEST_NULL ? "MPI_REQUEST_NULL" : "not persistent");
  if (r->active)
    return face_fail(r->with.comm, MPI_ERR_REQUEST,
                     "request is started already: complete it before it is started again");
  return face_start(r);
}

FACE_DEFINE(int, Start, (MPI_Request * request)) {
  FACE_ENTER("MPI_Start");
  return start_again(request);
}

FACE_DEFINE(int, Startall, (int count, MPI_Request requests[])) {
  FACE_ENTER("MPI_Startall");
  FACE_TRY(face_check_requests(count, requests));
  for (int i = 0; i < count; i++) FACE_TRY(start_again(&requests[i]));
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Request_free, (MPI_Request * request)) {
  FACE_ENTER("MPI_Request_free");
  FACE_TRY(face_check_request(request));
  struct eyot_mpi_request *r = *request;
  if (r == MPI_REQUEST_NULL)
    return face_fail(NULL, MPI_ERR_REQUEST, "request is MPI_REQUEST_NULL, expected a request");
  *request = MPI_REQUEST_NULL;
  r->persistent = false;
  if (!r->active) {
    face_request_end(r);
    return MPI_SUCCESS;
  }
  if (r->over) return face_wait(&r, MPI_STATUS_IGNORE);
  r->next = face.abandoned; /* it goes on, and is completed before the end */
  face.abandoned = r;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Cancel, (MPI_Request * request)) {
  FACE_ENTER("MPI_Cancel");
  FACE_TRY(face_check_request(request));
  struct eyot_mpi_request *r = *request;
  if (!face_is_active(r))
    return face_fail(NULL, MPI_ERR_REQUEST, "request is not active, expected one under way");
  if (r->kind != FACE_RECV)
    return face_fail(r->with.comm, MPI_ERR_UNSUPPORTED_OPERATION,
                     "request is no receive of MPI_Irecv or MPI_Recv_init: eyot cancels no others");
  if (r->nobody) return MPI_SUCCESS; /* complete already */
  int rc = eyot_msg_cancel(&r->msg, &r->cancelled);
  if (r->cancelled) face_over(r);
  return face_check(r->with.comm, rc);
}

FACE_DEFINE(int, Test_cancelled, (const MPI_Status *status, int *flag)) {
  FACE_ENTER("MPI_Test_cancelled");
  FACE_TRY(face_output(NULL, "flag", flag));
  FACE_TRY(face_output(NULL, "status", status));
  *flag = status->eyot_mpi_cancelled;
  return MPI_SUCCESS;
}

#define NAMED_MOST 8u /* requests that are left; the others are counted */

/* Names a request that is left, if eyot knows of no handle that it will name: a message that was
 * complete when the call returned, one with MPI_PROC_NULL, or a persistent one that was not
 * freed. */
static bool name_left(const struct eyot_mpi_request *r, bool names) {
  const struct face_message *m = &r->with;
  bool receives = r->kind == FACE_RECV || r->kind == FACE_MRECV, handed = r->active && !r->tested;
  if (handed && (!face_is_message(r) || r->msg.id != EYOT_MSG_DONE.id)) return false;
  char peer[32], tag[32];
  snprintf(peer, sizeof peer, m->peer == MPI_PROC_NULL ? "MPI_PROC_NULL" : "rank %d", m->peer);
  snprintf(tag, sizeof tag, m->tag == MPI_ANY_TAG ? "any tag" : "tag %d", m->tag);
  if (m->peer == MPI_ANY_SOURCE) snprintf(peer, sizeof peer, "any rank");
  const char *why = r->persistent ? "not freed before: a persistent" : "not completed before: a";
  if (!names) return true;
  if (!face_is_message(r))
    eyot_caller_warn(r->call, r->site, "%s collective", why);
  else
    eyot_caller_warn(r->call, r->site, "%s %s %s %s, %s", why, receives ? "receive" : "send",
                     receives ? "from" : "to", peer, tag);
  return true;
}

static void requests_left(void) {
  unsigned n = 0;
  for (const struct eyot_mpi_request *r = face.requests; r != NULL; r = r->made)
    if (r->live == FACE_LIVE) n += name_left(r, n < NAMED_MOST);
  if (n > NAMED_MOST)
    eyot_caller_warn(NULL, NULL, "not completed or freed before: %u requests in all", n);
}

void face_requests_end(void) {
  while (face.abandoned != NULL) {
    struct eyot_mpi_request *r = face.abandoned;
    face.abandoned = r->next;
    (void)face_wait(&r, MPI_STATUS_IGNORE); /* an error has been handled */
  }
  requests_left();
  face.idle = NULL;
}

void face_requests_free(void) {
  while (face.requests != NULL) {
    struct eyot_mpi_request *r = face.requests;
    face.requests = r->made;
    if (r->live == FACE_LIVE) {
      if (r->fold != NULL) face_fold_end(r->fold);
      face_stages_end(&r->stages, 0);
    }
    free(r);
  }
}
