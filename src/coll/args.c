/* SPDX-License-Identifier: BSD-3-Clause */
/* args.c - the exchange at the start of every collective (args.h).
 *
 * Members reduce the maximum of a hash of their arguments, and the maximum of its complement: the
 * two results are complements of each other only if all hashes are equal. Every member thus learns
 * of a mismatch in log2(p) rounds, before any data is transferred. */
#include "coll/args.h"

#include <inttypes.h>

#include "rma/op.h"

static const char *function_name(enum eyoti_coll_function function) {
  switch (function) {
    case EYOTI_COLL_BROADCAST:
      return "eyot_broadcast";
    case EYOTI_COLL_REDUCE:
      return "eyot_reduce";
    case EYOTI_COLL_ALLREDUCE:
      return "eyot_allreduce";
    case EYOTI_COLL_GATHER:
      return "eyot_gather";
    case EYOTI_COLL_ALLGATHER:
      return "eyot_allgather";
    case EYOTI_COLL_ALLTOALL:
      return "eyot_alltoall";
  }
  return "?";
}

/* FNV-1a over 64-bit words. */
static uint64_t hash_args(const struct eyoti_coll_args *a) {
  const uint64_t words[] = {(uint64_t)a->function, a->root, (uint64_t)a->type, (uint64_t)a->op,
                            a->count};
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    for (unsigned byte = 0; byte < 8; byte++)
      h = (h ^ ((words[i] >> (8 * byte)) & 0xff)) * 0x100000001b3u;
  }
  return h;
}

static int args_mismatch(const struct eyoti_team *t, const struct eyoti_coll_args *a,
                         const char *why) {
  const char *marked = eyoti_rt_marked(eyot_current); /* an interface's call */
  return EYOTI_FAIL(EYOT_EMISMATCH,
                    "%s; member %u of %s (%u members) called %s with root %u, type %s, "
                    "operator %s, count %" PRIu64,
                    why, t->me, EYOTI_TEAM_WORDS(t), t->size,
                    marked != NULL ? marked : function_name(a->function), a->root,
                    eyoti_type_name(a->type), eyoti_op_name(a->op), a->count);
}

int eyoti_coll_agree(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_args *args,
                     int refused) {
  uint64_t hash = hash_args(args);
  uint64_t words[] = {hash, ~hash, (uint64_t)-refused};
  static const enum eyoti_ctl_op OPS[] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  _Static_assert(sizeof words / sizeof words[0] <= EYOTI_CTL_WORDS,
                 "one exchange carries the words");
  EYOTI_TRY(eyoti_ctl_exchange(rt->fab, &t->ctl, OPS, words, sizeof words / sizeof words[0]));
  if (refused != EYOT_OK) return refused;
  if (words[0] != ~words[1])
    return args_mismatch(t, args, "members called a collective with different arguments");
  if (words[2] != 0)
    return args_mismatch(t, args, "another member's arguments were refused, see its log");
  return EYOT_OK;
}

int eyoti_coll_check_root(const struct eyoti_team *t, uint32_t root) {
  if (root < t->size) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EUNIT, "root %u is not in %s, expected 0..%u", root, EYOTI_TEAM_WORDS(t),
                    t->size - 1);
}

int eyoti_coll_check_buffers(const void *send, const void *recv, bool recv_needed, uint64_t bytes,
                             uint64_t blocks) {
  uint64_t total;
  if (__builtin_mul_overflow(bytes, blocks, &total) || total > SIZE_MAX / 2)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%" PRIu64 " blocks of %" PRIu64 " bytes are more than memory can hold",
                      blocks, bytes);
  if (bytes > 0 && send == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the buffer to send is NULL, expected %" PRIu64 " bytes", bytes);
  if (bytes > 0 && recv_needed && recv == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the buffer to receive is NULL, expected %" PRIu64 " bytes",
                      total);
  return EYOT_OK;
}
