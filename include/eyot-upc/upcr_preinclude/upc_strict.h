/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_strict.h - upc.h, and accesses that are strict
 * where the program does not say (UPC 6.7.1 and 7.1). */
#ifndef EYOT_UPC_LANGUAGE_STRICT_H
#define EYOT_UPC_LANGUAGE_STRICT_H

#pragma upc strict
#include <upc.h>

#endif
