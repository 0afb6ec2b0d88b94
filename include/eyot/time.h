/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/time.h - time, declared computation, and named phases for the summary.
 *
 * On sim, time is virtual: it advances by fabric calls and by eyot_compute only. On mpi it is the wall clock. No output mixes the two. */
#ifndef EYOT_TIME_H
#define EYOT_TIME_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since init on this unit; virtual on sim, wall clock on mpi. 0 before init. Makes progress. */
EYOT_API uint64_t eyot_now_ns(void);

/* Declares that the computation just done (or about to be) costs `ns` on the modelled machine. On sim virtual time advances by it (with
 * --compute=measured the declaration is ignored and the measured time counts); on mpi it only makes progress. Errors: ESTATE. */
EYOT_API int eyot_compute(uint64_t ns);

/* Lets the runtime make progress. Errors: ESTATE. */
EYOT_API int eyot_progress(void);

/* Starts the phase `name` (at most 31 characters) on this unit and ends the one before; NULL ends it. Time spent per phase is shown in the
 * summary (--stats). At most 16 names a program. Errors: ESTATE, EINVAL (name too long), EBUSY (too many names). */
EYOT_API int eyot_phase(const char *name);

#ifdef __cplusplus
}
#endif
#endif
