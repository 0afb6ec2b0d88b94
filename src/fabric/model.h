/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - what messages cost on a fabric, for the choice of algorithms. sim fills it in from the
 * machine's figures; for others there is FAB_MODEL_DEFAULT. */
#ifndef EYOT_FABRIC_MODEL_H
#define EYOT_FABRIC_MODEL_H

#include <stdint.h>

/* Picoseconds. */
struct fab_model {
  uint64_t post_ps;                 /* processor: a put to another node */
  uint64_t net_ps;                  /* from its end until the bytes are visible there */
  uint64_t gap_ps;                  /* least distance of two messages of a node */
  uint64_t node_post_ps, node_ps;   /* the first two within a node */
  uint64_t look_ps;                 /* a look at a word that has come */
  uint64_t net_kib_ps, node_kib_ps; /* each 1,024 bytes of a message, beyond that */
  /* the same within a node, where so many units share one memory, of their messages together */
  uint64_t memory_kib_ps;
  uint32_t memory_units;
};

/* Judged: a cluster of some years ago. No figure of it is in a result. */
#define FAB_MODEL_DEFAULT                                                            \
  {                                                                                  \
    .post_ps = 100000, .net_ps = 1000000, .gap_ps = 10000, .node_post_ps = 20000,    \
    .node_ps = 100000, .look_ps = 10000, .net_kib_ps = 100000, .node_kib_ps = 80000, \
    .memory_kib_ps = 20000, .memory_units = 32                                       \
  }
#endif
