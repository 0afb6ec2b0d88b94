/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_castable.h - conversion to local pointers (UPC library 7.7), for UPC programs. */
#ifndef EYOT_UPC_LANGUAGE_CASTABLE_H
#define EYOT_UPC_LANGUAGE_CASTABLE_H

#include "../eyot/upc/castable.h"

extern void *upc_cast(const shared void *ptr);

#endif
