/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h - one round of a binomial tree, shared by broadcast, reduce and allreduce. */
#ifndef EYOT_COLL_TREE_H
#define EYOT_COLL_TREE_H

#include "coll/scratch.h"

/* Sends `len` bytes at root's buf to everybody's buf, by way of byte `off` of each member's scratch
 * data. */
int eyoti_tree_broadcast(const struct eyoti_scratch *s, uint32_t root, char *buf, uint64_t off,
                         uint64_t len);
#endif
