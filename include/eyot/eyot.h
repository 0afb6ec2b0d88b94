/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/eyot.h - includes every public header; a program needs only this one. */
#ifndef EYOT_EYOT_H
#define EYOT_EYOT_H

#include "atomic.h"
#include "barrier.h"
#include "caller.h"
#include "check.h"
#include "coll.h"
#include "coll_global.h"
#include "coll_nb.h"
#include "count.h"
#include "data.h"
#include "dynamic.h"
#include "exchange.h"
#include "group.h"
#include "init.h"
#include "locality.h"
#include "lock.h"
#include "mem.h"
#include "msg.h"
#include "neighbor.h"
#include "notify.h"
#include "op.h"
#include "own.h"
#include "pscw.h"
#include "rma.h"
#include "set.h"
#include "sheap.h"
#include "signal.h"
#include "team.h"
#include "time.h"
#include "types.h"
#include "value.h"
#include "view.h"

#endif
