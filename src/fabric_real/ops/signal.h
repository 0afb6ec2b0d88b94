/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.h - put with signal: the signal is sent once its bytes are known to be at the target.
 * launch/open.c enters it into the table of operations; files of ops/ send queued signals. */
#ifndef EYOT_FABRIC_REAL_OPS_SIGNAL_H
#define EYOT_FABRIC_REAL_OPS_SIGNAL_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_put_signal(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len,
                    const struct fab_sig *sig, fab_req_t *req); /* fab_ops */
/* Checks the signal, and where the bytes before it go. Errors: EINVAL, EALIGN, EUNIT. */
int fmpi_signal_check(struct fab_addr dst, uint64_t len, const struct fab_sig *sig);
/* Sends the queued signals to `unit` or FAB_ALL; waits for their bytes to arrive. */
int fmpi_signals_issue(struct fmpi *f, fab_unit_t unit);
/* The same for the units for which signals of fab.set are queued: all of those for them. */
int fmpi_signals_issue_set(struct fmpi *f, fab_unit_t unit);
#endif
