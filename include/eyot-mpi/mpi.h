/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.h - MPI's calls on eyot's messages and collectives, for MPI programs as they are, in the
 * simulator and over MPI. Semantics are those of MPI 4.1, sections 3 and 6 to 9; a name that is not
 * declared here does not exist (docs/mpi.md lists them).
 *
 * Functions have names of their own in the object file (eyot_mpi_Send for MPI_Send): a library of a
 * real MPI in the same process keeps its own. Each exists as PMPI_ too; the MPI_ one is weak. */
#ifndef EYOT_MPI_MPI_H
#define EYOT_MPI_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 4
#define MPI_SUBVERSION 1

/* -- handles ----------------------------------------------------------------------------------- */

typedef struct eyot_mpi_comm *MPI_Comm;
typedef struct eyot_mpi_type *MPI_Datatype;
typedef struct eyot_mpi_op *MPI_Op;
typedef struct eyot_mpi_request *MPI_Request;
typedef struct eyot_mpi_message *MPI_Message;
typedef struct eyot_mpi_errhandler *MPI_Errhandler;
typedef struct eyot_mpi_group *MPI_Group;
typedef struct eyot_mpi_info *MPI_Info;
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;
typedef int64_t MPI_Offset;
typedef int MPI_Fint;
/* inoutvec[i] = invec[i] OP inoutvec[i] for *len elements of *datatype. */
typedef void MPI_User_function(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype);

/* Functions of the program for errors and attributes of communicators. */
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *error_code, ...);
typedef int MPI_Comm_copy_attr_function(MPI_Comm oldcomm, int comm_keyval, void *extra_state,
                                        void *attribute_val_in, void *attribute_val_out, int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int comm_keyval, void *attribute_val,
                                          void *extra_state);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn, MPI_Handler_function;
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;

typedef struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int eyot_mpi_cancelled;
  uint64_t eyot_mpi_bytes;
} MPI_Status;

extern struct eyot_mpi_comm eyot_mpi_comm_world, eyot_mpi_comm_self;
extern struct eyot_mpi_group eyot_mpi_group_empty;
extern struct eyot_mpi_message eyot_mpi_message_no_proc;
extern struct eyot_mpi_errhandler eyot_mpi_errors_are_fatal, eyot_mpi_errors_abort,
    eyot_mpi_errors_return;
extern int eyot_mpi_unweighted[1], eyot_mpi_weights_empty[1];
extern char eyot_mpi_in_place, eyot_mpi_bottom;
#define MPI_COMM_WORLD (&eyot_mpi_comm_world)
#define MPI_COMM_SELF (&eyot_mpi_comm_self)
#define MPI_GROUP_NULL ((MPI_Group)0)
#define MPI_GROUP_EMPTY (&eyot_mpi_group_empty)
#define MPI_INFO_NULL ((MPI_Info)0)
#define MPI_MESSAGE_NULL ((MPI_Message)0)
#define MPI_MESSAGE_NO_PROC (&eyot_mpi_message_no_proc)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0)
#define MPI_ERRORS_ARE_FATAL (&eyot_mpi_errors_are_fatal)
#define MPI_ERRORS_ABORT (&eyot_mpi_errors_abort)
#define MPI_ERRORS_RETURN (&eyot_mpi_errors_return)
#define MPI_UNWEIGHTED eyot_mpi_unweighted
#define MPI_WEIGHTS_EMPTY eyot_mpi_weights_empty
#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_IN_PLACE ((void *)&eyot_mpi_in_place)
#define MPI_BOTTOM ((void *)&eyot_mpi_bottom)
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_F_STATUS_IGNORE ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)
/* A status in integers of Fortran, and the places of its fields. */
enum { MPI_F_SOURCE = 0, MPI_F_TAG, MPI_F_ERROR, MPI_F_STATUS_SIZE = 6 };

/* No rank is -1, so the neighbour before rank 0 is refused, and not taken for MPI_PROC_NULL. */
enum {
  MPI_ANY_TAG = -1,
  MPI_ANY_SOURCE = -2,
  MPI_PROC_NULL = -3,
  MPI_UNDEFINED = -32766,
  MPI_KEYVAL_INVALID = 0,
  MPI_BSEND_OVERHEAD = 64,
  MPI_MAX_INFO_KEY = 255,
  MPI_MAX_INFO_VAL = 1023,
  MPI_MAX_OBJECT_NAME = 128,
  MPI_MAX_PROCESSOR_NAME = 128,
  MPI_MAX_ERROR_STRING = 512,
  MPI_MAX_LIBRARY_VERSION_STRING = 128
};
/* Types of MPI_Comm_split_type. */
enum { MPI_COMM_TYPE_SHARED = 1 };
/* Keys of MPI_Comm_get_attr; no program has a value of MPI_APPNUM. */
enum {
  MPI_TAG_UB = 1,
  MPI_HOST,
  MPI_IO,
  MPI_WTIME_IS_GLOBAL,
  MPI_UNIVERSE_SIZE,
  MPI_APPNUM,
  MPI_LASTUSEDCODE
};
MPI_Comm_copy_attr_function eyot_mpi_comm_null_copy_fn, eyot_mpi_comm_dup_fn;
MPI_Comm_delete_attr_function eyot_mpi_comm_null_delete_fn;
#define MPI_COMM_NULL_COPY_FN eyot_mpi_comm_null_copy_fn
#define MPI_COMM_DUP_FN eyot_mpi_comm_dup_fn
#define MPI_COMM_NULL_DELETE_FN eyot_mpi_comm_null_delete_fn
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_DUP_FN MPI_COMM_DUP_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN
/* Results of MPI_Topo_test. */
enum { MPI_CART = 1, MPI_GRAPH, MPI_DIST_GRAPH };
/* Orders of MPI_Type_create_subarray. */
enum { MPI_ORDER_C = 56, MPI_ORDER_FORTRAN = 57 };
/* Results of MPI_Type_get_envelope; no function makes those after MPI_COMBINER_RESIZED. */
enum {
  MPI_COMBINER_NAMED = 1,
  MPI_COMBINER_DUP,
  MPI_COMBINER_CONTIGUOUS,
  MPI_COMBINER_VECTOR,
  MPI_COMBINER_HVECTOR,
  MPI_COMBINER_INDEXED,
  MPI_COMBINER_HINDEXED,
  MPI_COMBINER_INDEXED_BLOCK,
  MPI_COMBINER_HINDEXED_BLOCK,
  MPI_COMBINER_STRUCT,
  MPI_COMBINER_SUBARRAY,
  MPI_COMBINER_RESIZED,
  MPI_COMBINER_DARRAY,
  MPI_COMBINER_HVECTOR_INTEGER,
  MPI_COMBINER_HINDEXED_INTEGER,
  MPI_COMBINER_STRUCT_INTEGER,
  MPI_COMBINER_F90_REAL,
  MPI_COMBINER_F90_COMPLEX,
  MPI_COMBINER_F90_INTEGER
};
/* Results of MPI_Comm_compare and MPI_Group_compare. */
enum { MPI_IDENT = 0, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
/* Levels of threads. */
enum { MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };

/* -- predefined datatypes ---------------------------------------------------------------------- */

/* EYOT_MPI_TYPES(X): X(MPI's name, C's type, eyot's type of reductions) for all but MINLOC's. */
#include "mpi_types.h"
#define EYOT_MPI_TYPE(name, c, type) extern struct eyot_mpi_type eyot_mpi_type_##name;
EYOT_MPI_TYPES(EYOT_MPI_TYPE)
#undef EYOT_MPI_TYPE
#define EYOT_MPI_PAIR(name, c) extern struct eyot_mpi_type eyot_mpi_type_##name;
EYOT_MPI_PAIRS(EYOT_MPI_PAIR)
#undef EYOT_MPI_PAIR
#define EYOT_MPI_OP(name) extern struct eyot_mpi_op eyot_mpi_op_##name;
EYOT_MPI_OPS(EYOT_MPI_OP)
#undef EYOT_MPI_OP

/* -- error classes ----------------------------------------------------------------------------- */

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_BUFFER,
  MPI_ERR_COUNT,
  MPI_ERR_TYPE,
  MPI_ERR_TAG,
  MPI_ERR_COMM,
  MPI_ERR_RANK,
  MPI_ERR_ROOT,
  MPI_ERR_OP,
  MPI_ERR_REQUEST,
  MPI_ERR_ARG,
  MPI_ERR_TRUNCATE,
  MPI_ERR_IN_STATUS,
  MPI_ERR_PENDING,
  MPI_ERR_NO_MEM,
  MPI_ERR_OTHER,
  MPI_ERR_INTERN,
  MPI_ERR_UNSUPPORTED_OPERATION,
  MPI_ERR_GROUP,
  MPI_ERR_TOPOLOGY,
  MPI_ERR_DIMS,
  MPI_ERR_INFO,
  MPI_ERR_INFO_KEY,
  MPI_ERR_INFO_VALUE,
  MPI_ERR_INFO_NOKEY,
  MPI_ERR_KEYVAL,
  MPI_ERR_UNKNOWN,
  MPI_ERR_LASTCODE = MPI_ERR_UNKNOWN
};

/* -- functions --------------------------------------------------------------------------------- */

#define EYOT_MPI_FUNCTION(result, name, args)        \
  result MPI_##name args __asm__("eyot_mpi_" #name); \
  result PMPI_##name args __asm__("eyot_pmpi_" #name);
#include "mpi_functions.h"
#include "mpi_persistent.h"
#undef EYOT_MPI_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
