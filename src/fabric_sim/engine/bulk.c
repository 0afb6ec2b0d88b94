/* SPDX-License-Identifier: BSD-3-Clause */
/* bulk.c - SimGrid's flows and its clock. See bulk.h. */
#include "fabric_sim/engine/bulk.h"

#include <stdlib.h>

#include "base/check.h"

/* SimGrid may end a flow, of which no byte is left, only when its clock advances again, and needs
 * it until then. */
static void bulk_advance_to(struct sim_world *w, uint64_t ps) {
  struct sim_bulk *b = &w->bulk;
  bool later = ps > b->now_ps;
  b->now_ps = ps;
  w->exec_ops->advance(w->exec, ps);
  while (later && b->n_over > 0) sim_net_flow_free(w->net, b->at[b->n + --b->n_over].flow);
}

void sim_bulk_fini(struct sim_world *w) {
  for (uint32_t i = 0; i < w->bulk.n + w->bulk.n_over; i++)
    sim_net_flow_free(w->net, w->bulk.at[i].flow);
  free(w->bulk.at);
  w->bulk = (struct sim_bulk){0};
}

void sim_bulk_start(struct sim_world *w, const struct sim_op *op, enum sim_msg kind,
                    uint64_t bytes) {
  struct sim_bulk *b = &w->bulk;
  bulk_advance_to(w, b->now_ps < w->now_ps ? w->now_ps : b->now_ps);
  if (b->n + b->n_over == b->cap) {
    uint32_t cap = b->cap == 0 ? 64 : b->cap * 2;
    struct sim_bulk_flow *at = realloc(b->at, cap * sizeof *at);
    if (at == NULL) eyoti_no_memory(cap * sizeof *at, "%u flows of SimGrid", cap);
    b->at = at;
    b->cap = cap;
  }
  if (b->n_over > 0) b->at[b->n + b->n_over] = b->at[b->n];
  b->at[b->n++] =
      (struct sim_bulk_flow){sim_net_flow_start(w->net, kind, op->origin, op->target, bytes),
                             sim_net_flow_byte_ps(w->net, kind, op->origin, op->target), op->index};
}

/* Ends what is over; returns the least time that a flow may take from now on. */
static uint64_t bulk_poll(struct sim_world *w) {
  struct sim_bulk *b = &w->bulk;
  double least = (double)SIM_TIME_END_PS;
  for (uint32_t i = 0; i < b->n;) {
    double left = sim_net_flow_left(w->net, b->at[i].flow);
    if (left > 0) {
      if (left * b->at[i].byte_ps < least) least = left * b->at[i].byte_ps;
      i++;
      continue;
    }
    (void)sim_world_push(w, b->now_ps, SIM_EV_PIECE, b->at[i].op);
    struct sim_bulk_flow over = b->at[i];
    b->at[i] = b->at[--b->n];
    b->at[b->n] = over;
    b->n_over++;
  }
  return least < SIM_BULK_STEP_PS ? SIM_BULK_STEP_PS : (uint64_t)least;
}

void sim_bulk_advance(struct sim_world *w) {
  struct sim_bulk *b = &w->bulk;
  while (b->n > 0) {
    uint64_t step_ps = bulk_poll(w);
    uint64_t until_ps = sim_queue_n(&w->queue) > 0 ? sim_queue_next_ps(&w->queue) : SIM_TIME_END_PS;
    if (b->n == 0 || until_ps <= b->now_ps) return;
    bulk_advance_to(w, until_ps - b->now_ps < step_ps ? until_ps : b->now_ps + step_ps);
  }
}
