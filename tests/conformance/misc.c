/* SPDX-License-Identifier: BSD-3-Clause */
/* misc.c - conformance: locality, time, progress, polling. */
#include <string.h>

#include "conformance/conformance.h"

#define FLAG (CONF_CTRL)
#define MEET (CONF_CTRL + 8u)
#define PLACES (CONF_CTRL + 1024u)
#define PLACES_MAX 512u /* units whose locations are compared */

static int table_complete(struct conf_ctx *c) {
  const struct fab_ops *o = c->f->ops;
  CONF_CHECK(c, o->abi == FAB_ABI && o->name != NULL, "the table is of version %u", o->abi);
  CONF_CHECK(c,
             o->seg_create && o->seg_destroy && o->seg_ptr && o->seg_map && o->attach && o->detach,
             "a segment operation is missing");
  CONF_CHECK(c, o->put && o->get && o->amo && o->put_signal, "a one-sided operation is missing");
  CONF_CHECK(c, o->req_test && o->req_wait && o->flush && o->order && o->wait_mem && o->progress,
             "a completion operation is missing");
  CONF_CHECK(c, o->locate && o->now_ns && o->compute && o->phase && o->abort && o->close,
             "another operation is missing");
  CONF_CHECK(c, c->me < c->n, "unit %u of %u", c->me, c->n);
  uint64_t ids = 0;
  CONF_PASS(conf_sum(c, c->me, &ids));
  CONF_CHECK(c, ids == (uint64_t)c->n * (c->n - 1) / 2,
             "the unit ids of all %u units add up to %llu", c->n, (unsigned long long)ids);
  return 0;
}

/* Inner domains are parts of outer ones: units that share an inner one share the outer one. */
static int nested(struct conf_ctx *c, const eyot_place_t *a, const eyot_place_t *b) {
  for (uint32_t l = EYOT_DOMAIN_NUMA; l < EYOT_DOMAIN_MACHINE; l++)
    CONF_CHECK(c, a->id[l] != b->id[l] || a->id[l + 1] == b->id[l + 1],
               "units %u and %u share domain level %u but not level %u", a->id[0], b->id[0], l,
               l + 1);
  return 0;
}

static int locate_agrees(struct conf_ctx *c) {
  uint32_t n = c->n < PLACES_MAX ? c->n : PLACES_MAX;
  eyot_place_t mine, theirs, before;
  if (c->me == 0)
    for (uint32_t u = 0; u < n; u++) {
      CONF_TRY(c, c->f->ops->locate(c->f, u, &mine));
      memcpy(c->mem + PLACES + u * sizeof mine, &mine, sizeof mine);
    }
  CONF_PASS(conf_barrier(c));
  CONF_TRY(c, c->f->ops->locate(c->f, 0, &before));
  for (uint32_t u = 0; u < n; u++) {
    CONF_TRY(c, c->f->ops->locate(c->f, u, &mine));
    CONF_TRY(c,
             fab_get_wait(c->f, &theirs, conf_at(c, 0, PLACES + u * sizeof mine), sizeof theirs));
    CONF_CHECK(c, memcmp(&mine, &theirs, sizeof mine) == 0,
               "this unit and unit 0 disagree on where unit %u is", u);
    CONF_CHECK(c,
               mine.id[EYOT_DOMAIN_UNIT] == u &&
                   mine.id[EYOT_DOMAIN_MACHINE] == before.id[EYOT_DOMAIN_MACHINE],
               "unit %u is located as unit %u of machine %u", u, mine.id[EYOT_DOMAIN_UNIT],
               mine.id[EYOT_DOMAIN_MACHINE]);
    CONF_PASS(nested(c, &before, &mine));
    before = mine;
  }
  return 0;
}

static int clock_and_compute(struct conf_ctx *c) {
  uint64_t last = c->f->ops->now_ns(c->f);
  for (uint32_t r = 0; r < c->o.rounds; r++) {
    uint64_t now = c->f->ops->now_ns(c->f);
    CONF_CHECK(c, now >= last, "time went back from %llu to %llu", (unsigned long long)last,
               (unsigned long long)now);
    last = now;
  }
  CONF_TRY(c, c->f->ops->compute(c->f, 0));
  CONF_TRY(c, c->f->ops->compute(c->f, 12345));
  uint64_t took = c->f->ops->now_ns(c->f) - last;
  if ((c->f->caps & FAB_CAP_VIRTUAL_TIME) != 0)
    CONF_CHECK(c, took >= 12345, "computing 12345 ns took %llu ns", (unsigned long long)took);
  CONF_TRY(c, c->f->ops->progress(c->f));
  c->f->ops->phase(c->f, "conformance");
  c->f->ops->phase(c->f, NULL);
  return 0;
}

/* A release-acquire pair promises nothing about time. A program may rely on this: waiting for
 * another unit's action takes the waiter past the time of that action. */
static int polling_ends(struct conf_ctx *c) {
  uint32_t partner = conf_partner(c, conf_far(c));
  if (partner == UINT32_MAX) return 0;
  for (uint32_t how = 0; how < 4; how++) {
    uint64_t end = conf_deadline(c);
    if (c->me < partner) {
      CONF_TRY(c, c->f->ops->compute(c->f, 30000));
      CONF_PASS(conf_add(c, partner, FLAG, 1, NULL));
    }
    for (bool done = c->me < partner; !done;) {
      bool ignored;
      if (how == 0) CONF_TRY(c, c->f->ops->progress(c->f));
      if (how == 1) CONF_TRY(c, fab_req_test(c->f, 0, FAB_REMOTE, &ignored));
      if (how == 2) {
        int rc = fab_wait_mem(c->f, c->seg, FLAG, FAB_GT, how, 0, NULL);
        CONF_CHECK(c, rc == 0 || rc == EYOT_ETIMEOUT, "looking once gave %s", conf_code(rc));
      }
      CONF_CHECK(c, c->f->ops->now_ns(c->f) < end, "polling (way %u) never saw the flag", how);
      done = conf_load(c, FLAG) > how;
    }
    CONF_PASS(conf_meet(c, partner, MEET, how + 1));
  }
  return 0;
}

/* No case depends on lucky placement: every unit reaches every other. */
static int everyone(struct conf_ctx *c) {
  uint32_t step = c->n <= 64 ? 1 : c->n / 64;
  for (uint32_t d = 0; d < c->n; d += step)
    CONF_PASS(conf_add(c, (c->me + d) % c->n, FLAG, 1, NULL));
  return conf_wait(c, FLAG, FAB_EQ, (c->n + step - 1) / step);
}

const struct conf_case conf_cases_misc[] = {
    {"table_is_complete", 1, table_complete},
    {"locate_agrees_on_all_units", 1, locate_agrees},
    {"clock_advances_with_compute", 1, clock_and_compute},
    {"polling_sees_the_write_of_another", 2, polling_ends},
    {"every_unit_reaches_every_other", 1, everyone},
    {NULL, 0, NULL},
};
