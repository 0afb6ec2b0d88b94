/* SPDX-License-Identifier: BSD-3-Clause */
/* args.h - argument checks at the start of every collective, and the agreement that all members
 * made the same call. For the files in coll/. */
#ifndef EYOT_COLL_ARGS_H
#define EYOT_COLL_ARGS_H

#include "coll/coll.h"

enum eyoti_coll_function {
  EYOTI_COLL_BROADCAST = 1,
  EYOTI_COLL_REDUCE,
  EYOTI_COLL_ALLREDUCE,
  EYOTI_COLL_GATHER,
  EYOTI_COLL_ALLGATHER,
  EYOTI_COLL_ALLTOALL
};

/* The arguments that must be equal on all members. Fields that a function does not have are 0. */
struct eyoti_coll_args {
  enum eyoti_coll_function function;
  uint32_t root;
  eyot_type_t type;
  eyot_op_t op;
  uint64_t count; /* elements of a reduction, bytes in other functions */
};

/* Compares the arguments of all members. `refused`: 0, or the (logged) error that this member found
 * in its own: it takes part nevertheless, so that no member waits for it. Returns `refused` if not
 * 0; EMISMATCH on every member if any two differ or another member refused; 0 only if it is 0 on
 * all. Collective, and a barrier: on return every member has left the collective before. */
int eyoti_coll_agree(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_args *args,
                     int refused);

/* Checks that several functions share; each logs errors. */
int eyoti_coll_check_root(const struct eyoti_team *t, uint32_t root);
/* Checks that blocks * bytes is a valid size, and that the buffers are not NULL if there are bytes.
 * `recv_needed` false: recv is not used. */
int eyoti_coll_check_buffers(const void *send, const void *recv, bool recv_needed, uint64_t bytes,
                             uint64_t blocks);
#endif
