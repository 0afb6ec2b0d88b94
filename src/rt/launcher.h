/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - tells the launcher that this process gives up, so that it ends the job. For init and
 * the fabrics, before MPI works in this process; afterwards MPI_Abort does it.
 *
 * Why it exists: a process that leaves before MPI_Init leaves the others waiting inside it. MPICH's
 * launcher does not end them if it leaves with a code, Slurm not even if it crashes. */
#ifndef EYOT_RT_LAUNCHER_H
#define EYOT_RT_LAUNCHER_H

#include <eyot/types.h>

/* A variable by which a launcher tells its processes how many they are. */
struct eyoti_launcher {
  const char *variable;
  const char *name;
};
/* The launchers that eyot knows: [EYOTI_LAUNCHER_MPICH], [EYOTI_LAUNCHER_OPENMPI] and others; NULL
 * after the last. */
EYOT_API const struct eyoti_launcher *eyoti_launcher_at(uint32_t index);
#define EYOTI_LAUNCHER_MPICH 0u
#define EYOTI_LAUNCHER_OPENMPI 1u

/* The number of processes of the job, as its launcher tells it; 1: started without one; UINT32_MAX:
 * there is one that does not tell. */
EYOT_API uint32_t eyoti_launcher_processes(void);
/* The number of those on this machine; 0: unknown. */
EYOT_API uint32_t eyoti_launcher_local_processes(void);
/* This process's number in the job; UINT32_MAX: unknown. */
EYOT_API uint32_t eyoti_launcher_rank(void);
/* The descriptor on which MPICH's process management interface has left the process (PMI_FD); -1:
 * none. */
EYOT_API int eyoti_launcher_descriptor(void);
/* Asks the launcher to end the job with `code`, by the interface that it offers: PMI, on a
 * descriptor or a port, or PMIx. Returns when it has been told, or offers none. Any process, once;
 * MPI may be starting in it. Called in handlers of fatal signals too. */
EYOT_API void eyoti_launcher_abort(int code);
#endif
