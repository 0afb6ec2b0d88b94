/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_types.h - types and values of UPC's library (UPC 7.3), in UPC and in C. */
#ifndef EYOT_UPC_TYPES_H
#define EYOT_UPC_TYPES_H

#include "../eyot/upc/values.h"

typedef int upc_flag_t;
typedef unsigned long upc_op_t;
typedef int upc_type_t;

#endif
