/* SPDX-License-Identifier: BSD-3-Clause */
/* pscw.c - halo exchange with active target between groups, over graphs of neighbors: pscw
 * [NAME=NUMBER...], names as in struct options. */

/* In each epoch every unit has `degree` neighbors to expose its memory to and as many to access:
 * the next ones on a ring, or random ones, the same graph for all epochs or another one in each. It
 * exposes up to `ahead` epochs at once, and posts, accesses and waits in a random order and with
 * random pauses. The data show an access or a wait that was too early: an accessor gets the words
 * that the exposer stored before its post, and puts a block that the exposer checks after its wait;
 * all other words must stay as they were. */
#include <inttypes.h>

#include "programs/api_check.h"
#include "programs/sync_args.h"

#define DEGREE_MAX 16u
#define BLOCK_MAX 64u

struct options {
  uint64_t epochs, degree, ahead;
  uint64_t ring;     /* 1: neighbors are at distances 1, -1, 2, -2 ... 0: random */
  uint64_t redraw;   /* 1: another graph in each epoch */
  uint64_t changing; /* attributes of the object; neighbors 0: as many as can be open at once */
  uint64_t neighbors;
  /* 1: a barrier after each post, so that no unit is more than an epoch after any other */
  uint64_t meet;
  uint64_t block; /* words put to each neighbor */
  uint64_t think; /* ns of computing between steps, at most */
};

/* One of the `degree` permutations of an epoch: unit i exposes to (a * i + b) mod n. */
struct step {
  uint64_t a, b, inverse;
};

struct exchange {
  struct options o;
  uint32_t me, n;
  uint64_t random;
  uint32_t posted, accessed, waited;
  eyot_pscw_t pscw;
  eyot_gptr_t memory;
  uint64_t *own;
  uint64_t source[DEGREE_MAX][BLOCK_MAX], got[DEGREE_MAX];
};

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The smallest x with a * x = 1 modulo n; n is at most some thousands. */
static uint64_t inverse_of(uint64_t a, uint64_t n) {
  uint64_t x = 1;
  while (n > 1 && a * x % n != 1) x++;
  return x;
}

static struct step step_of(const struct exchange *x, uint32_t epoch, uint32_t d) {
  if (x->o.ring != 0) {
    uint64_t far = (d / 2 + 1) % x->n;
    return (struct step){1, d % 2 == 0 ? far : x->n - far, 1};
  }
  uint64_t state = (x->o.redraw != 0 ? epoch : 0) * 1000 + d + 1, a;
  do a = 1 + draw(&state) % x->n;
  while (gcd(a, x->n) != 1);
  return (struct step){a, draw(&state) % x->n, inverse_of(a % x->n, x->n)};
}

static uint32_t exposed_to(const struct exchange *x, const struct step *s, uint32_t unit) {
  return (uint32_t)((s->a * unit + s->b) % x->n);
}
static uint32_t exposed_by(const struct exchange *x, const struct step *s, uint32_t unit) {
  return (uint32_t)(s->inverse * (unit + x->n - s->b % x->n) % x->n);
}

static uint64_t value(uint32_t epoch, uint32_t from, uint32_t to, uint64_t word) {
  uint64_t state = (((uint64_t)epoch << 20 | from) << 20 | to) + (word << 52);
  return draw(&state) | 1;
}

/* Words of a unit's part: for each of `ahead` epochs, for each permutation, one word that is got
 * and a block that is put. */
static uint64_t word_of(const struct exchange *x, uint32_t epoch, uint32_t d) {
  return (epoch % x->o.ahead * x->o.degree + d) * (1 + x->o.block);
}

static void think(struct exchange *x) {
  if (x->o.think > 0) OK(eyot_compute(draw(&x->random) % x->o.think));
}

/* The units that memory is exposed to (or by) in the epoch. */
static eyot_group_t *group_of(const struct exchange *x, uint32_t epoch,
                              uint32_t (*who)(const struct exchange *, const struct step *,
                                              uint32_t)) {
  eyot_unit_t units[DEGREE_MAX];
  eyot_group_t *g;
  for (uint32_t d = 0; d < x->o.degree; d++) {
    struct step s = step_of(x, epoch, d);
    units[d].id = who(x, &s, x->me);
  }
  OK(eyot_group_from(units, (uint32_t)x->o.degree, &g));
  return g;
}

static void post(struct exchange *x) {
  uint32_t e = x->posted++;
  eyot_group_t *g = group_of(x, e, exposed_to);
  for (uint32_t d = 0; d < x->o.degree; d++) {
    uint64_t *w = &x->own[word_of(x, e, d)];
    w[0] = value(e, x->me, d, 0);
    for (uint64_t i = 1; i <= x->o.block; i++) w[i] = 0;
  }
  OK(eyot_pscw_post(x->pscw, g));
  eyot_group_free(g);
  if (x->o.meet != 0) OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void access_memory(struct exchange *x) {
  uint32_t e = x->accessed++;
  eyot_group_t *g = group_of(x, e, exposed_by);
  OK(eyot_pscw_start(x->pscw, g));
  eyot_group_free(g);
  for (uint32_t d = 0; d < x->o.degree; d++) {
    struct step s = step_of(x, e, d);
    eyot_unit_t to = {exposed_by(x, &s, x->me)};
    eyot_gptr_t at = eyot_gptr_add(eyot_gptr_at(x->memory, to), (int64_t)(word_of(x, e, d) * 8));
    for (uint64_t i = 0; i < x->o.block; i++) x->source[d][i] = value(e, x->me, to.id, i + 1);
    OK(eyot_get_nbi(&x->got[d], at, 8));
    OK(eyot_put_nbi(eyot_gptr_add(at, 8), x->source[d], x->o.block * 8));
  }
  think(x);
  OK(eyot_pscw_complete(x->pscw));
  for (uint32_t d = 0; d < x->o.degree; d++) {
    struct step s = step_of(x, e, d);
    CHECK(x->got[d] == value(e, exposed_by(x, &s, x->me), d, 0));
  }
}

static void wait_for_all(struct exchange *x) {
  bool done = draw(&x->random) % 2 == 0;
  if (done)
    OK(eyot_pscw_wait(x->pscw));
  else
    OK(eyot_pscw_test(x->pscw, &done));
  if (!done) return;
  uint32_t e = x->waited++;
  for (uint32_t d = 0; d < x->o.degree; d++) {
    struct step s = step_of(x, e, d);
    const uint64_t *w = &x->own[word_of(x, e, d)];
    CHECK(w[0] == value(e, x->me, d, 0));
    for (uint64_t i = 0; i < x->o.block; i++)
      CHECK(w[1 + i] == value(e, exposed_to(x, &s, x->me), x->me, i + 1));
  }
}

static void options_read(int argc, char **argv, struct options *o) {
  *o =
      (struct options){.epochs = 12, .degree = 2, .ahead = 2, .ring = 1, .block = 9, .think = 3000};
  const struct sync_arg known[] = {
      {"epochs", &o->epochs},       {"degree", &o->degree}, {"ahead", &o->ahead},
      {"ring", &o->ring},           {"redraw", &o->redraw}, {"changing", &o->changing},
      {"neighbors", &o->neighbors}, {"meet", &o->meet},     {"block", &o->block},
      {"think", &o->think},
  };
  sync_args_read(argc, argv, 1, known, sizeof known / sizeof known[0]);
  if (o->neighbors == 0) o->neighbors = o->redraw != 0 ? o->degree * o->epochs : o->degree;
}

static void setup(struct exchange *x) {
  void *own;
  const char *seed = getenv("EYOT_SEED");
  x->me = eyot_me().id;
  x->n = eyot_size();
  x->random = (seed != NULL ? strtoull(seed, NULL, 10) : 1) * 0x9e3779b97f4a7c15u + x->me;
  CHECK(x->o.degree >= 1 && x->o.degree <= DEGREE_MAX && x->o.block <= BLOCK_MAX &&
        x->o.ahead >= 1 && x->n < 1u << 20);
  OK(eyot_pscw_create(EYOT_TEAM_ALL,
                      &(eyot_pscw_attr_t){(uint32_t)x->o.neighbors, x->o.changing != 0}, &x->pscw));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, word_of(x, (uint32_t)x->o.ahead - 1, (uint32_t)x->o.degree) * 8,
                     &x->memory));
  OK(eyot_gptr_addr(eyot_gptr_at(x->memory, eyot_me()), &own));
  x->own = own;
}

/* An epoch is posted before it is accessed and accessed before it is waited for, so units cannot
 * wait in a circle. */
int main(int argc, char **argv) {
  static struct exchange x;
  options_read(argc, argv, &x.o);
  OK(eyot_init(&argc, &argv));
  setup(&x);
  while (x.waited < x.o.epochs) {
    uint64_t roll = draw(&x.random) % 3;
    if (roll == 0 && x.posted < x.o.epochs && x.posted < x.waited + x.o.ahead) post(&x);
    if (roll == 1 && x.accessed < x.posted) access_memory(&x);
    if (roll == 2 && x.waited < x.accessed) wait_for_all(&x);
    if (draw(&x.random) % 4 == 0) think(&x);
  }
  OK(eyot_fence(x.memory));
  OK(eyot_pscw_destroy(&x.pscw));
  OK(eyot_team_free(x.memory));
  return finish();
}
