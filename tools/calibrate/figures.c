/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.c - the figures of a machine file from measurements. See figures.h.
 *
 * A price of the simulator is not what one measurement shows: a fetch-and-add is a posting, a way
 * there and a way back. So figures are fitted: the simulator runs the same measurements with the
 * figures so far, and each figure moves by the difference of the one measurement that decides it
 * (fit.def). */
#include "calibrate/figures.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fabric_sim/machine/platform_keys.h"

/* Copies of 8 bytes to the cache sizes at which the rate changes, and beyond. */
enum { COPY_STEPS = 3 };
static const char *const COPY_KINDS[2][COPY_STEPS] = {{"put_16384", "put_262144", "put_4194304"},
                                                      {"get_16384", "get_262144", "get_4194304"}};
static const double COPY_BYTES[COPY_STEPS] = {16384, 262144, 4194304};

static const struct fit {
  const char *key;
  enum place place;
  const char *kind;
  double times;
  const char *text;
} FITS[] = {
#define FIT(key, place, kind, times, text) {#key, place, #kind, times, text},
#include "calibrate/fit.def"
};
#define N_FITS (sizeof FITS / sizeof *FITS)

struct figure *figures_find(struct figures *f, const char *key) {
  for (uint32_t i = 0; i < f->n; i++)
    if (strcmp(f->at[i].key, key) == 0) return &f->at[i];
  return NULL;
}

__attribute__((format(printf, 4, 5))) static void set(struct figures *f, const char *key,
                                                      double value, const char *fmt, ...) {
  struct figure *figure = figures_find(f, key);
  if (figure == NULL) return; /* a later version of the simulator may not have it */
  va_list args;
  va_start(args, fmt);
  vsnprintf(figure->from, sizeof figure->from, fmt, args);
  va_end(args);
  figure->value = value;
}

static bool measured_or_say(const struct samples *s, const char *kind, struct spread *out) {
  if (samples_spread(s, kind, out)) return true;
  fprintf(stderr, "eyot-calibrate: the probe has not measured '%s'\n", kind);
  return false;
}

/* Bytes a nanosecond of what a larger copy takes longer. */
static bool rate(const struct samples *s, const char *small, double small_bytes, const char *large,
                 double large_bytes, struct spread *out) {
  struct spread a = {0}, b;
  if (small != NULL && !measured_or_say(s, small, &a)) return false;
  if (!measured_or_say(s, large, &b)) return false;
  double bytes = large_bytes - small_bytes, least = bytes / 1000;
  out->n = b.n;
  out->median = bytes / fmax(b.median - a.median, least);
  out->low = bytes / fmax(b.high - a.median, least);
  out->high = bytes / fmax(b.low - a.median, least);
  return true;
}

/* A figure that is what was measured. */
static void set_measured(struct figures *f, const char *key, const struct spread *s,
                         const char *text) {
  struct figure *figure = figures_find(f, key);
  if (figure == NULL) return;
  set(f, key, s->median, "median of %u: %s", s->n, text);
  figure->measured = true;
  figure->spread = *s;
}

static bool set_copies(struct figures *f, const struct samples *node) {
  static const char *const KEYS[2][COPY_STEPS] = {
      {"bw_copy_1", "bw_copy_2", "bw_copy"}, {"bw_copy_get_1", "bw_copy_get_2", "bw_copy_get"}};
  struct spread s;
  for (uint32_t way = 0; way < 2; way++)
    for (uint32_t i = 0; i < COPY_STEPS; i++) {
      const char *const *kinds = COPY_KINDS[way];
      char text[96];
      if (!rate(node, i > 0 ? kinds[i - 1] : NULL, i > 0 ? COPY_BYTES[i - 1] : 0, kinds[i],
                COPY_BYTES[i], &s))
        return false;
      snprintf(text, sizeof text, "a %s of %.0f bytes that the other unit used last, beyond %.0f",
               way == 0 ? "put" : "get", COPY_BYTES[i], i > 0 ? COPY_BYTES[i - 1] : 0);
      set_measured(f, KEYS[way][i], &s, text);
    }
  set(f, "cache_1", COPY_BYTES[0], "where the copies are measured that bw_copy_1 comes from");
  set(f, "cache_2", COPY_BYTES[1], "where the copies are measured that bw_copy_2 comes from");
  return true;
}

/* How many bytes the third cache keeps for these processors: others may use it too, and tables of
 * addresses lie in it. Of random accesses over W bytes the simulator finds 1 - exp(-C/W) in C bytes
 * of lines. */
static bool set_reach(struct figures *f, const struct machine *machine,
                      const struct samples *node) {
  struct spread close, part, far;
  if (!measured_or_say(node, "far_1_get", &close) || !measured_or_say(node, "part_get", &part) ||
      !measured_or_say(node, "far_2_get", &far))
    return false;
  set(f, "reach_1", machine->cache[0], "%s", machine->cache_from[0]);
  set(f, "reach_2", machine->cache[1], "%s", machine->cache_from[1]);
  if (far.median <= close.median || part.median <= close.median) return true;
  double missed = (part.median - close.median) / (far.median - close.median),
         bytes = fmax(machine->cache[0], round(-SAMPLES_PART_BYTES * log(missed)));
  if (bytes < machine->cache[1])
    set(f, "reach_2", bytes,
        "of %u: random gets over %u MiB, of which %.0f %% are as far as over 64", part.n,
        SAMPLES_PART_BYTES >> 20, 100 * fmin(missed, 1));
  return true;
}

/* What random accesses take longer over a table that a cache does not hold. */
static bool set_far(struct figures *f, const struct machine *machine, const struct samples *node) {
  static const char *const OPS[3][2] = {{"put", "put"}, {"get", "get"}, {"add", "atomic"}};
  static const char *const TABLE[2] = {"4 MiB", "64 MiB"};
  for (uint32_t op = 0; op < 3; op++) {
    double before = 0;
    for (uint32_t i = 0; i < 2; i++) {
      char cached[SAMPLES_NAME], far[SAMPLES_NAME], key[SAMPLES_NAME];
      struct spread a, b;
      snprintf(cached, sizeof cached, "cached_%s", OPS[op][0]);
      snprintf(far, sizeof far, "far_%u_%s", i + 1, OPS[op][0]);
      snprintf(key, sizeof key, "far_%s_%u", OPS[op][1], i + 1);
      if (!measured_or_say(node, cached, &a) || !measured_or_say(node, far, &b)) return false;
      b = (struct spread){fmax(before, b.median - a.median), fmax(0, b.low - a.median),
                          fmax(0, b.high - a.median), b.n};
      before = b.median;
      struct figure *figure = figures_find(f, key);
      if (figure == NULL) continue;
      set(f, key, b.median, "median of %u: a random %s over %s, beyond one over 16 KiB", b.n,
          OPS[op][1], TABLE[i]);
      figure->measured = true;
      figure->spread = b;
    }
  }
  struct spread page, cached;
  if (!measured_or_say(node, "fresh_page", &page) || !measured_or_say(node, "cached_put", &cached))
    return false;
  page.median = fmax(0, page.median - cached.median);
  set_measured(f, "page_first", &page, "a put to a page that no unit has used");
  return set_reach(f, machine, node);
}

static bool set_network_rates(struct figures *f, const struct samples *network) {
  struct spread s;
  if (!rate(network, "put_4096", 4096, "put_262144", 262144, &s)) return false;
  set_measured(f, "bw_nic_put", &s, "a put of 256 KiB, beyond one of 4 KiB");
  if (!rate(network, "get_4096", 4096, "get_262144", 262144, &s)) return false;
  set_measured(f, "bw_nic_get", &s, "a get of 256 KiB, beyond one of 4 KiB");
  return true;
}

/* Whether the target of an operation has to be in a call of eyot. */
static bool set_progress(struct figures *f, const struct samples *network) {
  struct spread s;
  if (!measured_or_say(network, "away_get", &s)) return false;
  set(f, "progress", s.median > SAMPLES_AWAY_NS / 2,
      "median of %u between nodes: a get from a unit that computes for %.0f us takes %.1f us", s.n,
      SAMPLES_AWAY_NS / 1e3, s.median / 1e3);
  return true;
}

static bool set_first(struct figures *f, const struct samples *network) {
  struct spread s;
  if (!measured_or_say(network, "first", &s)) return false;
  set_measured(f, "first", &s,
               "the first signal, put and get of a job between nodes, beyond the second ones");
  return true;
}

/* Every figure of the base, with its value there. */
static bool list_base(struct figures *f) {
  struct sim_plat base;
  struct sim_figure figure;
  if (sim_plat_parse("dragonfly", &base) != 0) return false;
  f->n = 0;
  for (uint32_t i = 0; i < sim_plat_rows() && f->n < FIGURES_MAX; i++)
    if (sim_plat_figure(&base, i, &figure) && figure.word[0] == '\0')
      f->at[f->n++] = (struct figure){.key = figure.key,
                                      .unit = figure.unit,
                                      .value = figure.value,
                                      .from = "not measured: that of the preset"};
  return true;
}

static void set_shape(struct figures *f, const struct machine *machine) {
  const char *switched = "one switch, to which all nodes are connected";
  set(f, "groups", 1, "%s", switched);
  set(f, "chassis", 1, "%s", switched);
  set(f, "blades", 1, "%s", switched);
  set(f, "nodes", 64, "as many as a switch may have");
  set(f, "links", 0, "there is one group");
  set(f, "cores", machine->cores, "the machine's processors");
  set(f, "numa", machine->numa, "the machine's NUMA domains");
  static const char *const ZERO[] = {"tx", "router", "read", "respond"};
  for (size_t i = 0; i < sizeof ZERO / sizeof *ZERO; i++)
    set(f, ZERO[i], 0, "cannot be told apart: counts in rx, ack and rx_get");
  set(f, "complete", 0, "cannot be told apart: counts in what is waited for");
  static const char *const LOADS[] = {"load_self", "load_numa", "load_node"};
  for (size_t i = 0; i < sizeof LOADS / sizeof *LOADS; i++)
    set(f, LOADS[i], 0, "the processor waits: counts in its overhead");
  set(f, "lat_self", 0, "a unit sees its own stores at once");
  set(f, "message_node", 0, "a store and no call: its time is overhead_node's");
  set(f, "late", 0, "what is late here counts in the medians");
  set(f, "late_node", 0, "the processor keeps stores in order");
}

bool figures_begin(struct figures *f, const struct machine *machine,
                   const struct samples_of *measured) {
  struct spread s;
  if (!list_base(f)) return false;
  set_shape(f, machine);
  if (!set_copies(f, &measured->place[PLACE_NODE]) ||
      !set_far(f, machine, &measured->place[PLACE_NODE]) ||
      !set_network_rates(f, &measured->place[PLACE_NETWORK]) ||
      !set_progress(f, &measured->place[PLACE_NETWORK]) ||
      !set_first(f, &measured->place[PLACE_NETWORK]))
    return false;
  double most = fmax(figures_find(f, "bw_copy_1")->value, figures_find(f, "bw_copy_get_1")->value);
  set(f, "bw_memory", ceil(2 * most * machine->cores),
      "not measured: so large that copies do not hinder each other");
  for (size_t i = 0; i < N_FITS; i++) {
    if (!measured_or_say(&measured->place[FITS[i].place], FITS[i].kind, &s)) return false;
    set(f, FITS[i].key, 0, "median of %u%s: %s", s.n,
        FITS[i].place == PLACE_NETWORK ? " between nodes" : "", FITS[i].text);
  }
  return true;
}

/* The quartiles of a fitted figure: those of its measurement, as far from its value. */
static void set_spread(struct figure *figure, const struct fit *fit, const struct spread *s) {
  figure->measured = true;
  figure->spread = (struct spread){
      .median = figure->value,
      .low = fmax(0, figure->value - (s->median - s->low) / fit->times),
      .high = figure->value + (s->high - s->median) / fit->times,
      .n = s->n,
  };
}

bool figures_fit(struct figures *f, const struct samples_of *measured,
                 const struct samples_of *simulated, struct figures_off *worst) {
  *worst = (struct figures_off){.text = ""};
  for (size_t i = 0; i < N_FITS; i++) {
    const struct fit *fit = &FITS[i];
    struct figure *figure = figures_find(f, fit->key);
    struct spread want, is;
    if (figure == NULL || !measured_or_say(&measured->place[fit->place], fit->kind, &want) ||
        !measured_or_say(&simulated->place[fit->place], fit->kind, &is))
      return false;
    double off = (want.median - is.median) / fit->times;
    double value = fmin(fmax(0, figure->value + off), 1e6);
    double part = want.median > 0 ? fabs(want.median - is.median) / want.median : 0;
    if (part > worst->part)
      *worst = (struct figures_off){part, fit->text, fit->place == PLACE_NETWORK};
    figure->value = value;
    set_spread(figure, fit, &want);
  }
  set(f, "lat_node", figures_find(f, "lat_numa")->value, "not measured: that of lat_numa");
  return true;
}
