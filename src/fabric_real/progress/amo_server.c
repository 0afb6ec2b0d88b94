/* SPDX-License-Identifier: BSD-3-Clause */
/* amo_server.c - see amo_server.h. */
#include "fabric_real/progress/amo_server.h"

#include <stdlib.h>

#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/progress/remote_amo.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/wakeup.h"

struct fmpi_amo_server {
  MPI_Comm comm;
  uint32_t head; /* of the receives, which MPI fills in the order in which they were started */
  uint32_t next; /* of the answers: the search for a free one begins here */
  MPI_Request arrives[FMPI_REMOTE_AMO_RECEIVES];
  struct fmpi_remote_amo arrived[FMPI_REMOTE_AMO_RECEIVES];
  struct amo_answer {
    uint64_t before; /* MPI reads it until `sent` is complete */
    MPI_Request sent;
  } answer[FMPI_REMOTE_AMO_ANSWERS];
};

int fmpi_amo_server_open(MPI_Comm comm, struct fmpi_amo_server **out) {
  struct fmpi_amo_server *d = calloc(1, sizeof *d);
  if (d == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to receive remote AMOs (%zu bytes)", sizeof *d);
  d->comm = comm;
  *out = d;
  for (uint32_t i = 0; i < FMPI_REMOTE_AMO_ANSWERS; i++) d->answer[i].sent = MPI_REQUEST_NULL;
  for (uint32_t i = 0; i < FMPI_REMOTE_AMO_RECEIVES; i++) {
    FMPI_TRY(MPI_Recv_init(&d->arrived[i], sizeof d->arrived[i], MPI_BYTE, MPI_ANY_SOURCE,
                           FMPI_REMOTE_AMO_TAG, comm, &d->arrives[i]));
    FMPI_TRY(MPI_Start(&d->arrives[i]));
  }
  return EYOT_OK;
}

/* Everything has been answered and the answers have been received. */
int fmpi_amo_server_close(struct fmpi_amo_server *d) {
  for (uint32_t i = 0; i < FMPI_REMOTE_AMO_ANSWERS; i++)
    FMPI_TRY(MPI_Wait(&d->answer[i].sent, MPI_STATUS_IGNORE));
  for (uint32_t i = 0; i < FMPI_REMOTE_AMO_RECEIVES; i++) {
    FMPI_TRY(MPI_Cancel(&d->arrives[i]));
    FMPI_TRY(MPI_Wait(&d->arrives[i], MPI_STATUS_IGNORE));
    FMPI_TRY(MPI_Request_free(&d->arrives[i]));
  }
  free(d);
  return EYOT_OK;
}

/* An answer that MPI does not read any more; NULL: there is none, because many origins have not
 * entered MPI for long. */
static int free_answer(struct fmpi_amo_server *d, struct amo_answer **out) {
  *out = NULL;
  for (uint32_t i = 0; i < FMPI_REMOTE_AMO_ANSWERS; i++) {
    struct amo_answer *a = &d->answer[(d->next + i) % FMPI_REMOTE_AMO_ANSWERS];
    int done = 1;
    if (a->sent != MPI_REQUEST_NULL) FMPI_TRY(MPI_Test(&a->sent, &done, MPI_STATUS_IGNORE));
    if (done == 0) continue;
    d->next = (d->next + i + 1) % FMPI_REMOTE_AMO_ANSWERS;
    *out = a;
    break;
  }
  return EYOT_OK;
}

static int execute(struct fmpi *f, const struct fmpi_remote_amo *e, uint64_t *before) {
  struct fmpi_at at;
  *before = 0;
  EYOTI_TRY(fmpi_resolve(f, fab_at(e->unit, e->seg, e->off), e->width, &at));
  EYOTI_ASSERT(fmpi_by_cpu(f, &at));
  if (e->what == FMPI_REMOTE_AMO_SET || e->what == FMPI_REMOTE_AMO_ADD) {
    fmpi_signal_mapped(f, &at, e->what == FMPI_REMOTE_AMO_SET ? FAB_SIG_SET : FAB_SIG_ADD,
                       e->operand);
    return EYOT_OK;
  }
  EYOTI_ASSERT(e->what <= FAB_AMO_CAS);
  *before = fab_cpu_amo(at.ptr, &(struct fab_amo){.op = (enum fab_amo_op)e->what,
                                                  .width = e->width,
                                                  .operand = e->operand,
                                                  .compare = e->compare});
  fmpi_wakeup_changed(f, at.unit);
  return EYOT_OK;
}

int fmpi_remote_amos_serve(struct fmpi *f, uint32_t *found) {
  struct fmpi_amo_server *d = f->progress.remote_amos->server;
  for (uint32_t i = 0; i < FMPI_REMOTE_AMOS_PER_ROUND; i++) {
    MPI_Status status;
    struct amo_answer *a;
    int here;
    EYOTI_TRY(free_answer(d, &a));
    if (a == NULL) return fmpi_poll(f);
    FMPI_TRY(MPI_Test(&d->arrives[d->head], &here, &status));
    if (here == 0) return EYOT_OK;
    struct fmpi_remote_amo e = d->arrived[d->head];
    FMPI_TRY(MPI_Start(&d->arrives[d->head]));
    d->head = (d->head + 1) % FMPI_REMOTE_AMO_RECEIVES;
    EYOTI_TRY(execute(f, &e, &a->before));
    FMPI_TRY(MPI_Isend(&a->before, sizeof a->before, MPI_BYTE, status.MPI_SOURCE, (int)e.slot,
                       d->comm, &a->sent));
    (*found)++;
  }
  return EYOT_OK;
}
