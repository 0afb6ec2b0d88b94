/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_limits.c - reads the limits of this machine on files and memory for mpi_limits.h. */
#include "mpi_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/conf.h"
#include "tool.h"

/* MPICH's process manager uses four descriptors a process (measured with ulimit -n 32, 64, 128),
 * and some of its own. */
#define DESCRIPTORS_A_UNIT 4u
#define DESCRIPTORS_OWN 12u
/* memory of a process of MPICH 4.0 before it does any work */
#define UNIT_BYTES (8u << 20)

bool mpi_limits_one_machine(void) {
  static const char *const ELSEWHERE[] = {"HYDRA_HOST_FILE", "SLURM_JOB_ID",  "PBS_JOBID",
                                          "PBS_NODEFILE",    "LSB_JOBID",     "PE_HOSTFILE",
                                          "COBALT_NODEFILE", "LOADL_HOSTFILE"};
  for (size_t i = 0; i < sizeof ELSEWHERE / sizeof ELSEWHERE[0]; i++)
    if (eyoti_conf_foreign_env(ELSEWHERE[i]) != NULL) return false;
  return true;
}

static bool refuse(uint64_t units, const char *limit, uint64_t value, uint64_t fit,
                   const char *raise) {
  fprintf(stderr,
          "eyotrun: %" PRIu64 " MPI processes are too many for this machine: %s is %" PRIu64
          ", %" PRIu64 " would fit; %s, name more machines with --hosts A,B, or use --fabric sim\n",
          units, limit, value, fit, raise);
  return false;
}

static uint64_t memory_available(void) {
  uint64_t kib = UINT64_MAX / 1024;
  FILE *f = fopen("/proc/meminfo", "re");
  if (f == NULL) return UINT64_MAX;
  char line[128];
  while (fgets(line, sizeof line, f) != NULL)
    if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1) break;
  fclose(f);
  return kib * 1024;
}

bool mpi_limits_check(uint64_t units) {
  struct rlimit r;
  if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur != RLIM_INFINITY &&
      units * DESCRIPTORS_A_UNIT + DESCRIPTORS_OWN > r.rlim_cur)
    return refuse(
        units, "the limit of open files (ulimit -n)", r.rlim_cur,
        r.rlim_cur > DESCRIPTORS_OWN ? (r.rlim_cur - DESCRIPTORS_OWN) / DESCRIPTORS_A_UNIT : 0,
        "raise it with ulimit -n");
  if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &r) == 0 && r.rlim_cur != RLIM_INFINITY &&
      units > r.rlim_cur)
    return refuse(units, "the limit of processes of a user (ulimit -u)", r.rlim_cur, r.rlim_cur,
                  "raise it with ulimit -u");
  uint64_t have = memory_available();
  if (units > have / UNIT_BYTES)
    return refuse(units, "available memory (MiB)", have >> 20, have / UNIT_BYTES, "free some");
  return true;
}

void mpi_limits_warn(uint64_t processes, uint64_t units, const char *program) {
  uint64_t processors = tool_processors();
  if (processes <= MPI_LIMITS_FEW || processes <= processors * MPI_LIMITS_A_PROCESSOR) return;
  fprintf(stderr,
          "eyotrun: warning: %" PRIu64 " MPI processes on %" PRIu64
          " processor%s of this machine start and run slowly; to simulate them instead: eyotrun -n "
          "%" PRIu64 " --fabric sim %s\n",
          processes, processors, processors == 1 ? "" : "s", units, program);
}
