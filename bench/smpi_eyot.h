/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi_eyot.h - see smpi_eyot.c. */
#ifndef BENCH_SMPI_EYOT_H
#define BENCH_SMPI_EYOT_H

/* Called in eyot_sync; the program defines it. */
void smpi_eyot_published(void);
#endif
