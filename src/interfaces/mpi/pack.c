/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c - packing of the MPI interface (MPI 4.1, section 5.2): the bytes of a message, one element
 * after the other, as sends with MPI_PACKED carry them. */
#include <limits.h>
#include <string.h>

#include "interfaces/mpi/stage.h"

/* The bytes of the elements, which fit between position and the end of the packed buffer. */
static int check_space(struct eyot_mpi_comm *comm, const void *data, int count,
                       struct eyot_mpi_type *type, const void *packed, int size,
                       const int *position, uint64_t *bytes) {
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_bytes(comm, data, count, type, bytes));
  FACE_TRY(face_output(comm, "position", position));
  if (*bytes > 0) FACE_TRY(face_output(comm, "the packed buffer", packed));
  if (*position >= 0 && *position <= size && *bytes <= (uint64_t)(size - *position))
    return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_TRUNCATE,
                   "%d elements of %s have %llu bytes, and the packed buffer %d, from %d on", count,
                   type->name, (unsigned long long)*bytes, size, *position);
}

FACE_DEFINE(int, Pack,
            (const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
             int *position, MPI_Comm comm)) {
  FACE_ENTER("MPI_Pack");
  uint64_t bytes;
  FACE_TRY(check_space(comm, inbuf, incount, datatype, outbuf, outsize, position, &bytes));
  if (bytes > 0)
    face_type_pack(datatype, (uint64_t)incount, face_start_of(inbuf), (char *)outbuf + *position,
                   bytes);
  *position += (int)bytes;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Unpack,
            (const void *inbuf, int insize, int *position, void *outbuf, int outcount,
             MPI_Datatype datatype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Unpack");
  uint64_t bytes;
  FACE_TRY(check_space(comm, outbuf, outcount, datatype, inbuf, insize, position, &bytes));
  if (bytes > 0)
    face_type_unpack(datatype, (uint64_t)outcount, face_start_of(outbuf),
                     (const char *)inbuf + *position, bytes);
  *position += (int)bytes;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)) {
  FACE_ENTER("MPI_Pack_size");
  uint64_t bytes;
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "size", size));
  FACE_TRY(face_bytes(comm, MPI_BOTTOM, incount, datatype, &bytes));
  if (bytes > INT_MAX)
    return face_fail(comm, MPI_ERR_COUNT, "%d elements of %s have %llu bytes, more than an int has",
                     incount, datatype->name, (unsigned long long)bytes);
  *size = (int)bytes;
  return MPI_SUCCESS;
}
