/* SPDX-License-Identifier: BSD-3-Clause */
/* md_system.c - the atoms of one unit, from the lattice on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "minimd.h"

int md_spend(const struct md_system *s, uint64_t ns) {
  /* The serial run is no part of the program, but other units need progress meanwhile. */
  if (s->alone) return eyot_progress();
  return eyot_compute(ns);
}

/* Frees *p, private or shared. */
static int memory_free(const struct md_system *s, void *p) {
  if (s->variant != NULL && s->variant->shared)
    MD_TRY(eyot_sheap_free(p));
  else
    free(p);
  return EYOT_OK;
}

int md_resize(const struct md_system *s, void **p, uint64_t old_bytes, uint64_t bytes) {
  void *grown = NULL;
  if (s->variant == NULL || !s->variant->shared) {
    grown = realloc(*p, bytes);
    if (grown == NULL) return md_fail("private memory for atoms", EYOT_ENOMEM);
  } else {
    MD_TRY(eyot_sheap_alloc(bytes, &grown));
    if (old_bytes > 0) memcpy(grown, *p, old_bytes);
    MD_TRY(eyot_sheap_free(*p));
  }
  *p = grown;
  return EYOT_OK;
}

static int array_grow(const struct md_system *s, double **array, uint32_t atoms) {
  const uint64_t bytes = MD_AXES * sizeof(double);
  void *p = *array;
  int code = md_resize(s, &p, s->capacity * bytes, atoms * bytes);
  *array = p;
  return code;
}

int md_system_reserve(struct md_system *s, uint32_t atoms) {
  if (atoms <= s->capacity) return EYOT_OK;
  uint32_t capacity = atoms + atoms / 2;
  int code = array_grow(s, &s->x, capacity);
  if (code == EYOT_OK) code = array_grow(s, &s->v, capacity);
  if (code == EYOT_OK) code = array_grow(s, &s->f, capacity);
  if (code == EYOT_OK) s->capacity = capacity;
  return code;
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014), as a number from -1/2 to 1/2. */
static double random_number(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-53 - 0.5;
}

static bool box_has(const struct md_box *box, const double x[MD_AXES]) {
  for (int a = 0; a < MD_AXES; a++)
    if (x[a] < box->lo[a] || x[a] >= box->hi[a]) return false;
  return true;
}

/* The atom at a point of the lattice, in half cells, if there is one and it is this unit's: a cube
 * with an atom at each corner and in the middle of each face has those whose sum is even. */
static int lattice_atom(struct md_system *s, uint32_t i, uint32_t j, uint32_t k) {
  const struct md_box *box = &s->box;
  uint64_t points = 2 * (uint64_t)box->cells, id = i + points * (j + points * k);
  double half = box->size / (double)points;
  const double x[MD_AXES] = {i * half, j * half, k * half};
  if ((i + j + k) % 2 != 0 || !box_has(box, x)) return EYOT_OK;
  int code = md_system_reserve(s, s->local + 1);
  if (code != EYOT_OK) return code;
  for (uint32_t a = 0; a < MD_AXES; a++) {
    s->x[MD_AXES * s->local + a] = x[a];
    s->v[MD_AXES * s->local + a] = random_number(MD_AXES * id + a + 1);
  }
  s->local++;
  return EYOT_OK;
}

/* A range of points that has all of this unit's. */
static void lattice_range(const struct md_box *box, int axis, uint32_t *from, uint32_t *to) {
  double points = 2.0 * box->cells;
  double low = floor(box->lo[axis] / box->size * points) - 1;
  double high = ceil(box->hi[axis] / box->size * points) + 1;
  *from = low < 0 ? 0 : (uint32_t)low;
  *to = high > points ? (uint32_t)points : (uint32_t)high;
}

static int lattice_fill(struct md_system *s) {
  uint32_t from[MD_AXES], to[MD_AXES];
  for (int a = 0; a < MD_AXES; a++) lattice_range(&s->box, a, &from[a], &to[a]);
  for (uint32_t k = from[2]; k < to[2]; k++)
    for (uint32_t j = from[1]; j < to[1]; j++)
      for (uint32_t i = from[0]; i < to[0]; i++) {
        int code = lattice_atom(s, i, j, k);
        if (code != EYOT_OK) return code;
      }
  return EYOT_OK;
}

/* Momentum and twice the kinetic energy, of all units unless alone. */
static int velocity_sums(const struct md_system *s, double sum[MD_AXES + 1]) {
  double mine[MD_AXES + 1] = {0};
  for (uint32_t i = 0; i < s->local; i++)
    for (uint32_t a = 0; a < MD_AXES; a++) {
      double v = s->v[MD_AXES * i + a];
      mine[a] += v;
      mine[MD_AXES] += v * v;
    }
  for (int a = 0; a <= MD_AXES; a++) sum[a] = mine[a];
  if (!s->alone)
    MD_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, mine, sum, MD_AXES + 1));
  return EYOT_OK;
}

static int velocity_adjust(struct md_system *s) {
  double sum[MD_AXES + 1], n = (double)md_box_atoms(&s->box);
  int code = velocity_sums(s, sum);
  if (code != EYOT_OK) return code;
  double mean[MD_AXES], square = sum[MD_AXES];
  for (uint32_t a = 0; a < MD_AXES; a++) {
    mean[a] = sum[a] / n;
    square -= sum[a] * mean[a];
  }
  double scale = sqrt(MD_TEMPERATURE * MD_AXES * n / square);
  for (uint32_t i = 0; i < MD_AXES * s->local; i++) s->v[i] = (s->v[i] - mean[i % MD_AXES]) * scale;
  return EYOT_OK;
}

/* The copies that one swap may make: a slab of MD_REACH with its edges, at twice the mean density,
 * and some for small slabs. */
static uint32_t most_of_swap(const struct md_box *box) {
  double most = 0;
  for (int a = 0; a < MD_AXES; a++) {
    double b = box->size / box->parts[(a + 1) % MD_AXES] + 2 * MD_REACH;
    double c = box->size / box->parts[(a + 2) % MD_AXES] + 2 * MD_REACH;
    most = fmax(most, 2 * MD_DENSITY * MD_REACH * b * c);
  }
  return (uint32_t)most + 64;
}

int md_system_open(struct md_system *s) {
  int code = lattice_fill(s);
  if (code == EYOT_OK) code = velocity_adjust(s);
  if (code != EYOT_OK) return code;
  s->swap_most = most_of_swap(&s->box);
  md_swap_init(s);
  return s->variant != NULL ? s->variant->open(s) : EYOT_OK;
}

int md_system_close(struct md_system *s) {
  int code = EYOT_OK;
  for (int i = 0; i < MD_SWAPS && code == EYOT_OK; i++) code = memory_free(s, s->swap[i].list);
  free(s->bin_next);
  free(s->bin_first);
  free(s->near);
  free(s->first);
  if (code == EYOT_OK) code = memory_free(s, s->f);
  if (code == EYOT_OK) code = memory_free(s, s->v);
  if (code == EYOT_OK) code = memory_free(s, s->x);
  return code;
}
