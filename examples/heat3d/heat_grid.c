/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_grid.c - cuts the grid into one block for each unit, with the least surface; the sizes of
 * blocks differ by at most one cell along each axis. */
#include <string.h>

#include "heat3d.h"

enum { HEAT_MAX_CELLS = 1 << 24 }; /* along one axis */

static uint32_t part_lo(uint32_t size, uint32_t parts, uint32_t i) {
  return (uint32_t)((uint64_t)size * i / parts);
}

/* The cells that all units exchange in a step: for each axis its cuts times the area of the grid
 * across it. */
static double cut_area(const uint32_t size[HEAT_AXES], const uint32_t parts[HEAT_AXES]) {
  double area = 0;
  for (int a = 0; a < HEAT_AXES; a++)
    area += (parts[a] - 1.0) * size[(a + 1) % HEAT_AXES] * size[(a + 2) % HEAT_AXES];
  return area;
}

/* With blocks of a given size any cut costs about the same; then the whole grid is chosen close to
 * a cube. */
static double outer_area(const uint32_t size[HEAT_AXES]) {
  double area = 0;
  for (int a = 0; a < HEAT_AXES; a++) area += (double)size[a] * size[(a + 1) % HEAT_AXES];
  return area;
}

static void consider(const struct heat_opts *opts, const uint32_t parts[HEAT_AXES], double *best,
                     struct heat_grid *grid) {
  uint32_t size[HEAT_AXES];
  for (int a = 0; a < HEAT_AXES; a++) {
    uint64_t cells = opts->per_unit ? (uint64_t)opts->size[a] * parts[a] : opts->size[a];
    if (cells > HEAT_MAX_CELLS || parts[a] > cells) return;
    size[a] = (uint32_t)cells;
  }
  double area = opts->per_unit ? outer_area(size) : cut_area(size, parts);
  if (*best >= 0 && area >= *best) return;
  *best = area;
  memcpy(grid->size, size, sizeof size);
  memcpy(grid->parts, parts, sizeof grid->parts);
}

int heat_grid_make(const struct heat_opts *opts, uint32_t units, uint32_t me,
                   struct heat_grid *grid) {
  struct heat_grid chosen = {.size = {0}};
  double best = -1;
  const uint32_t *named = opts->parts;
  if (named[0] != 0) {
    if ((uint64_t)named[0] * named[1] * named[2] != units) return -1;
    consider(opts, named, &best, &chosen);
    if (best < 0) return -1;
    heat_grid_of(&chosen, me, grid);
    return 0;
  }
  /* Every factorisation into three; the first of equal surface cuts x least, so rows stay long. */
  for (uint32_t x = 1; x <= units; x++) {
    if (units % x != 0) continue;
    uint32_t rest = units / x;
    for (uint32_t y = 1; y <= rest; y++)
      if (rest % y == 0)
        consider(opts, (const uint32_t[HEAT_AXES]){x, y, rest / y}, &best, &chosen);
  }
  if (best < 0) return -1;
  heat_grid_of(&chosen, me, grid);
  return 0;
}

void heat_grid_of(const struct heat_grid *grid, uint32_t unit, struct heat_grid *out) {
  struct heat_grid g = *grid;
  uint32_t rest = unit, step = 1;
  for (int a = 0; a < HEAT_AXES; a++) {
    g.coord[a] = rest % g.parts[a];
    rest /= g.parts[a];
    g.lo[a] = part_lo(g.size[a], g.parts[a], g.coord[a]);
    g.n[a] = part_lo(g.size[a], g.parts[a], g.coord[a] + 1) - g.lo[a];
    g.neighbor[2 * a] = g.coord[a] > 0 ? unit - step : HEAT_NO_NEIGHBOR;
    g.neighbor[2 * a + 1] = g.coord[a] + 1 < g.parts[a] ? unit + step : HEAT_NO_NEIGHBOR;
    step *= g.parts[a];
  }
  *out = g;
}
