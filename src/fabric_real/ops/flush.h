/* SPDX-License-Identifier: BSD-3-Clause */
/* flush.h - flush and order: they complete operations by target. launch/open.c enters them into
 * the table of operations; files of ops/ and launch/ drain before they wait or close. */
#ifndef EYOT_FABRIC_REAL_OPS_FLUSH_H
#define EYOT_FABRIC_REAL_OPS_FLUSH_H

#include "fabric_real/endpoint/endpoint.h"

/* fab_ops */
int fmpi_flush(struct fab *fab, fab_unit_t unit, enum fab_level level);
int fmpi_order(struct fab *fab, fab_unit_t unit);
/* A flush that leaves it to a later one to report failed operations. */
int fmpi_drain(struct fmpi *f, fab_unit_t unit, enum fab_level level);
#endif
