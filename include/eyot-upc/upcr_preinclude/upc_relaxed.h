/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_relaxed.h - upc.h, and accesses that are relaxed
 * where the program does not say (UPC 6.7.1 and 7.1). */
#ifndef EYOT_UPC_LANGUAGE_RELAXED_H
#define EYOT_UPC_LANGUAGE_RELAXED_H

#pragma upc relaxed
#include <upc.h>

#endif
