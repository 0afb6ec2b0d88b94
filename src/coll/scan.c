/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.c - eyot_scan, eyot_exscan, eyot_reduce_scatter_block and eyot_reduce_scatter, in their
 * three forms. */
#include <eyot/coll_nb.h>
#include <inttypes.h>

#include "coll/call.h"
#include "coll/gen.h"
#include "coll/global.h"
#include "coll/quick.h"
#include "coll/round.h"
#include "coll/several.h"
#include "coll/wide.h"

static int scan_values(struct eyot_rt *rt, eyot_team_t team, struct eyoti_coll_args *a,
                       const void *send, void *recv, struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  bool inclusive = a->function == EYOTI_COLL_SCAN, writes = inclusive || t->me > 0;
  int refused = eyoti_combiner_find(rt, a->type, a->op, &a->combiner);
  uint32_t width = refused == EYOT_OK ? a->combiner.width : 1;
  uint32_t element = refused == EYOT_OK ? eyoti_combiner_element(&a->combiner) : 1;
  if (refused == EYOT_OK)
    refused = eyoti_coll_check_elements(send, recv, writes, a->count, element);
  if (refused == EYOT_OK) refused = eyoti_wide_check(&a->combiner, a->count, 1);
  if (refused == EYOT_OK) a->bytes = a->count * width;
  uint64_t bytes = eyoti_wide_caller(&a->combiner, a->bytes); /* in the caller's buffers */
  if (refused == EYOT_OK) refused = eyoti_several_overlap(send, bytes, recv, bytes, send);
  struct eyoti_coll_call c = {
      .args = *a,
      .round_bytes = eyoti_round_operands(eyoti_round_scan_slots(t->size), width),
      .in = send,
      .out = recv,
      .reads = bytes,
      .writes = writes ? bytes : 0,
      .seen_bytes = a->count * element};
  return eyoti_coll_do(rt, t, &c, refused, how);
}

static int scan(struct eyot_rt *rt, eyot_team_t team, eyot_type_t type, eyot_op_t op,
                const void *send, void *recv, uint64_t n, struct eyoti_coll_how how) {
  struct eyoti_coll_args a = {.function = EYOTI_COLL_SCAN, .type = type, .op = op, .count = n};
  return scan_values(rt, team, &a, send, recv, how);
}
int eyoti_coll_do_exscan(struct eyot_rt *rt, eyot_team_t team, eyot_type_t type, eyot_op_t op,
                         const void *send, void *recv, uint64_t n, struct eyoti_coll_how how) {
  struct eyoti_coll_args a = {.function = EYOTI_COLL_EXSCAN, .type = type, .op = op, .count = n};
  return scan_values(rt, team, &a, send, recv, how);
}

static int reduce_scatter_block(struct eyot_rt *rt, eyot_team_t team, eyot_type_t type,
                                eyot_op_t op, const void *send, void *recv, uint64_t n,
                                struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_coll_args a = {
      .function = EYOTI_COLL_REDUCE_SCATTER_BLOCK, .type = type, .op = op, .count = n};
  int refused = eyoti_combiner_find(rt, type, op, &a.combiner);
  uint32_t width = refused == EYOT_OK ? a.combiner.width : 1;
  uint64_t bytes = 0; /* of a block in the caller's buffers */
  if (refused == EYOT_OK && __builtin_mul_overflow(n, eyoti_combiner_element(&a.combiner), &bytes))
    refused =
        EYOTI_FAIL(EYOT_EINVAL, "%" PRIu64 " elements of %u bytes overflow 64 bits", n, width);
  if (refused == EYOT_OK) refused = eyoti_coll_check_buffers(send, recv, true, bytes, t->size);
  if (refused == EYOT_OK) refused = eyoti_wide_check(&a.combiner, n, t->size);
  if (refused == EYOT_OK)
    a.bytes = n * width;
  else
    bytes = 0;
  const char *own = send == NULL ? NULL : (const char *)send + t->me * bytes;
  if (refused == EYOT_OK) refused = eyoti_several_overlap(send, bytes * t->size, recv, bytes, own);
  struct eyoti_coll_call c = {.args = a,
                              .round_bytes = eyoti_round_operands(t->size, width),
                              .in = send,
                              .out = recv,
                              .reads = bytes * t->size,
                              .writes = bytes,
                              .seen_bytes = bytes};
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_scan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
              uint64_t n) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_SCAN, 0, type, op, n, send, recv);
  return scan(rt, team, type, op, send, recv, n, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_scan_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
                 uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return scan(rt, team, type, op, send, recv, n, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_scan_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
                   uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return scan(rt, team, type, op, send, recv, n, EYOTI_HOW(PERSISTENT, handle));
}

int eyot_exscan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
                uint64_t n) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_EXSCAN, 0, type, op, n, send, recv);
  return eyoti_coll_do_exscan(rt, team, type, op, send, recv, n, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_exscan_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
                   uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_exscan(rt, team, type, op, send, recv, n, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_exscan_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
                     uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_exscan(rt, team, type, op, send, recv, n, EYOTI_HOW(PERSISTENT, handle));
}

int eyot_reduce_scatter_block(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                              void *recv, uint64_t n) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_REDUCE_SCATTER_BLOCK, 0, type, op, n, send, recv);
  return reduce_scatter_block(rt, team, type, op, send, recv, n, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_reduce_scatter_block_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                                 void *recv, uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return reduce_scatter_block(rt, team, type, op, send, recv, n, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_reduce_scatter_block_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op,
                                   const void *send, void *recv, uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return reduce_scatter_block(rt, team, type, op, send, recv, n, EYOTI_HOW(PERSISTENT, handle));
}

static int reduce_scatter(struct eyot_rt *rt, eyot_team_t team, eyot_type_t type, eyot_op_t op,
                          const void *send, void *recv, const uint64_t *n,
                          struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_REDUCE_SCATTER, .type = type, .op = op},
      .in = send,
      .out = recv};
  const struct eyoti_several *s = NULL;
  int refused = eyoti_combiner_find(rt, type, op, &c.args.combiner);
  uint32_t width = refused == EYOT_OK ? c.args.combiner.width : 1;
  if (refused == EYOT_OK) refused = eyoti_several_own(&c, t->size, n, NULL, width, "n", &s);
  if (s != NULL) {
    c.args.count = c.seen_bytes = s->hash;
    c.args.bytes = s->longest;
    c.args.in = &s->blocks;
    c.reads = eyoti_wide_caller(&c.args.combiner, s->extent);
    c.writes = eyoti_wide_caller(&c.args.combiner, s->blocks.bytes[t->me]);
  }
  if (refused == EYOT_OK) refused = eyoti_several_null(send, c.reads, "send");
  if (refused == EYOT_OK) refused = eyoti_several_null(recv, c.writes, "recv");
  if (refused == EYOT_OK) {
    uint64_t at = eyoti_wide_caller(&c.args.combiner, s->blocks.at[t->me]);
    const char *own = send == NULL ? NULL : (const char *)send + at;
    refused = eyoti_several_overlap(send, c.reads, recv, c.writes, own);
  }
  c.round_bytes = eyoti_round_operands(t->size, width);
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_reduce_scatter(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                        void *recv, const uint64_t *n) {
  EYOTI_ENTER(rt);
  return reduce_scatter(rt, team, type, op, send, recv, n, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_reduce_scatter_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                           void *recv, const uint64_t *n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return reduce_scatter(rt, team, type, op, send, recv, n, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_reduce_scatter_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                             void *recv, const uint64_t *n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return reduce_scatter(rt, team, type, op, send, recv, n, EYOTI_HOW(PERSISTENT, handle));
}
