/* SPDX-License-Identifier: BSD-3-Clause */
/* spin.h - calls of MPI that wait for other processes without giving way to them.
 *
 * Why it exists: MPICH's blocking collective calls (communicators, windows) spin until the other
 * processes have come. With more processes than processors each of their steps takes a time slice
 * of 4 ms of every process that spins, one call up to 0.25 s with 8 processes on 2 processors. */
#ifndef EYOT_FABRIC_REAL_WAIT_SPIN_H
#define EYOT_FABRIC_REAL_WAIT_SPIN_H

#include <signal.h>
#include <time.h>

#include "fabric_real/endpoint/endpoint.h"

struct fmpi_spin {
  volatile sig_atomic_t on;
  timer_t timer;
  struct sigaction before;
};

/* Between the two, this thread yields its processor now and then, if `lacking` (processors) and the
 * program does not use SIGURG itself. */
void fmpi_spin_begin(struct fmpi_spin *s, bool lacking);
void fmpi_spin_end(struct fmpi_spin *s);

/* FMPI_TRY for a call that spins. */
#define FMPI_TRY_SPINNING(f, call)                         \
  do {                                                     \
    struct fmpi_spin fmpi_spin_;                           \
    fmpi_spin_begin(&fmpi_spin_, (f)->job.oversubscribed); \
    int fmpi_rc_ = (call);                                 \
    fmpi_spin_end(&fmpi_spin_);                            \
    if (__builtin_expect(fmpi_rc_ != MPI_SUCCESS, 0))      \
      return fmpi_mpi_failed(__func__, #call, fmpi_rc_);   \
  } while (0)
#endif
