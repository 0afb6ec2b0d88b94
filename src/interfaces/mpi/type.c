/* SPDX-License-Identifier: BSD-3-Clause */
/* type.c - datatypes of the MPI interface: the predefined ones, and sequences of them. */
#include <limits.h>
#include <stdlib.h>

#include "interfaces/mpi/face.h"

#define FACE_PREDEFINED(name_, c, type)          \
  struct eyot_mpi_type eyot_mpi_type_##name_ = { \
      FACE_LIVE, true, type, sizeof(c), sizeof(c), "MPI_" #name_, NULL, 0, FACE_NOT_LOCATED};
EYOT_MPI_TYPES(FACE_PREDEFINED)

#define FACE_PAIR(name_, c)                                          \
  struct name_##_pair {                                              \
    c value;                                                         \
    int index;                                                       \
  };                                                                 \
  struct eyot_mpi_type eyot_mpi_type_##name_ = {                     \
      .live = FACE_LIVE,                                             \
      .predefined = true,                                            \
      .element = EYOT_USER,                                          \
      .bytes = sizeof(struct name_##_pair),                          \
      .basic = sizeof(struct name_##_pair),                          \
      .name = "MPI_" #name_,                                         \
      .gaps = sizeof(struct name_##_pair) - sizeof(c) - sizeof(int), \
      .located = FACE_##name_};
EYOT_MPI_PAIRS(FACE_PAIR)

FACE_DEFINE(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_contiguous");
  FACE_TRY(face_type(NULL, oldtype));
  FACE_TRY(face_output(NULL, "newtype", newtype));
  if (count < 0) return face_fail(NULL, MPI_ERR_COUNT, "count is %d, expected 0 or more", count);
  uint64_t bytes = (uint64_t)count * oldtype->bytes;
  if (bytes > INT_MAX)
    return face_fail(NULL, MPI_ERR_COUNT, "%d elements of %s have more than %d bytes", count,
                     oldtype->name, INT_MAX);
  struct eyot_mpi_type *t = calloc(1, sizeof *t);
  if (t == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a datatype");
  *t = (struct eyot_mpi_type){.live = FACE_LIVE,
                              .element = EYOT_USER,
                              .bytes = bytes,
                              .basic = oldtype->basic,
                              .name = "a type of MPI_Type_contiguous",
                              .next = face.types,
                              .gaps = (uint64_t)count * oldtype->gaps};
  face.types = t;
  *newtype = t;
  return MPI_SUCCESS;
}

void face_types_end(void) {
  while (face.types != NULL) {
    struct eyot_mpi_type *t = face.types;
    face.types = t->next;
    free(t);
  }
}

FACE_DEFINE(int, Type_commit, (MPI_Datatype * datatype)) {
  FACE_ENTER("MPI_Type_commit");
  FACE_TRY(face_output(NULL, "datatype", datatype));
  return face_type(NULL, *datatype);
}

FACE_DEFINE(int, Type_free, (MPI_Datatype * datatype)) {
  FACE_ENTER("MPI_Type_free");
  FACE_TRY(face_output(NULL, "datatype", datatype));
  FACE_TRY(face_type(NULL, *datatype));
  if ((*datatype)->predefined)
    return face_fail(NULL, MPI_ERR_TYPE, "datatype is %s, which cannot be freed",
                     (*datatype)->name);
  (*datatype)->live = FACE_DEAD;
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Type_size, (MPI_Datatype datatype, int *size)) {
  FACE_ENTER("MPI_Type_size");
  FACE_TRY(face_type(NULL, datatype));
  FACE_TRY(face_output(NULL, "size", size));
  *size = (int)(datatype->bytes - datatype->gaps);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)) {
  FACE_ENTER("MPI_Type_get_extent");
  FACE_TRY(face_type(NULL, datatype));
  FACE_TRY(face_output(NULL, "lb", lb));
  FACE_TRY(face_output(NULL, "extent", extent));
  *lb = 0;
  *extent = (MPI_Aint)datatype->bytes;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Get_address, (const void *location, MPI_Aint *address)) {
  FACE_ENTER("MPI_Get_address");
  FACE_TRY(face_output(NULL, "address", address));
  *address = (MPI_Aint)location;
  return MPI_SUCCESS;
}

/* How many elements of `each` bytes a message has; MPI_UNDEFINED if it does not end with one. */
static int count_of(const MPI_Status *status, const struct eyot_mpi_type *type, uint64_t each,
                    int *count) {
  FACE_TRY(face_type(NULL, type));
  if (status == NULL)
    return face_fail(NULL, MPI_ERR_ARG, "status is MPI_STATUS_IGNORE, expected a status");
  FACE_TRY(face_output(NULL, "count", count));
  uint64_t n = each == 0 ? 0 : status->eyot_mpi_bytes / each;
  *count = (int)n;
  if (n > INT_MAX || (each == 0 ? status->eyot_mpi_bytes > 0 : status->eyot_mpi_bytes % each != 0))
    *count = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Get_count, (const MPI_Status *status, MPI_Datatype datatype, int *count)) {
  FACE_ENTER("MPI_Get_count");
  return count_of(status, datatype, datatype == NULL ? 1 : datatype->bytes, count);
}

FACE_DEFINE(int, Get_elements, (const MPI_Status *status, MPI_Datatype datatype, int *count)) {
  FACE_ENTER("MPI_Get_elements");
  return count_of(status, datatype, datatype == NULL ? 1 : datatype->basic, count);
}
