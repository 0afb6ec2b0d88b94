/* SPDX-License-Identifier: BSD-3-Clause */
/* wide.c - implements wide.h. */
#include "coll/wide.h"

#include <inttypes.h>

#include "coll/gen.h"

/* Whether IN has a block for each member. */
static bool has_blocks(const struct eyoti_coll_args *a) {
  return a->function == EYOTI_COLL_REDUCE_SCATTER || a->function == EYOTI_COLL_REDUCE_SCATTER_BLOCK;
}

static uint64_t in_bytes(const struct eyoti_plan *p) {
  return p->args.len * (has_blocks(&p->args) ? p->size : 1);
}

uint64_t eyoti_wide_bytes(const struct eyoti_plan *p) {
  return p->args.combiner.wire != NULL ? in_bytes(p) + p->args.len : 0;
}

/* Byte `at` of a buffer of wide elements, in the caller's. */
static uint64_t caller_at(const struct eyoti_coll_call *c, uint64_t at) {
  return eyoti_wide_caller(&c->args.combiner, at);
}

static void widen_blocks(const struct eyoti_plan *p, const struct eyoti_coll_call *c, uint64_t at,
                         char *in) {
  const struct eyoti_coll_blocks *b = c->args.in;
  const struct eyoti_wire *w = p->args.combiner.wire;
  for (uint32_t m = 0; m < p->size; m++) {
    struct eyoti_gen_block to = eyoti_gen_block(&p->args, p->args.in, m);
    uint64_t from = (b != NULL ? b->at[m] : m * c->args.bytes) + at;
    w->widen(in + to.at, (const char *)c->in + caller_at(c, from), to.len / w->wide);
  }
}

void eyoti_wide_begin(struct eyoti_coll_op *r, const struct eyoti_coll_call *c, uint64_t at,
                      char *temp) {
  const struct eyoti_plan *p = r->p;
  const struct eyoti_wire *w = p->args.combiner.wire;
  uint64_t bytes = in_bytes(p);
  if (bytes == 0) {
    eyoti_run_buffers(r, NULL, NULL, temp);
    return;
  }
  char *in = temp + p->temp_bytes;
  if (has_blocks(&p->args))
    widen_blocks(p, c, at, in);
  else
    w->widen(in, (const char *)c->in + caller_at(c, at), p->args.len / w->wide);
  eyoti_run_buffers(r, in, in + bytes, temp);
}

void eyoti_wide_end(const struct eyoti_coll_op *r, const struct eyoti_coll_call *c, uint64_t at) {
  const struct eyoti_plan *p = r->p;
  const struct eyoti_wire *w = p->args.combiner.wire;
  if (c->writes == 0 || p->args.len == 0) return;
  uint64_t len = p->args.len;
  if (has_blocks(&p->args)) len = eyoti_gen_block(&p->args, p->args.in, p->me).len;
  w->round((char *)c->out + caller_at(c, at), r->base[EYOTI_OUT], len / w->wide);
}

void eyoti_wide_alone(const struct eyoti_coll_call *c) {
  const struct eyoti_wire *w = c->args.combiner.wire;
  uint64_t wide[EYOTI_WIRE_MOST / sizeof(uint64_t)];
  for (uint64_t i = 0; i < c->args.bytes / w->wide; i++) {
    w->widen(wide, (const char *)c->in + i * w->element, 1);
    w->round((char *)c->out + i * w->element, wide, 1);
  }
}

int eyoti_wide_check(const struct eyoti_combiner *c, uint64_t count, uint64_t blocks) {
  uint64_t total;
  if (c->wire == NULL) return EYOT_OK;
  if (!__builtin_mul_overflow(count, blocks, &total) &&
      total <= EYOTI_COLL_BYTES_MOST / c->wire->wide)
    return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "%" PRIu64 " blocks of %" PRIu64
                    " elements, which take %u bytes each while "
                    "they are combined, are more than memory can hold",
                    blocks, count, c->wire->wide);
}
