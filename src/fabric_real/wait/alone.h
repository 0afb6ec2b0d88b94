/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.h - calls of MPI that the unit makes while its progress thread is outside MPI.
 *
 * Why it exists: Open MPI 4.1 over UCX starts the operation that completes a request, and only then
 * notes of which request: one that is complete by then, because another thread let MPI work, is
 * never reported. It also counts what is incomplete without atomics, and lets nothing progress at a
 * count of 0. So transfers with a request begin here (launch/vendor.h says with which MPI). */
#ifndef EYOT_FABRIC_REAL_WAIT_ALONE_H
#define EYOT_FABRIC_REAL_WAIT_ALONE_H

#include <sched.h>

#include "fabric_real/endpoint/endpoint.h"

/* The holder waits for nothing that the other one does. NULL: there is no progress thread, or this
 * MPI does not need it. */
static inline void fmpi_alone_begin(bool *alone) {
  while (alone != NULL && __atomic_exchange_n(alone, true, __ATOMIC_ACQUIRE)) sched_yield();
}

static inline void fmpi_alone_end(bool *alone) {
  if (alone != NULL) __atomic_store_n(alone, false, __ATOMIC_RELEASE);
}

/* FMPI_TRY for a call that is made so. */
#define FMPI_TRY_ALONE(alone, call)                            \
  do {                                                         \
    fmpi_alone_begin(alone);                                   \
    int fmpi_alone_rc_ = (call);                               \
    fmpi_alone_end(alone);                                     \
    if (__builtin_expect(fmpi_alone_rc_ != MPI_SUCCESS, 0))    \
      return fmpi_mpi_failed(__func__, #call, fmpi_alone_rc_); \
  } while (0)
#endif
