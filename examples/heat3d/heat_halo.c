/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_halo.c - halo exchange by gets. Each unit packs its faces into its own part of symmetric
 * memory and announces them; neighbors get them.
 *
 * Two parities of face slots make a second synchronization unnecessary. A unit packs the faces of
 * step s+2 into the slots of step s after its neighbors have announced step s+1, and a neighbor
 * announces s+1 only when it has fetched the faces of step s. So no unit overwrites a face that
 * another still needs. */
#include <stdlib.h>

#include "heat3d.h"

enum { HEAT_LINE = 64 }; /* bytes */

struct heat_halo {
  eyot_gptr_t field[2], faces, ready; /* unit 0's part; one allocation, which field[0] begins */
  eyot_handle_t get[HEAT_FACES];      /* those in flight */
};

static eyot_gptr_t word_at(const struct heat_unit *u, uint32_t unit, int face) {
  return eyot_gptr_add(eyot_gptr_at(u->halo->ready, (eyot_unit_t){unit}),
                       face * (int64_t)sizeof(uint64_t));
}

/* One allocation for all, because each one is an exchange of all units: two fields, the packed
 * faces and the words of announcements, each at a multiple of a cache line. */
static uint64_t lines(uint64_t bytes) {
  return (bytes + HEAT_LINE - 1) / HEAT_LINE * HEAT_LINE;
}

static int allocate(struct heat_unit *u) {
  struct heat_halo *h = u->halo;
  uint64_t field = lines(heat_faces_slot(u) * sizeof(double)),
           faces = lines(2 * HEAT_FACES * u->slot * sizeof(double));
  void *own = NULL;
  HEAT_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * field + faces + HEAT_FACES * sizeof(uint64_t),
                           &h->field[0]));
  h->field[1] = eyot_gptr_add(h->field[0], (int64_t)field);
  h->faces = eyot_gptr_add(h->field[1], (int64_t)field);
  h->ready = eyot_gptr_add(h->faces, (int64_t)faces);
  HEAT_TRY(eyot_gptr_addr(eyot_gptr_at(h->field[0], eyot_me()), &own));
  u->field[0] = own;
  u->field[1] = u->field[0] + field / sizeof(double);
  u->faces = u->field[1] + field / sizeof(double);
  return EYOT_OK;
}

int heat_halo_open(struct heat_unit *u) {
  u->halo = malloc(sizeof *u->halo);
  if (u->halo == NULL) return heat_fail("private memory", EYOT_ENOMEM);
  HEAT_TRY(allocate(u));
  u->inbox = malloc(HEAT_FACES * u->slot * sizeof(double));
  return u->inbox != NULL ? EYOT_OK
                          : heat_fail("private memory for the neighbors' faces", EYOT_ENOMEM);
}

int heat_halo_pack(struct heat_unit *u, uint32_t step) {
  HEAT_TRY(heat_faces_pack(u, step));
  /* The faces were written by plain stores: make them visible before they are announced. */
  HEAT_TRY(eyot_sync());
  return EYOT_OK;
}

int heat_halo_announce(struct heat_unit *u) {
  if (u->opts->sync == HEAT_BARRIER) {
    HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL));
    return EYOT_OK;
  }
  /* Signals count: two announcements to one neighbor may be in flight and arrive in any order, so
   * setting the word to the step could set it back. */
  for (int face = 0; face < HEAT_FACES; face++) {
    uint32_t unit = u->grid.neighbor[face];
    if (unit != HEAT_NO_NEIGHBOR)
      HEAT_TRY(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, word_at(u, unit, face ^ 1),
                                   EYOT_SIGNAL_ADD, 1));
  }
  return EYOT_OK;
}

int heat_halo_await(struct heat_unit *u, uint32_t step) {
  if (u->opts->sync == HEAT_BARRIER) return EYOT_OK;
  for (int face = 0; face < HEAT_FACES; face++)
    if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
      HEAT_TRY(
          eyot_wait_until(word_at(u, eyot_me().id, face), EYOT_CMP_GE, (uint64_t)step + 1, NULL));
  return EYOT_OK;
}

/* Across a face of this unit lies its neighbor's face of the opposite side. Blocks along the same
 * face have the same extent, so sizes agree. */
static eyot_gptr_t partner_face(const struct heat_unit *u, uint32_t step, int face) {
  eyot_gptr_t there = eyot_gptr_at(u->halo->faces, (eyot_unit_t){u->grid.neighbor[face]});
  return eyot_gptr_add(there, (int64_t)(heat_face_at(u, step, face ^ 1) * sizeof(double)));
}

int heat_halo_fetch(struct heat_unit *u, uint32_t step) {
  for (int face = 0; face < HEAT_FACES; face++) {
    uint64_t bytes = heat_face_cells(&u->box, face) * sizeof(double);
    if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
      HEAT_TRY(eyot_get(u->inbox + (uint64_t)face * u->slot, partner_face(u, step, face), bytes));
  }
  return heat_faces_unpack(u, step);
}

int heat_halo_start(struct heat_unit *u, uint32_t step) {
  eyot_handle_t *get = u->halo->get;
  for (int face = 0; face < HEAT_FACES; face++) {
    uint64_t bytes = heat_face_cells(&u->box, face) * sizeof(double);
    get[face] = EYOT_HANDLE_DONE;
    if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
      HEAT_TRY(eyot_get_nb(u->inbox + (uint64_t)face * u->slot, partner_face(u, step, face), bytes,
                           &get[face]));
  }
  return EYOT_OK;
}

int heat_halo_finish(struct heat_unit *u, uint32_t step) {
  HEAT_TRY(eyot_wait_all(u->halo->get, HEAT_FACES, EYOT_REMOTE));
  return heat_faces_unpack(u, step);
}

int heat_halo_read(struct heat_unit *u, uint32_t unit, const struct heat_rows *rows, double *to) {
  eyot_gptr_t first =
      eyot_gptr_add(eyot_gptr_at(u->halo->field[u->opts->steps & 1], (eyot_unit_t){unit}),
                    rows->first * (int64_t)sizeof(double));
  const eyot_strided_t strided = {.block_bytes = rows->cells * sizeof(double),
                                  .count = rows->rows,
                                  .local_stride = rows->here * (int64_t)sizeof(double),
                                  .remote_stride = rows->there * (int64_t)sizeof(double)};
  if (rows->rows == 1)
    HEAT_TRY(eyot_get(to, first, strided.block_bytes));
  else
    HEAT_TRY(eyot_get_strided(to, first, &strided));
  return EYOT_OK;
}

int heat_halo_close(struct heat_unit *u) {
  HEAT_TRY(eyot_flush_all(EYOT_REMOTE)); /* the last announcements */
  HEAT_TRY(eyot_team_free(u->halo->field[0]));
  free(u->inbox);
  free(u->halo);
  u->inbox = NULL;
  u->halo = NULL;
  return EYOT_OK;
}
