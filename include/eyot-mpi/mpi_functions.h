/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_functions.h - the functions of mpi.h, each under two names. Included by mpi.h alone, which
 * defines EYOT_MPI_FUNCTION(result, name without MPI_, parameters). A list: it has no guard. */

/* Start, end, time. MPI_Init starts eyot (eyot_init counts its calls); a program that has called
 * eyot_init itself needs no MPI_Init. */
EYOT_MPI_FUNCTION(int, Init, (int *argc, char ***argv))
EYOT_MPI_FUNCTION(int, Finalize, (void))
EYOT_MPI_FUNCTION(int, Initialized, (int *flag))
EYOT_MPI_FUNCTION(int, Finalized, (int *flag))
EYOT_MPI_FUNCTION(int, Abort, (MPI_Comm comm, int errorcode))
EYOT_MPI_FUNCTION(double, Wtime, (void))
EYOT_MPI_FUNCTION(double, Wtick, (void))
EYOT_MPI_FUNCTION(int, Error_string, (int errorcode, char *string, int *resultlen))
EYOT_MPI_FUNCTION(int, Error_class, (int errorcode, int *errorclass))

/* Communicators. */
EYOT_MPI_FUNCTION(int, Comm_rank, (MPI_Comm comm, int *rank))
EYOT_MPI_FUNCTION(int, Comm_size, (MPI_Comm comm, int *size))

/* Messages. */
EYOT_MPI_FUNCTION(int, Send,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Ssend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Recv,
                  (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Status *status))
EYOT_MPI_FUNCTION(int, Isend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Issend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Irecv,
                  (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request))

/* Completion. */
EYOT_MPI_FUNCTION(int, Wait, (MPI_Request * request, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]))
EYOT_MPI_FUNCTION(int, Test, (MPI_Request * request, int *flag, MPI_Status *status))
