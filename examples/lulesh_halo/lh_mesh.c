/* SPDX-License-Identifier: BSD-3-Clause */
/* lh_mesh.c - the block of one unit: a cube of elements that are cubes at the start, with the
 * energy of the blast in the element at the origin. The gas elsewhere is not even and not at rest,
 * so that all boundaries matter from the first step on, and not only those that the blast has
 * reached. */
#include <math.h>
#include <stdlib.h>

#include "lulesh_halo.h"

/* The cube of the whole mesh, as in LULESH; the gas has density 1. */
#define CUBE 1.125
#define BLAST_ENERGY 1.0
#define REST_ENERGY 0.1 /* of a unit of volume, elsewhere; times the element's weight */
#define SPEED 0.4       /* the largest of a node along an axis, at the start */
/* Of the time that sound takes through the element of the blast. */
#define TIME_STEP 0.05

uint64_t lh_node(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k) {
  int64_t n = m->n + 1;
  return (uint64_t)(i + n * (j + n * k));
}
uint64_t lh_element(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k) {
  int64_t n = m->n;
  return (uint64_t)(i + n * (j + n * k));
}
uint64_t lh_ghosted(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k) {
  int64_t n = m->n + 2;
  return (uint64_t)(i + 1 + n * (j + 1 + n * (k + 1)));
}

double lh_weight(const struct lh_mesh *m, const int32_t at[LH_AXES]) {
  uint64_t place = 0;
  for (int a = 0; a < LH_AXES; a++)
    place = place * UINT64_C(1000003) + m->coord[a] * (uint64_t)m->n + (uint64_t)at[a];
  return 1 + (double)(place * UINT64_C(0x9e3779b97f4a7c15) >> 11) * 0x1p-53;
}

int lh_spend(const struct lh_mesh *m, uint64_t ns) {
  /* The serial run is no part of the program, but other units need progress meanwhile. */
  if (m->alone) return eyot_progress();
  return eyot_compute(ns);
}

static bool arrays_allocate(double **arrays, int count, uint64_t numbers) {
  for (int i = 0; i < count; i++) {
    arrays[i] = calloc(numbers, sizeof(double));
    if (arrays[i] == NULL) return false;
  }
  return true;
}

/* A node's speed depends on its place in the whole mesh; on the planes through the origin nodes
 * stay there. */
static double node_speed(const struct lh_mesh *m, const int32_t at[LH_AXES], int axis) {
  if (m->coord[axis] == 0 && at[axis] == 0) return 0;
  /* another number for each axis */
  double from_0_to_1 = fmod((lh_weight(m, at) - 1) * (7 + 4 * axis), 1);
  return SPEED * (2 * from_0_to_1 - 1);
}

static void nodes_place(struct lh_mesh *m) {
  for (int32_t k = 0; k <= m->n; k++)
    for (int32_t j = 0; j <= m->n; j++)
      for (int32_t i = 0; i <= m->n; i++) {
        const int32_t at[LH_AXES] = {i, j, k};
        uint64_t node = lh_node(m, i, j, k);
        for (int a = 0; a < LH_AXES; a++) {
          m->position[a][node] = m->h * ((double)m->coord[a] * m->n + at[a]);
          m->velocity[a][node] = node_speed(m, at, a);
        }
      }
}

static void elements_fill(struct lh_mesh *m) {
  double volume = m->h * m->h * m->h;
  for (int32_t k = 0; k < m->n; k++)
    for (int32_t j = 0; j < m->n; j++)
      for (int32_t i = 0; i < m->n; i++) {
        uint64_t e = lh_element(m, i, j, k);
        m->volume[e] = volume;
        m->energy[e] = REST_ENERGY * volume * lh_weight(m, (const int32_t[]){i, j, k});
        if (m->me == 0 && e == 0) m->energy[e] = BLAST_ENERGY;
        m->pressure[e] = (LH_GAMMA - 1) * m->energy[e] / volume;
      }
}

int lh_mesh_open(struct lh_mesh *m, uint32_t side, uint32_t me, uint32_t elements) {
  uint64_t n = elements, nodes = (n + 1) * (n + 1) * (n + 1), all = n * n * n;
  uint64_t ghosted = (n + 2) * (n + 2) * (n + 2);
  m->me = me;
  m->side = side;
  m->n = (int32_t)elements;
  m->h = CUBE / ((double)side * elements);
  m->coord[0] = me % side;
  m->coord[1] = me / side % side;
  m->coord[2] = me / side / side;
  double volume = m->h * m->h * m->h;
  m->dt = TIME_STEP * m->h / sqrt(LH_GAMMA * (LH_GAMMA - 1) * BLAST_ENERGY / volume);
  if (!arrays_allocate(m->position, LH_AXES, nodes) ||
      !arrays_allocate(m->velocity, LH_AXES, nodes) || !arrays_allocate(m->force, LH_AXES, nodes) ||
      !arrays_allocate(&m->mass, 1, nodes) || !arrays_allocate(&m->energy, 1, all) ||
      !arrays_allocate(&m->volume, 1, all) || !arrays_allocate(&m->pressure, 1, all) ||
      !arrays_allocate(m->difference, LH_AXES, ghosted))
    return lh_fail("private memory for the mesh", EYOT_ENOMEM);
  nodes_place(m);
  elements_fill(m);
  lh_slots(m);
  return EYOT_OK;
}

void lh_mesh_close(struct lh_mesh *m) {
  for (int a = 0; a < LH_AXES; a++) {
    free(m->position[a]);
    free(m->velocity[a]);
    free(m->force[a]);
    free(m->difference[a]);
  }
  free(m->mass);
  free(m->energy);
  free(m->volume);
  free(m->pressure);
}
