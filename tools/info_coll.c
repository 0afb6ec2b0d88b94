/* SPDX-License-Identifier: BSD-3-Clause */
/* info_coll.c - eyot-info --coll (info_coll.h). */
#include "info_coll.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "coll/choose.h"
#include "fabric_sim/machine/platform.h"
#include "tool.h"

struct question {
  struct eyoti_question q;
  uint64_t bytes, units;
  const char *platform;
};

static int wrong(const char *text, const char *expected) {
  fprintf(stderr,
          "eyot-info: --coll: '%s': expected %s, as in "
          "eyot-info --coll allreduce --bytes 8 --units 65536 [--platform xc40]\n",
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
    if (strcmp(argv[i], "--bytes") == 0) {
      if (!read_number(value, 0, UINT64_MAX / 2048, &x->bytes)) return wrong(value, "bytes");
    } else if (strcmp(argv[i], "--units") == 0) {
      if (!read_number(value, 2, UINT32_MAX - 1, &x->units)) return wrong(value, "2 units or more");
    } else if (strcmp(argv[i], "--platform") == 0 && *value != '\0') {
      x->platform = value;
    } else {
      return wrong(argv[i], "--bytes N, --units N or --platform NAME");
    }
  }
  return x->units >= 2 ? EYOTI_EXIT_OK : wrong("", "--units N");
}

static void print_choices(const struct fab_model *m, const struct eyoti_rules *rules,
                          const struct eyoti_question *q) {
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT];
  bool by_rule;
  struct eyoti_choice best = eyoti_choose(m, rules, q, &by_rule);
  uint32_t n = eyoti_choose_all(m, q, all);
  for (uint32_t i = 0; i < n; i++) {
    char radix[24] = "";
    bool taken = all[i].algorithm == best.algorithm;
    if (taken) all[i] = best;
    if (all[i].radix > 0) snprintf(radix, sizeof radix, "k=%" PRIu32, all[i].radix);
    printf("  %-10s %-6s %10.3f%s\n", eyoti_algorithm_name(all[i].algorithm), radix,
           (double)all[i].cost_ps / 1e6,
           !taken    ? ""
           : by_rule ? "  taken, by EYOT_COLL"
                     : "  taken, the cheapest");
  }
}

int info_coll(int argc, char **argv) {
  struct question x;
  struct sim_plat plat;
  struct fab_model model;
  struct eyoti_rules rules;
  const char *text;
  int code = read_question(argc, argv, &x);
  if (code != EYOTI_EXIT_OK) return code;
  if (sim_plat_parse(x.platform, &plat) != EYOT_OK ||
      eyoti_conf_string(EYOTI_CONF_COLL, &text) != EYOT_OK ||
      eyoti_rules_parse(text, &rules) != EYOT_OK)
    return EYOTI_EXIT_USAGE;
  sim_plat_model(&plat, &model);
  x.q.bytes = x.bytes;
  x.q.size = (uint32_t)x.units;
  x.q.per_node = plat.cores;
  printf("%s of %" PRIu64 " bytes, %" PRIu64 " units, %u a node, on %s: predicted us\n",
         eyoti_chosen_name(x.q.function), x.bytes, x.units, plat.cores, x.platform);
  x.q.any_order = true;
  bool combines = x.q.function == EYOTI_CHOSEN_REDUCE || x.q.function == EYOTI_CHOSEN_ALLREDUCE;
  if (combines) puts("operators that give the same bits in any order (integers, min, max):");
  print_choices(&model, &rules, &x.q);
  if (!combines) return EYOTI_EXIT_OK;
  puts("operators that do not (sums of floating-point numbers):");
  x.q.any_order = false;
  print_choices(&model, &rules, &x.q);
  return EYOTI_EXIT_OK;
}
