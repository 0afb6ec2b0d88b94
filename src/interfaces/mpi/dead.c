/* SPDX-License-Identifier: BSD-3-Clause */
/* dead.c - handles of the MPI interface that were freed: a call that gets one says so, and a
 * program that makes and frees handles for ever needs no memory for all of them. */
#include <stdlib.h>

#include "interfaces/mpi/face.h"

/* Without memory for the list the handle is known as a dead one, and never freed. */
void face_bury(struct face_dead *d, enum face_handle kind, void *handle) {
  if (d->handle == NULL) d->handle = calloc(FACE_DEAD_KEPT, sizeof *d->handle);
  if (d->handle == NULL) return;
  face_number_end(d->handle[d->at]);
  face_handle_remove(kind, d->handle[d->at]);
  free(d->handle[d->at]);
  d->handle[d->at] = handle;
  d->at = (d->at + 1) % FACE_DEAD_KEPT;
}

void face_dead_end(struct face_dead *d) {
  for (uint32_t i = 0; d->handle != NULL && i < FACE_DEAD_KEPT; i++) free(d->handle[i]);
  free(d->handle);
  *d = (struct face_dead){0};
}
