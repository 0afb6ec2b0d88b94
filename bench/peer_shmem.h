/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_shmem.h - the parts that the files of the OpenSHMEM peer share. peer.sh builds them with
 * oshcc if it is installed. */
#ifndef PEER_SHMEM_H
#define PEER_SHMEM_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

#include "clock.h"

/* Not 0: no memory, or arguments that do not fit, or wrong results. */
int node_rounds(int rounds);
int size_rounds(const char *place, int rounds);
int coll_rounds(int rounds);
int gups_rounds(const char *place, int log2_words, int rounds);
#endif
