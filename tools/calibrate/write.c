/* SPDX-License-Identifier: BSD-3-Clause */
/* write.c - writes a machine file (docs/calibration.md). See figures.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/machine_file.h"
#include "calibrate/figures.h"

static void write_platform(FILE *out, const struct figures *f) {
  fputs("\n[platform]\nbase = dragonfly\n", out);
  for (uint32_t i = 0; i < f->n; i++) {
    const struct figure *figure = &f->at[i];
    char value[64], spread[64] = "";
    snprintf(value, sizeof value, *figure->unit != '\0' ? "%.6g%s%s" : "%.0f%s%s", figure->value,
             *figure->unit != '\0' ? " " : "", figure->unit);
    if (figure->measured)
      snprintf(spread, sizeof spread, " [%.6g %.6g]", figure->spread.low, figure->spread.high);
    fprintf(out, "%s = %s%s # %s\n", figure->key, value, spread, figure->from);
  }
}

/* One line of the model from the measurement of a kind. */
static void write_kind(FILE *out, const char *key, const struct samples *s, const char *kind,
                       const char *text) {
  struct spread spread;
  if (samples_spread(s, kind, &spread))
    fprintf(out, "%s = %.6g ns [%.6g %.6g] # median of %u: %s\n", key, spread.median, spread.low,
            spread.high, spread.n, text);
}

static void write_rate(FILE *out, const char *key, struct figures *f, const char *figure) {
  const struct figure *at = figures_find(f, figure);
  fprintf(out, "%s = %.6g GB/s [%.6g %.6g] # %s\n", key, at->value, at->spread.low, at->spread.high,
          at->from);
}

/* Bytes a nanosecond that copy at once, two units of a node: of both together. */
static void write_memory(FILE *out, const struct machine *machine, const struct samples *node) {
  struct spread s;
  if (!samples_spread(node, "both_put", &s) || !(s.low > 0)) return;
  double bytes = 2.0 * SAMPLES_BOTH_BYTES;
  fprintf(out,
          "node.memory = %.6g GB/s [%.6g %.6g] # median of %u: puts of %d bytes of two units at "
          "once, both together\n",
          bytes / s.median, bytes / s.high, bytes / s.low, s.n, SAMPLES_BOTH_BYTES);
  fprintf(out, "node.units = %u # units that share one memory: processors of a NUMA domain\n",
          machine->cores / machine->numa);
}

/* The parameters of LogGP for each level: o, L (with the waking of who waits), g, 1/G. */
static void write_model(FILE *out, const struct machine *machine, struct figures *f,
                        const struct samples_of *m) {
  static const char *const LEVEL[PLACES] = {"node", "network"};
  static const char *const RATE[PLACES] = {"bw_copy_1", "bw_nic_put"};
  fputs("\n[model]\n", out);
  for (int p = 0; p < PLACES; p++) {
    static const char *const ROWS[][3] = {
        {"overhead", "post_signal", "posting a signal without bytes"},
        {"one_way", "trip_signal", "a signal there and back, half of it: overhead and latency"},
        {"gap", "flood_put", "32 puts of 8 bytes and their flush, each"},
        {"atomic", "add", "a fetch-and-add"},
        {"get", "get", "a get of 8 bytes"},
    };
    char key[64];
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
      snprintf(key, sizeof key, "%s.%s", LEVEL[p], ROWS[i][0]);
      write_kind(out, key, &m->place[p], ROWS[i][1], ROWS[i][2]);
    }
    snprintf(key, sizeof key, "%s.bandwidth", LEVEL[p]);
    write_rate(out, key, f, RATE[p]);
  }
  write_kind(out, "node.look", &m->place[PLACE_NODE], "held_wait",
             "a wait for a word that holds already");
  write_memory(out, machine, &m->place[PLACE_NODE]);
}

static void write_rules(FILE *out) {
  fputs(
      "\n[collectives]\n# Rules, one a line, which decide before the model: "
      "FUNCTION:FROM-TO:ALGORITHM, as in allreduce:0-4k:multi(k=2)\n",
      out);
}

/* The least size whose rate is at least half of the best: from there on bytes count, below it
 * messages do. */
static double half_size(const struct samples *s, const char *way) {
  static const double SIZES[] = {1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
  enum { N = sizeof SIZES / sizeof *SIZES };
  double rates[N] = {0}, best = 0;
  for (int i = 0; i < N; i++) {
    char kind[SAMPLES_NAME];
    struct spread spread;
    snprintf(kind, sizeof kind, "%s_%.0f", way, SIZES[i]);
    if (samples_spread(s, kind, &spread) && spread.median > 0) rates[i] = SIZES[i] / spread.median;
    best = fmax(best, rates[i]);
  }
  for (int i = 0; i < N; i++)
    if (rates[i] >= best / 2) return SIZES[i];
  return SIZES[N - 1];
}

#define MSG_BLOCK_LEAST 16384 /* the default: smaller ones were slower */
#define MSG_BLOCK_MOST 65536
#define MSG_EAGER 65536

static void write_thresholds(FILE *out, const struct samples_of *m) {
  static const char *const LEVEL[PLACES] = {"node", "network"};
  fputs("\n[thresholds]\n", out);
  for (int p = 0; p < PLACES; p++) {
    fprintf(out, "%s.put_half = %.0f bytes # the least put with half of the best rate\n", LEVEL[p],
            half_size(&m->place[p], "put"));
    fprintf(out, "%s.get_half = %.0f bytes # the least get with half of the best rate\n", LEVEL[p],
            half_size(&m->place[p], "get"));
  }
  double block =
      fmax(half_size(&m->place[PLACE_NODE], "put"), half_size(&m->place[PLACE_NODE], "get"));
  fprintf(out,
          "msg_block = %.0f bytes # EYOT_MSG_BLOCK: the larger of the two within a node, from %d "
          "to %d\nmsg_eager = %d bytes # EYOT_MSG_EAGER; not measured: the default\n",
          fmin(fmax(block, MSG_BLOCK_LEAST), MSG_BLOCK_MOST), MSG_BLOCK_LEAST, MSG_BLOCK_MOST,
          MSG_EAGER);
}

bool figures_write(const char *path, const char *title, const struct machine *machine,
                   struct figures *f, const struct samples_of *measured) {
  FILE *out = fopen(path, "w");
  if (out == NULL) return false;
  fprintf(out,
          "# %s\n# KEY = VALUE UNIT [QUARTILES] # how it was found. docs/calibration.md describes "
          "the file.\neyot-machine %u\n",
          title, EYOTI_MACHINE_VERSION);
  write_platform(out, f);
  write_model(out, machine, f, measured);
  write_thresholds(out, measured);
  write_rules(out);
  bool failed = ferror(out) != 0;
  int reason = errno;
  if (fclose(out) != 0) return false;
  if (failed) errno = reason;
  return !failed;
}
