/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.c - samples by kind. See samples.h. */
#include "calibrate/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct samples_kind *kind_of(struct samples *s, const char *name) {
  for (uint32_t i = 0; i < s->n; i++)
    if (strcmp(s->kind[i].name, name) == 0) return &s->kind[i];
  if (s->n == SAMPLES_KINDS) return NULL;
  struct samples_kind *k = &s->kind[s->n++];
  *k = (struct samples_kind){0};
  snprintf(k->name, sizeof k->name, "%s", name);
  return k;
}

bool samples_line(struct samples *s, const char *line) {
  char name[SAMPLES_NAME];
  double value;
  if (sscanf(line, "sample %31s %lf", name, &value) != 2 || !isfinite(value) || value < 0)
    return false;
  struct samples_kind *k = kind_of(s, name);
  if (k == NULL) return false;
  if (k->n == k->cap) {
    uint32_t cap = k->cap == 0 ? 64 : 2 * k->cap;
    double *v = realloc(k->v, cap * sizeof *v);
    if (v == NULL) return false;
    k->v = v, k->cap = cap;
  }
  k->v[k->n++] = value;
  return true;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Between the two values around that part of them. */
static double quantile(const double *v, uint32_t n, double part) {
  double at = part * (n - 1);
  uint32_t i = (uint32_t)at;
  return i + 1 < n ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[i];
}

bool samples_spread(const struct samples *s, const char *name, struct spread *out) {
  for (uint32_t i = 0; i < s->n; i++) {
    const struct samples_kind *k = &s->kind[i];
    if (strcmp(k->name, name) != 0) continue;
    qsort(k->v, k->n, sizeof *k->v, ascending);
    *out = (struct spread){quantile(k->v, k->n, 0.5), quantile(k->v, k->n, 0.25),
                           quantile(k->v, k->n, 0.75), k->n};
    return true;
  }
  return false;
}

void samples_free(struct samples *s) {
  for (uint32_t i = 0; i < s->n; i++) free(s->kind[i].v);
  s->n = 0;
}
