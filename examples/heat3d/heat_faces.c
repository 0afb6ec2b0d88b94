/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_faces.c - the faces of a block as rows without gaps: where each lies, packing and
 * unpacking. */
#include "heat3d.h"

uint64_t heat_face_cells(const struct heat_box *box, int face) {
  int a = face / 2;
  return (uint64_t)(box->n[(a + 1) % HEAT_AXES] * box->n[(a + 2) % HEAT_AXES]);
}

uint64_t heat_face_at(const struct heat_unit *u, uint32_t step, int face) {
  return ((step & 1) * HEAT_FACES + (uint64_t)face) * u->slot;
}

uint64_t heat_faces_slot(struct heat_unit *u) {
  uint32_t n[HEAT_AXES];
  struct heat_box largest;
  for (int a = 0; a < HEAT_AXES; a++)
    n[a] = (u->grid.size[a] + u->grid.parts[a] - 1) / u->grid.parts[a];
  heat_box_init(&largest, n);
  u->slot = 0;
  for (int face = 0; face < HEAT_FACES; face++)
    if (heat_face_cells(&largest, face) > u->slot) u->slot = heat_face_cells(&largest, face);
  return heat_box_cells(&largest);
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

int heat_faces_pack(struct heat_unit *u, uint32_t step) {
  uint64_t cells = 0;
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    int64_t at = face % 2 == 0 ? 0 : u->box.n[face / 2] - 1;
    copy_plane(&u->box, face, at, u->field[step & 1], u->faces + heat_face_at(u, step, face), true);
    cells += heat_face_cells(&u->box, face);
  }
  HEAT_TRY(eyot_compute(cells * HEAT_TOUCH_NS));
  return EYOT_OK;
}

int heat_faces_unpack(struct heat_unit *u, uint32_t step) {
  uint64_t cells = 0;
  for (int face = 0; face < HEAT_FACES; face++) {
    if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) continue;
    int64_t ghost = face % 2 == 0 ? -1 : u->box.n[face / 2];
    copy_plane(&u->box, face, ghost, u->field[step & 1], u->inbox + (uint64_t)face * u->slot,
               false);
    cells += heat_face_cells(&u->box, face);
  }
  HEAT_TRY(eyot_compute(cells * HEAT_TOUCH_NS));
  return EYOT_OK;
}
