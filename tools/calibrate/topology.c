/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - the machine's shape, by hwloc where eyot was built with it. See topology.h. */
#include "calibrate/topology.h"

#include <sched.h>
#include <stdio.h>
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

/* Reads the first number of a file of this cache; 0: there is none. */
static unsigned cache_number(unsigned index, const char *name, char *unit) {
  char path[96];
  unsigned value = 0;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, name);
  FILE *in = fopen(path, "r");
  if (in == NULL) return 0;
  if (fscanf(in, "%u%c", &value, unit) < 1) value = 0;
  (void)fclose(in);
  return value;
}

uint32_t topology_cache(uint32_t level, const char **from) {
  enum { CACHES_MAX = 8, USUAL_2 = 1 << 20, USUAL_3 = 1 << 25, MOST = 1 << 25 };
  for (unsigned i = 0; i < CACHES_MAX; i++) {
    char unit = ' ';
    if (cache_number(i, "level", &unit) != level) continue;
    unsigned kib = cache_number(i, "size", &unit);
    if (kib == 0 || unit != 'K') continue;
    *from = kib > MOST >> 10 ? "the processor's cache is larger; half of the table for far_*_2"
                             : "the processor's cache, as the system says";
    return kib > MOST >> 10 ? MOST : kib << 10;
  }
  *from = "assumed: the system does not say";
  return level == 2 ? USUAL_2 : USUAL_3;
}
