/* SPDX-License-Identifier: BSD-3-Clause */
/* face.h - what the files of the MPI interface share: communicators, datatypes, requests, and
 * errors.
 *
 * The library is linked statically into the program, so that each simulated process has its own
 * copy of the state. It uses the public headers of eyot alone. Each exported function begins with
 * FACE_ENTER; functions that this file declares are called after that. A function that returns int
 * returns MPI_SUCCESS or the class of an error that face_fail or face_check has handled. */
#ifndef INTERFACES_MPI_FACE_H
#define INTERFACES_MPI_FACE_H

#include <eyot-mpi/mpi.h>
#include <eyot/eyot.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "interfaces/mpi/handle.h"

#define FACE_DEAD 0u
#define FACE_LIVE 0x6d706921u

/* A communicator is a team, whose members are sorted by unit. order is NULL if ranks are; else
 * unit[rank] is the member of the team that has the rank, and rank[member] its inverse. */
struct eyot_mpi_comm {
  uint32_t live;
  int me, size;
  eyot_team_t team;
  struct eyot_mpi_errhandler *handler; /* NULL: MPI_ERRORS_ARE_FATAL */
  uint32_t pending;                    /* requests that are not complete */
  uint32_t *unit, *rank;
  char name[MPI_MAX_OBJECT_NAME];
  struct face_cart *cart;             /* the grid of a Cartesian topology */
  struct face_whole *whole;           /* the graph of MPI_Graph_create */
  struct face_graph *graph;           /* neighbours, of a grid from their first use on */
  struct face_attr *attrs;            /* of the program, the last one first */
  struct eyot_mpi_comm *next, **back; /* of all that the program has made and not freed */
};

/* The elements of reductions that eyot has no type for: the pairs of EYOT_MPI_PAIRS. */
#define FACE_PAIR_NAME(name, c) FACE_##name,
enum face_located { FACE_NOT_LOCATED = 0, EYOT_MPI_PAIRS(FACE_PAIR_NAME) };
#undef FACE_PAIR_NAME

/* Those of messages first. */
enum face_kind { FACE_SEND = 1, FACE_SSEND, FACE_BSEND, FACE_RECV, FACE_MRECV, FACE_COLL };

/* What a message carries. */
struct face_message {
  void *buf;
  uint64_t bytes;
  int peer, tag;
  struct eyot_mpi_comm *comm;
  struct eyot_mpi_type *type; /* NULL: bytes lie in a row; else buf is where their places count */
  uint64_t count;             /* elements */
};

struct eyot_mpi_request {
  uint32_t live;
  enum face_kind kind;
  bool active, persistent, nobody, cancelled; /* nobody: the other side is MPI_PROC_NULL */
  eyot_msg_t msg;
  eyot_coll_t coll;
  struct face_message with;
  /* eyot has nothing to do for it any more, but the program has not completed it; tested: it has
   * completed the message, with this status and class of error. */
  bool over, tested;
  bool is_plan, written; /* a collective of eyot's plan; of it: what it has received is in place */
  int error;
  eyot_msg_status_t got;
  struct face_pair *pair;        /* the operator of a reduction, if it is one of a function */
  struct face_fold *fold;        /* a reduction whose operands are gathered */
  struct face_stage *stages;     /* to be unpacked, and freed */
  struct eyot_mpi_request *next; /* of those that are free, or were freed by the program */
  struct eyot_mpi_request *made; /* of all that were ever made */
  const char *call;              /* that has made it, and its place */
  const void *site;
};

/* Sends that are buffered, in as many bytes as the program has attached. */
struct face_buffer {
  void *at; /* NULL: none is attached */
  int size;
  uint64_t used;
  struct face_buffered *first;
};

/* Handles of one kind that were freed: each is known as a dead one until FACE_DEAD_KEPT others were
 * freed after it. */
#define FACE_DEAD_KEPT 256u
struct face_dead {
  void **handle; /* NULL: none was freed */
  uint32_t at;   /* of the next one */
};
/* Keeps a handle that was freed, and frees the memory of the oldest one that is kept. */
void face_bury(struct face_dead *d, enum face_handle kind, void *handle);
void face_dead_end(struct face_dead *d);
/* Forgets the number of a handle whose memory is about to be freed. */
void face_number_end(const void *handle);

/* Puts a handle before a list, and takes it out. */
#define FACE_LINK(list, x)                         \
  do {                                             \
    (x)->next = (list);                            \
    (x)->back = &(list);                           \
    if ((list) != NULL) (list)->back = &(x)->next; \
    (list) = (x);                                  \
  } while (0)
#define FACE_UNLINK(x)                                  \
  do {                                                  \
    *(x)->back = (x)->next;                             \
    if ((x)->next != NULL) (x)->next->back = (x)->back; \
  } while (0)

/* What calls of an array of requests remember of it (requests.c). */
#define FACE_ARRAYS 8u /* by the array's address */
struct face_array {
  const struct eyot_mpi_request *const *requests; /* that were checked, count of them */
  int count;
  int unfinished; /* where MPI_Testall has found one that was not complete */
  int over;       /* where a request that was over has been found */
};

struct face {
  bool attached, started, ended;
  pthread_t main; /* the thread that has attached */
  struct eyot_mpi_comm *made;
  struct eyot_mpi_type *types;
  struct eyot_mpi_op *ops;
  struct eyot_mpi_group *groups;
  struct eyot_mpi_info *infos;
  struct eyot_mpi_errhandler *handlers;
  struct face_keyval *keyvals;
  struct face_buffer buffer;
  struct eyot_mpi_request *idle, *requests;
  struct eyot_mpi_request *abandoned; /* MPI_Request_free before completion */
  uint32_t over, colls;               /* active requests that are over; collectives that are not */
  struct face_array arrays[FACE_ARRAYS];
  uint64_t read; /* requests of arrays that were read so far, but for checks; for tests */
  struct face_handle_table handles;
  struct face_dead dead_comms, dead_types, dead_groups, dead_infos;
  struct face_number
      *numbers; /* of handles, from 1 on, that MPI_Comm_c2f and the like have given */
  uint32_t n_numbers;
};
extern struct face face;

/* -- entry and errors -------------------------------------------------------------------------- */

/* Begins an exported function: attaches to eyot, or ends the run if it does not run, and marks the
 * call for eyot's messages. */
#define FACE_ENTER(call)                                                                   \
  if (__builtin_expect(!face.attached, 0)) face_attach(call, __builtin_return_address(0)); \
  EYOT_CALLER(call)
/* Defines a function by both names. */
#define FACE_DEFINE(result, name, args)                                    \
  result MPI_##name args __attribute__((weak, alias("eyot_pmpi_" #name))); \
  result PMPI_##name args
#define FACE_TRY(expression)                          \
  do {                                                \
    int face_error = (expression);                    \
    if (face_error != MPI_SUCCESS) return face_error; \
  } while (0)

void face_attach_world(void);
void face_attach(const char *call, const void *site);
/* Ends what is left of each kind, before eyot_finalize. Of requests and operators it keeps what a
 * collective reads that the program has left: eyot_finalize completes it. */
void face_requests_end(void);
void face_comms_end(void);
void face_ops_end(void);
void face_groups_end(void);
void face_infos_end(void);
void face_handlers_end(void);
void face_keyvals_end(void);
/* After eyot_finalize: the memory of what was kept, and of datatypes, which it reads. */
void face_requests_free(void);
void face_ops_free(void);
void face_types_end(void);
/* Handles a mistake that this library has found: ends the run, unless the communicator's handler
 * (NULL: that of MPI_COMM_WORLD) returns or is the program's. Returns `class`. */
int face_fail(const struct eyot_mpi_comm *comm, int class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Handles what a call of eyot has returned, and said: 0, or an error. Returns its class. */
int face_check(const struct eyot_mpi_comm *comm, int rc);
_Noreturn void face_failed(void);

/* -- arguments --------------------------------------------------------------------------------- */

int face_comm(const struct eyot_mpi_comm *comm);
/* Checks comm and root. */
int face_root(struct eyot_mpi_comm *comm, int root);
int face_type(const struct eyot_mpi_comm *comm, const struct eyot_mpi_type *type);
/* An info object, which may be MPI_INFO_NULL where the call does not read it. */
int face_info(MPI_Info info);
/* The bytes of `count` elements in a buffer. */
int face_bytes(const struct eyot_mpi_comm *comm, const void *buf, int count,
               const struct eyot_mpi_type *type, uint64_t *bytes);
/* A pointer to which the function writes, and one from which it reads. */
int face_output(const struct eyot_mpi_comm *comm, const char *name, const void *at);
int face_input(const struct eyot_mpi_comm *comm, const char *name, const void *at);
static inline eyot_tunit_t face_unit(const struct eyot_mpi_comm *comm, int rank) {
  return (eyot_tunit_t){comm->unit == NULL ? (uint32_t)rank : comm->unit[rank]};
}
static inline int face_rank(const struct eyot_mpi_comm *comm, eyot_tunit_t unit) {
  return (int)(comm->rank == NULL ? unit.id : comm->rank[unit.id]);
}

/* -- communicators ----------------------------------------------------------------------------- */

/* MPI_Comm_split; ranks with EYOT_COLOR_NONE get MPI_COMM_NULL. */
int face_split(struct eyot_mpi_comm *comm, uint32_t color, int key, MPI_Comm *newcomm);
int face_cart_copy(const struct eyot_mpi_comm *from, struct eyot_mpi_comm *to);
/* Makes what neighbourhood collectives of a new communicator need, so that starts of those that do
 * not block wait for nobody. NULL in programs that call none (neighbor_nb.c). Collective. */
int face_graph_early(struct eyot_mpi_comm *comm) __attribute__((weak));
int face_whole_copy(const struct eyot_mpi_comm *from, struct eyot_mpi_comm *to);
int face_graph_copy(const struct eyot_mpi_comm *from, struct eyot_mpi_comm *to);
/* Collective: before the team ends. */
int face_graph_remove(struct eyot_mpi_comm *comm);
void face_graph_end(struct eyot_mpi_comm *comm);
/* Copies attributes as the program's functions say, removes them, and frees what is left. */
int face_attrs_copy(struct eyot_mpi_comm *from, struct eyot_mpi_comm *to);
int face_attrs_remove(struct eyot_mpi_comm *comm);
void face_attrs_end(struct eyot_mpi_comm *comm);

/* -- messages ---------------------------------------------------------------------------------- */

/* Checks the arguments of a send or receive. */
int face_message(bool receives, const void *buf, int count, struct eyot_mpi_type *type, int peer,
                 int tag, struct eyot_mpi_comm *comm, struct face_message *m);
/* Of these, those of the data alone. */
int face_message_data(struct eyot_mpi_comm *comm, const void *buf, int count,
                      struct eyot_mpi_type *type, struct face_message *m);
/* The member of the team that a receive or probe names. */
eyot_tunit_t face_from(const struct face_message *m);
void face_status(MPI_Status *status, const struct eyot_mpi_comm *comm,
                 const eyot_msg_status_t *from);
void face_no_status(MPI_Status *status, int source, int tag);
int face_request(enum face_kind kind, const struct face_message *m, struct eyot_mpi_request **made);
void face_request_end(struct eyot_mpi_request *r);
int face_start(struct eyot_mpi_request *r);
/* Makes one for the program, and begins it unless it is persistent. */
int face_request_make(enum face_kind kind, bool persistent, const struct face_message *m,
                      MPI_Request *request);
static inline bool face_is_active(const struct eyot_mpi_request *r) {
  return r != MPI_REQUEST_NULL && r->active;
}
int face_check_request(const MPI_Request *request);
int face_check_requests(int count, const MPI_Request *requests);
/* Completion of one request. The program's handle becomes MPI_REQUEST_NULL, unless persistent. */
int face_wait(MPI_Request *request, MPI_Status *status);
int face_test(MPI_Request *request, bool *done, MPI_Status *status);
/* The same of one that eyot has completed with rc. */
int face_complete(MPI_Request *request, int rc, const eyot_msg_status_t *from, MPI_Status *status);
/* Combines the operands of a reduction that have been gathered, and ends it. */
void face_fold_combine(const struct face_fold *fold);
void face_fold_end(struct face_fold *fold);
/* eyot has completed a request with rc: writes what it has received to where the program wants. */
void face_finish(struct eyot_mpi_request *r, int rc, const eyot_msg_status_t *from);
/* Whether an active request is complete, which it then stays until the program completes it. */
int face_peek(struct eyot_mpi_request *r, bool *done);
/* Waits until it is. */
int face_settle(struct eyot_mpi_request *r);
static inline bool face_is_message(const struct eyot_mpi_request *r) {
  return r->kind < FACE_COLL;
}
/* eyot has nothing to do any more for an active request. */
static inline void face_over(struct eyot_mpi_request *r) {
  if (r->over) return;
  r->over = true;
  face.over++;
  face.colls -= !face_is_message(r);
}
/* The request is under way. */
static inline void face_activate(struct eyot_mpi_request *r) {
  r->active = true;
  r->with.comm->pending++;
  face.colls += !face_is_message(r);
  if (face_is_message(r) && r->msg.id == EYOT_MSG_DONE.id) face_over(r);
}

#endif
