/* SPDX-License-Identifier: BSD-3-Clause */
/* stage.h - memory of a call of the MPI interface, freed when the call is complete, whether it
 * blocks or is a request: rows of bytes for data with gaps, which are packed before and unpacked
 * after, copies, and tables. And what all collectives share: a call is one function for both forms,
 * MPI_Gather and MPI_Igather. */
#ifndef INTERFACES_MPI_STAGE_H
#define INTERFACES_MPI_STAGE_H

#include "interfaces/mpi/type.h"

/* Elements of the program, and where their bytes are in a stage. */
struct face_piece {
  void *user;
  uint64_t count;
  struct eyot_mpi_type *type; /* held */
  uint64_t at;
};

struct face_stage {
  struct face_stage *next;
  char *memory;
  bool in, out; /* packed before, to be unpacked after */
  char *row;    /* of elements that lie in memory with their gaps: where they are packed */
  void *copy;   /* or copies `bytes` bytes of `from` there before; NULL: nothing */
  const void *from;
  uint64_t bytes;
  size_t n;
  struct face_piece pieces[];
};

/* Ways of data: out of the program's buffer, into it. */
enum { FACE_IN = 1, FACE_OUT = 2 };

/* A row of the data of `count` elements: a part of the buffer, or a stage. buf and count have been
 * checked (face_bytes). */
int face_row(const struct eyot_mpi_comm *comm, const void *buf, uint64_t count,
             struct eyot_mpi_type *type, unsigned ways, struct face_stage **stages, void **at);
/* The row of a message. */
int face_message_row(const struct face_message *m, unsigned ways, struct face_stage **stages,
                     void **at);
/* A stage of several pieces, whose data has `bytes` bytes together. */
int face_pieces(const struct eyot_mpi_comm *comm, const struct face_piece *pieces, size_t n,
                uint64_t bytes, unsigned ways, struct face_stage **stages, void **at);
/* The buffer from which places count: NULL for MPI_BOTTOM. */
void *face_start_of(const void *buf);
int face_memory(const struct eyot_mpi_comm *comm, uint64_t bytes, struct face_stage **stages,
                void **at);
/* Elements for a function of the program, which wants them with their gaps: a copy of those of buf
 * (FACE_IN), and space whose elements go to buf in the end (FACE_OUT). */
int face_laid(const struct eyot_mpi_comm *comm, const void *buf, uint64_t count,
              struct eyot_mpi_type *type, unsigned ways, struct face_stage **stages, void **at);
/* Unpacks at most `bytes` bytes of each piece, and frees all. 0: unpacks nothing. */
void face_stages_end(struct face_stage **stages, uint64_t bytes);

/* For the next start of a plan: brings the data of the oldest stage on to where the first start has
 * got it. For its completion: unpacks, and keeps all. */
void face_stages_again(const struct face_stage *oldest);
void face_stages_out(const struct face_stage *stages);
/* Turns a list round, so that the oldest stage is the first. */
struct face_stage *face_stages_turn(struct face_stage *newest);

/* -- collectives ------------------------------------------------------------------------------- */

/* A call of a collective: q is NULL if it blocks. */
struct face_call {
  struct eyot_mpi_comm *comm;
  struct eyot_mpi_request *q;
  struct face_stage *stages;
};

/* The arguments of collectives, of which each uses some. */
struct face_args {
  const void *send;
  int sends;
  MPI_Datatype sendtype;
  void *recv;
  int recvs;
  MPI_Datatype recvtype;
  int root;
  const int *sendcounts, *senddispls, *recvcounts, *recvdispls;
  const MPI_Datatype *sendtypes, *recvtypes;
  const MPI_Aint *sendplaces, *recvplaces; /* bytes */
  MPI_Op op;
};
typedef int face_collective_fn(struct face_call *c, const struct face_args *a);

/* Runs a collective, or starts it: request is NULL if it blocks. */
int face_collective(face_collective_fn *run, const struct face_args *a, struct eyot_mpi_comm *comm,
                    MPI_Request *request);
/* Makes a plan of one, as a request that MPI_Start starts. */
int face_collective_init(face_collective_fn *run, const struct face_args *a,
                         struct eyot_mpi_comm *comm, MPI_Info info, MPI_Request *request);
#define FACE_CHECK_REQUEST(request) FACE_TRY(face_output(NULL, "request", request))

/* Calls eyot_NAME, starts it by eyot_NAME_nb, or makes a plan of it. */
#define FACE_RUN(c, name, ...)                                                             \
  face_check((c)->comm, (c)->q == NULL    ? eyot_##name(__VA_ARGS__)                       \
                        : (c)->q->is_plan ? eyot_##name##_plan(__VA_ARGS__, &(c)->q->coll) \
                                          : eyot_##name##_nb(__VA_ARGS__, &(c)->q->coll))

/* The row of `times` times `count` elements, and the bytes of `count`. Checks the arguments. */
int face_call_row(struct face_call *c, const void *buf, int count, uint64_t times,
                  struct eyot_mpi_type *type, unsigned ways, void **at, uint64_t *bytes);
int face_call_copy(struct face_call *c, const void *from, uint64_t bytes, void **copy);
/* Copies to memory that the call has. */
int face_call_copy_to(struct face_call *c, const void *from, uint64_t bytes, void *to);

#endif
