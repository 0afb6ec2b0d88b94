/* SPDX-License-Identifier: BSD-3-Clause */
/* md_box.c - the cube, and its parts. */
#include <math.h>

#include "minimd.h"

enum { ATOMS_A_CELL = 4 };

uint64_t md_box_atoms(const struct md_box *box) {
  return (uint64_t)ATOMS_A_CELL * box->cells * box->cells * box->cells;
}

/* The parts of the least surface, for a cube; more parts along earlier axes. */
static void box_cut(struct md_box *box) {
  double least = INFINITY;
  for (uint32_t x = 1; x <= box->units; x++) {
    if (box->units % x != 0) continue;
    uint32_t rest = box->units / x;
    for (uint32_t y = 1; y <= rest && y <= x; y++) {
      if (rest % y != 0 || rest / y > y) continue;
      double surface = 1.0 / x / y + 1.0 * y / rest / y + 1.0 / x / (rest / y);
      if (surface >= least) continue;
      least = surface;
      box->parts[0] = x;
      box->parts[1] = y;
      box->parts[2] = rest / y;
    }
  }
}

static uint32_t box_unit(const struct md_box *box, const uint32_t coord[MD_AXES]) {
  return coord[0] + box->parts[0] * (coord[1] + box->parts[1] * coord[2]);
}

/* The formula of the source, section 3.4.1; a rounding error must not add a cell. */
uint32_t md_box_cells(uint32_t units, uint32_t atoms) {
  return (uint32_t)ceil(cbrt((double)units * atoms / ATOMS_A_CELL) - 1e-9);
}

bool md_box_make(struct md_box *box, uint32_t units, uint32_t me, uint32_t cells) {
  bool thick = true;
  box->units = units;
  box->cells = cells;
  box->size = box->cells * cbrt(ATOMS_A_CELL / MD_DENSITY);
  box_cut(box);
  box->coord[0] = me % box->parts[0];
  box->coord[1] = me / box->parts[0] % box->parts[1];
  box->coord[2] = me / box->parts[0] / box->parts[1];
  for (int a = 0; a < MD_AXES; a++) {
    uint32_t parts = box->parts[a], c = box->coord[a], beside[MD_AXES];
    /* Neighbors compute a common bound by one formula, so each atom has one owner. */
    box->lo[a] = box->size * c / parts;
    box->hi[a] = c + 1 == parts ? box->size : box->size * (c + 1) / parts;
    thick = thick && box->size / parts >= MD_REACH;
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < MD_AXES; i++) beside[i] = box->coord[i];
      beside[a] = (c + (side == 0 ? parts - 1 : 1)) % parts;
      box->neighbor[a][side] = box_unit(box, beside);
    }
  }
  return thick;
}
