/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.c - sends long messages piece by piece, and holds back what must come after them. See
 * flow.h. */
#include "fabric_sim/engine/flow.h"

#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/engine/bulk.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/op_stages.h"

#define PIECE_LEAST 2048u /* bytes of the last pieces of a message of several */

enum way { WAY_PUT = 0, WAY_RESPONSE };

/* -- flows of records -------------------------------------------------------------------------- */

void sim_flow_fini(struct sim_flow_pool *p) {
  free(p->at);
  *p = (struct sim_flow_pool){0};
}

static struct sim_flows *flows_of(const struct sim_world *w, const struct sim_target *t) {
  EYOTI_ASSERT(t->flows > 0 && t->flows <= w->flows.n);
  return &w->flows.at[t->flows - 1];
}

/* Returns the flows of the record, new ones if it has none. They may move when others are made. */
static struct sim_flows *flows_make(struct sim_world *w, struct sim_target *t) {
  struct sim_flow_pool *p = &w->flows;
  if (t->flows != 0) return flows_of(w, t);
  if (p->free != 0) {
    t->flows = p->free;
    p->free = p->at[t->flows - 1].next;
  } else {
    if (p->n == p->cap) {
      uint32_t cap = p->cap == 0 ? 64 : p->cap * 2;
      struct sim_flows *at = realloc(p->at, cap * sizeof *at);
      if (at == NULL) eyoti_no_memory(cap * sizeof *at, "the flows of long messages");
      p->at = at;
      p->cap = cap;
    }
    t->flows = ++p->n;
  }
  struct sim_flow idle = {.head = SIM_OP_NONE, .tail = SIM_OP_NONE};
  p->at[t->flows - 1] = (struct sim_flows){.way = {idle, idle}};
  return &p->at[t->flows - 1];
}

void sim_flow_end(struct sim_world *w, struct sim_target *t) {
  struct sim_flows *x = flows_of(w, t);
  EYOTI_ASSERT(x->open == 0);
  x->next = w->flows.free;
  w->flows.free = t->flows;
  t->flows = 0;
}

/* -- open operations --------------------------------------------------------------------------- */

/* Whether it is known when the operation, a get, reads the target's memory, as its request is on
 * its way. A copy within a node has no request. */
static bool has_request(const struct sim_op *op) {
  return op->kind == SIM_OP_GET && !op->by_memory;
}

/* Whether nothing is known of its arrival. */
static bool is_late(const struct sim_op *op) {
  return sim_flow_is_open(op) && (!has_request(op) || (op->flags & SIM_F_HELD) != 0);
}

static bool is_strict(const struct sim_unit *u) {
  return u->world->opt.order == EYOTI_ORDER_STRICT;
}

/* Whether a late operation of the target comes before the newest operation. An order of a set alone
 * holds back other sets' operations here too, which the contract allows. */
static bool is_restricted(struct sim_unit *u, const struct sim_op *op) {
  const struct sim_target *t;
  if (!is_strict(u) && op->kind == SIM_OP_GET) return false;
  for (uint32_t i = 0; (t = sim_inflight_record(u, FAB_SET_ALL, op->target, &i)) != NULL;) {
    if (t->flows == 0) continue;
    const struct sim_flows *x = flows_of(u->world, t);
    if ((is_strict(u) ? x->late : x->fenced) > 0) return true;
  }
  return false;
}

/* Its times are later than any until they are known. */
static void flow_open(struct sim_unit *u, struct sim_target *t, struct sim_op *op) {
  struct sim_flows *x = flows_make(u->world, t);
  op->sent_ps = op->target_at = op->done_at = SIM_TIME_END_PS;
  x->open++;
  if (is_late(op)) x->late++;
  u->n_open++;
  u->open = true;
}

/* The order's times, which sim_timed_order could not fix. */
static void flow_mark(struct sim_unit *u, struct sim_target *t, const struct sim_op *op) {
  if ((op->flags & (SIM_F_ORDERED | SIM_F_ORDERED_ALL)) != 0)
    sim_inflight_before(u, t, op->target_at);
  else if (t->ordered_at < op->target_at)
    t->ordered_at = op->target_at;
}

/* The times of the operation are known. */
static void flow_close(struct sim_unit *u, struct sim_op *op) {
  struct sim_target *t = sim_inflight_of(u, op);
  struct sim_flows *x = flows_of(u->world, t);
  EYOTI_ASSERT(x->open > 0 && u->n_open > 0);
  x->open--;
  if (!has_request(op)) {
    x->late--;
    if ((op->flags & SIM_F_FENCED) != 0) {
      x->fenced--;
      flow_mark(u, t, op);
    }
  }
  u->open = --u->n_open > 0;
}

void sim_flow_order(struct sim_unit *u, struct sim_op *op) {
  if (!is_late(op) || op->kind == SIM_OP_GET || (op->flags & SIM_F_FENCED) != 0) return;
  op->flags |= SIM_F_FENCED;
  flows_of(u->world, sim_inflight_of(u, op))->fenced++;
}

/* -- pieces ------------------------------------------------------------------------------------ */

/* The last pieces of a long message are smaller, so that equal flows that share a place end at
 * about the same time. */
static uint32_t piece_bytes(uint64_t bytes, uint64_t done) {
  uint64_t left = bytes - done, piece = left / 4;
  if (bytes <= SIM_NET_PIECE_BYTES || left <= PIECE_LEAST) return (uint32_t)left;
  return piece < PIECE_LEAST           ? PIECE_LEAST
         : piece > SIM_NET_PIECE_BYTES ? SIM_NET_PIECE_BYTES
                                       : (uint32_t)piece;
}

/* When the first piece of the operation is ready. */
static uint64_t flow_from(const struct sim_op *op) {
  return op->by_memory ? op->u.begin_ps : op->post_at;
}

/* The processor's time for the copy was charged when it was posted; the piece has its share. */
static __attribute__((noinline)) void copy_piece(struct sim_world *w, const struct sim_op *op,
                                                 const struct sim_piece *piece,
                                                 struct sim_piece_times *times) {
  unsigned __int128 all_ps = op->post_at - op->u.begin_ps;
  sim_net_copy(w->net, piece, (uint64_t)(all_ps * piece->bytes / sim_bytes_of(op)), times);
}

/* Reserves the next piece of the operation. */
static void send_piece(struct sim_world *w, struct sim_flow *f, const struct sim_op *op,
                       uint64_t *sent_ps) {
  struct sim_piece piece = {.kind = op->kind == SIM_OP_GET ? SIM_MSG_GET : SIM_MSG_PUT,
                            .src = op->origin,
                            .dst = op->target,
                            .bytes = piece_bytes(sim_bytes_of(op), f->done),
                            .first = f->done == 0,
                            .at_ps = f->next_ps,
                            .now_ps = w->now_ps};
  struct sim_piece_times times;
  if (__builtin_expect(op->by_memory, 0))
    copy_piece(w, op, &piece, &times);
  else
    sim_net_piece(w->net, &piece, &times);
  f->done += piece.bytes;
  f->next_ps = times.next_ps;
  if (f->arrive_ps < times.arrive_ps) f->arrive_ps = times.arrive_ps;
  *sent_ps = times.sent_ps;
}

static void end_put(struct sim_unit *u, struct sim_op *op, uint64_t sent_ps, uint64_t arrive_ps) {
  struct sim_timing times = {
      .sent_ps = sent_ps,
      .target_at = arrive_ps,
      .done_at = arrive_ps + sim_net_ack_ps(u->world->net, op->origin, op->target)};
  sim_inject_timed(u, op, &times);
}

/* The processor's clock went on when the copy was posted: it is not over before that. */
static __attribute__((noinline)) void end_copy(struct sim_unit *u, struct sim_op *op,
                                               uint64_t copied_ps) {
  struct sim_timing times;
  if (copied_ps < op->post_at) copied_ps = op->post_at;
  sim_net_copied(u->world->net, sim_msg_of(op), op->origin, op->target, op->post_at, copied_ps,
                 &times);
  sim_inject_timed(u, op, &times);
}

static void end_response(struct sim_unit *u, struct sim_op *op, uint64_t arrive_ps) {
  op->done_at = arrive_ps > op->target_at ? arrive_ps : op->target_at + 1;
  op->flags |= SIM_F_INJECTED;
  sim_inflight_timed(u, sim_inflight_of(u, op), op);
  (void)sim_world_push(u->world, op->done_at, SIM_EV_LAND, op->index);
}

static void flow_release(struct sim_unit *u, const struct sim_op *by);

/* All of the operation's bytes are on their way. */
static void flow_finish(struct sim_unit *u, struct sim_op *op, enum way way, uint64_t sent_ps,
                        uint64_t arrive_ps) {
  if (__builtin_expect(op->by_memory, 0))
    end_copy(u, op, arrive_ps);
  else if (way == WAY_PUT)
    end_put(u, op, sent_ps, arrive_ps);
  else
    end_response(u, op, arrive_ps);
  flow_close(u, op);
  /* a get holds nothing back, nor does a put that no order came after */
  if (u->n_held > 0 && (is_strict(u) || (op->flags & SIM_F_FENCED) != 0)) flow_release(u, op);
}

/* Takes the operation off its flow; returns the next one, or NULL. */
static struct sim_op *flow_pop(struct sim_world *w, struct sim_flow *f, const struct sim_op *op) {
  f->head = f->tail == op->index ? SIM_OP_NONE : op->cut;
  f->done = f->arrive_ps = 0;
  if (f->head == SIM_OP_NONE) return NULL;
  struct sim_op *next = sim_pool_at(&w->pool, f->head);
  /* a unit's clock may be ahead when it posts */
  if (!has_request(next) && f->next_ps < flow_from(next)) f->next_ps = flow_from(next);
  return next;
}

/* Sends the message as a flow of SimGrid: its first event starts the flow, its second comes when
 * that is over. Wakes nobody. */
static void flow_send_whole(struct sim_unit *u, struct sim_op *op, enum way way, bool in_event) {
  struct sim_world *w = u->world;
  struct sim_flow *f = &flows_of(w, sim_inflight_of(u, op))->way[way];
  enum sim_msg kind = way == WAY_PUT ? SIM_MSG_PUT : SIM_MSG_GET;
  if (f->done == 0) {
    if (!in_event) {
      (void)sim_world_push(w, f->next_ps, SIM_EV_PIECE, op->index);
      return;
    }
    f->done = sim_bytes_of(op);
    sim_bulk_start(w, op, kind, f->done);
    return;
  }
  uint64_t arrive_ps = w->now_ps + sim_net_flow_way_ps(w->net, kind, op->origin, op->target);
  f->next_ps = w->now_ps;
  struct sim_op *next = flow_pop(w, f, op);
  if (next != NULL) (void)sim_world_push(w, f->next_ps, SIM_EV_PIECE, next->index);
  flow_finish(u, op, way, w->now_ps, arrive_ps);
}

/* Sends pieces that are due, and schedules the next one. Wakes nobody. */
static void flow_send(struct sim_unit *u, struct sim_op *op, enum way way, bool in_event) {
  struct sim_world *w = u->world;
  if (__builtin_expect(w->opt.network == EYOTI_NETWORK_SIMGRID, 0) && !op->by_memory &&
      sim_net_has_flow(w->net, op->origin, op->target)) {
    flow_send_whole(u, op, way, in_event);
    return;
  }
  for (;;) {
    struct sim_flow *f = &flows_of(w, sim_inflight_of(u, op))->way[way];
    EYOTI_ASSERT(f->head == op->index);
    if (f->next_ps > w->now_ps + w->lookahead_ps) {
      (void)sim_world_push(w, f->next_ps, SIM_EV_PIECE, op->index);
      return;
    }
    uint64_t sent_ps;
    send_piece(w, f, op, &sent_ps);
    if (f->done < sim_bytes_of(op)) continue;
    uint64_t arrive_ps = f->arrive_ps;
    struct sim_op *next = flow_pop(w, f, op);
    flow_finish(u, op, way, sent_ps, arrive_ps);
    if (next == NULL) return;
    op = next;
  }
}

/* Appends the operation to its flow. Returns true if it is alone there: its first piece is to be
 * sent. */
static bool flow_append(struct sim_unit *u, struct sim_op *op, enum way way, uint64_t at_ps) {
  struct sim_world *w = u->world;
  struct sim_flow *f = &flows_make(w, sim_inflight_of(u, op))->way[way];
  bool alone = f->head == SIM_OP_NONE;
  if (alone) {
    f->head = op->index;
    if (f->next_ps < at_ps) f->next_ps = at_ps;
    if (f->next_ps < w->now_ps) f->next_ps = w->now_ps;
  } else {
    sim_pool_at(&w->pool, f->tail)->cut = op->index;
  }
  f->tail = op->index;
  return alone;
}

/* The unit may have waited for what is known now. */
static void flow_wake(struct sim_unit *u) {
  if (u->timing && u->state == SIM_WAIT_OP && !sim_flow_is_open(u->wait_op)) sim_unit_ready(u);
}

static enum way way_of(const struct sim_op *op) {
  return op->kind == SIM_OP_GET ? WAY_RESPONSE : WAY_PUT;
}

void sim_flow_piece(struct sim_world *w, struct sim_op *op) {
  struct sim_unit *u = &w->units[op->origin];
  flow_send(u, op, way_of(op), true);
  flow_wake(u);
}

void sim_flow_respond(struct sim_world *w, struct sim_op *op) {
  struct sim_unit *u = &w->units[op->origin];
  if (flow_append(u, op, WAY_RESPONSE, w->now_ps)) flow_send(u, op, WAY_RESPONSE, true);
  flow_wake(u);
}

static void flow_request(struct sim_unit *u, struct sim_op *op, uint64_t at_ps) {
  struct sim_timing times;
  times.target_at = sim_net_request(u->world->net, op->origin, op->target, at_ps, &times.sent_ps);
  times.done_at = times.target_at + 1;
  sim_inject_request(u, op, &times);
}

/* -- what is held back ------------------------------------------------------------------------- */

/* The NIC reads a small source when the program posts, whenever it sends it. */
static void flow_hold(struct sim_unit *u, struct sim_target *t, struct sim_op *op) {
  op->flags |= SIM_F_HELD;
  if (sim_op_has_result(op)) op->flags |= SIM_F_LANDS;
  sim_inject_keep(op);
  flow_open(u, t, op);
  u->n_held++;
}

static bool is_long(const struct sim_world *w, const struct sim_op *op) {
  /* a fault of a link changes all times of a get at once */
  if (has_request(op) && w->faults != NULL) return false;
  return sim_net_is_long(w->net, sim_msg_of(op), op->by_memory, op->len);
}

/* The operation goes on its way: what held it back has its times. */
static void release_one(struct sim_unit *u, struct sim_op *op) {
  struct sim_world *w = u->world;
  u->n_held--;
  if (!is_long(w, op)) {
    sim_inject_whole(u, op);
    if (has_request(op)) flows_of(w, sim_inflight_of(u, op))->late--;
    op->flags &= (uint16_t)~SIM_F_HELD;
    flow_close(u, op);
    return;
  }
  op->flags &= (uint16_t)~SIM_F_HELD;
  if (has_request(op)) {
    flows_of(w, sim_inflight_of(u, op))->late--;
    flow_request(u, op, w->now_ps);
  } else if (flow_append(u, op, way_of(op), flow_from(op))) {
    const struct sim_flow *f = &flows_of(w, sim_inflight_of(u, op))->way[way_of(op)];
    (void)sim_world_push(w, f->next_ps, SIM_EV_PIECE, op->index);
  }
}

/* Releases what came after `by`, up to the next late operation that holds back the rest. Several
 * sets: an earlier operation of another set may still hold it back. */
static void flow_release(struct sim_unit *u, const struct sim_op *by) {
  const struct sim_many *m = u->many;
  bool sets = m != NULL && m->on && m->n_sets > 0;
  struct sim_target *t = sets ? NULL : sim_inflight_of(u, by);
  struct sim_op *op = sets ? sim_inflight_first(u, NULL) : sim_inflight_next(u, t, by);
  for (; op != NULL && op != u->inject && u->n_held > 0; op = sim_inflight_next(u, t, op)) {
    if (op->target != by->target) continue;
    if ((op->flags & SIM_F_HELD) != 0 && sim_flow_is_open(op)) release_one(u, op);
    if (is_late(op) && (is_strict(u) || (op->flags & SIM_F_FENCED) != 0)) return;
  }
}

static __attribute__((noinline)) void flow_copy(struct sim_unit *u, struct sim_op *op) {
  if (op->kind == SIM_OP_GET) op->flags |= SIM_F_LANDS;
  if (flow_append(u, op, way_of(op), flow_from(op))) flow_send(u, op, way_of(op), false);
}

bool sim_flow_takes(struct sim_unit *u, struct sim_op *op) {
  struct sim_world *w = u->world;
  if (__builtin_expect(u->open, 0) && is_restricted(u, op)) {
    flow_hold(u, sim_inflight_of(u, op), op);
    return true;
  }
  if (!is_long(w, op)) return false;
  flow_open(u, sim_inflight_of(u, op), op);
  if (__builtin_expect(op->by_memory, 0))
    flow_copy(u, op);
  else if (op->kind == SIM_OP_GET)
    flow_request(u, op, op->post_at);
  else if (flow_append(u, op, WAY_PUT, op->post_at))
    flow_send(u, op, WAY_PUT, false);
  return true;
}

/* -- waits ------------------------------------------------------------------------------------- */

void sim_flow_await(struct sim_unit *u, const struct sim_op *op) {
  u->timing = true;
  while (sim_flow_is_open(op)) {
    u->wait_op = op;
    sim_unit_block(u, SIM_WAIT_OP);
  }
  u->timing = false;
}

/* Whether it is not known when the operation is complete at this level. */
static bool is_open_at(const struct sim_op *op, enum fab_level level) {
  return sim_flow_is_open(op) && (level == FAB_REMOTE || sim_op_local_ps(op) >= SIM_TIME_END_PS);
}

/* Flows go in order, so the last open operation of a record is mostly the last to become known. */
void sim_flow_await_all(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level) {
  while (u->open) {
    const struct sim_target *t;
    const struct sim_op *op = NULL;
    for (uint32_t i = 0; op == NULL && (t = sim_inflight_record(u, set, unit, &i)) != NULL;) {
      if (t->flows == 0 || flows_of(u->world, t)->open == 0) continue;
      op = sim_inflight_last(u, t);
      while (op != NULL && !is_open_at(op, level)) op = sim_inflight_prev(u, t, op);
    }
    if (op == NULL) return;
    sim_flow_await(u, op);
  }
}
