/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - completion of several requests of the MPI interface. */
#include <stdlib.h>

#include "interfaces/mpi/face.h"

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
  FACE_TRY(face_check_requests(count, requests));
  int worst = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    MPI_Status *status = status_of(statuses, i);
    int error = note_error(status, face_wait(&requests[i], status));
    if (error != MPI_SUCCESS) worst = error;
  }
  return worst;
}

FACE_DEFINE(int, Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[])) {
  FACE_ENTER("MPI_Testall");
  FACE_TRY(face_check_requests(count > 0 ? 0 : count, requests));
  FACE_TRY(face_output(NULL, "flag", flag));
  *flag = 0;
  for (int i = 0; i < count; i++) { /* checked up to the first that is not complete */
    FACE_TRY(face_check_request(&requests[i]));
    if (!face_is_active(requests[i])) continue;
    bool done;
    (void)face_peek(requests[i], &done); /* an error is that of the completion below */
    if (!done) return MPI_SUCCESS;
  }
  *flag = 1;
  int worst = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    MPI_Status *status = status_of(statuses, i);
    int error = note_error(status, face_wait(&requests[i], status));
    if (error != MPI_SUCCESS) worst = error;
  }
  return worst;
}

/* -- one of several ---------------------------------------------------------------------------- */

/* Completes the first request that is complete. *index is MPI_UNDEFINED if none is active. */
static int test_any(int count, MPI_Request *requests, int *index, bool *done, MPI_Status *status) {
  bool some = false;
  for (int i = 0; i < count; i++) {
    if (!face_is_active(requests[i])) continue;
    some = true;
    int error = face_test(&requests[i], done, status);
    *index = i;
    if (*done) return error;
  }
  *index = MPI_UNDEFINED;
  *done = !some;
  if (!some) face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Testany,
            (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)) {
  FACE_ENTER("MPI_Testany");
  FACE_TRY(face_check_requests(count, requests));
  FACE_TRY(face_output(NULL, "index", index));
  FACE_TRY(face_output(NULL, "flag", flag));
  bool done;
  int error = test_any(count, requests, index, &done, status);
  *flag = done;
  return error;
}

/* Sleeps until one of the messages among the requests is complete, which is left to test_any; if
 * there are collectives too, or requests that need no wait, returns at once. */
static int sleep_for_any(int count, MPI_Request *requests) {
  eyot_msg_t *handles = malloc((size_t)count * sizeof *handles);
  if (handles == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for %d requests", count);
  bool all = true;
  for (int i = 0; i < count; i++) {
    struct eyot_mpi_request *r = requests[i];
    bool active = face_is_active(r);
    handles[i] = active ? r->msg : EYOT_MSG_DONE;
    all = all && (!active || (face_is_message(r) && r->msg.id != EYOT_MSG_DONE.id));
  }
  size_t which = (size_t)count;
  eyot_msg_status_t got = {0};
  int rc = all ? eyot_msg_wait_any(handles, (size_t)count, &which, &got) : EYOT_OK;
  if (which < (size_t)count && handles[which].id == EYOT_MSG_DONE.id) {
    struct eyot_mpi_request *r = requests[which];
    r->msg = EYOT_MSG_DONE;
    r->got = got;
    r->tested = true;
    face_finish(r, rc, &got);
    r->error = face_check(r->with.comm, rc);
    rc = EYOT_OK;
  }
  free(handles);
  return face_check(NULL, rc);
}

static int wait_any(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  for (;;) {
    bool done;
    int error = test_any(count, requests, index, &done, status);
    if (done || error != MPI_SUCCESS) return error;
    FACE_TRY(sleep_for_any(count, requests));
  }
}

FACE_DEFINE(int, Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status)) {
  FACE_ENTER("MPI_Waitany");
  FACE_TRY(face_check_requests(count, requests));
  FACE_TRY(face_output(NULL, "index", index));
  return wait_any(count, requests, index, status);
}

/* Completes all that are complete, and adds them to the *n before. */
static int test_some(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses,
                     int worst) {
  for (int i = 0; i < count; i++) {
    if (!face_is_active(requests[i])) continue;
    bool done;
    MPI_Status *status = status_of(statuses, *n);
    int error = face_test(&requests[i], &done, status);
    if (!done) continue;
    indices[(*n)++] = i;
    if (note_error(status, error) != MPI_SUCCESS) worst = MPI_ERR_IN_STATUS;
  }
  return worst;
}

static int check_some(int count, const MPI_Request *requests, const int *n, const int *indices) {
  FACE_TRY(face_check_requests(count, requests));
  FACE_TRY(face_output(NULL, "outcount", n));
  return count == 0 ? MPI_SUCCESS : face_output(NULL, "indices", indices);
}

static bool any_active(int count, MPI_Request *requests) {
  for (int i = 0; i < count; i++)
    if (face_is_active(requests[i])) return true;
  return false;
}

FACE_DEFINE(int, Testsome,
            (int incount, MPI_Request requests[], int *outcount, int indices[],
             MPI_Status statuses[])) {
  FACE_ENTER("MPI_Testsome");
  FACE_TRY(check_some(incount, requests, outcount, indices));
  if (!any_active(incount, requests)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  *outcount = 0;
  return test_some(incount, requests, outcount, indices, statuses, MPI_SUCCESS);
}

FACE_DEFINE(int, Waitsome,
            (int incount, MPI_Request requests[], int *outcount, int indices[],
             MPI_Status statuses[])) {
  FACE_ENTER("MPI_Waitsome");
  FACE_TRY(check_some(incount, requests, outcount, indices));
  if (!any_active(incount, requests)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  *outcount = 0;
  MPI_Status *first = status_of(statuses, 0);
  int worst = note_error(first, wait_any(incount, requests, &indices[0], first));
  *outcount = 1;
  return test_some(incount, requests, outcount, indices, statuses, worst);
}
