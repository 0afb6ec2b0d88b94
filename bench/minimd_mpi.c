/* SPDX-License-Identifier: BSD-3-Clause */
/* minimd_mpi.c - the swaps of examples/minimd by MPI's own messages, and the table of ways with it.
 * Linked instead of minimd_variants.c, as bench_minimd. MPI's errors end the job. */
#include <mpi.h>
#include <stdlib.h>

#include "../examples/minimd/minimd.h"

struct mpi_state {
  char *out, *in;
};

static int mpi_open(struct md_system *s) {
  struct mpi_state *state = calloc(1, sizeof *state);
  if (state == NULL) return md_fail("private memory", EYOT_ENOMEM);
  s->state = state;
  state->out = malloc(md_slot_end(s));
  state->in = malloc(md_slot_end(s));
  if (state->out == NULL || state->in == NULL)
    return md_fail("private memory for messages", EYOT_ENOMEM);
  return EYOT_OK;
}

static int mpi_begin(struct md_system *s, const struct md_message *m, void **out) {
  const struct mpi_state *state = s->state;
  *out = state->out + md_slot_at(s, m->slot);
  return EYOT_OK;
}

static int mpi_exchange(struct md_system *s, const struct md_message *m, const void **in) {
  const struct mpi_state *state = s->state;
  uint64_t at = md_slot_at(s, m->slot);
  MPI_Request request;
  MPI_Irecv(state->in + at, (int)m->in_bytes, MPI_BYTE, (int)m->from, (int)m->slot, MPI_COMM_WORLD,
            &request);
  MPI_Send(state->out + at, (int)m->out_bytes, MPI_BYTE, (int)m->to, (int)m->slot, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  *in = state->in + at;
  return EYOT_OK;
}

static int mpi_end(struct md_system *s, const struct md_message *m, const void *in) {
  (void)s;
  (void)m;
  (void)in;
  return EYOT_OK;
}

static int mpi_close(struct md_system *s) {
  struct mpi_state *state = s->state;
  free(state->in);
  free(state->out);
  free(state);
  return EYOT_OK;
}

static const struct md_variant MD_MPI = {.name = "mpi",
                                         .open = mpi_open,
                                         .begin = mpi_begin,
                                         .exchange = mpi_exchange,
                                         .end = mpi_end,
                                         .close = mpi_close};
/* The second one shows how much two measurements of the same differ. */
static const struct md_variant MD_MPI_AGAIN = {.name = "mpi_again",
                                               .open = mpi_open,
                                               .begin = mpi_begin,
                                               .exchange = mpi_exchange,
                                               .end = mpi_end,
                                               .close = mpi_close};
const struct md_variant *const MD_VARIANTS[] = {&MD_MPI, &MD_MSG,       &MD_OWN, &MD_EXCHANGE,
                                                &MD_RMA, &MD_MPI_AGAIN, NULL};
