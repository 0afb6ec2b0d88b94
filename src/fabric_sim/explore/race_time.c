/* SPDX-License-Identifier: BSD-3-Clause */
/* race_time.c - races in a run with time: what eyot/check.h tells of loads and stores, and the
 * reports at the end. See race.h. */
#include <stdio.h>

#include "check/race/race.h"
#include "fabric_sim/engine/ops_table.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/untimed_instrument.h"
#include "fabric_sim/program/site.h"

#define TEXT_BYTES 400u

static uint64_t cpu(struct fab *f, enum fab_cpu_op op, uint64_t *word, uint64_t operand,
                    uint64_t desired) {
  struct fs_unit *u = fs_unit_of(f);
  uint64_t old = word != NULL ? *word : 0;
  bool writes = op != FAB_CPU_LOAD && op != FAB_CPU_FENCE && (op != FAB_CPU_CAS || old == operand);
  if (writes) *word = op == FAB_CPU_ADD ? old + operand : op == FAB_CPU_CAS ? desired : operand;
  fs_race_cpu(u, op, word, writes);
  return old;
}

static void touches(struct fab *f, const void *p, uint64_t len, bool writes) {
  fs_race_touches(fs_unit_of(f), p, len, writes);
}

static void memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  (void)alive;
  fs_race_memory(fs_unit_of(f), seg, off, len);
}

static void saw(struct fab *f, const void *word) {
  fs_race_saw_word(fs_unit_of(f), word);
}

static void exchange(struct fab *f, const struct fab_exchange *x, enum fab_exchange_step step) {
  fs_race_exchange(fs_unit_of(f), x, step);
}

void fs_race_attach(struct fs_world *w) {
  static const struct fab_check watch = {.cpu = cpu,
                                         .touches = touches,
                                         .memory = memory,
                                         .shared = fs_check_shared,
                                         .saw = saw,
                                         .exchange = exchange};
  w->race = fs_race_new(w);
  w->race_ops = fs_fab_ops;
  w->race_ops.check = &watch;
  for (uint32_t i = 0; i < w->n; i++) w->units[i].fab.ops = &w->race_ops;
}

#define SHOWN 20u

static void print_one(const struct ec_race_report *r, const struct fs_sites *s,
                      const uint32_t site[2]) {
  char text[TEXT_BYTES];
  (void)ec_race_text(r, text, sizeof text);
  fprintf(stderr, "eyot: race: unit %u in %s (%s), unit %u in %s (%s): %s", r->first.at.unit,
          (const char *)(uintptr_t)r->first.at.when, fs_sites_text(s, site[0]), r->second.at.unit,
          (const char *)(uintptr_t)r->second.at.when, fs_sites_text(s, site[1]), text);
  if (r->count > 1) fprintf(stderr, "; %llu times", (unsigned long long)r->count);
  fprintf(stderr, "\n");
}

uint32_t fs_race_print(struct fs_world *w) {
  const struct ec_race_report *r;
  uint32_t n = fs_race_reports(w->race, &r), shown = n < SHOWN ? n : SHOWN;
  uint32_t site[SHOWN][2];
  struct fs_sites *s = NULL;
  if (n > 0 && fs_sites_new(w->prog, &s) == 0) {
    for (uint32_t i = 0; i < shown; i++) {
      site[i][0] = fs_sites_add(s, 0, r[i].first.at.site);
      site[i][1] = fs_sites_add(s, 0, r[i].second.at.site);
    }
    fs_sites_resolve(s);
    for (uint32_t i = 0; i < shown; i++) print_one(&r[i], s, site[i]);
    fs_sites_explain(s, stderr);
  }
  fs_sites_free(s);
  fprintf(stderr, "eyot: %u race%s found", n, n == 1 ? "" : "s");
  if (n > shown) fprintf(stderr, ", of which the first %u are shown", shown);
  fprintf(stderr, "\n");
  return n;
}
