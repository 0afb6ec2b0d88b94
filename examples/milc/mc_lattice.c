/* SPDX-License-Identifier: BSD-3-Clause */
/* mc_lattice.c - the part of one unit: random links, which are unitary matrices of determinant 1,
 * and a random right-hand side. */
#include <math.h>
#include <stdlib.h>

#include "milc.h"

int mc_spend(const struct mc_lattice *l, uint64_t ns) {
  /* The serial run is no part of the program, but other units need progress meanwhile. */
  if (l->alone) return eyot_progress();
  return eyot_compute(ns);
}

bool mc_has_neighbor(const struct mc_lattice *l, uint32_t direction) {
  return l->parts[direction / 2] > 1;
}

uint32_t mc_neighbor(const struct mc_lattice *l, uint32_t direction) {
  uint32_t unit = 0;
  for (uint32_t a = MC_AXES; a-- > 0;) {
    uint32_t there = l->coord[a], parts = l->parts[a];
    if (a == direction / 2) there = (there + (direction % 2 == 0 ? parts - 1 : 1)) % parts;
    unit = unit * parts + there;
  }
  return unit;
}

uint64_t mc_bytes(const struct mc_lattice *l, uint32_t direction) {
  return l->face[direction / 2] * sizeof(mc_vector_t);
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014), as a number from -1 to 1. */
static double random_number(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-52 - 1;
}
static double complex random_complex(uint64_t x) {
  return random_number(2 * x + 1) + random_number(2 * x + 2) * I;
}

/* Makes a row orthogonal to the rows before it, and of length 1. */
static void row_normalize(mc_matrix_t *m, int row) {
  double norm = 0;
  for (int other = 0; other < row; other++) {
    double complex product = 0;
    for (int i = 0; i < MC_COLORS; i++) product += m->e[row][i] * conj(m->e[other][i]);
    for (int i = 0; i < MC_COLORS; i++) m->e[row][i] -= product * m->e[other][i];
  }
  for (int i = 0; i < MC_COLORS; i++) norm += pow(cabs(m->e[row][i]), 2);
  for (int i = 0; i < MC_COLORS; i++) m->e[row][i] /= sqrt(norm);
}

/* The last row is the conjugate of the product of the others: then the determinant is 1. */
static void matrix_make(mc_matrix_t *m, uint64_t number) {
  enum { RANDOM_ROWS = 2 };
  for (int row = 0; row < RANDOM_ROWS; row++) {
    for (int i = 0; i < MC_COLORS; i++)
      m->e[row][i] =
          random_complex(number * MC_COLORS * RANDOM_ROWS + (uint64_t)(row * MC_COLORS + i));
    row_normalize(m, row);
  }
  for (int i = 0; i < MC_COLORS; i++) {
    int j = (i + 1) % MC_COLORS, k = (i + 2) % MC_COLORS;
    m->e[2][i] = conj(m->e[0][j] * m->e[1][k] - m->e[0][k] * m->e[1][j]);
  }
}

/* The number of a site in the whole lattice. */
static uint64_t place_of(const struct mc_lattice *l, uint32_t site) {
  uint64_t place = 0, at[MC_AXES];
  for (int a = 0; a < MC_AXES; a++) {
    at[a] = l->coord[a] * (uint64_t)l->local[a] + site % l->local[a];
    site /= l->local[a];
  }
  for (int a = MC_AXES; a-- > 0;) place = place * l->local[a] * l->parts[a] + at[a];
  return place;
}

static void sites_fill(struct mc_lattice *l) {
  const uint64_t other_numbers = UINT64_C(1) << 60; /* not those of links */
  for (uint32_t site = 0; site < l->sites; site++) {
    uint64_t place = place_of(l, site);
    for (uint64_t a = 0; a < MC_AXES; a++) matrix_make(&l->link[a][site], place * MC_AXES + a);
    for (uint64_t i = 0; i < MC_COLORS; i++)
      l->b[site].c[i] = random_complex(other_numbers + place * MC_COLORS + i);
  }
}

static bool sites_allocate(struct mc_lattice *l) {
  mc_vector_t **vectors[] = {&l->b, &l->x, &l->r, &l->p, &l->ap, &l->dp};
  bool there = true;
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = calloc(l->sites, sizeof **vectors[i]);
    there = there && *vectors[i] != NULL;
  }
  for (int a = 0; a < MC_AXES; a++) {
    l->link[a] = calloc(l->sites, sizeof *l->link[a]);
    there = there && l->link[a] != NULL;
  }
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) {
    if (mc_has_neighbor(l, d)) continue;
    l->ghost[d] = l->own[d] = calloc(l->face[d / 2], sizeof *l->own[d]);
    there = there && l->own[d] != NULL;
  }
  return there;
}

int mc_lattice_open(struct mc_lattice *l, const uint32_t parts[MC_AXES], uint32_t me,
                    const uint32_t local[MC_AXES]) {
  l->me = me;
  l->sites = 1;
  for (int a = 0; a < MC_AXES; a++) {
    l->parts[a] = parts[a];
    l->local[a] = local[a];
    l->coord[a] = me % parts[a];
    me /= parts[a];
    l->sites *= local[a];
  }
  for (int a = 0; a < MC_AXES; a++) l->face[a] = l->sites / local[a];
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) {
    l->slot_at[d] = l->slots_bytes;
    l->slots_bytes += (mc_bytes(l, d) + 63) / 64 * 64;
  }
  if (!sites_allocate(l)) return mc_fail("private memory for the lattice", EYOT_ENOMEM);
  sites_fill(l);
  return EYOT_OK;
}

void mc_lattice_close(struct mc_lattice *l) {
  mc_vector_t *vectors[] = {l->b, l->x, l->r, l->p, l->ap, l->dp};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) free(vectors[i]);
  for (int a = 0; a < MC_AXES; a++) free(l->link[a]);
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) free(l->own[d]);
}
