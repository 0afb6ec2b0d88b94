/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.h - put and get, by the CPU where the memory is mapped and by MPI elsewhere. launch/open.c
 * enters put and get into the table of operations; signal.c moves its bytes by the others. */
#ifndef EYOT_FABRIC_REAL_OPS_RMA_H
#define EYOT_FABRIC_REAL_OPS_RMA_H

#include "fabric_real/endpoint/endpoint.h"

/* fab_ops */
int fmpi_put(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req);
int fmpi_get(struct fab *fab, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req);
/* A put by MPI; op NULL: implicit. */
int fmpi_put_remote(struct fmpi *f, const struct fmpi_at *at, const void *src, uint64_t len,
                    struct fmpi_op *op);
#endif
