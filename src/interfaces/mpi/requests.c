/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - completion of several requests of the MPI interface.
 *
 * Why it exists: a program that completes n requests by n calls passes all n each time. eyot knows
 * which messages are over, and their places (eyot_msg_wait_any_in), so that no call is made for
 * each request; collectives and requests that were over at once are counted, and looked for only
 * while there are some (adr/0116). */
#include <stddef.h>

#include "interfaces/mpi/face.h"

#define CHECKED_ALWAYS 32 /* so many handles are checked by each call, more by the first */

static struct face_array *array_of(const MPI_Request *requests) {
  const uintptr_t at = (uintptr_t)requests / sizeof(MPI_Request);
  return &face.arrays[(at ^ at >> 6 ^ at >> 12) % FACE_ARRAYS];
}

static struct eyot_mpi_request *request_read(const MPI_Request *requests, int i) {
  face.read++;
  return requests[i];
}

/* Checks an array that was not checked before, since it was last used up. */
static int check_array(int count, const MPI_Request *requests) {
  struct face_array *a = array_of(requests);
  const struct eyot_mpi_request *const *at = (const void *)requests;
  if (count > CHECKED_ALWAYS && a->requests == at && a->count == count) return MPI_SUCCESS;
  FACE_TRY(face_check_requests(count, requests));
  *a = (struct face_array){.requests = at, .count = count, .unfinished = count - 1};
  return MPI_SUCCESS;
}

/* None of its requests is active. */
static void array_end(const MPI_Request *requests) {
  array_of(requests)->requests = NULL;
}

/* The class of one of several requests goes into its status. */
static int note_error(MPI_Status *status, int error) {
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
  return error == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

static MPI_Status *status_of(MPI_Status *statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

static int complete_all(int count, MPI_Request *requests, MPI_Status *statuses) {
  int worst = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    MPI_Status *status = status_of(statuses, i);
    FACE_TRY(face_check_request(&requests[i])); /* it may be there twice */
    int error = note_error(status, face_wait(&requests[i], status));
    if (error != MPI_SUCCESS) worst = error;
  }
  array_end(requests);
  return worst;
}

FACE_DEFINE(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[])) {
  FACE_ENTER("MPI_Waitall");
  FACE_TRY(face_check_requests(count, requests));
  return complete_all(count, requests, statuses);
}

/* Where one is that is not complete, or -1. The search begins where the last one has ended, and
 * goes backwards: what it has passed is complete, so a loop of tests reads each request once or
 * twice. */
static int find_unfinished(int count, MPI_Request *requests, int *at) {
  struct face_array *a = array_of(requests);
  const int first = a->unfinished < count ? a->unfinished : count - 1;
  for (int k = 0; k < count; k++) {
    const int i = first - k + (k > first ? count : 0);
    struct eyot_mpi_request *r = request_read(requests, i);
    FACE_TRY(face_check_request(&requests[i]));
    if (!face_is_active(r) || r->over) continue;
    bool done;
    (void)face_peek(r, &done); /* an error is that of the completion */
    if (done) continue;
    a->unfinished = *at = i;
    return MPI_SUCCESS;
  }
  *at = -1;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[])) {
  int at;
  FACE_ENTER("MPI_Testall");
  FACE_TRY(face_check_requests(count > 0 ? 0 : count, requests));
  FACE_TRY(face_output(NULL, "flag", flag));
  *flag = 0;
  FACE_TRY(find_unfinished(count, requests, &at));
  if (at >= 0) return MPI_SUCCESS;
  *flag = 1;
  return complete_all(count, requests, statuses);
}

/* -- one of several ---------------------------------------------------------------------------- */

/* Where one is that is over, or count. */
static int find_over(int count, const MPI_Request *requests) {
  if (face.over == 0) return count;
  struct face_array *a = array_of(requests);
  const int first = a->over < count ? a->over : 0;
  for (int k = 0; k < count; k++) {
    const int i = k < count - first ? first + k : first + k - count;
    const struct eyot_mpi_request *r = request_read(requests, i);
    if (face_is_active(r) && r->over) return a->over = i;
  }
  return count;
}

/* Tests the collectives: *index, where one is that is complete, or count; *some: there is one. */
static void find_collective(int count, const MPI_Request *requests, int *index, bool *some) {
  *some = false;
  for (*index = 0; face.colls > 0 && *index < count; ++*index) {
    struct eyot_mpi_request *r = request_read(requests, *index);
    if (!face_is_active(r) || face_is_message(r) || r->over) continue;
    bool done;
    *some = true;
    (void)face_peek(r, &done); /* an error is that of the completion */
    if (done) return;
  }
  *index = count;
}

/* What is found without a wait: *done and *index, MPI_UNDEFINED if none is active. waits: sleeps
 * until a message is over if there are no collectives. */
static int complete_any(int count, MPI_Request *requests, bool waits, int *index, bool *done,
                        MPI_Status *status) {
  bool some = false;
  *done = true;
  if ((*index = find_over(count, requests)) == count)
    find_collective(count, requests, index, &some);
  if (*index < count) return face_wait(&requests[*index], status);
  void *const *at = (void *)requests;
  const size_t n = (size_t)count, offset = offsetof(struct eyot_mpi_request, msg);
  size_t which = n;
  eyot_msg_status_t got = {0};
  int rc = waits && !some ? eyot_msg_wait_any_in(at, n, offset, &which, &got)
                          : eyot_msg_test_any_in(at, n, offset, &which, done, &got);
  if (which < n) {
    *index = array_of(requests)->over = (int)which; /* the program may put a new one there */
    return face_complete(&requests[which], rc, &got, status);
  }
  *index = MPI_UNDEFINED;
  *done = *done && !some;
  if (rc == EYOT_OK && *done) {
    array_end(requests);
    face_no_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
  }
  return face_check(NULL, rc);
}

static int wait_any(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  for (bool done = false;;) {
    int error = complete_any(count, requests, true, index, &done, status);
    if (done || error != MPI_SUCCESS) return error;
  }
}

FACE_DEFINE(int, Testany,
            (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)) {
  FACE_ENTER("MPI_Testany");
  FACE_TRY(check_array(count, requests));
  FACE_TRY(face_output(NULL, "index", index));
  FACE_TRY(face_output(NULL, "flag", flag));
  bool done;
  int error = complete_any(count, requests, false, index, &done, status);
  *flag = done;
  return error;
}

FACE_DEFINE(int, Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status)) {
  FACE_ENTER("MPI_Waitany");
  FACE_TRY(check_array(count, requests));
  FACE_TRY(face_output(NULL, "index", index));
  return wait_any(count, requests, index, status);
}

/* Completes all that are over; waits: until one is. */
static int complete_some(int count, MPI_Request *requests, bool waits, int *outcount, int *indices,
                         MPI_Status *statuses) {
  FACE_TRY(check_array(count, requests));
  FACE_TRY(face_output(NULL, "outcount", outcount));
  if (count > 0) FACE_TRY(face_output(NULL, "indices", indices));
  int n = 0, worst = MPI_SUCCESS;
  bool done = false;
  while (n < count || count == 0) {
    int index;
    MPI_Status *status = status_of(statuses, n);
    int error = waits && n == 0 ? wait_any(count, requests, &index, status)
                                : complete_any(count, requests, false, &index, &done, status);
    if (index == MPI_UNDEFINED && error != MPI_SUCCESS) return error;
    if (index == MPI_UNDEFINED) break;
    indices[n++] = index;
    if (note_error(status, error) != MPI_SUCCESS) worst = MPI_ERR_IN_STATUS;
  }
  *outcount = n == 0 && (waits || done) ? MPI_UNDEFINED : n;
  return worst;
}

FACE_DEFINE(int, Testsome,
            (int incount, MPI_Request requests[], int *outcount, int indices[],
             MPI_Status statuses[])) {
  FACE_ENTER("MPI_Testsome");
  return complete_some(incount, requests, false, outcount, indices, statuses);
}

FACE_DEFINE(int, Waitsome,
            (int incount, MPI_Request requests[], int *outcount, int indices[],
             MPI_Status statuses[])) {
  FACE_ENTER("MPI_Waitsome");
  return complete_some(incount, requests, true, outcount, indices, statuses);
}
