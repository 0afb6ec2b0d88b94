/* SPDX-License-Identifier: BSD-3-Clause */
/* name.c - names of datatypes of the MPI interface (MPI 4.1, section 7.8). */
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/type.h"

FACE_DEFINE(int, Type_set_name, (MPI_Datatype datatype, const char *type_name)) {
  FACE_ENTER("MPI_Type_set_name");
  FACE_TRY(face_type(NULL, datatype));
  FACE_TRY(face_output(NULL, "type_name", type_name));
  if (datatype->predefined)
    return face_fail(NULL, MPI_ERR_TYPE, "datatype is %s, whose name eyot does not change",
                     datatype->name);
  char *name = strndup(type_name, MPI_MAX_OBJECT_NAME - 1); /* what is longer is cut */
  if (name == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a name");
  free(datatype->given);
  datatype->given = name;
  datatype->name = name;
  return MPI_SUCCESS;
}

/* A derived datatype has none until it is given one. */
FACE_DEFINE(int, Type_get_name, (MPI_Datatype datatype, char *type_name, int *resultlen)) {
  FACE_ENTER("MPI_Type_get_name");
  FACE_TRY(face_type(NULL, datatype));
  FACE_TRY(face_output(NULL, "type_name", type_name));
  FACE_TRY(face_output(NULL, "resultlen", resultlen));
  const char *name = datatype->predefined ? datatype->name : datatype->given;
  if (name == NULL) name = "";
  *resultlen = (int)strlen(name);
  memcpy(type_name, name, (size_t)*resultlen + 1);
  return MPI_SUCCESS;
}
