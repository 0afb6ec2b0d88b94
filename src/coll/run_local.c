/* SPDX-License-Identifier: BSD-3-Clause */
/* run_local.c - the steps of a plan that stay within the member (run.h): copies, combinations,
 * blocks in runs, and what two members tell each other of their blocks. */
#include <inttypes.h>
#include <string.h>

#include "coll/plan_code.h"
#include "coll/run.h"
#include "coll/runs.h"
#include "rma/op.h"

static void step_copy(const struct eyoti_coll_op *r, const struct eyoti_step *s) {
  char *to = eyoti_run_at(r, s->to_in, s->to);
  const char *from = eyoti_run_at(r, s->from_in, s->from);
  if (to == from) return;
  for (uint64_t i = 0; i < s->count; i++)
    memcpy(to + i * s->to_stride, from + i * s->from_stride, s->len);
}

static void step_combine(const struct eyoti_coll_op *r, const struct eyoti_step *s) {
  char *acc = eyoti_run_at(r, s->to_in, s->to), *operand = eyoti_run_at(r, s->from_in, s->from);
  eyoti_combiner_run(&r->args->combiner, acc, s->before ? operand : acc, s->before ? acc : operand,
                     s->len);
}

static int step_agree(const struct eyoti_coll_op *r, const struct eyoti_step *s) {
  uint64_t told[2];
  memcpy(told, eyoti_run_at(r, s->from_in, s->from), sizeof told);
  if (told[0] == s->to && told[1] == s->len) return EYOT_OK;
  if (told[0] != s->to)
    return EYOTI_FAIL(EYOT_EMISMATCH,
                      "member %u sends %" PRIu64 " bytes, this member expects %" PRIu64, s->peer,
                      told[0], s->to);
  return EYOTI_FAIL(EYOT_EMISMATCH,
                    "this member sends %" PRIu64 " bytes to member %u, which expects %" PRIu64,
                    s->len, s->peer, told[1]);
}

int eyoti_run_local(const struct eyoti_coll_op *r, const struct eyoti_step *s) {
  switch ((enum eyoti_step_kind)s->kind) {
    case EYOTI_STEP_COPY:
      step_copy(r, s);
      return EYOT_OK;
    case EYOTI_STEP_COMBINE:
      step_combine(r, s);
      return EYOT_OK;
    case EYOTI_STEP_PACK:
      eyoti_runs_pack(s->shape, eyoti_run_at(r, s->from_in, s->from) - s->piece,
                      eyoti_run_at(r, s->to_in, s->to), s->piece, s->len);
      return EYOT_OK;
    case EYOTI_STEP_UNPACK:
      eyoti_runs_unpack(s->shape, eyoti_run_at(r, s->to_in, s->to) - s->piece,
                        eyoti_run_at(r, s->from_in, s->from), s->piece, s->len);
      return EYOT_OK;
    case EYOTI_STEP_NOTE:
      memcpy(eyoti_run_at(r, s->to_in, s->to), (const uint64_t[2]){s->from, s->len},
             2 * sizeof(uint64_t));
      return EYOT_OK;
    case EYOTI_STEP_AGREE:
      return step_agree(r, s);
    default:
      break;
  }
  EYOTI_PANIC("a step of kind %u is not local", s->kind);
}

void eyoti_run_decode(struct eyoti_coll_op *r) {
  if (r->pc < r->p->steps) r->next = eyoti_plan_decode(r->p, r->next, &r->now);
}
