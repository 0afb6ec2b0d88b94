/* SPDX-License-Identifier: BSD-3-Clause */
/* weak_mpi.c - an MPI that does no more than the standard promises: linked into the mpi fabric of
 * tests/weak, in front of the real one.
 *
 * Why it exists: on one machine MPI moves the bytes of a put in the order of the calls, so a flush
 * or an order that is missing in the fabric would go unnoticed. Here a put or a get waits until its
 * target is flushed, or until the process polls for long, and those of one target are then made in
 * reverse. Sources without a request are read as late as that. What MPI orders stays in order:
 * accumulates and atomics of one origin to one target. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELD_MAX 512u    /* operations; then the oldest is made */
#define POLLS_OF_ONE 16u /* polls until one that is held is made: MPI advances when it is entered */
#define HOLDS_OF_FOUR 3u /* three of four are held */
#define ANY_RANK (-1)

enum kind { PUT, GET, ACCUMULATE };

struct held {
  enum kind kind;
  MPI_Win win;
  int rank, count;
  MPI_Aint disp;
  MPI_Datatype type;
  MPI_Op op;
  void *at;  /* of a get: where it goes; otherwise the source */
  bool lent; /* the source is the caller's, until local completion; else a copy of it */
};

static struct {
  uint32_t n, polls;
  uint64_t dice;
  struct held held[HELD_MAX]; /* in the order of the calls */
} weak;

static bool holds(void) {
  weak.dice = weak.dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (weak.dice >> 33) % 4 < HOLDS_OF_FOUR;
}

static bool is_for(const struct held *h, int rank, MPI_Win win) {
  return h->win == win && (rank == ANY_RANK || h->rank == rank);
}

static int perform(const struct held *h) {
  if (h->kind == GET)
    return PMPI_Get(h->at, h->count, h->type, h->rank, h->disp, h->count, h->type, h->win);
  int rc = h->kind == PUT
               ? PMPI_Put(h->at, h->count, h->type, h->rank, h->disp, h->count, h->type, h->win)
               : PMPI_Accumulate(h->at, h->count, h->type, h->rank, h->disp, h->count, h->type,
                                 h->op, h->win);
  /* MPI may read the copy until a flush. */
  if (rc == MPI_SUCCESS) rc = PMPI_Win_flush_local(h->rank, h->win);
  if (!h->lent) free(h->at);
  return rc;
}

/* Makes held[i], which leaves the list first: MPI may call back. */
static int make(uint32_t i) {
  const struct held h = weak.held[i];
  memmove(&weak.held[i], &weak.held[i + 1], (--weak.n - i) * sizeof h);
  return perform(&h);
}

/* Makes those of one kind: accumulates in their order, others in reverse. */
static int make_all(int rank, MPI_Win win, enum kind kind) {
  int rc = MPI_SUCCESS;
  if (kind == ACCUMULATE) {
    for (uint32_t i = 0; i < weak.n && rc == MPI_SUCCESS;)
      if (weak.held[i].kind == kind && is_for(&weak.held[i], rank, win))
        rc = make(i);
      else
        i++;
    return rc;
  }
  for (uint32_t i = weak.n; i-- > 0 && rc == MPI_SUCCESS;)
    if (weak.held[i].kind == kind && is_for(&weak.held[i], rank, win)) rc = make(i);
  return rc;
}

static int make_every_kind(int rank, MPI_Win win) {
  int rc = make_all(rank, win, ACCUMULATE);
  if (rc == MPI_SUCCESS) rc = make_all(rank, win, PUT);
  return rc == MPI_SUCCESS ? make_all(rank, win, GET) : rc;
}

/* The oldest of its kind and target, so that accumulates stay in order. */
static int make_oldest(void) {
  return weak.n == 0 ? MPI_SUCCESS : make(0);
}

/* The caller may change the source from now on. */
static int take_copy(struct held *h) {
  int size;
  int rc = PMPI_Type_size(h->type, &size);
  if (rc != MPI_SUCCESS) return rc;
  size_t bytes = (size_t)size * (size_t)h->count;
  void *copy = malloc(bytes + 1);
  if (copy == NULL) {
    fprintf(stderr, "weak_mpi: no memory for %zu bytes\n", bytes);
    abort();
  }
  h->at = memcpy(copy, h->at, bytes);
  h->lent = false;
  return MPI_SUCCESS;
}

static int hold(struct held h) {
  int rc = weak.n == HELD_MAX ? make_oldest() : MPI_SUCCESS;
  weak.held[weak.n++] = h;
  return rc;
}

static int polled(void) {
  return ++weak.polls % POLLS_OF_ONE == 0 ? make_oldest() : MPI_SUCCESS;
}

static int hold_put(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint disp,
                    MPI_Win win) {
  return hold((struct held){.kind = PUT,
                            .win = win,
                            .rank = rank,
                            .count = n,
                            .disp = disp,
                            .type = type,
                            .at = (void *)(uintptr_t)from,
                            .lent = true});
}

int MPI_Put(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint disp, int m,
            MPI_Datatype type_there, MPI_Win win) {
  if (!holds()) return PMPI_Put(from, n, type, rank, disp, m, type_there, win);
  return hold_put(from, n, type, rank, disp, win);
}

/* Its request is of a put without bytes: the source is copied. */
int MPI_Rput(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint disp, int m,
             MPI_Datatype type_there, MPI_Win win, MPI_Request *req) {
  if (!holds()) return PMPI_Rput(from, n, type, rank, disp, m, type_there, win, req);
  int rc = hold_put(from, n, type, rank, disp, win);
  if (rc == MPI_SUCCESS) rc = take_copy(&weak.held[weak.n - 1]);
  return rc == MPI_SUCCESS ? PMPI_Rput(from, 0, type, rank, disp, 0, type_there, win, req) : rc;
}

int MPI_Get(void *to, int n, MPI_Datatype type, int rank, MPI_Aint disp, int m,
            MPI_Datatype type_there, MPI_Win win) {
  if (!holds()) return PMPI_Get(to, n, type, rank, disp, m, type_there, win);
  return hold((struct held){
      .kind = GET, .win = win, .rank = rank, .count = n, .disp = disp, .type = type, .at = to});
}

int MPI_Accumulate(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint disp, int m,
                   MPI_Datatype type_there, MPI_Op op, MPI_Win win) {
  if (holds())
    return hold((struct held){.kind = ACCUMULATE,
                              .win = win,
                              .rank = rank,
                              .count = n,
                              .disp = disp,
                              .type = type,
                              .op = op,
                              .at = (void *)(uintptr_t)from,
                              .lent = true});
  int rc = make_all(rank, win, ACCUMULATE);
  return rc == MPI_SUCCESS ? PMPI_Accumulate(from, n, type, rank, disp, m, type_there, op, win)
                           : rc;
}

int MPI_Fetch_and_op(const void *from, void *result, MPI_Datatype type, int rank, MPI_Aint disp,
                     MPI_Op op, MPI_Win win) {
  int rc = make_all(rank, win, ACCUMULATE);
  return rc == MPI_SUCCESS ? PMPI_Fetch_and_op(from, result, type, rank, disp, op, win) : rc;
}

int MPI_Compare_and_swap(const void *from, const void *compare, void *result, MPI_Datatype type,
                         int rank, MPI_Aint disp, MPI_Win win) {
  int rc = make_all(rank, win, ACCUMULATE);
  return rc == MPI_SUCCESS ? PMPI_Compare_and_swap(from, compare, result, type, rank, disp, win)
                           : rc;
}

int MPI_Win_flush(int rank, MPI_Win win) {
  int rc = make_every_kind(rank, win);
  return rc == MPI_SUCCESS ? PMPI_Win_flush(rank, win) : rc;
}

/* Local completion: of gets their results; of others nothing is left of the caller's. */
int MPI_Win_flush_local(int rank, MPI_Win win) {
  int rc = make_all(rank, win, GET);
  for (uint32_t i = 0; i < weak.n && rc == MPI_SUCCESS; i++)
    if (weak.held[i].lent && is_for(&weak.held[i], rank, win)) rc = take_copy(&weak.held[i]);
  return rc == MPI_SUCCESS ? PMPI_Win_flush_local(rank, win) : rc;
}

int MPI_Win_unlock_all(MPI_Win win) {
  int rc = make_every_kind(ANY_RANK, win);
  return rc == MPI_SUCCESS ? PMPI_Win_unlock_all(win) : rc;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  int rc = polled();
  return rc == MPI_SUCCESS ? PMPI_Iprobe(source, tag, comm, flag, status) : rc;
}

int MPI_Test(MPI_Request *req, int *flag, MPI_Status *status) {
  int rc = polled();
  return rc == MPI_SUCCESS ? PMPI_Test(req, flag, status) : rc;
}

/* As one that leaves its launcher in an exit handler, which every process must run therefore. */
static void on_exit_of_mpi(void) {
  static const char text[] = "weak_mpi: has left the launcher\n";
  ssize_t ignored = write(STDOUT_FILENO, text, sizeof text - 1);
  (void)ignored;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  int rc = PMPI_Init_thread(argc, argv, required, provided);
  if (getenv("WEAK_MPI_SAYS_EXIT") != NULL && atexit(on_exit_of_mpi) != 0) return MPI_ERR_OTHER;
  return rc;
}
