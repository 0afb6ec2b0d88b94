/* SPDX-License-Identifier: BSD-3-Clause */
/* make.c - makes, finds and ends exchanges: what each end of an edge does, the layout of a member's
 * block, and how the two ends find each other's slots.
 *
 * A block begins with the offsets of the slots of all its ends; a member gets those of its
 * neighbours' that it needs, in two rounds, whatever the number of edges. */
#include <inttypes.h>
#include <stdlib.h>

#include "fused/fused.h"
#include "fused/state.h"
#include "gmem/sheap.h"
#include "rt/place.h"
#include "teams/agree.h"

#define KIND "exchange"

/* -- what is asked for ------------------------------------------------------------------------- */

static int ops_check(const eyot_exchange_ops_t *ops, const eyot_exchange_t *exchange) {
  if (exchange == NULL || ops == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", ops == NULL ? "ops" : "exchange");
  if (ops->pack == NULL || ops->unpack == NULL)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "ops.%s is NULL, expected a function: edges between nodes pack and unpack",
                      ops->pack == NULL ? "pack" : "unpack");
  if (ops->where > EYOT_EXCHANGE_PACKED)
    return EYOTI_FAIL(EYOT_EINVAL, "ops.where is %d, expected one of eyot_exchange_where_t",
                      (int)ops->where);
  if (ops->send_bytes > EYOT_EXCHANGE_BLOCK_MAX || ops->recv_bytes > EYOT_EXCHANGE_BLOCK_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "ops.%s is %u, expected 0..%u: pass pointers to what is longer",
                      ops->send_bytes > EYOT_EXCHANGE_BLOCK_MAX ? "send_bytes" : "recv_bytes",
                      ops->send_bytes > EYOT_EXCHANGE_BLOCK_MAX ? ops->send_bytes : ops->recv_bytes,
                      EYOT_EXCHANGE_BLOCK_MAX);
  if (ops->space_bytes > EYOTI_AGREE_OFFSET_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "ops.space_bytes is %" PRIu64 ", which no heap has",
                      ops->space_bytes);
  return EYOT_OK;
}

/* Of what must be equal on all members. */
static uint64_t ops_hash(const eyot_exchange_ops_t *ops) {
  uint64_t h = eyoti_hash_mix(ops->space_bytes, (uint64_t)ops->send_bytes << 32 | ops->recv_bytes);
  return eyoti_hash_mix(h, (uint64_t)ops->where << 1 | (ops->fused != NULL));
}

enum eyoti_fused_role eyoti_fused_role_of(const struct eyoti_fused *x, bool out, uint32_t member) {
  fab_unit_t unit = eyoti_team_unit(x->t, member);
  bool moved = x->ops.fused != NULL && x->ops.where != EYOT_EXCHANGE_PACKED &&
               (unit == x->rt->fab->me || eyoti_sheap_reaches(x->rt, unit));
  if (!moved) return out ? EYOTI_FUSED_PACKS : EYOTI_FUSED_UNPACKS;
  return out == (x->ops.where == EYOT_EXCHANGE_AT_SENDER) ? EYOTI_FUSED_MOVES : EYOTI_FUSED_SHOWS;
}

/* -- memory ------------------------------------------------------------------------------------ */

static void exchange_delete(struct eyoti_fused *x) {
  if (x == NULL) return;
  free(x->end);
  free(x->send);
  free(x->recv);
  free(x);
}

static void graph_ends(struct eyoti_fused *x) {
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    bool to = i >= x->n_in;
    uint32_t member = to ? x->g->out[i - x->n_in].member : x->g->in[i].member;
    x->end[i] =
        (struct eyoti_fused_end){.member = member,
                                 .block = to ? x->g->out[i - x->n_in].block : x->g->in[i].block,
                                 .out = to,
                                 .role = (uint8_t)eyoti_fused_role_of(x, to, member)};
  }
}

/* Of a graph; NULL: of all members of the team. */
static int exchange_new(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_graph *g,
                        const eyot_exchange_ops_t *ops, struct eyoti_fused **out) {
  struct eyoti_fused *x = calloc(1, sizeof *x);
  if (x == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for an exchange");
  x->rt = rt;
  x->g = g;
  x->t = t;
  x->ops = *ops;
  x->n_in = g != NULL ? g->n_in : t->size;
  x->n_out = g != NULL ? g->n_out : t->size;
  x->sources = g != NULL ? g->sources : t->size;
  x->destinations = g != NULL ? g->destinations : t->size;
  x->message_bytes = sizeof(struct eyoti_fused_head) + (ops->space_bytes + 15) / 16 * 16;
  size_t n = eyoti_fused_ends(x);
  x->end = calloc(n + 1, sizeof *x->end);
  x->send = calloc((size_t)x->destinations + 1, ops->send_bytes + 1);
  x->recv = calloc((size_t)x->sources + 1, ops->recv_bytes + 1);
  if (x->end == NULL || x->send == NULL || x->recv == NULL) {
    exchange_delete(x);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for an exchange along %zu edges", n);
  }
  if (g != NULL)
    graph_ends(x);
  else
    eyoti_fused_all_ends(x);
  *out = x;
  return EYOT_OK;
}

/* Sets where the slots of each end are; returns the bytes of the block, which begins with the
 * offsets of all ends if there is a graph. */
static uint64_t block_layout(struct eyoti_fused *x) {
  uint64_t at = x->g != NULL ? (eyoti_fused_ends(x) * sizeof(uint64_t) + 63) / 64 * 64 : 0;
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    struct eyoti_fused_end *e = &x->end[i];
    e->slots = at;
    at += eyoti_fused_slots_bytes(x, e);
    if (e->role == EYOTI_FUSED_PACKS) at += (EYOTI_FUSED_SLOTS * x->message_bytes + 63) / 64 * 64;
  }
  return at;
}

/* Makes the caller's block. Local. */
static int block_make(struct eyoti_fused *x) {
  struct eyot_rt *rt = x->rt;
  uint32_t n = eyoti_fused_ends(x);
  if (n == 0) return EYOT_OK;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = eyot_alloc(block_layout(x), &x->memory);
  eyoti_rt_unnest(rt, nest);
  EYOTI_TRY(rc);
  EYOTI_TRY(eyoti_gmem_resolve(rt, x->memory, 8, &x->own));
  x->base = eyoti_gmem_mapped(rt, x->own);
  if (x->g == NULL) return EYOT_OK;
  uint64_t *offsets = calloc(n, sizeof *offsets);
  if (offsets == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the places of %u edges", n);
  for (uint32_t i = 0; i < n; i++) offsets[i] = x->end[i].slots;
  rc = fab_put_wait(rt->fab, x->own, offsets, n * sizeof *offsets);
  free(offsets);
  return rc;
}

int eyoti_fused_part_at(const struct eyoti_fused *x, uint32_t member, uint64_t off, uint64_t len,
                        struct fab_addr *out) {
  EYOTI_TRY(eyoti_gmem_resolve(
      x->rt, eyot_gptr_at(x->name.at, (eyot_unit_t){eyoti_team_unit(x->t, member)}), off + len,
      out));
  out->off += off;
  return EYOT_OK;
}

static int place_at(const struct eyoti_fused *x, uint32_t member, struct fab_addr *out) {
  return eyoti_fused_part_at(x, member, 0, sizeof(struct eyoti_graph_place), out);
}

/* Says in the caller's part of the team's allocation where its block is. */
static int place_publish(const struct eyoti_fused *x) {
  struct eyoti_graph_place place = eyoti_graph_place_of(x->own, x->n_in, x->n_out, false);
  struct fab_addr at;
  EYOTI_TRY(place_at(x, x->t->me, &at));
  return fab_put_wait(x->rt->fab, at, &place, sizeof place);
}

/* -- the other ends ---------------------------------------------------------------------------- */

/* The number of the edge among those of its side at the other end. */
static uint32_t far_index(const struct eyoti_fused *x, uint32_t i) {
  return i < x->n_in ? x->g->in[i].far : x->g->out[i - x->n_in].far;
}

static int places_get(const struct eyoti_fused *x, struct eyoti_graph_place *place) {
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    struct fab_addr at;
    EYOTI_TRY(place_at(x, x->end[i].member, &at));
    EYOTI_TRY(fab_get(x->rt->fab, &place[i], at, sizeof place[i], NULL));
  }
  return EYOT_OK;
}

static int slots_get(const struct eyoti_fused *x, const struct eyoti_graph_place *place,
                     uint64_t *slots) {
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    struct fab_addr at = place[i].at;
    at.off += (far_index(x, i) + (x->end[i].out ? 0 : place[i].n_in)) * sizeof *slots;
    EYOTI_TRY(fab_get(x->rt->fab, &slots[i], at, sizeof *slots, NULL));
  }
  return EYOT_OK;
}

static void ends_link(struct eyoti_fused *x, const struct eyoti_graph_place *place,
                      const uint64_t *slots) {
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    x->end[i].far = place[i].at;
    x->end[i].far.off += slots[i];
  }
}
static int graph_find(struct eyoti_fused *x) {
  struct fab *f = x->rt->fab;
  uint32_t n = eyoti_fused_ends(x);
  struct eyoti_graph_place *place = calloc((size_t)n + 1, sizeof *place);
  uint64_t *slots = calloc((size_t)n + 1, sizeof *slots);
  int rc = place == NULL || slots == NULL
               ? EYOTI_FAIL(EYOT_ENOMEM, "no memory for the places of %u edges", n)
               : EYOT_OK;
  for (int round = 0; round < 2 && rc == EYOT_OK; round++) {
    rc = round == 0 ? places_get(x, place) : slots_get(x, place, slots);
    int rc_flush = fab_flush_end(f, FAB_ALL, FAB_LOCAL);
    if (rc == EYOT_OK) rc = rc_flush;
  }
  if (rc == EYOT_OK) ends_link(x, place, slots);
  free(place);
  free(slots);
  return rc;
}

/* -- exchanges --------------------------------------------------------------------------------- */

/* Frees the global memory. Collective. */
static int memory_free(struct eyoti_fused *x) {
  struct eyoti_nest nest = eyoti_rt_nest(x->rt);
  int rc = eyot_gptr_is_null(x->memory) ? EYOT_OK : eyot_free(x->memory);
  int rc_team = eyot_team_free(x->name.at);
  eyoti_rt_unnest(x->rt, nest);
  return rc != EYOT_OK ? rc : rc_team;
}

static int exchange_make(struct eyoti_fused *x) {
  struct eyot_rt *rt = x->rt;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = eyot_team_alloc(
      x->t->handle, x->g != NULL ? sizeof(struct eyoti_graph_place) : eyoti_fused_all_bytes(x),
      &x->name.at);
  eyoti_rt_unnest(rt, nest);
  EYOTI_TRY(rc);
  rc = block_make(x);
  if (rc == EYOT_OK) rc = x->g != NULL ? place_publish(x) : eyoti_fused_all_publish(x);
  rc = eyoti_agree_done(rt->fab, &x->t->ctl, rc);
  if (rc == EYOT_OK)
    rc = eyoti_agree_done(rt->fab, &x->t->ctl,
                          x->g != NULL ? graph_find(x) : eyoti_fused_all_find(x));
  if (rc != EYOT_OK) (void)memory_free(x);
  return rc;
}

/* Of a graph; NULL: of all members of the team. Collective. */
static int exchange_create(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_graph *g,
                           const eyot_exchange_ops_t *ops, eyot_exchange_t *exchange) {
  struct eyoti_fused *x = NULL;
  EYOTI_TRY(eyoti_team_enter(rt, t));
  int refused = ops_check(ops, exchange);
  if (refused == EYOT_OK) refused = exchange_new(rt, t, g, ops, &x);
  int rc =
      eyoti_graph_compare(rt, t, EYOTI_IN_EXCHANGE_CREATE, refused == EYOT_OK ? ops_hash(ops) : 0,
                          "sizes, places or fused functions of an exchange", refused);
  if (rc == EYOT_OK) rc = exchange_make(x);
  if (rc != EYOT_OK) {
    exchange_delete(x);
    return rc;
  }
  x->next = rt->fused;
  rt->fused = x;
  if (g != NULL) g->users++;
  *exchange = x->name;
  eyoti_observe_made(rt, KIND, x->name.at.seg, 0);
  return EYOT_OK;
}

int eyot_exchange_create(eyot_graph_t graph, const eyot_exchange_ops_t *ops,
                         eyot_exchange_t *exchange) {
  EYOTI_ENTER(rt);
  struct eyoti_graph *g;
  EYOTI_TRY(eyoti_graph_find(rt, graph, &g));
  return exchange_create(rt, g->t, g, ops, exchange);
}

int eyot_exchange_create_all(eyot_team_t team, const eyot_exchange_ops_t *ops,
                             eyot_exchange_t *exchange) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  return exchange_create(rt, t, NULL, ops, exchange);
}

int eyoti_fused_find(struct eyot_rt *rt, eyot_exchange_t name, struct eyoti_fused **out) {
  struct eyoti_fused *x = rt->fused;
  if (eyot_gptr_is_null(name.at))
    return EYOTI_FAIL(EYOT_ESEG,
                      "the exchange is null: it was not made yet, or has been destroyed");
  while (x != NULL && !eyot_gptr_equal(x->name.at, name.at)) x = x->next;
  if (x == NULL)
    return EYOTI_FAIL(EYOT_ESEG,
                      "no such exchange of this unit at segment %u: it was destroyed, or is of a "
                      "team that unit %u is not in",
                      name.at.seg, rt->fab->me);
  *out = x;
  return EYOT_OK;
}

static void exchange_unlink(struct eyoti_fused *x) {
  struct eyoti_fused **at = &x->rt->fused;
  while (*at != x) at = &(*at)->next;
  *at = x->next;
}

int eyot_exchange_destroy(eyot_exchange_t *exchange) {
  EYOTI_ENTER(rt);
  struct eyoti_fused *x;
  if (exchange == NULL) return EYOTI_FAIL(EYOT_EINVAL, "exchange is NULL");
  EYOTI_TRY(eyoti_fused_find(rt, *exchange, &x));
  eyot_gptr_t at = x->name.at;
  EYOTI_TRY(eyoti_team_enter(rt, x->t));
  int busy = x->started
                 ? EYOTI_FAIL(EYOT_EBUSY, "the exchange is started: call eyot_exchange_wait first")
                 : EYOT_OK;
  EYOTI_TRY(eyoti_graph_compare(rt, x->t, EYOTI_IN_EXCHANGE_DESTROY,
                                eyoti_gptr_gen(at) + ((uint64_t)at.seg << 32), "exchanges", busy));
  /* All members have ended their last exchange; what is left is on its way to its reader. */
  int rc_settle = eyoti_fused_settle(x);
  exchange_unlink(x);
  if (x->g != NULL) x->g->users--;
  int rc = memory_free(x);
  eyoti_observe_released(rt, KIND, at.seg);
  exchange_delete(x);
  *exchange = EYOT_EXCHANGE_NULL;
  return rc != EYOT_OK ? rc : rc_settle;
}

/* Each member says so for itself: the others may have waited. */
static void warn_of_started(struct eyot_rt *rt, const struct eyoti_fused *x) {
  char place[EYOTI_CODE_LINE];
  if (eyoti_log_level() < EYOTI_LOG_WARN) return; /* a place takes milliseconds to find */
  eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
            "not waited for before: an exchange (eyot_exchange_start at %s)",
            eyoti_place_text(rt, eyoti_place_of(rt, x->site), place));
}

void eyoti_fused_stop(struct eyot_rt *rt) {
  uint32_t leaks = 0;
  for (struct eyoti_fused *x = rt->fused, *next; x != NULL; x = next) {
    next = x->next;
    if (x->started) warn_of_started(rt, x);
    if (x->t->me == 0) leaks++;
    exchange_delete(x);
  }
  rt->fused = NULL;
  if (leaks > 0)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "%u exchanges of teams whose first member is this unit were not destroyed", leaks);
}
