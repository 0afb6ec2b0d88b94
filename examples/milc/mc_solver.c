/* SPDX-License-Identifier: BSD-3-Clause */
/* mc_solver.c - conjugate gradients (Hestenes, Stiefel 1952) for A = 1 - D D, which is Hermitian,
 * with eigenvalues from 1 to 17. */
#include <math.h>
#include <string.h>

#include "milc.h"

#define LARGEST_EIGENVALUE 17.0

/* The sum over all units. */
static int sum_all(struct mc_lattice *l, double mine, double *all) {
  *all = mine;
  l->allreduces++;
  if (l->alone) return EYOT_OK;
  uint64_t begin = eyot_now_ns();
  MC_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, &mine, all, 1));
  l->communication_ns += eyot_now_ns() - begin;
  return EYOT_OK;
}

/* The real part of a^H b; of Hermitian forms it is all. */
static double product(const struct mc_lattice *l, const mc_vector_t *a, const mc_vector_t *b) {
  double sum = 0;
  for (uint32_t site = 0; site < l->sites; site++)
    for (int i = 0; i < MC_COLORS; i++) sum += creal(conj(a[site].c[i]) * b[site].c[i]);
  return sum;
}

/* to = from + factor * v */
static void combine(const struct mc_lattice *l, mc_vector_t *to, const mc_vector_t *from,
                    double factor, const mc_vector_t *v) {
  for (uint32_t site = 0; site < l->sites; site++)
    for (int i = 0; i < MC_COLORS; i++) to[site].c[i] = from[site].c[i] + factor * v[site].c[i];
}

static int apply(struct mc_lattice *l, const mc_vector_t *from, mc_vector_t *to) {
  int code = mc_operator(l, from, l->dp);
  if (code == EYOT_OK) code = mc_operator(l, l->dp, to);
  if (code != EYOT_OK) return code;
  for (uint32_t site = 0; site < l->sites; site++)
    for (int i = 0; i < MC_COLORS; i++) to[site].c[i] = from[site].c[i] - to[site].c[i];
  return mc_spend(l, (uint64_t)l->sites * MC_VECTOR_NS);
}

int mc_solver_start(struct mc_lattice *l) {
  memcpy(l->r, l->b, l->sites * sizeof *l->b);
  memcpy(l->p, l->b, l->sites * sizeof *l->b);
  int code = sum_all(l, product(l, l->r, l->r), &l->rr);
  l->rr_start = l->rr;
  return code;
}

int mc_solver_step(struct mc_lattice *l) {
  double pap = 0, rr = 0;
  int code = apply(l, l->p, l->ap);
  if (code == EYOT_OK) code = sum_all(l, product(l, l->p, l->ap), &pap);
  if (code != EYOT_OK) return code;
  combine(l, l->x, l->x, l->rr / pap, l->p);
  combine(l, l->r, l->r, -l->rr / pap, l->ap);
  code = sum_all(l, product(l, l->r, l->r), &rr);
  combine(l, l->p, l->r, rr / l->rr, l->p);
  l->rr = rr;
  return code != EYOT_OK ? code : mc_spend(l, (uint64_t)l->sites * 3 * MC_VECTOR_NS);
}

int mc_solver_residual(struct mc_lattice *l, double *residual) {
  double rr = 0;
  int code = apply(l, l->x, l->ap);
  combine(l, l->ap, l->b, -1, l->ap);
  if (code == EYOT_OK) code = sum_all(l, product(l, l->ap, l->ap), &rr);
  *residual = sqrt(rr / l->rr_start);
  return code;
}

double mc_solver_bound(uint32_t steps) {
  double root = sqrt(LARGEST_EIGENVALUE);
  return 2 * root * pow((root - 1) / (root + 1), steps);
}
