/* SPDX-License-Identifier: BSD-3-Clause */
/* detect.c - allocates and frees the state of all detectors. See detect.h. */
#include "fabric_sim/explore/detect.h"

#include <stdlib.h>

#include "fabric_sim/explore/owners.h"

struct sim_detect *sim_detect_new(uint32_t n_units) {
  struct sim_detect *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  *d = (struct sim_detect){sim_detect_ops_new(),
                           sim_detect_ranges_new(n_units),
                           sim_detect_resources_new(n_units),
                           sim_detect_colls_new(),
                           sim_owners_new(),
                           sim_detect_sources_new()};
  if (d->ops != NULL && d->ranges != NULL && d->resources != NULL && d->colls != NULL &&
      d->owners != NULL && d->sources != NULL)
    return d;
  sim_detect_delete(d);
  return NULL;
}

void sim_detect_delete(struct sim_detect *d) {
  if (d == NULL) return;
  sim_detect_ops_delete(d->ops);
  sim_detect_ranges_delete(d->ranges);
  sim_detect_resources_delete(d->resources);
  sim_detect_colls_delete(d->colls);
  sim_owners_delete(d->owners);
  sim_detect_sources_delete(d->sources);
  free(d);
}
