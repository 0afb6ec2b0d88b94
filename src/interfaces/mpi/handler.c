/* SPDX-License-Identifier: BSD-3-Clause */
/* handler.c - error handlers of the MPI interface (MPI 4.1, section 9.3): the predefined ones, and
 * functions of the program. */
#include "interfaces/mpi/handler.h"

#include <stdlib.h>

FACE_PREDEFINED_HANDLE(errhandlers)
struct eyot_mpi_errhandler eyot_mpi_errors_are_fatal = {.live = FACE_LIVE, .kind = FACE_FATAL};
FACE_PREDEFINED_HANDLE(errhandlers)
struct eyot_mpi_errhandler eyot_mpi_errors_abort = {.live = FACE_LIVE, .kind = FACE_FATAL};
FACE_PREDEFINED_HANDLE(errhandlers)
struct eyot_mpi_errhandler eyot_mpi_errors_return = {.live = FACE_LIVE, .kind = FACE_RETURNS};

static int check_handler(const struct eyot_mpi_comm *comm, const struct eyot_mpi_errhandler *h) {
  if (face_handle_known(FACE_HANDLE_ERRHANDLER, h) && h->live == FACE_LIVE) return MPI_SUCCESS;
  return face_handle_refuse(comm, FACE_HANDLE_ERRHANDLER, "errhandler", h);
}

FACE_DEFINE(int, Comm_create_errhandler,
            (MPI_Comm_errhandler_function * comm_errhandler_fn, MPI_Errhandler *errhandler)) {
  FACE_ENTER("MPI_Comm_create_errhandler");
  FACE_TRY(face_output(NULL, "errhandler", errhandler));
  if (comm_errhandler_fn == NULL)
    return face_fail(NULL, MPI_ERR_ARG, "comm_errhandler_fn is NULL, expected a function");
  struct eyot_mpi_errhandler *h = malloc(sizeof *h);
  if (h == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for an error handler");
  int error = face_handle_add(NULL, FACE_HANDLE_ERRHANDLER, h);
  if (error != MPI_SUCCESS) {
    free(h);
    return error;
  }
  *h = (struct eyot_mpi_errhandler){FACE_LIVE, FACE_FUNCTION, 1, comm_errhandler_fn, face.handlers};
  face.handlers = h;
  *errhandler = h;
  return MPI_SUCCESS;
}

/* Communicators that have it keep it. */
FACE_DEFINE(int, Errhandler_free, (MPI_Errhandler * errhandler)) {
  FACE_ENTER("MPI_Errhandler_free");
  FACE_TRY(face_output(NULL, "errhandler", errhandler));
  FACE_TRY(check_handler(NULL, *errhandler));
  if ((*errhandler)->kind == FACE_FUNCTION && --(*errhandler)->handles == 0)
    (*errhandler)->live = FACE_DEAD;
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

void face_handlers_end(void) {
  while (face.handlers != NULL) {
    struct eyot_mpi_errhandler *h = face.handlers;
    face.handlers = h->next;
    free(h);
  }
}

FACE_DEFINE(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  FACE_ENTER("MPI_Comm_set_errhandler");
  FACE_TRY(face_comm(comm));
  FACE_TRY(check_handler(comm, errhandler));
  comm->handler = errhandler;
  return MPI_SUCCESS;
}

/* One more handle of it, which the program frees. */
FACE_DEFINE(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler)) {
  FACE_ENTER("MPI_Comm_get_errhandler");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "errhandler", errhandler));
  *errhandler = comm->handler != NULL ? comm->handler : MPI_ERRORS_ARE_FATAL;
  (*errhandler)->live = FACE_LIVE;
  (*errhandler)->handles++;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode)) {
  FACE_ENTER("MPI_Comm_call_errhandler");
  FACE_TRY(face_comm(comm));
  if (errorcode < 0 || errorcode > MPI_ERR_LASTCODE)
    return face_fail(comm, MPI_ERR_ARG, "errorcode is %d, expected 0 to %d", errorcode,
                     MPI_ERR_LASTCODE);
  (void)face_fail(comm, errorcode, "the program reports the error %d", errorcode);
  return MPI_SUCCESS;
}
