/* SPDX-License-Identifier: BSD-3-Clause */
/* model_file.c - implements model_file.h. A file has LogGP parameters of the levels node and
 * network: o, o + L, g and 1/G; those of a message are in post, net and gap. */
#include "fabric/model_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* What a file may say. */
enum figure {
  NODE_OVERHEAD,
  NODE_ONE_WAY,
  NODE_GAP,
  NODE_ATOMIC,
  NODE_GET,
  NODE_BANDWIDTH,
  NODE_LOOK,
  NODE_MEMORY,
  NODE_UNITS,
  NET_OVERHEAD,
  NET_ONE_WAY,
  NET_GAP,
  NET_ATOMIC,
  NET_GET,
  NET_BANDWIDTH,
  FIGURES
};
enum unit { NS, GB_S, COUNT };

static const struct row {
  const char *key;
  enum unit unit;
  bool needed;
} ROWS[FIGURES] = {[NODE_OVERHEAD] = {"node.overhead", NS, true},
                   [NODE_ONE_WAY] = {"node.one_way", NS, true},
                   [NODE_GAP] = {"node.gap", NS, false},
                   [NODE_ATOMIC] = {"node.atomic", NS, false},
                   [NODE_GET] = {"node.get", NS, false},
                   [NODE_BANDWIDTH] = {"node.bandwidth", GB_S, true},
                   [NODE_LOOK] = {"node.look", NS, false},
                   [NODE_MEMORY] = {"node.memory", GB_S, false},
                   [NODE_UNITS] = {"node.units", COUNT, false},
                   [NET_OVERHEAD] = {"network.overhead", NS, true},
                   [NET_ONE_WAY] = {"network.one_way", NS, true},
                   [NET_GAP] = {"network.gap", NS, true},
                   [NET_ATOMIC] = {"network.atomic", NS, false},
                   [NET_GET] = {"network.get", NS, false},
                   [NET_BANDWIDTH] = {"network.bandwidth", GB_S, true}};

#define NS_MOST 1e9 /* a second */
#define GB_S_LEAST 0.001
#define GB_S_MOST 100000
#define COUNT_MOST 65536

struct reading {
  const char *path;
  double value[FIGURES]; /* nanoseconds, bytes a nanosecond; 0: it is missing */
};

/* The number that a unit of the kind stands for; 0: it is no such unit. */
static double scale_of(enum unit kind, const char *unit) {
  if (kind == COUNT) return *unit == '\0' ? 1 : 0;
  if (kind == NS) return strcmp(unit, "ns") == 0 ? 1 : strcmp(unit, "us") == 0 ? 1000 : 0;
  return strcmp(unit, "GB/s") == 0 ? 1 : strcmp(unit, "MB/s") == 0 ? 0.001 : 0;
}

static bool is_in_range(enum unit kind, double value) {
  if (kind == NS) return value >= 0 && value <= NS_MOST;
  if (kind == GB_S) return value >= GB_S_LEAST && value <= GB_S_MOST;
  return value >= 1 && value <= COUNT_MOST && value == (uint32_t)value;
}

static int read_figure(struct reading *r, const struct eyoti_machine_entry *e) {
  static const char *const EXPECTED[] = {[NS] = "0 to 1000000000 ns (or us)",
                                         [GB_S] = "0.001 to 100000 GB/s (or MB/s)",
                                         [COUNT] = "a whole number from 1 to 65536"};
  uint32_t i = 0;
  char *end;
  while (i < FIGURES && strcmp(ROWS[i].key, e->key) != 0) i++;
  if (i == FIGURES)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "%s:%u: [model] has no figure '%s'; known are overhead, one_way, gap, atomic, "
        "get and bandwidth of node and network (node.overhead), node.look, "
        "node.memory and node.units",
        r->path, e->line, e->key);
  bool decimal = strspn(e->value, "0123456789.eE+-") == strlen(e->value);
  double value = strtod(e->value, &end) * scale_of(ROWS[i].unit, e->unit);
  if (!decimal || *end != '\0' || scale_of(ROWS[i].unit, e->unit) == 0 ||
      !is_in_range(ROWS[i].unit, value))
    return EYOTI_FAIL(EYOT_EINVAL, "%s:%u: %s = %s%s%s; expected %s", r->path, e->line, e->key,
                      e->value, *e->unit != '\0' ? " " : "", e->unit, EXPECTED[ROWS[i].unit]);
  r->value[i] = value;
  return EYOT_OK;
}

static uint64_t ps(double ns) {
  return ns > 0 ? (uint64_t)(ns * 1000 + 0.5) : 0;
}
/* Of 1,024 bytes at a rate; 0: no limit. */
static uint64_t kib_ps(double bytes_per_ns) {
  return bytes_per_ns > 0 ? (uint64_t)(1024 * 1000 / bytes_per_ns + 0.5) : 0;
}

static int take_figures(const char *path, const struct eyoti_machine *m, struct reading *r) {
  bool has[FIGURES] = {false};
  for (uint32_t i = 0; i < m->n; i++) {
    if (strcmp(m->at[i].section, "model") != 0) continue;
    EYOTI_TRY(read_figure(r, &m->at[i]));
    for (uint32_t k = 0; k < FIGURES; k++)
      if (strcmp(ROWS[k].key, m->at[i].key) == 0) has[k] = true;
  }
  for (uint32_t k = 0; k < FIGURES; k++)
    if (ROWS[k].needed && !has[k])
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%s: [model] has no %s; expected it, as eyot-calibrate writes it", path,
                        ROWS[k].key);
  return EYOT_OK;
}

int fab_model_file(const char *path, const struct eyoti_machine *m, struct fab_model *out) {
  struct reading r = {.path = path};
  EYOTI_TRY(take_figures(path, m, &r));
  const double *v = r.value;
  *out = (struct fab_model){.post_ps = ps(v[NET_OVERHEAD]),
                            .net_ps = ps(v[NET_ONE_WAY] - v[NET_OVERHEAD] - v[NODE_LOOK]),
                            .gap_ps = ps(v[NET_GAP]),
                            .node_post_ps = ps(v[NODE_OVERHEAD]),
                            .node_ps = ps(v[NODE_ONE_WAY] - v[NODE_OVERHEAD] - v[NODE_LOOK]),
                            .look_ps = ps(v[NODE_LOOK]),
                            .net_kib_ps = kib_ps(v[NET_BANDWIDTH]),
                            .node_kib_ps = kib_ps(v[NODE_BANDWIDTH]),
                            .memory_kib_ps = kib_ps(v[NODE_MEMORY]),
                            .memory_units = v[NODE_UNITS] > 0 ? (uint32_t)v[NODE_UNITS] : 1};
  return EYOT_OK;
}

/* -- thresholds -------------------------------------------------------------------------------- */

#define THRESHOLD_MOST (1u << 30) /* as the options' */

/* A whole number of bytes; false: it is none, or too large. */
static bool read_bytes(const struct eyoti_machine_entry *e, uint32_t *out) {
  char *end;
  bool digits = *e->value != '\0' && strspn(e->value, "0123456789") == strlen(e->value);
  unsigned long long bytes = strtoull(e->value, &end, 10);
  *out = (uint32_t)bytes;
  return digits && strcmp(e->unit, "bytes") == 0 && bytes <= THRESHOLD_MOST;
}

static int read_threshold(const char *path, const struct eyoti_machine_entry *e,
                          struct fab_thresholds *t) {
  /* what was measured, for a person to read; nothing goes by it */
  static const char *const MEASURED[] = {"node.put_half", "node.get_half", "network.put_half",
                                         "network.get_half"};
  uint32_t bytes, i = 0;
  bool eager = strcmp(e->key, "msg_eager") == 0, block = strcmp(e->key, "msg_block") == 0;
  while (i < sizeof MEASURED / sizeof *MEASURED && strcmp(MEASURED[i], e->key) != 0) i++;
  if (!eager && !block && i == sizeof MEASURED / sizeof *MEASURED)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s:%u: [thresholds] has no '%s'; known are msg_eager, msg_block, and "
                      "put_half and get_half of node and network (node.put_half)",
                      path, e->line, e->key);
  if (!read_bytes(e, &bytes))
    return EYOTI_FAIL(EYOT_EINVAL, "%s:%u: %s = %s%s%s; expected a whole number from 0 to %u bytes",
                      path, e->line, e->key, e->value, *e->unit != '\0' ? " " : "", e->unit,
                      THRESHOLD_MOST);
  if (eager) {
    t->has_eager = true;
    t->eager = bytes;
  } else if (block) {
    t->has_block = true;
    t->block = bytes;
  }
  return EYOT_OK;
}

int fab_thresholds_file(const char *path, const struct eyoti_machine *m,
                        struct fab_thresholds *out) {
  struct fab_thresholds t = {.has_eager = false};
  for (uint32_t i = 0; i < m->n; i++)
    if (strcmp(m->at[i].section, "thresholds") == 0) EYOTI_TRY(read_threshold(path, &m->at[i], &t));
  *out = t;
  return EYOT_OK;
}
