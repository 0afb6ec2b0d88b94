/* SPDX-License-Identifier: BSD-3-Clause */
/* race_time.c - attaches the race detector to a timed run and prints its findings. See
 * race_time.h. */
#include "fabric_sim/explore/race_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/wording.h"
#include "check/race/race.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/poll.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/suppress.h"
#include "fabric_sim/explore/untimed_instrument.h"
#include "fabric_sim/program/site.h"

#define TEXT_BYTES (EYOTI_WORDS + 400u)

struct sim_race_time {
  struct sim_world *world;
  struct sim_race *race;
  struct sim_suppress *suppress; /* NULL: nothing is */
};

static uint64_t timed_cpu(struct fab *f, enum fab_cpu_op op, uint64_t *word, uint64_t operand,
                          uint64_t desired) {
  struct sim_unit *u = sim_unit_of(f);
  if (word != NULL) sim_poll_timed(u, word, sizeof *word);
  uint64_t old = word != NULL ? *word : 0;
  bool writes = op != FAB_CPU_LOAD && op != FAB_CPU_FENCE && (op != FAB_CPU_CAS || old == operand);
  if (writes) *word = op == FAB_CPU_ADD ? old + operand : op == FAB_CPU_CAS ? desired : operand;
  sim_observe_cpu(u, op, word, writes);
  return old;
}

static void timed_touches(struct fab *f, const void *p, uint64_t len, enum fab_touch how) {
  struct sim_unit *u = sim_unit_of(f);
  if (how == FAB_TOUCH_LOAD) sim_poll_timed(u, p, len);
  sim_observe_touched(u, p, len, how);
}

/* Loads and stores are reported besides; atomics that are not of 8 bytes are not. */
static void timed_step(struct fab *f, const void *p, uint64_t len, bool writes) {
  (void)writes;
  sim_poll_timed(sim_unit_of(f), p, len);
}

static void timed_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  (void)alive;
  sim_observe_reused(sim_unit_of(f), seg, off, len);
}

static void timed_owned(struct fab *f, const void *p, uint64_t len, enum fab_owned how) {
  sim_observe_owned(sim_unit_of(f), p, len, how);
}

static void timed_saw(struct fab *f, const void *word) {
  sim_observe_saw_word(sim_unit_of(f), word);
}

static bool timed_exchange(struct fab *f, const struct fab_exchange *x,
                           enum fab_exchange_step step) {
  struct sim_unit *u = sim_unit_of(f);
  bool inside = u->in_exchange;
  u->in_exchange = step == FAB_EXCHANGE_INSIDE;
  if (x != NULL) sim_observe_exchange(u, x, step);
  return inside;
}

static const struct fab_check TIMED_CHECK = {.cpu = timed_cpu,
                                             .touches = timed_touches,
                                             .lent = sim_untimed_lent,
                                             .memory = timed_memory,
                                             .owned = timed_owned,
                                             .shared = sim_untimed_shared,
                                             .step = timed_step,
                                             .saw = timed_saw,
                                             .exchange = timed_exchange};

void sim_race_time_watch(struct sim_world *w) {
  w->fab_ops.check = &TIMED_CHECK;
}

struct sim_race_time *sim_race_time_open(struct sim_world *w) {
  struct sim_suppress *suppress;
  if (!sim_suppress_open(w->opt.suppress, &suppress)) return NULL;
  struct sim_race_time *t = calloc(1, sizeof *t);
  if (t == NULL) eyoti_no_memory(sizeof *t, "finding races; leave out --races");
  *t = (struct sim_race_time){w, sim_race_new(w, NULL), suppress};
  sim_race_attach(t->race);
  sim_race_time_watch(w);
  return t;
}

void sim_race_time_close(struct sim_race_time *t) {
  if (t == NULL) return;
  sim_race_delete(t->race);
  sim_suppress_close(t->suppress);
  free(t);
}

#define SHOWN SIM_RACE_WORDS

static void timed_print_one(const struct chk_race_report *r, const char *where,
                            const struct sim_sites *s, const uint32_t site[2]) {
  char text[TEXT_BYTES];
  (void)chk_race_text(r, where, text, sizeof text);
  eyoti_fprintf(stderr, "eyot: race: unit %u in %s (%s), unit %u in %s (%s): %s", r->first.at.unit,
                (const char *)(uintptr_t)r->first.at.when, sim_sites_text(s, site[0]),
                r->second.at.unit, (const char *)(uintptr_t)r->second.at.when,
                sim_sites_text(s, site[1]), text);
  if (r->count > 1) fprintf(stderr, "; %" PRIu64 " times", r->count);
  fprintf(stderr, "\n");
}

/* The places of the first n reports, two each. */
struct timed_places {
  struct sim_sites *sites;
  uint32_t *site;
  uint32_t n;
};

static bool timed_hides(const struct sim_race_time *t, const struct timed_places *p, uint32_t i,
                        const struct chk_race_report *r) {
  struct sim_suppress_access a[2] = {{(const char *)(uintptr_t)r->first.at.when, NULL},
                                     {(const char *)(uintptr_t)r->second.at.when, NULL}};
  for (uint32_t k = 0; k < 2; k++)
    a[k].place = i < p->n ? sim_sites_text(p->sites, p->site[2 * i + k]) : "an unknown place";
  return sim_suppress_hides(t->suppress, a[0], a[1]);
}

/* Without suppressions only the reports that are shown need their places. */
static void timed_places_find(const struct sim_race_time *t, const struct chk_race_report *r,
                              uint32_t n, struct timed_places *p) {
  *p = (struct timed_places){.n = t->suppress == NULL && n > SHOWN ? SHOWN : n};
  if (n == 0) return;
  if (sim_sites_new(t->world->prog, &p->sites) != 0)
    eyoti_no_memory(0, "the places of %u races", p->n);
  p->site = malloc(2 * p->n * sizeof *p->site);
  if (p->site == NULL) eyoti_no_memory(2 * p->n * sizeof *p->site, "%u races", p->n);
  for (uint32_t i = 0; i < p->n; i++) {
    p->site[2 * i] = sim_sites_add(p->sites, 0, r[i].first.at.site);
    p->site[2 * i + 1] = sim_sites_add(p->sites, 0, r[i].second.at.site);
  }
  sim_sites_resolve(p->sites);
}

uint32_t sim_race_time_print(const struct sim_race_time *t) {
  const struct chk_race_report *r;
  uint32_t n = sim_race_reports(t->race, &r), shown = 0, hidden = 0;
  struct timed_places p;
  timed_places_find(t, r, n, &p);
  for (uint32_t i = 0; i < n; i++) {
    if (timed_hides(t, &p, i, &r[i])) {
      hidden++;
    } else if (shown < SHOWN && i < p.n) {
      timed_print_one(&r[i], sim_race_where(t->race, i), p.sites, &p.site[2 * i]);
      shown++;
    }
  }
  if (shown > 0) sim_sites_explain(p.sites, stderr);
  sim_sites_free(p.sites);
  free(p.site);
  n -= hidden;
  fprintf(stderr, "eyot: %u race%s found", n, n == 1 ? "" : "s");
  if (n > shown) fprintf(stderr, ", of which the first %u are shown", shown);
  if (hidden > 0) fprintf(stderr, "; %u hidden by suppressions", hidden);
  if (sim_prog_threads(t->world->prog) || sim_prog_openmp(t->world->prog))
    fprintf(stderr, "; threads were not explored");
  fprintf(stderr, "\n");
  sim_suppress_print_unused(t->suppress, stderr);
  return n;
}
