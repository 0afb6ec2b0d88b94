/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde_alltoall.c - the protocol without one-sided access: each unit sends each other unit the
 * number of its items, then a block of items. Time and memory grow with the number of units, even
 * if a unit sends to few of them. */
#include <stdlib.h>
#include <string.h>

#include "dsde.h"

/* Blocks have one size for all pairs: that of the largest. */
static int make_blocks(struct dsde_unit *u, uint64_t *block) {
  uint64_t most = 0;
  for (uint32_t unit = 0; unit < u->n; unit++)
    if (u->count_out[unit] > most) most = u->count_out[unit];
  DSDE_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &most, block, 1));
  size_t items = (size_t)u->n * *block;
  free(u->block_out);
  free(u->block_in);
  u->block_out = malloc(items * sizeof(uint64_t));
  u->block_in = malloc(items * sizeof(uint64_t));
  if (u->block_out == NULL || u->block_in == NULL)
    return dsde_fail("private memory for the blocks of alltoall", EYOT_ENOMEM);
  return EYOT_OK;
}

int dsde_alltoall(struct dsde_unit *u, uint32_t round) {
  (void)round;
  uint64_t block;
  memset(u->count_out, 0, u->n * sizeof(uint64_t));
  for (uint32_t i = 0; i < u->opts->targets; i++) u->count_out[u->target[i]]++;
  DSDE_TRY(eyot_alltoall(EYOT_TEAM_ALL, u->count_out, u->count_in, sizeof(uint64_t)));
  int code = make_blocks(u, &block);
  if (code != EYOT_OK) return code;
  memset(u->block_out, 0, u->n * block * sizeof(uint64_t));
  for (uint32_t i = u->opts->targets; i-- > 0;)
    u->block_out[u->target[i] * block + --u->count_out[u->target[i]]] = u->item[i];
  DSDE_TRY(eyot_alltoall(EYOT_TEAM_ALL, u->block_out, u->block_in, block * sizeof(uint64_t)));
  /* Packs the items in place: they only move towards the front. */
  uint64_t received = 0;
  for (uint64_t unit = 0; unit < u->n; unit++)
    for (uint64_t i = 0; i < u->count_in[unit]; i++)
      u->block_in[received++] = u->block_in[unit * block + i];
  u->inbox = u->block_in;
  u->received = u->needed = received;
  return EYOT_OK;
}
