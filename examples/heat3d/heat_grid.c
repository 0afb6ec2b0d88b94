/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_grid.c - cuts the grid into one block for each unit, with the least surface; the sizes of
 * blocks differ by at most one cell along each axis. */
#include <string.h>

#include "heat3d.h"

enum {
  HEAT_MAX_CELLS = 1 << 24, /* along one axis */
  HEAT_MAX_PRIMES = 9       /* different ones in a number of 32 bits */
};

/* The prime factors of a number, from which its divisors are made: every unit makes the grid, and a
 * loop over all numbers up to that of units would be quadratic in them. */
struct factors {
  uint32_t prime[HEAT_MAX_PRIMES], power[HEAT_MAX_PRIMES];
  uint32_t n, divisors;
};

static void factors_add(struct factors *f, uint32_t *rest, uint32_t prime) {
  uint32_t power = 0;
  for (; *rest % prime == 0; *rest /= prime) power++;
  if (power == 0) return;
  f->prime[f->n] = prime;
  f->power[f->n++] = power;
  f->divisors *= power + 1;
}

static struct factors factors_of(uint32_t number) {
  struct factors f = {.divisors = 1};
  uint32_t rest = number;
  for (uint32_t i = 2; (uint64_t)i * i <= rest; i++) factors_add(&f, &rest, i);
  if (rest > 1) factors_add(&f, &rest, rest);
  return f;
}

/* The divisors in no particular order: the powers are the digits of their number. */
static uint32_t divisor_at(const struct factors *f, uint32_t number) {
  uint32_t divisor = 1;
  for (uint32_t i = 0; i < f->n; number /= f->power[i++] + 1)
    for (uint32_t k = number % (f->power[i] + 1); k > 0; k--) divisor *= f->prime[i];
  return divisor;
}

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

/* Of equal surface the one with fewer cuts across x, then y: rows stay long. */
static bool cuts_less(const uint32_t parts[HEAT_AXES], const uint32_t than[HEAT_AXES]) {
  return parts[0] != than[0] ? parts[0] < than[0] : parts[1] < than[1];
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
  if (*best >= 0 && (area > *best || (area == *best && !cuts_less(parts, grid->parts)))) return;
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
  struct factors f = factors_of(units); /* every factorisation into three */
  for (uint32_t i = 0; i < f.divisors; i++) {
    uint32_t x = divisor_at(&f, i), rest = units / x;
    for (uint32_t j = 0; j < f.divisors; j++) {
      uint32_t y = divisor_at(&f, j);
      if (y <= rest && rest % y == 0)
        consider(opts, (const uint32_t[HEAT_AXES]){x, y, rest / y}, &best, &chosen);
    }
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
