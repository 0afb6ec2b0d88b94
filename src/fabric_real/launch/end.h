/* SPDX-License-Identifier: BSD-3-Clause */
/* end.h - how a run ends when it does not end well. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_END_H
#define EYOT_FABRIC_REAL_LAUNCH_END_H

#include "fabric_real/endpoint/endpoint.h"

void fmpi_abort(struct fab *fab, int code, const char *reason)
    __attribute__((noreturn));                                           /* fab_ops */
void fmpi_exit_all(struct fab *fab, int code) __attribute__((noreturn)); /* fab_ops */
int fmpi_end_watch(struct fmpi *f); /* installs the handlers of exit and of fatal signals */
void fmpi_end_unwatch(struct fmpi *f);
#endif
