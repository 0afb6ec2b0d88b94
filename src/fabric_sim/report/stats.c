/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - counts operations and bytes and prints the summary. See stats.h. Virtual and wall time
 * never share a column. */
#include "fabric_sim/report/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/check.h"
#include "base/out_file.h"
#include "base/wording.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/host/clock.h"

#define PHASES_MAX 17u /* 16 names, and index 0: no phase */
#define PHASE_NAME 32u

struct sim_count {
  uint64_t ops, bytes;
};

struct sim_stats {
  struct sim_observer observer;
  const struct sim_net *net;
  struct sim_count count[EYOT_DOMAIN_COUNT][SIM_OP_KINDS];
  char name[PHASES_MAX][PHASE_NAME];
  uint32_t phases;
  uint32_t n;
  uint64_t (*spent_ps)[PHASES_MAX]; /* by unit; a page that no phase touches costs nothing */
};

static const char *const LEVELS[EYOT_DOMAIN_COUNT] = {"same unit", "NUMA",  "node",   "blade",
                                                      "chassis",   "group", "machine"};
static const char *const KINDS[SIM_OP_KINDS] = {"put", "get", "atomic", "signal"};

/* Returns the index of a phase; names beyond the table count as no phase (eyot_phase refuses
 * them). */
static uint32_t phase_index(struct sim_stats *s, const char *name) {
  if (name == NULL) return 0;
  for (uint32_t i = 1; i < s->phases; i++)
    if (strncmp(s->name[i], name, PHASE_NAME - 1) == 0) return i;
  if (s->phases == PHASES_MAX) return 0;
  snprintf(s->name[s->phases], PHASE_NAME, "%s", name);
  return s->phases++;
}

static void stats_phase(void *state, struct sim_unit *u, const char *name) {
  struct sim_stats *s = state;
  s->spent_ps[u->fab.me][u->phase_index] += u->local_ps - u->phase_since_ps;
  u->phase_since_ps = u->local_ps;
  u->phase_index = phase_index(s, name);
}

static void stats_injected(void *state, const struct sim_op *op, uint64_t bytes) {
  struct sim_stats *s = state;
  struct sim_count *c = &s->count[sim_net_distance(s->net, op->origin, op->target)][op->kind];
  c->ops++;
  c->bytes += bytes;
}

int sim_stats_open(struct sim_world *w, struct sim_stats **out) {
  static const struct sim_observer_ops ops = {
      .name = "summary", .injected = stats_injected, .phase = stats_phase};
  *out = NULL;
  if (!w->opt.stats && w->opt.stats_csv == NULL) return EYOT_OK;
  struct sim_stats *s = calloc(1, sizeof *s);
  if (s == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the summary");
  *s = (struct sim_stats){.n = w->n, .phases = 1, .net = w->net};
  snprintf(s->name[0], PHASE_NAME, "(no phase)");
  s->spent_ps = calloc(w->n, sizeof *s->spent_ps);
  if (s->spent_ps == NULL) {
    free(s);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the phases of %u units", w->n);
  }
  s->observer = (struct sim_observer){.ops = &ops, .state = s};
  sim_observer_add(w, &s->observer);
  *out = s;
  return EYOT_OK;
}

void sim_stats_close(struct sim_stats *s) {
  if (s == NULL) return;
  free(s->spent_ps);
  free(s);
}

struct sim_spread {
  double min, mean, max;
};

static struct sim_spread spread_of(const struct sim_stats *s, uint32_t phase) {
  uint64_t min = UINT64_MAX, max = 0;
  double sum = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    uint64_t t = s->spent_ps[i][phase];
    if (t < min) min = t;
    if (t > max) max = t;
    sum += (double)t;
  }
  return (struct sim_spread){(double)min * 1e-6, sum / s->n * 1e-6, (double)max * 1e-6};
}

struct sim_host_cost {
  double startup_s, run_s, peak_mb, ops_per_s;
};

static struct sim_host_cost host_cost(const struct sim_world *w) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  double run = (double)(sim_clock_ns() - w->wall_run_ns) * 1e-9;
  return (struct sim_host_cost){(double)(w->wall_run_ns - w->wall_start_ns) * 1e-9, run,
                                (double)r.ru_maxrss / 1024, (double)w->ops / run};
}

static void print_ops(FILE *out, const struct sim_stats *s) {
  fprintf(out, "  %-10s", "distance");
  for (uint32_t k = 0; k < SIM_OP_KINDS; k++) fprintf(out, " %11ss %14s", KINDS[k], "bytes");
  fputc('\n', out);
  for (uint32_t d = 0; d < EYOT_DOMAIN_COUNT; d++) {
    fprintf(out, "  %-10s", LEVELS[d]);
    for (uint32_t k = 0; k < SIM_OP_KINDS; k++)
      fprintf(out, " %12" PRIu64 " %14" PRIu64, s->count[d][k].ops, s->count[d][k].bytes);
    fputc('\n', out);
  }
}

static void print_text(const struct sim_stats *s, const struct sim_world *w) {
  struct sim_host_cost h = host_cost(w);
  FILE *out = stderr;
  eyoti_fprintf(out, "eyot: summary: %u units, %s\n", w->n, sim_net_describe(w->net));
  if (w->opt.compute == EYOTI_COMPUTE_MEASURED)
    fprintf(out,
            "  computation was measured on the host (%" PRIu64
            " %% of its processor time): another run gives other figures\n",
            w->opt.compute_percent);
  fprintf(out, "  virtual time %.3f us\n", (double)w->now_ps * 1e-6);
  fprintf(out, "  %-32s %16s %16s %16s\n", "phase", "virtual min us", "virtual mean us",
          "virtual max us");
  for (uint32_t i = 0; i < s->phases; i++) {
    struct sim_spread t = spread_of(s, i);
    fprintf(out, "  %-32s %16.3f %16.3f %16.3f\n", s->name[i], t.min, t.mean, t.max);
  }
  print_ops(out, s);
  fprintf(out,
          "  on this host (wall-clock): startup %.3f s, run %.3f s, peak memory %.1f MB, %" PRIu64
          " events, %" PRIu64 " operations, %.0f operations/s\n",
          h.startup_s, h.run_s, h.peak_mb, w->events, w->ops, h.ops_per_s);
}

static int print_csv(const struct sim_stats *s, const struct sim_world *w) {
  FILE *f = fopen(w->opt.stats_csv, "w");
  if (f == NULL)
    return EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", w->opt.stats_csv, strerror(errno));
  struct sim_host_cost h = host_cost(w);
  fprintf(f, "kind,name,metric,unit,value\n");
  fprintf(f, "run,,units,count,%u\nrun,,virtual_time,ps,%" PRIu64 "\n", w->n, w->now_ps);
  for (uint32_t i = 0; i < s->phases; i++) {
    struct sim_spread t = spread_of(s, i);
    fprintf(f,
            "phase,%s,virtual_min,us,%.6f\nphase,%s,virtual_mean,us,%.6f\nphase,%s,virtual_max,us,%"
            ".6f\n",
            s->name[i], t.min, s->name[i], t.mean, s->name[i], t.max);
  }
  for (uint32_t d = 0; d < EYOT_DOMAIN_COUNT; d++)
    for (uint32_t k = 0; k < SIM_OP_KINDS; k++)
      fprintf(f, "distance,%s,%s,count,%" PRIu64 "\ndistance,%s,%s_bytes,bytes,%" PRIu64 "\n",
              LEVELS[d], KINDS[k], s->count[d][k].ops, LEVELS[d], KINDS[k], s->count[d][k].bytes);
  fprintf(f,
          "host,,wall_startup,s,%.6f\nhost,,wall_run,s,%.6f\nhost,,peak_memory,MB,%.1f\nhost,,"
          "events,count,%" PRIu64 "\n",
          h.startup_s, h.run_s, h.peak_mb, w->events);
  fprintf(f, "host,,operations,count,%" PRIu64 "\nhost,,operations_per_wall_second,1/s,%.0f\n",
          w->ops, h.ops_per_s);
  if (fclose(f) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", w->opt.stats_csv, strerror(errno));
  return EYOT_OK;
}

int sim_stats_print(const struct sim_stats *s, const struct sim_world *w) {
  if (s == NULL) return EYOT_OK;
  if (w->opt.stats) print_text(s, w);
  if (w->opt.stats_csv == NULL) return EYOT_OK;
  struct sigaction before;
  eyoti_out_begin(&before);
  int rc = print_csv(s, w);
  eyoti_out_end(&before);
  return rc;
}
