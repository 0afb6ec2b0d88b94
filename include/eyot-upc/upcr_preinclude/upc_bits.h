/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_bits.h - the Berkeley translator's output includes it; in C. */
#ifndef EYOT_UPC_BITS_H
#define EYOT_UPC_BITS_H

#include "upc_types.h"

#endif
