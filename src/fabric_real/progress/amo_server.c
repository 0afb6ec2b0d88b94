/* SPDX-License-Identifier: BSD-3-Clause */
/* amo_server.c - what a progress process does with errands: executes them in the order in
 * which they arrive, and answers. See ops/remote_amo.h. */
#include <stdlib.h>

#include "fabric_real/ops/remote_amo.h"

struct fr_desk {
  MPI_Comm comm;
  uint32_t head; /* of the receives, which MPI fills in the order in which they were started */
  uint32_t next; /* of the answers, where a free one is looked for first */
  MPI_Request arrives[FR_ERRAND_RECEIVES];
  struct fr_errand arrived[FR_ERRAND_RECEIVES];
  struct answer {
    uint64_t before; /* MPI reads it until `sent` is complete */
    MPI_Request sent;
  } answer[FR_ERRAND_ANSWERS];
};

int fr_desk_open(MPI_Comm comm, struct fr_desk **out) {
  struct fr_desk *d = calloc(1, sizeof *d);
  if (d == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to receive errands (%zu bytes)", sizeof *d);
  d->comm = comm;
  *out = d;
  for (uint32_t i = 0; i < FR_ERRAND_ANSWERS; i++) d->answer[i].sent = MPI_REQUEST_NULL;
  for (uint32_t i = 0; i < FR_ERRAND_RECEIVES; i++) {
    FR_TRY(MPI_Recv_init(&d->arrived[i], sizeof d->arrived[i], MPI_BYTE, MPI_ANY_SOURCE,
                         FR_ERRAND_TAG, comm, &d->arrives[i]));
    FR_TRY(MPI_Start(&d->arrives[i]));
  }
  return EYOT_OK;
}

/* Everything has been answered and the answers have been received. */
int fr_desk_close(struct fr_desk *d) {
  for (uint32_t i = 0; i < FR_ERRAND_ANSWERS; i++)
    FR_TRY(MPI_Wait(&d->answer[i].sent, MPI_STATUS_IGNORE));
  for (uint32_t i = 0; i < FR_ERRAND_RECEIVES; i++) {
    FR_TRY(MPI_Cancel(&d->arrives[i]));
    FR_TRY(MPI_Wait(&d->arrives[i], MPI_STATUS_IGNORE));
    FR_TRY(MPI_Request_free(&d->arrives[i]));
  }
  free(d);
  return EYOT_OK;
}

/* An answer that MPI does not read any more; NULL: there is none, because many origins have not let
 * MPI move for long. */
static int free_answer(struct fr_desk *d, struct answer **out) {
  *out = NULL;
  for (uint32_t i = 0; i < FR_ERRAND_ANSWERS; i++) {
    struct answer *a = &d->answer[(d->next + i) % FR_ERRAND_ANSWERS];
    int done = 1;
    if (a->sent != MPI_REQUEST_NULL) FR_TRY(MPI_Test(&a->sent, &done, MPI_STATUS_IGNORE));
    if (done == 0) continue;
    d->next = (d->next + i + 1) % FR_ERRAND_ANSWERS;
    *out = a;
    break;
  }
  return EYOT_OK;
}

static int execute(struct fr *f, const struct fr_errand *e, uint64_t *before) {
  struct fr_at at;
  *before = 0;
  EYOTI_TRY(fr_resolve(f, fab_at(e->unit, e->seg, e->off), e->width, &at));
  EYOTI_ASSERT(fr_by_cpu(f, &at));
  if (e->what == FR_ERRAND_SET || e->what == FR_ERRAND_ADD) {
    fr_signal_by_cpu(at.ptr, e->what == FR_ERRAND_SET ? FAB_SIG_SET : FAB_SIG_ADD, e->operand);
    return EYOT_OK;
  }
  EYOTI_ASSERT(e->what <= FAB_AMO_CAS);
  *before = fab_cpu_amo(at.ptr, &(struct fab_amo){.op = (enum fab_amo_op)e->what,
                                                  .width = e->width,
                                                  .operand = e->operand,
                                                  .compare = e->compare});
  return EYOT_OK;
}

int fr_errands_serve(struct fr *f, uint32_t *found) {
  struct fr_desk *d = f->errands->desk;
  for (uint32_t i = 0; i < FR_ERRANDS_A_ROUND; i++) {
    MPI_Status status;
    struct answer *a;
    int here;
    EYOTI_TRY(free_answer(d, &a));
    if (a == NULL) return fr_poll(f);
    FR_TRY(MPI_Test(&d->arrives[d->head], &here, &status));
    if (here == 0) return EYOT_OK;
    struct fr_errand e = d->arrived[d->head];
    FR_TRY(MPI_Start(&d->arrives[d->head]));
    d->head = (d->head + 1) % FR_ERRAND_RECEIVES;
    EYOTI_TRY(execute(f, &e, &a->before));
    FR_TRY(MPI_Isend(&a->before, sizeof a->before, MPI_BYTE, status.MPI_SOURCE, (int)e.slot,
                     d->comm, &a->sent));
    (*found)++;
  }
  return EYOT_OK;
}
