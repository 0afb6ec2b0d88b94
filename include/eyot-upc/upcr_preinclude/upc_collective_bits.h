/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_collective_bits.h - the Berkeley translator's output includes it; in C. */
#ifndef EYOT_UPC_COLLECTIVE_BITS_H
#define EYOT_UPC_COLLECTIVE_BITS_H

#include "upc_types.h"

#endif
