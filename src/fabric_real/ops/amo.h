/* SPDX-License-Identifier: BSD-3-Clause */
/* amo.h - atomics on words of segments and attached memory. launch/open.c enters the function into
 * the table of operations; no other file calls it. */
#ifndef EYOT_FABRIC_REAL_OPS_AMO_H
#define EYOT_FABRIC_REAL_OPS_AMO_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_amo(struct fab *fab, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
             fab_req_t *req); /* fab_ops */
#endif
