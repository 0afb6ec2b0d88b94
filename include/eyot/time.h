/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/time.h - time, declared computation, progress, and named phases for the summary.
 *
 * On sim, time is virtual: only calls to the fabric and eyot_compute advance it. On mpi it is the
 * wall clock. No output mixes the two. Each function is called by one unit and does not wait for
 * others. Thread rule: that of eyot/init.h. */
#ifndef EYOT_TIME_H
#define EYOT_TIME_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_now_ns returns the nanoseconds since eyot_init on this unit (virtual on sim, wall clock on
 * mpi); 0 before init and after finalize. Makes progress. Cannot fail. */
EYOT_API uint64_t eyot_now_ns(void);

/* eyot_compute declares that the computation just done (or about to be done) costs `ns` nanoseconds
 * on the modeled machine. On sim virtual time advances by it (with --compute=measured the
 * declaration is ignored and the measured time counts); on mpi it only makes progress. Errors:
 * ESTATE, EINVAL (sim: beyond the end of virtual time), those of the fabric. */
EYOT_RET int eyot_compute(uint64_t ns);

/* eyot_progress lets the runtime make progress (docs/progress.md). Errors: ESTATE, those of the
 * fabric. */
EYOT_RET int eyot_progress(void);

/* eyot_phase starts the phase `name` (at most 31 characters; copied) on this unit and ends the one
 * before; NULL only ends it. The summary (--stats) shows the time per phase. At most 16 names a
 * unit. Errors: ESTATE, EINVAL (name too long), EBUSY (too many names), ENOMEM. */
EYOT_RET int eyot_phase(const char *name);

#ifdef __cplusplus
}
#endif
#endif
