/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h - broadcast of one round along a binomial tree, for broadcast, reduce and allreduce
 * (bcast.c). */
#ifndef EYOT_COLL_TREE_H
#define EYOT_COLL_TREE_H

#include "coll/scratch.h"

/* Sends `len` bytes at root's buf to the buf of all members, through byte `off` of each member's
 * scratch data. */
int eyoti_tree_broadcast(const struct eyoti_scratch *s, uint32_t root, char *buf, uint64_t off,
                         uint64_t len);
#endif
