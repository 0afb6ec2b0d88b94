/* SPDX-License-Identifier: BSD-3-Clause */
/* info_coll.c - eyot-info --coll (info_coll.h). */
#include "info_coll.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "coll/costs.h"
#include "fabric_sim/machine/platform.h"
#include "tool.h"

struct question {
  struct eyoti_question q;
  uint64_t bytes, units, per_node; /* per_node 0: as the machine has cores */
  const char *platform;
  /* For mpi: a machine file, or "default", what holds without one; NULL: the platform, for sim. */
  const char *machine;
};

static int wrong(const char *text, const char *expected) {
  fprintf(stderr,
          "eyot-info: --coll: '%s': expected %s, as in "
          "eyot-info --coll allreduce --bytes 8 --units 65536 [--per-node 24] [--platform xc40 | "
          "--machine FILE | --machine default]\n",
          text, expected);
  return EYOTI_EXIT_USAGE;
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *out) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  *out = strtoull(text, &end, 10);
  return *end == '\0' && *out >= least && *out <= most;
}

static int read_question(int argc, char **argv, struct question *x) {
  *x = (struct question){.bytes = 8, .units = 0, .platform = "xc40"};
  if (argc < 1 || !eyoti_chosen_find(argv[0], &x->q.function))
    return wrong(argc < 1 ? "" : argv[0], "broadcast, reduce, allreduce, allgather or alltoall");
  for (int i = 1; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--shared") == 0) {
      x->q.shared = true;
      i--;
      continue;
    }
    if (strcmp(argv[i], "--bytes") == 0) {
      if (!read_number(value, 0, UINT64_MAX / 2048, &x->bytes)) return wrong(value, "bytes");
    } else if (strcmp(argv[i], "--units") == 0) {
      if (!read_number(value, 2, UINT32_MAX - 1, &x->units)) return wrong(value, "2 units or more");
    } else if (strcmp(argv[i], "--platform") == 0 && *value != '\0') {
      x->platform = value;
    } else if (strcmp(argv[i], "--machine") == 0 && *value != '\0') {
      x->machine = value;
    } else if (strcmp(argv[i], "--per-node") == 0) {
      if (!read_number(value, 1, UINT32_MAX - 1, &x->per_node)) return wrong(value, "1 or more");
    } else {
      return wrong(
          argv[i],
          "--bytes N, --units N, --per-node N, --platform NAME, --machine FILE or --shared");
    }
  }
  if (x->machine != NULL && x->per_node == 0) return wrong("", "--per-node N with --machine");
  return x->units >= 2 ? EYOTI_EXIT_OK : wrong("", "--units N");
}

static void print_choices(const struct eyoti_costs *costs, const struct eyoti_question *q) {
  static const char *const WHY[] = {[EYOTI_BY_MODEL] = "the cheapest",
                                    [EYOTI_BY_RULE] = "by EYOT_COLL",
                                    [EYOTI_BY_TABLE] = "by the machine file"};
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT];
  enum eyoti_reason why;
  struct eyoti_choice best = eyoti_choose(&costs->model, &costs->rules, q, &why);
  uint32_t n = eyoti_choose_all(&costs->model, q, all);
  bool cheapest = true;
  for (uint32_t i = 0; i < n; i++) cheapest = cheapest && best.cost_ps <= all[i].cost_ps;
  for (uint32_t i = 0; i < n; i++) {
    char radix[24] = "";
    bool taken = all[i].algorithm == best.algorithm;
    if (taken) all[i] = best;
    if (all[i].radix > 0) snprintf(radix, sizeof radix, "k=%" PRIu32, all[i].radix);
    printf("  %-10s %-6s %10.3f", eyoti_algorithm_name(all[i].algorithm), radix,
           (double)all[i].cost_ps / 1e6);
    if (taken)
      printf("  taken, %s", why == EYOTI_BY_MODEL && !cheapest ? "for long messages" : WHY[why]);
    putchar('\n');
  }
}

/* The costs and the units of a node. Returns an exit code. */
static int read_costs(const struct question *x, struct eyoti_costs *costs, uint32_t *cores) {
  struct sim_plat plat;
  const char *text;
  int rc = eyoti_conf_string(EYOTI_CONF_COLL, &text);
  if (rc == EYOT_OK) rc = eyoti_rules_parse(text, &costs->rules);
  if (rc != EYOT_OK) return EYOTI_EXIT_USAGE;
  if (x->machine != NULL && strcmp(x->machine, "default") == 0) {
    costs->model = (struct fab_model)FAB_MODEL_DEFAULT;
    return EYOTI_EXIT_OK;
  }
  if (x->machine != NULL)
    return eyoti_costs_read(x->machine, costs) == EYOT_OK ? EYOTI_EXIT_OK : EYOTI_EXIT_USAGE;
  if (sim_plat_parse(x->platform, &plat) != EYOT_OK) return EYOTI_EXIT_USAGE;
  sim_plat_model(&plat, &costs->model);
  *cores = plat.cores;
  return EYOTI_EXIT_OK;
}

int info_coll(int argc, char **argv) {
  struct question x;
  struct eyoti_costs costs;
  uint32_t cores = 1;
  int code = read_question(argc, argv, &x);
  if (code == EYOTI_EXIT_OK) code = read_costs(&x, &costs, &cores);
  if (code != EYOTI_EXIT_OK) return code;
  if (x.per_node == 0) x.per_node = cores;
  if (x.per_node > x.units) x.per_node = x.units;
  x.q.bytes = x.bytes;
  x.q.size = (uint32_t)x.units;
  x.q.per_node = (uint32_t)x.per_node;
  if (x.machine != NULL && x.per_node < x.units)
    x.q.direct_from = eyoti_direct_least(x.q.function == EYOTI_CHOSEN_BROADCAST, x.q.shared);
  printf("%s of %" PRIu64 " bytes, %" PRIu64 " units, %" PRIu64 " a node, on %s: predicted us\n",
         eyoti_chosen_name(x.q.function), x.bytes, x.units, x.per_node,
         x.machine != NULL ? x.machine : x.platform);
  x.q.any_order = true;
  bool combines = x.q.function == EYOTI_CHOSEN_REDUCE || x.q.function == EYOTI_CHOSEN_ALLREDUCE;
  if (combines) puts("operators that give the same bits in any order (integers, min, max):");
  print_choices(&costs, &x.q);
  if (!combines) return EYOTI_EXIT_OK;
  puts("operators that do not (sums of floating-point numbers):");
  x.q.any_order = false;
  print_choices(&costs, &x.q);
  return EYOTI_EXIT_OK;
}
