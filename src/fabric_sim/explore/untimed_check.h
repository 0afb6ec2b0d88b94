/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_check.h - what a unit calls of eyot/check.h while its runs are explored. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_CHECK_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_CHECK_H

#include "fabric_sim/explore/untimed.h"

extern const struct fab_check sim_untimed_check_ops;
#endif
