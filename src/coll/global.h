/* SPDX-License-Identifier: BSD-3-Clause */
/* global.h - collectives on global memory (eyot/coll_global.h): their modes of synchronization, and
 * the functions on private memory that they are made of. For global.c and global_reduce.c, and for
 * the files that define the latter.
 *
 * A mode is part of what members compare, so members that give different ones get EMISMATCH, and
 * none waits in a barrier that others do not enter: such a barrier is an operation of the blocking
 * channel too (eyoti_coll_confirm). */
#ifndef EYOT_COLL_GLOBAL_IMPL_H
#define EYOT_COLL_GLOBAL_IMPL_H

#include <eyot/coll_global.h>

#include "coll/call.h"

/* A call on global memory. */
struct eyoti_global {
  struct eyot_rt *rt;
  eyot_team_t team;
  struct eyoti_team *t;
  struct eyoti_coll_args args; /* of the whole call */
  int refused;                 /* 0, or why the caller takes no part in it */
  uint64_t nothing;            /* the part of a member that has refused */
  bool one_way;                /* a member may not notice that another takes no part */
  bool entered;                /* the call has begun with a barrier, */
  bool over;                   /* which has failed, on all members */
};

/* Begins a call: checks the team and the mode. Errors: those of the team, for which the caller
 * returns; others are in `refused`. */
int eyoti_global_open(struct eyoti_global *g, struct eyot_rt *rt, eyot_team_t team,
                      enum eyoti_coll_function function, eyot_sync_t sync);
/* The rank of the pointer's unit. Refuses units outside the team. */
uint32_t eyoti_global_rank(struct eyoti_global *g, eyot_gptr_t at, const char *what);
/* The address of the caller's part, of `count` times `bytes` bytes. Refuses what is not there; the
 * address is one of no use then, and not NULL. */
void *eyoti_global_part(struct eyoti_global *g, eyot_gptr_t at, uint64_t count, uint64_t bytes);
/* Refuses parts that overlap, but for the same one. */
void eyoti_global_apart(struct eyoti_global *g, const void *a, uint64_t a_bytes, const void *b,
                        uint64_t b_bytes, bool same);
/* How the functions below are called. */
struct eyoti_coll_how eyoti_global_how(const struct eyoti_global *g);
/* The parts of a call: enter; if it is true functions below, else refuse, which returns why; leave
 * with the result of that, which it returns if it is not 0. enter and leave wait for all members if
 * the mode asks for it. Collective, blocking. Errors: EMISMATCH. */
bool eyoti_global_enter(struct eyoti_global *g);
int eyoti_global_refuse(struct eyoti_global *g);
int eyoti_global_leave(struct eyoti_global *g, int rc);

/* eyot_broadcast and others, in any form. */
int eyoti_coll_do_broadcast(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, void *buf,
                            uint64_t bytes, struct eyoti_coll_how how);
int eyoti_coll_do_scatter(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, const void *send,
                          void *recv, uint64_t bytes, struct eyoti_coll_how how);
int eyoti_coll_do_gather(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, const void *send,
                         void *recv, uint64_t bytes, struct eyoti_coll_how how);
int eyoti_coll_do_allgather(struct eyot_rt *rt, eyot_team_t team, const void *send, void *recv,
                            uint64_t bytes, struct eyoti_coll_how how);
int eyoti_coll_do_alltoall(struct eyot_rt *rt, eyot_team_t team, const void *send, void *recv,
                           uint64_t bytes, struct eyoti_coll_how how);
int eyoti_coll_do_reduce(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, eyot_type_t type,
                         eyot_op_t op, const void *send, void *recv, uint64_t n,
                         struct eyoti_coll_how how);
int eyoti_coll_do_allreduce(struct eyot_rt *rt, eyot_team_t team, eyot_type_t type, eyot_op_t op,
                            const void *send, void *recv, uint64_t n, struct eyoti_coll_how how);
int eyoti_coll_do_exscan(struct eyot_rt *rt, eyot_team_t team, eyot_type_t type, eyot_op_t op,
                         const void *send, void *recv, uint64_t n, struct eyoti_coll_how how);
#endif
