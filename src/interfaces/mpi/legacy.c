/* SPDX-License-Identifier: BSD-3-Clause */
/* legacy.c - calls that MPI 3.0 has removed and older programs still make, by those that have
 * replaced them (MPI 4.1, section 17.1). */
#include "interfaces/mpi/type.h"

FACE_DEFINE(int, Address, (void *location, MPI_Aint *address)) {
  FACE_ENTER("MPI_Address");
  return PMPI_Get_address(location, address);
}

FACE_DEFINE(int, Type_extent, (MPI_Datatype datatype, MPI_Aint *extent)) {
  FACE_ENTER("MPI_Type_extent");
  MPI_Aint lb;
  return PMPI_Type_get_extent(datatype, &lb, extent);
}

FACE_DEFINE(int, Type_lb, (MPI_Datatype datatype, MPI_Aint *displacement)) {
  FACE_ENTER("MPI_Type_lb");
  MPI_Aint extent;
  return PMPI_Type_get_extent(datatype, displacement, &extent);
}

FACE_DEFINE(int, Type_ub, (MPI_Datatype datatype, MPI_Aint *displacement)) {
  FACE_ENTER("MPI_Type_ub");
  MPI_Aint lb, extent;
  FACE_TRY(face_output(NULL, "displacement", displacement));
  FACE_TRY(PMPI_Type_get_extent(datatype, &lb, &extent));
  *displacement = lb + extent;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Type_hvector,
            (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
             MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_hvector");
  return PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

FACE_DEFINE(int, Type_hindexed,
            (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
             MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_hindexed");
  return PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype,
                                   newtype);
}

FACE_DEFINE(int, Type_struct,
            (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
             MPI_Datatype array_of_types[], MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_struct");
  return PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements,
                                 array_of_types, newtype);
}

FACE_DEFINE(int, Errhandler_create, (MPI_Handler_function * handler_fn, MPI_Errhandler *made)) {
  FACE_ENTER("MPI_Errhandler_create");
  return PMPI_Comm_create_errhandler(handler_fn, made);
}

FACE_DEFINE(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  FACE_ENTER("MPI_Errhandler_set");
  return PMPI_Comm_set_errhandler(comm, errhandler);
}

FACE_DEFINE(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler *errhandler)) {
  FACE_ENTER("MPI_Errhandler_get");
  return PMPI_Comm_get_errhandler(comm, errhandler);
}

FACE_DEFINE(int, Keyval_create,
            (MPI_Copy_function * copy_fn, MPI_Delete_function *delete_fn, int *keyval,
             void *extra_state)) {
  FACE_ENTER("MPI_Keyval_create");
  return PMPI_Comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}

FACE_DEFINE(int, Keyval_free, (int *keyval)) {
  FACE_ENTER("MPI_Keyval_free");
  return PMPI_Comm_free_keyval(keyval);
}

FACE_DEFINE(int, Attr_put, (MPI_Comm comm, int keyval, void *attribute_val)) {
  FACE_ENTER("MPI_Attr_put");
  return PMPI_Comm_set_attr(comm, keyval, attribute_val);
}

FACE_DEFINE(int, Attr_get, (MPI_Comm comm, int keyval, void *attribute_val, int *flag)) {
  FACE_ENTER("MPI_Attr_get");
  return PMPI_Comm_get_attr(comm, keyval, attribute_val, flag);
}

FACE_DEFINE(int, Attr_delete, (MPI_Comm comm, int keyval)) {
  FACE_ENTER("MPI_Attr_delete");
  return PMPI_Comm_delete_attr(comm, keyval);
}
