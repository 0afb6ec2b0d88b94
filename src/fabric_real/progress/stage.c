/* SPDX-License-Identifier: BSD-3-Clause */
/* stage.c - see stage.h.
 *
 * The buffer has a few slots that are used in turn. A put fills a slot from the unit's memory and
 * gives it to MPI; a get has MPI fill it, and copies it to the unit when the slot is needed again,
 * or when the backlog is flushed. So MPI has several pieces at once, of one request or of many. */
#include "fabric_real/progress/stage.h"

#include <stdlib.h>

#include "fabric_real/mem/remote.h"
#include "fabric_real/wait/idle.h"

struct slot {
  MPI_Request req;
  bool busy, is_get;
  uint32_t place;
  uint64_t number;
  uint64_t theirs, len; /* where its bytes go in the unit's memory */
};

struct fmpi_stage {
  char *bytes;
  uint32_t next; /* the slot that is used next: the oldest */
  struct slot slot[FMPI_STAGE_SLOTS];
};

int fmpi_stage_open(struct fmpi_stage **out) {
  struct fmpi_stage *g = calloc(1, sizeof *g);
  char *bytes = malloc(FMPI_STAGE_SLOTS * FMPI_STAGE_BYTES);
  if (g == NULL || bytes == NULL) {
    free(g);
    free(bytes);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for transfers of private buffers (%lu bytes)",
                      FMPI_STAGE_SLOTS * FMPI_STAGE_BYTES);
  }
  g->bytes = bytes;
  *out = g;
  return EYOT_OK;
}

void fmpi_stage_close(struct fmpi_stage *g) {
  if (g == NULL) return;
  for (uint32_t i = 0; i < FMPI_STAGE_SLOTS; i++) EYOTI_ASSERT(!g->slot[i].busy);
  free(g->bytes);
  free(g);
}

static char *bytes_of(const struct fmpi_stage *g, const struct slot *s) {
  return g->bytes + (uint64_t)(s - g->slot) * FMPI_STAGE_BYTES;
}

static int retire(struct fmpi *f, struct fmpi_stage *g, struct slot *s) {
  if (!s->busy) return EYOT_OK;
  EYOTI_TRY(fmpi_wait_mpi(f, &s->req, 1));
  s->busy = false;
  if (!s->is_get) return EYOT_OK;
  int error =
      fmpi_private_move(f->progress.engine->pid[s->place], bytes_of(g, s), s->theirs, s->len, true);
  if (error != 0) fmpi_private_failed(f, s->place, s->number, true, error);
  return EYOT_OK;
}

int fmpi_stage_settle(struct fmpi *f, struct fmpi_stage *g) {
  /* the oldest first */
  for (uint32_t i = 0; i < FMPI_STAGE_SLOTS; i++)
    EYOTI_TRY(retire(f, g, &g->slot[(g->next + i) % FMPI_STAGE_SLOTS]));
  return EYOT_OK;
}

/* *error: the unit's memory cannot be read, and nothing has been sent. */
static int send_piece(struct fmpi *f, struct fmpi_stage *g, const struct fmpi_at *at,
                      const struct slot *what, int *error) {
  struct slot *s = &g->slot[g->next];
  EYOTI_TRY(retire(f, g, s));
  *s = *what;
  char *bytes = bytes_of(g, s);
  *error = s->is_get ? 0
                     : fmpi_private_move(f->progress.engine->pid[s->place], bytes, s->theirs,
                                         s->len, false);
  if (*error != 0) return EYOT_OK;
  EYOTI_TRY(fmpi_move_piece(f, at, bytes, 0, s->len, s->is_get, &s->req));
  s->busy = true;
  g->next = (g->next + 1) % FMPI_STAGE_SLOTS;
  return EYOT_OK;
}

int fmpi_stage_move(struct fmpi *f, struct fmpi_stage *g, const struct fmpi_asked *a,
                    const struct fmpi_at *at, int *failed) {
  const struct fmpi_request *q = &a->q;
  const uint64_t most =
      f->job.chunk_bytes < FMPI_STAGE_BYTES ? f->job.chunk_bytes : FMPI_STAGE_BYTES;
  int error = 0;
  for (uint64_t done = 0; done < q->len && error == 0; done += most) {
    struct fmpi_at there = *at;
    there.disp += (MPI_Aint)done;
    const struct slot what = {.req = MPI_REQUEST_NULL,
                              .is_get = q->what == FMPI_DO_GET,
                              .place = a->place,
                              .number = a->number,
                              .theirs = q->here_off + done,
                              .len = q->len - done < most ? q->len - done : most};
    EYOTI_TRY(send_piece(f, g, &there, &what, &error));
  }
  *failed = error;
  return EYOT_OK;
}
