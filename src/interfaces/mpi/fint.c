/* SPDX-License-Identifier: BSD-3-Clause */
/* fint.c - handles as integers of Fortran (MPI 4.1, section 19.3.4). A handle gets the next number
 * of the process when it is first asked for one, and keeps it; 0 is the null handle of each kind.
 * These functions work before MPI_Init and after MPI_Finalize. */
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/face.h"

_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "a status is copied");

enum kind { COMM = 1, TYPE, GROUP, REQUEST, OP, INFO, ERRHANDLER, MESSAGE };
struct face_number {
  void *handle;
  enum kind kind;
};

/* From the newest on: a program asks soon after it has made a handle. */
static uint32_t number_of(const void *handle) {
  uint32_t i = face.n_numbers;
  while (i > 0 && face.numbers[i - 1].handle != handle) i--;
  return i;
}

static MPI_Fint to_number(void *handle, enum kind kind) {
  uint32_t n = face.n_numbers, found = handle == NULL ? 0 : number_of(handle);
  if (handle == NULL || found != 0) return (MPI_Fint)found;
  if ((n & (n - 1)) == 0) {
    size_t more = n == 0 ? 1 : 2 * (size_t)n;
    struct face_number *grown = realloc(face.numbers, more * sizeof *grown);
    if (grown == NULL) {
      face_fail(NULL, MPI_ERR_NO_MEM, "no memory for the number of a handle");
      return 0;
    }
    face.numbers = grown;
  }
  face.numbers[face.n_numbers++] = (struct face_number){handle, kind};
  return (MPI_Fint)face.n_numbers;
}

/* The null handle for what is no number of the kind. */
static void *to_handle(MPI_Fint number, enum kind kind) {
  if (number < 1 || (uint32_t)number > face.n_numbers) return NULL;
  const struct face_number *f = &face.numbers[number - 1];
  return f->kind == kind ? f->handle : NULL;
}

void face_number_end(const void *handle) {
  uint32_t number = number_of(handle);
  if (number != 0) face.numbers[number - 1].handle = NULL;
}

#define BOTH(name, type, kind)                       \
  FACE_DEFINE(MPI_Fint, name##_c2f, (type handle)) { \
    return to_number(handle, kind);                  \
  }                                                  \
  FACE_DEFINE(type, name##_f2c, (MPI_Fint number)) { \
    return to_handle(number, kind);                  \
  }
BOTH(Comm, MPI_Comm, COMM)
BOTH(Type, MPI_Datatype, TYPE)
BOTH(Group, MPI_Group, GROUP)
BOTH(Request, MPI_Request, REQUEST)
BOTH(Op, MPI_Op, OP)
BOTH(Info, MPI_Info, INFO)
BOTH(Errhandler, MPI_Errhandler, ERRHANDLER)
BOTH(Message, MPI_Message, MESSAGE)

FACE_DEFINE(int, Status_c2f, (const MPI_Status *c_status, MPI_Fint *f_status)) {
  memcpy(f_status, c_status, sizeof *c_status);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Status_f2c, (const MPI_Fint *f_status, MPI_Status *c_status)) {
  memcpy(c_status, f_status, sizeof *c_status);
  return MPI_SUCCESS;
}
