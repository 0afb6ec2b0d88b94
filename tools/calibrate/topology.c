/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - the machine's shape, by hwloc where eyot was built with it. See topology.h. */
#include "calibrate/topology.h"

#include <sched.h>
#include <unistd.h>
#ifdef EYOT_HWLOC
#include <hwloc.h>
#endif

static uint32_t numa_domains(void) {
#ifdef EYOT_HWLOC
  hwloc_topology_t t;
  int n = 0;
  if (hwloc_topology_init(&t) != 0) return 1;
  if (hwloc_topology_load(t) == 0) n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
  hwloc_topology_destroy(t);
  return n > 0 ? (uint32_t)n : 1;
#else
  return 1;
#endif
}

void topology_read(uint32_t *processors, uint32_t *numa) {
  cpu_set_t allowed;
  long n = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                               : sysconf(_SC_NPROCESSORS_ONLN);
  *processors = n > 0 ? (uint32_t)n : 1;
  *numa = numa_domains();
  if (*processors % *numa != 0) *numa = 1;
}
