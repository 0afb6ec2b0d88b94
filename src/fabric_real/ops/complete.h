/* SPDX-License-Identifier: BSD-3-Clause */
/* complete.h - completes operations: one that has a request by what executes it (MPI, the progress
 * engine, an AMO server), or all to a target by a flush of the MPI window. It also keeps the bound
 * on operations in flight: at the bound, the oldest target is completed first. For the files of
 * ops/, and for launch/open.c, which reports failed operations at the end. */
#ifndef EYOT_FABRIC_REAL_OPS_COMPLETE_H
#define EYOT_FABRIC_REAL_OPS_COMPLETE_H

#include "fabric_real/endpoint/endpoint.h"

/* Called before an MPI call: counts it, after completing the oldest target if the bound is
 * reached. */
int fmpi_target_add(struct fmpi *f, const struct fmpi_at *at, bool is_get);
/* The same, for an operation that another process hands to MPI. */
int fmpi_target_add_delegated(struct fmpi *f, fab_unit_t unit, bool is_get);
/* MPI has completed it locally on return: takes results, frees MPI requests. */
int fmpi_op_local(struct fmpi *f, struct fmpi_op *op);
/* Completes MPI operations to `unit` or FAB_ALL, not queued signals. */
int fmpi_complete(struct fmpi *f, fab_unit_t unit, enum fab_level level);
/* The same for the units to which operations of fab.set are in flight: all of those to them. */
int fmpi_complete_set(struct fmpi *f, fab_unit_t unit, enum fab_level level);
/* Returns the error of operations of fab.set without request that have failed, once; else 0. */
int fmpi_ops_report(struct fmpi *f, fab_unit_t unit, enum fab_level level);
#endif
