/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - the pool of operations. See op.h. Chunks never move, so an operation's address is stable
 * and its index finds it. */
#include "fabric_sim/engine/op.h"

#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/host/pages.h"

void sim_pool_init(struct sim_pool *p) {
  *p = (struct sim_pool){.free = SIM_OP_NONE};
}

void sim_pool_fini(struct sim_pool *p) {
  for (uint32_t i = 0; i < p->n_chunks; i++) free(p->chunks[i]);
  free(p->chunks);
  sim_pool_init(p);
}

int sim_pool_grow(struct sim_pool *p) {
  if (p->n_chunks == SIM_OP_CHUNKS_MAX)
    return EYOTI_FAIL(EYOT_EBUSY, "%u operations are in flight; complete some", p->live);
  struct sim_op **chunks = realloc(p->chunks, (p->n_chunks + 1) * sizeof *chunks);
  if (chunks == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for simulator operations");
  p->chunks = chunks;
  struct sim_op *c = sim_pages_alloc(SIM_OP_CHUNK * sizeof *c);
  if (c == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u simulator operations", SIM_OP_CHUNK);
  for (uint32_t i = SIM_OP_CHUNK; i-- > 0;) {
    c[i].index = p->n_chunks * SIM_OP_CHUNK + i;
    c[i].gen = 1;
    c[i].flags = 0;
    c[i].next = p->free;
    p->free = c[i].index;
  }
  p->chunks[p->n_chunks++] = c;
  return EYOT_OK;
}

void sim_pool_put(struct sim_pool *p, struct sim_op *op) {
  EYOTI_ASSERT(p->live > 0);
  op->flags = 0;
  op->next = p->free;
  p->free = op->index;
  p->live--;
}

void sim_pool_put_list(struct sim_pool *p, struct sim_op *first, struct sim_op *last, uint32_t n) {
  EYOTI_ASSERT(p->live >= n);
  last->next = p->free;
  p->free = first->index;
  p->live -= n;
}

struct sim_op *sim_pool_find(const struct sim_pool *p, fab_req_t req, uint32_t origin) {
  uint32_t index = (uint32_t)req - 1u;
  if (index / SIM_OP_CHUNK >= p->n_chunks) return NULL;
  struct sim_op *op = sim_pool_at(p, index);
  return (op->gen & INT32_MAX) == (uint32_t)(req >> 32) && (op->flags & SIM_F_REQ) != 0 &&
                 op->origin == origin
             ? op
             : NULL;
}
