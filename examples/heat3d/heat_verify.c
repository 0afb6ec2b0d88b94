/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_verify.c - verification: unit 0 solves the whole grid alone, with the same row function, and
 * gets every block to compare it. Long loops call eyot_progress, because other units may need the
 * progress, and because the simulator reports a unit that makes no fabric call for ten seconds as
 * an endless loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "heat3d.h"

/* The whole grid after `steps` steps in field[steps & 1]. */
static void solve(const struct heat_box *box, double *field[2], const uint32_t size[HEAT_AXES],
                  uint32_t steps) {
  const uint32_t origin[HEAT_AXES] = {0, 0, 0};
  heat_fill(box, field[0], origin, size);
  heat_fill(box, field[1], origin, size);
  for (uint32_t step = 0; step < steps; step++)
    for (int64_t z = 0; z < box->n[2]; z++) {
      heat_sweep(box, field[(step + 1) & 1], field[step & 1], (const int64_t[]){0, 0, z},
                 (const int64_t[]){box->n[0], box->n[1], z + 1});
      eyot_progress();
    }
}

static double difference(double a, double b) {
  return isnan(a) || isnan(b) ? INFINITY : fabs(a - b);
}

/* The largest difference between one unit's block and the same cells of the serial run. */
static double compare_block(const struct heat_grid *part, const double *block,
                            const struct heat_box *whole, const double *serial) {
  struct heat_box box;
  double worst = 0;
  heat_box_init(&box, part->n);
  for (int64_t z = 0; z < box.n[2]; z++)
    for (int64_t y = 0; y < box.n[1]; y++)
      for (int64_t x = 0; x < box.n[0]; x++) {
        double d =
            difference(block[heat_at(&box, x, y, z)],
                       serial[heat_at(whole, x + part->lo[0], y + part->lo[1], z + part->lo[2])]);
        if (d > worst) worst = d;
      }
  return worst;
}

static int compare_all(struct heat_unit *u, const struct heat_box *whole, const double *serial,
                       double *buffer, double *worst) {
  double found = *worst;
  for (uint32_t unit = 0; unit < eyot_size(); unit++) {
    struct heat_grid part;
    struct heat_box box;
    heat_grid_of(&u->grid, unit, &part);
    heat_box_init(&box, part.n);
    const struct heat_rows block = {.cells = heat_box_cells(&box), .rows = 1};
    HEAT_TRY(heat_halo_read(u, unit, &block, buffer));
    double d = compare_block(&part, buffer, whole, serial);
    if (d > 0 && found == 0)
      fprintf(stderr,
              "heat3d: the block of unit %u at cell (%u, %u, %u) differs from the serial run by up "
              "to %g\n",
              unit, part.lo[0], part.lo[1], part.lo[2], d);
    if (d > found) found = d;
  }
  *worst = found;
  return EYOT_OK;
}

int heat_verify(struct heat_unit *u, double residual, double *worst) {
  struct heat_box whole;
  heat_box_init(&whole, u->grid.size);
  uint64_t bytes = heat_box_cells(&whole) * sizeof(double);
  uint64_t block_bytes = 1;
  for (int a = 0; a < HEAT_AXES; a++)
    block_bytes *= (u->grid.size[a] + u->grid.parts[a] - 1) / u->grid.parts[a] + 2;
  double *field[2] = {malloc(bytes), malloc(bytes)}, *buffer = malloc(block_bytes * sizeof(double));
  int code;
  if (field[0] == NULL || field[1] == NULL || buffer == NULL) {
    fprintf(
        stderr,
        "heat3d: the serial run needs %.1f MB on unit 0; run with --no-verify or a smaller grid\n",
        2e-6 * (double)bytes);
    code = EYOT_ENOMEM;
  } else {
    solve(&whole, field, u->grid.size, u->opts->steps);
    double serial = u->opts->steps > 0 ? heat_residual(&whole, field[0], field[1]) : 0;
    double found = difference(serial, residual);
    if (found > 0)
      fprintf(stderr, "heat3d: residual %.17g, in the serial run %.17g\n", residual, serial);
    code = compare_all(u, &whole, field[u->opts->steps & 1], buffer, &found);
    if (code == EYOT_OK) *worst = found;
  }
  free(field[0]);
  free(field[1]);
  free(buffer);
  return code;
}
