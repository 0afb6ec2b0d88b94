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

static uint64_t face_cells(const struct heat_box *box, int face) {
  int a = face / 2;
  return (uint64_t)(box->n[(a + 1) % HEAT_AXES] * box->n[(a + 2) % HEAT_AXES]);
}

/* Where the packed face lies in a unit's part, in doubles. */
static uint64_t slot_at(const struct heat_unit *u, uint32_t step, int face) {
  return ((step & 1) * HEAT_FACES + (uint64_t)face) * u->slot;
}

static eyot_gptr_t word_at(const struct heat_unit *u, uint32_t unit, int face) {
  return eyot_gptr_add(eyot_gptr_at(u->g_ready, (eyot_unit_t){unit}),
                       face * (int64_t)sizeof(uint64_t));
}

static int own_address(eyot_gptr_t g, double **address) {
  void *p = NULL;
  HEAT_TRY(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p));
  *address = p;
  return EYOT_OK;
}

/* Symmetric memory is of one size everywhere: that of the largest block. */
static void largest_block(const struct heat_grid *grid, uint32_t n[HEAT_AXES]) {
  for (int a = 0; a < HEAT_AXES; a++) n[a] = (grid->size[a] + grid->parts[a] - 1) / grid->parts[a];
}

int heat_halo_open(struct heat_unit *u) {
  uint32_t n[HEAT_AXES];
  struct heat_box largest;
  largest_block(&u->grid, n);
  heat_box_init(&largest, n);
  u->slot = 0;
  for (int face = 0; face < HEAT_FACES; face++)
    if (face_cells(&largest, face) > u->slot) u->slot = face_cells(&largest, face);
  uint64_t field_bytes = heat_box_cells(&largest) * sizeof(double);
  for (int i = 0; i < 2; i++) {
    HEAT_TRY(eyot_team_alloc(EYOT_TEAM_ALL, field_bytes, &u->g_field[i]));
    HEAT_TRY(own_address(u->g_field[i], &u->field[i]));
  }
  HEAT_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * HEAT_FACES * u->slot * sizeof(double), &u->g_faces));
  HEAT_TRY(own_address(u->g_faces, &u->faces));
  HEAT_TRY(eyot_team_alloc(EYOT_TEAM_ALL, HEAT_FACES * sizeof(uint64_t), &u->g_ready));
  u->inbox = malloc(HEAT_FACES * u->slot * sizeof(double));
  return u->inbox != NULL ? EYOT_OK
                          : heat_fail("private memory for the neighbors' faces", EYOT_ENOMEM);
}

/* Copies one plane of the field to a packed slot, or back. `at`: the plane's coordinate along the
 * face's axis, -1 or n for ghosts. */
static void copy_plane(const struct heat_box *box, int face, int64_t at, double *field,
                       double *packed, bool pack) {
  int a = face / 2, inner = a == 0 ? 1 : 0, outer = a == 2 ? 1 : 2;
  const int64_t stride[HEAT_AXES] = {1, box->sy, box->sz};
  double *plane = field + heat_at(box, 0, 0, 0) + at * stride[a];
  for (int64_t j = 0; j < box->n[outer]; j++)
    for (int64_t i = 0; i < box->n[inner]; i++, packed++) {
      double *cell = plane + j * stride[outer] + i * stride[inner];
      if (pack)
        *packed = *cell;
      else
        *cell = *packed;
    }
}

int heat_halo_pack(struct heat_unit *u, uint32_t step) {
  uint64_t cells = 0;
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    int64_t at = face % 2 == 0 ? 0 : u->box.n[face / 2] - 1;
    copy_plane(&u->box, face, at, u->field[step & 1], u->faces + slot_at(u, step, face), true);
    cells += face_cells(&u->box, face);
  }
  HEAT_TRY(eyot_compute(cells * HEAT_TOUCH_NS));
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
  eyot_gptr_t there = eyot_gptr_at(u->g_faces, (eyot_unit_t){u->grid.neighbor[face]});
  return eyot_gptr_add(there, (int64_t)(slot_at(u, step, face ^ 1) * sizeof(double)));
}

static int unpack(struct heat_unit *u, uint32_t step) {
  uint64_t cells = 0;
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    int64_t ghost = face % 2 == 0 ? -1 : u->box.n[face / 2];
    copy_plane(&u->box, face, ghost, u->field[step & 1], u->inbox + (uint64_t)face * u->slot,
               false);
    cells += face_cells(&u->box, face);
  }
  HEAT_TRY(eyot_compute(cells * HEAT_TOUCH_NS));
  return EYOT_OK;
}

int heat_halo_fetch(struct heat_unit *u, uint32_t step) {
  for (int face = 0; face < HEAT_FACES; face++) {
    uint64_t bytes = face_cells(&u->box, face) * sizeof(double);
    if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
      HEAT_TRY(eyot_get(u->inbox + (uint64_t)face * u->slot, partner_face(u, step, face), bytes));
  }
  return unpack(u, step);
}

int heat_halo_start(struct heat_unit *u, uint32_t step, eyot_handle_t handles[HEAT_FACES]) {
  for (int face = 0; face < HEAT_FACES; face++) {
    uint64_t bytes = face_cells(&u->box, face) * sizeof(double);
    handles[face] = EYOT_HANDLE_DONE;
    if (u->grid.neighbor[face] != HEAT_NO_NEIGHBOR)
      HEAT_TRY(eyot_get_nb(u->inbox + (uint64_t)face * u->slot, partner_face(u, step, face), bytes,
                           &handles[face]));
  }
  return EYOT_OK;
}

int heat_halo_finish(struct heat_unit *u, uint32_t step, eyot_handle_t handles[HEAT_FACES]) {
  HEAT_TRY(eyot_wait_all(handles, HEAT_FACES, EYOT_REMOTE));
  return unpack(u, step);
}

int heat_halo_close(struct heat_unit *u) {
  HEAT_TRY(eyot_flush_all(EYOT_REMOTE)); /* the last announcements */
  free(u->inbox);
  u->inbox = NULL;
  HEAT_TRY(eyot_team_free(u->g_ready));
  HEAT_TRY(eyot_team_free(u->g_faces));
  HEAT_TRY(eyot_team_free(u->g_field[1]));
  HEAT_TRY(eyot_team_free(u->g_field[0]));
  return EYOT_OK;
}
