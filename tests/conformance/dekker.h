/* SPDX-License-Identifier: BSD-3-Clause */
/* dekker.h - Dekker's pattern, for the cases in which both units missing the other's write is
 * forbidden (barrier.c), and for those in which it must happen (weak.c). */
#ifndef EYOT_CONF_DEKKER_H
#define EYOT_CONF_DEKKER_H

#include "conformance/conformance.h"

enum conf_dekker {
  CONF_DEKKER_PUT = 0,     /* blocking put; get: no barrier */
  CONF_DEKKER_AMO,         /* atomic swap; atomic read */
  CONF_DEKKER_FLUSH,       /* put; flush(remote) of all; get */
  CONF_DEKKER_AMO_BETWEEN, /* put; an atomic on another word; get */
  CONF_DEKKERS
};

/* Plays `rounds` rounds with the partner at distance d; *missed counts rounds in which both missed
 * (on the lower unit; 0 on others and without partner). */
int conf_dekker_play(struct conf_ctx *c, enum conf_dekker how, uint32_t d, uint32_t rounds,
                     uint64_t *missed);
/* Plays with close and distant partners; fails if both miss even once. */
int conf_dekker_never(struct conf_ctx *c, enum conf_dekker how);
#endif
