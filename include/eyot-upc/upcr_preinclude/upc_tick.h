/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_tick.h - the clock (UPC library 7.5), for UPC programs. */
#ifndef EYOT_UPC_LANGUAGE_TICK_H
#define EYOT_UPC_LANGUAGE_TICK_H

#include <stdint.h>

#include "../eyot/upc/values.h"

typedef uint64_t upc_tick_t;
extern upc_tick_t upc_ticks_now(void);
extern uint64_t upc_ticks_to_ns(upc_tick_t ticks);

#endif
