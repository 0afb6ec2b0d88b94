/* SPDX-License-Identifier: BSD-3-Clause */
/* md_force.c - lists of neighbors by bins, and Lennard-Jones forces. A pair of atoms of two units
 * is in the list of one of them, which computes its force for both: the other's part goes back with
 * the ghost. */
#include <stdlib.h>
#include <string.h>

#include "minimd.h"

enum { NO_ATOM = -1 };
enum { SPEND_EVERY = 256 }; /* atoms between two declarations of cost */

static uint32_t bin_on_axis(const struct md_system *s, int axis, double x) {
  const struct md_box *box = &s->box;
  double length = box->hi[axis] - box->lo[axis] + 2 * MD_REACH;
  double place = (x - box->lo[axis] + MD_REACH) / length * s->bins[axis];
  if (place < 0) return 0;
  return place >= s->bins[axis] ? s->bins[axis] - 1 : (uint32_t)place;
}

/* Bins are at least MD_REACH thick, so that all neighbors of an atom are in 27 of them. */
static int bins_make(struct md_system *s) {
  uint32_t bins = 1;
  for (int a = 0; a < MD_AXES; a++) {
    s->bins[a] = (uint32_t)((s->box.hi[a] - s->box.lo[a]) / MD_REACH) + 2;
    bins *= s->bins[a];
  }
  if (s->bin_first == NULL) s->bin_first = malloc(bins * sizeof *s->bin_first);
  if (s->bin_capacity < s->capacity) {
    free(s->bin_next);
    s->bin_next = malloc(s->capacity * sizeof *s->bin_next);
    free(s->first);
    s->first = malloc((s->capacity + 1) * sizeof *s->first);
    s->bin_capacity = s->capacity;
  }
  if (s->bin_first == NULL || s->bin_next == NULL || s->first == NULL)
    return md_fail("private memory for lists of neighbors", EYOT_ENOMEM);
  memset(s->bin_first, NO_ATOM, bins * sizeof *s->bin_first);
  for (uint32_t i = 0; i < s->all; i++) {
    const double *x = s->x + MD_AXES * i;
    uint32_t bin = bin_on_axis(s, 0, x[0]) +
                   s->bins[0] * (bin_on_axis(s, 1, x[1]) + s->bins[1] * bin_on_axis(s, 2, x[2]));
    s->bin_next[i] = s->bin_first[bin];
    s->bin_first[bin] = i;
  }
  return EYOT_OK;
}

/* Whether the pair belongs to the list of atom i. Of a pair with a ghost both owners see the same
 * two points with the parts exchanged, so that one of them finds the ghost to be the later one. */
static bool pair_is_mine(const struct md_system *s, uint32_t i, uint32_t j) {
  if (j < s->local) return j > i;
  const double *a = s->x + MD_AXES * i, *b = s->x + MD_AXES * j;
  for (int axis = MD_AXES - 1; axis > 0; axis--)
    if (b[axis] != a[axis]) return b[axis] > a[axis];
  return b[0] > a[0];
}

static double distance2(const struct md_system *s, uint32_t i, uint32_t j) {
  const double *a = s->x + MD_AXES * i, *b = s->x + MD_AXES * j;
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

static int near_add(struct md_system *s, uint32_t at, uint32_t j) {
  if (at >= s->near_capacity) {
    uint32_t capacity = s->near_capacity + s->near_capacity / 2 + 1024;
    uint32_t *grown = realloc(s->near, capacity * sizeof *grown);
    if (grown == NULL) return md_fail("private memory for lists of neighbors", EYOT_ENOMEM);
    s->near = grown;
    s->near_capacity = capacity;
  }
  s->near[at] = j;
  return EYOT_OK;
}

/* The neighbors of atom i in one bin, from near[*at] on. */
static int near_in_bin(struct md_system *s, uint32_t i, uint32_t bin, uint32_t *at,
                       uint64_t *candidates) {
  for (uint32_t j = s->bin_first[bin]; j != (uint32_t)NO_ATOM; j = s->bin_next[j]) {
    ++*candidates;
    if (j == i || !pair_is_mine(s, i, j) || distance2(s, i, j) > MD_REACH * MD_REACH) continue;
    int code = near_add(s, *at, j);
    if (code != EYOT_OK) return code;
    ++*at;
  }
  return EYOT_OK;
}

static int near_of_atom(struct md_system *s, uint32_t i, uint32_t *at, uint64_t *candidates) {
  uint32_t from[MD_AXES], to[MD_AXES];
  for (int a = 0; a < MD_AXES; a++) {
    uint32_t bin = bin_on_axis(s, a, s->x[MD_AXES * i + (uint32_t)a]);
    from[a] = bin > 0 ? bin - 1 : 0;
    to[a] = bin + 1 < s->bins[a] ? bin + 1 : bin;
  }
  for (uint32_t z = from[2]; z <= to[2]; z++)
    for (uint32_t y = from[1]; y <= to[1]; y++)
      for (uint32_t x = from[0]; x <= to[0]; x++) {
        uint32_t bin = x + s->bins[0] * (y + s->bins[1] * z);
        int code = near_in_bin(s, i, bin, at, candidates);
        if (code != EYOT_OK) return code;
      }
  return EYOT_OK;
}

int md_neighbors(struct md_system *s) {
  uint32_t at = 0;
  uint64_t candidates = 0;
  int code = bins_make(s);
  for (uint32_t i = 0; i < s->local && code == EYOT_OK; i++) {
    s->first[i] = at;
    code = near_of_atom(s, i, &at, &candidates);
    if (code != EYOT_OK || i % SPEND_EVERY != 0) continue;
    MD_TRY(md_spend(s, candidates * MD_CANDIDATE_NS));
    candidates = 0;
  }
  s->first[s->local] = at;
  return code != EYOT_OK ? code : md_spend(s, candidates * MD_CANDIDATE_NS);
}

static double force_of_atom(struct md_system *s, uint32_t i) {
  const double *x = s->x + MD_AXES * i;
  double sum[MD_AXES] = {0}, potential = 0;
  for (uint32_t n = s->first[i]; n < s->first[i + 1]; n++) {
    const double *y = s->x + MD_AXES * s->near[n];
    double *back = s->f + MD_AXES * s->near[n];
    double d[MD_AXES] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 >= MD_CUTOFF * MD_CUTOFF) continue;
    double inverse2 = 1 / r2, inverse6 = inverse2 * inverse2 * inverse2;
    double force = 48 * inverse6 * (inverse6 - 0.5) * inverse2;
    potential += 4 * inverse6 * (inverse6 - 1);
    for (int a = 0; a < MD_AXES; a++) {
      sum[a] += d[a] * force;
      back[a] -= d[a] * force;
    }
  }
  for (uint32_t a = 0; a < MD_AXES; a++) s->f[MD_AXES * i + a] += sum[a];
  return potential;
}

int md_force(struct md_system *s) {
  uint32_t spent = 0;
  memset(s->f, 0, (size_t)s->all * MD_AXES * sizeof(double));
  s->potential = 0;
  for (uint32_t i = 0; i < s->local; i++) {
    s->potential += force_of_atom(s, i);
    if (i % SPEND_EVERY != SPEND_EVERY - 1 && i + 1 < s->local) continue;
    MD_TRY(md_spend(s, (uint64_t)(s->first[i + 1] - spent) * MD_PAIR_NS));
    spent = s->first[i + 1];
  }
  return EYOT_OK;
}
