/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_code.h - the steps of a plan in few bytes. For plan.c, which makes plans, and run.c.
 *
 * Why it exists: of thousands of simulated members each keeps the plan of its last collective, and
 * a step of an allreduce of 8 bytes, of which most are zero, takes 48 bytes (docs/adr/0094). */
#ifndef EYOT_COLL_PLAN_CODE_H
#define EYOT_COLL_PLAN_CODE_H

#include "coll/plan.h"

/* Turns the steps of a plan into bytes: p->code, and p->step is NULL then. A plan with other steps
 * than messages in the board, copies and combinations stays as it is, and without memory any. */
void eyoti_plan_encode(struct eyoti_plan *p);
/* The step at byte `at` of p->code. Returns where the next one begins. */
uint32_t eyoti_plan_decode(const struct eyoti_plan *p, uint32_t at, struct eyoti_step *out);
#endif
