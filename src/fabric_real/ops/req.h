/* SPDX-License-Identifier: BSD-3-Clause */
/* req.h - tests and waits for single requests. launch/open.c enters the functions into the table
 * of the contract (fab_ops). */
#ifndef EYOT_FABRIC_REAL_OPS_REQ_H
#define EYOT_FABRIC_REAL_OPS_REQ_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_req_test(struct fab *fab, fab_req_t req, enum fab_level level, bool *done);
int fmpi_req_wait(struct fab *fab, fab_req_t req, enum fab_level level);
#endif
