/* SPDX-License-Identifier: BSD-3-Clause */
/* lh_step.c - a time step: forces of pressures on the faces of elements, moved nodes, and from
 * their new places volumes, energies, pressures and an artificial viscosity that neighboring
 * elements limit (the monotonic form of LULESH, with velocity differences along the axes). */
#include <math.h>
#include <string.h>

#include "lulesh_halo.h"

/* Of the viscosity: the linear and the quadratic term. */
#define VISCOSITY_LINEAR 0.5
#define VISCOSITY_QUADRATIC 2.0
enum { CORNERS = 8, FACES = 6, FACE_CORNERS = 4 };

/* Corner c of an element is at (c & 1, c >> 1 & 1, c >> 2); the corners of a face in the order in
 * which its area points outwards. */
static const int FACE[FACES][FACE_CORNERS] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                              {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static void corners_of(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k,
                       uint64_t node[CORNERS]) {
  for (int c = 0; c < CORNERS; c++)
    node[c] = lh_node(m, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
}

/* The area of a face as a vector: half the product of its diagonals. */
static void face_area(const struct lh_mesh *m, const uint64_t node[CORNERS], int face,
                      double area[LH_AXES]) {
  double p[LH_AXES], q[LH_AXES];
  for (int a = 0; a < LH_AXES; a++) {
    p[a] = m->position[a][node[FACE[face][2]]] - m->position[a][node[FACE[face][0]]];
    q[a] = m->position[a][node[FACE[face][3]]] - m->position[a][node[FACE[face][1]]];
  }
  for (int a = 0; a < LH_AXES; a++) {
    int b = (a + 1) % LH_AXES, c = (a + 2) % LH_AXES;
    area[a] = 0.5 * (p[b] * q[c] - p[c] * q[b]);
  }
}

/* A third of the sum over faces of the middle times the area. */
static double element_volume(const struct lh_mesh *m, const uint64_t node[CORNERS]) {
  double volume = 0;
  for (int face = 0; face < FACES; face++) {
    double area[LH_AXES];
    face_area(m, node, face, area);
    for (int a = 0; a < LH_AXES; a++) {
      double middle = 0;
      for (int c = 0; c < FACE_CORNERS; c++) middle += m->position[a][node[FACE[face][c]]];
      volume += middle / FACE_CORNERS * area[a] / 3;
    }
  }
  return volume;
}

/* Calls fn for each element, and declares the cost. */
static int for_elements(struct lh_mesh *m, uint64_t ns,
                        void (*fn)(struct lh_mesh *, int32_t, int32_t, int32_t)) {
  for (int32_t k = 0; k < m->n; k++) {
    for (int32_t j = 0; j < m->n; j++)
      for (int32_t i = 0; i < m->n; i++) fn(m, i, j, k);
    LH_TRY(lh_spend(m, (uint64_t)m->n * (uint64_t)m->n * ns));
  }
  return EYOT_OK;
}

static void element_add_mass(struct lh_mesh *m, int32_t i, int32_t j, int32_t k) {
  uint64_t node[CORNERS];
  corners_of(m, i, j, k, node);
  for (int c = 0; c < CORNERS; c++) m->mass[node[c]] += m->volume[lh_element(m, i, j, k)] / CORNERS;
}

/* Each corner of a face has a quarter of its force. */
static void element_add_force(struct lh_mesh *m, int32_t i, int32_t j, int32_t k) {
  uint64_t node[CORNERS];
  double pressure = m->pressure[lh_element(m, i, j, k)];
  corners_of(m, i, j, k, node);
  for (int face = 0; face < FACES; face++) {
    double area[LH_AXES];
    face_area(m, node, face, area);
    for (int c = 0; c < FACE_CORNERS; c++)
      for (int a = 0; a < LH_AXES; a++)
        m->force[a][node[FACE[face][c]]] += pressure * area[a] / FACE_CORNERS;
  }
}

/* Along each axis: the mean velocity of the high face less that of the low face. */
static void element_difference(struct lh_mesh *m, int32_t i, int32_t j, int32_t k) {
  uint64_t node[CORNERS];
  corners_of(m, i, j, k, node);
  for (int a = 0; a < LH_AXES; a++) {
    double sum = 0;
    for (int c = 0; c < CORNERS; c++)
      sum += (c >> a & 1) != 0 ? m->velocity[a][node[c]] : -m->velocity[a][node[c]];
    m->difference[a][lh_ghosted(m, i, j, k)] = sum / FACE_CORNERS;
  }
}

/* The difference of the element beyond, which is the element's own where the mesh ends. */
static double difference_beside(const struct lh_mesh *m, int axis, int32_t at[LH_AXES],
                                int32_t step) {
  int32_t there[LH_AXES] = {at[0], at[1], at[2]};
  bool first = m->coord[axis] == 0 && at[axis] == 0 && step < 0;
  bool last = m->coord[axis] + 1 == m->side && at[axis] + 1 == m->n && step > 0;
  if (!first && !last) there[axis] += step;
  return m->difference[axis][lh_ghosted(m, there[0], there[1], there[2])];
}

/* Where the gas is compressed; none where the differences change evenly. */
static double viscosity(const struct lh_mesh *m, int32_t at[LH_AXES], double density,
                        double sound) {
  double q = 0;
  for (int a = 0; a < LH_AXES; a++) {
    double d = m->difference[a][lh_ghosted(m, at[0], at[1], at[2])];
    if (d >= 0) continue;
    double low = difference_beside(m, a, at, -1) / d, high = difference_beside(m, a, at, 1) / d;
    double even = fmin(fmin(0.5 * (low + high), fmin(2 * low, 2 * high)), 1);
    double limit = 1 - fmax(even, 0);
    q += density * limit * -d * (VISCOSITY_LINEAR * sound + VISCOSITY_QUADRATIC * -d);
  }
  return q;
}

static void element_renew(struct lh_mesh *m, int32_t i, int32_t j, int32_t k) {
  uint64_t node[CORNERS], e = lh_element(m, i, j, k);
  int32_t at[LH_AXES] = {i, j, k};
  corners_of(m, i, j, k, node);
  double volume = element_volume(m, node);
  m->energy[e] -= m->pressure[e] * (volume - m->volume[e]);
  m->volume[e] = volume;
  double gas = (LH_GAMMA - 1) * m->energy[e] / volume, density = m->h * m->h * m->h / volume;
  m->pressure[e] = gas + viscosity(m, at, density, sqrt(LH_GAMMA * fabs(gas) / density));
}

/* A node of several blocks belongs to the one with the lowest number: to that in which it is not on
 * a low side that has a neighbor. */
static bool node_is_own(const struct lh_mesh *m, const int32_t at[LH_AXES]) {
  for (int a = 0; a < LH_AXES; a++)
    if (m->coord[a] > 0 && at[a] == 0) return false;
  return true;
}

/* Nodes on the planes through the origin stay there: the rest of the blast is its mirror image.
 * Others' nodes get their places from their owners. */
static void node_move(struct lh_mesh *m, const int32_t at[LH_AXES]) {
  uint64_t node = lh_node(m, at[0], at[1], at[2]);
  for (int a = 0; a < LH_AXES && node_is_own(m, at); a++) {
    if (m->coord[a] == 0 && at[a] == 0) continue;
    m->velocity[a][node] += m->force[a][node] / m->mass[node] * m->dt;
    m->position[a][node] += m->velocity[a][node] * m->dt;
  }
}

static int nodes_move(struct lh_mesh *m) {
  for (int32_t k = 0; k <= m->n; k++) {
    for (int32_t j = 0; j <= m->n; j++)
      for (int32_t i = 0; i <= m->n; i++) node_move(m, (const int32_t[]){i, j, k});
    LH_TRY(lh_spend(m, (uint64_t)(m->n + 1) * (uint64_t)(m->n + 1) * LH_NODE_NS));
  }
  return EYOT_OK;
}

int lh_start(struct lh_mesh *m) {
  int code = for_elements(m, 1, element_add_mass);
  return code != EYOT_OK ? code : lh_exchange(m, LH_MASS);
}

int lh_step(struct lh_mesh *m) {
  uint64_t nodes = lh_node(m, m->n, m->n, m->n) + 1;
  for (int a = 0; a < LH_AXES; a++) memset(m->force[a], 0, nodes * sizeof(double));
  int code = for_elements(m, LH_FORCE_NS, element_add_force);
  if (code == EYOT_OK) code = lh_exchange(m, LH_FORCE);
  if (code == EYOT_OK) code = nodes_move(m);
  if (code == EYOT_OK) code = lh_exchange(m, LH_SYNC);
  if (code == EYOT_OK) code = for_elements(m, 1, element_difference);
  if (code == EYOT_OK) code = lh_exchange(m, LH_DIFFERENCE);
  return code != EYOT_OK ? code : for_elements(m, LH_STATE_NS, element_renew);
}

struct lh_sums lh_sums(const struct lh_mesh *m) {
  struct lh_sums s = {0};
  for (int32_t k = 0; k <= m->n; k++)
    for (int32_t j = 0; j <= m->n; j++)
      for (int32_t i = 0; i <= m->n; i++) {
        const int32_t at[LH_AXES] = {i, j, k};
        uint64_t node = lh_node(m, i, j, k);
        for (int a = 0; a < LH_AXES && node_is_own(m, at); a++)
          s.kinetic += 0.5 * m->mass[node] * m->velocity[a][node] * m->velocity[a][node];
        if (i == m->n || j == m->n || k == m->n) continue;
        double energy = m->energy[lh_element(m, i, j, k)];
        s.internal += energy;
        s.weighted += energy * lh_weight(m, at);
      }
  return s;
}
