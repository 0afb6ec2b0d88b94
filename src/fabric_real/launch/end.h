/* SPDX-License-Identifier: BSD-3-Clause */
/* end.h - how a run ends when it does not end well. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_END_H
#define EYOT_FABRIC_REAL_LAUNCH_END_H

#include "fabric_real/endpoint/endpoint.h"

void fmpi_abort(struct fab *fab, int code, const char *reason)
    __attribute__((noreturn));                                           /* fab_ops */
void fmpi_exit_all(struct fab *fab, int code) __attribute__((noreturn)); /* fab_ops */
/* Called when this process has failed (rc, logged) and the others have not, or may not have. If it
 * has been started with others, ends the job and does not return; otherwise returns rc. f NULL: it
 * has no endpoint. */
int fmpi_end_start(struct fmpi *f, int rc);
/* Installs the handlers of exit and of fatal signals; called before MPI starts and again when it
 * has, because its libraries install some too. */
int fmpi_end_watch(struct fmpi *f);
/* Ends a progress process that has left MPI, with code 0. Exit handlers that MPI has registered
 * run: MPICH 4.2 leaves its launcher in one, which otherwise kills the job. Those of the program do
 * not. */
void fmpi_end_serve(struct fmpi *f) __attribute__((noreturn));
int fmpi_end_watch_finalize(struct fmpi *f); /* the handler of the program's MPI_Finalize */
void fmpi_end_unwatch(struct fmpi *f);
#endif
