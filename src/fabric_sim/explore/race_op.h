/* SPDX-License-Identifier: BSD-3-Clause */
/* race_op.h - the race detector's names for segments and kinds of operations. For race.c. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_RACE_OP_H
#define EYOT_FABRIC_SIM_EXPLORE_RACE_OP_H

#include "check/race/race.h"
#include "fabric_sim/engine/op.h"

static inline uint32_t seg_of(uint32_t seg) {
  return seg == FAB_SEG_ATTACHED ? CHK_WORD_SEG_ATTACHED : seg;
}

static inline enum chk_race_kind race_kind_of(const struct sim_op *op) {
  static const enum chk_race_kind KINDS[SIM_OP_KINDS] = {[SIM_OP_PUT] = CHK_RACE_PUT,
                                                         [SIM_OP_GET] = CHK_RACE_GET,
                                                         [SIM_OP_AMO] = CHK_RACE_AMO,
                                                         [SIM_OP_SIGNAL] = CHK_RACE_SIGNAL};
  return KINDS[op->kind];
}
#endif
