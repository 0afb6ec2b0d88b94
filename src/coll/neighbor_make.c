/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_make.c - makes, finds and ends graphs: the layout of a member's block, and how the two
 * ends of an edge find each other.
 *
 * Each member writes the names of its edges, sorted, into its block, and the place of the block
 * into its part of the team's allocation. After a barrier each end looks for the other one's name
 * of the edge by a binary search in gets, all edges at once: O(log d) rounds for d edges at the
 * other end, and no member keeps or sends anything of members that are no neighbours. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coll/neighbor.h"
#include "teams/agree.h"

#define KIND "graph of neighbours"

static int name_order(const void *a, const void *b) {
  const struct eyoti_edge_name *x = a, *y = b;
  if (x->member != y->member) return x->member < y->member ? -1 : 1;
  return x->tag < y->tag ? -1 : x->tag > y->tag;
}

/* The greatest of the members' words on all of them; an error of any member goes first, and all
 * return it. Collective. */
static int meet(struct eyot_rt *rt, struct eyoti_team *t, uint64_t words[2], int error) {
  static const enum eyoti_ctl_op OPS[3] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  uint64_t all[3] = {words[0], words[1], (uint64_t)-error};
  EYOTI_TRY(eyoti_ctl_exchange(rt->fab, &t->ctl, OPS, all, 3));
  words[0] = all[0];
  words[1] = all[1];
  return -(int)all[2];
}

int eyoti_graph_compare(struct eyot_rt *rt, struct eyoti_team *t, enum eyoti_compare_in in,
                        uint64_t hash, const char *what, int error) {
  struct eyoti_compared c;
  EYOTI_TRY(eyoti_compare(rt->fab, &t->ctl, in, hash, error, &c));
  if (c.error != EYOT_OK || c.same) return c.error;
  return EYOTI_FAIL(EYOT_EMISMATCH, "the members of %s passed different %s, expected the same",
                    EYOTI_TEAM_WORDS(t), what);
}

/* -- memory ------------------------------------------------------------------------------------ */

static void graph_delete(struct eyoti_graph *g) {
  if (g == NULL) return;
  free(g->cart);
  free(g->in);
  free(g->out);
  free(g);
}

static int graph_new(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_graph_edges *e,
                     struct eyoti_graph **out) {
  struct eyoti_graph *g = calloc(1, sizeof *g);
  if (g == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a graph");
  eyoti_line_init(&g->line, rt, &eyoti_exchange_ops);
  g->rt = rt;
  g->t = t;
  g->sources = e->sources;
  g->destinations = e->destinations;
  g->n_in = e->n_in;
  g->n_out = e->n_out;
  g->edge_words = rt->fab->ops->message != NULL ? EYOTI_EDGE_END + 1 : EYOTI_EDGE_SLOTS;
  const struct fab *f = rt->fab;
  bool on_node = (f->caps & FAB_CAP_VIRTUAL_TIME) == 0 && f->local.n == f->n;
  g->wide = on_node && f->ops->send == NULL && e->n_in <= EYOTI_WIDE_EDGES;
  g->in = calloc(e->n_in + 1, sizeof *g->in);
  g->out = calloc(e->n_out + 1, sizeof *g->out);
  if (g->in == NULL || g->out == NULL) {
    graph_delete(g);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u edges", e->n_in + e->n_out);
  }
  for (uint32_t i = 0; i < e->n_in; i++) {
    const struct eyoti_edge_name *n = &e->in[i];
    g->in[n->index].member = n->member;
    g->in[n->index].block = n->block;
  }
  for (uint32_t i = 0; i < e->n_out; i++) {
    const struct eyoti_edge_name *n = &e->out[i];
    g->out[n->index] =
        (struct eyoti_edge_out){.member = n->member, .block = n->block, .back = EYOTI_EDGE_NONE};
  }
  *out = g;
  return EYOT_OK;
}

/* The first name of the member, or n. */
static uint32_t first_of(const struct eyoti_edge_name *names, uint32_t n, uint32_t member) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (names[mid].member < member)
      low = mid + 1;
    else
      high = mid;
  }
  return low < n && names[low].member == member ? low : n;
}

/* Which members are neighbours in both directions. */
static void find_back(struct eyoti_graph *g, const struct eyoti_graph_edges *e) {
  for (uint32_t i = 0; i < g->n_out; i++) {
    uint32_t at = first_of(e->in, e->n_in, g->out[i].member);
    if (at < e->n_in) g->out[i].back = e->in[at].index;
  }
  for (uint32_t i = 0; i < g->n_in; i++)
    g->in[i].back = first_of(e->out, e->n_out, g->in[i].member) < e->n_out;
}

/* Makes the caller's block. Local. */
static int block_make(struct eyoti_graph *g, const struct eyoti_graph_edges *e) {
  uint64_t in = g->n_in, out = g->n_out, name = sizeof(struct eyoti_edge_name);
  g->credits_off = (in + out) * name;
  g->words_off = g->credits_off + out * g->edge_words * 8;
  g->slots_off = (g->words_off + in * g->edge_words * 8 + 63) / 64 * 64;
  if (in + out == 0) return EYOT_OK;
  struct eyot_rt *rt = g->rt;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = eyot_alloc(g->slots_off + in * EYOTI_EDGE_SLOTS * eyoti_slot_bytes(g->wide), &g->memory);
  eyoti_rt_unnest(rt, nest);
  if (rc != EYOT_OK) return rc;
  EYOTI_TRY(eyoti_gmem_resolve(rt, g->memory, 8, &g->own));
  g->base = eyoti_gmem_mapped(rt, g->own);
  EYOTI_TRY(fab_put_wait(rt->fab, g->own, e->in, in * name));
  struct fab_addr names_out = g->own;
  names_out.off += in * name;
  return fab_put_wait(rt->fab, names_out, e->out, out * name);
}

static int place_at(struct eyoti_graph *g, uint32_t member, struct fab_addr *out) {
  return eyoti_gmem_resolve(g->rt,
                            eyot_gptr_at(g->name.at, (eyot_unit_t){eyoti_team_unit(g->t, member)}),
                            sizeof(struct eyoti_graph_place), out);
}

static int place_publish(struct eyoti_graph *g) {
  struct eyoti_graph_place place = eyoti_graph_place_of(g->own, g->n_in, g->n_out, g->wide);
  struct fab_addr at;
  EYOTI_TRY(place_at(g, g->t->me, &at));
  return fab_put_wait(g->rt->fab, at, &place, sizeof place);
}

/* -- the other ends ---------------------------------------------------------------------------- */

/* The search for the other end of an edge. */
struct edge_search {
  const struct eyoti_edge_name *edge;
  bool out; /* the edge is from the caller */
  struct eyoti_graph_place place;
  uint32_t low, high; /* names that may be it */
  struct eyoti_edge_name seen;
  bool found;
};

static int get_places(struct eyoti_graph *g, struct edge_search *s, uint32_t n) {
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < n && rc == EYOT_OK; i++) {
    struct fab_addr at;
    rc = place_at(g, s[i].edge->member, &at);
    if (rc == EYOT_OK) rc = fab_get(g->rt->fab, &s[i].place, at, sizeof s[i].place, NULL);
  }
  int rc_flush = fab_flush_end(g->rt->fab, FAB_ALL, FAB_LOCAL);
  for (uint32_t i = 0; i < n; i++) s[i].high = s[i].out ? s[i].place.n_in : s[i].place.n_out;
  return rc != EYOT_OK ? rc : rc_flush;
}

/* One round of all searches. *more: some go on. */
static int search_round(struct eyoti_graph *g, struct edge_search *s, uint32_t n, bool *more) {
  int rc = EYOT_OK;
  *more = false;
  for (uint32_t i = 0; i < n && rc == EYOT_OK; i++) {
    if (s[i].found || s[i].low >= s[i].high) continue;
    uint64_t at = s[i].low + (s[i].high - s[i].low) / 2 + (s[i].out ? 0 : s[i].place.n_in);
    struct fab_addr from = s[i].place.at;
    from.off += at * sizeof s[i].seen;
    rc = fab_get(g->rt->fab, &s[i].seen, from, sizeof s[i].seen, NULL);
  }
  int rc_flush = fab_flush_end(g->rt->fab, FAB_ALL, FAB_LOCAL);
  if (rc != EYOT_OK || rc_flush != EYOT_OK) return rc != EYOT_OK ? rc : rc_flush;
  for (uint32_t i = 0; i < n; i++) {
    if (s[i].found || s[i].low >= s[i].high) continue;
    uint32_t mid = s[i].low + (s[i].high - s[i].low) / 2;
    struct eyoti_edge_name want = {.member = g->t->me, .tag = s[i].edge->tag};
    int order = name_order(&want, &s[i].seen);
    s[i].found = order == 0;
    if (order < 0) s[i].high = mid;
    if (order > 0) s[i].low = mid + 1;
    *more |= !s[i].found && s[i].low < s[i].high;
  }
  return EYOT_OK;
}

/* Keeps where the other end has its words and slots. */
static void link_edge(struct eyoti_graph *g, const struct edge_search *s) {
  const struct eyoti_graph_place *p = &s->place;
  uint64_t names = ((uint64_t)p->n_in + p->n_out) * sizeof(struct eyoti_edge_name);
  uint64_t edge = g->edge_words * 8ull;
  uint64_t words = names + p->n_out * edge, slots = (words + p->n_in * edge + 63) / 64 * 64;
  uint64_t index = s->seen.index;
  struct fab_addr at = p->at;
  if (!s->out) {
    g->in[s->edge->index].far = s->seen.index;
    at.off += names + index * edge;
    g->in[s->edge->index].credits = at;
    return;
  }
  struct eyoti_edge_out *e = &g->out[s->edge->index];
  e->far = s->seen.index;
  e->words = e->slots = at;
  e->words.off += words + index * edge;
  e->slot_bytes = eyoti_slot_bytes(p->wide);
  e->slots.off += slots + index * EYOTI_EDGE_SLOTS * e->slot_bytes;
}

/* bad[0], bad[1]: (source + 1) << 32 | destination of an edge that the caller names as a
 * destination, or a source, and its other end does not; else 0. */
static int find_ends(struct eyoti_graph *g, const struct eyoti_graph_edges *e, uint64_t bad[2]) {
  uint32_t n = e->n_in + e->n_out;
  struct edge_search *s = calloc(n + 1, sizeof *s);
  if (s == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to compare %u edges", n);
  for (uint32_t i = 0; i < e->n_in; i++) s[i] = (struct edge_search){.edge = &e->in[i]};
  for (uint32_t i = 0; i < e->n_out; i++)
    s[e->n_in + i] = (struct edge_search){.edge = &e->out[i], .out = true};
  int rc = get_places(g, s, n);
  for (bool more = n > 0; more && rc == EYOT_OK;) rc = search_round(g, s, n, &more);
  for (uint32_t i = 0; i < n && rc == EYOT_OK; i++) {
    if (s[i].found) {
      link_edge(g, &s[i]);
      continue;
    }
    uint64_t from = s[i].out ? g->t->me : s[i].edge->member;
    uint64_t to = s[i].out ? s[i].edge->member : g->t->me;
    bad[s[i].out ? 0 : 1] = (from + 1) << 32 | to;
  }
  free(s);
  return rc;
}

/* Collective. */
static int compare_ends(struct eyoti_graph *g, const struct eyoti_graph_edges *e) {
  uint64_t bad[2] = {0, 0};
  int rc = find_ends(g, e, bad);
  EYOTI_TRY(meet(g->rt, g->t, bad, rc));
  if (bad[0] == 0 && bad[1] == 0) return EYOT_OK;
  bool out = bad[0] != 0;
  uint64_t edge = out ? bad[0] : bad[1];
  uint32_t from = (uint32_t)(edge >> 32) - 1, to = (uint32_t)edge;
  return EYOTI_FAIL(EYOT_EMISMATCH,
                    "edge %u -> %u of %s: member %u names %u as a %s, and member %u does not name "
                    "%u as a %s, or not as often",
                    from, to, EYOTI_TEAM_WORDS(g->t), out ? from : to, out ? to : from,
                    out ? "destination" : "source", out ? to : from, out ? from : to,
                    out ? "source" : "destination");
}

/* -- graphs ------------------------------------------------------------------------------------ */

/* Frees the global memory; `memory` is collective. */
static int memory_free(struct eyoti_graph *g) {
  struct eyoti_nest nest = eyoti_rt_nest(g->rt);
  int rc = eyot_gptr_is_null(g->memory) ? EYOT_OK : eyot_free(g->memory);
  int rc_team = eyot_team_free(g->name.at);
  eyoti_rt_unnest(g->rt, nest);
  return rc != EYOT_OK ? rc : rc_team;
}

int eyoti_graph_make(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_graph_edges *e,
                     struct eyoti_cart *cart, uint64_t arguments, int refused,
                     eyot_graph_t *graph) {
  struct eyoti_graph *g = NULL;
  if (refused == EYOT_OK && graph == NULL) refused = EYOTI_FAIL(EYOT_EINVAL, "graph is NULL");
  if (refused == EYOT_OK) refused = graph_new(rt, t, e, &g);
  if (g != NULL)
    g->cart = cart;
  else
    free(cart);
  int rc = eyoti_graph_compare(rt, t, EYOTI_IN_GRAPH_CREATE, arguments,
                               "grids, or a graph and a grid", refused);
  if (rc != EYOT_OK) goto delete_graph;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  rc = eyot_team_alloc(t->handle, sizeof(struct eyoti_graph_place), &g->name.at);
  eyoti_rt_unnest(rt, nest);
  if (rc != EYOT_OK) goto delete_graph;
  qsort(e->in, e->n_in, sizeof *e->in, name_order);
  qsort(e->out, e->n_out, sizeof *e->out, name_order);
  find_back(g, e);
  rc = block_make(g, e);
  if (rc == EYOT_OK) rc = place_publish(g);
  rc = eyoti_agree_done(rt->fab, &t->ctl, rc);
  if (rc == EYOT_OK) rc = compare_ends(g, e);
  if (rc != EYOT_OK) goto free_memory;
  g->next = rt->coll->graphs;
  rt->coll->graphs = g;
  *graph = g->name;
  eyoti_observe_made(rt, KIND, g->name.at.seg, 0);
  return EYOT_OK;

free_memory:
  (void)memory_free(g);
delete_graph:
  graph_delete(g);
  return rc;
}

int eyoti_graph_find(struct eyot_rt *rt, eyot_graph_t name, struct eyoti_graph **out) {
  if (eyot_gptr_is_null(name.at))
    return EYOTI_FAIL(EYOT_ESEG, "the graph is null: it was not made yet, or has been destroyed");
  struct eyoti_graph **at = &rt->coll->graphs;
  while (*at != NULL && !eyot_gptr_equal((*at)->name.at, name.at)) at = &(*at)->next;
  if (*at == NULL)
    return EYOTI_FAIL(EYOT_ESEG,
                      "no such graph of this unit at segment %u generation %u: it was destroyed, "
                      "or is of a team that unit %u is not in",
                      name.at.seg, eyoti_gptr_gen(name.at), rt->fab->me);
  struct eyoti_graph *g = *at;
  *at = g->next; /* moves it to the front: programs use one for a while */
  g->next = rt->coll->graphs;
  rt->coll->graphs = g;
  *out = g;
  return EYOT_OK;
}

static int refuse_busy(const struct eyoti_graph *g) {
  if (g->users > 0)
    return EYOTI_FAIL(EYOT_EBUSY,
                      "%u exchanges go along the edges of the graph: call eyot_exchange_destroy "
                      "first",
                      g->users);
  if (g->handles == 0 && g->line.head == NULL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EBUSY,
                    "%s has %u calls on the graph that were not completed, or plans: call "
                    "eyot_coll_wait or eyot_coll_free first",
                    EYOTI_TEAM_WORDS(g->t), g->handles);
}

/* Messages are complete where they are sent, and a sender's come in order. So each end of an edge
 * sends a last one, and the memory is the caller's again when those of all its edges have come. All
 * members have left their calls. */
static int last_message(struct eyoti_graph *g, struct fab_addr words) {
  words.off += EYOTI_EDGE_END * 8u;
  struct fab_sig sig = {.at = words, .op = FAB_SIG_SET, .value = 1};
  return fab_message(g->rt->fab, words, NULL, 0, &sig, NULL, NULL);
}
static int last_await(struct eyoti_graph *g, uint64_t off) {
  struct fab_cond cond = {
      .seg = g->own.seg, .cmp = FAB_GE, .off = g->own.off + off, .value = 1, .type = FAB_U64};
  uint32_t which;
  return fab_wait_any(g->rt->fab, &cond, 1, FAB_FOREVER, &which);
}
static int last_messages(struct eyoti_graph *g) {
  if (g->rt->fab->ops->message == NULL) return EYOT_OK;
  for (uint32_t i = 0; i < g->n_in; i++) EYOTI_TRY(last_message(g, g->in[i].credits));
  for (uint32_t i = 0; i < g->n_out; i++) EYOTI_TRY(last_message(g, g->out[i].words));
  for (uint32_t i = 0; i < g->n_in; i++)
    EYOTI_TRY(last_await(g, eyoti_graph_word(g, i, EYOTI_EDGE_END)));
  for (uint32_t i = 0; i < g->n_out; i++)
    EYOTI_TRY(last_await(g, eyoti_graph_credit(g, i, EYOTI_EDGE_END)));
  return EYOT_OK;
}

int eyot_graph_destroy(eyot_graph_t *graph) {
  EYOTI_ENTER(rt);
  struct eyoti_graph *g;
  if (graph == NULL) return EYOTI_FAIL(EYOT_EINVAL, "graph is NULL");
  EYOTI_TRY(eyoti_graph_find(rt, *graph, &g));
  eyot_gptr_t at = g->name.at;
  EYOTI_TRY(eyoti_team_enter(rt, g->t));
  /* Nothing of the caller may arrive at a neighbour after that has freed its memory. */
  int rc = fab_flush(rt->fab, FAB_ALL, FAB_REMOTE);
  if (rc == EYOT_OK) rc = refuse_busy(g);
  EYOTI_TRY(eyoti_graph_compare(rt, g->t, EYOTI_IN_GRAPH_DESTROY,
                                eyoti_gptr_gen(at) + ((uint64_t)at.seg << 32), "graphs", rc));
  EYOTI_ASSERT(rt->coll->graphs == g);
  rt->coll->graphs = g->next;
  int rc_last = last_messages(g);
  rc = memory_free(g);
  if (rc == EYOT_OK) rc = rc_last;
  eyoti_observe_released(rt, KIND, at.seg);
  graph_delete(g);
  *graph = EYOT_GRAPH_NULL;
  return rc;
}

/* -- the end ----------------------------------------------------------------------------------- */

void eyoti_graphs_drain(struct eyot_rt *rt) {
  for (struct eyoti_graph *g = rt->coll->graphs; g != NULL; g = g->next) eyoti_line_drain(&g->line);
}

void eyoti_graphs_stop(struct eyot_rt *rt) {
  uint32_t leaks = 0;
  if (rt->coll->graphs != NULL) fab_settle(rt->fab, FAB_ALL);
  for (struct eyoti_graph *g = rt->coll->graphs, *next; g != NULL; g = next) {
    next = g->next;
    if (g->t->me == 0) leaks++;
    if (g->watched) eyoti_watch_remove(rt, &g->line.watch);
    if (rt->frees_at_end) eyoti_gmem_private_leave(rt, g->memory);
    graph_delete(g);
  }
  rt->coll->graphs = NULL;
  if (leaks > 0 && !rt->frees_at_end)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "%u graphs of teams whose first member is this unit were not destroyed", leaks);
}
