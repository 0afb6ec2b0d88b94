/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c - see nodes.h. It takes one entry for each run of consecutive nodes with equally many
 * units: one for a usual job, however large. */
#include "fabric_real/endpoint/nodes.h"

#include "fabric_real/endpoint/endpoint.h"

static const struct fmpi_run *launch_run_of(const struct fmpi *f, fab_unit_t unit) {
  uint32_t low = 0, high = f->nodes.n;
  while (high - low > 1) {
    uint32_t mid = low + (high - low) / 2;
    if (f->nodes.runs[mid].unit <= unit)
      low = mid;
    else
      high = mid;
  }
  return &f->nodes.runs[low];
}

void fmpi_home(const struct fmpi *f, fab_unit_t unit, uint32_t *node, fab_unit_t *first) {
  const struct fmpi_run *r = launch_run_of(f, unit);
  uint32_t k = (unit - r->unit) / r->size;
  *node = r->node + k;
  *first = r->unit + k * r->size;
}

int fmpi_rank_of(const struct fmpi *f, fab_unit_t unit) {
  uint32_t node;
  fab_unit_t first;
  if (f->job.servers == 0) return (int)unit;
  fmpi_home(f, unit, &node, &first);
  return (int)(f->fab.n + node * f->job.servers + (unit - first) % f->job.servers);
}

/* All nodes have as many units, but for a last one with fewer. */
uint32_t fmpi_per_node(const struct fab *fab) {
  const struct fmpi *f = fmpi_of((struct fab *)(uintptr_t)fab);
  const struct fmpi_run *first = &f->nodes.runs[0], *last = &f->nodes.runs[f->nodes.n - 1];
  bool rest = f->nodes.n == 2 && last->count == 1 && last->size < first->size;
  return f->nodes.n == 1 || rest ? first->size : 0;
}

int fmpi_locate(struct fab *fab, fab_unit_t unit, eyot_place_t *place) {
  const struct fmpi *f = fmpi_of(fab);
  if (unit >= fab->n) return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", unit, fab->n);
  uint32_t node;
  fab_unit_t first;
  fmpi_home(f, unit, &node, &first);
  for (uint32_t level = EYOT_DOMAIN_NUMA; level < EYOT_DOMAIN_MACHINE; level++)
    place->id[level] = node;
  place->id[EYOT_DOMAIN_UNIT] = unit;
  place->id[EYOT_DOMAIN_MACHINE] = 0;
  return EYOT_OK;
}
