/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - the collective functions without types, which those of teams (coll.c, reduce.c) and of
 * active sets (active.c) share. All members of the team call; sizes in bytes. Each returns 0, or
 * another value after an error of eyot, which has said why. */
#ifndef INTERFACES_OPENSHMEM_COLL_H
#define INTERFACES_OPENSHMEM_COLL_H

#include "interfaces/openshmem/osh.h"

/* dest and source, and the bytes of an element (alltoalls: a stride's unit). */
struct osh_buffers {
  void *dest;
  const void *source;
  uint64_t bytes;
};

/* Private memory for a while; ends the run if there is none. */
void *osh_scratch(uint64_t bytes);

/* `root_too`: the root's dest is written, as teams do and active sets do not. */
int osh_broadcast(shmem_team_t team, struct osh_buffers b, uint64_t nelems, int root,
                  bool root_too);
int osh_fcollect(shmem_team_t team, struct osh_buffers b, uint64_t nelems);
int osh_collect(shmem_team_t team, struct osh_buffers b, uint64_t nelems);
int osh_alltoall(shmem_team_t team, struct osh_buffers b, uint64_t nelems);
int osh_alltoalls(shmem_team_t team, struct osh_buffers b, ptrdiff_t dst, ptrdiff_t sst,
                  uint64_t nelems);

/* How an operation combines elements of a type: eyot's type and operator, or, in scans, a function
 * with into[i] = into[i] OP from[i]. */
struct osh_reduction {
  uint64_t bytes;
  eyot_type_t type;
  eyot_op_t op;
  void (*combine)(void *into, const void *from, uint64_t n);
};
int osh_reduce(shmem_team_t team, void *dest, const void *source, uint64_t n,
               const struct osh_reduction *r);
/* The elements of members before the caller, and with `inclusive` its own, combined in order. */
int osh_scan(shmem_team_t team, void *dest, const void *source, uint64_t n,
             const struct osh_reduction *r, bool inclusive);
#endif
