/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.c - computes how many units memory, address space and the map limit can hold. See
 * limits.h. */
#include "fabric_sim/engine/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/check.h"

#define MAPS_RESERVE 2000u /* for libraries, segments, the allocator */
/* touched by a small program: stack, heap with control words, the unit itself (docs/adr/0110);
 * 11.4 to 12 KiB at the start, 12.4 to 12.9 after an allocation, a lock and an allreduce */
#define UNIT_BYTES 12800u
#define COPY_BYTES 24576u          /* its copy of a small program: 25 KiB at the start */
#define FIXED_BYTES (64ull << 20)  /* the process itself */
#define ADDRESS_BYTES (1ull << 46) /* half of what a process may map */
#define DEFAULT_MAPS 65530u
/* stacks that the user has not set a size of: all together, the largest, and their step */
#define STACKS_BYTES (1ull << 30)
#define STACK_MOST (8ull << 20)
#define STACK_STEP (64ull << 10)

bool sim_limits_guards(uint32_t n_units) {
  return n_units <= SIM_GUARDED_UNITS_MAX;
}

/* Returns the number after `key` in a file of /proc, or `otherwise`. */
static uint64_t proc_number(const char *path, const char *key, uint64_t otherwise) {
  FILE *f = fopen(path, "r");
  if (f == NULL) return otherwise;
  /* Without memory for a buffer the C library reads by single bytes, and a file of /proc gives its
   * first one only. */
  char buffer[1024], line[256], form[64];
  (void)setvbuf(f, buffer, _IOFBF, sizeof buffer);
  snprintf(form, sizeof form, "%s%%" SCNu64, key);
  uint64_t v = otherwise;
  bool found = false;
  while (!found && fgets(line, sizeof line, f) != NULL) found = sscanf(line, form, &v) == 1;
  fclose(f);
  return found ? v : otherwise;
}

uint64_t sim_limits_stack(uint32_t n_units) {
  struct rlimit as;
  uint64_t fair = STACKS_BYTES / n_units;
  if (getrlimit(RLIMIT_AS, &as) == 0 && as.rlim_cur != RLIM_INFINITY) return 0;
  /* with 2 the system counts address space as memory */
  if (proc_number("/proc/sys/vm/overcommit_memory", "", 0) == 2) return 0;
  return fair > STACK_MOST ? STACK_MOST : fair / STACK_STEP * STACK_STEP;
}

static uint64_t memory_bytes(void) {
  uint64_t free_kb = proc_number("/proc/meminfo", "MemAvailable: ", UINT64_MAX / 1024);
  uint64_t group = proc_number("/sys/fs/cgroup/memory.max", "", UINT64_MAX);
  uint64_t free_bytes = free_kb * 1024;
  return free_bytes < group ? free_bytes : group;
}

static int limits_refuse(uint32_t n, const char *limit, uint64_t fit, const char *raise) {
  return EYOTI_FAIL(EYOT_ERANGE, "%u units are too many: %s; about %" PRIu64 " would fit; %s", n,
                    limit, fit, raise);
}

int sim_limits_check(const struct sim_options *o) {
  if (o->n_units == 0)
    return EYOTI_FAIL(EYOT_EINVAL, "a run needs at least one unit; give -n UNITS or EYOT_N");
  char limit[160];
  uint64_t unit = UNIT_BYTES + (o->shared_globals ? 0 : COPY_BYTES);
  uint64_t have = memory_bytes(), need = FIXED_BYTES + (uint64_t)o->n_units * unit;
  if (need > have) {
    snprintf(limit, sizeof limit,
             "memory: they need %" PRIu64 " MB at least, %" PRIu64 " MB are available", need >> 20,
             have >> 20);
    return limits_refuse(o->n_units, limit, have > FIXED_BYTES ? (have - FIXED_BYTES) / unit : 0,
                         "use a machine, or a container limit, with more memory");
  }
  struct rlimit as;
  uint64_t space =
      getrlimit(RLIMIT_AS, &as) == 0 && as.rlim_cur < ADDRESS_BYTES ? as.rlim_cur : ADDRESS_BYTES;
  if (o->stack_bytes > space / o->n_units) {
    snprintf(limit, sizeof limit,
             "address space: stacks of %" PRIu64 " bytes, %" PRIu64 " MB may be mapped",
             o->stack_bytes, space >> 20);
    return limits_refuse(o->n_units, limit, space / o->stack_bytes,
                         "lower EYOT_STACK_SIZE or raise ulimit -v");
  }
  uint64_t maps = proc_number("/proc/sys/vm/max_map_count", "", DEFAULT_MAPS);
  uint64_t fit = maps > MAPS_RESERVE ? (maps - MAPS_RESERVE) / 2 : 0;
  if (sim_limits_guards(o->n_units) && o->n_units > fit) {
    snprintf(limit, sizeof limit,
             "vm.max_map_count is %" PRIu64 ", a guarded stack takes two mappings", maps);
    return limits_refuse(o->n_units, limit, fit, "raise it with sysctl -w vm.max_map_count=262144");
  }
  return EYOT_OK;
}
