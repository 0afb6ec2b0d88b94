/* SPDX-License-Identifier: BSD-3-Clause */
/* amo.h - atomics. */
#ifndef EYOT_FABRIC_REAL_OPS_AMO_H
#define EYOT_FABRIC_REAL_OPS_AMO_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_amo(struct fab *fab, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
             fab_req_t *req); /* fab_ops */
#endif
