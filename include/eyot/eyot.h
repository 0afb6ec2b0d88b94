/* eyot/eyot.h - the umbrella: include this one.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_EYOT_H
#define EYOT_EYOT_H

#include "types.h"

#include "atomic.h"
#include "coll.h"
#include "group.h"
#include "init.h"
#include "locality.h"
#include "mem.h"
#include "rma.h"
#include "signal.h"
#include "team.h"
#include "time.h"

#endif
