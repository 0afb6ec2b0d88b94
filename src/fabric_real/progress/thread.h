/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.h - the progress thread (EYOT_PROGRESS=thread). */
#ifndef EYOT_FABRIC_REAL_PROGRESS_THREAD_H
#define EYOT_FABRIC_REAL_PROGRESS_THREAD_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_thread_start(struct fmpi *f); /* collective; none is started where it is not asked for */
int fmpi_thread_stop(struct fmpi *f);
/* Whether the caller is that thread; also in handlers of signals. */
bool fmpi_thread_is_self(const struct fmpi *f);
#endif
