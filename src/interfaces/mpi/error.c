/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c - what all files of the MPI interface stand on: its state, its entry, error classes and
 * handlers, and the checks of arguments that most functions share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/errors.h"
#include "interfaces/mpi/handler.h"
#include "interfaces/mpi/type.h"

struct face face;
char eyot_mpi_in_place;
FACE_PREDEFINED_HANDLE(comms)
struct eyot_mpi_comm eyot_mpi_comm_world = {.live = FACE_LIVE, .name = "MPI_COMM_WORLD"};
FACE_PREDEFINED_HANDLE(comms)
struct eyot_mpi_comm eyot_mpi_comm_self = {.live = FACE_LIVE, .name = "MPI_COMM_SELF"};

static const struct {
  int eyot;
  const char *text;
} classes[] = {
    [MPI_SUCCESS] = {EYOT_OK, "MPI_SUCCESS: no error"},
    [MPI_ERR_BUFFER] = {EYOT_EINVAL, "MPI_ERR_BUFFER: invalid buffer pointer"},
    [MPI_ERR_COUNT] = {EYOT_EINVAL, "MPI_ERR_COUNT: invalid count"},
    [MPI_ERR_TYPE] = {EYOT_EINVAL, "MPI_ERR_TYPE: invalid datatype"},
    [MPI_ERR_TAG] = {EYOT_EINVAL, "MPI_ERR_TAG: invalid tag"},
    [MPI_ERR_COMM] = {EYOT_ETEAM, "MPI_ERR_COMM: invalid communicator"},
    [MPI_ERR_RANK] = {EYOT_EUNIT, "MPI_ERR_RANK: invalid rank"},
    [MPI_ERR_ROOT] = {EYOT_EUNIT, "MPI_ERR_ROOT: invalid root"},
    [MPI_ERR_OP] = {EYOT_EINVAL, "MPI_ERR_OP: invalid operation for the datatype"},
    [MPI_ERR_REQUEST] = {EYOT_EINVAL, "MPI_ERR_REQUEST: invalid request"},
    [MPI_ERR_ARG] = {EYOT_EINVAL, "MPI_ERR_ARG: invalid argument"},
    [MPI_ERR_TRUNCATE] = {EYOT_ERANGE, "MPI_ERR_TRUNCATE: the message is longer than the buffer"},
    [MPI_ERR_IN_STATUS] = {EYOT_EINVAL, "MPI_ERR_IN_STATUS: the error code is in the status"},
    [MPI_ERR_PENDING] = {EYOT_EBUSY, "MPI_ERR_PENDING: the request is not complete"},
    [MPI_ERR_NO_MEM] = {EYOT_ENOMEM, "MPI_ERR_NO_MEM: no memory"},
    [MPI_ERR_OTHER] = {EYOT_ESTATE, "MPI_ERR_OTHER: another error"},
    [MPI_ERR_INTERN] = {EYOT_ESYS, "MPI_ERR_INTERN: the system or the fabric refused"},
    [MPI_ERR_UNSUPPORTED_OPERATION] = {EYOT_ENOTSUP,
                                       "MPI_ERR_UNSUPPORTED_OPERATION: eyot cannot do it"},
    [MPI_ERR_GROUP] = {EYOT_EINVAL, "MPI_ERR_GROUP: invalid group"},
    [MPI_ERR_TOPOLOGY] = {EYOT_EINVAL, "MPI_ERR_TOPOLOGY: no such topology"},
    [MPI_ERR_DIMS] = {EYOT_EINVAL, "MPI_ERR_DIMS: invalid dimensions"},
    [MPI_ERR_INFO] = {EYOT_EINVAL, "MPI_ERR_INFO: invalid info object"},
    [MPI_ERR_INFO_KEY] = {EYOT_EINVAL, "MPI_ERR_INFO_KEY: the key is too long or empty"},
    [MPI_ERR_INFO_VALUE] = {EYOT_EINVAL, "MPI_ERR_INFO_VALUE: the value is too long or empty"},
    [MPI_ERR_INFO_NOKEY] = {EYOT_EINVAL, "MPI_ERR_INFO_NOKEY: the info object has no such key"},
    [MPI_ERR_KEYVAL] = {EYOT_EINVAL, "MPI_ERR_KEYVAL: invalid key of an attribute"},
    [MPI_ERR_UNKNOWN] = {EYOT_ESTATE, "MPI_ERR_UNKNOWN: unknown error"},
};

#define FATAL "a call of MPI has failed (see the message above), and MPI_ERRORS_ARE_FATAL is set"

static const struct interface_words words = {
    .before = "called before MPI_Init: call that first",
    .after = "called after MPI_Finalize: no call of MPI may follow it",
    .refused = FATAL,
    .failed = FATAL};

_Noreturn void face_failed(void) {
  interface_failed(&words);
}

void face_attach_world(void) {
  MPI_COMM_WORLD->team = EYOT_TEAM_ALL;
  MPI_COMM_WORLD->me = (int)eyot_me().id;
  MPI_COMM_WORLD->size = (int)eyot_size();
  MPI_COMM_SELF->size = 1;
  face.main = pthread_self();
  face.attached = true;
}

void face_attach(const char *call, const void *site) {
  if (!face.ended && eyot_initialized()) {
    face_attach_world();
    return;
  }
  interface_refuse(&words, face.ended, call, site);
}

/* Whether the handler of a communicator lets the program go on, which gets the class. */
static bool returns(const struct eyot_mpi_comm *comm, int class) {
  MPI_Comm of = (MPI_Comm)(uintptr_t)(comm == NULL ? MPI_COMM_WORLD : comm);
  const struct eyot_mpi_errhandler *h = of->handler;
  if (h == NULL || h->kind == FACE_FATAL) return false;
  if (h->kind == FACE_FUNCTION) h->function(&of, &class);
  return true;
}

int face_fail(const struct eyot_mpi_comm *comm, int class, const char *format, ...) {
  if (returns(comm, class)) return class;
  va_list ap;
  va_start(ap, format);
  interface_log(classes[class].eyot, format, ap);
  va_end(ap);
  face_failed();
}

static int class_of(int rc) {
  switch (rc) {
    case EYOT_OK:
      return MPI_SUCCESS;
    case EYOT_ERANGE:
      return MPI_ERR_TRUNCATE;
    case EYOT_EINVAL:
    case EYOT_EMISMATCH:
      return MPI_ERR_ARG;
    case EYOT_ETEAM:
      return MPI_ERR_COMM;
    case EYOT_EUNIT:
      return MPI_ERR_RANK;
    case EYOT_ENOMEM:
    case EYOT_EBUSY:
      return MPI_ERR_NO_MEM;
    case EYOT_ESYS:
    case EYOT_EPEERDOWN:
      return MPI_ERR_INTERN;
    default:
      return MPI_ERR_OTHER;
  }
}

int face_check(const struct eyot_mpi_comm *comm, int rc) {
  if (__builtin_expect(rc == EYOT_OK, 1)) return MPI_SUCCESS;
  int class = class_of(rc);
  if (!returns(comm, class)) face_failed();
  (void)eyot_errors_clear(); /* the program gets the error, and may go on */
  return class;
}

FACE_DEFINE(int, Error_string, (int errorcode, char *string, int *resultlen)) {
  EYOT_CALLER("MPI_Error_string");
  FACE_TRY(face_output(NULL, "string", string));
  FACE_TRY(face_output(NULL, "resultlen", resultlen));
  if (errorcode < 0 || errorcode > MPI_ERR_LASTCODE)
    return face_fail(NULL, MPI_ERR_ARG, "errorcode is %d, expected 0 to %d", errorcode,
                     MPI_ERR_LASTCODE);
  *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s", classes[errorcode].text);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Error_class, (int errorcode, int *errorclass)) {
  EYOT_CALLER("MPI_Error_class");
  FACE_TRY(face_output(NULL, "errorclass", errorclass));
  if (errorcode < 0 || errorcode > MPI_ERR_LASTCODE)
    return face_fail(NULL, MPI_ERR_ARG, "errorcode is %d, expected 0 to %d", errorcode,
                     MPI_ERR_LASTCODE);
  *errorclass = errorcode;
  return MPI_SUCCESS;
}

/* -- arguments --------------------------------------------------------------------------------- */

/* Most programs do not use it: it becomes a team when they do. */
static int make_self(void) {
  struct eyot_mpi_comm *self = MPI_COMM_SELF;
  eyot_group_t *group = NULL;
  int rc = eyot_group_range(eyot_me().id, 1, 1, &group);
  if (rc == EYOT_OK) rc = eyot_team_create_group(EYOT_TEAM_ALL, group, 0, &self->team);
  eyot_group_free(group);
  return face_check(self, rc);
}

int face_comm(const struct eyot_mpi_comm *comm) {
  if (__builtin_expect(face_handle_known(FACE_HANDLE_COMM, comm) && comm->live == FACE_LIVE, 1))
    return comm->team.id != EYOT_TEAM_NULL.id ? MPI_SUCCESS : make_self();
  return face_handle_refuse(NULL, FACE_HANDLE_COMM, "comm", comm);
}

int face_root(struct eyot_mpi_comm *comm, int root) {
  FACE_TRY(face_comm(comm));
  if (root >= 0 && root < comm->size) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_ROOT, "root is %d, expected 0 to %d", root, comm->size - 1);
}

int face_type(const struct eyot_mpi_comm *comm, const struct eyot_mpi_type *type) {
  if (__builtin_expect(face_handle_known(FACE_HANDLE_TYPE, type) && type->live == FACE_LIVE, 1))
    return MPI_SUCCESS;
  return face_handle_refuse(comm, FACE_HANDLE_TYPE, "datatype", type);
}

int face_bytes(const struct eyot_mpi_comm *comm, const void *buf, int count,
               const struct eyot_mpi_type *type, uint64_t *bytes) {
  FACE_TRY(face_type(comm, type));
  if (count < 0) return face_fail(comm, MPI_ERR_COUNT, "count is %d, expected 0 or more", count);
  if (buf == NULL && count > 0 && type->bytes > 0)
    return face_fail(comm, MPI_ERR_BUFFER, "the buffer of %d elements of %s is NULL", count,
                     type->name);
  if (__builtin_expect(buf == MPI_IN_PLACE, 0))
    return face_fail(comm, MPI_ERR_BUFFER,
                     "a buffer is MPI_IN_PLACE, expected memory: only collectives take it, as "
                     "sendbuf (where one rank alone receives, on that rank), or as recvbuf of the "
                     "root of a scatter");
  if (__builtin_expect(!type->committed, 0))
    return face_fail(comm, MPI_ERR_TYPE, "datatype was not committed: call MPI_Type_commit");
  if (__builtin_mul_overflow((uint64_t)count, type->bytes, bytes) || *bytes > INT64_MAX)
    return face_fail(comm, MPI_ERR_COUNT, "%d elements of %llu bytes are more than memory holds",
                     count, (unsigned long long)type->bytes);
  return MPI_SUCCESS;
}

int face_output(const struct eyot_mpi_comm *comm, const char *name, const void *at) {
  if (__builtin_expect(at != NULL, 1)) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_ARG, "%s is NULL, expected where the result goes", name);
}

int face_input(const struct eyot_mpi_comm *comm, const char *name, const void *at) {
  if (__builtin_expect(at != NULL, 1)) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_ARG, "%s is NULL, expected what the call reads", name);
}
