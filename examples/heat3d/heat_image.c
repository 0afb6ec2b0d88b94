/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_image.c - an image of the result: the slice through the middle of y as a portable pixmap,
 * with x to the right and z upwards. One read fetches the rows of a block. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat3d.h"

enum { IMAGE_WIDTH = 512 }; /* small grids are enlarged to about this many pixels */

static int gather_slice(struct heat_unit *u, uint32_t y, double *slice) {
  for (uint32_t unit = 0; unit < eyot_size(); unit++) {
    struct heat_grid part;
    struct heat_box box;
    heat_grid_of(&u->grid, unit, &part);
    if (y < part.lo[1] || y >= part.lo[1] + part.n[1]) continue;
    heat_box_init(&box, part.n);
    const struct heat_rows rows = {.first = heat_at(&box, 0, y - part.lo[1], 0),
                                   .cells = part.n[0],
                                   .rows = part.n[2],
                                   .there = box.sz,
                                   .here = u->grid.size[0]};
    HEAT_TRY(heat_halo_read(u, unit, &rows,
                            slice + (uint64_t)part.lo[2] * u->grid.size[0] + part.lo[0]));
  }
  return EYOT_OK;
}

static unsigned char clip(double v) {
  return (unsigned char)(v <= 0 ? 0 : v >= 1 ? 255 : 255 * v);
}

/* Black, red, yellow, white: each color rises in its third of [0, 1]. */
static void paint(double t, unsigned char rgb[3]) {
  rgb[0] = clip(3 * t);
  rgb[1] = clip(3 * t - 1);
  rgb[2] = clip(3 * t - 2);
}

static int write_image(const char *file, const double *slice, uint32_t width, uint32_t height) {
  uint32_t scale = width < IMAGE_WIDTH ? IMAGE_WIDTH / width : 1;
  FILE *out = fopen(file, "wb");
  unsigned char *line = malloc((size_t)width * scale * 3);
  bool ok = out != NULL && line != NULL &&
            fprintf(out, "P6\n%u %u\n255\n", width * scale, height * scale) > 0;
  for (uint32_t z = height; ok && z-- > 0;) {
    for (uint32_t x = 0; x < width; x++)
      for (uint32_t i = 0; i < scale; i++)
        paint(slice[(uint64_t)z * width + x], line + ((size_t)x * scale + i) * 3);
    for (uint32_t i = 0; ok && i < scale; i++)
      ok = fwrite(line, 3, (size_t)width * scale, out) == (size_t)width * scale;
    eyot_progress();
  }
  if (out != NULL && fclose(out) != 0) ok = false;
  if (!ok) fprintf(stderr, "heat3d: cannot write %s: %s\n", file, strerror(errno));
  free(line);
  return ok ? EYOT_OK : EYOT_ESYS;
}

int heat_image(struct heat_unit *u, const char *file) {
  double *slice = calloc((size_t)u->grid.size[0] * u->grid.size[2], sizeof(double));
  if (slice == NULL) return heat_fail("memory for the image", EYOT_ENOMEM);
  int code = gather_slice(u, u->grid.size[1] / 2, slice);
  if (code == EYOT_OK) code = write_image(file, slice, u->grid.size[0], u->grid.size[2]);
  free(slice);
  return code;
}
