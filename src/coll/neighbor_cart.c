/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_cart.c - Cartesian grids (eyot/neighbor.h): a graph whose edges follow from its
 * dimensions, coordinates, and the choice of dimensions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "coll/neighbor.h"

/* -- coordinates ------------------------------------------------------------------------------- */

static void coords_of(const struct eyoti_cart *c, uint32_t member, uint32_t *coords) {
  for (uint32_t i = c->ndims; i-- > 0; member /= c->dims[i]) coords[i] = member % c->dims[i];
}

static uint32_t member_at(const struct eyoti_cart *c, const uint32_t *coords) {
  uint32_t member = 0;
  for (uint32_t i = 0; i < c->ndims; i++) member = member * c->dims[i] + coords[i];
  return member;
}

/* at modulo the dimension's length where it is periodic. false: beyond the border. */
static bool wrap(const struct eyoti_cart *c, uint32_t dimension, int64_t at, uint32_t *out) {
  int64_t length = c->dims[dimension];
  if (c->periodic[dimension]) {
    at %= length;
    if (at < 0) at += length;
  }
  if (at < 0 || at >= length) return false;
  *out = (uint32_t)at;
  return true;
}

/* The member `distance` places after `member`, or UINT32_MAX. */
static uint32_t member_after(const struct eyoti_cart *c, uint32_t member, uint32_t dimension,
                             int64_t distance) {
  uint32_t coords[EYOT_CART_DIMS_MAX];
  coords_of(c, member, coords);
  int64_t length = c->dims[dimension];
  if (c->periodic[dimension]) distance %= length;
  if (distance > length || distance < -length) return UINT32_MAX;
  if (!wrap(c, dimension, coords[dimension] + distance, &coords[dimension])) return UINT32_MAX;
  return member_at(c, coords);
}

/* -- creation ---------------------------------------------------------------------------------- */

static int check_dims(const struct eyoti_team *t, uint32_t ndims, const uint32_t *dims,
                      const bool *periodic) {
  if (ndims < 1 || ndims > EYOT_CART_DIMS_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "ndims is %u, expected 1..%u", ndims, EYOT_CART_DIMS_MAX);
  if (dims == NULL || periodic == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL, expected %u values",
                      dims == NULL ? "dims" : "periodic", ndims);
  uint64_t product = 1;
  for (uint32_t i = 0; i < ndims && product <= t->size; i++) product *= dims[i];
  if (product == t->size) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "the product of the %u dimensions is not %u, the size of %s: eyot_cart_dims "
                    "finds such dimensions",
                    ndims, t->size, EYOTI_TEAM_WORDS(t));
}

/* The edges of the caller. An edge's tag is the block that its source sends, so that what is sent
 * to the member before is received as from the member after. */
static int cart_edges(const struct eyoti_team *t, const struct eyoti_cart *c,
                      struct eyoti_graph_edges *e) {
  uint32_t blocks = 2 * c->ndims;
  *e = (struct eyoti_graph_edges){.sources = blocks, .destinations = blocks};
  e->in = calloc(blocks, sizeof *e->in);
  e->out = calloc(blocks, sizeof *e->out);
  if (e->in == NULL || e->out == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the edges of a grid");
  for (uint32_t i = 0; i < blocks; i++) {
    uint32_t member = member_after(c, t->me, i / 2, i % 2 == 0 ? -1 : 1);
    if (member == UINT32_MAX) continue;
    e->in[e->n_in] = (struct eyoti_edge_name){member, i ^ 1u, e->n_in, i};
    e->n_in++;
    e->out[e->n_out] = (struct eyoti_edge_name){member, i, e->n_out, i};
    e->n_out++;
  }
  return EYOT_OK;
}

int eyot_cart_create(eyot_team_t team, uint32_t ndims, const uint32_t *dims, const bool *periodic,
                     eyot_graph_t *graph) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  struct eyoti_graph_edges e = {0};
  struct eyoti_cart *c = NULL;
  uint64_t hash = 1;
  int refused = check_dims(t, ndims, dims, periodic);
  if (refused == EYOT_OK && (c = calloc(1, sizeof *c)) == NULL)
    refused = EYOTI_FAIL(EYOT_ENOMEM, "no memory for a grid");
  for (uint32_t i = 0; c != NULL && i < ndims; i++) {
    c->ndims = ndims;
    c->dims[i] = dims[i];
    c->periodic[i] = periodic[i];
    hash = eyoti_hash_mix(hash, (uint64_t)dims[i] << 1 | periodic[i]);
  }
  if (refused == EYOT_OK) refused = cart_edges(t, c, &e);
  int rc = eyoti_graph_make(rt, t, &e, c, hash, refused, graph);
  free(e.in);
  free(e.out);
  return rc;
}

/* -- queries ----------------------------------------------------------------------------------- */

static int cart_find(struct eyot_rt *rt, eyot_graph_t name, const void *result,
                     struct eyoti_graph **out) {
  EYOTI_TRY(eyoti_graph_find(rt, name, out));
  if ((*out)->cart == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the graph is no grid: eyot_cart_create makes one");
  return result != NULL ? EYOT_OK : EYOTI_FAIL(EYOT_EINVAL, "an argument is NULL");
}

int eyot_cart_coords(eyot_graph_t graph, eyot_tunit_t member, uint32_t *coords) {
  EYOTI_ENTER(rt);
  struct eyoti_graph *g;
  EYOTI_TRY(cart_find(rt, graph, coords, &g));
  if (member.id >= g->t->size)
    return EYOTI_FAIL(EYOT_EUNIT, "member %u is not in %s, expected 0..%u", member.id,
                      EYOTI_TEAM_WORDS(g->t), g->t->size - 1);
  coords_of(g->cart, member.id, coords);
  return EYOT_OK;
}

int eyot_cart_rank(eyot_graph_t graph, const int64_t *coords, eyot_tunit_t *member) {
  EYOTI_ENTER(rt);
  struct eyoti_graph *g;
  EYOTI_TRY(cart_find(rt, graph, coords == NULL ? NULL : member, &g));
  uint32_t at[EYOT_CART_DIMS_MAX];
  for (uint32_t i = 0; i < g->cart->ndims; i++)
    if (!wrap(g->cart, i, coords[i], &at[i]))
      return EYOTI_FAIL(EYOT_ERANGE,
                        "coordinate %u is %" PRId64
                        ", expected 0..%u in this dimension, which is not periodic",
                        i, coords[i], g->cart->dims[i] - 1);
  member->id = member_at(g->cart, at);
  return EYOT_OK;
}

int eyot_cart_shift(eyot_graph_t graph, uint32_t dimension, int64_t distance, eyot_tunit_t *source,
                    eyot_tunit_t *destination) {
  EYOTI_ENTER(rt);
  struct eyoti_graph *g;
  EYOTI_TRY(cart_find(rt, graph, source == NULL ? NULL : destination, &g));
  if (dimension >= g->cart->ndims)
    return EYOTI_FAIL(EYOT_ERANGE, "dimension is %u, expected 0..%u", dimension,
                      g->cart->ndims - 1);
  if (distance == INT64_MIN)
    return EYOTI_FAIL(EYOT_ERANGE, "distance is %" PRId64 ", which has no opposite", distance);
  source->id = member_after(g->cart, g->t->me, dimension, -distance);
  destination->id = member_after(g->cart, g->t->me, dimension, distance);
  return EYOT_OK;
}

/* -- dimensions -------------------------------------------------------------------------------- */

#define DIVISORS_MOST 2048u /* of a number of 32 bits: 1536 at most */
struct divisors {
  uint32_t n, of[DIVISORS_MOST];
};

static int uint_order(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void find_divisors(uint32_t units, struct divisors *d) {
  d->n = 0;
  for (uint64_t i = 1; i * i <= units; i++) {
    if (units % i != 0) continue;
    d->of[d->n++] = (uint32_t)i;
    if (i * i != units) d->of[d->n++] = (uint32_t)(units / i);
  }
  qsort(d->of, d->n, sizeof *d->of, uint_order);
}

/* Whether n factors of at most `most` can have the product `units`. */
static bool can_reach(uint32_t units, uint32_t n, uint32_t most) {
  uint64_t product = 1;
  while (n-- > 0 && product < units) product *= most;
  return product >= units;
}

/* Splits units into n factors of at most `most`, in descending order: the first as small as
 * possible, then the next. */
static bool split(const struct divisors *d, uint32_t units, uint32_t n, uint32_t most,
                  uint32_t *out) {
  if (n == 0) return units == 1;
  for (uint32_t i = 0; i < d->n && d->of[i] <= most; i++) {
    uint32_t first = d->of[i];
    if (units % first != 0 || !can_reach(units, n, first)) continue;
    out[0] = first;
    if (split(d, units / first, n - 1, first, out + 1)) return true;
  }
  return false;
}

static int check_units(uint32_t units, uint32_t ndims, const uint32_t *dims) {
  if (ndims < 1 || ndims > EYOT_CART_DIMS_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "ndims is %u, expected 1..%u", ndims, EYOT_CART_DIMS_MAX);
  if (dims == NULL || units == 0)
    return EYOTI_FAIL(EYOT_EINVAL, units == 0 ? "units is 0" : "dims is NULL");
  return EYOT_OK;
}

int eyot_cart_dims(uint32_t units, uint32_t ndims, uint32_t *dims) {
  EYOTI_PASS();
  uint32_t rest = units, open = 0, found[EYOT_CART_DIMS_MAX], next = 0;
  EYOTI_TRY(check_units(units, ndims, dims));
  for (uint32_t i = 0; i < ndims; i++) {
    if (dims[i] == 0) {
      open++;
      continue;
    }
    if (rest % dims[i] != 0)
      return EYOTI_FAIL(EYOT_EINVAL, "dims[%u] is %u, which does not divide %u of %u units", i,
                        dims[i], rest, units);
    rest /= dims[i];
  }
  struct divisors *d = malloc(sizeof *d);
  if (d == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the divisors of %u", rest);
  find_divisors(rest, d);
  bool can = split(d, rest, open, rest, found);
  free(d);
  if (!can)
    return EYOTI_FAIL(EYOT_EINVAL, "all dimensions are given, and %u of %u units are left", rest,
                      units);
  for (uint32_t i = 0; i < ndims; i++)
    if (dims[i] == 0) dims[i] = found[next++];
  return EYOT_OK;
}
