/* SPDX-License-Identifier: BSD-3-Clause */
/* wait_mem.h - waiting for words of the caller's own memory; progress, time and computation.
 * launch/open.c enters the functions into the table of operations. */
#ifndef EYOT_FABRIC_REAL_OPS_WAIT_MEM_H
#define EYOT_FABRIC_REAL_OPS_WAIT_MEM_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_wait_mem(struct fab *fab, const struct fab_cond *cond, uint64_t timeout_ns,
                  uint64_t *seen);
int fmpi_wait_any(struct fab *fab, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                  uint32_t *index, uint32_t *held);
int fmpi_wait_low(struct fab *fab, struct fab_addr at, uint32_t value);
int fmpi_progress(struct fab *fab);
uint64_t fmpi_now_ns(struct fab *fab);
int fmpi_compute(struct fab *fab, uint64_t ns);
#endif
